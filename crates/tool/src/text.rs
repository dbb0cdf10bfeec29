//! Texts: cut at character boundaries with a mark that says so; an error with its causes.

/// What stands at the end of a text that was cut.
pub const TRUNCATED_MARK: &str = "... (truncated)";

/// How the place of a redacted secret begins; no ordinary text contains it.
pub const REDACTION_MARK: &str = "\u{27e6}redacted ";

/// Cuts `text` to at most `limit` characters; the mark counts, and is left out where it does not fit.
pub fn truncate_marked(text: &str, limit: usize) -> String {
    // A text has at most as many characters as bytes: most messages are not counted at all.
    if text.len() <= limit || text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let mark = TRUNCATED_MARK.len();
    if limit <= mark {
        return text.chars().take(limit).collect();
    }
    let mut cut: String = text.chars().take(limit - mark).collect();
    cut.push_str(TRUNCATED_MARK);
    cut
}

/// An error and what caused it, in one line.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(&format!(": {cause}"));
        next = cause.source();
    }
    text
}

/// The largest index that is not past `at` and lies on a character boundary.
pub fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The smallest index that is not before `at` and lies on a character boundary.
pub fn ceil_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
