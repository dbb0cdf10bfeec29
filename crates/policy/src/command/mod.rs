//! What one simple command does, told by its name and all of its arguments.
//!
//! 1. `forbidden` looks for what nobody wants, however much of the rest is unknown.
//! 2. Commands with a language of their own (`find`, `test`, shells, interpreters) and those
//!    that start others (`env`, `sudo`, `xargs`) have code here.
//! 3. All others are data: `tables/*.txt`, whose form `table` explains. An entry lists every
//!    option with which a command is as harmless as it says; what is not listed does not fit,
//!    and what fits nowhere is unknown.

mod arg;
mod awk;
mod brackets;
mod check;
mod export;
mod files;
mod find;
mod fit;
mod forbidden;
mod git;
mod git_runs;
mod hidden;
mod interpreter;
mod leading;
mod remote;
mod runs_more;
mod sed;
mod shells;
mod stdin;
mod subcommand;
mod table;
mod test_command;
#[cfg(test)]
mod tests;
mod verdict;
mod wrapper;
mod xargs;

pub use arg::Arg;
pub use export::steers;
pub(crate) use leading::without_leading_options;
pub use runs_more::runs_more;
pub use stdin::{fetches, interprets_stdin};
pub use verdict::{judge, starts_others};

use std::borrow::Cow;

use crate::risk::Risk;

/// What a command does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Reads it, or lists it where it is a folder.
    Read,
    /// Reads everything below it.
    Tree,
    /// Creates or changes it.
    Write,
    /// Deletes it.
    Delete,
}

/// A file that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUse {
    /// What is done with it.
    pub access: Access,
    /// Its name as it was written: relative to the folder that the command runs in.
    pub path: Arg,
}

/// Another command inside a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// These words are a command of their own.
    Command(Vec<Arg>),
    /// These words are a command, made once or often; words of the standard input stand where
    /// [`Arg::Input`] is.
    PerInput {
        /// The command.
        command: Vec<Arg>,
        /// The input is split at NUL or at line ends only, so that each name is one word.
        exact: bool,
    },
    /// A text that a shell reads as a script.
    Script(Arg),
    /// A command on another machine or in another root: looked at for danger alone, its files
    /// are not ours.
    Elsewhere(Vec<Arg>),
}

/// What a simple command does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// How much harm it can do, its inner commands aside.
    pub risk: Risk,
    /// Why that is its risk, in words that go on after the command's name: `deletes by force`.
    pub reason: Cow<'static, str>,
    /// What to do instead; always there for what is interactive.
    pub hint: Option<Cow<'static, str>>,
    /// The files that it names.
    pub files: Vec<FileUse>,
    /// The commands inside it.
    pub inner: Vec<Inner>,
    /// Variables that it sets for its inner commands.
    pub sets: Vec<String>,
    /// Programs that it starts by itself, by name.
    pub starts: &'static [&'static str],
    /// Files by which the folder that it runs in decides what it does, so that it is only safe
    /// where that folder is trusted or has none of them.
    pub steered_by: &'static [&'static str],
}

impl Effects {
    /// A risk and its reason, and nothing else.
    pub fn of(risk: Risk, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { risk, reason: reason.into(), ..Self::default() }
    }
}
