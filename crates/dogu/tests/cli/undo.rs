//! `dogu undo`.

use std::fs;

use serde_json::Value;

use crate::support::Home;

/// Writes a file by a call.
fn write(home: &Home, path: &str, content: &str) {
    let arguments = [&format!("path={path}"), &format!("content={content}")];
    let call = ["call", "write_file", arguments[0], arguments[1], "--approve", "all"];
    let done = home.dogu(&call);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
}

fn text(home: &Home, path: &str) -> String {
    fs::read_to_string(home.work().join(path)).unwrap()
}

fn json(home: &Home, arguments: &[&str]) -> Value {
    serde_json::from_str(&home.dogu(arguments).stdout).unwrap()
}

#[test]
fn the_last_call_is_taken_back_and_can_be_done_again() {
    let home = Home::new();
    home.write("work/a.txt", "old\n");
    write(&home, "a.txt", "new");
    write(&home, "sub/b.txt", "b");
    let done = home.dogu(&["undo"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.starts_with("undone: write_file of 20"), "{}", done.stdout);
    assert!(done.stdout.contains("\n  removed sub/b.txt\n`dogu undo "), "{}", done.stdout);
    assert!(!home.work().join("sub").exists());
    let answer = json(&home, &["undo", "--json"]);
    assert_eq!((answer["status"].as_str(), text(&home, "a.txt")), (Some("undone"), "old\n".into()));
    assert_eq!(answer["files"][0]["does"], "restored");
    let nothing = home.dogu(&["undo"]);
    assert_eq!(nothing.code, Some(1));
    assert!(nothing.stderr.contains("no change of this workspace is left"), "{}", nothing.stderr);
    let again = home.dogu(&["undo", answer["id"].as_str().unwrap()]);
    assert_eq!((again.code, text(&home, "a.txt")), (Some(0), "new".into()));
}

#[test]
fn a_list_names_what_can_be_undone() {
    let home = Home::new();
    assert_eq!(home.dogu(&["undo", "--list"]).stdout, "no changes of this workspace are known\n");
    write(&home, "a.txt", "1");
    write(&home, "a.txt", "2");
    home.dogu(&["undo"]);
    let list = home.dogu(&["undo", "--list"]);
    let lines: Vec<&str> = list.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", list.stdout);
    assert!(lines[0].contains("  undo          a.txt"), "{}", lines[0]);
    assert!(lines[1].contains("  write_file    a.txt  (undone by "), "{}", lines[1]);
    assert!(lines[2].ends_with("  write_file    +a.txt"), "{}", lines[2]);
    let all = json(&home, &["undo", "--list", "--json"]);
    assert_eq!(all[1]["undone_by"], all[0]["id"]);
    assert_eq!(all[2]["undone_by"], Value::Null);
    // Another workspace does not see it.
    fs::create_dir(home.path("other")).unwrap();
    let other = home.dogu(&["undo", "--list", "--root", home.path("other").to_str().unwrap()]);
    assert_eq!(other.stdout, "no changes of this workspace are known\n");
}

#[test]
fn a_dry_run_shows_a_diff_and_changes_nothing() {
    let home = Home::new();
    home.write("work/a.txt", "one\ntwo\n");
    write(&home, "a.txt", "one\nthree\n");
    let done = home.dogu(&["undo", "--dry-run"]);
    let expected = "--- now/a.txt\n+++ then/a.txt\n@@ -1,2 +1,2 @@\n one\n-three\n+two\n";
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), expected));
    assert_eq!(text(&home, "a.txt"), "one\nthree\n");
    let plan = json(&home, &["undo", "--dry-run", "--json"]);
    assert_eq!(
        (plan["status"].as_str(), &plan["files"][0]["diff"]),
        (Some("planned"), &expected.into())
    );
}

#[test]
fn what_changed_since_is_refused_and_can_be_forced() {
    let home = Home::new();
    home.write("work/a.txt", "old");
    write(&home, "a.txt", "new");
    home.write("work/a.txt", "mine");
    let done = home.dogu(&["undo"]);
    assert_eq!((done.code, text(&home, "a.txt")), (Some(1), "mine".into()));
    assert!(done.stderr.contains("a.txt has changed since, not by dogu"), "{}", done.stderr);
    assert!(done.stderr.contains("--force undoes it anyway"), "{}", done.stderr);
    let answer = json(&home, &["undo", "--file", "a.txt", "--json"]);
    assert_eq!(answer["status"], "refused");
    assert_eq!(home.dogu(&["undo", "--file", "a.txt", "--force"]).code, Some(0));
    assert_eq!(text(&home, "a.txt"), "old");
}

#[test]
fn it_is_not_done_inside_the_sandbox() {
    let home = Home::new();
    write(&home, "a.txt", "new");
    for arguments in [&["undo"][..], &["undo", "--list"], &["undo", "--dry-run"]] {
        let mut command = home.command(arguments);
        command.env("DOGU_SANDBOX", "1");
        let done = home.run(command, b"");
        assert_eq!(done.code, Some(2));
        assert!(done.stderr.contains("does not undo changes inside its own sandbox"));
    }
    assert_eq!(text(&home, "a.txt"), "new");
}

#[test]
fn no_call_reaches_the_journal() {
    let home = Home::new();
    write(&home, "a.txt", "new");
    let folder = home.path("state/dogu/journal/entries");
    let entry = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let path = format!("path={}", entry.display());
    for call in [&["call", "read_file", &path][..], &["call", "write_file", &path, "content=x"]] {
        let done = home.dogu(&[call, &["--approve", "all"]].concat());
        assert_eq!(done.code, Some(1), "{}", done.stdout);
        assert!(done.stderr.contains("dogu's own state"), "{}", done.stderr);
    }
}
