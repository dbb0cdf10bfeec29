//! The server over streams of lines, in both eras.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::wire::Wire;
use common::{call, initialize, modern, notification, request, text};
use dogu_mcp::ServeOptions;
use dogu_runtime::Source;
use dogu_tool::{Principal, ShapedTool, Tool, ToolSpec};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

const NAMES: [&str; 6] = ["echo", "count", "wait", "read_file", "write_file", "list_files"];

#[tokio::test]
async fn the_first_era_shakes_hands_lists_and_calls() {
    for version in ["2025-06-18", "2025-11-25"] {
        let mut wire = Wire::new();
        wire.send(&initialize(1, version)).await;
        let answer = wire.receive().await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "dogu");
        let capabilities = answer["result"]["capabilities"].as_object().unwrap();
        let known: Vec<&String> = capabilities.keys().collect();
        assert_eq!(known, ["extensions", "completions", "prompts", "resources", "tools"]);
        assert_eq!(capabilities["tools"], json!({"listChanged": true}));
        wire.send(&notification("notifications/initialized", json!({}))).await;
        assert_eq!(wire.ask("ping", json!({})).await["result"], json!({}));
        let list = wire.ask("tools/list", json!({})).await;
        assert_eq!(names(&list), NAMES);
        assert_eq!(list["result"].get("resultType"), None);
        let answer = wire.ask("tools/call", call("echo", json!({"text": "hi"}))).await;
        assert_eq!(
            answer["result"],
            json!({
                "content": [{"type": "text", "text": "hi"}],
                "structuredContent": {"said": "hi"},
                "isError": false,
            })
        );
    }
}

#[tokio::test]
async fn a_version_that_has_no_handshake_gets_the_newest_that_has_one() {
    for version in ["1999-01-01", "2026-07-28", "2099-01-01", ""] {
        let mut wire = Wire::new();
        wire.send(&initialize(1, version)).await;
        assert_eq!(wire.receive().await["result"]["protocolVersion"], "2025-11-25", "{version}");
        assert_eq!(wire.ask("ping", json!({})).await["result"], json!({}));
    }
}

#[tokio::test]
async fn the_second_era_needs_no_handshake() {
    let mut wire = Wire::new();
    wire.send(&modern(1, "server/discover", json!({}))).await;
    let answer = wire.receive().await;
    let versions = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{answer}");
    wire.send(&modern(2, "tools/list", json!({}))).await;
    let list = wire.receive().await;
    assert_eq!(names(&list), NAMES);
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "private");
    wire.send(&modern(3, "tools/call", call("echo", json!({"text": "hi"})))).await;
    let answer = wire.receive().await;
    assert_eq!((text(&answer), &answer["id"]), ("hi", &json!(3)));
    wire.send(&request(4, "tools/list", json!({}))).await;
    assert_eq!(wire.receive().await["error"]["code"], -32602, "metadata is needed in this era");
    wire.send(&modern(5, "ping", json!({}))).await;
    assert_eq!(wire.receive().await["error"]["code"], -32601);
}

#[tokio::test]
async fn a_tool_is_listed_with_what_is_known_of_it() {
    let mut wire = Wire::legacy().await;
    let list = wire.ask("tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(
        tools[0],
        json!({
            "name": "echo",
            "title": "Echo",
            "description": "Says what it is told.",
            "inputSchema": {
                "type": "object",
                "properties": {"text": {"description": "What to say.", "type": "string"}},
                "required": ["text"],
                "additionalProperties": false,
            },
            "outputSchema": {
                "type": "object",
                "properties": {"said": {"description": "What was said.", "type": "string"}},
                "required": ["said"],
                "additionalProperties": false,
            },
            "annotations": {
                "title": "Echo",
                "readOnlyHint": true,
                "destructiveHint": false,
                "openWorldHint": false,
            },
            "icons": [{"src": tools[0]["icons"][0]["src"], "mimeType": "image/svg+xml"}],
            "_meta": {"anthropic/maxResultSizeChars": 100_000},
        })
    );
    assert_eq!(tools[4]["name"], "write_file");
    assert_eq!(tools[4]["annotations"], json!({"readOnlyHint": false, "openWorldHint": false}));
    let again = wire.ask("tools/list", json!({})).await;
    assert_eq!(list["result"], again["result"]);
    let answer = wire.ask("tools/list", json!({"cursor": "2"})).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn what_a_model_can_mend_is_a_result_and_not_a_protocol_error() {
    let mut wire = Wire::legacy().await;
    let denied = call("write_file", json!({"path": "a.txt", "content": "x"}));
    let answer = wire.ask("tools/call", denied).await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(text(&answer).starts_with("ERROR: Permission denied for tool: write_file"), "{answer}");
    for bad in [
        call("echo", json!({"text": 7})),
        call("echo", json!({})),
        json!({"name": "echo"}),
        call("echo", json!("not an object")),
        call("echo", json!([1])),
    ] {
        let answer = wire.ask("tools/call", bad.clone()).await;
        assert_eq!(answer["result"]["isError"], true, "{bad}: {answer}");
        assert!(text(&answer).contains("E_TOOL_INVALID_ARGS"), "{bad}: {answer}");
        assert_eq!(answer["result"].get("structuredContent"), None);
        assert_eq!(answer["result"].get("resultType"), None);
    }
}

#[tokio::test]
async fn a_name_that_is_not_offered_is_a_protocol_error_with_a_suggestion() {
    let mut wire = Wire::legacy().await;
    let answer = wire.ask("tools/call", call("read_fil", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Unknown tool: read_fil. Did you mean read_file"), "{message}");
    let answer = wire.ask("tools/call", call("hidden_tool", json!({"text": "x"}))).await;
    assert_eq!(answer["error"]["code"], -32602);
    let answer = wire.ask("tools/call", json!({"arguments": {}})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("name"), "{answer}");
}

#[tokio::test]
async fn a_deferred_tool_is_not_listed_but_answers_to_its_name() {
    let mut wire = Wire::legacy().await;
    let answer = wire.ask("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "echo"), "{answer}");
    assert!(!tools.iter().any(|tool| tool["name"] == "later_tool"), "{answer}");
    let answer = wire.ask("tools/call", call("later_tool", json!({"text": "x"}))).await;
    assert_eq!(text(&answer), "later: x", "{answer}");
}

#[tokio::test]
async fn progress_comes_before_the_answer_and_only_grows() {
    for requests in [request as fn(&'static str, &str, Value) -> Value, modern] {
        let mut wire = Wire::new();
        if requests("x", "y", json!({})).get("params") == Some(&json!({})) {
            wire = wire.opened().await;
        }
        let mut params = call("count", json!({"to": 4}));
        params["_meta"] = json!({"progressToken": "p1"});
        wire.send(&requests("c", "tools/call", params)).await;
        let mut seen = Vec::new();
        let answer = loop {
            let message = wire.receive().await;
            if message.get("id").is_some() {
                break message;
            }
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"]["progressToken"], "p1");
            assert_eq!(message["params"]["total"], 100.0);
            let text = message["params"]["message"].as_str().unwrap().to_owned();
            seen.push((message["params"]["progress"].as_f64().unwrap(), text));
        };
        assert_eq!(text(&answer), "4");
        assert_eq!(answer["result"].get("structuredContent"), None, "nothing was promised");
        let words: Vec<&str> = seen.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(words, ["at 1", "at 2", "at 3", "at 4"]);
        assert!(seen.windows(2).all(|two| two[0].0 < two[1].0), "{seen:?}");
    }
}

#[tokio::test]
async fn without_a_token_there_is_no_progress() {
    let mut wire = Wire::legacy().await;
    wire.send(&request("c", "tools/call", call("count", json!({"to": 3})))).await;
    assert_eq!(wire.receive().await["id"], "c");
}

#[tokio::test]
async fn a_call_that_waits_for_a_person_says_so() {
    let mut wire = Wire::asking().opened().await;
    let mut params = call("write_file", json!({"path": "a.txt", "content": "x"}));
    params["_meta"] = json!({"progressToken": 7});
    wire.send(&request("w", "tools/call", params)).await;
    let message = wire.receive().await;
    assert_eq!(message["params"]["message"], "waiting for approval");
    assert_eq!(message["params"]["progressToken"], 7);
    let stdio = Principal::process("stdio");
    let question = wire.runtime.pending(&stdio).remove(0);
    assert!(wire.runtime.answer(&stdio, &question.id, dogu_runtime::Answer::yes()));
    assert_eq!(text(&wire.answer(&json!("w")).await), "written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_canceled_call_ends_and_is_not_answered() {
    for requests in [request as fn(&'static str, &str, Value) -> Value, modern] {
        let mut wire = Wire::legacy().await;
        let params = call("wait", json!({"milliseconds": 60_000}));
        wire.send(&requests("slow", "tools/call", params)).await;
        wire.under_way(1).await;
        wire.send(&notification("notifications/cancelled", json!({"requestId": "other"}))).await;
        wire.send(&notification("notifications/cancelled", json!({"requestId": "slow"}))).await;
        wire.under_way(0).await;
        let next = wire.ask("tools/list", json!({})).await;
        assert!(next["result"]["tools"].is_array());
        let cancel = notification("notifications/cancelled", json!({"requestId": "fast"}));
        for _ in 0..50 {
            let params = call("wait", json!({"milliseconds": 60_000}));
            wire.send(&requests("fast", "tools/call", params)).await;
            wire.send(&cancel).await;
        }
        wire.under_way(0).await;
    }
}

/// Blocks its thread, whatever it is told.
fn deaf(milliseconds: u64) -> Arc<dyn Tool> {
    let spec = ToolSpec::new("deaf", "Does not listen.", json!({"type": "object"}))
        .unwrap()
        .timeout(Duration::from_millis(milliseconds))
        .read_only();
    Arc::new(ShapedTool::new(spec, |_, _| async {
        std::thread::sleep(Duration::from_secs(8));
        Ok("too late".into())
    }))
}

fn with_deaf(milliseconds: u64) -> Wire {
    Wire::serving(ServeOptions::default(), |folder| {
        let builder = common::tools::runtime(folder).unwrap();
        builder.tool(Source::Builtin, deaf(milliseconds)).unwrap().build().unwrap()
    })
}

#[tokio::test]
async fn a_tool_that_blocks_the_thread_of_its_call_is_answered_in_time() {
    let mut wire = with_deaf(1_200).opened().await;
    let asked = Instant::now();
    // More of them than there are threads.
    for n in 0..100 {
        wire.send(&request(n, "tools/call", call("deaf", json!({"n": n})))).await;
    }
    wire.send(&request("r", "resources/list", json!({}))).await;
    let mut answered = Vec::new();
    while answered.len() < 100 {
        let answer = wire.receive().await;
        if answer["id"] == "r" {
            assert!(answer["result"]["resources"].is_array(), "{answer}");
            continue;
        }
        assert!(text(&answer).contains("E_TOOL_TIMEOUT"), "{answer}");
        assert_eq!(answer["result"].get("resultType"), None);
        answered.push(answer["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert!(answered.into_iter().eq(0..100));
    // They would sleep for eight.
    assert!(asked.elapsed() < Duration::from_secs(7), "{:?}", asked.elapsed());
    wire.under_way(0).await;
}

#[tokio::test]
async fn a_tool_that_blocks_the_thread_of_its_call_can_be_canceled() {
    let mut wire = with_deaf(60_000).opened().await;
    wire.send(&request("deaf", "tools/call", call("deaf", json!({})))).await;
    wire.under_way(1).await;
    let asked = Instant::now();
    wire.send(&notification("notifications/cancelled", json!({"requestId": "deaf"}))).await;
    wire.under_way(0).await;
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    // The same id may be used again, and is answered.
    wire.send(&request("deaf", "tools/call", call("echo", json!({"text": "hi"})))).await;
    assert_eq!(text(&wire.answer(&json!("deaf")).await), "hi");
}

#[tokio::test]
async fn rubbish_is_refused_and_the_next_line_is_served() {
    let mut wire = Wire::legacy().await;
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let deep_argument = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"text\":{}{}}}}}}}\n",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    for (line, code) in [
        (&b"garbage\n"[..], -32700),
        (b"\xFF\xFE\x00\x01\x80\n", -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"\n", -32700),
        (deep.as_bytes(), -32700),
        (deep_argument.as_bytes(), -32700),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n", -32600),
        (b"\"hello\"\n", -32600),
        (b"{\"id\":9}\n", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}\n", -32601),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"x\"}}\n", -32602),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"x:y\"}}\n", -32002),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":5}\n", -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":5}}\n",
            -32602,
        ),
    ] {
        wire.send_raw(line).await;
        let answer = wire.receive().await;
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]);
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert!(answer.as_object().unwrap().contains_key("id"), "{answer}");
    }
    for silent in [&b"\n"[..], b"\r\n", b"{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}\n"] {
        wire.send_raw(silent).await;
    }
    let answer = wire.ask("tools/call", call("echo", json!({"text": "alive"}))).await;
    assert_eq!(text(&answer), "alive");
}

#[tokio::test]
async fn fifty_megabytes_are_refused_and_the_server_lives() {
    let mut wire = Wire::legacy().await;
    let line = request(1, "tools/call", call("echo", json!({"text": "x".repeat(50_000_000)})));
    wire.send(&line).await;
    let answer = wire.receive().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert!(answer["error"]["message"].as_str().unwrap().contains("16777216"), "{answer}");
    let answer = wire.ask("tools/call", call("echo", json!({"text": "alive"}))).await;
    assert_eq!(text(&answer), "alive");
}

#[tokio::test]
async fn nothing_said_before_the_handshake_ends_the_session() {
    let mut wire = Wire::new();
    wire.send(&notification("notifications/initialized", json!({}))).await;
    wire.send(&notification("notifications/cancelled", json!({"requestId": 1}))).await;
    wire.send(&json!({"jsonrpc": "2.0", "id": 5, "result": {}})).await;
    wire.send_raw(b"rubbish\n").await;
    assert_eq!(wire.receive().await["error"]["code"], -32700);
    wire.send(&request(1, "tools/list", json!({}))).await;
    assert_eq!(wire.receive().await["error"]["code"], -32602);
    wire.send(&modern(2, "server/discover", json!({}))).await;
    assert!(wire.receive().await["result"]["supportedVersions"].is_array());
    wire.send(&notification("notifications/cancelled", json!({"requestId": 2}))).await;
    wire.opened().await.ask("ping", json!({})).await;
}

/// More than are let in at once: the rest waits in the pipe, and nothing is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_at_once_are_all_answered() {
    const CALLS: u64 = 10_000;
    let mut wire = Wire::legacy().await;
    let mut to = wire.take_sender();
    let sending = tokio::spawn(async move {
        for id in 0..CALLS {
            let params = call("echo", json!({"text": format!("{id}")}));
            let line = format!("{}\n", request(id, "tools/call", params));
            to.write_all(line.as_bytes()).await.unwrap();
        }
        to
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..CALLS {
        let answer = wire.receive().await;
        assert_eq!(text(&answer), answer["id"].to_string());
        seen.insert(answer["id"].as_u64().unwrap());
    }
    assert_eq!(seen.len() as u64, CALLS);
    drop(sending.await.unwrap());
    wire.ended().await;
}

#[tokio::test]
async fn the_end_of_an_idle_session_takes_no_time() {
    let mut wire = Wire::new();
    wire.close();
    assert!(wire.ended().await < Duration::from_secs(1), "nothing was ever said");

    let mut wire = Wire::legacy().await;
    wire.close();
    assert!(wire.ended().await < Duration::from_secs(1));

    let mut wire = Wire::new();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    wire.send(&modern("sub", "subscriptions/listen", filter)).await;
    let acknowledged = wire.receive().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    wire.close();
    assert_eq!(wire.receive().await["id"], "sub", "the stream is ended in good order");
    assert!(wire.ended().await < Duration::from_secs(1));
}

#[tokio::test]
async fn what_is_under_way_at_the_end_is_answered() {
    let mut wire = Wire::legacy().await;
    let params = call("wait", json!({"milliseconds": 400}));
    wire.send(&request("slow", "tools/call", params)).await;
    // The last line has no end.
    let last = request("last", "tools/call", call("echo", json!({"text": "bye"})));
    wire.send_raw(last.to_string().as_bytes()).await;
    wire.close();
    assert_eq!(text(&wire.answer(&json!("last")).await), "bye");
    assert_eq!(text(&wire.answer(&json!("slow")).await), "waited");
    assert_eq!(wire.try_receive().await, None);
    assert!(wire.ended().await < Duration::from_secs(1));
}

#[tokio::test]
async fn a_question_does_not_outlive_the_session() {
    let mut wire = Wire::asking().opened().await;
    let params = call("write_file", json!({"path": "a.txt", "content": "x"}));
    wire.send(&request("w", "tools/call", params)).await;
    wire.under_way(1).await;
    wire.close();
    let began = Instant::now();
    let answer = wire.answer(&json!("w")).await;
    assert!(text(&answer).contains("E_TOOL_CANCELED"), "{answer}");
    wire.ended().await;
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_call_that_goes_on_too_long_is_given_up() {
    let mut wire = Wire::legacy().await;
    let params = call("wait", json!({"milliseconds": 60_000}));
    wire.send(&request("slow", "tools/call", params)).await;
    wire.under_way(1).await;
    wire.close();
    let runtime = wire.runtime.clone();
    let took = wire.ended().await;
    assert!(took > Duration::from_secs(4) && took < Duration::from_secs(7), "{took:?}");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(runtime.in_flight(), 0);
}
