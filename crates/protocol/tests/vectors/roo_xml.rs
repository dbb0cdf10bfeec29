//! Roo Code's XML calls: a message in, blocks of text and of calls out.
//!
//! What is compared: the blocks in their order; texts without the blanks around them, and none
//! where nothing is left; complete calls with their parameters. A block that Roo Code calls
//! partial is a call that fails here at the end of the stream, and its parameters are what the
//! deltas spelt before that end. Whether a text is partial is not asked: in dogu the caller knows
//! that the stream goes on.

use serde_json::{Map, Value, json};

use crate::events::{Seen, characters, read_text, roo_tools};
use crate::rows::{Comparison, Verdict, same};

pub(crate) const COMPARISON: Comparison =
    Comparison { file: "roo-xml.json", compare, different: &[] };

#[test]
fn roo_xml_rows_agree() {
    COMPARISON.check();
}

/// However the message is cut, it comes out as in the row.
fn compare(row: &Value, _: &[Value]) -> Verdict {
    let expected = expected(row);
    let input = row["input"].as_str().unwrap();
    let mut ways = vec![vec![input], characters(input)];
    if let Some(chunks) = row["chunks"].as_array() {
        ways.push(chunks.iter().map(|chunk| chunk.as_str().unwrap()).collect());
    }
    ways.into_iter().try_for_each(|chunks| same(&expected, &blocks_of(chunks)))
}

fn expected(row: &Value) -> Value {
    let blocks = row.get("blocks_after_last_chunk").or(row.get("blocks")).unwrap();
    let blocks = blocks.as_array().unwrap().iter().filter_map(|block| match &block["content"] {
        Value::String(text) => text_block(text),
        _ => Some(call_block(&block["name"], &block["params"], block["partial"] == false)),
    });
    blocks.collect()
}

fn text_block(text: &str) -> Option<Value> {
    let text = text.trim();
    (!text.is_empty()).then(|| json!(text))
}

fn call_block(name: &Value, params: &Value, complete: bool) -> Value {
    json!({"name": name, "params": params, "complete": complete})
}

/// What dogu makes of the chunks, as such blocks.
fn blocks_of(chunks: Vec<&str>) -> Value {
    let mut steps = read_text(&roo_tools(), chunks);
    let end = steps.pop().unwrap();
    let mut blocks = Blocks::default();
    for event in steps.into_iter().flatten() {
        blocks.take(event, false);
    }
    for event in end {
        blocks.take(event, true);
    }
    blocks.end_text();
    Value::Array(blocks.done)
}

#[derive(Default)]
struct Blocks {
    done: Vec<Value>,
    text: String,
    name: Value,
    /// What the deltas of the open call spelt.
    spelt: Map<String, Value>,
}

impl Blocks {
    /// At the end of the stream the parser gives out what it held back, such as a closing tag
    /// that did not count: that is no preview any more.
    fn take(&mut self, event: Seen, at_end: bool) {
        match event {
            Seen::Text(text) => self.text.push_str(&text),
            Seen::Started(_, _, name) => {
                self.end_text();
                self.name = name.into();
                self.spelt.clear();
            }
            Seen::Delta(_, parameter, text) if !at_end => self.spell(parameter.unwrap(), &text),
            Seen::Delta(..) => {}
            Seen::Ended(_, name, input) => {
                self.done.push(call_block(&name.into(), &input, true));
            }
            Seen::Failed(..) => {
                let params = Value::Object(std::mem::take(&mut self.spelt));
                self.done.push(call_block(&self.name, &params, false));
            }
        }
    }

    fn spell(&mut self, parameter: String, text: &str) {
        let before = self.spelt.get(&parameter).and_then(Value::as_str).unwrap_or_default();
        let value = format!("{before}{text}");
        self.spelt.insert(parameter, value.into());
    }

    fn end_text(&mut self) {
        self.done.extend(text_block(&std::mem::take(&mut self.text)));
    }
}
