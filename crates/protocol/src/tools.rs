//! The tools that a message may call, prepared for parsers.

use std::collections::HashMap;

use dogu_tool::ToolSpec;
use serde_json::Value;

/// What a parser knows of one tool.
#[derive(Clone, Debug)]
pub struct KnownTool {
    /// The name in the catalog.
    pub name: String,
    /// JSON Schema of the input.
    pub input_schema: Value,
    /// Lower-case spelling → the parameter's own name; aliases lead to their parameter.
    parameters: HashMap<String, String>,
}

impl KnownTool {
    /// The parameter that a tag or key means, whatever its case.
    pub fn parameter(&self, spelling: &str) -> Option<&str> {
        if let Some(name) = self.parameters.get(spelling) {
            return Some(name);
        }
        self.parameters.get(&spelling.to_ascii_lowercase()).map(String::as_str)
    }

    /// The parameters' names, in the schema's order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.properties().map(|(name, _)| name)
    }

    /// Each parameter with its schema.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    /// The schema of one parameter.
    pub fn schema_of(&self, parameter: &str) -> Option<&Value> {
        self.input_schema.get("properties")?.get(parameter)
    }

    /// The required parameters.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.input_schema.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }
}

/// The tools that a message may call. Made once for a catalog and shared by its parsers.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Lower-case name → tool.
    by_name: HashMap<String, KnownTool>,
}

impl Tools {
    /// The tools of a catalog.
    pub fn of<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let by_name = specs.into_iter().map(|spec| {
            let tool = KnownTool {
                name: spec.name.as_str().to_owned(),
                input_schema: spec.input_schema.clone(),
                parameters: spellings(spec),
            };
            (tool.name.to_ascii_lowercase(), tool)
        });
        Self { by_name: by_name.collect() }
    }

    /// The tool that a name means, whatever its case.
    pub fn find(&self, name: &str) -> Option<&KnownTool> {
        self.by_name.get(name).or_else(|| self.by_name.get(&name.to_ascii_lowercase()))
    }

    /// Whether there is no tool at all.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

fn spellings(spec: &ToolSpec) -> HashMap<String, String> {
    let aliases = spec.aliases.iter().map(|(alias, name)| (alias.as_str(), name.as_str()));
    // Later ones win: a parameter's own name beats an alias that is spelt the same.
    let all = aliases.chain(spec.parameters().into_iter().map(|name| (name, name)));
    all.map(|(spelling, name)| (spelling.to_ascii_lowercase(), name.to_owned())).collect()
}
