//! Calls out of JSON: `{"name": …, "arguments": …}` and its relatives.

use serde_json::{Map, Value};

use super::Context;
use super::grammar::known_parameter;
use crate::event::{Event, FailedCall, ParsedCall, Sink};
use crate::json::{End, parse_arguments};

const NAME_KEYS: [&str; 4] = ["name", "tool", "tool_name", "function"];
const ARGUMENT_KEYS: [&str; 5] = ["arguments", "parameters", "args", "input", "params"];
/// What else stands in such an object.
const OTHER_KEYS: [&str; 5] = ["id", "type", "tool_call_id", "call_id", "index"];

/// A call as it stands in JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JsonedCall {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: Value,
}

/// Whether a key can stand in an object that is a call.
pub(super) fn is_call_key(key: &str) -> bool {
    NAME_KEYS.contains(&key) || ARGUMENT_KEYS.contains(&key) || OTHER_KEYS.contains(&key)
}

pub(super) fn is_name_key(key: &str) -> bool {
    NAME_KEYS.contains(&key)
}

pub(super) fn is_argument_key(key: &str) -> bool {
    ARGUMENT_KEYS.contains(&key)
}

/// The calls that a value holds: one object, or a list of them.
pub(super) fn calls_in(value: Value) -> Result<Vec<JsonedCall>, String> {
    match value {
        Value::Array(items) if items.is_empty() => Err("the list of calls is empty".to_owned()),
        Value::Array(items) => items.into_iter().map(call_in).collect(),
        value => call_in(value).map(|call| vec![call]),
    }
}

fn call_in(value: Value) -> Result<JsonedCall, String> {
    let Value::Object(mut object) = value else {
        return Err("it is no object with `name` and `arguments`".to_owned());
    };
    let id = ["id", "tool_call_id", "call_id"].iter().find_map(|key| text(object.remove(*key)));
    // OpenAI's form has name and arguments one level deeper.
    if let Some(Value::Object(function)) = object.get_mut("function") {
        object = std::mem::take(function);
    }
    let name = NAME_KEYS.iter().find_map(|key| text(object.remove(*key)));
    let name = name.ok_or("it has no `name`")?;
    let arguments = ARGUMENT_KEYS.iter().find_map(|key| object.remove(*key));
    let left = object.keys().find(|key| match arguments {
        None => !OTHER_KEYS.contains(&key.as_str()),
        Some(_) => is_argument_key(key),
    });
    if let Some(key) = left {
        return Err(format!("`{key}` stands beside `arguments`, not in it"));
    }
    Ok(JsonedCall { id, name, arguments: arguments.unwrap_or_else(|| Map::new().into()) })
}

fn text(value: Option<Value>) -> Option<String> {
    match value {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Whether these are calls that somebody means to make: tools of the catalog, with all that they
/// need and nothing that they do not know.
pub(super) fn are_meant(calls: &[JsonedCall], context: &Context<'_>) -> bool {
    calls.iter().all(|call| {
        let Some(tool) = context.tools.find(&call.name) else { return false };
        let Some(arguments) = call.arguments.as_object() else {
            return call.arguments.is_string();
        };
        let given = |name: &str| arguments.keys().any(|key| tool.parameter(key) == Some(name));
        arguments.keys().all(|key| known_parameter(Some(tool), key).is_some())
            && tool.required().all(given)
    })
}

/// Says that a call is complete: the events of one call from JSON.
pub(super) fn emit(
    call: JsonedCall,
    mut notes: Vec<String>,
    started: Option<usize>,
    context: &mut Context<'_>,
    sink: Sink<'_>,
) {
    let name = proper_name(call.name, context, &mut notes);
    let arguments = call.arguments;
    let index = started.unwrap_or_else(|| {
        let index = context.take_index();
        sink(Event::Started { index, id: call.id.as_deref(), name: &name });
        sink(Event::Delta { index, parameter: None, text: &arguments.to_string() });
        index
    });
    let input = match arguments {
        Value::Object(map) => Ok(Value::Object(map)),
        Value::Null => Ok(Map::new().into()),
        // A text may itself be JSON, which only the reader of arguments decides.
        Value::String(text) => parse_arguments(&text, End::Said).map(|arguments| {
            notes.push("decoded arguments that were JSON inside a string".to_owned());
            notes.extend(arguments.notes);
            arguments.input
        }),
        other => parse_arguments(&other.to_string(), End::Said).map(|arguments| arguments.input),
    };
    let id = call.id;
    sink(match input {
        Ok(input) => Event::Ended(ParsedCall { index, id, name, input, notes }),
        Err(error) => {
            let repair = expected(context, &name);
            Event::Failed(FailedCall::invalid(index, id, Some(name), error.to_string(), repair))
        }
    });
}

/// What to send instead of arguments that cannot be read.
pub(super) fn expected(context: &Context<'_>, name: &str) -> String {
    let start = "Send the arguments as one JSON object";
    match context.tools.find(name) {
        Some(tool) => {
            let schema = dogu_tool::text::truncate_marked(&tool.input_schema.to_string(), 600);
            format!("{start} that fits this schema: {schema}")
        }
        None => format!("{start}."),
    }
}

/// The catalog's spelling of a name. Models put the namespace of their training in front.
pub(super) fn proper_name(name: String, context: &Context<'_>, notes: &mut Vec<String>) -> String {
    let bare = || name.rsplit(['.', ':', '/']).next().unwrap_or(&name);
    let tool = context.tools.find(&name).or_else(|| context.tools.find(bare()));
    match tool {
        Some(tool) if tool.name != name => {
            notes.push(format!("read the tool name `{name}` as `{}`", tool.name));
            tool.name.clone()
        }
        _ => name,
    }
}
