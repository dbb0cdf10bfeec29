//! The tables of what is repaired, with what note, and of what is not.

use dogu_protocol::json::{End, repair};
use serde_json::{Value, json};

fn check(text: &str, end: End, value: &Value, notes: &[&str]) {
    let (repaired, said) = repair(text, end).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(&repaired, value, "{text}");
    assert_eq!(said, notes, "{text}");
}

#[test]
fn p10_what_is_left_open_is_closed_where_the_end_was_said() {
    let table = [
        (r#"{"a":[1,2"#, json!({"a": [1, 2]}), "]}"),
        (r#"{"a":"x\"y"#, json!({"a": "x\"y"}), "\"}"),
        (r#"{"code":"print(1)}""#, json!({"code": "print(1)}"}), "}"),
        (r#"{"a":{"b":[{"c":"d"#, json!({"a": {"b": [{"c": "d"}]}}), "\"}]}}"),
        ("[[1,[2,[", json!([[1, [2, []]]]), "]]]]"),
        (r#"{"a":1"#, json!({"a": 1}), "}"),
        (r#"{"a":true"#, json!({"a": true}), "}"),
        ("{", json!({}), "}"),
        (r#""ab"#, json!("ab"), "\""),
        (r#"{"a":"x\\"#, json!({"a": "x\\"}), "\"}"),
    ];
    for (text, value, closers) in table {
        check(text, End::Said, &value, &[&format!("closed what was left open: `{closers}`")]);
        let error = repair(text, End::Cut).unwrap_err();
        assert_eq!(error.reason, "the arguments were cut off before their end", "{text}");
        assert_eq!(error.position, text.len());
    }
}

#[test]
fn p10_escapes_that_the_end_cut_in_two_are_left_out() {
    for (escape, kept) in [("\\", ""), ("\\u", ""), ("\\u12", ""), ("\\ud83d\\u", "\u{FFFD}")] {
        let text = format!(r#"{{"a":"x{escape}"#);
        let (value, notes) = repair(&text, End::Said).unwrap();
        assert_eq!(value, json!({"a": format!("x{kept}")}));
        let cut = if kept.is_empty() { escape } else { "\\u" };
        assert_eq!(notes[0], format!("left out the unfinished escape `{cut}`"));
        assert!(repair(&text, End::Cut).is_err());
    }
}

#[test]
fn p10_each_repair_leaves_its_note() {
    let trailing = "removed a trailing comma";
    let single = "read 'single quotes' as double quotes";
    let typographic = "read “typographic quotes” as double quotes";
    let line_break = "kept a raw line break in a string";
    let comment = "ignored a comment";
    let missing = "added a missing comma between two lines";
    let surrogate = "replaced half a surrogate pair with U+FFFD";
    let fence = "ignored a code fence around the JSON";
    let table = [
        (r#"{"a":1,}"#, json!({"a": 1}), trailing),
        ("{\"a\":[1,2,\n],}", json!({"a": [1, 2]}), trailing),
        ("{\"a\":1\n\"b\":2}", json!({"a": 1, "b": 2}), missing),
        ("{\"a\":{}\n\n\"b\":2\n\"c\":3}", json!({"a": {}, "b": 2, "c": 3}), missing),
        ("{'a':'b'}", json!({"a": "b"}), single),
        (r#"{'a':'it\'s "so"'}"#, json!({"a": "it's \"so\""}), single),
        ("{“a”:“it’s “}", json!({"a": "it’s "}), typographic),
        ("{‘a’:1}", json!({"a": 1}), typographic),
        ("{„a“:“…€\\””}", json!({"a": "…€”"}), typographic),
        ("{\"a\":\"x\ny\"}", json!({"a": "x\ny"}), line_break),
        ("{\"a\":\"x\r\ny\r\n\"}", json!({"a": "x\r\ny\r\n"}), line_break),
        ("{\"a\":\"\tx\"}", json!({"a": "\tx"}), "kept a raw tab in a string"),
        ("{\"a\":\"\u{1}\"}", json!({"a": "\u{1}"}), "kept a raw control character in a string"),
        ("{value: 1}", json!({"value": 1}), "quoted the key `value`"),
        ("{a-b: 1}", json!({"a-b": 1}), "quoted the key `a-b`"),
        ("{a: 1, b: 2}", json!({"a": 1, "b": 2}), "quoted the key `a` (and more like it)"),
        ("{\"a\":1 // one\n}", json!({"a": 1}), comment),
        ("# one\n{\"a\":\"# // /* */\"} // two", json!({"a": "# // /* */"}), comment),
        ("{\"a\":/* one\n */1, # two\n\"b\":[/*/*/]}", json!({"a": 1, "b": []}), comment),
        (r#"{"a":1}}"#, json!({"a": 1}), "ignored a stray `}` at the end"),
        ("{\"a\":1}]} \n", json!({"a": 1}), "ignored a stray `]}` at the end"),
        (r#"{"a":True}"#, json!({"a": true}), "read `True` as `true`"),
        (r#"{"a":False}"#, json!({"a": false}), "read `False` as `false`"),
        (r#"{"a":None}"#, json!({"a": null}), "read `None` as `null`"),
        (r#"{"a":undefined}"#, json!({"a": null}), "read `undefined` as `null`"),
        (r#"{"a":"\d+"}"#, json!({"a": "\\d+"}), "kept the backslash of the unknown escape `\\d`"),
        (
            r#"{"a":"C:\dir"}"#,
            json!({"a": "C:\\dir"}),
            "kept the backslash of the unknown escape `\\d`",
        ),
        (
            r#"{"a":"\u12zz"}"#,
            json!({"a": "\\u12zz"}),
            "kept the backslash of the unknown escape `\\u`",
        ),
        (r#"{"a":"\ud83d"}"#, json!({"a": "\u{FFFD}"}), surrogate),
        (r#"{"a":"\ude00\ud83dx"}"#, json!({"a": "\u{FFFD}\u{FFFD}x"}), surrogate),
        ("```json\n{\"a\":1}\n```", json!({"a": 1}), fence),
        ("\n```\n{\"a\":\"```\"}\n```\n", json!({"a": "```"}), fence),
        ("```{\"a\":1}```", json!({"a": 1}), fence),
        ("```json\n{\"a\":1}", json!({"a": 1}), fence),
        ("\u{FEFF}{\"a\":\u{A0}1}", json!({"a": 1}), "read an unusual blank as a space"),
    ];
    for (text, value, note) in table {
        check(text, End::Said, &value, &[note]);
        check(text, End::Cut, &value, &[note]);
    }
}

#[test]
fn p10_of_two_objects_one_counts() {
    let same = "read an object that came twice as one";
    let grown = "read an object that came again with more members as one";
    let empty = "ignored an empty object beside the other one";
    let table = [
        (r#"{"a":1}{"a":1}"#, json!({"a": 1}), same),
        (r#"{"a":1,"b":2} {"b":2,"a":1}"#, json!({"a": 1, "b": 2}), same),
        ("{}{\"a\":1}", json!({"a": 1}), empty),
        ("{\"a\":1}\n{}", json!({"a": 1}), empty),
        (r#"{"a":1}{"b":2,"a":1}"#, json!({"a": 1, "b": 2}), grown),
        (
            r#"{"a":1}{"a":1,"b":[2]}{"a":1,"b":[2],"c":3}"#,
            json!({"a": 1, "b": [2], "c": 3}),
            grown,
        ),
    ];
    for (text, value, note) in table {
        check(text, End::Cut, &value, &[note]);
    }
}

#[test]
fn an_object_that_follows_must_be_one_that_can_be_read() {
    assert!(repair(r#"{}{"a":"#, End::Said).is_err());
    assert!(repair(r#"{"a":1}{"b":"#, End::Cut).is_err());
    assert!(repair(r#"{"a":1}{"a":1"#, End::Said).is_ok());
}

#[test]
fn several_repairs_leave_several_notes() {
    let text = "```js\n{ // first\n  path: 'a\\d',\n  \"all\": True,\n  \"list\": [1, 2";
    check(
        text,
        End::Said,
        &json!({"path": "a\\d", "all": true, "list": [1, 2]}),
        &[
            "ignored a code fence around the JSON",
            "ignored a comment",
            "quoted the key `path`",
            "read 'single quotes' as double quotes",
            "kept the backslash of the unknown escape `\\d`",
            "read `True` as `true`",
            "closed what was left open: `]}`",
        ],
    );
}

#[test]
fn blank_is_an_empty_object_without_a_note() {
    for text in ["", " ", "\n\t  \r\n"] {
        check(text, End::Said, &json!({}), &[]);
        check(text, End::Cut, &json!({}), &[]);
    }
}

#[test]
fn what_would_need_a_guess_is_an_error_that_says_where() {
    let table = [
        (r#"{"a":1,"b":"#, "the key `b` has no value", 11),
        (r#"{"a":1,"b""#, "the key `b` has no value", 10),
        (r#"{"a":1,"b"#, "the key `b` is not finished", 9),
        (r#"{"a":1,b"#, "the key `b` has no value", 8),
        (r#"{"b":tru"#, "the value `tru` is not finished", 8),
        (r#"{"b":-"#, "the number `-` is not finished", 6),
        (r#"{"b":1."#, "the number `1.` is not finished", 7),
        (r#"{"b":1e"#, "the number `1e` is not finished", 7),
        (r#"{"a":"C:\dir\"}"#, r"the string is not closed: write `\\` for each backslash", 15),
        (r#"{"b":/* x"#, "the comment is not closed", 5),
    ];
    for (text, reason, position) in table {
        let error = repair(text, End::Said).unwrap_err();
        assert_eq!((error.reason.as_str(), error.position), (reason, position), "{text}");
        let cut = repair(text, End::Cut).unwrap_err();
        assert_eq!(cut.reason, "the arguments were cut off before their end", "{text}");
    }
}

#[test]
fn what_is_not_json_is_an_error_that_says_where() {
    let not_quoted = "expected a value but got `hello`, which is not in quotes";
    let table = [
        (r#"{"a":hello}"#, not_quoted, 5),
        ("hello {\"a\":1}", not_quoted, 0),
        (r#"{"a":1} hello"#, "something follows the JSON", 8),
        (r#"{"a":1},{"b":2}"#, "something follows the JSON", 7),
        (r#"{"a":1}}{"b":2}"#, "something follows the JSON", 8),
        (r#"{"a":1}{"b":2}"#, "two different objects follow each other", 7),
        ("[1][2]", "something follows the JSON", 3),
        (r#""a"}"#, "something follows the JSON", 3),
        (r#"{"a" 1}"#, "expected `:` after the key `a`", 5),
        (r#"{"a":1 "b":2}"#, "expected `,` or `}`", 7),
        ("{\"a\":1\nb:2}", "expected `,` or `}`", 7),
        ("[1\n2]", "expected `,` or `]`", 3),
        ("[1,,2]", "expected a value", 3),
        ("[,]", "expected a value", 1),
        ("{,}", "expected a key in double quotes", 1),
        (r#"{"a":[1,2}"#, "expected `,` or `]`", 9),
        (r#"{"a":"say "hi" now"}"#, "expected `,` or `}`", 11),
        ("{'a':'it's'}", "expected `,` or `}`", 9),
        ("{\"ä\":NaN}", "`NaN` is not a JSON number", 6),
        (r#"{"a":Infinity}"#, "`Infinity` is not a JSON number", 5),
        (r#"{"a":-Infinity}"#, "`-Infinity` is not a JSON number", 5),
        (r#"{"a":1e999}"#, "the number `1e999` is too large", 5),
        (r#"{"a":01}"#, "`01` is not a JSON number", 5),
        (r#"{"a":1_000}"#, "`1_000` is not a JSON number", 5),
        (r#"{"a":+1}"#, "expected a value", 5),
        ("// only words", "there is no JSON in the text", 13),
        ("```json\n```", "there is no JSON in the text", 8),
    ];
    for (text, reason, position) in table {
        let error = repair(text, End::Said).unwrap_err();
        assert_eq!((error.reason.as_str(), error.position), (reason, position), "{text}");
    }
}
