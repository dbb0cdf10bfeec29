//! Messages as each provider would send them.

use dogu_protocol::Provider;
use serde_json::{Value, json};

use crate::support::sse;

/// A part of a message.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Call { id: String, name: String, input: Value },
}

/// A message as a stream; `cut` cuts a text into the pieces that come one by one.
pub(crate) fn stream(
    provider: Provider,
    parts: &[Part],
    cut: &mut dyn FnMut(&str) -> Vec<String>,
) -> Vec<Value> {
    match provider {
        Provider::OpenAi => openai(parts, cut),
        Provider::Responses => responses(parts, cut),
        Provider::Anthropic => anthropic(parts, cut),
        Provider::Gemini => gemini(parts, cut),
    }
}

type Cut<'c> = &'c mut dyn FnMut(&str) -> Vec<String>;

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]})
}

fn openai(parts: &[Part], cut: Cut<'_>) -> Vec<Value> {
    let mut out = vec![chunk(&json!({"role": "assistant", "content": null}), None)];
    let mut index = 0;
    for part in parts {
        match part {
            Part::Text(text) => {
                out.extend(cut(text).iter().map(|text| chunk(&json!({"content": text}), None)));
            }
            Part::Call { id, name, input } => {
                let call = json!({"index": index, "id": id, "type": "function",
                    "function": {"name": name, "arguments": ""}});
                out.push(chunk(&json!({"tool_calls": [call]}), None));
                for piece in cut(&input.to_string()) {
                    let call = json!({"index": index, "function": {"arguments": piece}});
                    out.push(chunk(&json!({"tool_calls": [call]}), None));
                }
                index += 1;
            }
        }
    }
    out.push(chunk(&json!({}), Some(if index == 0 { "stop" } else { "tool_calls" })));
    out
}

fn responses(parts: &[Part], cut: Cut<'_>) -> Vec<Value> {
    let mut out = vec![
        json!({"type": "response.created", "response": {"status": "in_progress", "output": []}}),
    ];
    let mut items = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Text(text) => {
                for piece in cut(text) {
                    out.push(json!({"type": "response.output_text.delta", "item_id": "msg_1",
                        "output_index": at, "content_index": 0, "delta": piece}));
                }
                out.push(
                    json!({"type": "response.output_text.done", "output_index": at, "text": text}),
                );
                items.push(
                    json!({"type": "message", "content": [{"type": "output_text", "text": text}]}),
                );
            }
            Part::Call { id, name, input } => {
                let item = |arguments: &str, status: &str| {
                    json!({"type": "function_call", "id": format!("fc_{at}"), "call_id": id,
                        "name": name, "arguments": arguments, "status": status})
                };
                let (text, item_id) = (input.to_string(), format!("fc_{at}"));
                out.push(json!({"type": "response.output_item.added", "output_index": at,
                    "item": item("", "in_progress")}));
                for piece in cut(&text) {
                    out.push(json!({"type": "response.function_call_arguments.delta",
                        "item_id": item_id, "output_index": at, "delta": piece}));
                }
                out.push(json!({"type": "response.function_call_arguments.done",
                    "item_id": item_id, "output_index": at, "arguments": text}));
                out.push(json!({"type": "response.output_item.done", "output_index": at,
                    "item": item(&text, "completed")}));
                items.push(item(&text, "completed"));
            }
        }
    }
    out.push(
        json!({"type": "response.completed", "response": {"status": "completed", "output": items}}),
    );
    out
}

fn anthropic(parts: &[Part], cut: Cut<'_>) -> Vec<Value> {
    let mut out = vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message",
            "role": "assistant", "content": [], "stop_reason": null, "usage": {"input_tokens": 1}}}),
        json!({"type": "ping"}),
    ];
    for (index, part) in parts.iter().enumerate() {
        let (block, deltas) = match part {
            Part::Text(text) => {
                let delta = |text: String| json!({"type": "text_delta", "text": text});
                (json!({"type": "text", "text": ""}), cut(text).into_iter().map(delta).collect())
            }
            Part::Call { id, name, input } => {
                let delta =
                    |json: String| json!({"type": "input_json_delta", "partial_json": json});
                let pieces: Vec<Value> = cut(&input.to_string()).into_iter().map(delta).collect();
                (json!({"type": "tool_use", "id": id, "name": name, "input": {}}), pieces)
            }
        };
        out.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        for delta in deltas {
            out.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        out.push(json!({"type": "content_block_stop", "index": index}));
    }
    out.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}}));
    out.push(json!({"type": "message_stop"}));
    out
}

fn gemini(parts: &[Part], cut: Cut<'_>) -> Vec<Value> {
    let piece = |part: Value, finish: Option<&str>| {
        json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]},
            "finishReason": finish}], "usageMetadata": {}})
    };
    let mut out = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => {
                out.extend(cut(text).iter().map(|text| piece(json!({"text": text}), None)));
            }
            Part::Call { id, name, input } => {
                let call = json!({"id": id, "name": name, "args": input});
                out.push(piece(json!({"functionCall": call}), None));
            }
        }
    }
    out.push(piece(json!({"text": ""}), Some("STOP")));
    out
}

/// A message in one document. OpenAI's has its texts before its calls.
pub(crate) fn whole(provider: Provider, parts: &[Part]) -> Value {
    let text: String =
        parts.iter().map(|part| if let Part::Text(text) = part { text } else { "" }).collect();
    let block = |part: &Part| match (provider, part) {
        (Provider::OpenAi, Part::Text(_)) => Value::Null,
        (Provider::OpenAi, Part::Call { id, name, input }) => json!({"id": id, "type": "function",
            "function": {"name": name, "arguments": input.to_string()}}),
        (Provider::Responses, Part::Text(text)) => {
            json!({"type": "message", "content": [{"type": "output_text", "text": text}]})
        }
        (Provider::Responses, Part::Call { id, name, input }) => json!({"type": "function_call",
            "id": "fc", "call_id": id, "name": name, "arguments": input.to_string()}),
        (Provider::Anthropic, Part::Text(text)) => json!({"type": "text", "text": text}),
        (Provider::Anthropic, Part::Call { id, name, input }) => {
            json!({"type": "tool_use", "id": id, "name": name, "input": input})
        }
        (Provider::Gemini, Part::Text(text)) => json!({"text": text}),
        (Provider::Gemini, Part::Call { id, name, input }) => {
            json!({"functionCall": {"id": id, "name": name, "args": input}})
        }
    };
    let blocks: Vec<Value> = parts.iter().map(block).filter(|block| !block.is_null()).collect();
    match provider {
        Provider::OpenAi => json!({"object": "chat.completion", "choices": [{"index": 0,
            "message": {"role": "assistant", "content": text, "tool_calls": blocks},
            "finish_reason": "tool_calls"}]}),
        Provider::Responses => {
            json!({"object": "response", "status": "completed", "output": blocks})
        }
        Provider::Anthropic => json!({"type": "message", "role": "assistant", "content": blocks,
            "stop_reason": "tool_use"}),
        Provider::Gemini => {
            json!({"candidates": [{"content": {"parts": blocks}, "finishReason": "STOP"}]})
        }
    }
}

/// The wire of a stream, as its provider writes it.
pub(crate) fn wire(provider: Provider, documents: &[Value]) -> String {
    let named = |document: &Value| {
        format!("event: {}\ndata: {document}\n\n", document["type"].as_str().unwrap_or("message"))
    };
    match provider {
        Provider::OpenAi => sse(documents) + "data: [DONE]\n\n",
        Provider::Responses | Provider::Anthropic => documents.iter().map(named).collect(),
        Provider::Gemini => sse(documents).replace('\n', "\r\n"),
    }
}

pub(crate) fn call(id: &str, name: &str, input: Value) -> Part {
    Part::Call { id: id.to_owned(), name: name.to_owned(), input }
}
