//! Quick looks at the speed: `cargo test --release -p dogu-protocol --test native -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use dogu_protocol::native::{DeltaParser, Finish, NativeParser, ToolCallDelta};
use dogu_protocol::{Event, Provider};
use serde::Deserialize;
use serde_json::json;

use crate::support::tools;

fn arguments(size: usize) -> String {
    json!({"path": "a.txt", "content": "let x = \"quoted\";\n".repeat(size / 18)}).to_string()
}

fn pieces(text: &str, size: usize) -> Vec<&str> {
    text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap()).collect()
}

fn best(rounds: usize, mut work: impl FnMut()) -> Duration {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..rounds).map(|_| time(&mut work)).min().unwrap()
}

fn count(event: &Event<'_>) -> usize {
    if let Event::Delta { text, .. } = event { text.len() } else { 0 }
}

#[test]
#[ignore = "a measurement"]
fn deltas() {
    let text = arguments(1 << 20);
    let pieces = pieces(&text, 16);
    let time = best(20, || {
        let mut parser = DeltaParser::new(tools());
        let mut seen = 0;
        for piece in &pieces {
            let delta = ToolCallDelta {
                index: Some(0),
                id: None,
                name: if seen == 0 { Some("write_file".into()) } else { None },
                arguments: Some((*piece).into()),
            };
            parser.feed(&delta, &mut |event| seen += count(&event));
        }
        parser.end(Finish::Complete, &mut |event| seen += count(&event));
        assert_eq!(seen, text.len());
    });
    let rate = u128::try_from(text.len()).unwrap() / time.as_micros();
    println!("deltas of 16 bytes: {rate} MB/s of arguments");
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only measured")]
struct Lean<'a> {
    #[serde(borrow)]
    choices: Vec<LeanChoice<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only measured")]
struct LeanChoice<'a> {
    #[serde(borrow)]
    delta: LeanDelta<'a>,
    finish_reason: Option<&'a str>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only measured")]
struct LeanDelta<'a> {
    content: Option<&'a str>,
    #[serde(borrow, default)]
    tool_calls: Vec<LeanCall<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only measured")]
struct LeanCall<'a> {
    index: usize,
    id: Option<&'a str>,
    #[serde(borrow)]
    function: LeanFunction<'a>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is only measured")]
struct LeanFunction<'a> {
    name: Option<&'a str>,
    #[serde(borrow, default)]
    arguments: std::borrow::Cow<'a, str>,
}

#[test]
#[ignore = "a measurement"]
fn events() {
    let text = arguments(1 << 20);
    let chunk = |piece: &&str| {
        let call = json!({"index": 0, "function": {"arguments": piece}});
        json!({"id": "chatcmpl-9xAbCdEfGhIjKlMnOpQrStUv", "object": "chat.completion.chunk",
            "created": 1_700_000_000, "model": "gpt-4o-2024-08-06", "system_fingerprint": "fp_0123456789",
            "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "logprobs": null,
                "finish_reason": null}]})
        .to_string()
    };
    let documents: Vec<String> = pieces(&text, 16).iter().map(chunk).collect();
    let wire: Vec<String> =
        documents.iter().map(|document| format!("data: {document}\n\n")).collect();
    let joined = wire.concat();

    let lean = best(10, || {
        for document in &documents {
            std::hint::black_box(serde_json::from_str::<Lean<'_>>(document).unwrap());
        }
    });
    let run = |chunks: &[&str]| {
        let mut parser = NativeParser::new(Provider::OpenAi, tools());
        for chunk in chunks {
            parser.feed(chunk, &mut |event| drop(std::hint::black_box(event)));
        }
    };
    let each: Vec<&str> = wire.iter().map(String::as_str).collect();
    let mut cut = Vec::new();
    let mut rest = joined.as_str();
    while !rest.is_empty() {
        let (chunk, next) = rest.split_at(rest.len().min(1000));
        cut.push(chunk);
        rest = next;
    }
    for (what, chunks) in [("an event each", each), ("1000 bytes each", cut)] {
        let time = best(10, || run(&chunks));
        println!(
            "{what}: {time:?}, {:.2} of serde_json's {lean:?}",
            time.as_secs_f64() / lean.as_secs_f64()
        );
    }
}

#[test]
#[ignore = "a measurement"]
fn a_long_line_in_single_bytes() {
    let document = json!({"choices": [{"delta": {"content": "x".repeat(10 << 20)}}]}).to_string();
    for wire in [format!("data: {document}\n\n"), document] {
        let time = best(1, || {
            let mut parser = NativeParser::new(Provider::OpenAi, tools());
            for piece in pieces(&wire, 1) {
                parser.feed(piece, &mut |event| drop(std::hint::black_box(event)));
            }
        });
        println!("10 MB in single bytes: {time:?}");
    }
}
