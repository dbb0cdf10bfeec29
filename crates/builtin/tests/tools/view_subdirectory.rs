//! `view_subdirectory`.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use insta::assert_snapshot;
use serde_json::json;

use crate::support::Folder;

fn tree() -> Folder {
    let folder = Folder::with([
        (".git/HEAD", ""),
        (".gitignore", "target/\n"),
        ("app/.env", "TOKEN=1"),
        ("app/README.md", ""),
        ("app/src/a.rs", ""),
        ("app/src/a/deep/er/one.rs", ""),
        ("app/src/a/deep/two.rs", ""),
        ("app/src/a-b.rs", ""),
        ("app/target/debug/x", ""),
        ("app/tests/t.rs", ""),
    ]);
    std::fs::create_dir(folder.path("app/empty")).unwrap();
    symlink("../..", folder.path("app/up")).unwrap();
    folder
}

#[test]
fn f15_a_folder_is_a_tree_with_counts() {
    let text = tree().text("view_subdirectory", json!({"path": "app"}));
    assert_snapshot!(text, @r#"
    app/ (8 files, 7 folders)
      .env (may hold secrets)
      README.md
      empty/ (empty)
      src/ (4 files, 3 folders)
        a/ (2 files, 2 folders)
          deep/ (2 files, 1 folder)
        a-b.rs
        a.rs
      target/ (ignored by git)
      tests/ (1 file)
        t.rs
      up@
    (12 of 15 names shown; the same call with "depth": 4 shows more, view_subdirectory {"path":"app/src"} a part)
    "#);
    let text = tree().text("view_subdirectory", json!({"path": "app", "depth": 1}));
    assert_snapshot!(text, @r#"
    app/ (8 files, 7 folders)
      .env (may hold secrets)
      README.md
      empty/ (empty)
      src/ (4 files, 3 folders)
      target/ (ignored by git)
      tests/ (1 file)
      up@
    (7 of 15 names shown; the same call with "depth": 2 shows more, view_subdirectory {"path":"app/src"} a part)
    "#);
    let text = tree().text("view_subdirectory", json!({"path": "app", "depth": 9}));
    assert!(text.contains("          one.rs\n") && !text.contains("names shown"), "{text}");
}

#[test]
fn f15_when_the_limit_bites_folders_say_how_much_is_not_shown() {
    let folder = Folder::new();
    for n in 0..20 {
        folder.write(&format!("a/{n:02}"), "");
        folder.write(&format!("b/in/{n:02}"), "");
        folder.write(&format!("{n:02}"), "");
    }
    let text = folder.text("view_subdirectory", json!({"path": ".", "limit": 26}));
    assert_snapshot!(text, @r#"
    ./ (60 files, 3 folders)
      00
      01
      02
      03
      04
      05
      06
      07
      08
      09
      10
      11
      12
      13
      14
      15
      16
      17
      18
      19
      a/ (20 files)
        00
        01
        02
        03
        … 16 more
      b/ (20 files, 1 folder)
    (26 of 63 names shown; the same call with "limit": 63 shows more, view_subdirectory {"path":"b"} a part)
    "#);
    let text = folder.text("view_subdirectory", json!({"path": "./", "limit": 1}));
    assert_snapshot!(text, @r#"
    ./ (60 files, 3 folders)
      a/ (20 files)
      b/ (20 files, 1 folder)
      … 20 more
    (2 of 63 names shown; the same call with "limit": 63 shows more, view_subdirectory {"path":"b"} a part)
    "#);
}

#[test]
fn f15_other_names_of_the_path_are_understood() {
    let text = tree().dispatch("view_subdirectory", json!({"directory_path": "app/tests"}));
    assert_eq!(text.to_text(), "app/tests/ (1 file)\n  t.rs\n");
}

#[test]
fn f15_what_is_no_folder_is_an_error() {
    let folder = tree();
    assert_eq!(
        folder.error("view_subdirectory", json!({"path": "app/README.md"})),
        "app/README.md is not a folder\nread_file shows what is in a file."
    );
    let text = folder.error("view_subdirectory", json!({"path": "no"}));
    assert!(text.starts_with("folder not found: no\n"), "{text}");
    assert_eq!(
        folder.text("view_subdirectory", json!({"path": "app/empty"})),
        "app/empty/ (empty)\n"
    );
}

#[test]
fn f15_special_files_and_odd_names_are_one_line() {
    let folder = Folder::with([("d/a\nb/x", "")]);
    let _socket = UnixListener::bind(folder.path("d/s")).unwrap();
    assert_eq!(
        folder.text("view_subdirectory", json!({"path": "d"})),
        "d/ (2 files, 1 folder)\n  \"a\\nb\"/ (1 file)\n    x\n  s (special)\n"
    );
}

#[test]
fn f15_a_tree_deeper_than_it_is_shown_is_counted_to_its_end() {
    let folder = Folder::new();
    let deep = "d/".repeat(300);
    folder.write(&format!("{deep}x"), "");
    let text = folder.text("view_subdirectory", json!({"path": ".", "depth": 1}));
    assert!(text.starts_with("./ (1 file, 300 folders)\n  d/ (1 file, 299 folders)\n"), "{text}");
}
