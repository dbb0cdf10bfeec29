//! Schemas of parameters that are only known at run time. A tool in Rust derives its schema from
//! its input type instead.

use serde_json::{Map, Value, json};

/// The parameters of a tool, in order.
///
/// ```
/// use dogu_tool::{Parameter, Parameters, ToolSpec};
///
/// let parameters = Parameters::new()
///     .required("path", Parameter::string("The file."))
///     .optional("mode", Parameter::one_of(["fast", "exact"], "How to look."));
/// let spec = ToolSpec::new("look", "Looks at a file.", parameters.into_schema()).unwrap();
/// assert_eq!(spec.required(), ["path"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Parameters {
    /// No parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one that must be given.
    pub fn required(mut self, name: impl Into<String>, parameter: Parameter) -> Self {
        let name = name.into();
        self.required.push(name.clone());
        self.properties.insert(name, parameter.0);
        self
    }

    /// Adds one that may be left out.
    pub fn optional(mut self, name: impl Into<String>, parameter: Parameter) -> Self {
        self.properties.insert(name.into(), parameter.0);
        self
    }

    /// The JSON Schema: an object that has no other keys.
    pub fn into_schema(self) -> Value {
        json!({
            "type": "object",
            "properties": self.properties,
            "required": self.required,
            "additionalProperties": false,
        })
    }
}

/// What one parameter may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter(Value);

impl Parameter {
    /// A text.
    pub fn string(description: &str) -> Self {
        Self(json!({ "type": "string", "description": description }))
    }

    /// A whole number.
    pub fn integer(description: &str) -> Self {
        Self(json!({ "type": "integer", "description": description }))
    }

    /// A number.
    pub fn number(description: &str) -> Self {
        Self(json!({ "type": "number", "description": description }))
    }

    /// Yes or no.
    pub fn boolean(description: &str) -> Self {
        Self(json!({ "type": "boolean", "description": description }))
    }

    /// One of these texts.
    pub fn one_of<'a>(choices: impl IntoIterator<Item = &'a str>, description: &str) -> Self {
        let choices: Vec<&str> = choices.into_iter().collect();
        Self(json!({ "type": "string", "enum": choices, "description": description }))
    }

    /// A list.
    pub fn list(items: Self, description: &str) -> Self {
        let Self(items) = items;
        let mut schema = json!({ "type": "array", "items": null, "description": description });
        schema["items"] = items;
        Self(schema)
    }

    /// An object with fields.
    pub fn object(fields: Parameters, description: &str) -> Self {
        let mut schema = fields.into_schema();
        schema["description"] = json!(description);
        Self(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p13_the_schema_of_parameters() {
        let file = Parameters::new()
            .required("path", Parameter::string("Where."))
            .optional("limit", Parameter::integer("How many lines."));
        let schema = Parameters::new()
            .required("files", Parameter::list(Parameter::object(file, "A file."), "Which."))
            .optional("mode", Parameter::one_of(["fast", "exact"], "How."))
            .optional("ratio", Parameter::number("How much."))
            .optional("all", Parameter::boolean("Everything."))
            .into_schema();
        let golden = json!({
            "type": "object",
            "properties": {
                "files": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "path": {"type": "string", "description": "Where."},
                            "limit": {"type": "integer", "description": "How many lines."},
                        },
                        "required": ["path"],
                        "additionalProperties": false,
                        "description": "A file.",
                    },
                    "description": "Which.",
                },
                "mode": {"type": "string", "enum": ["fast", "exact"], "description": "How."},
                "ratio": {"type": "number", "description": "How much."},
                "all": {"type": "boolean", "description": "Everything."},
            },
            "required": ["files"],
            "additionalProperties": false,
        });
        assert_eq!(schema.to_string(), golden.to_string());
    }
}
