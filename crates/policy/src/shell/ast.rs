//! What a proved line consists of.

use std::cell::OnceCell;
use std::rc::Rc;

/// A list of pipelines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) items: Vec<Item>,
}

/// A pipeline, and when it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) when: When,
    /// `!`: it went well if it did not.
    pub(crate) negated: bool,
    /// It is started and not waited for, so that what it sets is lost.
    pub(crate) background: bool,
    /// The commands that are joined by pipes.
    pub(crate) pipeline: Vec<Command>,
}

/// When a pipeline runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// After the one before it.
    Always,
    /// If the one before it went well.
    And,
    /// If it did not.
    Or,
}

/// A command with its redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Simple {
        assignments: Vec<Assignment>,
        words: Vec<Word>,
    },
    /// `{ …; }`, or `( … )` in a shell of its own.
    Group {
        body: Script,
        subshell: bool,
    },
    If {
        branches: Vec<(Script, Script)>,
        otherwise: Script,
    },
    /// `while` and `until`.
    Loop {
        condition: Script,
        body: Script,
    },
    For {
        name: String,
        words: Vec<Word>,
        body: Script,
    },
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, Script)>,
    },
    /// `[[ … ]]`
    Test {
        words: Vec<Word>,
    },
    /// `(( … ))` of nothing but numbers.
    Arithmetic,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Word,
    /// `+=`
    pub(crate) append: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    /// The file descriptor, if one was written.
    pub(crate) descriptor: Option<String>,
    pub(crate) target: Word,
    /// The text of a here-document, which is read after the rest of its line.
    pub(crate) here: Option<Rc<OnceCell<Word>>>,
}

impl Redirect {
    /// `2>&1`
    pub(crate) fn errors_too() -> Self {
        let target = Word { parts: vec![Part::Bare("1".to_owned())] };
        let descriptor = Some("2".to_owned());
        Self { kind: RedirectKind::Duplicate, descriptor, target, here: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    Read,
    Write,
    /// `<>`
    ReadWrite,
    /// A here-document or here-string: the target is its text.
    Text,
    /// `2>&1`: no file.
    Duplicate,
}

/// A word, or a text with expansions in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Literal text without quotes around it.
    Bare(String),
    /// Literal text that was quoted or escaped.
    Quoted(String),
    /// An unquoted wildcard: `*`, `?`, `[` or `]`.
    Wildcard(char),
    /// An unquoted `{`, `,` or `}` that may be part of a brace expansion.
    Brace(char),
    /// `~` at the start of a word.
    Tilde,
    /// `$x`, `${x…}`.
    Parameter {
        name: String,
        /// The value is used as it is: no `:-`, `%` and the like.
        plain: bool,
        quoted: bool,
        /// It was written with braces, so that what follows is not part of its name.
        braced: bool,
        /// What the expansion holds besides the name.
        inner: Vec<Part>,
    },
    /// `$(…)` or backticks.
    Command { script: Script, quoted: bool },
    /// `<(…)` or `>(…)`.
    Process { script: Script },
    /// `$((…))` of nothing but numbers; `natural` if it is neither negative nor large.
    Arithmetic { natural: bool },
}

impl Word {
    /// The word's text if it is literal, however it was quoted.
    pub(crate) fn literal(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Bare(piece) | Part::Quoted(piece) => text.push_str(piece),
                Part::Brace(brace) => text.push(*brace),
                _ => return None,
            }
        }
        Some(text)
    }

    /// The word's text if nothing of it is quoted: only so can it be a reserved word.
    pub(crate) fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Bare(text)] => Some(text),
            _ => None,
        }
    }
}
