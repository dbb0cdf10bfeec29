//! `ToolSpec`: everything about a tool that is known before it is called.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::name::{NameError, ToolName};
use crate::slim::slim;

/// What kind of thing a tool touches; every tool is in exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Reads or changes files.
    Filesystem,
    /// Runs programs or code.
    Execute,
    /// Talks to other machines.
    Network,
    /// Belongs to an MCP server.
    Mcp,
    /// Everything inside the agent itself.
    System,
}

/// The group by which modes allow a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Looks at files and folders.
    Read,
    /// Changes files.
    Edit,
    /// Drives a browser.
    Browser,
    /// Runs commands.
    Command,
    /// Comes from outside: MCP, bundles, extensions, HTTP.
    Mcp,
    /// Switches modes and starts tasks.
    Modes,
}

/// How a tool reaches the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// Listed in every catalog that allows it.
    #[default]
    Direct,
    /// Not listed until it is found; whoever knows its name may call it.
    Deferred,
    /// Callable by the runtime only, never listed.
    Hidden,
}

/// A tool's name, texts, schemas and standing facts.
///
/// There is no `source` here: the registry writes down where a tool came from, so that
/// a tool cannot claim to be built in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the tool")]
pub struct ToolSpec {
    /// The name that the model calls.
    pub name: ToolName,
    /// A short name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema (2020-12) of the input; always an object.
    pub input_schema: Value,
    /// JSON Schema of `structured`, where the tool promises one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Other spellings of parameters, folded before validation: alias → parameter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<String, String>,
    /// The group by which modes allow it; only tools without actions may have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// What kind of thing it touches.
    pub category: Category,
    /// It changes nothing. Believed only of built-in tools.
    #[serde(default)]
    pub read_only: bool,
    /// Its futures never block their thread, so the pipeline may poll them in place.
    #[serde(default)]
    pub non_blocking: bool,
    /// The same call over and over is its purpose. Believed only of built-in tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub polling: bool,
    /// Arguments are taken as they are: `"5"` is not read as 5 where a number is wanted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact_types: bool,
    /// The argument that rules and displays use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_argument: Option<String>,
    /// How it reaches the model.
    #[serde(default)]
    pub exposure: Exposure,
    /// What its author wants clients to know, passed on as it is: `_meta` in MCP.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// How long a run may take; the runtime's default where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    /// How many characters of an error message reach the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message_limit: Option<usize>,
}

impl ToolSpec {
    /// A spec with a hand-made schema, as declared and MCP tools have one.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: Value,
    ) -> Result<Self, NameError> {
        Ok(Self::with_name(ToolName::new(name)?, description.into(), input_schema))
    }

    /// A spec whose input schema is derived from `Input`.
    ///
    /// # Panics
    /// Where `name` is not a [`ToolName`]: it is a constant of the tool's author, and the
    /// first test of the tool shows it.
    #[expect(clippy::panic, reason = "a constant name is checked by the tool's first test")]
    pub fn of<Input: JsonSchema>(name: &'static str, description: impl Into<String>) -> Self {
        match ToolName::new(name) {
            Ok(name) => Self::with_name(name, description.into(), schema_of::<Input>()),
            Err(error) => panic!("{error}"),
        }
    }

    fn with_name(name: ToolName, description: String, input_schema: Value) -> Self {
        Self {
            name,
            title: None,
            description,
            input_schema,
            output_schema: None,
            aliases: BTreeMap::new(),
            group: None,
            category: Category::System,
            read_only: false,
            non_blocking: false,
            polling: false,
            exact_types: false,
            primary_argument: None,
            exposure: Exposure::Direct,
            meta: Map::new(),
            timeout: None,
            error_message_limit: None,
        }
    }

    /// Sets the short name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets category and group together: whoever has one needs the other.
    pub fn in_group(mut self, category: Category, group: Group) -> Self {
        self.category = category;
        self.group = Some(group);
        self
    }

    /// Says that the tool changes nothing.
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Says that the tool's futures never block their thread.
    pub fn non_blocking(mut self) -> Self {
        self.non_blocking = true;
        self
    }

    /// Says that the same call over and over is the tool's purpose, as it is to watch something.
    pub fn polling(mut self) -> Self {
        self.polling = true;
        self
    }

    /// Says that arguments are taken as they are, without fitting their types to the schema.
    pub fn exact_types(mut self) -> Self {
        self.exact_types = true;
        self
    }

    /// Names the argument that rules and displays use.
    pub fn primary(mut self, argument: impl Into<String>) -> Self {
        self.primary_argument = Some(argument.into());
        self
    }

    /// Accepts another spelling of a parameter.
    pub fn alias(mut self, alias: impl Into<String>, parameter: impl Into<String>) -> Self {
        self.aliases.insert(alias.into(), parameter.into());
        self
    }

    /// Promises the shape of `structured`.
    pub fn output<Output: JsonSchema>(mut self) -> Self {
        self.output_schema = Some(schema_of::<Output>());
        self
    }

    /// Limits how long a run may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Limits the characters of an error message.
    pub fn error_message_limit(mut self, characters: usize) -> Self {
        self.error_message_limit = Some(characters);
        self
    }

    /// The names of the parameters, in the schema's order.
    pub fn parameters(&self) -> Vec<&str> {
        let properties = self.input_schema.get("properties").and_then(Value::as_object);
        properties.map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// The names of the required parameters, in the schema's order.
    pub fn required(&self) -> Vec<&str> {
        let required = self.input_schema.get("required").and_then(Value::as_array);
        required.map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    }

    /// About how many tokens it costs a model to be shown the tool: four bytes of JSON a token,
    /// which is right within a third for the usual tokenizers.
    pub fn tokens(&self) -> usize {
        self.to_schema().to_string().len().div_ceil(4)
    }

    /// `{name, description, input_schema}`.
    pub fn to_schema(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
        })
    }

    /// OpenAI's `{type: "function", function: {name, description, parameters}}`.
    pub fn to_openai(&self) -> Value {
        json!({
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.input_schema,
            },
        })
    }

    /// `## name`, the description, a final newline: for prompts.
    pub fn to_prompt_text(&self) -> String {
        format!("## {}\n{}\n", self.name, self.description)
    }
}

/// The JSON Schema of `T`: draft 2020-12, without references (several providers refuse
/// `$ref`), and closed to unknown keys, so that a misspelt optional argument is reported
/// instead of ignored.
fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        // The tool is described already.
        object.remove("description");
        close(object);
    }
    slim(&mut schema);
    schema
}

fn close(object: &mut Map<String, Value>) {
    if object.get("type") == Some(&json!("object")) {
        object.entry("properties").or_insert_with(|| json!({}));
        object.entry("additionalProperties").or_insert(Value::Bool(false));
    }
}
