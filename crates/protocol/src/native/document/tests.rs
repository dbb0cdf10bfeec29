//! What the quick reader reads, `serde_json` reads the same.

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::*;

/// What the quick reader reads is what `serde_json` reads, and it passes over what it reads.
#[track_caller]
fn check(text: &str) -> bool {
    let value = quick::<Value>(text).ok();
    if let Some(value) = &value {
        assert_eq!(serde_json::from_str::<Value>(text).ok().as_ref(), Some(value), "{text}");
    }
    if quick::<IgnoredAny>(text).is_ok() {
        assert!(serde_json::from_str::<IgnoredAny>(text).is_ok(), "{text}");
    } else {
        assert!(value.is_none(), "{text}");
    }
    value.is_some()
}

#[test]
fn documents_are_read() {
    let texts = [
        r#" { "a" : [ 1 , 0, -2, 1.5e3, {}, [ ] ], "b\n": null, "c": true } "#,
        r#"{"a":"","b":"\"\\\/\b\f\n\r\t\u00e9","c":"한글 and more than eight"}"#,
        r#"["12345678","1234567\"","123456\u0041",false,18446744073709551615]"#,
    ];
    assert!(texts.iter().all(|text| check(text)));
    assert!(check(&json!([[[[{"a": [texts]}]]]]).to_string()));
}

#[test]
fn the_rest_is_left_to_serde() {
    for text in [
        "",
        " ",
        "{",
        "{}}",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{1:1}",
        "[1 2]",
        "01",
        "1.",
        "-",
        "+1",
        ".5",
        "1e999",
        "nul",
        "truefalse",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\n\"",
        "\"\\u12\"",
        "\"\\ud83d\"",
        "\"\\u+123\"",
        "[}",
        "{\"a\":1]",
        ",",
        "[,1]",
        "{}{}",
    ] {
        assert!(!check(text), "{text}");
    }
    assert!(!check(&"[".repeat(100_000)));
    assert_eq!(read::<Value>(r#""\ud83d\ude00""#).unwrap(), "😀");
}

proptest! {
    #[test]
    fn nothing_is_read_otherwise(
        text in r#"([\[\]{},: 0-9eE.+-]|"|\\|\n|null|true|"a":|"[a-z\\"가]{0,9}"|\\u[0-9a-d]{4}){0,24}"#,
    ) {
        check(&text);
        check(&format!("[{text}]"));
        check(&format!("{{\"a\":{text}}}"));
        check(&format!("\"{text}\""));
    }

    #[test]
    fn one_wrong_byte_is_seen(at in 0usize..200, byte in r#"[\[\]{}",:\\0-9a-z \n]"#) {
        let text = json!({"id": "call", "choices": [{"index": 0, "delta": {"tool_calls": [
            {"index": 10, "function": {"arguments": "{\"path\": \"src/a.rs\""}}]},
            "logprobs": null, "finish_reason": 1.5}], "usage": true, "x": ["한글", {}]})
        .to_string();
        let mut changed = text.clone();
        let at = changed.floor_char_boundary(at.min(text.len()));
        changed.insert_str(at, &byte);
        check(&changed);
        check(&text[..at]);
    }
}
