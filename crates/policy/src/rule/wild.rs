//! Texts in which `*` stands for any characters.

use std::fmt;

/// A text with wildcards. A backslash makes the `*` or backslash after it literal; before
/// anything else it is itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wild {
    /// What stands between the wildcards; one part means that there are none.
    parts: Vec<String>,
}

impl Wild {
    /// Exactly this text.
    pub fn literal(text: impl Into<String>) -> Self {
        Self { parts: vec![text.into()] }
    }

    /// From parts between wildcards.
    pub(crate) fn of_parts(parts: Vec<String>) -> Self {
        if parts.is_empty() { Self::literal("") } else { Self { parts } }
    }

    /// Reads a text with wildcards; every text is one.
    pub fn parse(text: &str) -> Self {
        let mut parts = vec![String::new()];
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter == '*' {
                parts.push(String::new());
                continue;
            }
            let escaped = letter == '\\' && matches!(letters.peek(), Some('*' | '\\'));
            let letter = if escaped { letters.next().unwrap_or(letter) } else { letter };
            if let Some(part) = parts.last_mut() {
                part.push(letter);
            }
        }
        Self { parts }
    }

    /// The parts between the wildcards.
    pub(crate) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// It has no wildcard.
    pub fn is_literal(&self) -> bool {
        self.parts.len() == 1
    }

    /// It is nothing but wildcards.
    pub fn is_any(&self) -> bool {
        self.parts.len() > 1 && self.parts.iter().all(String::is_empty)
    }

    /// The whole text is of this form.
    pub fn matches(&self, text: &str) -> bool {
        let [first, rest @ ..] = self.parts.as_slice() else { return false };
        let [middle @ .., last] = rest else { return first == text };
        let Some(mut text) = text.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            let Some(at) = text.find(part.as_str()) else { return false };
            text = &text[at + part.len()..];
        }
        text.ends_with(last.as_str())
    }

    /// The same, letters of ASCII compared without their case.
    pub fn matches_folded(&self, text: &str) -> bool {
        let parts = self.parts.iter().map(|part| part.to_ascii_lowercase()).collect();
        Self { parts }.matches(&text.to_ascii_lowercase())
    }

    /// Some text that begins so is of this form.
    pub fn may_begin(&self, starts: &str) -> bool {
        match self.parts.first() {
            Some(first) if self.is_literal() => first.starts_with(starts),
            Some(first) => first.starts_with(starts) || starts.starts_with(first.as_str()),
            None => false,
        }
    }

    /// How many characters are literal.
    pub fn literal_characters(&self) -> usize {
        self.parts.iter().map(|part| part.chars().count()).sum()
    }

    /// How many wildcards there are.
    pub fn wildcards(&self) -> usize {
        self.parts.len().saturating_sub(1)
    }
}

impl fmt::Display for Wild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                f.write_str("*")?;
            }
            f.write_str(&part.replace('\\', "\\\\").replace('*', "\\*"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_any_characters() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("a*", "a", true),
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*a", "a", false),
            ("*b*", "abc", true),
            ("a*b*c", "axcxbxc", true),
            ("a*b*c", "axcxb", false),
            ("get_*", "get_issue", true),
            (r"\*", "*", true),
            (r"\*", "a", false),
            (r"a\b", r"a\b", true),
        ] {
            assert_eq!(Wild::parse(pattern).matches(text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["a*b", r"\*", r"\\*", "**", r"a\b"] {
            let wild = Wild::parse(text);
            assert_eq!(Wild::parse(&wild.to_string()), wild, "{text}");
        }
    }
}
