//! A call's arguments, from the text that the model wrote.

use serde_json::Value;

/// How the text of the arguments ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The wire format said that the call is complete: what is left open may be closed.
    Said,
    /// The text just stopped, or was cut off: what is left open is lost.
    Cut,
}

/// Arguments that were understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    /// The value.
    pub input: Value,
    /// What was repaired, a sentence each.
    pub notes: Vec<String>,
}

/// Arguments that were not understood: `Failed to parse tool arguments: …`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Failed to parse tool arguments: {reason} at byte {position}, near `{excerpt}`")]
pub struct ArgumentsError {
    /// What is wrong.
    pub reason: String,
    /// Where, in bytes of the text.
    pub position: usize,
    /// The text around it.
    pub excerpt: String,
}

/// Reads the arguments of a call.
pub fn parse_arguments(text: &str, end: End) -> Result<Arguments, ArgumentsError> {
    let _ = end;
    serde_json::from_str(text).map(|input| Arguments { input, notes: Vec::new() }).map_err(
        |error| ArgumentsError { reason: error.to_string(), position: 0, excerpt: String::new() },
    )
}

/// Reads any JSON value, repairing what is slightly broken.
pub fn repair(text: &str, end: End) -> Result<(Value, Vec<String>), ArgumentsError> {
    let arguments = parse_arguments(text, end)?;
    Ok((arguments.input, arguments.notes))
}
