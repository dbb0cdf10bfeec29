//! Words of a command, as far as they are known before a shell runs it.

use std::fmt;

/// One word. Quotes are gone, and everything that the shell would fill in is said to be unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// Exactly this one argument.
    Literal(String),
    /// A number that is known only when it runs, such as `$?`: one argument of digits.
    Number,
    /// A pattern that the shell replaces by names of files: one or more arguments. Written as
    /// the shell reads it; what is literal and looks like a wildcard has a backslash.
    Glob(String),
    /// Names of files that this pattern matches, split at white space: any number of arguments.
    SplitNames(String),
    /// The names of files below these folders, as `find` or `git ls-files` print them: any
    /// number of arguments.
    Listed {
        /// The folders, as they were written.
        below: Vec<String>,
        /// Each name is one argument, whatever is in it; else white space in one splits it.
        exact: bool,
    },
    /// A place that a word of the standard input fills; only in what [`super::Inner::PerInput`] holds.
    Input,
    /// A variable, a substitution: not known.
    Unknown {
        /// The literal text that it begins with.
        starts: String,
        /// It is exactly one argument; else there may be none or several.
        one: bool,
    },
}

impl Arg {
    /// A known argument.
    pub fn literal(text: impl Into<String>) -> Self {
        Self::Literal(text.into())
    }

    /// Nothing is known of it.
    pub fn unknown() -> Self {
        Self::Unknown { starts: String::new(), one: false }
    }

    /// The argument, if it is known.
    pub fn as_literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            // As good as any other number, but for the name of a file.
            Self::Number => Some("0"),
            _ => None,
        }
    }

    /// It begins with `-`, or nobody can say that it does not.
    pub fn may_be_option(&self) -> bool {
        match self {
            Self::Number => false,
            Self::Literal(text) => text.starts_with('-'),
            Self::Glob(pattern) => pattern.starts_with(['-', '*', '?', '[']),
            Self::Listed { below, .. } => {
                below.iter().any(|folder| !folder.starts_with(['/', '.', '~']))
            }
            // After the split any piece may begin with it.
            Self::Input | Self::SplitNames(_) => true,
            Self::Unknown { starts, .. } => starts.is_empty() || starts.starts_with('-'),
        }
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(text) | Self::Glob(text) | Self::SplitNames(text) => f.write_str(text),
            Self::Number => f.write_str("0"),
            Self::Listed { .. } => f.write_str("…"),
            Self::Input => f.write_str("{}"),
            Self::Unknown { starts, .. } => write!(f, "{starts}…"),
        }
    }
}
