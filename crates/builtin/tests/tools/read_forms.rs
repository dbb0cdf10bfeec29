//! `read_file` and `read_file_range`: every form of asking, and several files at once.

use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::Arc;

use dogu_runtime::{Runtime, Source};
use dogu_tool::{
    Action, Category, Ctx, Group, Origin, Output, Principal, Scope, ToolCall, ToolError, ToolSpec,
    TypedTool, typed,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fixtures;
use crate::support::Folder;

const FIVE: &str = "one\ntwo\nthree\nfour\nfive\n";

#[test]
fn f1_one_core_answers_every_front_end() {
    let folder = Folder::with([("src/a.txt", FIVE)]);
    let absolute = folder.path("src/a.txt");
    let expected = "     2\ttwo\n     3\tthree\n";
    for input in [
        json!({"path": "src/a.txt", "offset": 2, "limit": 2}),
        json!({"filepath": "src/a.txt", "start_line": 2, "end_line": 3}),
        json!({"file_path": absolute, "offset": 2, "limit": 2}),
        json!({"file": "./src/a.txt", "offset": "2", "limit": "2"}),
        json!({"path": "src/a.txt", "start_line": 2, "limit": 2, "files": null}),
        json!({"files": [{"path": "src/a.txt", "start_line": 2, "end_line": 3}]}),
        json!({"files": "[{\"path\": \"src/a.txt\", \"line_ranges\": [[2, 3]]}]"}),
        json!({"files": [{"path": "src/a.txt", "line_range": "2-3"}]}),
    ] {
        let result = folder.dispatch("read_file", input.clone());
        assert!(result.to_text().contains(expected), "{input}: {}", result.to_text());
        assert!(!result.to_text().contains("four"), "{input}");
    }
}

#[test]
fn f1_a_failure_carries_the_path() {
    let folder = Folder::with([("a.txt", "")]);
    for input in [json!({"path": "no/such.txt"}), json!({"files": [{"path": "no/such.txt"}]})] {
        let text = folder.dispatch("read_file", input).to_text();
        assert!(text.contains("no/such.txt"), "{text}");
    }
}

#[test]
fn f3_a_range_shows_those_lines_only() {
    let folder = Folder::with([("a.txt", FIVE)]);
    let ask =
        |start: Value, end: Value| json!({"filepath": "a.txt", "startLine": start, "endLine": end});
    let expected = "     2\ttwo\n     3\tthree\n(lines 2-3 of 5)\n";
    assert_eq!(folder.text("read_file_range", ask(json!(2), json!(3))), expected);
    let same = json!({"path": "a.txt", "start_line": 2, "end_line": 3});
    assert_eq!(folder.text("read_file", same), expected);
    assert_eq!(
        folder.text("read_file_range", ask(json!(4), json!(99))),
        "     4\tfour\n     5\tfive\n"
    );
    assert_eq!(
        folder.text("read_file_range", ask(json!(9), json!(10))),
        "(a.txt has 5 lines; line 9 is past its end)"
    );
    for (start, end, expected) in [
        (json!(0), json!(3), "startLine counts from 1"),
        (json!(3), json!(2), "endLine 2 is before startLine 3"),
    ] {
        let error = folder.error("read_file_range", ask(start, end));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn f3_a_range_that_is_too_long_says_how_to_read_on() {
    let content: String = (1..=3_000).map(|n| format!("line {n}\n")).collect();
    let folder = Folder::with([("a.txt", &*content)]);
    let ask = json!({"filepath": "a.txt", "startLine": 2, "endLine": 2_900});
    let text = folder.text("read_file_range", ask);
    let next = r#"read on with {"filepath":"a.txt","startLine":2002,"endLine":2900})"#;
    assert!(text.trim_end().ends_with(next), "{}", &text[text.len() - 200..]);
    let call: Value = serde_json::from_str(&next["read on with ".len()..next.len() - 1]).unwrap();
    let text = folder.text("read_file_range", call);
    assert!(text.starts_with("  2002\t") && text.contains("  2900\tline 2900\n"), "{text}");
    assert!(text.ends_with("(lines 2002-2900 of 3000)\n"), "{}", &text[text.len() - 200..]);
}

#[test]
fn ranges_of_one_file_come_in_order_and_once() {
    let folder = Folder::with([("a.txt", FIVE)]);
    let ranges = json!([[4, 5], "1-1", {"start": 5, "end": 5}]);
    let text =
        folder.text("read_file", json!({"files": [{"path": "a.txt", "line_ranges": ranges}]}));
    assert_eq!(text, "<file path=\"a.txt\">\n     1\tone\n     4\tfour\n     5\tfive\n</file>\n");
    let ranges = json!([[1, 1], [3, 3]]);
    let text =
        folder.text("read_file", json!({"files": [{"path": "a.txt", "line_ranges": ranges}]}));
    assert!(text.contains("(lines 1-1, 3-3 of 5)\n"), "{text}");
}

#[test]
fn f2_every_file_has_its_own_answer() {
    let folder = Folder::with([("a.txt", "aaa\n"), ("src/c.txt", "ccc"), ("empty", "")]);
    let files = json!(["a.txt", "src/b.txt", "src/c.txt", "src", "empty"]);
    let files: Vec<Value> =
        files.as_array().unwrap().iter().map(|path| json!({"path": path})).collect();
    let text = folder.text("read_file", json!({"files": files}));
    let text = text.replace(&format!("{}/", folder.root().display()), "");
    assert_eq!(
        text,
        "<file path=\"a.txt\">\n     1\taaa\n</file>\n\
         <file path=\"src/b.txt\"><error>file not found: src/b.txt. Did you mean src/c.txt?</error></file>\n\
         <file path=\"src/c.txt\">\n     1\tccc\n</file>\n\
         <file path=\"src\"><error>src is a folder. list_files shows what is in a folder.</error></file>\n\
         <file path=\"empty\">\n(empty is empty)\n</file>\n"
    );
}

#[test]
fn f2_many_large_files_share_what_one_call_may_show() {
    let line = format!("{}\n", "x".repeat(99));
    let folder = Folder::new();
    folder.write("small", "all of it\n".repeat(20));
    let mut files = vec![json!({"path": "small"})];
    for n in 0..9 {
        folder.write(&format!("f{n}"), line.repeat(2_000));
        files.push(json!({"path": format!("f{n}")}));
    }
    let text = folder.text("read_file", json!({"files": files}));
    assert!(text.len() < 95_000, "{}", text.len());
    assert!(text.contains("    20\tall of it\n</file>"), "{text}");
    let blocks: Vec<&str> = text.split("</file>").skip(1).take(9).collect();
    for block in blocks {
        assert!((7_000..11_000).contains(&block.len()), "{}", block.len());
        assert!(block.contains("of 2000; read on with {\"path\":\"f"), "{block}");
    }
}

#[test]
fn s4_ignored_and_guarded_files_are_left_out_one_by_one() {
    let outside = Folder::with([("out.txt", "outside text\n")]);
    let folder = Folder::with([
        ("a.txt", "aaa\n"),
        ("secret.txt", "ignored text\n"),
        (".doguignore", "secret.txt\n"),
        (".env", "KEY=value-of-it\n"),
        ("z.txt", "zzz\n"),
    ]);
    symlink(outside.root(), folder.path("link")).unwrap();
    let paths = [
        "a.txt",
        "secret.txt",
        "missing.txt",
        ".env",
        "/etc/hostname",
        "link/out.txt",
        "/proc/self/environ",
        "z.txt",
    ];
    let files: Vec<Value> = paths.iter().map(|path| json!({"path": path})).collect();
    let result = folder.dispatch("read_file", json!({"files": files}));
    let text = result.to_text();
    assert!(!result.is_error(), "{text}");
    let blocks: Vec<&str> = text.split_inclusive("</file>\n").collect();
    assert_eq!(blocks.len(), paths.len(), "{text}");
    assert_eq!(blocks[0], "<file path=\"a.txt\">\n     1\taaa\n</file>\n");
    let ignored = "<file path=\"secret.txt\"><error>File is ignored: secret.txt</error></file>\n";
    assert_eq!(blocks[1], ignored);
    assert!(blocks[2].contains("<error>file not found: "), "{}", blocks[2]);
    for (at, path) in paths.iter().enumerate().take(7).skip(3) {
        assert!(
            blocks[at].starts_with(&format!("<file path=\"{path}\"><error>")),
            "{}",
            blocks[at]
        );
    }
    assert_eq!(blocks[7], "<file path=\"z.txt\">\n     1\tzzz\n</file>\n");
    for secret in ["ignored text", "value-of-it", "outside text", "PATH="] {
        assert!(!text.contains(secret), "{text}");
    }
    let alone = folder.dispatch("read_file", json!({"path": "secret.txt"})).to_text();
    assert!(alone.contains("File is ignored"), "{alone}");
}

/// Tells what is remembered of files.
struct Remembered;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Paths {
    paths: Vec<String>,
}

impl TypedTool for Remembered {
    type Input = Paths;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Paths>("remembered", "Tells what is remembered of files.")
            .in_group(Category::Filesystem, Group::Read)
            .read_only()
    }

    fn actions(&self, input: &Paths, scope: &Scope) -> Vec<Action> {
        input.paths.iter().map(|path| Action::read(scope.resolve(path))).collect()
    }

    async fn run(&self, input: Paths, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut found = Vec::new();
        for path in &input.paths {
            let path = ctx.scope().resolve(path);
            let seen = ctx.files().last_seen(&path)?;
            let now = ctx.files().facts(&path)?.map(|facts| facts.stamp);
            found.push(seen.map(|seen| {
                let hash = seen.hash.map(|hash| hash.map(|byte| format!("{byte:02x}")).concat());
                json!({"hash": hash, "same": Some(seen.stamp) == now})
            }));
        }
        Ok(Output::with_structured("", found))
    }
}

/// Reads, changes `changed`, and tells what is remembered of these files.
fn remembered(folder: &Folder, files: &Value, changed: &str, asked: &[&str]) -> Value {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio.block_on(async {
        let tools = dogu_builtin::all().into_iter().chain([typed(Remembered)]);
        let runtime = Runtime::builder(Scope::new(folder.root()))
            .tools(&Source::Builtin, tools)
            .unwrap()
            .build()
            .unwrap();
        let call = async |name: &str, input: Value| {
            let step = runtime.step(Arc::new(Origin::of(Principal::process("test"))));
            step.dispatch(ToolCall::new("c", name, input)).await
        };
        assert!(!call("read_file", json!({"files": files})).await.is_error());
        std::fs::write(folder.path(changed), "changed\n").unwrap();
        call("remembered", json!({"paths": asked})).await.structured.unwrap()
    })
}

#[test]
fn f2_what_was_read_is_remembered_with_its_hash() {
    let long: String = (0..5_000).map(|n| format!("{n}\n")).collect();
    let folder = Folder::with([("a", "aaa\n"), ("b", &*long), ("c", "ccc\n"), ("wide", "x")]);
    folder.write("wide", [&[0xff, 0xfe][..], &[b'h', 0, b'i', 0]].concat());
    let files = json!([{"path": "a"}, {"path": "missing"}, {"path": "b", "line_range": "1-2"}, {"path": "wide"}]);
    let found = remembered(&folder, &files, "a", &["a", "missing", "b", "c", "wide"]);
    let hash = |name: &str, old: Option<&str>| {
        let content = old.map_or_else(|| std::fs::read(folder.path(name)).unwrap(), Into::into);
        blake3::hash(&content).to_string()
    };
    assert_eq!(
        found,
        json!([
            {"hash": hash("a", Some("aaa\n")), "same": false},
            null,
            {"hash": hash("b", None), "same": true},
            null,
            {"hash": hash("wide", None), "same": true},
        ])
    );
}

#[test]
fn f2_documents_and_pictures_are_remembered_as_all_files_are() {
    let folder = Folder::with([("other", "")]);
    let made = [
        ("n.ipynb", fixtures::notebook().into_bytes()),
        ("broken.ipynb", b"{".to_vec()),
        ("p.png", fixtures::picture(9, 9, image::ImageFormat::Png)),
        ("d.pdf", fixtures::pdf(&["BT /F1 9 Tf (x) Tj ET"], fixtures::Packed::Flate)),
        ("d.docx", fixtures::docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>")),
        ("b.xlsx", fixtures::xlsx("")),
    ];
    for (name, content) in &made {
        folder.write(name, content);
    }
    let names: Vec<&str> = made.iter().map(|(name, _)| *name).collect();
    let files: Vec<Value> = names.iter().map(|name| json!({"path": name, "end_line": 1})).collect();
    let found = remembered(&folder, &json!(files), "other", &names);
    let expected: Vec<Value> = (made.iter())
        .map(|(_, content)| json!({"hash": blake3::hash(content).to_string(), "same": true}))
        .collect();
    assert_eq!(found, json!(expected));
}

#[test]
fn a_block_is_found_around_a_line() {
    let code = "# about f\ndef f():\n    if x:\n        one()\n        two()\n    return 1\n\ndef g():\n    pass\n";
    let folder = Folder::with([("a.py", code)]);
    let ask = |block: Value| {
        folder
            .text("read_file", json!({"path": "a.py", "mode": "indentation", "indentation": block}))
    };
    assert_eq!(
        ask(json!({"anchor_line": 4, "max_levels": 1})),
        "     3\t    if x:\n     4\t        one()\n     5\t        two()\n     6\t    return 1\n(lines 3-6 of 9, the block around line 4)\n"
    );
    let whole = ask(json!({"anchor_line": 4}));
    assert!(whole.starts_with("     1\t# about f\n     2\tdef f():\n"), "{whole}");
    let bare = ask(json!({"anchor_line": 4, "include_header": false}));
    assert!(bare.starts_with("     2\tdef f():\n"), "{bare}");
    assert_eq!(
        ask(json!({"anchor_line": 40})),
        "(a.py has 9 lines; anchor_line 40 is past its end)"
    );
    let one = folder
        .text("read_file", json!({"path": "a.py", "offset": 9, "limit": 1, "mode": "indentation"}));
    assert_eq!(one, "     9\t    pass\n(lines 9-9 of 9, the block around line 9)\n");
}

#[test]
fn what_is_no_plain_file_is_told() {
    let folder = Folder::with([("a.txt", "a")]);
    Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    symlink("loop2", folder.path("loop1")).unwrap();
    symlink("loop1", folder.path("loop2")).unwrap();
    symlink("/dev/zero", folder.path("zero")).unwrap();
    symlink("/proc/self/environ", folder.path("environ")).unwrap();
    for (path, expected) in [
        ("pipe", "is a pipe, socket or device"),
        ("loop1", "loop"),
        ("/dev/zero", "is a pipe, socket or device"),
        ("zero", "is a pipe, socket or device"),
        ("/dev/fd/0", "/proc"),
        ("/proc/self/environ", "/proc"),
        ("/proc/version", "/proc"),
        ("environ", "/proc"),
        ("a.txt/b", "not a folder"),
        ("", "Send path"),
        ("a\0b", "\\0"),
    ] {
        let error = folder.error("read_file", json!({"path": path}));
        assert!(error.contains(expected), "{path:?}: {error}");
    }
}

#[test]
fn the_schema_is_closed_and_has_no_references() {
    for name in ["read_file", "read_file_range"] {
        let schema = crate::support::tool(name).spec().input_schema.clone();
        let text = schema.to_string();
        assert!(!text.contains("$ref") && !text.contains("$defs"), "{text}");
        assert_eq!(schema["additionalProperties"], false, "{text}");
    }
}
