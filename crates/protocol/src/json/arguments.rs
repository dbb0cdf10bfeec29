//! A call's arguments, from the text that the model wrote.

use serde_json::{Map, Value};

use super::error::ArgumentsError;
use super::repair::{End, repair};

/// How many strings the arguments may be wrapped in.
const MAX_WRAPPINGS: usize = 3;

/// Arguments that were understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// The value.
    pub input: Value,
    /// What was repaired, a sentence each.
    pub notes: Vec<String>,
}

/// Reads the arguments of a call: always an object.
///
/// A blank text and `null` are `{}`. JSON that is slightly broken is repaired, and JSON in a
/// string unwrapped, with a note; what would need a guess is an error that says where.
///
/// ```
/// use dogu_protocol::json::{End, parse_arguments};
///
/// let arguments = parse_arguments(r#"{"path": "a.txt",}"#, End::Said)?;
/// assert_eq!(arguments.input["path"], "a.txt");
/// assert_eq!(arguments.notes, ["removed a trailing comma"]);
///
/// let error = parse_arguments(r#"{"path": "a.t"#, End::Cut).unwrap_err();
/// assert_eq!(error.reason, "the arguments were cut off before their end");
/// # Ok::<(), dogu_protocol::json::ArgumentsError>(())
/// ```
pub fn parse_arguments(text: &str, end: End) -> Result<Arguments, ArgumentsError> {
    let (mut input, mut notes) = repair(text, end)?;
    for _ in 0..MAX_WRAPPINGS {
        let Some(inner) = wrapped(&input) else { break };
        let (value, more) = repair(inner, end).map_err(|error| inside(text, &error))?;
        input = value;
        add_notes(&mut notes, more);
    }
    match input {
        Value::Object(_) => Ok(Arguments { input, notes }),
        Value::Null => Ok(Arguments { input: Value::Object(Map::new()), notes }),
        other => Err(not_an_object(text, &other)),
    }
}

/// The JSON in a string, if it looks like some.
fn wrapped(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| text.trim_start().starts_with(['{', '[', '"']))
}

fn add_notes(notes: &mut Vec<String>, more: Vec<String>) {
    let unwrapped = "decoded arguments that were JSON inside a string".to_owned();
    for note in std::iter::once(unwrapped).chain(more) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// An error in a text that is not the one that was given: the position is where the string
/// begins, and that in the string is told with the reason.
fn inside(text: &str, error: &ArgumentsError) -> ArgumentsError {
    let ArgumentsError { reason, position, excerpt } = error;
    let reason = format!("in the JSON inside the string, {reason} (byte {position} of it)");
    ArgumentsError { reason, position: first_byte(text), excerpt: excerpt.clone() }
}

fn not_an_object(text: &str, value: &Value) -> ArgumentsError {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let reason = format!("expected an object with the tool's parameters but got {kind}");
    ArgumentsError::at(text, first_byte(text), reason)
}

fn first_byte(text: &str) -> usize {
    text.len() - text.trim_start().len()
}
