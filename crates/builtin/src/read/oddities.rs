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
    /// Those of lines as they are shown: each with its number, a tab, and its end.
    pub(super) fn of(shown: &str) -> Self {
        let mut oddities = Self::default();
        // Without an early end, so that many bytes are looked at in one step: nearly always this
        // is all that is done.
        if shown.bytes().fold(0, |found, byte| found | u8::from(begins_odd(byte))) == 0 {
            return oddities;
        }
        for line in shown.split('\n') {
            if let Some((number, text)) = line.split_once('\t')
                && let Ok(number) = number.trim_start().parse()
            {
                oddities.look(number, text);
            }
        }
        oddities
    }

    fn look(&mut self, number: u64, line: &str) {
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

/// Whether an odd character may begin with this byte in UTF-8.
fn begins_odd(byte: u8) -> bool {
    // Control characters but for a tab and the end of a line, and what leads to all others.
    matches!(byte, 0..=8 | 0x0b..=0x1f | 0x7f | 0xc2 | 0xe2 | 0xef | 0xf3)
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

    #[test]
    fn no_odd_character_begins_with_another_byte() {
        for letter in ('\0'..=char::MAX).filter(|letter| is_odd(*letter) && *letter != '\n') {
            let first = letter.to_string().as_bytes()[0];
            assert!(begins_odd(first), "{}", letter.escape_unicode());
        }
    }

    #[test]
    fn lines_are_known_by_the_numbers_that_are_shown_with_them() {
        assert_eq!(Oddities::of("     7\tplain\tand é 글\n     8\t\n").note(), None);
        let shown = "    99\ta\u{200b}\n1000000\tb\tc\r\n";
        assert_eq!(
            Oddities::of(shown).note().unwrap(),
            "(invisible characters are shown as they are: U+200B in line 99, U+000D in line 1000000)"
        );
    }
}
