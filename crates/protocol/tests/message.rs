//! Whole messages in any format, from bytes that are cut anywhere.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::sync::Arc;

use dogu_protocol::life_cycle::ToolUse;
use dogu_protocol::{Event, Format, MessageParser, ParsedCall, ResultForm, Tools};
use dogu_tool::ToolSpec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// An event that owns its texts; neighbours that belong together are merged.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Text(String),
    Started(usize, Option<String>, String),
    Delta(usize, Option<String>, String),
    Ended(usize, String, Value, Vec<String>),
    Failed(usize, Option<String>, String),
}

fn collect(all: &mut Vec<Seen>, event: Event<'_>) {
    match (event, all.last_mut()) {
        (Event::Text(""), _) => {}
        (Event::Text(text), Some(Seen::Text(before))) => before.push_str(text),
        (Event::Text(text), _) => all.push(Seen::Text(text.to_owned())),
        (Event::Started { index, id, name }, _) => {
            all.push(Seen::Started(index, id.map(str::to_owned), name.to_owned()));
        }
        (Event::Delta { index, parameter, text }, Some(Seen::Delta(at, of, before)))
            if *at == index && of.as_deref() == parameter =>
        {
            before.push_str(text);
        }
        (Event::Delta { index, parameter, text }, _) => {
            all.push(Seen::Delta(index, parameter.map(str::to_owned), text.to_owned()));
        }
        (Event::Ended(call), _) => {
            all.push(Seen::Ended(call.index, call.name, call.input, call.notes));
        }
        (Event::Failed(call), _) => {
            all.push(Seen::Failed(call.index, call.name, call.error.message));
        }
    }
}

fn tools() -> Arc<Tools> {
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path"],
    });
    Arc::new(Tools::of([&ToolSpec::new("write", "Writes.", schema).unwrap()]))
}

fn seen<'c>(format: Format, chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<Seen> {
    let mut parser = MessageParser::new(format, tools());
    let mut all = Vec::new();
    let mut sink = |event: Event<'_>| collect(&mut all, event);
    for chunk in chunks {
        parser.feed(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    all
}

/// Pieces of every format, and of none.
fn shards() -> impl Strategy<Value = Vec<u8>> {
    let wire = select(vec![
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"<write><path>a</path>\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"</write> 한\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"write\",\"arguments\":\"{\\\"path\\\":\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"한\\\"}\"}}]}}]}\r\n\r\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"d\",\"function\":{\"name\":\"write\",\"arguments\":\"{}\"}}]}}]}\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n",
        "data: [DONE]\n\n",
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"write\",\"input\":{}}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"path\\\":\\\"a\\\"}\"}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
        "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"},{\"functionCall\":{\"name\":\"write\",\"args\":{\"path\":\"a\"}}}]}}]}\n",
        "{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"id\":\"f\",\"call_id\":\"c\",\"name\":\"write\",\"arguments\":\"\"}}\n",
        "{\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"f\",\"output_index\":0,\"delta\":\"{\\\"path\\\":\\\"b\\\"}\"}\n",
        "[",
        "]",
        ",\n",
        "{",
        "}",
        "\"",
        ": x\n",
        "id: 1\n",
    ]);
    let text = select(vec![
        "<write>",
        "</write>",
        "<path>",
        "</path>",
        "<content>",
        "</content>",
        "a",
        " ",
        "\n",
        "한글",
        "<tool_call>{\"name\":\"write\",\"arguments\":{\"path\":\"a\"}}</tool_call>",
        "`",
        "```\n",
        "\u{0}",
    ]);
    let piece = prop_oneof![
        4 => wire.prop_map(|text| text.as_bytes().to_vec()),
        4 => text.prop_map(|text| text.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 1..3),
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn p6_any_bytes_cut_anywhere_give_the_same_events(bytes in shards(), size in 1_usize..50) {
        for format in Format::ALL {
            let whole = seen(format, [bytes.as_slice()]);
            prop_assert_eq!(seen(format, bytes.chunks(size)), whole.clone(), "{:?}", format);
            prop_assert_eq!(seen(format, bytes.chunks(1)), whole, "{:?}", format);
        }
    }

    #[test]
    fn every_call_has_one_end(bytes in shards()) {
        for format in Format::ALL {
            let events = seen(format, [bytes.as_slice()]);
            let mut ends: Vec<usize> = events.iter().filter_map(|event| match event {
                Seen::Ended(index, ..) | Seen::Failed(index, ..) => Some(*index),
                _ => None,
            }).collect();
            ends.sort_unstable();
            prop_assert_eq!(&ends, &(0..ends.len()).collect::<Vec<_>>(), "{:?}", events);
            for event in &events {
                if let Seen::Started(index, ..) = event {
                    prop_assert!(ends.contains(index), "{:?}", events);
                }
            }
        }
    }
}

fn only_call(message: &str) -> ParsedCall {
    let mut parser = MessageParser::new(Format::Auto, tools());
    let mut calls = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Ended(call) = event {
            calls.push(call);
        }
    };
    parser.feed(message.as_bytes(), &mut sink);
    parser.finish(&mut sink);
    assert_eq!(calls.len(), 1, "{message}");
    calls.remove(0)
}

#[test]
fn p4_xml_and_native_make_the_same_block() {
    let xml = only_call("<write><path>a</path><content>\nx\ny\n</content></write>");
    let native = json!({"id": "c1", "type": "function", "function": {
        "name": "write", "arguments": "{\"path\": \"a\", \"content\": \"x\\ny\"}",
    }});
    let [xml, native] = [xml, only_call(&native.to_string())].map(ToolUse::from);
    assert_eq!((xml.id.as_deref(), native.id.as_deref()), (None, Some("c1")));
    assert_eq!(xml, ToolUse { id: None, ..native });
    assert_eq!(xml.native_args, Some(json!({"path": "a", "content": "x\ny"})));
}

#[test]
fn a_call_that_stands_in_the_text_too_is_made_once() {
    let text = "<tool_call>{\"name\": \"write\", \"arguments\": {\"path\": \"a\"}}</tool_call>";
    let message = json!({"choices": [{"message": {"content": text, "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "write", "arguments": "{\"path\":\"a\"}"}},
    ]}, "finish_reason": "tool_calls"}]});
    let events = seen(Format::Auto, [message.to_string().as_bytes()]);
    let ended = events.iter().filter(|event| matches!(event, Seen::Ended(..))).count();
    let failed = events.iter().filter(|event| matches!(event, Seen::Failed(..))).count();
    assert_eq!((ended, failed), (1, 1), "{events:?}");
}

#[test]
fn the_answer_goes_back_in_the_form_of_the_call() {
    let text = "<write><path>a</path></write>";
    let message = json!({"choices": [{"message": {"content": text, "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "write", "arguments": "{\"path\":\"b\"}"}},
    ]}, "finish_reason": "tool_calls"}]});
    let mut parser = MessageParser::new(Format::Auto, tools());
    let mut forms = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Ended(call) = event {
            forms.push((call.input["path"].as_str().unwrap().to_owned(), call.index));
        }
    };
    parser.feed(message.to_string().as_bytes(), &mut sink);
    parser.finish(&mut sink);
    forms.sort();
    let [(_, of_text), (_, of_native)] = forms.as_slice() else { panic!("{forms:?}") };
    assert_eq!(parser.form_of(*of_text), ResultForm::Xml);
    assert_eq!(parser.form_of(*of_native), ResultForm::OpenAi);
}
