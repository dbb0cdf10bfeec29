//! The answer to a call as nearly all servers write it. rmcp tries one kind of answer after the
//! other, which is most of what an answer costs to read; here it is read for what it is.

use rmcp::model::{
    CallToolResult, JsonRpcResponse, JsonRpcVersion2_0, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use serde::Deserialize;

use super::texts;

/// Whatever has more, or less, is not one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallAnswer {
    jsonrpc: JsonRpcVersion2_0,
    pub(super) id: RequestId,
    result: CallToolResult,
}

impl CallAnswer {
    /// The answer that a line is, if it is one.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        Self::with_texts_apart(line).or_else(|| serde_json::from_slice(line).ok())
    }

    fn with_texts_apart(line: &[u8]) -> Option<Self> {
        let (frame, texts) = texts::take(line)?;
        let mut answer: Self = serde_json::from_slice(&frame).ok()?;
        texts.put_into(&mut answer.result).then_some(answer)
    }
}

impl From<CallAnswer> for ServerJsonRpcMessage {
    fn from(CallAnswer { jsonrpc, id, result }: CallAnswer) -> Self {
        let result = ServerResult::CallToolResult(result);
        Self::Response(JsonRpcResponse { jsonrpc, id, result })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn as_json(answer: Option<CallAnswer>) -> Option<Value> {
        answer.map(|answer| serde_json::to_value(ServerJsonRpcMessage::from(answer)).unwrap())
    }

    fn same(line: &[u8]) {
        let plainly = serde_json::from_slice::<CallAnswer>(line).ok();
        let line_text = String::from_utf8_lossy(line);
        assert_eq!(as_json(CallAnswer::read(line)), as_json(plainly), "{line_text}");
    }

    /// Lines, long ones among them, with everything that has to be escaped.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            6 => "[a-z ]{0,60}",
            3 => "[\"\\\\/\n\t\r\u{8}\u{c}]{1,4}",
            1 => "[\u{0}-\u{1f}é글😀]{1,2}",
            1 => Just("text-".to_owned()),
            2 => (500_usize..2_500).prop_map(|size| "y".repeat(size)),
        ];
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    fn answer() -> impl Strategy<Value = Value> {
        (text(), text(), text(), any::<bool>(), any::<bool>()).prop_map(
            |(one, two, three, structured, odd)| {
                let mut result = json!({"content": [{"type": "text", "text": one}]});
                if structured {
                    result["structuredContent"] = json!({"content": one, "more": [two, {"x": 1}]});
                }
                if odd {
                    let image = json!({"type": "image", "data": three, "mimeType": "image/png"});
                    result["content"].as_array_mut().unwrap().push(image);
                    result["structuredContent"][&two] = json!(three);
                    result["_meta"] = json!({"said": two});
                }
                json!({"jsonrpc": "2.0", "id": 7, "result": result})
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn an_answer_is_read_as_the_parser_reads_it(answer in answer()) {
            let line = serde_json::to_vec(&answer).unwrap();
            prop_assert!(CallAnswer::read(&line).is_some());
            same(&line);
            same(&serde_json::to_vec_pretty(&answer).unwrap());
        }

        #[test]
        fn a_broken_answer_is_broken_for_both(
            answer in answer(),
            at in any::<prop::sample::Index>(),
            byte in prop::sample::select(&b"\"\\\n\x00\xff:,}]u\x1b"[..]),
            cut in any::<bool>(),
        ) {
            let mut line = serde_json::to_vec(&answer).unwrap();
            let at = at.index(line.len());
            if cut {
                line.truncate(at);
            } else {
                line[at] = byte;
            }
            same(&line);
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_the_parser() {
        let long = "z".repeat(5_000);
        for line in [
            format!(
                r#"{{"jsonrpc":"2.0","id":"a","result":{{"content":[{{"type":"text","text":"{long}\u00e9"}}]}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":"a","result":{{"content":[],"structuredContent":{{"{long}" : 1}}}}}}"#
            ),
            format!(r#"{{"jsonrpc":"2.0","id":"{long}","result":{{"content":[]}}}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{long}\"#
            ),
        ] {
            same(line.as_bytes());
        }
    }

    #[test]
    fn long_texts_are_read_apart() {
        let long = "one\n\"two\"\t".repeat(300);
        let line = json!({"jsonrpc": "2.0", "id": 1, "result": {
            "content": [{"type": "text", "text": long}], "structuredContent": {"content": long},
        }});
        assert!(CallAnswer::with_texts_apart(line.to_string().as_bytes()).is_some());
    }

    #[test]
    fn very_many_long_texts_are_left_to_the_parser() {
        let line = |count: usize| {
            let block = json!({"type": "text", "text": "x".repeat(2_000)});
            let result = json!({"content": vec![block; count]});
            json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string().into_bytes()
        };
        assert!(CallAnswer::with_texts_apart(&line(64)).is_some());
        assert!(CallAnswer::with_texts_apart(&line(65)).is_none());
        same(&line(65));
    }
}
