//! Secrets are counted and never shown.

use std::path::PathBuf;

use dogu_tool::{CancelFlag, ErrorCode, LeftOut, Onward, WalkOptions};

use crate::support::{Tree, all_of_it, marked, walk_with};

#[test]
fn s2_what_may_hold_secrets_is_counted_and_not_opened() {
    let tree = Tree::with([
        (".env", "TOKEN=1"),
        (".env.example", "TOKEN="),
        ("keys/server.pem", "-"),
        ("src/a.rs", ""),
        (".ssh/config", ""),
        (".aws/credentials", ""),
        (".aws/other", ""),
    ]);
    for options in [WalkOptions::default(), all_of_it()] {
        let (all, walked) = tree.walk("", &options);
        let shown = [".aws", ".aws/other", ".env.example", "keys", "src", "src/a.rs"];
        assert_eq!(all.into_keys().collect::<Vec<_>>(), shown.map(PathBuf::from));
        assert_eq!(walked.secret, 4);
    }
    let files = tree.files("");
    let walked = walk_with(&files, &tree.root, &marked(), &CancelFlag::new(), |entry| {
        if entry.left_out() == Some(LeftOut::Secret) {
            assert_eq!(entry.open().unwrap_err().code(), ErrorCode::Denied);
            assert!(entry.facts().is_ok());
        }
        Onward::Go
    });
    assert_eq!(walked.unwrap().secret, 4);
}

#[test]
fn s2_a_secret_that_git_ignores_is_called_a_secret() {
    let tree = Tree::with([(".git/HEAD", ""), (".gitignore", ".env\n"), (".env", "")]);
    let names = tree.names("", &marked());
    assert_eq!(names, [".env Secret", ".git/ VersionControl", ".gitignore"]);
}
