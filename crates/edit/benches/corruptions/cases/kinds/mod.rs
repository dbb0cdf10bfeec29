//! The kinds of corruption: what each does to a case, and what is right then.

mod either;
mod fuzzy;
mod inner;
mod lines;
mod refuse;
mod space;
mod table;
mod wrap;

use super::draft::Draft;
use super::random::Random;

pub(crate) use table::KINDS;

/// Changes a case, or says that this one is not fit.
pub(crate) type Step = fn(&mut Draft, &mut Random) -> bool;

/// What is asked of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// What is meant can be told: it must be done.
    Recoverable,
    /// What is meant cannot be told, or is not there: nothing may be done.
    Refuse,
    /// Doing it right and refusing it are both good answers.
    Either,
}

/// Who named the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// One of the 38 that peers were measured with.
    Known,
    Own,
    /// Two kinds at once, which the dice chose.
    Combination,
}

/// What a kind touches. Two kinds that touch different things can be combined, in this order:
/// words are misremembered before lines are wrapped, and numbered after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touches {
    /// Words of a line or two.
    Words,
    Characters,
    Blank,
    /// White space within lines and between them.
    Inner,
    Indent,
    /// White space at the ends of lines.
    Trail,
    /// What stands around the text or before each line.
    Wrap,
    /// Line endings.
    Ends,
    /// Everything: not to be combined.
    All,
}

/// A kind of corruption.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) class: Class,
    pub(crate) origin: Origin,
    pub(crate) touches: Touches,
    /// What it does to the lines, then to the texts made of them.
    pub(crate) lines: &'static [Step],
    pub(crate) texts: &'static [Step],
    /// Whether words are not what the file has, so that a place that is nearly the same could be
    /// meant as well.
    pub(crate) misremembers: bool,
    /// Whether the old text still stands in the file as it is sent.
    pub(crate) exact: bool,
}
