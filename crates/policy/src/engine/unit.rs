//! The single things that a call would do.

use dogu_tool::Action;
use serde_json::Value;

use crate::analysis::Found;
use crate::command::Access;
use crate::engine::Request;
use crate::facts::{CommandFacts, JudgedAction, NamedFile, PathFacts};
use crate::path::PathClass;

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    ReadSensitive,
    Write,
    Delete,
}

impl Use {
    /// It changes the file.
    pub(crate) fn changes(self) -> bool {
        matches!(self, Self::Write | Self::Delete)
    }

    /// What is done, in a word.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Read | Self::ReadSensitive => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

/// A use of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileUnit<'a> {
    pub(crate) usage: Use,
    /// Everything below it too.
    pub(crate) tree: bool,
    /// What is known of it; nothing where nobody can tell which file it is.
    pub(crate) facts: Option<&'a PathFacts>,
    /// What kind of place it is.
    pub(crate) class: PathClass,
    /// The command line that names it, and its name there.
    pub(crate) line: Option<(&'a CommandFacts, &'a NamedFile)>,
}

/// One thing that a call would do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit<'a> {
    /// A simple command of a line.
    Command(&'a Found),
    /// A use of a file.
    File(FileUnit<'a>),
    /// An address.
    Network(&'a str),
    /// A server and its tool.
    Mcp(&'a str, &'a str),
    /// Anything else.
    Custom(&'a str, &'a Value),
    /// A call that would do nothing.
    Nothing,
}

/// A unit with the line that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) unit: Unit<'a>,
    pub(crate) line: Option<&'a CommandFacts>,
    /// The line has an action but no facts: nothing is known of it.
    pub(crate) unknown: bool,
}

impl<'a> Placed<'a> {
    /// It is what the programs of a line are known to ask: who allows them allows that.
    pub(crate) fn is_network_of_line(&self) -> bool {
        self.line.is_some() && matches!(self.unit, Unit::Network(_))
    }

    fn of(unit: Unit<'a>) -> Self {
        Self { unit, line: None, unknown: false }
    }

    fn in_line(unit: Unit<'a>, facts: &'a CommandFacts) -> Self {
        Self { unit, line: Some(facts), unknown: false }
    }
}

/// Everything that a call would do, in single things.
pub(crate) fn units<'a>(request: &Request<'a>) -> Vec<Placed<'a>> {
    if request.actions.is_empty() {
        return vec![Placed::of(Unit::Nothing)];
    }
    request.actions.iter().flat_map(|judged| units_of(judged, request)).collect()
}

fn units_of<'a>(judged: &'a JudgedAction, request: &Request<'a>) -> Vec<Placed<'a>> {
    let file = |usage: Use, tree: bool| {
        Placed::of(Unit::File(FileUnit::new(usage, tree, judged.path.as_ref(), request)))
    };
    let unit = match &judged.action {
        Action::Execute { .. } => {
            let mut units = units_of_line(judged.command.as_ref(), request);
            // The path of a line is the folder that it runs in.
            units.extend(judged.path.as_ref().map(|_| file(Use::Read, false)));
            return units;
        }
        Action::FileRead { tree, .. } => file(Use::Read, *tree),
        Action::FileReadSensitive { .. } => file(Use::ReadSensitive, false),
        Action::FileWrite { .. } => file(Use::Write, false),
        Action::FileDelete { .. } => file(Use::Delete, false),
        Action::Network { url } => Placed::of(Unit::Network(url)),
        Action::Mcp { server, tool } => Placed::of(Unit::Mcp(server, tool)),
        Action::Custom { name, details } => Placed::of(Unit::Custom(name, details)),
    };
    vec![unit]
}

impl<'a> FileUnit<'a> {
    fn new(
        usage: Use,
        tree: bool,
        facts: Option<&'a PathFacts>,
        request: &Request<'_>,
    ) -> FileUnit<'a> {
        let class = facts.map(|facts| request.places.class(facts)).unwrap_or_default();
        // Reading a secret is that, whatever the tool calls it.
        let secret = usage == Use::Read && class.sensitive.is_some();
        let usage = if secret { Use::ReadSensitive } else { usage };
        FileUnit { usage, tree, facts, class, line: None }
    }
}

fn units_of_line<'a>(facts: Option<&'a CommandFacts>, request: &Request<'a>) -> Vec<Placed<'a>> {
    let Some(facts) = facts else {
        return vec![Placed { unit: Unit::Nothing, line: None, unknown: true }];
    };
    let commands = facts.analysis.commands.iter().map(Unit::Command);
    let files = facts.files.iter().map(|named| Unit::File(named_file(named, facts, request)));
    let addresses = facts.analysis.addresses.iter().map(|url| Unit::Network(url));
    let mut units: Vec<_> =
        commands.chain(files).chain(addresses).map(|unit| Placed::in_line(unit, facts)).collect();
    if facts.analysis.commands.is_empty() {
        units.push(Placed::in_line(Unit::Nothing, facts));
    }
    units
}

fn named_file<'a>(
    named: &'a NamedFile,
    line: &'a CommandFacts,
    request: &Request<'a>,
) -> FileUnit<'a> {
    let usage = match named.access {
        Access::Read | Access::Tree => Use::Read,
        Access::Write => Use::Write,
        Access::Delete => Use::Delete,
    };
    let tree = named.access == Access::Tree;
    let unit = FileUnit::new(usage, tree, named.path.as_ref().ok(), request);
    FileUnit { line: Some((line, named)), ..unit }
}
