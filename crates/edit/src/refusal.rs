//! What the model is told when an edit is refused: what was wrong, where, what to send instead.

use std::fmt;

use crate::Edit;
use crate::ladder::Hits;
use crate::nearest;
use crate::spans::Source;

/// A refusal's text is shorter than this many characters.
const MOST: usize = 1_000;
/// As much of the old text is quoted.
const QUOTED: usize = 50;
/// As many places are listed.
const LISTED: usize = 8;

/// Why an edit was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// There is no old text.
    EmptyOld,
    /// Old and new are the same.
    NoChange,
    /// The old text is only white space.
    OnlySpace,
    /// The old text is not in the file.
    NotFound,
    /// It is in several places.
    Ambiguous,
    /// It is not in as many places as expected.
    WrongCount,
    /// A `...` in one of the texts has no partner in the other.
    UnpairedElision,
    /// The file has something else exactly where the change is.
    Conflict,
    /// The file is so large that only exact text is looked for.
    TooLarge,
}

/// An edit that was not made. Its `Display` is the text for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// The lines (from 1) that it is about: the places found, or the nearest text.
    pub lines: Vec<usize>,
    message: String,
}

impl Refusal {
    fn new(reason: Reason, lines: Vec<usize>, message: &str) -> Self {
        Self { reason, lines, message: cut(message, MOST - 1) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// Shortens a text to a number of characters, with a mark where something is left out.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['\u{2026}']).collect()
}

/// The first characters of the old text, on one line.
fn quoted(old: &str) -> String {
    let more = if old.chars().count() > QUOTED { "\u{2026}" } else { "" };
    let first: String = old.chars().take(QUOTED).collect();
    format!("{first:?}{more}")
}

pub(crate) fn check_input(old: &str, new: &str) -> Result<(), Refusal> {
    let (reason, message) = if old.is_empty() {
        (
            Reason::EmptyOld,
            "The old text is empty, so it stands nowhere. Send the text to be replaced, or write the whole file.",
        )
    } else if old == new {
        (
            Reason::NoChange,
            "Old and new text are the same, so there is nothing to change. Send the text as it shall become.",
        )
    } else if old.trim().is_empty() {
        (
            Reason::OnlySpace,
            "The old text is only white space, which stands in many places. Send it with the lines around it.",
        )
    } else {
        return Ok(());
    };
    Err(Refusal::new(reason, Vec::new(), message))
}

pub(crate) fn too_large(edit: &Edit<'_>) -> Refusal {
    let message = format!(
        "The old text {} is not in the file, which is so large that only exact text is looked for. Read the lines again and send them unchanged.",
        quoted(edit.old)
    );
    Refusal::new(Reason::TooLarge, Vec::new(), &message)
}

pub(crate) fn unpaired(old: &str, line: &str) -> Refusal {
    let message = format!(
        "The line {:?} stands for left-out text, but old and new do not have the same ones, so it is not clear what shall stay (old begins {}). Send both texts in full, or the same elision line in both.",
        cut(line, 80),
        quoted(old)
    );
    Refusal::new(Reason::UnpairedElision, Vec::new(), &message)
}

pub(crate) fn conflict(source: &Source<'_>, edit: &Edit<'_>, at: usize) -> Refusal {
    let line = source.line(at);
    let message = format!(
        "The old text {} nearly stands at line {line}, but the file differs from it exactly where the change is, so the change cannot be made without losing something. The file has there:\n{line}| {}\nRead the lines again and send old as they are now.",
        quoted(edit.old),
        cut(source.line_text(line), 200)
    );
    Refusal::new(Reason::Conflict, vec![line], &message)
}

fn places(source: &Source<'_>, hits: &Hits) -> (Vec<usize>, String) {
    let lines: Vec<usize> = hits.places.iter().map(|(start, _)| source.line(*start)).collect();
    let mut shown: Vec<String> = lines.iter().take(LISTED).map(ToString::to_string).collect();
    if lines.len() > LISTED {
        shown.push(format!("and {} more", lines.len() - LISTED));
    }
    (lines, shown.join(", "))
}

pub(crate) fn ambiguous(source: &Source<'_>, edit: &Edit<'_>, hits: &Hits) -> Refusal {
    let (lines, shown) = places(source, hits);
    let mut message = format!(
        "The old text {} stands in {} places (compared at level {}): lines {shown}.",
        quoted(edit.old),
        lines.len(),
        hits.level
    );
    if let Some(hint) = edit.line {
        message.push_str(&format!(" The line hint {hint} does not decide between them."));
    }
    if let Some(first) = lines.first() {
        let before = first.saturating_sub(1);
        if before > 0 {
            message.push_str(&format!(
                " Before the first one stands {:?}.",
                cut(source.line_text(before).trim(), 100)
            ));
        }
    }
    message.push_str(" Send more of the lines around the one that is meant, in old and in new, or ask for all of them to be replaced.");
    Refusal::new(Reason::Ambiguous, lines, &message)
}

pub(crate) fn wrong_count(
    source: &Source<'_>,
    edit: &Edit<'_>,
    hits: &Hits,
    wanted: usize,
) -> Refusal {
    let (lines, shown) = places(source, hits);
    let message = format!(
        "The old text {} was expected {wanted} times and stands there {} times (compared at level {}): lines {shown}. Send that number, or more of the lines around the places that are meant.",
        quoted(edit.old),
        lines.len(),
        hits.level
    );
    Refusal::new(Reason::WrongCount, lines, &message)
}

pub(crate) fn not_found(source: &Source<'_>, edit: &Edit<'_>, repaired: &str) -> Refusal {
    let mut message = format!("The old text {} is not in the file.", quoted(edit.old));
    let mut lines = Vec::new();
    if let Some(near) = nearest::nearest(source, repaired) {
        message.push_str(&format!("\nThe nearest text is at line {}:\n{}", near.line, near.shown));
        if let Some(difference) = near.difference {
            message.push_str(&format!("\n{difference}"));
        }
        lines.push(near.line);
        message = cut(&message, MOST - 120);
    }
    message.push_str("\nRead these lines of the file again and send old exactly as they are, without anything left out.");
    Refusal::new(Reason::NotFound, lines, &message)
}
