//! What a command line does, all of it.
//!
//! A line is first parsed by `prove` (`shell`). If that succeeds, it is walked as the
//! shell would run it (`walk`): variables, folders, substitutions, wrappers; every simple
//! command is judged by its name and arguments. Where anything is not understood, `detect`
//! (`danger`) looks for danger in whatever could be a command.

mod builtins;
mod compound;
mod danger;
mod files;
mod listing;
mod reach;
mod redirects;
mod run;
mod simple;
mod test_command;
mod unseen;
mod walk;

pub use self::reach::Repository;
use crate::command::{Access, Arg};
use crate::risk::Risk;

/// Longer lines are not looked at.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// Where a line would run.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The folder that it starts in, absolute.
    pub cwd: &'a str,
    /// What `~` and `$HOME` mean.
    pub home: Option<&'a str>,
}

/// What was found out about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Every part of the line was understood; or the first part that was not, in words. A line
    /// that is not understood is never allowed by itself, a rule or a grant.
    pub understood: Result<(), String>,
    /// Every command of the line, inner ones after the ones that hold them.
    pub commands: Vec<Found>,
    /// The files that the line names. Complete only if the line was understood.
    pub files: Vec<UsedFile>,
    /// Every folder that it can run in, absolute, the first one first.
    pub folders: Vec<String>,
    /// Files of these folders which decide what its commands do.
    pub steered_by: Vec<String>,
    /// Programs that its commands start by themselves, by name.
    pub starts: Vec<&'static str>,
    /// The addresses that its programs are known to ask.
    pub addresses: Vec<String>,
    /// The greatest risk of its commands.
    pub risk: Risk,
}

/// A command of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its words; the first is its name.
    pub words: Vec<Arg>,
    /// Its own risk, inner commands aside.
    pub risk: Risk,
    /// Why that is its risk, in words that go on after its name.
    pub reason: String,
    /// What to do instead.
    pub hint: Option<String>,
    /// It only starts the commands inside it, which are judged by themselves.
    pub wrapper: bool,
}

/// A file that a line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedFile {
    /// What is done with it.
    pub access: Access,
    /// Its name as it was written.
    pub named: String,
    /// The shell opens it, not a command: a rule for the command says nothing about it.
    pub redirected: bool,
    /// Where that is.
    pub place: FilePlace,
}

impl UsedFile {
    /// It is no file: what is written there goes where the output goes, or nowhere.
    pub fn is_stream(&self) -> bool {
        matches!(&self.place, FilePlace::At(path) if crate::path::is_stream(path.as_ref()))
    }
}

/// Where a file of a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePlace {
    /// At this absolute path, not yet resolved.
    At(String),
    /// At whatever this absolute pattern matches.
    Matching {
        /// The pattern.
        pattern: String,
        /// Names with white space in them are not split.
        exact: bool,
    },
    /// Anywhere below these absolute paths.
    Below {
        /// The folders.
        folders: Vec<String>,
        /// Names with white space in them are not split.
        exact: bool,
    },
    /// Only known when it runs.
    Unknown,
}

/// Analyses a line for bash.
///
/// ```
/// use dogu_policy::analysis::{Place, analyse};
/// use dogu_policy::Risk;
///
/// let place = Place { cwd: "/work", home: Some("/home/u") };
/// let analysis = analyse("echo \"$(rm -rf /)\"", place);
/// assert_eq!(analysis.risk, Risk::Forbidden);
/// assert_eq!(analysis.commands.len(), 2);
/// ```
pub fn analyse(line: &str, place: Place<'_>) -> Analysis {
    if line.len() > MAX_LINE_BYTES {
        return not_looked_at(format!("it is longer than {} KB", MAX_LINE_BYTES / 1024), place);
    }
    let mut analysis = match crate::shell::prove(line) {
        Ok(script) => walk::analyse(&script, place),
        Err(refusal) => not_looked_at(refusal, place),
    };
    if analysis.understood.is_err() {
        danger::add(line, place, &mut analysis);
        analysis.risk = analysis.risk.max(Risk::Unknown);
    }
    analysis.addresses = reach::addresses(&analysis.commands);
    analysis
}

fn not_looked_at(refusal: String, place: Place<'_>) -> Analysis {
    Analysis {
        understood: Err(refusal),
        commands: Vec::new(),
        files: Vec::new(),
        folders: vec![place.cwd.to_owned()],
        steered_by: Vec::new(),
        starts: Vec::new(),
        addresses: Vec::new(),
        risk: Risk::Unknown,
    }
}
