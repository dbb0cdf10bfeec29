//! Any message, cut anywhere.

use dogu_protocol::Provider;
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::print::{Part, stream, whole, wire};
use crate::support::{ALL, Run, Seen, run_chunks};

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1000i32..1000).prop_map(|n| Value::from(f64::from(n) / 8.0)),
        "\\PC{0,12}".prop_map(Value::from),
        "[\"\\\\\n{}\\[\\]\u{1F600}:,]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("\\PC{0,6}", inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn input() -> impl Strategy<Value = Value> {
    let pairs = prop::collection::vec(("[a-z\"]{1,6}", json()), 0..4);
    pairs.prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>()))
}

fn message() -> impl Strategy<Value = Vec<Part>> {
    let part = prop_oneof![
        "\\PC{1,20}".prop_map(Part::Text),
        ("[a-zA-Z_][a-zA-Z0-9_-]{0,12}", input()).prop_map(|(name, input)| Part::Call {
            id: String::new(),
            name,
            input
        }),
    ];
    prop::collection::vec(part, 0..6).prop_map(|mut parts| {
        for (at, part) in parts.iter_mut().enumerate() {
            if let Part::Call { id, .. } = part {
                *id = format!("call_{at}");
            }
        }
        parts
    })
}

/// Cuts a text at places that the seeds give. Not empty arguments: in one piece they are kept
/// back for a while, because they may hold the place of others.
fn pieces(text: &str, seeds: &[usize]) -> Vec<String> {
    if text == "{}" {
        return vec![text.to_owned()];
    }
    let mut rest = text;
    let mut pieces = Vec::new();
    for seed in seeds {
        let at = rest.ceil_char_boundary(seed % (rest.len() + 1));
        let (piece, next) = rest.split_at(at);
        pieces.push(piece.to_owned());
        rest = next;
    }
    pieces.push(rest.to_owned());
    pieces
}

fn chunks<'w>(wire: &'w str, sizes: &[usize]) -> Vec<&'w str> {
    let mut rest = wire;
    let mut chunks = Vec::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, next) = rest.split_at(rest.ceil_char_boundary((*size).min(rest.len())));
        chunks.push(chunk);
        rest = next;
    }
    chunks
}

/// The calls that a message has, as they should come out.
fn expected(parts: &[Part]) -> Vec<(Option<String>, String, Value)> {
    let call = |part: &Part| match part {
        Part::Call { id, name, input } => Some((Some(id.clone()), name.clone(), input.clone())),
        Part::Text(_) => None,
    };
    parts.iter().filter_map(call).collect()
}

fn found(run: &Run) -> Vec<(Option<String>, String, Value)> {
    run.ended()
        .into_iter()
        .map(|call| (call.id.clone(), call.name.clone(), call.input.clone()))
        .collect()
}

fn text(parts: &[Part]) -> String {
    parts.iter().map(|part| if let Part::Text(text) = part { text } else { "" }).collect()
}

fn check(
    provider: Provider,
    parts: &[Part],
    seeds: &[usize],
    sizes: &[usize],
) -> Result<(), TestCaseError> {
    let cut = stream(provider, parts, &mut |text| pieces(text, seeds));
    let uncut = stream(provider, parts, &mut |text| vec![text.to_owned()]);
    let (cut, uncut) = (wire(provider, &cut), wire(provider, &uncut));
    let streamed = run_chunks(provider, chunks(&cut, sizes));
    prop_assert_eq!(&streamed, &run_chunks(provider, [uncut.as_str()]));
    let whole = run_chunks(provider, [whole(provider, parts).to_string()]);
    for run in [&streamed, &whole] {
        prop_assert_eq!(found(run), expected(parts));
        prop_assert_eq!(run.text(), text(parts));
        prop_assert_eq!(&run.problem, &None);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..Default::default() })]

    #[test]
    fn p6_cuts_make_no_difference(
        parts in message(),
        seeds in prop::collection::vec(0usize..64, 0..6),
        sizes in prop::collection::vec(1usize..200, 1..6),
    ) {
        for provider in ALL {
            check(provider, &parts, &seeds, &sizes)?;
        }
    }

    #[test]
    fn no_text_is_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        sizes in prop::collection::vec(1usize..50, 1..4),
    ) {
        let text = String::from_utf8_lossy(&bytes);
        for provider in ALL {
            let cut = run_chunks(provider, chunks(&text, &sizes));
            prop_assert_eq!(cut, run_chunks(provider, [&text]));
        }
    }

    #[test]
    fn no_soup_of_tokens_is_a_panic(
        tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..60),
        sizes in prop::collection::vec(1usize..50, 1..4),
    ) {
        let text = tokens.concat();
        for provider in ALL {
            let cut = run_chunks(provider, chunks(&text, &sizes));
            prop_assert_eq!(cut, run_chunks(provider, [&text]));
        }
    }
}

const TOKENS: &[&str] = &[
    "data: ",
    "data:",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "\\",
    "[DONE]",
    "null",
    "event: x\n",
    "1",
    "true",
    "\"choices\":[",
    "\"delta\":{",
    "\"tool_calls\":[",
    "\"function\":{",
    "\"name\":\"a\"",
    "\"arguments\":\"{\"",
    "\"index\":0",
    "\"id\":\"x\"",
    "\"type\":\"tool_use\"",
    "\"input\":{}",
    "\"candidates\":[",
    "\"functionCall\":{",
    "\"type\":\"content_block_start\"",
    "{\"function\":{\"name\":\"a\",\"arguments\":\"{\"}}",
    "{\"index\":0,\"function\":{\"arguments\":\"}\"}}",
    "{\"type\":\"function_call\",\"call_id\":\"x\",\"name\":\"b\",\"arguments\":\"{}\"}",
    "{\"functionCall\":{\"name\":\"a\",\"willContinue\":true}}",
    "{\"functionCall\":{}}",
    "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"name\":\"a\"}}",
    "{\"type\":\"content_block_stop\",\"index\":0}",
    "{\"error\":\"e\"}",
    "한",
];

#[test]
fn p6_no_prefix_of_a_stream_runs_a_cut_call() {
    let input = serde_json::json!({"path": "a}\"b\\ 한", "list": [{"x": 1}, {}], "n": 12});
    let parts = [
        Part::Text("Hello, 한 text".to_owned()),
        Part::Call { id: "call_1".to_owned(), name: "read_file".to_owned(), input: input.clone() },
        Part::Call { id: "call_2".to_owned(), name: "write_file".to_owned(), input: input.clone() },
    ];
    for provider in ALL {
        let documents = stream(provider, &parts, &mut |text| pieces(text, &[3, 4, 5, 6, 7, 8]));
        let wire = wire(provider, &documents);
        for end in (0..=wire.len()).filter(|end| wire.is_char_boundary(*end)) {
            let run = run_chunks(provider, [&wire[..end]]);
            for call in run.ended() {
                assert_eq!(call.input, input, "{provider:?}, cut at {end}");
            }
            let ends = run.ended().len() + run.failed().len();
            let starts =
                run.events.iter().filter(|event| matches!(event, Seen::Started(..))).count();
            assert_eq!(starts, ends, "{provider:?}: what starts must end, cut at {end}");
        }
    }
}
