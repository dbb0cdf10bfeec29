//! Files that change between being read, decided about and written.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dogu_runtime::{Answer, PermissionDelegate, Question, Runtime, Settings, Source};
use dogu_tool::{BoxFuture, Origin, Principal, Scope, ToolCall, ToolResult};
use serde_json::{Value, json};

use crate::support::{Folder, tokio};

/// Calls in one session, in which writing is approved.
fn session(folder: &Folder) -> Runtime {
    let settings = "permissions: {auto_approve: {write: true}}\n";
    Runtime::builder(Scope::new(folder.root()))
        .tools(&Source::Builtin, dogu_builtin::all())
        .unwrap()
        .settings(Settings::parse(settings, "test".as_ref()).unwrap())
        .build()
        .unwrap()
}

fn call(runtime: &Runtime, tool: &str, input: Value) -> ToolResult {
    tokio().block_on(async {
        let origin = Arc::new(Origin::of(Principal::process("test")));
        runtime.step_with(origin, runtime.catalog()).dispatch(ToolCall::new("c", tool, input)).await
    })
}

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\n";

#[test]
fn a_file_that_changed_since_it_was_read_is_merged() {
    let folder = Folder::with([("a.txt", BEFORE)]);
    let runtime = session(&folder);
    call(&runtime, "read_file", json!({"path": "a.txt"}));
    folder.write("a.txt", BEFORE.replace("one", "ONE"));
    let input = json!({"path": "a.txt", "content": BEFORE.replace("five", "FIVE")});
    let text = call(&runtime, "write_file", input).to_text();
    assert!(text.contains("changed since you read it"), "{text}");
    assert_eq!(folder.read("a.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n");
}

#[test]
fn where_both_changed_the_same_it_is_refused_with_both_versions() {
    let folder = Folder::with([("a.txt", BEFORE)]);
    let runtime = session(&folder);
    call(&runtime, "read_file", json!({"path": "a.txt"}));
    folder.write("a.txt", BEFORE.replace("two", "theirs"));
    let input = json!({"path": "a.txt", "content": BEFORE.replace("two", "mine")});
    let text = call(&runtime, "write_file", input).to_text();
    assert!(text.contains("theirs") && text.contains("mine"), "{text}");
    assert!(text.contains("nothing was written"), "{text}");
    assert_eq!(folder.read("a.txt"), BEFORE.replace("two", "theirs"));
}

#[test]
fn own_writes_are_no_surprise() {
    let folder = Folder::with([("a.txt", BEFORE)]);
    let runtime = session(&folder);
    call(&runtime, "read_file", json!({"path": "a.txt"}));
    let edit = json!({"path": "a.txt", "old_string": "two", "new_string": "2"});
    call(&runtime, "edit_file", edit);
    let text = call(&runtime, "write_file", json!({"path": "a.txt", "content": "new\n"})).to_text();
    assert!(!text.contains("changed since"), "{text}");
    assert_eq!(folder.read("a.txt"), "new\n");
}

/// Says yes, but somebody changes the file while it thinks the first time.
struct Slow {
    path: std::path::PathBuf,
    asked: Arc<AtomicUsize>,
}

impl PermissionDelegate for Slow {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let times = self.asked.fetch_add(1, Ordering::SeqCst);
        let shown = question.preview.clone().and_then(|preview| preview.detail).unwrap_or_default();
        if times == 0 {
            assert!(shown.contains("-two"), "{shown}");
            std::fs::write(&self.path, BEFORE.replace("one", "uno")).unwrap();
        } else {
            assert!(shown.contains(" uno"), "{shown}");
            assert!(question.reasons[0].contains("changed meanwhile"), "{:?}", question.reasons);
        }
        Box::pin(async { Answer::yes() })
    }
}

#[test]
fn a_file_that_changes_while_a_person_decides_is_shown_and_asked_again() {
    let folder = Folder::with([("a.txt", BEFORE)]);
    let asked = Arc::new(AtomicUsize::new(0));
    let runtime = Runtime::builder(Scope::new(folder.root()))
        .tools(&Source::Builtin, dogu_builtin::all())
        .unwrap()
        .delegate(Arc::new(Slow { path: folder.path("a.txt"), asked: Arc::clone(&asked) }))
        .build()
        .unwrap();
    let edit = json!({"path": "a.txt", "old_string": "two", "new_string": "2"});
    let result = call(&runtime, "edit_file", edit);
    assert!(result.error.is_none(), "{}", result.to_text());
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(folder.read("a.txt"), "uno\n2\nthree\nfour\nfive\n");
}

#[test]
fn edits_of_one_file_at_the_same_time_are_all_made() {
    const EDITS: usize = 40;
    let folder = Folder::new();
    let line = |who: usize, number: usize| format!("line {who}.{number} of the file\n");
    let before: String = (0..EDITS).flat_map(|number| [line(0, number), line(1, number)]).collect();
    folder.write("a.txt", &before);
    std::thread::scope(|scope| {
        for who in 0..2 {
            let folder = &folder;
            scope.spawn(move || {
                for number in 0..EDITS {
                    let old = line(who, number);
                    let new = old.replace("line", "LINE");
                    let edit = json!({"path": "a.txt", "old_string": old, "new_string": new});
                    folder.text("edit_file", edit);
                }
            });
        }
    });
    assert_eq!(folder.read("a.txt"), before.replace("line", "LINE"));
}
