//! Two changes of one text, put together line by line.
//!
//! A file that changed after it was read is not overwritten: `base` is what was read, `ours` what
//! stands there now, `theirs` what was to be written. Changes with an unchanged line between them
//! are both taken, the same change on both sides once; everything else is a [`Conflict`].
//!
//! ```
//! let merged = dogu_edit::three_way::merge("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n").unwrap();
//! assert_eq!(merged.text, "A\nb\nC\n");
//! ```

mod conflict;
mod line_ends;
mod walk;

pub use conflict::{Conflict, Region};

use crate::lines::{Ends, Lines};
use walk::slice;

/// Two changes in one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The text.
    pub text: String,
    /// How many places came from `ours` alone.
    pub from_ours: usize,
    /// How many places came from `theirs` alone.
    pub from_theirs: usize,
    /// How many places both had changed in the same way.
    pub from_both: usize,
}

/// Puts the changes from `base` to `ours` and from `base` to `theirs` together.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Result<Merged, Conflict> {
    match line_ends::common(base, ours, theirs) {
        // Were line ends compared, a file whose ends were converted would conflict everywhere.
        Some(unified) => {
            let [base, ours, theirs] = &unified.texts;
            let mut merged = merge_lines(base, ours, theirs)?;
            merged.text = unified.restored(&merged.text);
            Ok(merged)
        }
        None => merge_lines(base, ours, theirs),
    }
}

fn merge_lines(base: &str, ours: &str, theirs: &str) -> Result<Merged, Conflict> {
    let [base, ours, theirs] = [base, ours, theirs].map(|text| Lines::new(text, Ends::Literal));
    let mut merged = Merged { text: String::new(), from_ours: 0, from_theirs: 0, from_both: 0 };
    let mut conflicts = Vec::new();
    let mut at = 0;
    for place in walk::places(base.text(), ours.text(), theirs.text()) {
        merged.text.push_str(slice(&base, &(at..place.base.start)));
        at = place.base.end;
        let same = slice(&ours, &place.ours) == slice(&theirs, &place.theirs);
        match (place.ours_changed, place.theirs_changed) {
            (true, true) if !same => conflicts.push(Region::new(&place, &ours, &theirs)),
            (true, both) => {
                if both {
                    merged.from_both += 1;
                } else {
                    merged.from_ours += 1;
                }
                merged.text.push_str(slice(&ours, &place.ours));
            }
            (false, _) => {
                merged.from_theirs += 1;
                merged.text.push_str(slice(&theirs, &place.theirs));
            }
        }
    }
    merged.text.push_str(slice(&base, &(at..base.len())));
    if conflicts.is_empty() { Ok(merged) } else { Err(Conflict::new(conflicts)) }
}

#[cfg(test)]
mod tests;
