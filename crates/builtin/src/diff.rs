//! What a change looks like, line by line.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// How many unchanged lines are shown around a change.
pub(crate) const CONTEXT: usize = 3;
/// What stands after a last line that has no end.
const NO_END: &[u8] = b"\\ No newline at end of file\n";

/// A change: lines of the old text, and the lines of the new one in their place.
type Change = (Range<usize>, Range<usize>);

/// The change from `old` to `new`, as `diff -u` shows it, without the names; empty if there is none.
pub(crate) fn unified(old: &str, new: &str) -> String {
    let patch = patch(old.as_bytes(), new.as_bytes(), CONTEXT);
    // Cut from texts at the ends of lines, it is text again.
    String::from_utf8_lossy(&patch.hunks).into_owned()
}

/// The change from one content to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patch {
    /// The hunks as `diff -u` shows them; empty if nothing changed.
    pub(crate) hunks: Vec<u8>,
    /// How many lines are new.
    pub(crate) added: usize,
    /// How many lines are gone.
    pub(crate) removed: usize,
}

/// Compares by lines, with so many unchanged lines around each change. Lines keep their ends,
/// whatever they are: what is shown can be applied.
pub(crate) fn patch(old: &[u8], new: &[u8], context: usize) -> Patch {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let mut patch = Patch::default();
    let all = changes(old, new);
    for (gone, come) in &all {
        patch.removed += gone.len();
        patch.added += come.len();
    }
    for group in groups(&all, context) {
        show(group, &old_lines, &new_lines, context, &mut patch.hunks);
    }
    patch
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn changes(old: &[u8], new: &[u8]) -> Vec<Change> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect()
}

/// Changes that are so near to each other that their surroundings touch.
fn groups(changes: &[Change], context: usize) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(move |one, next| next.0.start - one.0.end <= context.saturating_mul(2))
}

fn show(group: &[Change], old: &[&[u8]], new: &[&[u8]], context: usize, text: &mut Vec<u8>) {
    let ([first, ..], [.., last]) = (group, group) else { return };
    let before = first.0.start.min(context);
    let after = (old.len() - last.0.end).min(context);
    let from = first.0.start - before..last.0.end + after;
    let to = first.1.start - before..last.1.end + after;
    text.extend_from_slice(format!("@@ -{} +{} @@\n", place(&from), place(&to)).as_bytes());
    let mut at = from.start;
    for (gone, come) in group {
        put(b' ', &old[at..gone.start], text);
        put(b'-', &old[gone.clone()], text);
        put(b'+', &new[come.clone()], text);
        at = gone.end;
    }
    put(b' ', &old[at..from.end], text);
}

fn place(lines: &Range<usize>) -> String {
    // Of no lines, the place is the one before.
    let first = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{first},{}", lines.len())
}

fn put(mark: u8, lines: &[&[u8]], text: &mut Vec<u8>) {
    for line in lines {
        text.push(mark);
        text.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            text.push(b'\n');
            text.extend_from_slice(NO_END);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OLD: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";

    #[test]
    fn a_change_is_shown_with_what_is_around_it() {
        let shown = unified(OLD, &OLD.replace("e\n", "E\n"));
        assert_eq!(shown, "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
        assert_eq!(unified(OLD, OLD), "");
        assert_eq!(unified("", "x\n"), "@@ -0,0 +1,1 @@\n+x\n");
        assert_eq!(unified("x\n", ""), "@@ -1,1 +0,0 @@\n-x\n");
    }

    #[test]
    fn changes_far_from_each_other_are_apart() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let new =
            old.replace("\n5\n", "\nfive\n").replace("\n30\n", "\n").replace("\n7\n", "\n7\nnew\n");
        let shown = unified(&old, &new);
        assert_eq!(shown.matches("@@ -").count(), 2, "{shown}");
        assert!(shown.contains("-5\n+five\n 6\n 7\n+new\n"), "{shown}");
        assert!(shown.contains("@@ -28,7 +29,6 @@\n"), "{shown}");
    }

    #[test]
    fn a_last_line_without_an_end_is_told() {
        assert_eq!(
            unified("a\nb", "a\nb\n"),
            "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
        );
        assert_eq!(
            unified("x\nb", "y\nb"),
            "@@ -1,2 +1,2 @@\n-x\n+y\n b\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn without_context_and_with_other_line_ends() {
        let shown = patch(b"a\r\nb\r\n", b"a\r\nc\n", 0);
        assert_eq!(shown.hunks, b"@@ -2,1 +2,1 @@\n-b\r\n+c\n");
        assert_eq!((shown.added, shown.removed), (1, 1));
        assert_eq!(patch(b"a\n", b"b\n", usize::MAX).hunks, b"@@ -1,1 +1,1 @@\n-a\n+b\n");
    }

    /// What a patch makes of the old content.
    fn applied(old: &[u8], hunks: &[u8]) -> Vec<u8> {
        let (old, mut new, mut at) = (lines(old), Vec::new(), 0);
        let mut rest = lines(hunks).into_iter().peekable();
        while let Some(line) = rest.next() {
            if let Some(header) = line.strip_prefix(b"@@ -") {
                let header = std::str::from_utf8(header).unwrap();
                let (first, count) = header.split_once(' ').unwrap().0.split_once(',').unwrap();
                let first: usize = first.parse().unwrap();
                let start = if count == "0" { first } else { first - 1 };
                old[at..start].iter().for_each(|line| new.extend_from_slice(line));
                at = start;
                continue;
            }
            let ends = !rest.peek().is_some_and(|next| next.starts_with(b"\\"));
            let text = &line[1..line.len() - usize::from(!ends)];
            match line[0] {
                b'+' => new.extend_from_slice(text),
                b'\\' => {}
                mark => {
                    assert_eq!(old[at], text);
                    at += 1;
                    if mark == b' ' {
                        new.extend_from_slice(text);
                    }
                }
            }
        }
        old[at..].iter().for_each(|line| new.extend_from_slice(line));
        new
    }

    proptest! {
        #[test]
        fn a_patch_makes_the_new_content_of_the_old_one(
            old in prop::collection::vec("[ab\r]{0,2}\n", 0..30),
            new in prop::collection::vec("[ab\r]{0,2}\n", 0..30),
            ends in any::<(bool, bool)>(),
            context in 0_usize..5,
        ) {
            let cut = |lines: Vec<String>, ends: bool| {
                let mut text = lines.concat();
                if ends { text.pop(); }
                text.into_bytes()
            };
            let (old, new) = (cut(old, ends.0), cut(new, ends.1));
            let shown = patch(&old, &new, context);
            prop_assert_eq!(applied(&old, &shown.hunks), new.clone());
            prop_assert_eq!(shown.hunks.is_empty(), old == new);
        }
    }
}
