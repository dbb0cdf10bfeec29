//! Shared by the tests: an edit in one line.
#![allow(dead_code, reason = "each test binary uses its part")]

use dogu_edit::{Applied, Count, Edit, Outcome, Reason, Refusal, apply};

/// The edit, which must be applied.
pub(crate) fn applied(content: &str, old: &str, new: &str) -> Applied {
    applied_as(content, &Edit::new(old, new))
}

/// The edit with its options, which must be applied.
pub(crate) fn applied_as(content: &str, edit: &Edit<'_>) -> Applied {
    match apply(content, edit) {
        Ok(Outcome::Applied(applied)) => {
            check_outside(content, &applied);
            applied
        }
        other => panic!("{:?} was not applied: {other:?}", edit.old),
    }
}

/// The edit, which must be refused.
pub(crate) fn refused(content: &str, old: &str, new: &str) -> Refusal {
    refused_as(content, &Edit::new(old, new))
}

/// The edit with its options, which must be refused, with a text for the model.
pub(crate) fn refused_as(content: &str, edit: &Edit<'_>) -> Refusal {
    match apply(content, edit) {
        Err(refusal) => {
            let text = refusal.to_string();
            assert!(text.chars().count() < 1_000, "{text}");
            refusal
        }
        other => panic!("{:?} was not refused: {other:?}", edit.old),
    }
}

/// The edit, which must be found done.
pub(crate) fn already(content: &str, old: &str, new: &str) -> usize {
    match apply(content, &Edit::new(old, new)) {
        Ok(Outcome::AlreadyApplied { line }) => line,
        other => panic!("{old:?} was not found applied: {other:?}"),
    }
}

/// All of them.
pub(crate) fn all<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit { count: Count::All, ..Edit::new(old, new) }
}

/// So many of them.
pub(crate) fn exactly<'a>(old: &'a str, new: &'a str, count: usize) -> Edit<'a> {
    Edit { count: Count::Exactly(count), ..Edit::new(old, new) }
}

/// One of them, near a line.
pub(crate) fn near<'a>(old: &'a str, new: &'a str, line: usize) -> Edit<'a> {
    Edit { line: Some(line), ..Edit::new(old, new) }
}

/// Refused for one of these reasons.
pub(crate) fn reason(content: &str, old: &str, new: &str) -> Reason {
    refused(content, old, new).reason
}

/// What is not in a span stands in the new text as it stood.
pub(crate) fn check_outside(content: &str, applied: &Applied) {
    let mut from = 0;
    let mut rest = applied.text.as_str();
    for span in &applied.spans {
        let kept = &content[from..span.start];
        let at = rest.find(kept).unwrap_or_else(|| panic!("{kept:?} is not in {rest:?}"));
        if from == 0 {
            assert_eq!(at, 0, "the text before the first span moved");
        }
        rest = &rest[at + kept.len()..];
        from = span.end;
    }
    assert!(rest.ends_with(&content[from..]), "the text after the last span changed");
}
