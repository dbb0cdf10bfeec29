//! Globs and types.

use serde_json::json;

use super::entries;
use crate::support::Folder;

fn tree() -> Folder {
    Folder::with([
        ("src/a.rs", "x\n"),
        ("src/deep/b.ts", "x\n"),
        ("src/deep/c.tsx", "x\n"),
        ("target/a.rs", "x\n"),
        ("web/src/d.ts", "x\n"),
        (".hidden.rs", "x\n"),
    ])
}

#[test]
fn f18_globs_let_through_and_leave_out() {
    let folder = tree();
    for (glob, expected) in [
        (json!("*.rs"), vec![".hidden.rs", "src/a.rs", "target/a.rs"]),
        (json!("*.{ts,tsx}"), vec!["src/deep/b.ts", "src/deep/c.tsx", "web/src/d.ts"]),
        (json!("src/**/*.ts"), vec!["src/deep/b.ts"]),
        (
            json!("!target"),
            vec![".hidden.rs", "src/a.rs", "src/deep/b.ts", "src/deep/c.tsx", "web/src/d.ts"],
        ),
        (json!(["*.rs", "!target/"]), vec![".hidden.rs", "src/a.rs"]),
        (json!("**/deep/**"), vec!["src/deep/b.ts", "src/deep/c.tsx"]),
    ] {
        let text = folder.text("grep", json!({"pattern": "x", "glob": glob}));
        assert_eq!(entries(&text), expected, "{glob}");
    }
}

#[test]
fn f18_a_glob_may_begin_at_the_folder_that_is_searched() {
    let folder = tree();
    for glob in ["src/*.ts", "web/src/*.ts", "*.ts", "/src/*.ts"] {
        let text = folder.text("grep", json!({"pattern": "x", "glob": glob, "path": "web"}));
        assert_eq!(entries(&text), ["web/src/d.ts"], "{glob}");
    }
    let input = json!({"pattern": "x", "glob": "!src/d.ts", "path": "web"});
    assert!(folder.text("grep", input).starts_with("No matches"));
}

#[test]
fn f18_types_are_those_of_rg_and_both_filters_must_let_a_file_through() {
    let folder = tree();
    let text = folder.text("grep", json!({"pattern": "x", "type": "ts"}));
    assert_eq!(entries(&text), ["src/deep/b.ts", "src/deep/c.tsx", "web/src/d.ts"]);
    let text = folder.text("grep", json!({"pattern": "x", "type": "ts", "glob": "src/**"}));
    assert_eq!(entries(&text), ["src/deep/b.ts", "src/deep/c.tsx"]);
}

#[test]
fn f18_filters_that_let_nothing_through_are_told_from_nothing_found() {
    let text = tree().text("grep", json!({"pattern": "x", "glob": "*.java"}));
    assert!(text.contains("(0 files searched)") && text.contains("no file passed"), "{text}");
}

#[test]
fn f18_an_unknown_type_is_an_error_with_near_ones() {
    let folder = tree();
    let error = folder.error("grep", json!({"pattern": "x", "type": "pyhton"}));
    assert!(error.starts_with("there is no file type `pyhton`\nNear ones: python"), "{error}");
    let error = folder.error("grep", json!({"pattern": "x", "type": ".rs"}));
    assert!(error.contains("rust"), "{error}");
    let error = folder.error("grep", json!({"pattern": "x", "type": "zzzzzzzz"}));
    assert!(error.contains("Types are such as"), "{error}");
}

#[test]
fn f18_a_bad_glob_is_an_error_that_shows_it() {
    let folder = tree();
    for glob in ["a{b", "[z-a]", "x[", "a{b,{c}"] {
        let error = folder.error("grep", json!({"pattern": "x", "glob": glob}));
        assert!(error.contains(&format!("the glob `{glob}` is not valid")), "{error}");
    }
}
