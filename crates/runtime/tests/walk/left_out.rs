//! What is left out of a walk, marked or counted.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use dogu_runtime::files::Roots;
use dogu_tool::{Action, CancelFlag, ErrorCode, LeftOut, Onward, WalkOptions};

use crate::support::{Tree, all_of_it, collect, granted, marked, walk_with};

#[test]
fn f19_what_git_ignores_is_left_out_and_counted() {
    let tree = Tree::with([
        (".git/config", ""),
        (".gitignore", "target/\n*.log\n!keep.log\n"),
        ("a.log", ""),
        ("keep.log", ""),
        ("src/target/x", ""),
        ("src/b.rs", ""),
    ]);
    let shown = [".gitignore", "keep.log", "src/", "src/b.rs"];
    let (all, walked) = tree.walk("", &WalkOptions::default());
    assert_eq!(all.into_keys().collect::<Vec<_>>(), shown.map(PathBuf::from));
    assert_eq!((walked.git_ignored, walked.unreadable), (2, 0));
    assert_eq!(
        tree.names("", &marked()),
        [
            ".git/ VersionControl",
            ".gitignore",
            "a.log GitIgnored",
            "keep.log",
            "src/",
            "src/b.rs",
            "src/target/ GitIgnored"
        ]
    );
    assert_eq!(tree.names("src/target", &WalkOptions::default()), ["x"], "named, it is walked");
    assert_eq!(tree.names(".git", &WalkOptions::default()), ["config"]);
    assert_eq!(tree.walk("", &all_of_it()).0.len(), 7);
}

#[test]
fn gitignore_counts_only_in_a_repository_and_dot_ignore_everywhere() {
    let tree = Tree::with([
        (".gitignore", "*.a\n"),
        (".ignore", "*.b\n"),
        ("x.a", ""),
        ("x.b", ""),
        ("inner/.git/HEAD", ""),
        ("inner/.gitignore", "*.c\n!x.b\n"),
        ("inner/x.a", ""),
        ("inner/x.b", ""),
        ("inner/x.c", ""),
    ]);
    assert_eq!(
        tree.names("", &WalkOptions { hidden: false, ..WalkOptions::default() }),
        ["inner/", "inner/x.a", "x.a"]
    );
}

#[test]
fn lines_that_mean_nothing_are_skipped() {
    let tree = Tree::with([(".git/HEAD", ""), ("a", ""), ("b", ""), ("c", "")]);
    fs::write(tree.path(".gitignore"), b"\xef\xbb\xbfa\r\n[z-a]\n\xff\xfe\nb\n").unwrap();
    assert_eq!(tree.names("", &WalkOptions::default()), [".gitignore", "c"]);
    // More than is read: what the beginning says still counts.
    fs::write(tree.path(".gitignore"), "a\n".repeat(600_000)).unwrap();
    assert_eq!(tree.names("", &WalkOptions::default()), [".gitignore", "b", "c"]);
}

#[test]
fn an_ignore_file_that_is_a_link_says_nothing() {
    let tree = Tree::with([(".git/HEAD", ""), ("rules", "a\n"), ("a", "")]);
    std::os::unix::fs::symlink("rules", tree.path(".gitignore")).unwrap();
    assert_eq!(tree.names("", &WalkOptions::default()), [".gitignore@", "a", "rules"]);
}

#[test]
fn a_worktree_has_the_excludes_of_its_repository() {
    let tree = Tree::new();
    let git = |args: &[&str]| {
        let done = Command::new("git").current_dir(&tree.root).args(args).status().unwrap();
        assert!(done.success(), "{args:?}");
    };
    git(&["init", "-q", "main"]);
    let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
    git(&[&["-C", "main"], &author[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
    git(&["-C", "main", "worktree", "add", "-q", "../other"]);
    tree.write("main/.git/info/exclude", "private\n");
    tree.write("other/private", "");
    tree.write("other/public", "");
    assert_eq!(tree.names("other", &WalkOptions::default()), ["public"]);
    assert_eq!(
        tree.names("other", &marked()),
        [".git VersionControl", "private GitIgnored", "public"]
    );
}

#[test]
fn s4_what_agents_are_shut_out_of_is_never_opened() {
    let tree = Tree::with([
        (".doguignore", "shut/\n*.key2\n"),
        ("a.key2", ""),
        ("shut/in", ""),
        ("b/.rooignore", "c\n"),
        ("b/c", ""),
        ("b/d", ""),
    ]);
    let (all, walked) = tree.walk("", &WalkOptions::default());
    let shown = [".doguignore", "b", "b/.rooignore", "b/d"];
    assert_eq!(all.into_keys().collect::<Vec<_>>(), shown.map(PathBuf::from));
    assert_eq!(walked.shut_out, 3);
    assert_eq!(tree.names("b", &WalkOptions::default()), [".rooignore", "d"]);
    let files = tree.files("");
    walk_with(&files, &tree.root, &marked(), &CancelFlag::new(), |entry| {
        if entry.left_out() == Some(LeftOut::ShutOut) {
            assert_eq!(entry.open().unwrap_err().code(), ErrorCode::Denied);
            assert_eq!(entry.facts().unwrap_err().code(), ErrorCode::Denied);
        }
        Onward::Go
    })
    .unwrap();
}

#[test]
fn s4_a_walk_from_above_the_workspace_is_shut_out_all_the_same() {
    let tree = Tree::with([("w/.doguignore", "shut\n"), ("w/shut", ""), ("w/a", ""), ("shut", "")]);
    let roots = Arc::new(Roots::open(&[tree.path("w")]).unwrap());
    let files = granted(&roots, &Action::read_tree(&tree.root));
    let (all, walked) = collect(&files, &tree.root, &WalkOptions::default()).unwrap();
    let shown = ["shut", "w", "w/.doguignore", "w/a"];
    assert_eq!(all.into_keys().collect::<Vec<_>>(), shown.map(PathBuf::from));
    assert_eq!(walked.shut_out, 1);
}
