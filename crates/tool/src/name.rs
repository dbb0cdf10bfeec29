//! Tool names: what a model may be shown, and the `resource__export` form of declared tools.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest name that every provider accepts.
pub const MAX_NAME_LEN: usize = 64;

/// What separates a resource from its export in the name of a declared tool.
pub const NAME_SEPARATOR: &str = "__";

/// A name that every model provider accepts: `^[a-zA-Z0-9_-]{1,64}$`, and where it
/// contains `__`, exactly one split into two non-empty parts.
///
/// ```
/// use dogu_tool::ToolName;
///
/// assert_eq!(ToolName::new("bash__exec")?.split(), Some(("bash", "exec")));
/// assert_eq!(ToolName::new("read_file")?.split(), None);
/// assert!(ToolName::new("a__b__c").is_err());
/// # Ok::<(), dogu_tool::NameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(String);

/// Why a text is not a tool name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The name has no characters.
    #[error("a tool name must not be empty")]
    Empty,
    /// The name is longer than [`MAX_NAME_LEN`].
    #[error("tool name `{name}` has {len} characters, at most {MAX_NAME_LEN} are allowed")]
    TooLong {
        /// The name as given.
        name: String,
        /// Its length in characters.
        len: usize,
    },
    /// A character outside `[a-zA-Z0-9_-]`.
    #[error("tool name `{name}` contains {found:?}; only a-z, A-Z, 0-9, `_` and `-` are allowed")]
    IllegalCharacter {
        /// The name as given.
        name: String,
        /// The first character that is not allowed.
        found: char,
    },
    /// `__` where it does not separate one resource from one export.
    #[error(
        "tool name `{0}` has `__` in the wrong place; it separates one resource from one export, as in `bash__exec`"
    )]
    Separator(String),
}

impl ToolName {
    /// Checks a name. Plain names and `resource__export` names are both fine.
    pub fn new(name: impl Into<String>) -> Result<Self, NameError> {
        let name = name.into();
        check_characters(&name)?;
        if name.contains(NAME_SEPARATOR) && split_declared(&name).is_none() {
            return Err(NameError::Separator(name));
        }
        Ok(Self(name))
    }

    /// Makes the name of a declared tool; neither part may contain `__`.
    pub fn declared(resource: &str, export: &str) -> Result<Self, NameError> {
        let name = Self::new(format!("{resource}{NAME_SEPARATOR}{export}"))?;
        // `a_` + `b` would join to `a___b`, which splits elsewhere: only what maps back is a name.
        match name.split() {
            Some(parts) if parts == (resource, export) => Ok(name),
            _ => Err(NameError::Separator(name.0)),
        }
    }

    /// The resource and the export, split at the first `__`; nothing for a plain name.
    pub fn split(&self) -> Option<(&str, &str)> {
        split_declared(&self.0)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_characters(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    let len = name.chars().count();
    if len > MAX_NAME_LEN {
        return Err(NameError::TooLong { name: name.to_owned(), len });
    }
    match name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))) {
        Some(found) => Err(NameError::IllegalCharacter { name: name.to_owned(), found }),
        None => Ok(()),
    }
}

fn split_declared(name: &str) -> Option<(&str, &str)> {
    let (resource, export) = name.split_once(NAME_SEPARATOR)?;
    let whole = !resource.is_empty() && !export.is_empty() && !export.contains(NAME_SEPARATOR);
    whole.then_some((resource, export))
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolName {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, NameError> {
        Self::new(name)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0
    }
}
