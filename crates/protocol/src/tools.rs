//! The tools that a message may call, prepared for parsers.

use std::collections::HashMap;
use std::sync::Arc;

use dogu_tool::ToolSpec;
use serde_json::Value;

/// What a parser knows of one tool.
#[derive(Debug)]
pub struct KnownTool {
    /// The name in the catalog.
    pub name: String,
    /// JSON Schema of the input, without references.
    pub input_schema: Value,
    /// Lower-case spelling → the parameter's own name; aliases lead to their parameter.
    parameters: HashMap<String, String>,
    /// The one parameter that is a list of objects, where there is exactly one.
    list: Option<String>,
}

impl KnownTool {
    fn of(spec: &ToolSpec) -> Self {
        let name = spec.name.as_str().to_owned();
        let input_schema = crate::schema::without_references(&spec.input_schema);
        let parameters = spellings(spec);
        let list = only_list_of_objects(&input_schema);
        Self { name, input_schema, parameters, list }
    }

    /// The parameter that a tag or key means, whatever its case.
    pub fn parameter(&self, spelling: &str) -> Option<&str> {
        if let Some(name) = self.parameters.get(spelling) {
            return Some(name);
        }
        self.parameters.get(&spelling.to_ascii_lowercase()).map(String::as_str)
    }

    /// The parameters' names, in the schema's order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|map| map.keys().map(String::as_str))
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

    /// The parameter that is a list of objects (`files`), and the schema of an object, where it
    /// is the only such one: its fields may then be given without the list around them.
    pub(crate) fn list_of_objects(&self) -> Option<(&str, &Value)> {
        let list = self.list.as_deref()?;
        Some((list, self.schema_of(list)?.get("items")?))
    }
}

/// The tools that a message may call. Made once for a catalog and shared by its parsers.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Lower-case name → tool.
    by_name: HashMap<String, Arc<KnownTool>>,
}

impl Tools {
    /// The tools of a catalog.
    pub fn of<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let tools = specs.into_iter().map(KnownTool::of);
        Self { by_name: tools.map(|tool| (tool.name.to_ascii_lowercase(), tool.into())).collect() }
    }

    /// The tool that a name means, whatever its case.
    pub fn find(&self, name: &str) -> Option<&Arc<KnownTool>> {
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

fn only_list_of_objects(input_schema: &Value) -> Option<String> {
    let properties = input_schema.get("properties")?.as_object()?;
    let is_list = |schema: &Value| {
        let items = schema.get("items").and_then(|items| items.get("properties"));
        items.is_some_and(Value::is_object)
    };
    let mut lists = properties.iter().filter(|(_, schema)| is_list(schema));
    let (name, _) = lists.next()?;
    lists.next().is_none().then(|| name.clone())
}
