//! A call of `write_file` as the providers send it: server-sent events, one piece of the
//! arguments in each, with all the fields around it that real servers send along.

use dogu_protocol::Provider;
use serde_json::{Value, json};

use crate::texts::Cut;

pub(crate) const PIECE: usize = 16;

/// One message on the wire.
pub(crate) struct Wire {
    /// The JSON documents, for who reads them without the framing.
    pub(crate) documents: Vec<String>,
    /// The same with the framing, one document a chunk.
    pub(crate) chunks: Vec<String>,
}

impl Wire {
    /// A call that writes `content`.
    pub(crate) fn of(provider: Provider, content: &str) -> Self {
        let documents: Vec<String> = match provider {
            Provider::OpenAi => openai(content),
            Provider::Responses => responses(content),
            Provider::Anthropic => anthropic(content),
            Provider::Gemini => gemini(content),
        };
        let has_names = matches!(provider, Provider::Responses | Provider::Anthropic);
        let chunks = documents.iter().map(|document| event(document, has_names)).collect();
        Self { documents, chunks }
    }
}

/// The arguments as JSON.
pub(crate) fn arguments(content: &str) -> String {
    json!({"path": "src/graph/nearest.rs", "content": content}).to_string()
}

fn event(document: &str, has_name: bool) -> String {
    let name = document.strip_prefix("{\"type\":\"").filter(|_| has_name);
    let name = name.and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
    let line = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{line}data: {document}\n\n")
}

/// Random letters, which servers add so that the length of an event says nothing.
fn padding(number: usize) -> &'static str {
    &"k3Jx9QmZt2Lw7Vb4"[..=number * 7 % 15]
}

fn openai(content: &str) -> Vec<String> {
    let chunk = |number: usize, delta: Value, reason: Option<&str>| {
        json!({
            "id": "chatcmpl-CbX2vLq8sT0n4YdKfWm1RzHe7UjAo", "object": "chat.completion.chunk",
            "created": 1_763_000_000, "model": "gpt-5-2025-08-07", "service_tier": "default",
            "system_fingerprint": null,
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}],
            "usage": null, "obfuscation": padding(number),
        })
        .to_string()
    };
    let begin = json!({
        "role": "assistant", "content": null, "refusal": null,
        "tool_calls": [{"index": 0, "id": "call_n4YdKfWm1RzHe7UjAo2vLq8s", "type": "function",
            "function": {"name": "write_file", "arguments": ""}}],
    });
    let piece = |(number, piece): (usize, &str)| {
        let call = json!({"index": 0, "function": {"arguments": piece}});
        chunk(number, json!({"tool_calls": [call]}), None)
    };
    let arguments = Cut::new(arguments(content), PIECE);
    let mut documents = vec![chunk(0, begin, None)];
    documents.extend(arguments.pieces().enumerate().map(piece));
    documents.push(chunk(0, json!({}), Some("tool_calls")));
    documents
}

fn responses(content: &str) -> Vec<String> {
    const ITEM: &str = "fc_68c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6a7b8c9d0e1f2a3";
    let item = |arguments: &str, status: &str| {
        json!({
            "id": ITEM, "type": "function_call", "status": status, "arguments": arguments,
            "call_id": "call_n4YdKfWm1RzHe7UjAo2vLq8s", "name": "write_file",
        })
    };
    let piece = |(number, piece): (usize, &str)| {
        json!({
            "type": "response.function_call_arguments.delta", "sequence_number": number,
            "item_id": ITEM, "output_index": 1, "delta": piece, "obfuscation": padding(number),
        })
    };
    let cut = Cut::new(arguments(content), PIECE);
    let last = item(&cut.text, "completed");
    let response = json!({"id": "resp_68c1d2e3", "object": "response", "status": "completed",
        "error": null, "incomplete_details": null, "model": "gpt-5-2025-08-07",
        "output": [last]});
    let mut events = vec![json!({"type": "response.output_item.added", "sequence_number": 3,
        "output_index": 1, "item": item("", "in_progress")})];
    events.extend(cut.pieces().enumerate().map(piece));
    events.push(json!({"type": "response.function_call_arguments.done", "sequence_number": 4,
        "item_id": ITEM, "output_index": 1, "arguments": cut.text}));
    events.push(json!({"type": "response.output_item.done", "sequence_number": 5,
        "output_index": 1, "item": last}));
    events.push(json!({"type": "response.completed", "sequence_number": 6, "response": response}));
    events.iter().map(Value::to_string).collect()
}

fn anthropic(content: &str) -> Vec<String> {
    let begin = [
        json!({"type": "message_start", "message": {
            "id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant",
            "model": "claude-sonnet-4-5-20250929", "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": {"input_tokens": 2679, "output_tokens": 3}}}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use",
            "id": "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "name": "write_file", "input": {}}}),
    ];
    let piece = |piece: &str| {
        json!({"type": "content_block_delta", "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": piece}})
    };
    let end = [
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use",
            "stop_sequence": null}, "usage": {"output_tokens": 89}}),
        json!({"type": "message_stop"}),
    ];
    let arguments = Cut::new(arguments(content), PIECE);
    let events = begin.into_iter().chain(arguments.pieces().map(piece)).chain(end);
    events.map(|event| event.to_string()).collect()
}

fn gemini(content: &str) -> Vec<String> {
    let chunk = |call: Value, reason: Option<&str>| {
        let part = json!({"functionCall": call});
        let mut candidate = json!({"content": {"role": "model", "parts": [part]}, "index": 0});
        if let Some(reason) = reason {
            candidate["finishReason"] = reason.into();
        }
        json!({
            "candidates": [candidate],
            "usageMetadata": {"promptTokenCount": 2679, "candidatesTokenCount": 61,
                "totalTokenCount": 2740, "trafficType": "ON_DEMAND"},
            "modelVersion": "gemini-3-pro-preview", "createTime": "2025-11-13T08:11:42.503157Z",
            "responseId": "HpEVabTrHsO2qsMP3t2R4Ak",
        })
        .to_string()
    };
    let text = |path: &str, text: &str| {
        let piece = json!({"jsonPath": path, "stringValue": text, "willContinue": true});
        json!({"partialArgs": [piece], "willContinue": true})
    };
    let begin = json!({"name": "write_file", "willContinue": true});
    let mut documents =
        vec![chunk(begin, None), chunk(text("$.path", "src/graph/nearest.rs"), None)];
    let content = Cut::new(content.to_owned(), PIECE);
    documents.extend(content.pieces().map(|piece| chunk(text("$.content", piece), None)));
    documents.push(chunk(json!({}), Some("STOP")));
    documents
}
