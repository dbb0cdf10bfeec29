//! Bytes that may be a message. Whatever they are, the answer is a message or a refusal that says
//! what was wrong, and the next bytes are read as if nothing had happened.

use rmcp::model::{ClientJsonRpcMessage, ErrorCode};
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
    match serde_json::from_slice(bytes) {
        Ok(message) => Parsed::Message(Box::new(message)),
        Err(_) => diagnose(bytes),
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
    use super::*;

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
