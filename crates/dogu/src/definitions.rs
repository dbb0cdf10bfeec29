//! Tool definitions from a file, in whatever form others write them.

use std::path::Path;

use dogu_tool::ToolSpec;
use serde_json::{Value, json};

use crate::problem::Problem;

/// Reads a JSON list of definitions.
pub(crate) fn read(path: &Path) -> Result<Vec<ToolSpec>, Problem> {
    let problem = |what: &str| Problem::wrong_use(format!("{} {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| {
        problem("could not be read").because(error).hint("--tools wants a JSON file")
    })?;
    let value: Value =
        serde_json::from_str(&text).map_err(|error| problem("is not JSON").because(error))?;
    let Some(list) = list_in(&value) else {
        return Err(problem("is no list of tools").hint(
            "an example: [{\"name\": \"look\", \"description\": \"…\", \"input_schema\": {…}}]",
        ));
    };
    let specs = list.iter().enumerate().map(|(at, entry)| {
        spec_of(entry).map_err(|reason| problem(&format!("has a bad tool at place {at}: {reason}")))
    });
    let specs: Vec<ToolSpec> = specs.collect::<Result<_, _>>()?;
    match repeated(&specs) {
        Some(name) => Err(problem(&format!("has the tool `{name}` twice"))),
        None => Ok(specs),
    }
}

/// A list, or one under the key that MCP (`tools`) or Gemini (`functionDeclarations`) gives it.
fn list_in(value: &Value) -> Option<&Vec<Value>> {
    let keys = ["tools", "functionDeclarations", "function_declarations"];
    value.as_array().or_else(|| keys.iter().find_map(|key| value.get(key)?.as_array()))
}

fn spec_of(entry: &Value) -> Result<ToolSpec, String> {
    let entry = entry.get("function").filter(|inner| inner.is_object()).unwrap_or(entry);
    let mut full = entry.clone();
    if let Some(object) = full.as_object_mut() {
        object.entry("category").or_insert(json!("system"));
    }
    if let Ok(spec) = serde_json::from_value(full) {
        return Ok(spec);
    }
    let name = entry["name"].as_str().ok_or("it has no `name`")?;
    let description = entry["description"].as_str().unwrap_or_default();
    let keys = ["input_schema", "inputSchema", "parameters", "parametersJsonSchema"];
    let schema = keys.iter().find_map(|key| entry.get(key)).filter(|schema| schema.is_object());
    let schema = schema.cloned().unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    ToolSpec::new(name, description, schema).map_err(|error| error.to_string())
}

fn repeated(specs: &[ToolSpec]) -> Option<&str> {
    let mut names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_definition_is_read() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        for entry in [
            json!({"name": "t", "description": "d", "input_schema": schema}),
            json!({"name": "t", "description": "d", "inputSchema": schema}),
            json!({"name": "t", "description": "d", "parameters": schema}),
            json!({"type": "function", "function": {"name": "t", "description": "d", "parameters": schema}}),
            json!({"type": "function", "name": "t", "description": "d", "parameters": schema, "strict": false}),
        ] {
            let spec = spec_of(&entry).unwrap();
            assert_eq!((spec.name.as_str(), spec.parameters()), ("t", vec!["a"]), "{entry}");
        }
        let full =
            json!({"name": "t", "description": "d", "input_schema": schema, "aliases": {"b": "a"}});
        assert_eq!(spec_of(&full).unwrap().aliases["b"], "a");
        assert_eq!(spec_of(&json!({"name": "t"})).unwrap().parameters(), [""; 0]);
        assert!(spec_of(&json!({"description": "d"})).unwrap_err().contains("no `name`"));
        assert!(spec_of(&json!({"name": "a b"})).is_err());
    }
}
