//! What was repaired, for whoever wrote the text.

use std::fmt;
use std::mem::discriminant;

/// One kind of repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Note {
    TrailingComma,
    MissingComma,
    SingleQuotes,
    TypographicQuotes,
    LineBreak,
    Tab,
    Control,
    Key(String),
    Comment,
    StrayCloser(String),
    Word { wrote: String, means: &'static str },
    UnknownEscape(String),
    CutEscape(String),
    LoneSurrogate,
    Closed(String),
    SameObject,
    EmptyObject,
    GrownObject,
    SameKey(String),
    Fence,
    UnusualBlank,
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TrailingComma => out.write_str("removed a trailing comma"),
            Self::MissingComma => out.write_str("added a missing comma between two lines"),
            Self::SingleQuotes => out.write_str("read 'single quotes' as double quotes"),
            Self::TypographicQuotes => out.write_str("read “typographic quotes” as double quotes"),
            Self::LineBreak => out.write_str("kept a raw line break in a string"),
            Self::Tab => out.write_str("kept a raw tab in a string"),
            Self::Control => out.write_str("kept a raw control character in a string"),
            Self::Key(key) => write!(out, "quoted the key `{key}`"),
            Self::Comment => out.write_str("ignored a comment"),
            Self::StrayCloser(closers) => write!(out, "ignored a stray `{closers}` at the end"),
            Self::Word { wrote, means } => write!(out, "read `{wrote}` as `{means}`"),
            Self::UnknownEscape(escape) => {
                write!(out, "kept the backslash of the unknown escape `{escape}`")
            }
            Self::CutEscape(escape) => write!(out, "left out the unfinished escape `{escape}`"),
            Self::LoneSurrogate => out.write_str("replaced half a surrogate pair with U+FFFD"),
            Self::Closed(closers) => write!(out, "closed what was left open: `{closers}`"),
            Self::SameObject => out.write_str("read an object that came twice as one"),
            Self::EmptyObject => out.write_str("ignored an empty object beside the other one"),
            Self::GrownObject => {
                out.write_str("read an object that came again with more members as one")
            }
            Self::SameKey(key) => {
                write!(out, "read the key `{key}`, given twice with the same value, as one")
            }
            Self::Fence => out.write_str("ignored a code fence around the JSON"),
            Self::UnusualBlank => out.write_str("read an unusual blank as a space"),
        }
    }
}

/// The repairs of a text, one of each kind: a text with a thousand raw tabs needs no thousand notes.
#[derive(Debug, Default)]
pub(super) struct Notes {
    kinds: Vec<Noted>,
}

#[derive(Debug)]
struct Noted {
    first: Note,
    /// Whether another of the kind followed that reads otherwise.
    others: bool,
}

impl Notes {
    /// Notes a repair.
    pub(super) fn add(&mut self, note: Note) {
        let same_kind = |noted: &&mut Noted| discriminant(&noted.first) == discriminant(&note);
        match self.kinds.iter_mut().find(same_kind) {
            Some(noted) => noted.others |= noted.first != note,
            None => self.kinds.push(Noted { first: note, others: false }),
        }
    }

    /// The notes as sentences.
    pub(super) fn into_sentences(self) -> Vec<String> {
        self.kinds.iter().map(Noted::sentence).collect()
    }
}

impl Noted {
    fn sentence(&self) -> String {
        let more = if self.others { " (and more like it)" } else { "" };
        format!("{}{more}", self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_note_of_each_kind() {
        let mut notes = Notes::default();
        for note in [Note::Tab, Note::Key("a".into()), Note::Tab, Note::Key("b".into())] {
            notes.add(note);
        }
        assert_eq!(
            notes.into_sentences(),
            ["kept a raw tab in a string", "quoted the key `a` (and more like it)"]
        );
    }
}
