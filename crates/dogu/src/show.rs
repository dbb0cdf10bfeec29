//! Text from models and files, made safe for a terminal.

use std::borrow::Cow;
use std::io::ErrorKind;

use crate::problem::Problem;

/// Replaces what could move the cursor, hide text or turn it around: control characters (not
/// newline and tab), bidirectional controls, zero-width characters.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe.into()
}

/// One line: newlines and tabs are escaped too, and what is longer than `most` characters is cut.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let line = text.replace('\n', "\\n").replace('\t', "\\t");
    let line = escaped(&line);
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.into_owned(),
    }
}

/// Whether somebody still reads what was written: whoever closed the pipe has seen enough, which
/// is no error.
pub(crate) fn still_read(written: std::io::Result<()>) -> Result<bool, Problem> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Problem::wrong_use("the output could not be written").because(error)),
    }
}

fn is_unsafe(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_fool_a_reader_is_shown_as_what_it_is() {
        assert_eq!(escaped("plain 한글\n\t"), "plain 한글\n\t");
        assert_eq!(escaped("a\u{1b}[2Jb\rc"), "a\\u{1b}[2Jb\\u{d}c");
        assert_eq!(escaped("x\u{202e}y\u{200b}"), "x\\u{202e}y\\u{200b}");
        assert_eq!(one_line("a\nb\tc", 10), "a\\nb\\tc");
        assert_eq!(one_line("한글입니다", 2), "한글…");
    }
}
