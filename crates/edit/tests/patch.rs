//! Patches of both forms: read, refused where they are wrong, applied by text.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dogu_edit::Level;
use dogu_edit::patch::{FileChange, FilePatch, Hunk, Patch, Placed, Problem, apply_update, parse};

fn envelope(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

fn hunks(patch: &str) -> Vec<Hunk> {
    let mut patch = parse(patch).unwrap();
    assert_eq!(patch.files.len(), 1);
    match patch.files.remove(0).change {
        FileChange::Update { hunks, .. } => hunks,
        other => panic!("{other:?}"),
    }
}

fn updated(content: &str, patch: &str) -> String {
    match apply_update(content, &hunks(patch)) {
        Ok(updated) => updated.text,
        Err(failures) => panic!("{failures:?}"),
    }
}

fn refused(content: &str, patch: &str) -> Vec<Problem> {
    let failures = apply_update(content, &hunks(patch)).unwrap_err();
    failures.into_iter().map(|failure| failure.problem).collect()
}

fn update(content: &str, body: &str) -> String {
    updated(content, &envelope(&format!("*** Update File: f\n{body}")))
}

fn update_refused(content: &str, body: &str) -> Vec<Problem> {
    refused(content, &envelope(&format!("*** Update File: f\n{body}")))
}

fn fault(patch: &str) -> (usize, String) {
    let error = parse(patch).unwrap_err();
    assert!(error.to_string().len() < 1_000);
    (error.line, error.to_string())
}

fn changes(patch: &Patch) -> Vec<(&str, &str)> {
    let kind = |file: &FilePatch| match &file.change {
        FileChange::Add { .. } => "add",
        FileChange::Delete => "delete",
        FileChange::Update { move_to: Some(_), .. } => "move",
        FileChange::Update { .. } => "update",
    };
    patch.files.iter().map(|file| (file.path.as_str(), kind(file))).collect()
}

#[test]
fn f11_add_update_delete_and_move() {
    let text = envelope(
        "*** Add File: new dir/a.txt\n+one\n+\n+two\n*** Update File: b.txt\n@@\n-x\n+y\n*** Delete File: c.txt\n*** Update File: d.txt\n*** Move to: e/d.txt\n@@\n k\n-l\n+m\n*** Update File: g.txt\n*** Move to: h.txt\n",
    );
    let patch = parse(&text).unwrap();
    let all = [
        ("new dir/a.txt", "add"),
        ("b.txt", "update"),
        ("c.txt", "delete"),
        ("d.txt", "move"),
        ("g.txt", "move"),
    ];
    assert_eq!(changes(&patch), all);
    assert_eq!(patch.files[0].change, FileChange::Add { content: "one\n\ntwo\n".to_owned() });
    assert_eq!(patch.files[1].line, 6);
    let FileChange::Update { hunks, move_to } = &patch.files[3].change else { panic!() };
    assert_eq!(move_to.as_deref(), Some("e/d.txt"));
    assert_eq!(apply_update("k\nl\n", hunks).unwrap().text, "k\nm\n");
}

#[test]
fn f11_two_updates_of_one_file_are_one() {
    let text = envelope(
        "*** Update File: f\n@@\n-a\n+A\n*** Delete File: g\n*** Update File: f\n@@\n-b\n+B\n",
    );
    let patch = parse(&text).unwrap();
    assert_eq!(changes(&patch), [("f", "update"), ("g", "delete")]);
    let FileChange::Update { hunks, .. } = &patch.files[0].change else { panic!() };
    assert_eq!(apply_update("b\na\n", hunks).unwrap().text, "B\nA\n");
}

#[test]
fn f11_bad_context_is_refused_and_all_of_it_told() {
    let problems =
        update_refused("a\nb\n", "@@\n nothing like it\n-b\n+c\n@@\n-a\n+A\n@@ def f():\n-x\n+y\n");
    assert_eq!(problems.len(), 2);
    assert!(matches!(problems[0], Problem::Refused { .. }));
    assert!(matches!(problems[1], Problem::NoHeader { .. }), "{problems:?}");
}

#[test]
fn f11_a_header_that_is_not_there_is_refused_with_the_nearest() {
    let text = "class A:\n    def run(self, x):\n        pass\n";
    let problems = update_refused(text, "@@ def run(self, y):\n-        pass\n+        return\n");
    let Problem::NoHeader { nearest: Some((2, line)), .. } = &problems[0] else {
        panic!("{problems:?}")
    };
    assert_eq!(line, "def run(self, x):");
}

const CLASSES: &str = "class A:\n    def run(self):\n        return 1\n\n    def stop(self):\n        return 1\n\nclass B:\n    def run(self):\n        return 1\n";

#[test]
fn f11_headers_narrow_the_place() {
    let change = "-        return 1\n+        return 2\n";
    let nested = update(CLASSES, &format!("@@ class B:\n@@     def run(self):\n{change}"));
    assert!(nested.ends_with("        return 2\n") && nested.matches("return 2").count() == 1);
    let stop = update(CLASSES, &format!("@@ def stop(self):\n{change}"));
    assert!(stop.contains("stop(self):\n        return 2\n"), "{stop}");
    // The header may be repeated as the first line.
    let again = update(CLASSES, &format!("@@ class B:\n class B:\n     def run(self):\n{change}"));
    assert_eq!(again, nested);
    let problems = update_refused(CLASSES, &format!("@@ def run(self):\n{change}"));
    assert_eq!(problems, [Problem::Ambiguous { lines: vec![3, 10] }]);
    let problems = update_refused(CLASSES, &format!("@@ class A:\n{change}"));
    assert_eq!(problems, [Problem::Ambiguous { lines: vec![3, 6] }]);
}

#[test]
fn f11_hunks_are_in_order_but_need_not_be() {
    let text = "a\nx\nb\nx\nc\n";
    assert_eq!(update(text, "@@\n-b\n+B\n@@\n-x\n+X\n"), "a\nx\nB\nX\nc\n");
    assert_eq!(update(text, "@@\n-c\n+C\n@@\n-a\n+A\n"), "A\nx\nb\nx\nC\n");
    assert_eq!(update_refused(text, "@@\n-x\n+X\n"), [Problem::Ambiguous { lines: vec![2, 4] }]);
}

#[test]
fn f11_as_many_equal_hunks_as_places() {
    assert_eq!(update("x\na\nx\n", "@@\n-x\n+y\n@@\n-x\n+y\n"), "y\na\ny\n");
    assert_eq!(update_refused("x\na\nx\nx\n", "@@\n-x\n+y\n@@\n-x\n+y\n").len(), 2);
}

#[test]
fn f11_text_above_its_header_is_refused() {
    let text = "let a = compute_it(1);\nclass A:\n    pass\n";
    let problem = |old: &str| update_refused(text, &format!("@@ class A:\n-{old}\n+b\n")).remove(0);
    let outside = Problem::OutsideHeader { header: "class A:".to_owned(), line: 1 };
    assert_eq!(problem("let a = compute_it(1);"), outside);
    assert_eq!(problem("  let a  = compute_it(1);"), outside);
}

#[test]
fn f11_the_ladder_finds_hunks_and_tells_lines_of_the_whole_file() {
    let text = "import os\n\ndef first():\n    value = 1\n    return value\n\ndef second():\n    value = 1\n    return value\n";
    let body = "@@\n-import os\n+import sys\n@@ def second():\n   value = 1\n-  return value\n+  return value + 1\n";
    let wanted = text.replace("import os", "import sys");
    let at = wanted.rfind("return value").unwrap();
    assert_eq!(update(text, body), format!("{}return value + 1\n", &wanted[..at]));
    let missing = "@@\n-import os\n+import sys\n@@\n-    value = compute_the_value(1)\n-    return value_of_it\n+    x\n";
    let problems = update_refused(text, missing);
    let Problem::Refused { refusal, .. } = &problems[0] else { panic!("{problems:?}") };
    assert!(refusal.lines.iter().all(|line| *line > 2), "{refusal}");
}

#[test]
fn f11_hunks_that_change_the_same_line_are_refused() {
    let problems = update_refused("a\nb\n", "@@\n-a\n+A\n@@\n-a\n+B\n@@\n-a\n+C\n");
    assert_eq!(problems, [Problem::Overlaps { other: 1 }, Problem::Overlaps { other: 1 }]);
    // Showing the same line is no conflict.
    assert_eq!(update("a\nb\nc\n", "@@\n-a\n+A\n b\n@@\n b\n-c\n+C\n"), "A\nb\nC\n");
}

#[test]
fn f11_lines_with_nothing_beside_them() {
    assert_eq!(update("a\nb\n", "@@\n+end\n"), "a\nb\nend\n");
    assert_eq!(update("a\nb", "@@\n+end\n*** End of File\n"), "a\nb\nend");
    assert_eq!(update("", "@@\n+all\n"), "all\n");
    assert_eq!(
        update("def f():\n    x\n", "@@ def f():\n+    first\n"),
        "def f():\n    first\n    x\n"
    );
    assert_eq!(update("a\r\nb\r\n", "@@\n+c\n@@\n+d\n"), "a\r\nb\r\nc\r\nd\r\n");
    assert_eq!(update("\u{feff}a\n", "@@ -0,0 +1 @@\n+first\n"), "\u{feff}first\na\n");
}

#[test]
fn f11_end_of_file_chooses_the_last() {
    let text = "x\ny\nx\n";
    assert_eq!(update(text, "@@\n-x\n+z\n*** End of File\n"), "x\ny\nz\n");
    assert_eq!(update("a\nb\n", "@@\n a\n-b\n+c\n\n*** End of File\n"), "a\nc\n");
}

#[test]
fn f11_line_ends_are_those_of_the_file() {
    assert_eq!(update("one\r\ntwo\r\n", "@@\n one\n-two\n+2\n+3\n"), "one\r\n2\r\n3\r\n");
    assert_eq!(update("one\r\ntwo\nsix\r\n", "@@\n-two\n+2\n six\n"), "one\r\n2\nsix\r\n");
    let lone = "one\rtwo\rthree\r";
    assert_eq!(
        update(lone, "@@\n-one\n+uno\n@@\n two\n+\n+between\n three\n"),
        "uno\rtwo\r\rbetween\rthree\r"
    );
    assert_eq!(update("a\nb", "@@\n-b\n+c\n"), "a\nc");
    assert_eq!(update("\u{feff}a\nb\n", "@@\n-a\n+A\n b\n"), "\u{feff}A\nb\n");
    assert_eq!(update("\u{feff}a\nb\n", "@@\n+0\n a\n"), "\u{feff}0\na\nb\n");
    let crlf = envelope("*** Update File: f\n@@\n-a\n+b\n").replace('\n', "\r\n");
    assert_eq!(updated("a\n", &crlf), "b\n");
    let added = parse(&envelope("*** Add File: f\n+a\n").replace('\n', "\r\n")).unwrap();
    assert_eq!(added.files[0].change, FileChange::Add { content: "a\n".to_owned() });
}

#[test]
fn f11_what_was_already_applied_is_told() {
    let patch = envelope(
        "*** Update File: f\n@@\n fn a() {\n-    let old_name = 1;\n+    let new_name = 1;\n }\n",
    );
    let done = "fn a() {\n    let new_name = 1;\n}\n";
    let updated = apply_update(done, &hunks(&patch)).unwrap();
    assert_eq!(updated.text, done);
    assert_eq!(updated.hunks, [Placed::AlreadyApplied { line: 1 }]);
}

#[test]
fn f11_what_is_around_a_patch_is_passed_over() {
    let body = "*** Begin Patch\n*** Add File: foo\n+hi\n*** End Patch";
    for text in [
        format!("<<EOF\n{body}\nEOF"),
        format!("apply_patch <<'EOF'\n{body}\nEOF\n"),
        format!("```diff\n{body}\n```\n"),
        format!("Here it is:\n\n```\n{body}\n```\nDone.\n"),
        format!("  \n {} \n\n", body.replace("*** End", " *** End")),
        // All is there, so the end can be missing.
        format!("```\n{}\n```", body.trim_end_matches("*** End Patch")),
        format!("<<EOF\n{}\nEOF", body.trim_end_matches("*** End Patch")),
    ] {
        let patch = parse(&text).unwrap();
        assert_eq!(patch.files[0].change, FileChange::Add { content: "hi\n".to_owned() }, "{text}");
    }
    let padded = "*** Begin Patch \n  *** Update File: f\n@@\n-one\n+two\n *** End Patch\n";
    assert_eq!(updated("one\n", padded), "two\n");
    let inner = envelope("*** Update File: f\n@@\n-one\n  *** End Patch\n+two\n");
    assert_eq!(updated("one\n *** End Patch\n", &inner), " *** End Patch\ntwo\n");
    assert!(fault(&format!("cd src && apply_patch <<EOF\n{body}\nEOF")).1.contains("`cd`"));
}

#[test]
fn f11_wrong_patches_are_refused_at_their_line() {
    assert!(fault("bad").1.contains("this is no patch"));
    assert!(fault("").1.contains("this is no patch"));
    assert!(fault("*** Begin Patch\n*** End Patch\n").1.contains("changes nothing"));
    assert_eq!(fault("*** Begin Patch\nbad\n*** End Patch").0, 2);
    assert_eq!(fault(&envelope("*** Update File: f\n")).0, 2);
    assert_eq!(fault(&envelope("*** Update File: f\n@@\n")).0, 3);
    assert_eq!(fault(&envelope("*** Update File: f\n@@\n a\nb\n")).0, 5);
    assert_eq!(fault(&envelope("*** Add File: f\nb\n")).0, 3);
    assert_eq!(fault(&envelope("*** Frobnicate File: f\n")).0, 2);
    assert_eq!(
        fault("*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Delete File: b\n").0,
        4
    );
    // It could have been cut off anywhere.
    assert!(fault("*** Begin Patch\n*** Add File: f\n+a\n").1.contains("cut off"));
    let ended = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End of File\n";
    assert_eq!(updated("a\n", ended), "b\n");
}

#[test]
fn f11_paths_that_are_none_are_refused() {
    assert!(fault(&envelope("*** Delete File:  \n")).1.contains("it is empty"));
    assert!(fault(&envelope("*** Add File: a\0b\n+x\n")).1.contains("NUL"));
    assert!(
        fault("--- \"a/x\\ny\"\n+++ \"b/x\\ny\"\n@@ -1 +1 @@\n-a\n+b\n").1.contains("line break")
    );
    assert!(fault("--- \"a/x\\377\"\n+++ \"b/x\\377\"\n@@ -1 +1 @@\n-a\n+b\n").1.contains("UTF-8"));
    assert!(fault("--- \"a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n").1.contains("quote"));
    // What a path means is for others to judge.
    let patch =
        parse(&envelope("*** Delete File: ../../etc/passwd\n*** Delete File: /abs\n")).unwrap();
    assert_eq!(changes(&patch), [("../../etc/passwd", "delete"), ("/abs", "delete")]);
}

#[test]
fn f11_a_diff_of_git() {
    let text = "commit 1234\n\n    words\n\ndiff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@ heading\n a\n-b\n+B\n c\ndiff --git a/run.sh b/run.sh\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+echo\n\\ No newline at end of file\ndiff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\ndiff --git a/m b/m\nold mode 100644\nnew mode 100755\ndiff --git a/empty b/empty\nnew file mode 100644\nindex 0..0\n-- \n2.39.0\n";
    let patch = parse(text).unwrap();
    let all = [
        ("a.txt", "update"),
        ("run.sh", "add"),
        ("gone", "delete"),
        ("old name", "move"),
        ("m", "update"),
        ("empty", "add"),
    ];
    assert_eq!(changes(&patch), all);
    assert_eq!(patch.files[1].change, FileChange::Add { content: "echo".to_owned() });
    assert_eq!(patch.files[1].executable, Some(true));
    assert_eq!(patch.files[4].executable, Some(true));
    let FileChange::Update { hunks, .. } = &patch.files[0].change else { panic!() };
    assert_eq!((hunks[0].start, hunks[0].heading.as_deref()), (Some(1), Some("heading")));
}

#[test]
fn f11_names_in_diffs() {
    let name = |old: &str, new: &str| {
        let text = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n");
        parse(&text).unwrap().files.remove(0).path
    };
    assert_eq!(name("a/x", "b/x"), "x");
    assert_eq!(name("x\t2024-01-01 00:00:00.000000000 +0000", "x\t2024-01-02 00:00:00 +0000"), "x");
    assert_eq!(name("x.orig", "x"), "x");
    assert_eq!(name("a/with space\t", "b/with space\t"), "with space");
    assert_eq!(name("\"a/\\303\\244\\\"\\t\"", "\"b/\\303\\244\\\"\\t\""), "ä\"\t");
    assert_eq!(name("i/x", "w/x"), "x");
    assert_eq!(name("w/x", "w/x"), "w/x");
    let absent =
        "--- n\t1970-01-01 00:00:00 +0000\n+++ n\t2024-01-01 00:00:00 +0000\n@@ -0,0 +1 @@\n+a\n";
    assert_eq!(changes(&parse(absent).unwrap()), [("n", "add")]);
}

fn diff(body: &str) -> String {
    format!("--- a/f\n+++ b/f\n{body}")
}

#[test]
fn f11_wrong_numbers_and_counts_are_tolerated() {
    let text: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    let wanted = text.replace("line 10\n", "ten\n").replace("line 15\n", "");
    for (one, two) in [
        ("@@ -8,4 +8,4 @@", "@@ -14,3 +14,2 @@"),
        ("@@ -1,4 +1,4 @@", "@@ -900,3 +14,2 @@"),
        ("@@ -8,9 +8,9 @@", "@@ -14,1 +14,1 @@"),
        ("@@ -8,1 +8,2 @@", "@@ -14,33 +14,22 @@"),
        ("@@ ... @@", "@@"),
        ("@@ line 7 @@", "@@ @@"),
    ] {
        let body = format!(
            "{one}\n line 8\n line 9\n-line 10\n+ten\n line 11\n{two}\n line 14\n-line 15\n line 16\n"
        );
        assert_eq!(updated(&text, &diff(&body)), wanted, "{one} {two}");
        let two_files = format!("{}--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", diff(&body));
        assert_eq!(parse(&two_files).unwrap().files.len(), 2, "{one} {two}");
    }
}

#[test]
fn f11_line_numbers_choose_among_equals_only() {
    let text = "x\n".repeat(100);
    let at = |line: usize| diff(&format!("@@ -{line},1 +{line},1 @@\n-x\n+y\n"));
    assert_eq!(updated(&text, &at(7)), format!("{}y\n{}", "x\n".repeat(6), "x\n".repeat(93)));
    assert!(matches!(refused(&text, &at(4_000))[..], [Problem::Ambiguous { .. }]));
    // The second hunk is off as the first was.
    let lines: String = ["start\n", &"x\n".repeat(9), "mid\n", &"x\n".repeat(9)].concat();
    let body = "@@ -1 +1 @@\n-mid\n+MID\n@@ -4 +4 @@\n-x\n+y\n";
    let wanted = format!("start\n{}MID\nx\nx\ny\n{}", "x\n".repeat(9), "x\n".repeat(6));
    assert_eq!(updated(&lines, &diff(body)), wanted);
}

#[test]
fn f11_lines_that_would_be_lost_are_refused() {
    assert_eq!(fault(&diff("@@ -1,3 +1,3 @@\n a\nb\n-c\n+d\n")).0, 5);
    assert_eq!(fault(&diff("@@ -1 +1 @@\n-a\n+b\n\nand then\n+c\n")).0, 8);
    assert_eq!(fault("@@ -1 +1 @@\n-a\n+b\n").0, 1);
    assert_eq!(fault("--- a/f\n+++ b/f\n").0, 1);
    assert_eq!(fault("--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n b\n").0, 1);
    assert_eq!(fault("--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n").0, 1);
}

#[test]
fn f11_removed_lines_that_look_like_names() {
    let body = "@@ -1,3 +1,3 @@\n a\n--- old\n+++ new\n b\n";
    assert_eq!(updated("a\n-- old\nb\n", &diff(body)), "a\n++ new\nb\n");
    let last = "@@ -1,2 +1,2 @@\n a\n--- old\n+++ new\n";
    assert_eq!(updated("a\n-- old\n", &diff(last)), "a\n++ new\n");
}

#[test]
fn f11_what_cannot_be_applied_as_text_is_refused() {
    let git = |rest: &str| format!("diff --git a/x b/x\n{rest}");
    assert!(fault(&git("index 1..2\nBinary files a/x and b/x differ\n")).1.contains("binary"));
    assert!(fault(&git("index 1..2\nGIT binary patch\nliteral 3\n")).1.contains("binary"));
    assert!(fault("Binary files x and y differ\n").1.contains("binary"));
    assert!(
        fault(&git("new file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n"))
            .1
            .contains("links")
    );
    assert!(fault(&git("similarity index 90%\ncopy from x\ncopy to y\n")).1.contains("copy"));
    assert!(
        fault("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n")
            .1
            .contains("combined")
    );
}

#[test]
fn f11_insertions_by_number_alone() {
    assert_eq!(updated("a\nb\n", &diff("@@ -1,0 +2 @@\n+x\n")), "a\nx\nb\n");
    assert_eq!(updated("a\nb\n", &diff("@@ -0,0 +1 @@\n+x\n")), "x\na\nb\n");
    assert_eq!(updated("a\nb", &diff("@@ -2,0 +3 @@\n+x\n")), "a\nb\nx");
    assert_eq!(refused("a\n", &diff("@@ -9,0 +10 @@\n+x\n")), [Problem::PastEnd { lines: 1 }]);
}

#[test]
fn f11_how_a_hunk_was_found_is_told() {
    let patch = diff("@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    let placed = |content: &str| apply_update(content, &hunks(&patch)).unwrap().hunks;
    assert!(matches!(placed("a\nb\n")[..], [Placed::Applied { line: 2, level: Level::Exact, .. }]));
    assert!(matches!(
        placed("a\r\nb\r\n")[..],
        [Placed::Applied { line: 2, level: Level::Crlf, .. }]
    ));
}

#[test]
fn f11_hostile_patches_are_refused_in_bounded_time() {
    let long = "x".repeat(64 << 20);
    assert!(parse(&long).is_err());
    assert_eq!(updated(&long, &diff(&format!("@@ -1 +1 @@\n-{long}\n+y\n"))), "y");
    for line in [
        "*** Begin Patch\n",
        " *** End Patch\n",
        "@@\n",
        "--- a\n+++ b\n",
        "--- a\n",
        "-\n",
        "\n",
        "@@ -1,99999 +1 @@\n-\n",
        "\\\n",
        "@@ -1 +1 @@\n",
        "@@ a\n",
    ] {
        let many = line.repeat(50_000);
        for text in
            [many.clone(), envelope(&format!("*** Update File: f\n@@\n{many}")), diff(&many)]
        {
            if let Ok(patch) = parse(&text)
                && let [FilePatch { change: FileChange::Update { hunks, .. }, .. }] =
                    &patch.files[..]
            {
                let _ = apply_update("a\n\nb\n", hunks);
            }
        }
    }
    let same = "x\n".repeat(100_000);
    let body = format!("@@ -1,50000 +1 @@\n{}+y\n", "-x\n".repeat(50_000));
    assert_eq!(updated(&same, &diff(&body)).len(), 2 + 100_000);
}
