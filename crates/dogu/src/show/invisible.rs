//! Characters that a terminal obeys instead of showing, or shows as nothing.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// How many marks may stand on one letter; more would climb over the lines around it.
const MOST_MARKS: usize = 4;

/// Goes through a text and says of each character whether it can be shown.
#[derive(Default)]
pub(super) struct Watch {
    marks: usize,
}

impl Watch {
    /// Whether this character, after those before it, cannot be shown as it is.
    pub(super) fn hides(&mut self, c: char) -> bool {
        if c.is_ascii() {
            self.marks = 0;
            return c.is_ascii_control();
        }
        let category = get_general_category(c);
        if matches!(category, Category::NonspacingMark | Category::EnclosingMark) {
            self.marks += 1;
        } else {
            self.marks = 0;
        }
        self.marks > MOST_MARKS || is_unseen(category) || is_blank(c)
    }
}

/// Controls, bidirectional controls, joiners, tags, private use, what is not assigned, and every
/// space but the one that is always meant.
fn is_unseen(category: Category) -> bool {
    matches!(
        category,
        Category::Control
            | Category::Format
            | Category::PrivateUse
            | Category::Unassigned
            | Category::Surrogate
            | Category::LineSeparator
            | Category::ParagraphSeparator
            | Category::SpaceSeparator
    )
}

/// Letters, marks and symbols that are shown as nothing: fillers, variation selectors, the empty
/// braille cell.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}')
        || matches!(c, '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{1d159}' | '\u{e0000}'..='\u{e0fff}')
}
