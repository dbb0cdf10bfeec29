//! What is said of arguments that were not understood.

/// How many characters an excerpt shows on each side of the place.
const EXCERPT_SIDE: usize = 20;

/// Arguments that were not understood: `Failed to parse tool arguments: …`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Failed to parse tool arguments: {reason} at byte {position}, near `{excerpt}`")]
pub struct ArgumentsError {
    /// What is wrong.
    pub reason: String,
    /// Where, in bytes of the text.
    pub position: usize,
    /// The text around it, on one line.
    pub excerpt: String,
}

impl ArgumentsError {
    /// What is wrong at a place in the text.
    pub(super) fn at(text: &str, position: usize, reason: impl Into<String>) -> Self {
        let position = text.floor_char_boundary(position);
        Self { reason: reason.into(), position, excerpt: excerpt(text, position) }
    }
}

fn excerpt(text: &str, position: usize) -> String {
    let (before, after) = text.split_at(position);
    let start = before.char_indices().rev().nth(EXCERPT_SIDE - 1).map_or(0, |(at, _)| at);
    let mut shown = one_line(&before[start..], EXCERPT_SIDE);
    shown.push_str(&one_line(after, EXCERPT_SIDE));
    shown
}

/// The first characters of a text, on one line: line breaks and the like are shown as escapes.
pub(super) fn one_line(text: &str, characters: usize) -> String {
    let mut shown = String::new();
    for character in text.chars().take(characters) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excerpt_is_one_line_around_the_place() {
        let text = format!("{}\n{}", "ä".repeat(30), "ö".repeat(30));
        let error = ArgumentsError::at(&text, 60, "no");
        assert_eq!(error.excerpt, format!("{}\\n{}", "ä".repeat(20), "ö".repeat(19)));
        assert_eq!(ArgumentsError::at(&text, 1, "no").position, 0);
        assert_eq!(ArgumentsError::at("", 9, "no").excerpt, "");
    }

    #[test]
    fn says_what_and_where() {
        assert_eq!(
            ArgumentsError::at("{x", 1, "expected a key").to_string(),
            "Failed to parse tool arguments: expected a key at byte 1, near `{x`"
        );
    }
}
