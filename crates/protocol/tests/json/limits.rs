//! Depth and size: nothing overflows the stack, and what is quadratic would not end.

use dogu_protocol::json::{
    End, JsonFramer, MAX_DEPTH, PartialJson, PartialState, parse_arguments, repair,
};

const DEEP: usize = 100_000;
const MEGABYTE: usize = 1 << 20;

fn objects(depth: usize) -> String {
    format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth))
}

fn arrays(depth: usize) -> String {
    format!("{}1{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn a_hundred_thousand_deep_is_an_error() {
    for text in [objects(DEEP), arrays(DEEP), "[".repeat(DEEP), "{a:[".repeat(DEEP)] {
        for end in [End::Said, End::Cut] {
            let error = repair(&text, end).unwrap_err();
            assert_eq!(error.reason, "arrays and objects are nested more than 128 deep");
            assert!(error.position > 0);
        }
    }
    for text in [objects(DEEP), arrays(DEEP)] {
        let mut partial = PartialJson::new();
        partial.push(&text);
        let PartialState::Invalid { reason, .. } = partial.state() else { panic!("not invalid") };
        assert_eq!(reason, "arrays and objects are nested more than 128 deep");
        assert_eq!(JsonFramer::new().push(&text), Some(text.len()));
    }
}

#[test]
fn the_limit_is_the_same_for_all() {
    for text in [objects(MAX_DEPTH), arrays(MAX_DEPTH)] {
        assert!(repair(&text, End::Said).is_ok());
        let mut partial = PartialJson::new();
        partial.push(&text);
        assert!(partial.is_complete());
    }
    for text in [objects(MAX_DEPTH + 1), arrays(MAX_DEPTH + 1)] {
        assert!(repair(&text, End::Said).is_err());
        let mut partial = PartialJson::new();
        partial.push(&text);
        assert!(!partial.is_complete());
    }
    let error = parse_arguments(&objects(MAX_DEPTH + 1), End::Said).unwrap_err();
    assert_eq!(error.position, MAX_DEPTH * r#"{"a":"#.len());
}

fn read_in_every_way(text: &str) {
    let _ = repair(text, End::Said);
    let _ = parse_arguments(text, End::Cut);
    PartialJson::new().push(text);
    JsonFramer::new().push(text);
}

#[test]
fn a_megabyte_of_anything_is_read() {
    for part in ["\\", "\"", "{", "\"\\"] {
        read_in_every_way(&part.repeat(MEGABYTE / part.len()));
    }
    let parts = [
        "\\",
        "\"",
        "{",
        "}",
        "[",
        "'",
        "\\ud83d",
        "{}",
        "//",
        "/*",
        "#",
        "“",
        "1",
        "a",
        ",",
        "\n",
        "a:",
        "{\"a\":1}",
        "```",
        "#\n",
        "/**/",
        "\\d",
    ];
    for part in parts {
        for opening in ["", "\"", "[\"", "{\"a\":\"", "{\"a\":1}", "{", "/*", "'", "“"] {
            read_in_every_way(&format!("{opening}{}", part.repeat(MEGABYTE / 16 / part.len())));
        }
    }
}

#[test]
fn a_megabyte_in_single_bytes_is_read() {
    let long_string = format!("[[\"{}\"]]", "x".repeat(MEGABYTE / 2));
    let deep = format!("{}\"{}\"{}", "[".repeat(100), "x".repeat(20_000), "]".repeat(100));
    let same_keys = format!("{{{}\"a\":0}}", "\"a\":1,\"b\":2,\"c\":3,".repeat(MEGABYTE / 40));
    let many_keys: String = (0..MEGABYTE / 64).map(|n| format!("\"key {n}\":{n},")).collect();
    let many_keys = format!("{{{many_keys}{many_keys}\"z\":0}}");
    for text in [long_string, deep, same_keys, many_keys] {
        let mut partial = PartialJson::new();
        for at in 0..text.len() {
            partial.push(&text[at..=at]);
        }
        assert!(partial.is_complete());
    }
}

#[test]
fn an_endless_number_ends() {
    let mut partial = PartialJson::new();
    for _ in 0..MEGABYTE {
        partial.push("1");
    }
    let PartialState::Invalid { reason, position } = partial.state() else { panic!("not invalid") };
    assert_eq!((reason, position), ("the number is too long", 1024));
}
