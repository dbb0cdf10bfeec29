//! Where a tool came from.

use std::fmt;

use serde::Serialize;

use crate::name::ToolName;

/// Where a tool came from; written down at registration, never claimed by the tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Part of dogu.
    Builtin,
    /// Declared in a bundle of that name.
    Bundle(String),
    /// Registered by an extension of that name.
    Extension(String),
    /// Offered by an MCP server of that name.
    Mcp(String),
    /// Behind an HTTP address.
    Http(String),
}

impl Source {
    /// Whether the tool's claim to change nothing is believed.
    pub fn is_builtin(&self) -> bool {
        *self == Self::Builtin
    }

    /// Whether the tool's work happens outside this process, where no capability sees it.
    pub fn is_foreign(&self) -> bool {
        matches!(self, Self::Bundle(_) | Self::Mcp(_) | Self::Http(_))
    }

    /// What permissions of a tool are kept under: a name of one source says nothing about another's.
    pub fn permission_key(&self, tool: &ToolName) -> String {
        format!("{self}/{tool}")
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.pad("builtin"),
            Self::Bundle(name) => f.pad(&format!("bundle:{name}")),
            Self::Extension(name) => f.pad(&format!("extension:{name}")),
            Self::Mcp(name) => f.pad(&format!("mcp:{name}")),
            Self::Http(name) => f.pad(&format!("http:{name}")),
        }
    }
}

impl Serialize for Source {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
