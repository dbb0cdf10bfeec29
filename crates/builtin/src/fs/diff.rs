//! What a change looks like to a person who is asked about it.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// A change: lines of the old text, and the lines of the new one in their place.
type Change = (Range<usize>, Range<usize>);

/// The change from `old` to `new`, as `diff -u` shows it, without the names; empty if there is none.
pub(super) fn unified(old: &str, new: &str) -> String {
    let lines = (old.lines().collect::<Vec<_>>(), new.lines().collect::<Vec<_>>());
    let mut text = String::new();
    for group in groups(&changes(old, new)) {
        show(group, &lines.0, &lines.1, &mut text);
    }
    text
}

fn changes(old: &str, new: &str) -> Vec<Change> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect()
}

/// Changes that are so near to each other that their surroundings touch.
fn groups(changes: &[Change]) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(|one, next| next.0.start - one.0.end <= 2 * CONTEXT)
}

fn show(group: &[Change], old: &[&str], new: &[&str], text: &mut String) {
    let ([first, ..], [.., last]) = (group, group) else { return };
    let before = first.0.start.min(CONTEXT);
    let after = (old.len() - last.0.end).min(CONTEXT);
    let from = first.0.start - before..last.0.end + after;
    let to = first.1.start - before..last.1.end + after;
    text.push_str(&format!("@@ -{} +{} @@\n", place(&from), place(&to)));
    let mut at = from.start;
    for (gone, come) in group {
        put(' ', &old[at..gone.start], text);
        put('-', &old[gone.clone()], text);
        put('+', &new[come.clone()], text);
        at = gone.end;
    }
    put(' ', &old[at..from.end], text);
}

fn place(lines: &Range<usize>) -> String {
    // Of no lines, the place is the one before.
    let first = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{first},{}", lines.len())
}

fn put(mark: char, lines: &[&str], text: &mut String) {
    for line in lines {
        text.push_str(&format!("{mark}{line}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

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
}
