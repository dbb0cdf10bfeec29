//! Tools as text, for models that call them in XML or by description alone.

use dogu_tool::ToolSpec;
use serde_json::{Map, Value};

use super::merge::types;
use super::refs::local;

/// How deep types and examples are written out.
const MAX_LEVELS: usize = 4;

/// The rules of the XML form. What a parser accepts beyond them is its own business.
const RULES: &str = "\
# Tools

Call a tool by writing its name as a tag, with one tag inside for each parameter:

<tool_name>
<parameter>value</parameter>
</tool_name>

- One newline after a parameter's opening tag and one before its closing tag are not part of the value. All else between the tags is taken as it stands: escape nothing, and keep indentation.
- Leave an optional parameter out when you have no value for it.
- A list is one <item> tag for each entry inside the parameter's tag; an entry with fields has one tag for each field.
- Tags inside code fences are text, not calls. Write a call outside of them, on lines of its own.
";

/// `## name`, description and a newline for each tool.
pub fn prompt_text<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> String {
    specs.into_iter().map(ToolSpec::to_prompt_text).collect()
}

/// The part of a system prompt that teaches a model to call these tools in XML.
pub fn xml_help<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> String {
    let tools: String = specs.into_iter().map(|spec| format!("\n{}", tool_help(spec))).collect();
    format!("{RULES}{tools}")
}

fn tool_help(spec: &ToolSpec) -> String {
    let writer = Writer { root: &spec.input_schema };
    let mut text = spec.to_prompt_text();
    let properties = writer.properties(&spec.input_schema);
    text.push_str(if properties.is_empty() { "Parameters: none\n" } else { "Parameters:\n" });
    let required = spec.required();
    for (name, schema) in &properties {
        text.push_str(&writer.parameter(name, schema, required.contains(&name.as_str())));
    }
    let inside = writer.fields(&properties, 0);
    text.push_str(&format!("Usage:\n<{0}>\n{inside}</{0}>\n", spec.name));
    text
}

struct Writer<'s> {
    root: &'s Value,
}

impl<'s> Writer<'s> {
    fn parameter(&self, name: &str, schema: &'s Value, required: bool) -> String {
        let schema = self.resolved(schema);
        let need = if required { "required" } else { "optional" };
        let kind = self.kind(schema, 0);
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let gap = if description.is_empty() { "" } else { " " };
        format!("- {name}: ({need}) {kind}.{gap}{description}\n")
    }

    /// The schema that a reference names; itself where it is none.
    fn resolved(&self, schema: &'s Value) -> &'s Value {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|to| local(self.root, to));
        target.unwrap_or(schema)
    }

    fn properties(&self, schema: &'s Value) -> Vec<(&'s String, &'s Value)> {
        let schema = self.resolved(schema);
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.map(Map::iter).into_iter().flatten().collect()
    }

    /// A type in a few words.
    fn kind(&self, schema: &'s Value, level: usize) -> String {
        let schema = self.resolved(schema);
        if level >= MAX_LEVELS {
            return "any value".to_owned();
        }
        if let Some(choices) = schema.as_object().and_then(super::keywords::choices) {
            return one_of(choices);
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(union).and_then(Value::as_array) {
                return either(
                    branches.iter().map(|branch| self.kind(branch, level + 1)).collect(),
                );
            }
        }
        let kinds = schema.get("type").map(types).unwrap_or_default();
        let named = kinds.into_iter().map(|kind| self.type_name(schema, kind, level)).collect();
        either(named)
    }

    fn type_name(&self, schema: &'s Value, kind: &str, level: usize) -> String {
        match (kind, schema.get("items")) {
            ("array", Some(items)) => format!("list of {}", self.kind(items, level + 1)),
            ("array", None) => "list".to_owned(),
            ("object", _) if !self.properties(schema).is_empty() => {
                let names: Vec<&str> =
                    self.properties(schema).iter().map(|(name, _)| name.as_str()).collect();
                format!("object with {}", names.join(", "))
            }
            (other, _) => other.to_owned(),
        }
    }

    fn fields(&self, properties: &[(&'s String, &'s Value)], level: usize) -> String {
        let lines = properties.iter().map(|(name, schema)| {
            format!("<{name}>{}</{name}>\n", self.example(schema, level + 1))
        });
        lines.collect()
    }

    /// What stands between a parameter's tags in the example.
    fn example(&self, schema: &'s Value, level: usize) -> String {
        let schema = self.first_form(schema);
        let kinds = schema.get("type").map(types).unwrap_or_default();
        if level > MAX_LEVELS {
            return "…".to_owned();
        }
        if let Some(first) =
            schema.as_object().and_then(super::keywords::choices).and_then(<[_]>::first)
        {
            return bare(first);
        }
        match kinds.iter().find(|kind| **kind != "null").copied() {
            Some("array") => self.list_example(schema, level),
            Some("object") if !self.properties(schema).is_empty() => {
                format!("\n{}", self.fields(&self.properties(schema), level))
            }
            Some("object") => "{\"key\": \"value\"}".to_owned(),
            Some("integer" | "number") => {
                schema.get("minimum").map_or_else(|| "1".to_owned(), bare)
            }
            Some("boolean") => "true".to_owned(),
            _ => "…".to_owned(),
        }
    }

    fn list_example(&self, schema: &'s Value, level: usize) -> String {
        let item = schema
            .get("items")
            .map_or_else(|| "…".to_owned(), |items| self.example(items, level + 1));
        format!("\n<item>{item}</item>\n")
    }

    /// The first branch of a union that is not null.
    fn first_form(&self, schema: &'s Value) -> &'s Value {
        let schema = self.resolved(schema);
        let branches = ["anyOf", "oneOf"].iter().find_map(|union| schema.get(union)?.as_array());
        let first = branches
            .and_then(|list| list.iter().find(|b| b.get("type") != Some(&Value::from("null"))));
        first.map_or(schema, |branch| self.resolved(branch))
    }
}

/// Names joined by "or"; null is left out, since leaving the parameter out says it.
fn either(mut names: Vec<String>) -> String {
    names.retain(|name| name != "null");
    names.dedup();
    if names.is_empty() { "any value".to_owned() } else { names.join(" or ") }
}

fn one_of(choices: &[Value]) -> String {
    let choices = choices.iter().filter(|choice| !choice.is_null());
    let quoted: Vec<String> = choices.map(|choice| format!("`{}`", bare(choice))).collect();
    match quoted.as_slice() {
        [only] => format!("always {only}"),
        more => format!("one of {}", more.join(", ")),
    }
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
