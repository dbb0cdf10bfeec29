//! What patterns match, and what is left out whatever they match.

use serde_json::json;

use super::{found, found_with};
use crate::support::Folder;

fn tree() -> Folder {
    Folder::with([
        ("src/a.rs", ""),
        ("src/deep/b.ts", ""),
        ("src/deep/c.tsx", ""),
        ("web/src/d.ts", ""),
        (".hidden/e.rs", ""),
        (".dot.rs", ""),
        ("#hash", ""),
        ("a[1].txt", ""),
    ])
}

#[test]
fn f19_patterns_are_lines_of_gitignore() {
    let folder = tree();
    for (pattern, expected) in [
        ("*.rs", vec![".dot.rs", ".hidden/e.rs", "src/a.rs"]),
        ("**/*.rs", vec![".dot.rs", ".hidden/e.rs", "src/a.rs"]),
        ("/*.rs", vec![".dot.rs"]),
        ("./*.rs", vec![".dot.rs"]),
        ("src/*.ts", vec![]),
        ("src/**/*.ts", vec!["src/deep/b.ts"]),
        ("src/**", vec!["src/a.rs", "src/deep/b.ts", "src/deep/c.tsx"]),
        ("**/src/*.ts", vec!["web/src/d.ts"]),
        ("**/deep/*", vec!["src/deep/b.ts", "src/deep/c.tsx"]),
        ("*.{ts,tsx}", vec!["src/deep/b.ts", "src/deep/c.tsx", "web/src/d.ts"]),
        ("{src,web}/**/*.ts", vec!["src/deep/b.ts", "web/src/d.ts"]),
        ("[a-b].*", vec!["src/a.rs", "src/deep/b.ts"]),
        ("?.rs", vec![".hidden/e.rs", "src/a.rs"]),
        ("#*", vec!["#hash"]),
        (r"a\[1\].txt", vec!["a[1].txt"]),
        ("*/*/*", vec!["src/deep/b.ts", "src/deep/c.tsx", "web/src/d.ts"]),
        ("!*.{rs,ts}", vec!["#hash", "a[1].txt", "src/deep/c.tsx"]),
        ("deep/", vec!["src/deep/"]),
        ("**/src/", vec!["src/", "web/src/"]),
        ("/src/", vec!["src/"]),
        ("*.RS", vec![]),
    ] {
        assert_eq!(found(&folder, pattern), expected, "{pattern}");
    }
    let input = json!({"pattern": "*.TSX", "ignore_case": true});
    assert_eq!(found_with(&folder, input), ["src/deep/c.tsx"]);
    let input = json!({"pattern": "*.rs", "hidden": false});
    assert_eq!(found_with(&folder, input), ["src/a.rs"]);
}

#[test]
fn f19_a_pattern_may_begin_at_the_folder_or_at_the_working_folder_or_at_the_root() {
    let folder = tree();
    let absolute = folder.path("web/src/*.ts");
    for pattern in ["src/*.ts", "web/src/*.ts", "*.ts", "/src/*.ts", absolute.to_str().unwrap()] {
        let input = json!({"pattern": pattern, "path": "web"});
        assert_eq!(found_with(&folder, input), ["web/src/d.ts"], "{pattern}");
    }
    let input = json!({"pattern": absolute.to_str().unwrap()});
    assert_eq!(found_with(&folder, input), ["web/src/d.ts"]);
}

#[test]
fn f19_ignored_secret_and_shut_out_files_are_left_out_and_counted() {
    let folder = Folder::with([
        (".git/config", ""),
        (".gitignore", "target/\n*.log\n"),
        (".doguignore", "shut/\nprivate.txt\n"),
        (".env", "TOKEN=1"),
        ("a.log", ""),
        ("private.txt", ""),
        ("shut/x", ""),
        ("src/.env.local", "TOKEN=1"),
        ("src/a.txt", ""),
        ("target/b.txt", ""),
    ]);
    let text = folder.text("glob", json!({"pattern": "**"}));
    let (names, notes) = text.split_once("(3 files").unwrap();
    let mut names: Vec<&str> = names.lines().collect();
    names.sort_unstable();
    assert_eq!(names, [".doguignore", ".gitignore", "src/a.txt"]);
    assert_eq!(
        notes,
        ", newest first)\n\
         (ignored by git: 1 match left out, 1 folder not entered; \"include_ignored\": true finds them)\n\
         (2 matches that may hold secrets left out; a call that names one asks)\n\
         (1 match left out, because an ignore file shuts agents out)\n\
         (1 folder not entered, because of secrets or because an ignore file shuts agents out)\n"
    );
    let input = json!({"pattern": "*.{txt,log}", "include_ignored": true});
    assert_eq!(found_with(&folder, input), ["a.log", "src/a.txt", "target/b.txt"]);
    // A folder that is named is looked in, ignored or not.
    let input = json!({"pattern": "*", "path": "target"});
    assert_eq!(found_with(&folder, input), ["target/b.txt"]);
}

#[test]
fn f19_links_are_found_by_their_name_and_not_followed() {
    let folder = Folder::with([("a/AGENTS.md", "")]);
    std::os::unix::fs::symlink("a/AGENTS.md", folder.path("CLAUDE.md")).unwrap();
    std::os::unix::fs::symlink("a", folder.path("b")).unwrap();
    std::os::unix::fs::symlink("/etc", folder.path("out")).unwrap();
    assert_eq!(found(&folder, "*.md"), ["CLAUDE.md@", "a/AGENTS.md"]);
    assert_eq!(found(&folder, "**/passwd"), [""; 0]);
}

#[test]
fn f19_what_finds_nothing_says_what_might() {
    let folder = tree();
    assert_eq!(
        folder.text("glob", json!({"pattern": "deep"})),
        "No files match \"deep\" in . (13 names looked at).\n\
         (1 folder is of that name: \"**/deep/**\" finds what is in it, \"deep/\" the folder itself)\n"
    );
    assert_eq!(
        folder.text("glob", json!({"pattern": "deep/*.ts"})),
        "No files match \"deep/*.ts\" in . (6 names looked at).\n\
         (with / in it a pattern begins at path; \"**/deep/*.ts\" finds it at any depth)\n"
    );
}

/// What a pattern cannot match is not even looked at.
#[test]
fn f19_a_pattern_that_names_folders_looks_only_there() {
    let folder = Folder::with([("src/a/x.rs", "")]);
    for n in 0..200 {
        folder.write(&format!("other/{n}/x"), "");
    }
    let text = folder.text("glob", json!({"pattern": "src/*/nothing"}));
    assert!(text.contains("(4 names looked at)"), "{text}");
}
