//! What a hostile workspace does to the tools that read and search, each call in a process of
//! its own: it ends, it says what was wrong, and it never takes more than 200 MB.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod trees;
mod world;

use serde_json::{Value, json};
use world::{Answer, World};

/// Every tool that walks, with an input that makes it look at everything.
fn walkers() -> Vec<(&'static str, Value)> {
    vec![
        ("list_files", json!({"recursive": true})),
        ("glob", json!({"pattern": "**/*"})),
        ("view_subdirectory", json!({"directory_path": "."})),
        ("grep", json!({"pattern": "needle", "output_mode": "content"})),
        ("search_files", json!({"path": ".", "regex": "needle"})),
        ("grep_search", json!({"pattern": "needle"})),
        ("codebase_search", json!({"query": "where is the needle found"})),
        ("view_repo_map", json!({})),
        ("view_diff", json!({"scope": "all"})),
    ]
}

/// Calls every walker; all but `view_diff`, which may say that there is no repository, succeed.
fn walk_all(world: &World) -> Vec<(&'static str, Answer)> {
    let call = |(tool, input): (&'static str, Value)| {
        let answer = world.call(tool, &input);
        assert!(answer.ok || tool == "view_diff", "{tool}: {}", answer.text);
        (tool, answer)
    };
    walkers().into_iter().map(call).collect()
}

/// The walkers that show or read files by their name found the one ordinary file.
fn assert_found(answers: &[(&'static str, Answer)], name: &str) {
    for tool in ["list_files", "glob", "view_subdirectory", "grep", "codebase_search"] {
        let (_, answer) = answers.iter().find(|(other, _)| *other == tool).unwrap();
        assert!(answer.text.contains(name), "{tool}: {}", answer.text);
    }
}

#[test]
fn pipes_sockets_devices_and_links_in_a_loop_are_passed_by() {
    let world = World::new();
    trees::special_files(&world);
    assert_found(&walk_all(&world), "plain.rs");
    for (path, expected) in [
        ("pipe", "is a pipe, socket or device"),
        ("socket", "is a pipe, socket or device"),
        ("loop", "a loop of symbolic links"),
        ("to-null", "device"),
    ] {
        let answer = world.call("read_file", &json!({"path": path}));
        assert!(!answer.ok && answer.text.contains(expected), "{path}: {}", answer.text);
        let answer = world.call("grep", &json!({"pattern": "x", "path": path}));
        assert!(!answer.text.contains("panicked"), "{path}: {}", answer.text);
    }
}

#[test]
fn places_outside_and_of_other_processes_are_refused() {
    let world = World::new();
    trees::special_files(&world);
    for path in [
        "/proc/self/environ",
        "/proc/1/mem",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd",
        "/proc/thread-self/fd/0",
        "/dev/fd/0",
        "/dev/zero",
        "/dev/mem",
        "/etc/passwd",
        "../../../../../etc/passwd",
        "~/.ssh/id_rsa",
    ] {
        for (tool, input) in [
            ("read_file", json!({"path": path})),
            ("grep", json!({"pattern": "root", "path": path})),
            ("list_files", json!({"path": path, "recursive": true})),
            ("glob", json!({"pattern": "*", "path": path})),
            ("codebase_search", json!({"query": "root password", "path": path})),
            ("view_repo_map", json!({"path": path})),
        ] {
            let answer = world.call(tool, &input);
            assert!(!answer.ok, "{tool} {path}: {}", answer.text);
            assert!(!answer.text.contains("root:x:"), "{tool} {path}: {}", answer.text);
        }
    }
}

#[test]
fn names_that_are_no_text_are_shown_and_harm_nothing() {
    let world = World::new();
    trees::strange_names(&world);
    for (tool, answer) in walk_all(&world) {
        let text = &answer.text;
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{tool}: {text:?}");
    }
}

#[test]
fn a_million_entries_are_walked_and_the_answer_says_what_is_left_out() {
    let world = World::new();
    trees::a_million_entries(&world);
    let answers = walk_all(&world);
    for (tool, input) in [
        ("list_files", json!({})),
        ("list_files", json!({"path": "many"})),
        ("glob", json!({"pattern": "f99999*"})),
    ] {
        let answer = world.call(tool, &input);
        assert!(answer.ok, "{tool}: {}", answer.text);
    }
    assert!(answers.iter().any(|(_, answer)| answer.text.contains("1,000,000")
        || answer.text.contains("1000000")
        || answer.text.contains("999")));
}

#[test]
fn one_line_of_500_megabytes() {
    let world = World::new();
    trees::one_long_line(&world);
    assert_found(&walk_all(&world), "plain.rs");
    for input in [
        json!({"path": "long.txt"}),
        json!({"path": "long.txt", "offset": 2}),
        json!({"path": "long.txt", "mode": "indentation", "offset": 1}),
    ] {
        let answer = world.call("read_file", &input);
        assert!(answer.text.len() < 20_000, "{}", answer.text.len());
    }
    let multiline = json!({"pattern": "a\\nneedle", "multiline": true, "output_mode": "content"});
    let answer = world.call("grep", &multiline);
    assert!(answer.ok, "{}", answer.text);
}

#[test]
fn a_pattern_that_would_take_forever_elsewhere() {
    let world = World::new();
    trees::for_patterns(&world);
    for pattern in ["(a+)+$", "(a|aa)+b", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        let answer = world.call("grep", &json!({"pattern": pattern}));
        assert!(answer.ok, "{pattern}: {}", answer.text);
    }
    let deep = "(".repeat(5_000) + &")".repeat(5_000);
    let classes = "\\pL".repeat(20_000);
    for pattern in ["(a{1000}){1000}{1000}", "(?=a)b", "(a", "[z-a]", &deep, &classes, "*"] {
        let answer = world.call("grep", &json!({"pattern": pattern}));
        let shown: String = pattern.chars().take(40).collect();
        assert!(!answer.ok, "{shown}: {}", answer.text);
        assert!(!answer.text.contains("No matches"), "{shown}: {}", answer.text);
    }
    for pattern in ["[z-a]*", "{a", "a{b,{c,{d", "[", "**a**/["] {
        let answer = world.call("glob", &json!({"pattern": pattern}));
        assert!(!answer.text.contains("panicked"), "{pattern}: {}", answer.text);
    }
}

#[test]
fn files_that_change_and_vanish_while_they_are_read() {
    let world = World::new();
    trees::for_patterns(&world);
    let stop = trees::keep_changing(&world);
    for _ in 0..5 {
        for (tool, input) in walkers() {
            let answer = world.call(tool, &input);
            assert!(answer.ok || tool == "view_diff", "{tool}: {}", answer.text);
        }
        let answer = world.call("read_file", &json!({"path": "changing.txt"}));
        assert!(answer.ok || answer.text.contains("not found"), "{}", answer.text);
    }
    stop.end();
}

#[test]
fn a_large_file_is_read_at_any_line() {
    let world = World::new();
    trees::ten_gigabytes(&world);
    let answer = world.call("read_file", &json!({"path": "huge.log", "offset": 2}));
    assert!(answer.ok && answer.text.contains("the last line"), "{}", answer.text);
    assert_found(&walk_all(&world), "plain.rs");
}
