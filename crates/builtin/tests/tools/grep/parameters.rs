//! Spellings of parameters, through the pipeline, where they are folded.

use serde_json::{Value, json};

use crate::support::Folder;

fn answer(folder: &Folder, input: Value) -> String {
    folder.dispatch("grep", input).to_text()
}

#[test]
fn f18_the_short_options_of_rg_are_understood() {
    let folder = Folder::with([("a.rs", "1\nX\n3\n"), ("b.py", "x\n")]);
    let text = answer(
        &folder,
        json!({"pattern": "x", "-i": true, "-A": 1, "-B": 1, "-n": true, "output_mode": "content", "type": "rust"}),
    );
    assert!(text.starts_with("a.rs-1-1\na.rs:2:X\na.rs-3-3\n("), "{text}");
    let text = answer(&folder, json!({"pattern": "X", "-C": 1, "output_mode": "content"}));
    assert!(text.starts_with("a.rs-1-1\na.rs:2:X\na.rs-3-3\n("), "{text}");
    let text = answer(&folder, json!({"pattern": "X.3", "-U": true, "output_mode": "content"}));
    assert!(text.starts_with("a.rs:2:X\na.rs:3:3\n("), "{text}");
    let text = answer(&folder, json!({"pattern": "x", "-w": true}));
    assert!(text.starts_with("b.py\n("), "{text}");
    let text = answer(&folder, json!({"pattern": ".", "-F": true}));
    assert!(text.starts_with("No matches"), "{text}");
    let text = answer(&folder, json!({"pattern": "[xX]", "-g": "*.rs"}));
    assert!(text.starts_with("a.rs\n("), "{text}");
    let text = answer(&folder, json!({"pattern": "[xX]", "-t": "py"}));
    assert!(text.starts_with("b.py\n("), "{text}");
}

#[test]
fn f18_other_names_of_pattern_and_glob_are_understood() {
    let folder = Folder::with([("a.rs", "x\n"), ("b.py", "x\n")]);
    for pattern in ["pattern", "regex", "query"] {
        for glob in ["glob", "filePattern", "file_pattern", "include"] {
            let text = answer(&folder, json!({pattern: "x", glob: "*.py"}));
            assert!(text.starts_with("b.py\n("), "{pattern} {glob}: {text}");
        }
    }
    let text = answer(&folder, json!({"pattern": "x", "file_type": "py"}));
    assert!(text.starts_with("b.py\n("), "{text}");
    let text = answer(&folder, json!({"pattern": "X", "case_insensitive": true}));
    assert!(text.starts_with("a.rs\nb.py\n("), "{text}");
}

#[test]
fn f18_one_glob_or_several() {
    let folder = Folder::with([("a.rs", "x\n"), ("b.py", "x\n"), ("c.md", "x\n")]);
    let text = answer(&folder, json!({"pattern": "x", "glob": ["*.py", "*.md"]}));
    assert!(text.starts_with("b.py\nc.md\n("), "{text}");
    let text = answer(&folder, json!({"pattern": "x", "glob": 7}));
    assert!(text.contains("E_TOOL_INVALID_ARGS") || text.contains("No matches"), "{text}");
}
