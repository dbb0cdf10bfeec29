use proptest::prelude::*;

use super::*;

const OLD: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";

fn unified(old: &str, new: &str) -> String {
    String::from_utf8(hunks(old.as_bytes(), new.as_bytes(), CONTEXT, Limits::NONE).text).unwrap()
}

#[test]
fn a_change_is_shown_with_what_is_around_it() {
    let shown = unified(OLD, &OLD.replace("e\n", "E\n"));
    assert_eq!(shown, "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
    assert_eq!(unified(OLD, OLD), "");
    assert_eq!(unified("", "x\n"), "@@ -0,0 +1,1 @@\n+x\n");
    assert_eq!(unified("x\n", ""), "@@ -1,1 +0,0 @@\n-x\n");
}

#[test]
fn a_last_line_without_an_end_is_told() {
    assert_eq!(
        unified("x\nb", "y\nb"),
        "@@ -1,2 +1,2 @@\n-x\n+y\n b\n\\ No newline at end of file\n"
    );
    assert_eq!(unified("", "x"), "@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n");
}

#[test]
fn line_ends_are_kept_and_context_can_be_nothing_or_all() {
    let bytes = |context| hunks(b"a\r\nb\r\n", b"a\r\nc\n", context, Limits::NONE).text;
    assert_eq!(bytes(0), b"@@ -2,1 +2,1 @@\n-b\r\n+c\n");
    assert_eq!(bytes(usize::MAX), b"@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n");
}

#[test]
fn names_say_what_became_of_the_file() {
    let text = |before, after| file(before, after).text;
    assert_eq!(
        text(None, Some(("new file", "x\n"))),
        "--- /dev/null\n+++ b/new file\t\n@@ -0,0 +1,1 @@\n+x\n"
    );
    assert_eq!(text(Some(("x", "")), None), "diff --git a/x b/x\ndeleted file mode 100644\n");
    assert_eq!(
        text(Some(("x", "1\n")), Some(("y\"", "1\n"))),
        "diff --git a/x \"b/y\\\"\"\nrename from x\nrename to \"y\\\"\"\n"
    );
    assert_eq!(text(Some(("x", "1\n")), Some(("x", "1\n"))), "");
    assert_eq!(quoted("b/", b"a\"b\\c\n\t\x01\xff"), "\"b/a\\\"b\\\\c\\n\\t\\001\\377\"");
}

#[test]
fn a_long_difference_is_cut_and_counted() {
    let old = "x\n".repeat(200_000);
    let new: String = (0..200_000).map(|n| format!("{n}\n")).collect();
    let made = file(Some(("f", &old)), Some(("f", &new)));
    assert_eq!((made.added, made.removed), (200_000, 200_000));
    assert_eq!(made.left_out, 400_001 - 2_000);
    assert!(made.text.ends_with("-x\n(... 398001 more lines of this diff were left out)\n"));
    let line = "y".repeat(64 << 20);
    let made = file(Some(("f", "a\n")), Some(("f", &line)));
    assert_eq!((made.left_out, made.added, made.removed), (1, 1, 1));
    assert!(made.text.len() < 200);
}

proptest! {
    #[test]
    fn what_is_shown_and_left_out_is_all(
        old in "([ab]\n){0,20}", new in "([ab]\n){0,20}", lines in 0_usize..30,
    ) {
        let all = hunks(old.as_bytes(), new.as_bytes(), 1, Limits::NONE);
        let cut = hunks(old.as_bytes(), new.as_bytes(), 1, Limits { lines, bytes: usize::MAX });
        prop_assert!(all.text.starts_with(&cut.text));
        let count = |text: &[u8]| memchr::memchr_iter(b'\n', text).count();
        prop_assert_eq!(count(&cut.text) + cut.left_out, count(&all.text));
        prop_assert_eq!((all.added, all.removed), (cut.added, cut.removed));
        prop_assert_eq!(all.text.is_empty(), old == new);
    }
}
