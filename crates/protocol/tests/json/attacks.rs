//! What a hostile test found: texts that were once read as something that nobody wrote.

use dogu_protocol::json::{End, parse_arguments, repair};
use serde_json::json;

fn reason(text: &str) -> String {
    match repair(text, End::Said) {
        Ok((value, _)) => panic!("{text} was read as {value}"),
        Err(error) => error.reason,
    }
}

/// One unknown escape shows that the backslashes of a string were not doubled. Then `\b` is not a
/// backspace for certain, and `\n` no line break.
#[test]
fn escapes_beside_an_unknown_escape_are_not_decoded() {
    for text in [
        r#"{"a":"\d+\bfoo\b"}"#,
        r#"{"a":"C:\Users\new"}"#,
        r#"{"a":"foo\n\d"}"#,
        r#"{"a":"\s\u0041"}"#,
        r#"{"C:\dir\temp":1}"#,
        r"{'a':'\d\t'}",
        r#"{"a":"C:\dir\fo"#,
        r#"{"a":"C:\dir\"#,
    ] {
        assert!(reason(text).ends_with(r"write `\\` for each backslash"), "{text}");
        assert!(repair(text, End::Cut).is_err(), "{text}");
    }
    let error = repair(r#"{"a":"C:\Users\new"}"#, End::Cut).unwrap_err();
    assert_eq!(error.position, 8);
    let error = repair(r#"{"a":"C:\dir\fo"#, End::Cut).unwrap_err();
    assert_eq!(error.reason, "the arguments were cut off before their end");
}

#[test]
fn escapes_that_mean_what_they_show_may_stand_beside_an_unknown_one() {
    for (text, value) in [
        (r#"{"a":"\d\\n\"\/\s"}"#, r#"\d\n"/\s"#),
        (r"{'a':'\d\''}", r"\d'"),
        (r#"{"a":"\d","b":"\n"}"#, r"\d"),
    ] {
        let (read, notes) = repair(text, End::Cut).unwrap();
        assert_eq!(read["a"], json!(value), "{text}");
        assert!(notes.iter().any(|note| note.contains(r"the unknown escape `\d`")), "{text}");
    }
}

/// Which of two objects was meant is a guess, unless one of them says all that the other says.
#[test]
fn of_two_different_objects_none_is_dropped() {
    for text in [
        r#"{"command":"rm -rf build"}{"cwd":"/tmp"}"#,
        r#"{"a":1}{"a":2}"#,
        r#"{"a":1}{"a":2,"b":3}"#,
        r#"{"a":1,"b":2}{"a":1}"#,
        r#"{"a":null}{"b":1}"#,
        r#"{"a":1}{"a":1,"b":2}{"c":3}"#,
        r#"{"a":{"b":1}}{"a":{"b":1,"c":2}}"#,
    ] {
        assert_eq!(reason(text), "two different objects follow each other", "{text}");
    }
}

/// A quote that came too early, then a line that looks like a key.
#[test]
fn the_rest_of_a_string_does_not_become_a_key() {
    let text = "{\"path\":\"a.yml\",\"content\":\"title: \"\nversion: \"1\"}";
    assert_eq!(reason(text), "expected `,` or `}`");
    let (value, _) = repair("{a: 1,\nb: 2\n\"c\": 3}", End::Cut).unwrap();
    assert_eq!(value, json!({"a": 1, "b": 2, "c": 3}));
}

/// The last one used to count, and nothing was said.
#[test]
fn a_key_that_is_given_twice_is_not_silent() {
    for (text, key, position) in [
        (r#"{"path":"a","path":"b"}"#, "path", 12),
        (r#"{"path":"a","path":"b",}"#, "path", 12),
        (r#"{"path":"a","p\u0061th":"b"}"#, "path", 12),
        (r#"{path:"a",'path':"b"}"#, "path", 10),
        (r#"{"a":[{"b":1,"c":2,"b":1.0}]}"#, "b", 19),
        (r#"{"a":1,"a":1,"a":2}"#, "a", 13),
        (r#"{"path":"abc","path":"ab"#, "path", 14),
    ] {
        let error = parse_arguments(text, End::Said).unwrap_err();
        assert_eq!(error.reason, format!("the key `{key}` is given twice"), "{text}");
        assert_eq!(error.position, position, "{text}");
    }
    let wrapped = json!(r#"{"path":"a","path":"b"}"#).to_string();
    for text in [wrapped.clone(), json!(wrapped).to_string()] {
        let error = parse_arguments(&text, End::Said).unwrap_err();
        assert!(error.reason.contains("the key `path` is given twice"), "{text}: {error}");
    }
}

#[test]
fn a_key_that_is_given_twice_with_the_same_value_leaves_a_note() {
    let note = "read the key `a`, given twice with the same value, as one";
    for (text, value) in [
        (r#"{"a":[1],"b":2,"a":[1]}"#, json!({"a": [1], "b": 2})),
        (r#"{"b":[{"a":{"c":"d"},"a":{"c":"d"}}]}"#, json!({"b": [{"a": {"c": "d"}}]})),
    ] {
        let (read, notes) = repair(text, End::Cut).unwrap();
        assert_eq!((read, notes), (value, vec![note.to_owned()]), "{text}");
    }
}

/// A quote of another kind before the closing brackets: the string was left open, or its writer
/// took that quote for the end of it.
#[test]
fn an_open_string_with_a_closing_quote_of_another_kind_is_not_closed() {
    for text in [
        r#"{"content":"x","path":"a”}"#,
        r#"{"content":"x","path":"a“ }"#,
        r#"{"a":["x’]}"#,
        "{'a':'x”\n}\n",
        r#"{"a":“x"}"#,
        "{‘a’:‘x'}",
        "{“a”:“x’}",
    ] {
        let expected = "the string is not closed: its quotes are of different kinds";
        assert_eq!(reason(text), expected, "{text}");
        let cut = repair(text, End::Cut).unwrap_err();
        assert_eq!(cut.reason, "the arguments were cut off before their end", "{text}");
    }
    for text in [r#"{"a":"x”,"b":"y"}"#, r#"{"a":"x”,"b":"y”}"#, r#"{"a":“x”,"b":“y"}"#]
    {
        assert!(repair(text, End::Said).is_err(), "{text}");
    }
}

#[test]
fn typographic_quotes_are_text_in_plain_ones() {
    for (text, value) in [
        (r#"{"a":"“x”}"}"#, "“x”}"),
        (r#"{"a":"“x”}","#, "“x”}"),
        (r#"{"a":"say “x”"#, "say “x”"),
        (r#"{"a":"say “x” }."#, "say “x” }."),
        (r#"{"a":"f('x')}"#, "f('x')}"),
        (r#"{"a":"{'x': 'y'}"#, "{'x': 'y'}"),
    ] {
        let (read, _) = repair(text, End::Said).unwrap();
        assert_eq!(read, json!({"a": value}), "{text}");
    }
}
