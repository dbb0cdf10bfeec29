//! A call through `call_tool` is a call of the tool that it names, from the very beginning: the
//! same schema, gate, limits and record, and nothing that calls anything.

use dogu_tool::{CALL_TOOL, ToolCall};
use serde_json::{Map, Value};

use super::Catalog;
use crate::input;
use crate::registry::Registry;

impl Catalog {
    /// The call that is meant.
    pub(crate) fn meant(&self, call: ToolCall, registry: &Registry) -> ToolCall {
        self.by_name_here(self.unwrapped(call), registry)
    }

    /// The call inside. One that does not say which tool, or is wrapped twice, stays what it is,
    /// and its schema says what is wrong with it.
    fn unwrapped(&self, call: ToolCall) -> ToolCall {
        let entry = self.entry(CALL_TOOL).filter(|_| call.name == CALL_TOOL && self.has(CALL_TOOL));
        let Some(entry) = entry else { return call };
        let ToolCall { id, name, input, mut notes } = call;
        match unwrapped(input::fold_aliases(entry.spec(), input)) {
            Ok(inner) => {
                notes.extend(inner.note);
                ToolCall { id, name: inner.name, input: inner.input, notes }
            }
            Err(input) => ToolCall { id, name, input, notes },
        }
    }
}

struct Inner {
    name: String,
    input: Value,
    note: Option<String>,
}

/// The call inside, or what there was instead.
fn unwrapped(input: Value) -> Result<Inner, Value> {
    let Value::Object(mut outer) = input else { return Err(input) };
    let is_known = |key: &String| key == "name" || key == "arguments";
    let name = match outer.get("name") {
        Some(Value::String(name)) if name != CALL_TOOL && outer.keys().all(is_known) => {
            name.clone()
        }
        _ => return Err(Value::Object(outer)),
    };
    let arguments = outer.remove("arguments").unwrap_or_default();
    let inside = match &arguments {
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => None,
    };
    match (arguments, inside) {
        (Value::Null, _) => Ok(Inner { name, input: Value::Object(Map::new()), note: None }),
        (Value::Object(input), _) => Ok(Inner { name, input: Value::Object(input), note: None }),
        (_, Some(input)) => {
            let note = "arguments: read the object from the text that it was in".to_owned();
            Ok(Inner { name, input, note: Some(note) })
        }
        (other, None) => {
            outer.insert("arguments".to_owned(), other);
            Err(Value::Object(outer))
        }
    }
}
