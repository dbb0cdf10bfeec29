//! Typed arguments of Roo Code's tools, rows P5 and P11.

use dogu_protocol::life_cycle::Params;
use dogu_protocol::roo_args::{NativeToolArgs, read_file_params};
use serde_json::{Value, json};

/// One realistic call of each of the 19 tools.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("access_mcp_resource", json!({ "server_name": "docs", "uri": "docs://readme" })),
        (
            "read_file",
            json!({ "files": [
                { "path": "/src/main.ts", "start_line": 1, "end_line": 50 },
                { "path": "b.rs" },
            ] }),
        ),
        ("attempt_completion", json!({ "result": "All tests pass." })),
        ("execute_command", json!({ "command": "npm install", "cwd": "/project" })),
        ("apply_diff", json!({ "path": "a.rs", "diff": "<<<<<<< SEARCH\na\n=======\nb\n" })),
        (
            "search_and_replace",
            json!({ "path": "a.rs", "operations": [{ "search": "a", "replace": "" }] }),
        ),
        ("search_replace", json!({ "file_path": "a.rs", "old_string": "a", "new_string": "b" })),
        ("apply_patch", json!({ "patch": "*** Begin Patch\n*** End Patch" })),
        (
            "ask_followup_question",
            json!({
                "question": "Which port?",
                "follow_up": [{ "text": "8080" }, { "text": "plan it", "mode": "architect" }],
            }),
        ),
        (
            "browser_action",
            json!({ "action": "scroll_down", "coordinate": "450,300@1024x768", "size": "9,9" }),
        ),
        ("codebase_search", json!({ "query": "where is auth", "path": "src" })),
        ("fetch_instructions", json!({ "task": "create_mode" })),
        ("generate_image", json!({ "prompt": "a cat", "path": "cat.png", "image": "in.png" })),
        ("run_slash_command", json!({ "command": "review", "args": "src" })),
        ("search_files", json!({ "path": ".", "regex": "fn main", "file_pattern": "*.rs" })),
        ("switch_mode", json!({ "mode_slug": "code", "reason": "to edit" })),
        ("update_todo_list", json!({ "todos": "[x] one\n[ ] two" })),
        (
            "use_mcp_tool",
            json!({ "server_name": "db", "tool_name": "query", "arguments": { "n": [1, null] } }),
        ),
        ("write_to_file", json!({ "path": "a.ts", "content": "" })),
    ]
}

#[test]
fn p5_each_of_the_19_shapes_is_read_and_written() {
    let names: Vec<_> = calls().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, NativeToolArgs::NAMES);
    assert_eq!(names.len(), 19);
    for (name, input) in calls() {
        let arguments = NativeToolArgs::parse(name, input.clone()).unwrap();
        assert!(!matches!(arguments, NativeToolArgs::Other { .. }), "{name}");
        assert_eq!(arguments.name(), name);
        assert_eq!(arguments.to_input(), input, "{name}");
    }
}

/// Of each call of the table: every key that stands in it is either needed, or may be null.
#[test]
fn p5_what_may_be_left_out_may_be_null() {
    let optional = [
        ("execute_command", "cwd"),
        ("browser_action", "coordinate"),
        ("browser_action", "size"),
        ("codebase_search", "path"),
        ("generate_image", "image"),
        ("run_slash_command", "args"),
        ("search_files", "file_pattern"),
        ("use_mcp_tool", "arguments"),
    ];
    for (name, input) in calls() {
        for key in input.as_object().unwrap().keys() {
            let (mut without, mut null) = (input.clone(), input.clone());
            without.as_object_mut().unwrap().remove(key);
            null[key] = Value::Null;
            let may = optional.contains(&(name, key.as_str()));
            for input in [without.clone(), null] {
                let arguments = NativeToolArgs::parse(name, input);
                assert_eq!(arguments.is_ok(), may, "{name}, {key}");
                assert!(arguments.is_err() || arguments.unwrap().to_input() == without);
            }
        }
    }
}

#[test]
fn p5_a_wrong_shape_says_what_is_wrong() {
    let wrong = |name, input| NativeToolArgs::parse(name, input).unwrap_err();
    assert_eq!(
        wrong("write_to_file", json!({ "path": "a.ts" })),
        "Invalid arguments for write_to_file: missing field `content`"
    );
    assert!(wrong("browser_action", json!({ "action": "fly" })).contains("unknown variant `fly`"));
    assert!(wrong("read_file", json!("a.ts")).starts_with("Invalid arguments for read_file: "));
}

#[test]
fn p5_an_unknown_tool_keeps_its_json() {
    for input in [json!({ "any": [1, { "thing": null }] }), json!("text"), Value::Null] {
        let arguments = NativeToolArgs::parse("my_tool", input.clone()).unwrap();
        let other = NativeToolArgs::Other { name: "my_tool".to_owned(), input: input.clone() };
        assert_eq!(arguments, other);
        assert_eq!((arguments.name(), arguments.to_input()), ("my_tool", input));
    }
}

fn read<const N: usize>(params: [(&str, &str); N]) -> Result<Value, String> {
    read_file_params(&params.into_iter().collect::<Params>())
}

#[test]
fn p11_a_path_with_and_without_lines() {
    assert_eq!(read([("path", "a.ts")]), Ok(json!({ "files": [{ "path": "a.ts" }] })));
    assert_eq!(
        read([("path", "a.ts"), ("start_line", "1"), ("end_line", " 50 ")]),
        Ok(json!({ "files": [{ "path": "a.ts", "start_line": 1, "end_line": 50 }] }))
    );
    assert_eq!(
        read([("path", "a.ts"), ("start_line", ""), ("end_line", "9")]),
        Ok(json!({ "files": [{ "path": "a.ts", "end_line": 9 }] }))
    );
}

#[test]
fn p11_a_path_beats_args() {
    let both = read([("args", "<file><path>b.ts</path></file>"), ("path", "a.ts")]);
    assert_eq!(both, Ok(json!({ "files": [{ "path": "a.ts" }] })));
}

#[test]
fn p11_args_name_several_files() {
    let args = "
        <file>
            <path>a.ts</path>
            <line_range>1-5</line_range>
            < line_range > 10 - 20 </ line_range >
        </file>
        <file><path> src/a &amp; b &lt;1&gt;.ts </path></file>
    ";
    let files = json!([
        { "path": "a.ts", "start_line": 1, "end_line": 5 },
        { "path": "a.ts", "start_line": 10, "end_line": 20 },
        { "path": "src/a & b <1>.ts" },
    ]);
    assert_eq!(read([("args", args)]), Ok(json!({ "files": files })));
}

#[test]
fn p11_what_is_read_is_what_a_native_call_would_say() {
    for params in [[("path", "a.ts")], [("args", "<file><path>a.ts</path></file>")]] {
        let input = read(params).unwrap();
        assert_eq!(NativeToolArgs::parse("read_file", input.clone()).unwrap().to_input(), input);
    }
}

#[test]
fn p11_neither_is_an_error() {
    let missing = Err("Missing required parameter: path or files".to_owned());
    assert_eq!(read([]), missing);
    assert_eq!(read([("path", "")]), missing);
    assert_eq!(read([("path", " "), ("args", "\n")]), missing);
    assert_eq!(read([("start_line", "1")]), missing);
}

#[test]
fn p11_a_line_that_is_no_whole_number_is_an_error() {
    for bad in ["ten", "1.5", "-1", "1a", "99999999999999999999"] {
        for name in ["start_line", "end_line"] {
            let error = read([("path", "a.ts"), (name, bad)]).unwrap_err();
            assert_eq!(error, format!("{name} must be a whole number, not {bad:?}"));
        }
    }
    for bad in ["5", "a-b", "1-", "-5", "1-2-3", ""] {
        let args = format!("<file><path>a</path><line_range>{bad}</line_range></file>");
        let error = read([("args", &args)]).unwrap_err();
        assert_eq!(error, format!("line_range must be like 1-5, not {bad:?}"));
    }
}

#[test]
fn p11_args_that_are_not_what_was_asked_for_are_errors() {
    let table = [
        ("<file><path>a</path>", "<file> is not closed"),
        ("<file><path>a</file>", "<path> is not closed"),
        ("a.ts", "Expected an element such as <file>, not \"a.ts\""),
        ("<path>a</path>", "Expected <file> in args, not <path>"),
        ("<file></file>", "Missing path in a file of args"),
        ("<file><path> </path></file>", "Missing path in a file of args"),
        (
            "<file><path>a</path><lines>1</lines></file>",
            "Expected <path> or <line_range> in file, not <lines>",
        ),
    ];
    for (args, error) in table {
        assert_eq!(read([("args", args)]), Err(error.to_owned()), "{args}");
    }
}

/// Quadratic, this would read half a terabyte.
#[test]
fn p11_a_text_full_of_tags_that_never_end_is_read_once() {
    for noise in ["</", "</a", "< "] {
        let args = format!("<file>{}", noise.repeat(500_000));
        assert_eq!(read([("args", &args)]), Err("<file> is not closed".to_owned()));
    }
}
