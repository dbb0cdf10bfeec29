//! Parsing within bounds: a limit in bytes and one in work, so that the same text always has the
//! same outcome, however busy the machine is.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::Language;
use super::deep::with_room;

/// A longer text is not parsed, in bytes: it was made by a program, and nobody reads it.
pub const MAX_BYTES: usize = 512 * 1024;
/// The parser asks whether to go on each 100 steps. Sources need at most one question for fifty
/// bytes; only texts that are no code of their language need many times that.
const BYTES_A_QUESTION: usize = 10;
/// However short a text is, it may ask so often.
const FREE_QUESTIONS: usize = 2_000;
/// How much of the text the parser is given at once, in bytes. Some grammars look far ahead from
/// every place, which is no step: it shows only in how often they read.
const CHUNK: usize = 512;
/// Sources are read about twice, those with long strings up to twenty times.
const READS_A_BYTE: usize = 128;
/// However short a text is, so much of it may be read.
const FREE_READS: usize = 1024 * 1024;

/// Why a text has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unparsed {
    /// It is longer than [`MAX_BYTES`].
    #[error("it is larger than {} KB", MAX_BYTES / 1024)]
    TooLarge,
    /// It has so many errors that finding out what was meant takes too long.
    #[error("it is too far from the syntax of its language")]
    TooHard,
    /// The caller did not want to wait.
    #[error("stopped")]
    Stopped,
}

thread_local! {
    /// A parser keeps its memory from one text to the next.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses a text and looks at its tree; `stop` is asked now and then.
pub(crate) fn parsed<T: Send>(
    text: &str,
    language: Language,
    stop: &(dyn Fn() -> bool + Sync),
    look: impl FnOnce(&Tree) -> T + Send,
) -> Result<T, Unparsed> {
    if text.len() > MAX_BYTES {
        return Err(Unparsed::TooLarge);
    }
    PARSER.with_borrow_mut(|parser| {
        let work = || parse_with(parser, text, language, stop).map(|tree| look(&tree));
        with_room(text.len(), work).unwrap_or(Err(Unparsed::TooHard))
    })
}

fn parse_with(
    parser: &mut Parser,
    text: &str,
    language: Language,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Tree, Unparsed> {
    // A grammar for another version of the parser is a mistake of the build, which a test finds.
    parser.set_language(&language.grammar().language).map_err(|_| Unparsed::TooHard)?;
    let mut left = FREE_QUESTIONS + text.len() / BYTES_A_QUESTION;
    let mut stopped = false;
    let mut on_progress = |_: &_| {
        left = left.saturating_sub(1);
        stopped |= left.is_multiple_of(64) && stop();
        if left == 0 || stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let mut unread = FREE_READS + text.len() * READS_A_BYTE;
    let mut read = |at: usize, _| {
        let chunk = &bytes[at.min(bytes.len())..(at + CHUNK).min(bytes.len())];
        unread = unread.saturating_sub(CHUNK);
        // For a parser that reads too much the text ends here.
        if unread == 0 { &[] } else { chunk }
    };
    let options = ParseOptions::new().progress_callback(&mut on_progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options)).filter(|_| unread > 0);
    if tree.is_none() {
        // Else the next text would go on where this one ended.
        parser.reset();
    }
    tree.ok_or(if stopped { Unparsed::Stopped } else { Unparsed::TooHard })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn children(text: &str, language: Language, stop: bool) -> Result<usize, Unparsed> {
        parsed(text, language, &|| stop, |tree| tree.root_node().named_child_count())
    }

    #[test]
    fn every_grammar_fits_the_parser() {
        for language in Language::ALL {
            assert_eq!(children("", language, false), Ok(0), "{language:?}");
        }
    }

    #[test]
    fn what_is_too_large_or_not_wanted_is_told() {
        let long = " ".repeat(MAX_BYTES + 1);
        assert_eq!(children(&long, Language::Rust, false), Err(Unparsed::TooLarge));
        let text = "fn f() {}\n".repeat(20_000);
        assert_eq!(children(&text, Language::Rust, true), Err(Unparsed::Stopped));
        // The parser starts afresh.
        assert_eq!(children("fn f() {}\n", Language::Rust, false), Ok(1));
    }
}
