//! What a call looks like while it is still growing.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::event::Event;
use crate::json::PartialJson;
use crate::life_cycle::{Params, ToolUse};

/// The input so far of every call that is under way, from its events.
///
/// A preview is for eyes only: what runs is the input that [`Event::Ended`] brings.
///
/// ```
/// use dogu_protocol::{Event, Previews};
///
/// let mut previews = Previews::default();
/// previews.take(&Event::Started { index: 0, id: None, name: "write" });
/// previews.take(&Event::Delta { index: 0, parameter: None, text: "{\"path\":\"a.rs\",\"conte" });
/// assert_eq!(previews.input(0).unwrap()["path"], "a.rs");
/// previews.take(&Event::Delta { index: 0, parameter: None, text: "nt\":\"fn ma" });
/// assert_eq!(previews.input(0).unwrap()["content"], "fn ma");
/// ```
#[derive(Debug, Default)]
pub struct Previews {
    open: HashMap<usize, Open>,
}

#[derive(Debug)]
struct Open {
    id: Option<String>,
    name: String,
    arguments: Arguments,
}

/// Arguments come as pieces of JSON, or as pieces of named values.
#[derive(Debug)]
enum Arguments {
    Unknown(Value),
    Json(Box<PartialJson>),
    Named(Value),
}

impl Previews {
    /// Takes the next event of the message.
    pub fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(_) => {}
            Event::Started { index, id, name } => {
                let arguments = Arguments::Unknown(Value::Object(Map::new()));
                let (id, name) = (id.map(str::to_owned), (*name).to_owned());
                self.open.insert(*index, Open { id, name, arguments });
            }
            Event::Delta { index, parameter, text } => {
                if let Some(open) = self.open.get_mut(index) {
                    open.arguments.add(*parameter, text);
                }
            }
            Event::Ended(call) => drop(self.open.remove(&call.index)),
            Event::Failed(call) => drop(self.open.remove(&call.index)),
        }
    }

    /// The input so far of a call that is under way.
    pub fn input(&self, index: usize) -> Option<&Value> {
        Some(match &self.open.get(&index)?.arguments {
            Arguments::Json(partial) => partial.value(),
            Arguments::Named(input) | Arguments::Unknown(input) => input,
        })
    }

    /// The partial block of a call that is under way, for [`handle`](crate::life_cycle::handle).
    pub fn block(&self, index: usize) -> Option<ToolUse> {
        let open = self.open.get(&index)?;
        let (params, native_args) = match &open.arguments {
            Arguments::Named(Value::Object(map)) => {
                let texts = map.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
                (texts.map(|(name, text)| (name.clone(), text.to_owned())).collect(), None)
            }
            Arguments::Json(partial) => (Params::default(), Some(partial.value().clone())),
            Arguments::Named(_) | Arguments::Unknown(_) => (Params::default(), None),
        };
        let (id, name) = (open.id.clone(), open.name.clone());
        Some(ToolUse { name, params, native_args, partial: true, id })
    }
}

impl Arguments {
    fn add(&mut self, parameter: Option<&str>, text: &str) {
        match (&mut *self, parameter) {
            (Self::Json(partial), None) => partial.push(text),
            (Self::Named(input), Some(parameter)) => add_named(input, parameter, text),
            (_, None) => {
                let mut partial = PartialJson::new();
                partial.push(text);
                *self = Self::Json(Box::new(partial));
            }
            (_, Some(parameter)) => {
                let mut input = Value::Object(Map::new());
                add_named(&mut input, parameter, text);
                *self = Self::Named(input);
            }
        }
    }
}

/// Appends to a value; the line break after its opening tag is not part of it.
fn add_named(input: &mut Value, parameter: &str, text: &str) {
    let Some(map) = input.as_object_mut() else { return };
    if let Some(Value::String(value)) = map.get_mut(parameter) {
        return value.push_str(text);
    }
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    map.insert(parameter.to_owned(), text.into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::ParsedCall;

    #[test]
    fn p6_partial_blocks_grow_with_the_text() {
        let mut previews = Previews::default();
        previews.take(&Event::Started { index: 0, id: Some("c1"), name: "write" });
        previews.take(&Event::Started { index: 1, id: None, name: "write" });
        assert_eq!(previews.input(0), Some(&Value::Object(Map::new())));
        for (parameter, text) in
            [("path", "a."), ("path", "rs"), ("content", "\nfn"), ("content", " x")]
        {
            previews.take(&Event::Delta { index: 1, parameter: Some(parameter), text });
        }
        previews.take(&Event::Delta { index: 0, parameter: None, text: "{\"path\": \"b" });
        let block = previews.block(1).unwrap();
        assert!(block.partial);
        assert_eq!(
            (block.params.get("path"), block.params.get("content")),
            (Some("a.rs"), Some("fn x"))
        );
        let block = previews.block(0).unwrap();
        assert_eq!(
            (block.id.as_deref(), &block.native_args.unwrap()["path"]),
            (Some("c1"), &"b".into())
        );
        let (id, name, input, notes) = (None, String::new(), Value::Null, Vec::new());
        previews.take(&Event::Ended(ParsedCall { index: 1, id, name, input, notes }));
        assert_eq!(previews.input(1), None);
    }
}
