//! Documents as people write them: with comments, habits and other things in them.

use dogu_install::Client;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A document, and the client whose file it could be.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) client: Client,
    pub(crate) text: String,
}

pub(crate) fn any_document() -> impl Strategy<Value = Document> {
    prop_oneof![json(), toml(), yaml()]
}

fn key() -> impl Strategy<Value = String> + Clone {
    "[a-z]{1,6}-[0-9]{1,3}"
}

/// Values that are the same in JSON and in YAML's flow style.
fn value() -> impl Strategy<Value = String> {
    let strings = prop_oneof![
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        select(vec!["\"// no comment\"", "\"{[,]}\"", "\"\\\\\"", "\"\\\"\"", "\"한글\""])
            .prop_map(str::to_owned),
    ];
    let plain = select(vec!["1", "-2.5e3", "true", "null", "[]", "{}", "[1, 2]", "{\"a\": {}}"]);
    prop_oneof![strings, plain.prop_map(str::to_owned)]
}

fn comment() -> impl Strategy<Value = Option<String>> + Clone {
    proptest::option::of("[a-zA-Z \"'{}\\[\\],:*가-힣]{0,20}")
}

/// How a person writes.
#[derive(Clone, Debug)]
struct Habits {
    indent: &'static str,
    newline: &'static str,
    trailing_comma: bool,
    mark: bool,
    ends: bool,
}

fn habits() -> impl Strategy<Value = Habits> {
    let indent = select(vec!["  ", "    ", "\t", ""]);
    let newline = select(vec!["\n", "\n", "\r\n"]);
    (indent, newline, any::<bool>(), prop::bool::weighted(0.2), any::<bool>()).prop_map(
        |(indent, newline, trailing_comma, mark, ends)| Habits {
            indent,
            newline,
            trailing_comma,
            mark,
            ends,
        },
    )
}

impl Habits {
    fn applied(&self, text: &str) -> String {
        let mark = if self.mark { "\u{feff}" } else { "" };
        let text = if self.ends { text } else { text.trim_end_matches('\n') };
        format!("{mark}{}", text.replace('\n', self.newline))
    }
}

type Members = Vec<(String, String, Option<String>)>;

fn members(most: usize) -> impl Strategy<Value = Members> {
    vec((key(), value(), comment()), 0..most)
}

/// A container that is not there, or is `null`, or holds some.
fn container() -> impl Strategy<Value = Option<Option<Members>>> {
    proptest::option::of(proptest::option::weighted(0.9, members(4)))
}

fn object(members: &Members, habits: &Habits, depth: usize) -> String {
    let indent = habits.indent.repeat(depth + 1);
    let mut text = "{".to_owned();
    let last = members.len().saturating_sub(1);
    for (index, (key, value, comment)) in members.iter().enumerate() {
        let comma = if index < last || habits.trailing_comma { "," } else { "" };
        let comment = comment.as_ref().map_or(String::new(), |comment| match index % 3 {
            0 => format!(" // {comment}"),
            1 => format!("\n{indent}// {comment}"),
            _ => format!(" /* {} */", comment.replace('*', "")),
        });
        text.push_str(&format!("\n{indent}\"{key}\": {value}{comma}{comment}"));
    }
    let close = if members.is_empty() { "" } else { "\n" };
    let around = if members.is_empty() { String::new() } else { habits.indent.repeat(depth) };
    format!("{text}{close}{around}}}")
}

fn json() -> impl Strategy<Value = Document> {
    let client = select(vec![Client::ClaudeCode, Client::Zed, Client::VsCode, Client::OpenCode]);
    (client, members(5), container(), habits(), comment()).prop_map(
        |(client, mut members, container, habits, comment)| {
            let key = client.place().keys[0];
            if let Some(container) = container {
                let inner =
                    container.map_or("null".to_owned(), |container| object(&container, &habits, 1));
                members.insert(members.len() / 2, (key.to_owned(), inner, None));
            }
            let head = comment.map_or(String::new(), |comment| format!("// {comment}\n"));
            let text = format!("{head}{}\n", object(&members, &habits, 0));
            Document { client, text: habits.applied(&text) }
        },
    )
}

fn toml() -> impl Strategy<Value = Document> {
    let value = select(vec![
        "1",
        "\"text # no comment\"",
        "'[mcp_servers.dogu]'",
        "\"\"\"\n[mcp_servers.dogu]\ntwo\"\"\"",
        "[\n  1, # one\n  [\"x\"],\n]",
        "{ a = 1, b = \"c\" }",
        "1979-05-27T07:32:00Z",
        "inf",
    ]);
    let line = (key(), value, comment());
    let table = (select(vec!["profiles", "mcp_servers", "tools"]), key(), vec(line.clone(), 0..3));
    (vec(line, 0..4), vec(table, 0..4), habits()).prop_map(|(lines, tables, habits)| {
        let mut text = String::new();
        let mut number = 0;
        let mut write =
            |text: &mut String, (key, value, comment): &(String, &str, Option<String>)| {
                number += 1;
                let comment =
                    comment.as_ref().map_or(String::new(), |comment| format!(" # {comment}"));
                text.push_str(&format!("{key}-{number} = {value}{comment}\n"));
            };
        for line in &lines {
            write(&mut text, line);
        }
        for (index, (table, key, lines)) in tables.iter().enumerate() {
            text.push_str(&format!("\n# about {key}\n[{table}.{key}-{index}]\n"));
            for line in lines {
                write(&mut text, line);
            }
        }
        Document { client: Client::Codex, text: habits.applied(&text) }
    })
}

fn yaml() -> impl Strategy<Value = Document> {
    let client = select(vec![Client::Goose, Client::Continue]);
    let scalar = select(vec![
        "plain words",
        "\"# no comment\"",
        "'it''s'",
        "|\n    block: text\n    # no comment\n",
        "[a, {b: c}] # flow",
        "\n    deeper: 1 # one\n    # last",
        "~",
        "&anchor x",
    ]);
    let pairs = vec((key(), scalar, comment()), 0..4);
    let inner = proptest::option::of(prop_oneof![
        Just(String::new()),
        Just(" # none".to_owned()),
        Just(" null".to_owned()),
        select(vec!["  ", "    "]).prop_map(|indent| format!("BLOCK{indent}")),
        Just("FLOW".to_owned()),
    ]);
    (client, pairs, inner, habits()).prop_map(|(client, pairs, inner, habits)| {
        let mut text = String::new();
        for (index, (key, value, comment)) in pairs.iter().enumerate() {
            if let Some(comment) = comment {
                text.push_str(&format!("# {comment}\n"));
            }
            let value = value.replace("&anchor", &format!("&anchor{index}"));
            text.push_str(&format!("{key}-{index}: {value}\n"));
        }
        if let Some(inner) = inner {
            text.push_str(&container_of(client, &inner));
            text.push_str("after: 1 # the end\n");
        }
        Document { client, text: habits.applied(&text) }
    })
}

fn container_of(client: Client, inner: &str) -> String {
    let key = client.place().keys[0];
    let is_list = client == Client::Continue;
    match inner.strip_prefix("BLOCK") {
        Some(indent) if is_list => format!(
            "{key}: # all\n{indent}# first\n{indent}- name: x # mine\n{indent}  command: y\n\n{indent}- name: z\n"
        ),
        Some(indent) => format!(
            "{key}: # all\n{indent}# first\n{indent}x:\n{indent}  cmd: y # mine\n\n{indent}z: {{}}\n"
        ),
        None if inner == "FLOW" && is_list => format!("{key}: [{{name: x}}, {{name: z}}] # all\n"),
        None if inner == "FLOW" => format!("{key}: {{x: {{cmd: y}}, z: 1}} # all\n"),
        None => format!("{key}:{inner}\n"),
    }
}
