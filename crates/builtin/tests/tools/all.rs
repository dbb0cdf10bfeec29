//! What holds for every built-in tool.

use dogu_runtime::{Registry, Source};
use dogu_tool::{Action, Category, Scope, Tool};
use serde_json::{Value, json};

use crate::support::Folder;

const BLOCK: &str = "<<<<<<< SEARCH\nhello\n=======\nbye\n>>>>>>> REPLACE\n";
const PATCH: &str = "*** Begin Patch\n*** Update File: a.txt\n@@\n-hello\n+bye\n*** End Patch\n";

/// What a runtime without a supervisor says.
const NO_PROGRAMS: &str = "this runtime cannot run programs";

/// What finds and calls tools where there are none.
const NO_TOOLS: &str = "There are no tools to be searched here.";
const NO_TOOL: &str = "call_tool calls other tools, not itself.";

/// One good call of each tool and a piece of its answer. A tool without a case fails the test.
fn case(name: &str) -> Option<(Value, &'static str)> {
    Some(match name {
        "read_file" => (json!({"path": "a.txt"}), "     1\thello\n"),
        "read_file_range" => {
            (json!({"filepath": "a.txt", "startLine": 1, "endLine": 1}), "     1\thello\n")
        }
        "write_file" => (json!({"path": "new/b.txt", "content": "x"}), "Created new/b.txt"),
        "edit_file" => {
            (json!({"path": "a.txt", "old_string": "hello", "new_string": "bye"}), "+bye")
        }
        "edit" | "search_replace" => {
            (json!({"file_path": "a.txt", "old_string": "hello", "new_string": "bye"}), "+bye")
        }
        "single_find_and_replace" => {
            (json!({"filepath": "a.txt", "old_string": "hello", "new_string": "bye"}), "+bye")
        }
        "multi_edit" => {
            let edits = json!([{"old_string": "hello", "new_string": "bye"}]);
            (json!({"path": "a.txt", "edits": edits}), "+bye")
        }
        "search_and_replace" => {
            let operations = json!([{"search": "hello", "replace": "bye"}]);
            (json!({"path": "a.txt", "operations": operations}), "+bye")
        }
        "apply_diff" => (json!({"path": "a.txt", "diff": BLOCK}), "+bye"),
        "multi_apply_diff" => (json!({"files": [{"path": "a.txt", "diff": BLOCK}]}), "+bye"),
        "apply_patch" => (json!({"patch": PATCH}), "+bye"),
        "delete_file" => (json!({"path": "a.txt"}), "Deleted a.txt (6 bytes)."),
        "move_file" => {
            (json!({"source": "a.txt", "destination": "x/b.txt"}), "Moved x/b.txt (from a.txt).")
        }
        "list_files" | "ls" => (json!({}), "a.txt (6 bytes)"),
        "view_subdirectory" => (json!({"path": "."}), "./ (1 file, 1 folder)\n  .git/\n  a.txt\n"),
        "glob" => (json!({"pattern": "*.txt"}), "a.txt\n(1 file, newest first)\n"),
        "glob_search" => (json!({"pattern": "*.txt"}), "a.txt\n"),
        "grep" => (json!({"pattern": "hel+o"}), "a.txt\n"),
        "search_files" => (json!({"path": ".", "regex": "hel+o"}), "# a.txt\n  1 | hello\n"),
        "grep_search" => (json!({"pattern": "hel+o"}), "a.txt:1: hello\n"),
        "codebase_search" | "codebase" => (json!({"query": "hello"}), "1. a.txt:1-1"),
        "view_diff" => (json!({}), "+hello"),
        "view_repo_map" => (json!({}), "No code to map in ."),
        // Nothing starts programs here; crates/dogu/tests/shell runs them.
        "execute_command" | "bash" | "run_terminal_command" | "bash_exec" | "process_start" => {
            (json!({"command": "ls"}), NO_PROGRAMS)
        }
        "bash_script" => (json!({"path": "a.sh"}), NO_PROGRAMS),
        "process_send" => (json!({"id": "x", "input": "y"}), NO_PROGRAMS),
        "process_wait"
        | "process_logs"
        | "process_stop"
        | "process_status"
        | "read_command_output" => (json!({"id": "x"}), NO_PROGRAMS),
        "process_list" => (json!({}), "There are none."),
        // Without a runtime there is nothing to find or to call.
        "search_tools" => (json!({"query": "read"}), NO_TOOLS),
        "call_tool" => (json!({"name": "call_tool"}), NO_TOOL),
        "read_currently_open_file" => (json!({}), "There is no editor connected"),
        _ => return None,
    })
}

fn input_properties(tool: &dyn Tool) -> Vec<&str> {
    tool.spec().parameters()
}

#[test]
fn q2_every_builtin_runs_with_a_bare_context() {
    for tool in dogu_builtin::all() {
        let name = tool.spec().name.as_str();
        let Some((input, expected)) = case(name) else { panic!("{name} has no case here") };
        let folder = Folder::with([("a.txt", "hello\n")]);
        folder.git(&["init", "--quiet"]);
        let text = match expected {
            NO_PROGRAMS | NO_TOOLS | NO_TOOL => folder.error(name, input),
            _ => folder.text(name, input),
        };
        assert!(text.contains(expected), "{name}: {text}");
    }
}

#[test]
fn r2_schemas_of_all_builtins_compile_and_are_closed() {
    let registry = Registry::new();
    for tool in dogu_builtin::all() {
        let spec = tool.spec().clone();
        let name = spec.name.as_str();
        assert_eq!(spec.input_schema["type"], "object", "{name}");
        assert_eq!(spec.input_schema["additionalProperties"], false, "{name}");
        let properties = spec.input_schema["properties"].as_object().unwrap();
        for (property, schema) in properties {
            let about = schema["description"].as_str().unwrap_or_default();
            assert!(about.len() > 10, "{name}.{property} has no description");
        }
        match spec.primary_argument.as_deref() {
            Some(primary) => assert!(properties.contains_key(primary), "{name}: {primary}"),
            None => assert!(properties.is_empty(), "{name} has no primary argument"),
        }
        // What touches nothing is in every mode.
        let touches = !["search_tools", "call_tool"].contains(&name);
        assert_eq!(spec.group.is_some(), touches, "{name}");
        assert_eq!(spec.category != Category::System, touches, "{name}");
        assert!(spec.title.is_some() && !spec.description.is_empty(), "{name}");
        // An extension's schemas are compiled when they are registered.
        registry.register(Source::Extension("test".into()), tool).unwrap();
    }
    assert_eq!(registry.snapshot().len(), dogu_builtin::all().len());
}

#[test]
fn every_builtin_refuses_keys_and_types_that_its_schema_does_not_know() {
    let folder = Folder::with([("a.txt", "hello\n")]);
    for tool in dogu_builtin::all() {
        let name = tool.spec().name.as_str();
        let (mut input, _) = case(name).unwrap();
        input["no_such_key"] = json!(1);
        let result = folder.dispatch(name, input);
        assert!(result.to_text().contains("no_such_key"), "{}", result.to_text());
        let result = folder.dispatch(name, json!({"path": 1}));
        assert!(result.to_text().contains("E_TOOL_INVALID_ARGS"), "{}", result.to_text());
    }
}

#[test]
fn a1_every_builtin_declares_what_it_will_do_before_it_does_it() {
    let scope = Scope::new("/w");
    for (name, input, expected) in [
        ("read_file", json!({"path": "a"}), Action::read("/w/a")),
        ("write_file", json!({"path": "/b", "content": ""}), Action::write("/b")),
        ("list_files", json!({}), Action::read("/w/.")),
        (
            "list_files",
            json!({"path": "c", "recursive": true}),
            Action::FileRead { path: "/w/c".into(), tree: true },
        ),
        ("ls", json!({"path": "c"}), Action::read("/w/c")),
        ("view_subdirectory", json!({"path": "c"}), Action::read_tree("/w/c")),
        ("glob", json!({"pattern": "x", "path": "c"}), Action::read_tree("/w/c")),
        ("glob_search", json!({"pattern": "x"}), Action::read_tree("/w/.")),
        ("grep", json!({"pattern": "x"}), Action::read_tree("/w/.")),
        ("search_files", json!({"path": "c", "regex": "x"}), Action::read_tree("/w/c")),
        ("grep_search", json!({"pattern": "x", "path": "d"}), Action::read_tree("/w/d")),
        ("codebase_search", json!({"query": "x", "path": "d"}), Action::read_tree("/w/d")),
        ("codebase", json!({"query": "x"}), Action::read_tree("/w/.")),
        ("view_diff", json!({"path": "d"}), Action::read_tree("/w/d")),
        ("view_repo_map", json!({"path": "d"}), Action::read_tree("/w/d")),
    ] {
        let plan = crate::support::tool(name).prepare(input, &scope).unwrap();
        assert_eq!(plan.actions(), [expected], "{name}");
    }
}

#[test]
fn a2_every_builtin_is_in_the_category_of_what_it_does() {
    let scope = Scope::new("/w");
    for tool in dogu_builtin::all() {
        let name = tool.spec().name.to_string();
        let (input, _) = case(&name).unwrap();
        let plan = tool.clone().prepare(input, &scope).unwrap();
        // What has no argument can only ask for what it finds while it runs.
        let nothing_said = input_properties(tool.as_ref()).is_empty();
        if plan.actions().is_empty() && tool.spec().primary_argument.as_deref() == Some("id") {
            // It is about a process that the same caller was allowed to start.
            continue;
        }
        let touches = tool.spec().category != Category::System;
        assert_eq!(plan.actions().is_empty(), nothing_said || !touches, "{name}");
        for action in plan.actions() {
            let category = match action {
                Action::Execute { .. } => Category::Execute,
                Action::Network { .. } => Category::Network,
                Action::Mcp { .. } => Category::Mcp,
                Action::Custom { name, .. } if name == "process_send" => Category::Execute,
                Action::Custom { .. } => Category::System,
                _ => Category::Filesystem,
            };
            assert_eq!(tool.spec().category, category, "{name}: {action}");
        }
    }
}

#[test]
fn every_builtin_says_what_it_is_about_to_do_while_the_call_still_comes_in() {
    for tool in dogu_builtin::all() {
        let name = tool.spec().name.to_string();
        if input_properties(tool.as_ref()).is_empty() {
            assert!(tool.partial(&json!({})).is_some(), "{name}");
            continue;
        }
        let unknown = tool.partial(&json!({})).unwrap();
        assert!(unknown.ends_with(": ..."), "{name}: {unknown}");
        let said = match name.as_str() {
            "search_tools" => "query",
            "call_tool" => "name",
            _ => "path",
        };
        let input = json!({said: "a/b", "command": "a/b", "id": "a/b"});
        let known = tool.partial(&input).unwrap();
        assert!(known.ends_with(": a/b"), "{name}: {known}");
    }
}
