//! `dogu edit`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Done, Home};

fn home() -> Home {
    let home = Home::new();
    home.write("work/a.rs", "fn main() {\n\tlet a = 1;\n}\n");
    home.write("work/old", "    let a = 1;");
    home.write("work/new", "    let a = 2;");
    home
}

fn edit(home: &Home, more: &[&str]) -> Done {
    let arguments = [&["edit", "a.rs", "--old", "old", "--new", "new"], more].concat();
    home.dogu(&arguments)
}

fn content(home: &Home) -> String {
    std::fs::read_to_string(home.path("work/a.rs")).unwrap()
}

#[test]
fn a_text_is_replaced_and_the_diff_is_shown() {
    let home = home();
    let before = content(&home);
    let dry = edit(&home, &["--dry-run"]);
    assert!(dry.quiet().starts_with("Nothing was written: this is a dry run."), "{dry}");
    assert_eq!(content(&home), before);
    assert_snapshot!(edit(&home, &[]).quiet(), @"
    Edited a.rs.
    (not exactly as sent: white space around the text differed)

    --- a/a.rs
    +++ b/a.rs
    @@ -1,3 +1,3 @@
     fn main() {
    -\tlet a = 1;
    +\tlet a = 2;
     }
    ");
    assert_eq!(content(&home), before.replace('1', "2"));
}

#[test]
fn the_json_form_has_status_level_span_and_hash() {
    let home = home();
    let answer = edit(&home, &["--json"]).json();
    assert_eq!(
        (answer["status"].as_str(), answer["level"].as_str()),
        (Some("applied"), Some("trimmed"))
    );
    assert_eq!(answer["span"], json!([12, 23]));
    let sum = std::process::Command::new("sha256sum").arg(home.path("work/a.rs")).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    assert_eq!(answer["result_sha256"].as_str(), sum.split(' ').next());
    assert!(answer["diff"].as_str().unwrap().contains("+\tlet a = 2;"), "{answer}");
    let again = edit(&home, &["--json"]);
    let refused = again.json();
    assert_eq!((refused["status"].as_str(), again.code), (Some("refused"), Some(1)), "{again}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("is not in the file"));
}

#[test]
fn wrong_use_is_told() {
    let home = home();
    let missing = home.dogu(&["edit", "none.rs", "--old", "old", "--new", "new"]);
    assert_eq!(missing.code, Some(1), "{missing}");
    assert!(missing.stderr.contains("there is no file none.rs"), "{missing}");
    let no_text = home.dogu(&["edit", "a.rs", "--old", "nowhere", "--new", "new"]);
    assert_eq!(no_text.code, Some(2), "{no_text}");
    assert!(no_text.stderr.contains("nowhere could not be read"), "{no_text}");
    let twice = home.dogu_with(&["edit", "a.rs", "--old", "-", "--new", "-"], b"x");
    assert_eq!(twice.code, Some(2), "{twice}");
    assert_eq!(home.dogu(&["edit", "a.rs"]).code, Some(2));
    assert_eq!(home.dogu(&["edit", "--lines", "a.rs"]).code, Some(2));
}

#[test]
fn lines_are_answered_in_order() {
    let line = |id: u32, content: &str, old: &str, new: &str| {
        json!({"id": id, "content": content, "old": old, "new": new}).to_string()
    };
    let input = [
        line(1, "a b\n", "b", "c"),
        line(2, "a a\n", "a", "c"),
        "not json".to_owned(),
        String::new(),
        json!({"id": "x", "content": "a a", "old": "a", "new": "$&", "replace_all": true})
            .to_string(),
    ];
    let done = Home::new().dogu_with(&["edit", "--lines"], input.join("\n").as_bytes());
    let answers: Vec<Value> =
        done.quiet().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses: Vec<&str> = answers.iter().map(|one| one["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["applied", "refused", "invalid", "applied"]);
    assert_eq!((&answers[0]["id"], &answers[0]["result"]), (&json!(1), &json!("a c\n")));
    assert_eq!(answers[1]["error"]["lines"], json!([1, 1]));
    assert_eq!((&answers[3]["id"], &answers[3]["result"]), (&json!("x"), &json!("$& $&")));
    assert!(answers[0]["us"].is_u64() && answers[0]["level"] == "exact");
}
