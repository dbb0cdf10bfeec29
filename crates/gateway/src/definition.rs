//! A tool as its server describes it, cleaned and bounded.

use dogu_runtime::pins::{Pin, PinnedPart};
use serde_json::{Map, Value};

use crate::clean::{clean, cut, line};
use crate::schema;

/// How many characters of a description are shown.
const MAX_DESCRIPTION: usize = 8_000;
/// How many characters of a title are shown.
const MAX_TITLE: usize = 100;
/// How many characters of a part are kept to be shown when it changes.
const MAX_PINNED: usize = 1_000;
/// How many bytes of `_meta` are passed on.
const MAX_META: usize = 8 * 1024;

/// What of a tool's `_meta` is passed on: where its user interface is.
const PASSED_META: [&str; 2] = ["ui", "ui/resourceUri"];

/// A tool of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    /// What the server calls it.
    pub(crate) name: String,
    /// Which one it is among those of the server: its name, and a number where others have it too.
    pub(crate) key: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    pub(crate) meta: Map<String, Value>,
    /// The server says that it changes nothing: shown, never believed.
    pub(crate) says_read_only: bool,
    /// What is not as the server wrote it.
    pub(crate) notes: Vec<String>,
    /// What it looks like, to notice when that changes.
    pub(crate) looks: Pin,
}

impl Definition {
    /// Reads one entry of a `tools` list; none where it has no name to be called by.
    pub(crate) fn read(written: &Value, place: &str) -> Option<Self> {
        let name = written.get("name")?.as_str().filter(|name| !name.is_empty())?.to_owned();
        let annotations = &written["annotations"];
        let title = written["title"].as_str().or_else(|| annotations["title"].as_str());
        let described = clean(written["description"].as_str().unwrap_or_default());
        let input = schema::input(written.get("inputSchema"));
        let mut notes = input.notes;
        if described.removed > 0 {
            notes.push(format!(
                "{} hidden characters were taken out of its description",
                described.removed
            ));
        }
        let description = cut(described.text.trim(), MAX_DESCRIPTION).into_owned();
        Some(Self {
            key: name.clone(),
            title: title.map(|title| line(title, MAX_TITLE)).filter(|title| !title.is_empty()),
            description,
            input_schema: input.schema,
            output_schema: schema::output(written.get("outputSchema")),
            meta: meta(&written["_meta"]),
            says_read_only: annotations["readOnlyHint"] == Value::Bool(true),
            notes,
            looks: looks(written, place),
            name,
        })
    }
}

/// All tools of a list, each with a key of its own, and what was wrong with the list.
pub(crate) fn read_all(written: &[Value], place: &str) -> (Vec<Definition>, Vec<String>) {
    let mut notes = Vec::new();
    let mut tools: Vec<Definition> = Vec::new();
    for entry in written {
        let Some(mut tool) = Definition::read(entry, place) else {
            notes.push("a tool without a name was left out".to_owned());
            continue;
        };
        let namesakes = tools.iter().filter(|other| other.name == tool.name).count();
        if namesakes > 0 {
            tool.key = format!("{}#{}", tool.name, namesakes + 1);
            let name = line(&tool.name, MAX_TITLE);
            notes.push(format!("it has more than one tool named `{name}`"));
        }
        tools.push(tool);
    }
    notes.dedup();
    (tools, notes)
}

/// As it was written, before anything was cleaned or cut: a change that nobody would see counts.
fn looks(written: &Value, place: &str) -> Pin {
    let part = |text: String| PinnedPart {
        hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
        shown: cut(&crate::clean::cleaned(&text), MAX_PINNED).into_owned(),
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => sorted(other).to_string(),
    };
    let mut pin = Pin::default();
    for (name, key) in [
        ("name", "name"),
        ("title", "title"),
        ("description", "description"),
        ("input schema", "inputSchema"),
        ("output schema", "outputSchema"),
        ("annotations", "annotations"),
    ] {
        if let Some(value) = written.get(key).filter(|value| !value.is_null()) {
            pin.parts.insert(name.to_owned(), part(text(value)));
        }
    }
    pin.parts.insert("server".to_owned(), part(place.to_owned()));
    pin
}

/// The same value whatever the order of its keys.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(String, Value)> =
                map.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

fn meta(written: &Value) -> Map<String, Value> {
    let mut passed = Map::new();
    for key in PASSED_META {
        if let Some(value) = written.get(key)
            && value.to_string().len() <= MAX_META
        {
            let mut value = value.clone();
            crate::clean::clean_value(&mut value);
            passed.insert(key.to_owned(), value);
        }
    }
    passed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_read_cleaned_and_bounded() {
        let written = json!({
            "name": "get", "title": "Get\u{202e} it", "description": format!("a\u{200b}b{}", "x".repeat(9000)),
            "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
            "_meta": {"ui": {"resourceUri": "ui://x"}, "other": 1},
        });
        let tool = Definition::read(&written, "npx x").unwrap();
        assert_eq!(tool.title.as_deref(), Some("Get it"));
        assert!(tool.description.starts_with("abx"));
        assert!(tool.description.ends_with("… (1002 characters more)"));
        assert_eq!(tool.notes, ["1 hidden characters were taken out of its description"]);
        assert_eq!(Value::Object(tool.meta), json!({"ui": {"resourceUri": "ui://x"}}));
        assert!(tool.says_read_only);
    }

    #[test]
    fn whatever_a_model_reads_is_part_of_the_looks() {
        let tool = |description: &str, schema: Value| {
            let written = json!({"name": "t", "description": description, "inputSchema": schema});
            Definition::read(&written, "here").unwrap().looks
        };
        let before = tool("d", json!({"type": "object", "a": 1}));
        assert_eq!(before, tool("d", json!({"a": 1, "type": "object"})), "order is no change");
        assert_eq!(
            before.differing(&tool("d\u{200b}", json!({"type": "object", "a": 1}))),
            ["description"]
        );
        assert_eq!(before.differing(&tool("d", json!({"type": "object"}))), ["input schema"]);
        let moved = Definition::read(
            &json!({"name": "t", "description": "d", "inputSchema": {"type": "object", "a": 1}}),
            "there",
        );
        assert_eq!(before.differing(&moved.unwrap().looks), ["server"]);
    }

    #[test]
    fn two_of_one_name_are_two() {
        let list = [
            json!({"name": "a", "description": "1"}),
            json!({"name": "a", "description": "2"}),
            json!({}),
            json!("x"),
        ];
        let (tools, notes) = read_all(&list, "p");
        assert_eq!(tools.iter().map(|tool| tool.key.as_str()).collect::<Vec<_>>(), ["a", "a#2"]);
        assert_eq!(
            notes,
            ["it has more than one tool named `a`", "a tool without a name was left out"]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_a_definition_or_none(text in any::<String>(), description in any::<String>()) {
            let written = json!({"name": text.clone(), "description": description});
            prop_assert_eq!(Definition::read(&written, "p").is_some(), !text.is_empty());
        }
    }
}
