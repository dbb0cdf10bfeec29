//! `read_currently_open_file`.

use std::path::PathBuf;
use std::sync::Arc;

use dogu_runtime::{Runtime, Source};
use dogu_tool::{Editor, OpenFile, Origin, Principal, Scope, ToolCall};
use serde_json::json;

use crate::support::Folder;

/// An editor with these files.
struct Fake(Vec<OpenFile>);

impl Editor for Fake {
    fn open_files(&self) -> Vec<OpenFile> {
        self.0.clone()
    }
}

fn file(path: PathBuf, text: &str, current: bool) -> OpenFile {
    OpenFile { path, text: text.to_owned(), current }
}

/// What the tool says to an editor with these files, where nobody can be asked.
fn read(folder: &Folder, open: Option<Vec<OpenFile>>) -> String {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio.block_on(async {
        let mut builder = Runtime::builder(Scope::new(folder.root()))
            .tools(&Source::Builtin, dogu_builtin::all())
            .unwrap();
        if let Some(open) = open {
            builder = builder.editor(Arc::new(Fake(open)));
        }
        let runtime = builder.build().unwrap();
        let step = runtime.step(Arc::new(Origin::of(Principal::process("test"))));
        step.dispatch(ToolCall::new("c", "read_currently_open_file", json!({}))).await.to_text()
    })
}

#[test]
fn f4_the_file_in_front_of_the_user_is_shown_with_unsaved_changes() {
    let folder = Folder::with([("src/a.rs", "saved\n"), ("b.rs", "")]);
    let open = vec![
        file(folder.path("b.rs"), "", false),
        file(folder.path("src/a.rs"), "not saved\nyet", true),
    ];
    assert_eq!(
        read(&folder, Some(open)),
        "src/a.rs\n     1\tnot saved\n     2\tyet\n(also open: b.rs)\n"
    );
}

#[test]
fn f4_no_open_file_and_no_editor_are_told() {
    let folder = Folder::new();
    assert_eq!(read(&folder, Some(Vec::new())), "There are no files currently open.");
    assert_eq!(
        read(&folder, None),
        "There is no editor connected; read_file reads files by their path."
    );
    let open = vec![file(folder.path("a"), "text", false)];
    assert_eq!(
        read(&folder, Some(open)),
        "The user looks at none of the open files now; open are: a"
    );
}

#[test]
fn f4_a_file_that_may_not_be_read_is_not_shown_from_the_editor_either() {
    let folder = Folder::with([(".doguignore", "shut\n"), ("shut", ""), (".env", "")]);
    for path in [folder.path(".env"), folder.path("shut"), PathBuf::from("/etc/hostname")] {
        let text = read(&folder, Some(vec![file(path.clone(), "SECRET TEXT", true)]));
        assert!(text.contains("E_TOOL_DENIED"), "{path:?}: {text}");
        assert!(!text.contains("SECRET TEXT"), "{path:?}: {text}");
    }
}

#[test]
fn f4_a_long_file_is_cut_with_the_call_that_reads_on() {
    let folder = Folder::new();
    let text: String = (1..=2_500).map(|n| format!("line {n}\n")).collect();
    let shown = read(&folder, Some(vec![file("new.txt".into(), &text, true)]));
    assert!(shown.starts_with("new.txt\n     1\tline 1\n"), "{}", &shown[..100]);
    let end = "  2000\tline 2000\n(lines 1-2000 of 2500; read_file with {\"path\":\"new.txt\",\"offset\":2001} shows the rest as it is saved)\n";
    assert!(shown.ends_with(end), "{}", &shown[shown.len() - 200..]);
    let long = format!("{}\n", "é".repeat(3_000));
    let shown = read(&folder, Some(vec![file("a".into(), &long, true)]));
    assert!(shown.ends_with(&format!("{} [... line of 6000 bytes cut]\n", "é".repeat(2_000))));
    assert!(read(&folder, Some(vec![file("a".into(), "", true)])).ends_with("(it is empty)\n"));
}
