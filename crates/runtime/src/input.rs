//! What is refused before a schema looks: not an object, too deep, too large. And parameter aliases.

use dogu_tool::{ToolError, ToolSpec};
use serde_json::{Map, Value};

use crate::schema::type_name;

/// How deeply an input may nest: everything behind this walks it recursively.
pub const MAX_INPUT_DEPTH: usize = 128;

/// Checks an input's shape without recursion, and disposes of a bad one without recursion.
pub(crate) fn check_shape(name: &str, input: Value, max_bytes: usize) -> Result<Value, ToolError> {
    let complaint = match measure(&input, max_bytes) {
        Err(complaint) => complaint,
        Ok(()) if !input.is_object() => {
            format!("expected an object with the tool's parameters but got {}", type_name(&input))
        }
        Ok(()) => return Ok(input),
    };
    dismantle(input);
    Err(ToolError::invalid(format!("Invalid arguments for tool '{name}': args: {complaint}"))
        .suggest("Send one JSON object with the parameters of the tool's input schema."))
}

fn measure(input: &Value, max_bytes: usize) -> Result<(), String> {
    let mut bytes = 0_usize;
    let mut open = vec![(input, 1_usize)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_INPUT_DEPTH {
            return Err(format!("nested more than {MAX_INPUT_DEPTH} levels deep"));
        }
        // Counted with the container, so that a list of millions is refused before it is walked.
        bytes += match value {
            Value::String(text) => text.len() + 2,
            Value::Array(items) => 2 * items.len(),
            Value::Object(map) => map.keys().map(|key| key.len() + 4).sum(),
            _ => 2,
        };
        if bytes > max_bytes {
            return Err(format!("larger than {max_bytes} bytes, the most that a call may carry"));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

/// Takes a value apart level by level: dropping a very deep one in one go overflows the stack.
pub(crate) fn dismantle(value: Value) {
    let nests = |value: &Value| value.is_array() || value.is_object();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.into_iter().filter(nests)),
            Value::Object(map) => open.extend(map.into_iter().map(|(_, item)| item).filter(nests)),
            _ => {}
        }
    }
}

/// Gives aliased parameters their proper names. Where both are present the alias stays, so that
/// the schema reports it: guessing which one was meant would be worse.
pub(crate) fn fold_aliases(spec: &ToolSpec, input: Value) -> Value {
    let Value::Object(map) = input else { return input };
    if spec.aliases.is_empty() || !map.keys().any(|key| spec.aliases.contains_key(key)) {
        return Value::Object(map);
    }
    let mut folded = Map::with_capacity(map.len());
    let proper: Vec<String> = map.keys().cloned().collect();
    for (key, value) in map {
        match spec.aliases.get(&key) {
            Some(parameter) if !proper.contains(parameter) && !folded.contains_key(parameter) => {
                folded.insert(parameter.clone(), value);
            }
            _ => {
                folded.insert(key, value);
            }
        }
    }
    Value::Object(folded)
}
