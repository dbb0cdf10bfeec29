//! Rules: `Action(pattern)` with a verdict.
//!
//! Of several rules that match, the most specific one decides, and of equally specific ones the
//! strictest. More specific is, in this order: more literal words (words of a command, segments
//! of a path or address), more literal characters, fewer wildcards.

mod glob;
mod matching;
mod path;
mod set;
mod url;
mod wild;
mod words;

use std::cmp::Reverse;
use std::fmt;

use dogu_tool::Verdict;
use thiserror::Error;

pub use matching::Surroundings;
pub use path::PathPattern;
pub use set::{LoadError, RuleEntry, RuleSet};
pub use url::{Address, UrlPattern};
pub use wild::Wild;
pub use words::WordPattern;

/// Where a rule stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl Place {
    /// A place in a file.
    pub fn new(file: impl Into<String>, line: usize, column: usize) -> Self {
        Self { file: file.into(), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("column {column}: {message}")]
pub struct RuleError {
    /// The column of the rule's text, in characters from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl RuleError {
    pub(crate) fn new(column: usize, message: impl Into<String>) -> Self {
        Self { column, message: message.into() }
    }

    fn moved(mut self, columns: usize) -> Self {
        self.column += columns;
        self
    }
}

/// Whether a pattern matches something that may be known in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It does not.
    No,
    /// It may.
    Maybe,
    /// It does.
    Yes,
}

impl Match {
    /// Yes or no.
    pub fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }

    pub(crate) fn maybe(may: bool) -> Self {
        if may { Self::Maybe } else { Self::No }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        self.min(other)
    }
}

/// What a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A simple command.
    Execute(WordPattern),
    /// Reading files.
    FileRead(PathPattern),
    /// Reading files with secrets.
    FileReadSensitive(PathPattern),
    /// Creating or changing files.
    FileWrite(PathPattern),
    /// Deleting files.
    FileDelete(PathPattern),
    /// Asking another machine.
    Network(UrlPattern),
    /// Tools of MCP servers.
    Mcp {
        /// The server's name.
        server: Wild,
        /// The tool's name.
        tool: Wild,
    },
    /// Anything else, by its name; or by `origin/name` where it comes from outside.
    Custom(Wild),
    /// A tool by its name; or by `source/name`, as in `mcp:github/get_issue`.
    Tool(Wild),
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it says.
    pub verdict: Verdict,
    /// What it is about.
    pub pattern: Pattern,
    /// Where it stands.
    pub place: Option<Place>,
    /// Comes before specificity; 0 for rules that are written as such.
    pub(crate) priority: u32,
}

impl Rule {
    /// A rule of a pattern.
    pub fn new(verdict: Verdict, pattern: Pattern) -> Self {
        Self { verdict, pattern, place: None, priority: 0 }
    }

    /// Reads `Action(pattern)`.
    pub fn parse(verdict: Verdict, text: &str) -> Result<Self, RuleError> {
        let rule = Self::new(verdict, Pattern::parse(text)?);
        rule.check_allowed().map(|()| rule)
    }

    /// Says where it stands.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Nothing may allow dogu to be run by what dogu guards.
    fn check_allowed(&self) -> Result<(), RuleError> {
        let Pattern::Execute(words) = &self.pattern else { return Ok(()) };
        let Some(program) = words.program() else { return Ok(()) };
        let parts = program.parts();
        let names_dogu = !program.is_any()
            && (program.matches("dogu")
                || parts.last().is_some_and(|last| last.ends_with("/dogu")));
        if self.verdict == Verdict::Allow && names_dogu {
            let why = "`dogu` is never allowed by a rule: it could answer its own questions";
            return Err(RuleError::new("Execute(".len() + 1, why));
        }
        Ok(())
    }

    /// How specific it is; the greatest decides.
    pub fn specificity(&self) -> Specificity {
        let (kind, (words, characters, wildcards)) = match &self.pattern {
            Pattern::Execute(words) => (1, word_weight(words)),
            Pattern::FileRead(path)
            | Pattern::FileReadSensitive(path)
            | Pattern::FileWrite(path)
            | Pattern::FileDelete(path) => (1, path.weight()),
            Pattern::Network(url) => (1, url.weight()),
            Pattern::Mcp { server, tool } => (1, sum(wild_weight(server), wild_weight(tool))),
            Pattern::Custom(name) => (1, wild_weight(name)),
            // A rule about what is done is more specific than one about who does it.
            Pattern::Tool(name) => (0, wild_weight(name)),
        };
        let wildcards = Reverse(wildcards);
        Specificity { priority: self.priority, kind, words, characters, wildcards }
    }

    /// It names one thing, without wildcards.
    pub fn is_exact(&self) -> bool {
        match &self.pattern {
            Pattern::Execute(words) => words.is_exact(),
            Pattern::FileRead(path)
            | Pattern::FileReadSensitive(path)
            | Pattern::FileWrite(path)
            | Pattern::FileDelete(path) => path.is_exact(),
            Pattern::Network(url) => !url.as_str().contains('*'),
            Pattern::Mcp { server, tool } => server.is_literal() && tool.is_literal(),
            Pattern::Custom(name) | Pattern::Tool(name) => name.is_literal(),
        }
    }

    /// The rule with where it stands, for a reason.
    pub fn named(&self) -> String {
        match &self.place {
            Some(place) => format!("{} at {place}", self.pattern),
            None => self.pattern.to_string(),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pattern.fmt(f)
    }
}

/// How specific a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    priority: u32,
    kind: u8,
    words: usize,
    characters: usize,
    wildcards: Reverse<usize>,
}

fn wild_weight(wild: &Wild) -> (usize, usize, usize) {
    (usize::from(wild.is_literal()), wild.literal_characters(), wild.wildcards())
}

fn word_weight(words: &WordPattern) -> (usize, usize, usize) {
    let all = words.words().iter().map(wild_weight).fold((0, 0, 0), sum);
    (all.0, all.1, words.wildcards())
}

fn sum(a: (usize, usize, usize), b: (usize, usize, usize)) -> (usize, usize, usize) {
    (a.0 + b.0, a.1 + b.1, a.2 + b.2)
}

impl Pattern {
    /// Reads `Action(pattern)`; columns count characters of the whole text from 1.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let end = text.chars().count();
        let (name, rest) = text
            .split_once('(')
            .ok_or_else(|| RuleError::new(end + 1, "a rule is written `Action(pattern)`"))?;
        let inner = rest
            .strip_suffix(')')
            .ok_or_else(|| RuleError::new(end.max(1), "the rule does not end with `)`"))?;
        let moved = |error: RuleError| error.moved(name.chars().count() + 1);
        let path = || PathPattern::parse(inner).map_err(moved);
        match name {
            "Execute" => WordPattern::parse(inner).map(Self::Execute).map_err(moved),
            "FileRead" => path().map(Self::FileRead),
            "FileReadSensitive" => path().map(Self::FileReadSensitive),
            "FileWrite" => path().map(Self::FileWrite),
            "FileDelete" => path().map(Self::FileDelete),
            "Network" => UrlPattern::parse(inner).map(Self::Network).map_err(moved),
            "Mcp" => parse_mcp(inner).map_err(moved),
            "Custom" => parse_name(inner).map(Self::Custom).map_err(moved),
            "Tool" => parse_name(inner).map(Self::Tool).map_err(moved),
            _ => Err(RuleError::new(1, unknown_action(name))),
        }
    }
}

fn parse_mcp(text: &str) -> Result<Pattern, RuleError> {
    if text == "*" {
        return Ok(Pattern::Mcp { server: Wild::parse("*"), tool: Wild::parse("*") });
    }
    let (server, tool) =
        text.split_once('/').ok_or_else(|| RuleError::new(1, "it is written `server/tool`"))?;
    Ok(Pattern::Mcp {
        server: parse_name(server)?,
        tool: parse_name(tool).map_err(|error| error.moved(server.chars().count() + 1))?,
    })
}

fn parse_name(text: &str) -> Result<Wild, RuleError> {
    if text.is_empty() {
        return Err(RuleError::new(1, "there is no name; `*` stands for every name"));
    }
    Ok(Wild::parse(text))
}

fn unknown_action(name: &str) -> String {
    let name: String = name.chars().take(40).collect();
    format!(
        "`{name}` is no action; there are Execute, FileRead, FileReadSensitive, FileWrite, \
         FileDelete, Network, Mcp, Custom and Tool"
    )
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Execute(words) => write!(f, "Execute({words})"),
            Self::FileRead(path) => write!(f, "FileRead({})", path.as_str()),
            Self::FileReadSensitive(path) => write!(f, "FileReadSensitive({})", path.as_str()),
            Self::FileWrite(path) => write!(f, "FileWrite({})", path.as_str()),
            Self::FileDelete(path) => write!(f, "FileDelete({})", path.as_str()),
            Self::Network(url) => write!(f, "Network({})", url.as_str()),
            Self::Mcp { server, tool } => write!(f, "Mcp({server}/{tool})"),
            Self::Custom(name) => write!(f, "Custom({name})"),
            Self::Tool(name) => write!(f, "Tool({name})"),
        }
    }
}
