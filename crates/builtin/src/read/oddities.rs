//! Characters that nobody sees: they are shown as they are, and told.

/// How many kinds of them are named.
const MAX_NAMED: usize = 5;

/// The invisible characters of the lines that are shown.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    /// Each with the first line that has it.
    found: Vec<(char, u64)>,
}

impl Oddities {
    /// Looks at a line.
    pub(super) fn look(&mut self, number: u64, line: &str) {
        if line.bytes().all(|byte| (b' '..0x7f).contains(&byte) || byte == b'\t') {
            return;
        }
        for letter in line.chars().filter(|letter| is_odd(*letter)) {
            if self.found.len() > MAX_NAMED {
                return;
            }
            if !self.found.iter().any(|(known, _)| *known == letter) {
                self.found.push((letter, number));
            }
        }
    }

    /// What is said of them.
    pub(super) fn note(&self) -> Option<String> {
        if self.found.is_empty() {
            return None;
        }
        let named: Vec<String> = (self.found.iter().take(MAX_NAMED))
            .map(|(letter, line)| format!("U+{:04X} in line {line}", u32::from(*letter)))
            .collect();
        let more = if self.found.len() > MAX_NAMED { " and others" } else { "" };
        Some(format!("(invisible characters are shown as they are: {}{more})", named.join(", ")))
    }
}

/// Control characters, and those that turn text around or hide in it. What joins and splits
/// letters in scripts and emoji is ordinary.
fn is_odd(letter: char) -> bool {
    match letter {
        '\t' | '\x0c' => false,
        '\u{ad}'
        | '\u{200b}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        letter => letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_told_with_their_first_line() {
        let mut oddities = Oddities::default();
        oddities.look(1, "plain\ttext é 글 👩\u{200d}💻");
        assert_eq!(oddities.note(), None);
        oddities.look(2, "a\u{1b}[31m\u{202e}b");
        oddities.look(3, "a\u{1b}[0m");
        assert_eq!(
            oddities.note().unwrap(),
            "(invisible characters are shown as they are: U+001B in line 2, U+202E in line 2)"
        );
        oddities.look(4, "\u{1}\u{2}\u{3}\u{4}\u{5}");
        assert!(oddities.note().unwrap().ends_with("U+0003 in line 4 and others)"));
    }
}
