use dogu_protocol::text::Forms;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::support::*;

/// A message in pieces of these sizes, over and over.
fn cut<'t>(text: &'t str, sizes: &[usize]) -> Vec<&'t str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let at = dogu_tool::text::ceil_boundary(rest, (*size).min(rest.len()));
        let (piece, left) = rest.split_at(at);
        pieces.push(piece);
        rest = left;
    }
    pieces
}

/// Pieces of which every kind of call, and every way to spoil one, can be made.
fn shards() -> impl Strategy<Value = String> {
    let shard = select(vec![
        "<read_file>",
        "</read_file>",
        "<path>",
        "</path>",
        "<write_to_file>",
        "</write_to_file>",
        "<content>",
        "</content>",
        "<set>",
        "</set>",
        "<tags>",
        "</tags>",
        "<on>",
        "</on>",
        "<list_tabs/>",
        "<invoke name=\"read_file\">",
        "</invoke>",
        "<parameter name=\"path\">",
        "</parameter>",
        "<function=read_file>",
        "</function>",
        "<parameter=path>",
        "<tool_call>",
        "</tool_call>",
        "{\"name\":\"read_file\",\"arguments\":",
        "{\"path\":\"a\"}",
        "}",
        "{",
        "\"",
        "\\",
        "[TOOL_CALLS]",
        "[",
        "]",
        "```tool\n",
        "```json\n",
        "```\n",
        "```",
        "`",
        "~~~\n",
        "TOOL_NAME: read_file\n",
        "BEGIN_ARG: path\n",
        "END_ARG\n",
        "a",
        "a.rs",
        "\n",
        " ",
        "    ",
        "\r\n",
        "<",
        "</",
        ">",
        "< ",
        "<!--",
        "-->",
        "> ",
        "한글",
        "\u{0}",
        "=",
        "name",
        "for example:\n",
        "<think>",
        "</think>",
        "<args>",
        "</args>",
        "<file>",
        "</file>",
        "<function_calls>",
        "</function_calls>",
        "<read_files>",
        "</read_files>",
        "<files>",
        "</files>",
    ]);
    proptest::collection::vec(shard, 0..40).prop_map(|shards| shards.concat())
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(1_usize..40, 1..6)
}

/// A text that the value of a parameter may have: not what a tag would make ambiguous.
fn words() -> impl Strategy<Value = String> {
    let word = select(vec![
        "a",
        "b c",
        "<div>",
        "</div>",
        "fn main() {}",
        "\"",
        "'",
        "\\",
        "&amp;",
        "한글",
        "x\ny",
        "{",
        "}",
        "1",
        "</cont",
        "< / >",
        "```",
        "\t",
        "[TOOL_CALLS]",
        "END_ARG x",
    ]);
    proptest::collection::vec(word, 1..8).prop_map(|words| format!("x{}y", words.concat()))
}

fn input() -> impl Strategy<Value = Map<String, Value>> {
    let some = |strategy: BoxedStrategy<Value>| proptest::option::of(strategy);
    let fields = (
        some(any::<bool>().prop_map(Value::from).boxed()),
        some(any::<i32>().prop_map(Value::from).boxed()),
        some(select(vec![0.5, -2.25, 1e300]).prop_map(Value::from).boxed()),
        some(proptest::collection::vec("[a-z]{1,4}", 0..3).prop_map(Value::from).boxed()),
        some(select(vec![json!({}), json!({"a": [1, {"b": null}]})]).boxed()),
        some(words().prop_map(Value::from).boxed()),
    );
    fields.prop_map(|(on, count, ratio, tags, options, id)| {
        let names = ["on", "count", "ratio", "tags", "options", "id"];
        let values = [on, count, ratio, tags, options, id];
        let present = names.into_iter().zip(values);
        present.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    })
}

fn raw(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains('\n') => format!("\n{text}\n"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn tagged(input: &Map<String, Value>, open: &str, close: &str) -> String {
    let parts = input.iter().map(|(name, value)| {
        format!("{}{}{}\n", open.replace('$', name), raw(value), close.replace('$', name))
    });
    parts.collect()
}

/// The call in every form.
fn printed(input: &Map<String, Value>) -> Vec<String> {
    let arguments = Value::Object(input.clone()).to_string();
    let call = format!("{{\"name\": \"set\", \"arguments\": {arguments}}}");
    let args: String = input
        .iter()
        .map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("BEGIN_ARG: {name}\n{text}\nEND_ARG\n")
        })
        .collect();
    vec![
        format!("<set>\n{}</set>", tagged(input, "<$>", "</$>")),
        format!(
            "<invoke name=\"set\">{}</invoke>",
            tagged(input, "<parameter name=\"$\">", "</parameter>")
        ),
        format!("<function=set>\n{}</function>", tagged(input, "<parameter=$>", "</parameter>")),
        format!("<tool_call>\n{call}\n</tool_call>"),
        format!("<function=set>{arguments}</function>"),
        format!("[TOOL_CALLS] [{call}]"),
        format!("```tool\nTOOL_NAME: set\n{args}```\n"),
        format!("```json\n{call}\n```\n"),
        format!("{call}\n"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn p6_any_message_cut_anywhere_gives_the_same_events(message in shards(), sizes in sizes()) {
        let whole = seen_in([message.as_str()]);
        prop_assert_eq!(seen_in(cut(&message, &sizes)), whole.clone());
        prop_assert_eq!(seen_in(characters(&message)), whole);
    }

    #[test]
    fn p6_any_text_at_all_is_read(message in "\\PC{0,200}", sizes in sizes()) {
        prop_assert_eq!(seen_in(cut(&message, &sizes)), seen_in([message.as_str()]));
    }

    #[test]
    fn every_call_has_one_start_and_one_end(message in shards()) {
        let events = seen_in([message.as_str()]);
        let started: Vec<usize> = events.iter().filter_map(|event| match event {
            Seen::Started(index, _) => Some(*index),
            _ => None,
        }).collect();
        let ended: Vec<usize> = events.iter().filter_map(|event| match event {
            Seen::Ended(index, ..) | Seen::Failed(index, ..) => Some(*index),
            _ => None,
        }).collect();
        prop_assert_eq!(&ended, &(0..ended.len()).collect::<Vec<_>>());
        prop_assert!(started.iter().all(|index| ended.contains(index)));
    }

    #[test]
    fn a_message_without_a_call_is_its_text(message in shards()) {
        let events = seen_in([message.as_str()]);
        if events.iter().all(|event| matches!(event, Seen::Text(_))) {
            let text: String = events.iter().map(|event| match event {
                Seen::Text(text) => text.as_str(),
                _ => "",
            }).collect();
            // Only the tags around calls are left out, and there are none without a call.
            prop_assert_eq!(text.len(), message.len());
        }
    }

    #[test]
    fn any_call_in_any_form_parses_back(input in input(), sizes in sizes()) {
        for message in printed(&input) {
            let message = format!("Let me do it.\n{message}");
            let events = seen_with(Forms::auto(), cut(&message, &sizes));
            let calls: Vec<_> = events.iter().filter_map(|event| match event {
                Seen::Ended(_, name, input, _) => Some((name.as_str(), input.clone())),
                _ => None,
            }).collect();
            prop_assert_eq!(calls, [("set", Value::Object(input.clone()))], "{}: {:?}", message, events);
        }
    }
}
