//! Names of files as they are shown: whatever they are made of, one name is one piece of a line.

use std::collections::BTreeSet;

/// How many names are given as examples of what was left out.
const MAX_EXAMPLES: usize = 3;

/// A name as it is shown below `prefix`. One with characters that deceive or bytes that are no
/// UTF-8 stands in quotes, with escapes in place of those.
pub(crate) fn shown(prefix: &str, below: &[u8]) -> String {
    match std::str::from_utf8(below) {
        Ok(name) if !name.contains(deceives) => format!("{prefix}{name}"),
        _ => format!("\"{prefix}{}\"", escaped(below)),
    }
}

/// It ends lines, drives terminals, or turns or hides the text around it.
fn deceives(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

fn escaped(name: &[u8]) -> String {
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' | '\\' => text.extend(['\\', character]),
                _ if deceives(character) => text.extend(character.escape_default()),
                _ => text.push(character),
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// How many there are, and the first few by name.
#[derive(Debug, Default)]
pub(crate) struct Names {
    count: u64,
    first: BTreeSet<String>,
}

impl Names {
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        // Which are found first differs from run to run, which are least does not.
        self.first.insert(name());
        self.trim();
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first.extend(other.first);
        self.trim();
    }

    fn trim(&mut self) {
        while self.first.len() > MAX_EXAMPLES {
            self.first.pop_last();
        }
    }

    /// `a, b, c and 4 more`.
    pub(crate) fn text(&self) -> String {
        let names: Vec<&str> = self.first.iter().map(String::as_str).collect();
        let more = self.count - names.len() as u64;
        let names = names.join(", ");
        if more == 0 { names } else { format!("{names} and {more} more") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_is_itself() {
        assert_eq!(shown("src/", "é \"q\"\\.rs".as_bytes()), "src/é \"q\"\\.rs");
    }

    #[test]
    fn a_name_that_could_end_a_line_is_quoted() {
        assert_eq!(shown("", b"a\nb\"\x1b.rs"), r#""a\nb\"\u{1b}.rs""#);
        assert_eq!(shown("d/", b"\xff\xfea"), r#""d/\xff\xfea""#);
    }

    #[test]
    fn a_name_that_would_turn_or_hide_text_is_quoted() {
        let turned = "a\u{202e}sr.b";
        assert_eq!(shown("", turned.as_bytes()), r#""a\u{202e}sr.b""#);
        assert_eq!(shown("", "a\u{200b}".as_bytes()), r#""a\u{200b}""#);
        let family = "👨\u{200d}👩.md";
        assert_eq!(shown("", family.as_bytes()), family);
    }

    #[test]
    fn the_least_names_stand_for_all() {
        let mut names = Names::default();
        for name in ["d", "c", "b", "a"] {
            names.add(|| name.to_owned());
        }
        assert_eq!(names.text(), "a, b, c and 1 more");
    }
}
