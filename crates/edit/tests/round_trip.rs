//! What is printed is read and applied again; what `diff`, `git` and `patch` print and read, too.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests fail as tests do")]

use std::fs;
use std::path::Path;
use std::process::Command;

use dogu_edit::blocks::{Block, apply, parse as parse_blocks, render};
use dogu_edit::diff::{Limits, file_within};
use dogu_edit::patch::{FileChange, Hunk, Mark, apply_update, parse};
use proptest::prelude::*;

/// What a patch of one file makes of its content; nothing if it deletes it.
fn patched(old: &str, patch: &str) -> Option<String> {
    let patch = parse(patch).unwrap();
    assert_eq!(patch.files.len(), 1);
    match &patch.files[0].change {
        FileChange::Add { content } => Some(content.clone()),
        FileChange::Delete => None,
        FileChange::Update { hunks, .. } => match apply_update(old, hunks) {
            Ok(updated) => Some(updated.text),
            Err(failures) => panic!("{failures:?}"),
        },
    }
}

/// The hunks of a diff without names and numbers.
fn bare_hunks(diff: &str) -> String {
    let hunks = diff.split_inclusive('\n').skip(2);
    hunks.map(|line| if line.starts_with("@@") { "@@\n" } else { line }).collect()
}

/// A hunk as a block.
fn block(hunk: &Hunk, numbered: bool) -> Block {
    let side = |gone: Mark| -> String {
        let lines = hunk.lines.iter().filter(|line| line.mark != gone);
        lines.map(|line| format!("{}\n", line.text)).collect()
    };
    Block {
        search: side(Mark::Added),
        replace: side(Mark::Removed),
        start_line: hunk.start.filter(|_| numbered),
        ..Block::default()
    }
}

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("not run: {program} is not there");
    }
    found
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

/// What a program makes of two files, in a folder of their own.
fn with_files(old: &str, new: &str, run: impl Fn(&Path) -> String) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), old).unwrap();
    fs::write(folder.path().join("new"), new).unwrap();
    run(folder.path())
}

fn gnu_diff(old: &str, new: &str, context: usize) -> String {
    with_files(old, new, |folder| {
        let context = format!("-U{context}");
        stdout(
            Command::new("diff")
                .args([&context, "-a", "--label", "a/f", "--label", "b/f", "old", "new"])
                .current_dir(folder),
        )
    })
}

fn git_diff(old: &str, new: &str) -> String {
    with_files(old, new, |folder| {
        let arguments = ["diff", "--no-index", "--text", "--no-color", "old", "new"];
        stdout(
            Command::new("git")
                .args(arguments)
                .current_dir(folder)
                .env("GIT_CONFIG_GLOBAL", "/dev/null"),
        )
    })
}

fn gnu_patch(old: &str, patch: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), old).unwrap();
    fs::write(folder.path().join("p"), patch).unwrap();
    let output = Command::new("patch")
        .args(["-p1", "--binary", "-s", "--no-backup-if-mismatch", "-i", "p"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}\n{patch}", String::from_utf8_lossy(&output.stdout));
    fs::read_to_string(folder.path().join("f")).unwrap_or_default()
}

fn text() -> impl Strategy<Value = String> {
    let line =
        prop_oneof![4 => "[ab]{0,1}", 1 => "[ab+@ \\\\*-]{0,4}", 1 => "\\PC{0,4}", 1 => "[ab]\r"];
    (prop::collection::vec(line, 0..25), any::<bool>()).prop_map(|(lines, ends)| {
        let mut text = lines.join("\n");
        if ends && !text.is_empty() {
            text.push('\n');
        }
        text
    })
}

/// A text and one that differs from it here and there.
fn pair() -> impl Strategy<Value = (String, String)> {
    let changed =
        (text(), prop::collection::vec((any::<prop::sample::Index>(), "[abx\r]{0,2}"), 0..4));
    let near = changed.prop_map(|(old, changes)| {
        let mut lines: Vec<&str> = old.split_inclusive('\n').collect();
        for (at, new) in &changes {
            if !lines.is_empty() {
                let at = at.index(lines.len());
                lines[at] = new;
            }
        }
        let new = lines.concat();
        (old, new)
    });
    prop_oneof![near, (text(), text())]
}

proptest! {
    #[test]
    fn f11_what_is_printed_is_applied((old, new) in pair(), context in 1_usize..5) {
        let diff = file_within(Some(("f", &old)), Some(("f", &new)), context, Limits::NONE);
        if old == new {
            prop_assert_eq!(diff.text, "");
        } else {
            prop_assert_eq!(patched(&old, &diff.text).unwrap(), new, "{}", diff.text);
        }
    }

    #[test]
    fn f11_without_numbers_it_is_right_or_refused(
        old in "([ab \t]{0,2}\n){1,20}", new in "([ab \t]{0,2}\n){0,20}", context in 1_usize..4,
    ) {
        let diff = file_within(Some(("f", &old)), Some(("f", &new)), context, Limits::NONE);
        if old != new {
            let patch = format!("*** Begin Patch\n*** Update File: f\n{}*** End Patch\n", bare_hunks(&diff.text));
            let patch = parse(&patch).unwrap();
            let FileChange::Update { hunks, .. } = &patch.files[0].change else { panic!() };
            if let Ok(updated) = apply_update(&old, hunks) {
                prop_assert_eq!(updated.text, new, "{}", diff.text);
            }
        }
    }

    #[test]
    fn f9_blocks_of_any_change_are_right_or_refused(
        old in "([ab \t]{0,2}\n){1,20}", new in "([ab \t]{0,2}\n){0,20}", context in 1_usize..4,
        numbered in any::<bool>(),
    ) {
        let diff = file_within(Some(("f", &old)), Some(("f", &new)), context, Limits::NONE);
        if old != new {
            let patch = parse(&diff.text).unwrap();
            let FileChange::Update { hunks, .. } = &patch.files[0].change else { panic!() };
            let all: Vec<Block> = hunks.iter().map(|hunk| block(hunk, numbered)).collect();
            match apply(&old, &parse_blocks(&render(&all)).unwrap()) {
                Ok(applied) => prop_assert_eq!(applied.text, new, "{}", diff.text),
                Err(failures) => prop_assert!(!numbered, "{:?}", failures),
            }
        }
    }

    #[test]
    fn f11_any_text_is_read_or_refused(
        patch in "(\\*\\*\\* (Begin Patch|End Patch|Add File: a|Update File: a|End of File|Move to: b|x)|--- a/x|\\+\\+\\+ b/x|@@( -[0-9],[0-9] \\+[0-9] @@)?| ?diff --git a/x b/x|[-+ \\\\]?[ab\0\r]{0,2}|new file mode 100644|```|<<EOF|EOF|\n){0,1}(\n(@@|[-+ ][ab]?|\\\\|--- a|\\+\\+\\+ a|@@ -1 \\+1 @@|\\*\\*\\* End Patch|\\*\\*\\* Update File: q)){0,20}",
        content in "[ab\r\n]{0,20}",
    ) {
        if let Ok(patch) = parse(&patch) {
            for file in &patch.files {
                prop_assert!(!file.path.is_empty() && !file.path.contains(['\0', '\n']));
                if let FileChange::Update { hunks, .. } = &file.change {
                    let _ = apply_update(&content, hunks);
                }
            }
        }
    }
}

proptest! {
    // Each case starts programs.
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn f11_what_diff_prints_is_applied((old, new) in pair(), context in 1_usize..4) {
        if !has("diff") { return Ok(()); }
        let diff = gnu_diff(&old, &new, context);
        if old != new {
            prop_assert_eq!(patched(&old, &diff).unwrap(), new, "{}", diff);
        }
    }

    #[test]
    fn f11_what_git_prints_is_applied((old, new) in pair()) {
        if !has("git") { return Ok(()); }
        let diff = git_diff(&old, &new);
        if old != new {
            prop_assert_eq!(patched(&old, &diff).unwrap(), new, "{}", diff);
        }
    }

    #[test]
    fn f11_patch_agrees((old, new) in pair()) {
        if !has("patch") { return Ok(()); }
        let diff = file_within(Some(("f", &old)), Some(("f", &new)), 3, Limits::NONE);
        if old != new {
            prop_assert_eq!(gnu_patch(&old, &diff.text), new, "{}", diff.text);
        }
    }
}

#[test]
fn f11_files_that_come_go_and_move_are_read_back() {
    let read = |before, after| {
        let diff = dogu_edit::diff::file(before, after);
        parse(&diff.text).unwrap().files.remove(0)
    };
    let added = read(None, Some(("dir/n \"q\"", "x\ny")));
    assert_eq!(added.path, "dir/n \"q\"");
    assert_eq!(added.change, FileChange::Add { content: "x\ny".to_owned() });
    assert_eq!(read(None, Some(("e", ""))).change, FileChange::Add { content: String::new() });
    assert_eq!(read(Some(("g", "x\n")), None).change, FileChange::Delete);
    assert_eq!(read(Some(("g", "")), None).change, FileChange::Delete);
    let moved = read(Some(("a b", "x\n")), Some(("c d", "y\n")));
    let FileChange::Update { hunks, move_to } = &moved.change else { panic!() };
    assert_eq!((moved.path.as_str(), move_to.as_deref()), ("a b", Some("c d")));
    assert_eq!(apply_update("x\n", hunks).unwrap().text, "y\n");
}

#[test]
fn f11_a_real_repository_s_diff_is_applied() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let long: String = (0..40).map(|n| format!("line {n}\n")).collect();
    git(&["init", "-q"]);
    write("rename me", &long);
    write("ä.txt", "a\r\nb\r\n");
    write("gone", "x\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    fs::remove_file(folder.path().join("gone")).unwrap();
    fs::rename(folder.path().join("rename me"), folder.path().join("renamed")).unwrap();
    write("renamed", &long.replace("line 7\n", "seven\n"));
    write("ä.txt", "a\r\nB\r\n");
    write("empty", "");
    git(&["add", "-A"]);
    let patch = parse(&git(&["diff", "--cached", "-M"])).unwrap();
    let mut seen: Vec<_> = patch.files.iter().map(|file| file.path.as_str()).collect();
    seen.sort_unstable();
    assert_eq!(seen, ["empty", "gone", "rename me", "ä.txt"]);
    for file in &patch.files {
        match (file.path.as_str(), &file.change) {
            ("empty", change) => assert_eq!(*change, FileChange::Add { content: String::new() }),
            ("gone", change) => assert_eq!(*change, FileChange::Delete),
            ("rename me", FileChange::Update { hunks, move_to }) => {
                assert_eq!(move_to.as_deref(), Some("renamed"));
                let text = apply_update(&long, hunks).unwrap().text;
                assert_eq!(text, long.replace("line 7\n", "seven\n"));
            }
            ("ä.txt", FileChange::Update { hunks, .. }) => {
                assert_eq!(apply_update("a\r\nb\r\n", hunks).unwrap().text, "a\r\nB\r\n");
            }
            other => panic!("{other:?}"),
        }
    }
}
