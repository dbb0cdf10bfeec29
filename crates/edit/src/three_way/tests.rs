use proptest::prelude::*;

use super::*;

fn merged(base: &str, ours: &str, theirs: &str) -> String {
    merge(base, ours, theirs).unwrap().text
}

#[test]
fn changes_with_a_line_between_them_are_both_taken() {
    assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"), "A\nb\nC\n");
    assert_eq!(merged("a\nb\nc\n", "x\na\nb\nc\n", "a\nb\nc\ny\n"), "x\na\nb\nc\ny\n");
    assert_eq!(merged("a\nb\nc\n", "b\nc\n", "a\nb\n"), "b\n");
}

#[test]
fn the_same_change_is_taken_once() {
    let merged = merge("a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n").unwrap();
    assert_eq!((merged.text.as_str(), merged.from_both), ("a\nX\nc\n", 1));
    assert_eq!((merged.from_ours, merged.from_theirs), (0, 0));
}

#[test]
fn touching_changes_are_a_conflict_unless_equal() {
    let conflict = merge("a\nb\n", "A\nb\n", "a\nB\n").unwrap_err();
    assert_eq!(conflict.regions.len(), 1);
    let region = &conflict.regions[0];
    assert_eq!((&region.base, &region.ours, &region.theirs), (&(1..3), &(1..3), &(1..3)));
    assert_eq!((region.ours_text.as_str(), region.theirs_text.as_str()), ("A\nb\n", "a\nB\n"));
    assert!(merge("a\n", "a\nx\n", "a\ny\n").is_err());
    assert!(merge("a\nb\n", "x\nb\n", "b\n").is_err());
    assert!(merge("", "x\n", "y\n").is_err());
}

#[test]
fn a_conflict_is_told_shortly() {
    let long = |c: &str| c.repeat(5_000) + "\n";
    let text =
        |mid: &dyn Fn(usize) -> String| -> String { (0..9).map(|n| mid(n) + "same\n").collect() };
    let conflict = merge(
        &text(&|n| format!("{n}\n")),
        &text(&|n| long(&format!("한{n}"))),
        &text(&|n| long(&format!("글{n}"))),
    )
    .unwrap_err();
    assert_eq!(conflict.regions.len(), 9);
    let said = conflict.to_string();
    assert!(said.chars().count() < 1_000, "{said}");
    assert!(said.contains("in 9 places") && said.contains("(and 6 more)"), "{said}");
    assert!(said.contains("line 1 now:\n한0"), "{said}");
}

#[test]
fn line_ends_that_one_side_converted_are_kept() {
    assert_eq!(merged("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nb\nC\n"), "a\r\nb\r\nC\r\n");
    assert_eq!(merged("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\nb\nc\n"), "A\nb\nc\n");
    assert_eq!(merged("a\r\nb\nc\r\n", "a\r\nb\nc\r\nd\n", "x\r\nb\nc\r\n"), "x\r\nb\nc\r\nd\n");
}

#[test]
fn a_last_line_without_an_end() {
    assert_eq!(merged("a\nb\nc", "A\nb\nc", "a\nb\nc\n"), "A\nb\nc\n");
    assert!(merge("a\nb", "a\nb\nc", "a\nb\nd").is_err());
}

#[test]
fn hostile_texts_are_merged_or_refused() {
    let many = "x\n".repeat(100_000);
    let more = format!("{many}end\n");
    assert_eq!(merged(&many, &more, &format!("start\n{many}")), format!("start\n{more}"));
    let one = "z".repeat(64 << 20);
    assert!(merge(&one, "a", "b").is_err());
    assert_eq!(merged("\0\r\u{2028}\n", "\0\r\u{2028}\n", "\r"), "\r");
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec("[abc]", 0..12).prop_map(|lines| lines.join("\n"))
}

/// Lines that are all different, so that where a change belongs is beyond doubt.
fn numbered(lines: &[usize]) -> String {
    lines.iter().map(|n| format!("{n}\n")).collect()
}

proptest! {
    #[test]
    fn one_side_alone_is_taken_as_it_is(base in text(), other in text()) {
        prop_assert_eq!(&merged(&base, &other, &base), &other);
        prop_assert_eq!(&merged(&base, &base, &other), &other);
        prop_assert_eq!(&merged(&base, &other, &other), &other);
    }

    #[test]
    fn sides_can_be_exchanged(base in text(), ours in text(), theirs in text()) {
        let one = merge(&base, &ours, &theirs).map(|merged| merged.text);
        let other = merge(&base, &theirs, &ours).map(|merged| merged.text);
        prop_assert_eq!(one.is_ok(), other.is_ok());
        if let (Ok(one), Ok(other)) = (one, other) {
            prop_assert_eq!(one, other);
        }
    }

    #[test]
    fn disjoint_changes_are_as_one_after_the_other(
        kinds in prop::collection::vec(0_u8..7, 2..30),
    ) {
        // Every second line stays, so that no two changes touch.
        let base: Vec<usize> = (0..kinds.len() * 2).collect();
        let change = |lines: &[usize], taken: &dyn Fn(u8) -> bool| -> Vec<usize> {
            lines.iter().flat_map(|line| {
                let kind = kinds.get(line / 2).copied().unwrap_or(0);
                match kind {
                    _ if line % 2 == 1 || *line >= 1_000 || !taken(kind) => vec![*line],
                    1 | 4 => vec![],
                    2 | 5 => vec![line + 1_000],
                    _ => vec![line + 1_000, line + 2_000, *line],
                }
            }).collect()
        };
        let (first, second) = (|kind| (1..4).contains(&kind), |kind| kind >= 4);
        let ours = change(&base, &first);
        let theirs = change(&base, &second);
        let both = change(&ours, &second);
        prop_assert_eq!(merged(&numbered(&base), &numbered(&ours), &numbered(&theirs)), numbered(&both));
    }
}
