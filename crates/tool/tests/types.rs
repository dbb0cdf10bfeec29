//! The types of the foundation, one test a row of the checklist.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::sync::Arc;

use dogu_tool::text::truncate_marked;
use dogu_tool::{
    Action, CallStatus, CancelFlag, Category, Content, ErrorCode, NameError, Output, Preview,
    Principal, Scope, ShapedTool, ToolError, ToolName, ToolResult, ToolSpec, Verdict, render,
};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn r3_category_is_one_of_five_and_an_unknown_one_is_refused() {
    for word in ["filesystem", "execute", "network", "mcp", "system"] {
        let category: Category = serde_json::from_value(json!(word)).unwrap();
        assert_eq!(serde_json::to_value(category).unwrap(), json!(word));
    }
    let error = serde_json::from_value::<Category>(json!("magic")).unwrap_err();
    assert!(error.to_string().contains("unknown variant `magic`"), "{error}");
}

#[test]
fn r16_double_underscore_names_split_at_the_first() {
    for (name, parts) in [
        ("bash__exec", ("bash", "exec")),
        ("self-restart__request", ("self-restart", "request")),
        ("a___b", ("a", "_b")),
        ("a__b_", ("a", "b_")),
        ("_a__b", ("_a", "b")),
        ("A__B", ("A", "B")),
    ] {
        assert_eq!(ToolName::new(name).unwrap().split(), Some(parts), "{name}");
    }
    assert_eq!(ToolName::new("bash").unwrap().split(), None);
    for name in ["a__b__c", "__x", "x__", "__", "a____b"] {
        assert!(matches!(ToolName::new(name), Err(NameError::Separator(_))), "{name}");
    }
}

#[test]
fn r16_a_declared_name_maps_back_or_is_refused() {
    assert_eq!(ToolName::declared("bash", "exec").unwrap().as_str(), "bash__exec");
    for (resource, export) in [("a__b", "c"), ("a", "b__c"), ("a_", "b"), ("", "x"), ("x", "")] {
        assert!(ToolName::declared(resource, export).is_err(), "{resource} {export}");
    }
}

#[test]
fn r16_names_agree_with_the_recorded_vectors() {
    let Some(vectors) = vectors("goondan/naming-truncate.json") else { return };
    for row in vectors["names"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let found = ToolName::new(name).ok();
        let parts = found.as_ref().and_then(|name| name.split());
        let expected =
            row["parsed"]["resourceName"].as_str().zip(row["parsed"]["exportName"].as_str());
        assert_eq!(parts, expected, "{name}");
    }
}

#[test]
fn e6_truncation_agrees_with_the_recorded_vectors() {
    let Some(vectors) = vectors("goondan/naming-truncate.json") else { return };
    for row in vectors["trunc"].as_array().unwrap() {
        let text = "x".repeat(usize::try_from(row["len"].as_u64().unwrap()).unwrap());
        let limit = usize::try_from(row["limit"].as_u64().unwrap()).unwrap();
        assert_eq!(truncate_marked(&text, limit), row["out"].as_str().unwrap());
    }
}

/// Vectors of other systems are not part of a plain clone.
fn vectors(file: &str) -> Option<Value> {
    let path = format!("{}/../../../shared/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("not run: the vectors {file} are not here");
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn names_that_no_provider_accepts_are_refused_with_the_reason() {
    assert_eq!(ToolName::new(""), Err(NameError::Empty));
    assert!(matches!(ToolName::new("x".repeat(65)), Err(NameError::TooLong { len: 65, .. })));
    let error = ToolName::new("read file").unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool name `read file` contains ' '; only a-z, A-Z, 0-9, `_` and `-` are allowed"
    );
    assert!(ToolName::new("도구").is_err());
}

#[test]
fn p9_only_legal_transitions_and_terminal_states_are_final() {
    use CallStatus::{Calling, Canceled, Done, Errored, Generated, Generating, Waiting};
    let legal = [
        (Generating, vec![Generated, Errored, Canceled]),
        (Generated, vec![Waiting, Calling, Errored, Canceled]),
        (Waiting, vec![Calling, Errored, Canceled]),
        (Calling, vec![Done, Errored, Canceled]),
        (Done, vec![]),
        (Errored, vec![]),
        (Canceled, vec![]),
    ];
    for (from, allowed) in legal {
        for to in CallStatus::ALL {
            assert_eq!(from.advance_to(to).is_ok(), allowed.contains(&to), "{from} to {to}");
        }
        assert_eq!(from.is_terminal(), allowed.is_empty());
        // Cancel is possible from every state that has not ended.
        assert_eq!(from.may_become(Canceled), !from.is_terminal());
    }
    assert_eq!(Waiting.six_state(), Generated);
}

#[test]
fn a1_actions_round_trip() {
    let actions = [
        Action::execute("ls", "/w"),
        Action::read("/w/a"),
        Action::read_tree("/w"),
        Action::FileReadSensitive { path: "/w/.env".into() },
        Action::write("/w/b"),
        Action::FileDelete { path: "/w/c".into() },
        Action::Network { url: "https://example.invalid/".into() },
        Action::Mcp { server: "s".into(), tool: "t".into() },
        Action::Custom { name: "n".into(), details: json!({"a": 1}) },
    ];
    for action in actions {
        let text = serde_json::to_string(&action).unwrap();
        assert_eq!(serde_json::from_str::<Action>(&text).unwrap(), action);
    }
}

#[test]
fn a_path_with_a_nul_byte_or_none_is_refused_for_every_tool() {
    let error = Action::read("a\0b").check().unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgs);
    assert_eq!(error.to_string(), "the path `a\\0b` contains a NUL byte");
    assert!(Action::write("").check().is_err());
    assert!(Action::execute("a\0", "/").check().is_err());
    assert!(Action::Network { url: "http://\0".into() }.check().is_err());
}

#[test]
fn e4_a_result_is_written_with_absent_fields_left_out() {
    let ok = ToolResult::ok("c1", "t", json!({"a": 1}).into());
    insta::assert_json_snapshot!(ok, @r#"
    {
      "tool_call_id": "c1",
      "tool_name": "t",
      "status": "ok",
      "content": [
        {
          "type": "json",
          "value": {
            "a": 1
          }
        }
      ],
      "structured": {
        "a": 1
      }
    }
    "#);
    let error = ToolError::invalid("no").suggest("send yes").help("https://example.invalid/h");
    let error = ToolResult::error("c2", "t", error.into_info(1_000).0);
    insta::assert_json_snapshot!(render::goondan(&error), @r#"
    {
      "toolCallId": "c2",
      "toolName": "t",
      "status": "error",
      "error": {
        "code": "E_TOOL_INVALID_ARGS",
        "name": "ToolInputValidationError",
        "message": "no",
        "suggestion": "send yes",
        "helpUrl": "https://example.invalid/h"
      }
    }
    "#);
    let plain = ToolResult::error("c3", "t", ToolError::failed("no").into_info(1_000).0);
    assert_eq!(
        serde_json::to_string(&plain).unwrap(),
        r#"{"tool_call_id":"c3","tool_name":"t","status":"error","error":{"code":"E_TOOL","name":"ToolError","message":"no"}}"#
    );
}

#[test]
fn r10_the_course_rendering_has_json_content_even_for_nothing() {
    let rendered = |output: Output| render::course(&ToolResult::ok("c1", "t", output));
    assert_eq!(rendered(().into()), json!({"toolUseId": "c1", "content": "null"}));
    assert_eq!(rendered("a\"b".into()), json!({"toolUseId": "c1", "content": "\"a\\\"b\""}));
    assert_eq!(rendered(json!([1]).into()), json!({"toolUseId": "c1", "content": "[1]"}));
    let error = ToolResult::error("c2", "t", ToolError::failed("broken").into_info(99).0);
    let shown = render::course(&error);
    assert_eq!(shown["isError"], json!(true));
    assert_eq!(shown["content"], json!(r#"{"error":"broken"}"#));
}

#[test]
fn r18_every_json_value_round_trips_to_the_output() {
    for value in [json!("text"), json!(1.5), json!(null), json!({"a": [1]}), json!([]), json!(true)]
    {
        let result = ToolResult::ok("c", "t", value.clone().into());
        assert_eq!(result.output_value(), value);
        let text = serde_json::to_string(&result).unwrap();
        let back: ToolResult = serde_json::from_str(&text).unwrap();
        assert_eq!(back, result);
        assert_eq!(render::goondan(&back)["output"], value);
    }
}

#[test]
fn an_error_reads_as_text_with_code_and_suggestion() {
    let error = ToolError::denied("no").suggest("ask");
    let mut result = ToolResult::error("c", "t", error.into_info(100).0);
    result.content.push(Content::text("half of it"));
    assert_eq!(result.to_text(), "half of it\nERROR: no\nCODE: E_TOOL_DENIED\nSUGGESTION: ask");
}

#[test]
fn e7_each_code_is_written_as_it_is_named() {
    for code in ErrorCode::ALL {
        assert_eq!(serde_json::to_value(code).unwrap(), json!(code.as_str()));
    }
}

#[test]
fn the_private_cause_is_not_in_what_the_model_sees() {
    let error = ToolError::failed("it failed").because(std::io::Error::other("secret detail"));
    let (info, causes) = error.into_info(1_000);
    assert!(!serde_json::to_string(&info).unwrap().contains("secret"));
    assert_eq!(causes, ["secret detail"]);
}

#[test]
fn r28_a_tool_in_the_shape_of_other_systems() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let spec = ToolSpec::new("double", "Doubles n.", schema).unwrap().title("Double").read_only();
    let tool = ShapedTool::new(spec, |input, _| async move {
        let n = input["n"].as_i64().ok_or_else(|| ToolError::invalid("no n"))?;
        Ok(json!(n * 2).into())
    })
    .preprocess(|input| Some(Preview { summary: format!("Double {}", input["n"]), detail: None }))
    .evaluate_policy(|base, input| if input["n"] == json!(13) { Verdict::Deny } else { base });
    let tool: Arc<dyn dogu_tool::Tool> = Arc::new(tool);
    assert_eq!(tool.spec().title.as_deref(), Some("Double"));
    let scope = Scope::new("/w");
    let plan = tool.prepare(json!({"n": 13}), &scope).unwrap();
    assert_eq!(plan.tighten(Verdict::Allow), Verdict::Deny);
    assert_eq!(tool.prepare(json!({"n": 2}), &scope).unwrap().tighten(Verdict::Ask), Verdict::Ask);
}

#[test]
fn the_scope_resolves_what_a_model_means_and_leaves_the_dots() {
    let scope = Scope::new("/w").with_home("/home/u");
    for (text, path) in [
        ("a.txt", "/w/a.txt"),
        ("/etc/x", "/etc/x"),
        ("~", "/home/u"),
        ("~/a", "/home/u/a"),
        ("~other", "/w/~other"),
        ("../b", "/w/../b"),
        ("", ""),
    ] {
        assert_eq!(scope.resolve(text).to_str(), Some(path), "{text}");
    }
    assert_eq!(scope.display("/w/d/a".as_ref()), "d/a");
    assert_eq!(scope.display("/w".as_ref()), ".");
    assert_eq!(scope.display("/x".as_ref()), "/x");
}

#[test]
fn principals_are_told_apart_by_id_and_session() {
    assert_ne!(Principal::process("a"), Principal::process("b"));
    assert_ne!(Principal::process("a"), Principal::token("a", "a"));
    assert_eq!(Principal::token("ab12", "s").id(), "token:ab12");
}

#[test]
fn a_cancel_flag_wakes_whoever_waits() {
    let flag = CancelFlag::new();
    let other = flag.clone();
    let thread = std::thread::spawn(move || futures::executor::block_on(other.canceled()));
    std::thread::sleep(std::time::Duration::from_millis(5));
    flag.cancel();
    thread.join().unwrap();
    assert_eq!(flag.check().unwrap_err().code(), ErrorCode::Canceled);
}

proptest! {
    #[test]
    fn names_never_panic_and_split_parts_rejoin(name in ".{0,80}") {
        if let Ok(name) = ToolName::new(name)
            && let Some((resource, export)) = name.split()
        {
            prop_assert_eq!(format!("{resource}__{export}"), name.as_str());
        }
    }

    #[test]
    fn e6_a_cut_text_is_never_longer_than_its_limit(text in ".{0,200}", limit in 0_usize..100) {
        let cut = truncate_marked(&text, limit);
        prop_assert!(cut.chars().count() <= limit);
        if text.chars().count() <= limit {
            prop_assert_eq!(cut, text);
        }
    }
}

#[test]
fn e2_results_are_context_items_named_after_what_was_called() {
    let item = |tool: &str, input: Value| {
        let result = ToolResult::ok("1", tool, "text".into());
        let items = render::context_items(&result, &input);
        let text = |key: &str| items[0][key].as_str().unwrap_or_default().to_owned();
        assert_eq!(text("content"), "text");
        (text("name"), text("description"))
    };
    let pair = |name: &str, description: &str| (name.to_owned(), description.to_owned());
    let ran = item("execute_command", json!({"command": "ls -l"}));
    assert_eq!(ran, pair("Terminal Output", "Output of: ls -l"));
    let read = item("read_file", json!({"path": "src/lib.rs"}));
    assert_eq!(read, pair("lib.rs", "Contents of src/lib.rs"));
    let found = item("grep", json!({"pattern": "fn main"}));
    assert_eq!(found, pair("Search Results", "Grep results for: fn main"));
}
