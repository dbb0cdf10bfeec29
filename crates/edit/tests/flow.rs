//! Two mistakes at once, and places that are near in different ways.

#![expect(clippy::expect_used, reason = "tests")]

use dogu_edit::{Edit, Level, Outcome, Reason, apply};

fn applied(file: &str, old: &str, new: &str) -> (String, Level) {
    match apply(file, &Edit::new(old, new)) {
        Ok(Outcome::Applied(applied)) => (applied.text, applied.level),
        other => panic!("not applied: {other:?}"),
    }
}

fn refused(file: &str, old: &str, new: &str) -> Reason {
    apply(file, &Edit::new(old, new)).expect_err("must be refused").reason
}

const FILE: &str = "fn load(path: &Path) -> Result<Config, Error> {
    let text = read_to_string(path)?;
    let config: Config = parse_document(&text, Options::default())?;
    check(&config)?;
    Ok(config)
}
";

#[test]
fn other_line_breaks_and_another_word() {
    let old = "    let text = read_to_string(path)?;
    let config: Settings = parse_document(&text,
        Options::default())?;
    check(&config)?;";
    let (text, level) = applied(FILE, old, &format!("{old}\n    log(&config);"));
    assert_eq!(text, FILE.replace("check(&config)?;\n", "check(&config)?;\n    log(&config);\n"));
    assert_eq!(level, Level::Tokens);
}

#[test]
fn other_line_breaks_and_a_line_cut_off() {
    let old = "    let text = read_to_string(path)?; let config: Config = parse_document(&te...
    check(&config)?;
    Ok(config)";
    let (text, _) = applied(FILE, old, &old.replace("Ok(config)", "Ok(config.done())"));
    assert_eq!(text, FILE.replace("Ok(config)", "Ok(config.done())"));
}

#[test]
fn another_word_in_what_new_changes_is_refused() {
    let old = "    let text = read_to_string(path)?;
    let config: Settings = parse_document(&text,
        Options::default())?;
    check(&config)?;";
    let new = old.replace("Settings", "Document");
    assert!(matches!(refused(FILE, old, &new), Reason::NotFound | Reason::Conflict));
}

#[test]
fn a_comment_left_out_between_comments_at_an_edge() {
    let file = "fn one() {\n    run_the_first(1);\n}\n\n/// Says what the second does. It\n/// returns nothing and cannot fail,\n/// as long as there is memory.\nfn two() {}\n";
    let old = "fn one() {\n    run_the_first(1);\n}\n\n/// Says what the second does. It\n/// as long as there is memory.\n";
    let (text, _) = applied(file, old, &old.replace("first(1)", "first(2)"));
    assert_eq!(text, file.replace("first(1)", "first(2)"));
}

#[test]
fn a_place_that_is_near_in_another_way_is_a_rival() {
    let rows = "    [10, 20, 30, 40],\n    [11, 21, 31, 41],\n    [12, 22, 32, 42],\n";
    let drifted = rows.replace("41],", "41], # see below");
    let joined = rows.replace(",\n    [11", ", [11");
    let file = format!("a = [\n{joined}]\nb = [\n{drifted}]\n");
    assert_eq!(refused(&file, rows, &format!("{rows}    [13, 23, 33, 43],\n")), Reason::Ambiguous);
}

#[test]
fn a_comment_that_stands_elsewhere_is_of_that_place() {
    let file = "fn a() {\n    let mut stats = new_stats();\n\n    let th = spawn(move || {});\n}\nfn b() {\n    let x = 1;\n    // Spawn a task to steal\n    let y = spawn_it();\n}\n";
    let old = "    let mut stats = new_stats();\n    // Spawn a task to steal\n    let th = spawn(move || {});";
    refused(file, old, &old.replace("spawn(move || {})", "spawn(run)"));
}

#[test]
fn lines_of_two_places_are_refused() {
    let file = "jobs:\n  - name: Cache the registry\n    uses: cache@v4\n  - name: Run the linter\n    uses: cargo@v1\n  - name: Check the format\n    uses: cargo@v1\n    with: fmt\n";
    let old = "  - name: Cache the registry\n    uses: cache@v4\n  - name: Check the format\n    uses: cargo@v1\n    with: fmt";
    refused(file, old, &old.replace("cache@v4", "cache@v5"));
}

#[test]
fn a_line_that_is_two_of_the_file_is_not_one_that_changed() {
    let file = "name = \"syntax of regular expressions\"\nreadme = \"README.md\"\nlicense = \"MIT OR Apache-2.1\"\nrepository = \"https://example.org/regex\"\n\n[docs]\n";
    let old = "name = \"syntax of regular expressions\"\nreadme = \"README.md\"\nlicense = \"MIT OR Apache-2.0\" repository = \"https://example.org/regex\"";
    let (text, _) = applied(file, old, &format!("{old}\nedition = 2024"));
    assert_eq!(text, file.replace("/regex\"\n", "/regex\"\nedition = 2024\n"));
}

#[test]
fn doubled_backslashes_in_a_line_with_its_break() {
    let file = "#define A(x) \\\n  (x)\n";
    let (text, _) = applied(file, "#define A(x) \\\\\n", "#define A(x) \\\\\n  y;\n");
    assert_eq!(text, "#define A(x) \\\n  y;\n  (x)\n");
}

#[test]
fn a_line_that_begins_one_of_the_file_is_no_elision() {
    let file = "# Written by hand, see the original contents.\n\n[package]\nname = \"fold\"\nedition = \"2021\"\n";
    let old = "# Written by hand, see the or...\n\n[package]\nname = \"fold\"\nedition = \"2021\"";
    let new = old.replace("or...\n", "or...\nkey = 1\n");
    let (text, _) = applied(file, old, &new);
    assert_eq!(text, file.replace("contents.\n", "contents.\nkey = 1\n"));
}

#[test]
fn space_after_words_that_differ_stays() {
    let file = "first_line();\nuses = install_action@minimal_versions \t\nlast_line_of_it();\n";
    let old = "first_line();\nuses = install_action@mi...\nlast_line_of_it();";
    let (text, _) = applied(file, old, &old.replace("mi...", "mi...\nadded();"));
    assert_eq!(text, file.replace(" \t\n", " \t\nadded();\n"));
}

#[test]
fn blank_lines_around_a_removed_line_keep_their_endings() {
    let file = "one = 1;\n\ntwo = 2;\r\n\r\nthree = 3;\n";
    let (text, _) = applied(file, "one = 1;\n\ntwo = 2;\n\nthree = 3;", "one = 1;\n\n\nthree = 3;");
    assert_eq!(text, "one = 1;\n\n\r\nthree = 3;\n");
}

#[test]
fn blank_lines_that_were_moved_keep_their_endings() {
    let file = "one = 1;\n\r\ntwo = 2;\nthree = 3;\n";
    let (text, _) = applied(
        file,
        "one = 1;\n\ntwo = 2;\nthree = 3;",
        "one = 1;\nadded();\n\nmore();\ntwo = 2;\nthree = 3;",
    );
    assert_eq!(text, "one = 1;\nadded();\n\r\nmore();\ntwo = 2;\nthree = 3;\n");
}

#[test]
fn a_first_line_of_marks_is_a_line_of_its_own() {
    let file = "]\n\n[target.dev.registry]\nversion = \"0.56.0\"\n\n[lints]\n";
    let old = "]\n\nversion = \"0.56.0\"\n\n[lints]";
    refused(file, old, "key = 1\n\nversion = \"0.56.0\"\n\n[lints]");
}
