//! Bytes that may be a message. Whatever they are, the answer is a message or a refusal that says
//! what was wrong, and the next bytes are read as if nothing had happened.

use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientJsonRpcMessage,
    ClientRequest, ErrorCode, JsonObject, JsonRpcRequest, JsonRpcVersion2_0, RequestId,
    RequestMetaObject,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// How large one message may be, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// The mark that some editors and shells put in front of UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What some bytes are.
pub(crate) enum Parsed {
    Message(Box<ClientJsonRpcMessage>),
    /// Nothing that waits for an answer.
    Nothing,
    Refused(Refusal),
}

/// An error of JSON-RPC for something that never became a request.
#[derive(Debug)]
pub(crate) struct Refusal {
    id: Value,
    code: ErrorCode,
    message: String,
}

impl Refusal {
    pub(crate) fn too_large() -> Self {
        let message = format!("The message is larger than {MAX_MESSAGE_BYTES} bytes.");
        Self::new(Value::Null, ErrorCode::INVALID_REQUEST, message)
    }

    fn new(id: Value, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { id, code, message: message.into() }
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        let error = json!({ "code": self.code.0, "message": self.message });
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error }).to_string().into_bytes()
    }
}

/// Reads one message.
pub(crate) fn parse(bytes: &[u8]) -> Parsed {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii();
    if bytes.is_empty() {
        return Parsed::Nothing;
    }
    // rmcp tries one kind of message after the other, which is most of what a call costs to read.
    if let Ok(call) = serde_json::from_slice::<PlainCall>(bytes) {
        return Parsed::Message(Box::new(call.into()));
    }
    match serde_json::from_slice(bytes) {
        Ok(message) => Parsed::Message(Box::new(message)),
        Err(_) => diagnose(bytes),
    }
}

/// A call as nearly all clients write it. Whatever has more, or less, is not one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainCall {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    method: CallToolRequestMethod,
    params: PlainParams,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainParams {
    name: String,
    #[serde(default)]
    arguments: Option<JsonObject>,
    #[serde(default, rename = "_meta")]
    meta: Option<JsonObject>,
}

impl From<PlainCall> for ClientJsonRpcMessage {
    fn from(PlainCall { jsonrpc, id, method, params }: PlainCall) -> Self {
        let mut request = CallToolRequest::new(CallToolRequestParams::new(params.name));
        request.method = method;
        request.params.arguments = params.arguments;
        if let Some(meta) = params.meta {
            request.extensions.insert(RequestMetaObject::from(meta));
        }
        let request = ClientRequest::CallToolRequest(request);
        Self::Request(JsonRpcRequest { jsonrpc, id, request })
    }
}

/// Why bytes are not a message. The parser bounds the depth, so nesting is a refusal like another.
fn diagnose(bytes: &[u8]) -> Parsed {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("Parse error: {error}");
            return Parsed::Refused(Refusal::new(Value::Null, ErrorCode::PARSE_ERROR, message));
        }
    };
    let invalid =
        |id, message| Parsed::Refused(Refusal::new(id, ErrorCode::INVALID_REQUEST, message));
    match &value {
        Value::Array(_) => invalid(Value::Null, "Batches are not part of MCP: send one message."),
        // Neither a notification nor a response is ever answered.
        Value::Object(message)
            if message.contains_key("result")
                || message.contains_key("error")
                || (message.contains_key("method") && !message.contains_key("id")) =>
        {
            Parsed::Nothing
        }
        _ => invalid(id_of(&value), "This is not a JSON-RPC 2.0 request."),
    }
}

fn id_of(message: &Value) -> Value {
    let usable = |id: &&Value| id.is_string() || id.is_i64() || id.is_u64();
    message.get("id").filter(usable).cloned().unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What it is, and as it would be written: the one does not show the meta data.
    fn shown(message: &ClientJsonRpcMessage) -> String {
        format!("{message:?} {}", serde_json::to_string(message).unwrap())
    }

    /// Pieces of calls, so that most of what is made of them is one or nearly one.
    fn calls() -> impl Strategy<Value = String> {
        let id = prop::sample::select(vec!["1", "-7", "\"a\"", "\"\\u0041\"", "1.5", "null", "{}"]);
        let method = prop::sample::select(vec!["tools/call", "tools\\/call", "tools/list", "ping"]);
        let params = prop::sample::select(vec![
            r#"{"name":"t"}"#,
            r#"{"name":"t","arguments":{"a":[1,2.5,1e400,18446744073709551616,{"b":null}],"a":2}}"#,
            r#"{"name":"t\n\u00e9","arguments":{"x":"\ud83d\ude00"},"_meta":{"progressToken":3}}"#,
            r#"{"name":"t","arguments":null,"_meta":null}"#,
            r#"{"name":"t","arguments":[1]}"#,
            r#"{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
            r#"{"name":"t","arguments":{},"inputResponses":{},"requestState":"s"}"#,
            r#"{"name":"t","more":1}"#,
            r#"{"arguments":{}}"#,
            "null",
            "[]",
        ]);
        let version = prop::sample::select(vec!["2.0", "1.0"]);
        let extra = prop::sample::select(vec!["", r#","result":{}"#, r#","more":1"#, r#","id":2"#]);
        (id, method, params, version, extra, any::<bool>()).prop_map(
            |(id, method, params, version, extra, turned)| {
                let (first, last) =
                    (format!(r#""method":"{method}""#), format!(r#""params":{params}"#));
                let (first, last) = if turned { (last, first) } else { (first, last) };
                format!(r#"{{"jsonrpc":"{version}","id":{id},{first},{last}{extra}}}"#)
            },
        )
    }

    proptest! {
        #[test]
        fn a_call_means_what_rmcp_takes_it_for(line in calls()) {
            let theirs = serde_json::from_str::<ClientJsonRpcMessage>(&line).ok();
            let ours = match parse(line.as_bytes()) {
                Parsed::Message(message) => Some(shown(&message)),
                Parsed::Nothing | Parsed::Refused(_) => None,
            };
            prop_assert_eq!(ours, theirs.as_ref().map(shown));
        }
    }

    #[test]
    fn a_call_is_read_without_trying_every_kind_of_message() {
        let line = br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":{}}}"#;
        assert!(serde_json::from_slice::<PlainCall>(line).is_ok());
    }

    fn refusal(bytes: &[u8]) -> Value {
        match parse(bytes) {
            Parsed::Refused(refusal) => serde_json::from_slice(&refusal.to_json()).unwrap(),
            Parsed::Message(message) => panic!("a message: {message:?}"),
            Parsed::Nothing => panic!("nothing"),
        }
    }

    #[test]
    fn what_is_not_a_request_is_refused_with_what_is_known_of_it() {
        for (bytes, id, code) in [
            (&b"garbage"[..], Value::Null, -32700),
            (b"\xFF\xFE\x00", Value::Null, -32700),
            (b"[]", Value::Null, -32600),
            (b"7", Value::Null, -32600),
            (br#"{"id":3}"#, json!(3), -32600),
            (br#"{"id":"a","method":"ping"}"#, json!("a"), -32600),
            (br#"{"id":{},"method":"ping","jsonrpc":"2.0"}"#, Value::Null, -32600),
        ] {
            let answer = refusal(bytes);
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{bytes:?}");
        }
        assert_eq!(refusal("[".repeat(100_000).as_bytes())["error"]["code"], -32700);
    }

    #[test]
    fn what_waits_for_no_answer_gets_none() {
        for bytes in [&b""[..], b" \t", b"\xEF\xBB\xBF", br#"{"method":"x"}"#, br#"{"result":1}"#] {
            assert!(matches!(parse(bytes), Parsed::Nothing), "{bytes:?}");
        }
    }

    #[test]
    fn a_mark_and_blanks_around_a_message_do_no_harm() {
        let bytes = b"\xEF\xBB\xBF {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r";
        assert!(matches!(parse(bytes), Parsed::Message(_)));
    }
}
