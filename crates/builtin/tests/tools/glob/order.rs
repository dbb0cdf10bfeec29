//! Which files are shown, and in which order.

use serde_json::json;

use super::paths;
use crate::support::Folder;

#[test]
fn f19_the_newest_of_5000_with_limit_1_and_an_ignored_one_is_absent() {
    let folder = Folder::with([(".git/HEAD", ""), (".gitignore", "ignored.txt\n")]);
    for n in 0..5_000 {
        let name = format!("d{}/f{n}.txt", n % 50);
        folder.write(&name, "");
        folder.age(&name, 1_000_000 + n);
    }
    // In the middle of the names, so that no order of finding favours it.
    folder.age("d17/f2517.txt", 2_000_000);
    folder.write("ignored.txt", "");
    folder.age("ignored.txt", 3_000_000);
    let text = folder.text("glob", json!({"pattern": "*.txt", "limit": 1}));
    assert_eq!(
        text,
        "d17/f2517.txt\n\
         (files 1-1 of 5000, newest first; the same call with \"offset\": 1 goes on)\n\
         (ignored by git: 1 match left out; \"include_ignored\": true finds them)\n"
    );
    let text = folder.text("glob", json!({"pattern": "*.txt", "limit": 3, "offset": 1}));
    assert_eq!(paths(&text), ["d49/f4999.txt", "d48/f4998.txt", "d47/f4997.txt"]);
    let text = folder.text(
        "glob",
        json!({"pattern": "*.txt", "limit": 2, "offset": 4_998, "include_ignored": true}),
    );
    assert_eq!(paths(&text), ["d2/f2.txt", "d1/f1.txt"]);
    assert!(text.contains("(files 4999-5000 of 5001, newest first; "), "{text}");
}

#[test]
fn f19_of_one_time_the_path_decides() {
    let folder = Folder::new();
    for name in ["b", "a/z", "c", "a/b/c"] {
        folder.write(name, "");
        folder.age(name, 77);
    }
    folder.write("new", "");
    folder.age("new", 78);
    let text = folder.text("glob", json!({"pattern": "*"}));
    assert_eq!(text, "new\na/b/c\na/z\nb\nc\n(5 files, newest first)\n");
}

#[test]
fn f19_pages_follow_each_other_and_the_end_is_told() {
    let folder = Folder::new();
    for n in 0..7 {
        folder.write(&format!("{n}"), "");
        folder.age(&format!("{n}"), n);
    }
    let mut all = Vec::new();
    for offset in [0, 3, 6] {
        let text = folder.text("glob", json!({"pattern": "*", "limit": 3, "offset": offset}));
        all.extend(paths(&text).into_iter().map(str::to_owned).collect::<Vec<_>>());
        let more = text.contains(&format!("with \"offset\": {} goes on", offset + 3));
        assert_eq!(more, offset < 6, "{text}");
    }
    assert_eq!(all, ["6", "5", "4", "3", "2", "1", "0"]);
    let text = folder.text("glob", json!({"pattern": "*", "offset": 7}));
    assert_eq!(text, "(offset 7 is past the end: 7 files in all)\n");
}

#[test]
fn f19_paths_begin_at_the_working_folder() {
    let folder = Folder::with([("a/b/x.rs", ""), ("x.rs", "")]);
    for path in ["a", "a/", "./a", "a/b/.."] {
        let text = folder.text("glob", json!({"pattern": "*.rs", "path": path}));
        assert!(text.ends_with("b/x.rs\n(1 file, newest first)\n"), "{path}: {text}");
        assert_eq!(text.starts_with("a/b/x.rs"), path != "a/b/..", "{text}");
    }
    let absolute = folder.path("a");
    let input = json!({"pattern": "*.rs", "path": absolute.to_str().unwrap()});
    assert_eq!(paths(&folder.text("glob", input)), ["a/b/x.rs"]);
}

#[test]
fn f19_glob_search_shows_100_and_says_how_to_see_more() {
    let folder = Folder::new();
    for n in 0..120 {
        folder.write(&format!("f{n}.ts"), "");
        folder.age(&format!("f{n}.ts"), n);
    }
    let text = folder.text("glob_search", json!({"pattern": "**/*.ts"}));
    assert_eq!(paths(&text).len(), 100);
    assert!(text.starts_with("f119.ts\nf118.ts\n"), "{text}");
    assert!(text.ends_with("(files 1-100 of 120, newest first; narrow the pattern, or use glob, which can go on from an offset)\n"), "{text}");
}
