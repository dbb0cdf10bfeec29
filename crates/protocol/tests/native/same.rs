//! The same call is the same call, whoever sends it and however.

use serde_json::json;

use crate::print::{Part, call, stream, whole, wire};
use crate::support::{ALL, Run, Seen, run};

fn message() -> Vec<Part> {
    vec![
        Part::Text("Let me look.\n".to_owned()),
        call("call_1", "read_file", json!({"path": "a \"b\" \n한글.txt", "lines": [1, 2.5, null]})),
        call("call_2", "write_file", json!({"path": "x", "content": {"deep": [{"a": "}"}]}})),
    ]
}

fn by_letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

#[track_caller]
fn check(run: &Run, from: &str) {
    assert_eq!(run.problem, None, "{from}");
    assert_eq!(run.text(), "Let me look.\n", "{from}");
    let ended = run.ended();
    assert_eq!(ended.len(), 2, "{from}: {run:#?}");
    for (ended, part) in ended.iter().zip(&message()[1..]) {
        let Part::Call { id, name, input } = part else { panic!("a call") };
        assert_eq!(
            (ended.id.as_ref(), &ended.name, &ended.input),
            (Some(id), name, input),
            "{from}"
        );
        assert!(ended.notes.is_empty(), "{from}: {:?}", ended.notes);
    }
}

#[test]
fn p4_every_provider_gives_the_same_calls_streamed_and_whole() {
    for provider in ALL {
        let documents = stream(provider, &message(), &mut by_letters);
        check(&run(provider, &wire(provider, &documents)), &format!("{provider:?} as events"));
        let lines: String = documents.iter().map(|document| format!("{document}\n")).collect();
        check(&run(provider, &lines), &format!("{provider:?} as JSON lines"));
        let list = serde_json::to_string_pretty(&documents).unwrap();
        check(&run(provider, &list), &format!("{provider:?} as a list"));
        let whole = whole(provider, &message());
        check(&run(provider, &whole.to_string()), &format!("{provider:?} whole"));
        let pretty = serde_json::to_string_pretty(&whole).unwrap();
        check(&run(provider, &pretty), &format!("{provider:?} pretty"));
    }
}

#[test]
fn p2_arguments_as_an_object_and_as_text_are_the_same() {
    let input = json!({"path": "a", "n": 0.123_456_789_012_345_68, "list": [{}]});
    for (provider, key) in
        [(ALL[0], "arguments"), (ALL[1], "arguments"), (ALL[2], "input"), (ALL[3], "args")]
    {
        let part = [call("c", "read_file", input.clone())];
        let document = whole(provider, &part).to_string();
        let as_text = json!({ key: input.to_string() }).to_string();
        let as_object = json!({ key: input }).to_string();
        let inner = |object: &str| object[1..object.len() - 1].to_owned();
        let texts = document.replace(&inner(&as_object), &inner(&as_text));
        let objects = document.replace(&inner(&as_text), &inner(&as_object));
        assert_ne!(texts, objects);
        let (texts, objects) = (run(provider, &texts), run(provider, &objects));
        assert_eq!(texts, objects, "{provider:?}");
        let call = |run: &Run| run.ended()[0].input.clone();
        assert_eq!(call(&texts), input, "{provider:?}");
    }
}

#[test]
fn the_pieces_spell_the_arguments() {
    for provider in ALL {
        let part =
            [call("c", "read_file", json!({"path": "a\nb"})), call("d", "read_file", json!({}))];
        let run = run(provider, &wire(provider, &stream(provider, &part, &mut by_letters)));
        let deltas: Vec<_> = run.events.iter().filter(|e| matches!(e, Seen::Delta(..))).collect();
        let expected =
            [Seen::Delta(0, "{\"path\":\"a\\nb\"}".to_owned()), Seen::Delta(1, "{}".to_owned())];
        assert_eq!(deltas, expected.iter().collect::<Vec<_>>(), "{provider:?}");
    }
}
