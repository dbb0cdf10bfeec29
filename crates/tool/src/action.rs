//! Actions: what a call would do to the world, said before it does it.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ToolError;

/// One thing that a call would do. A plan declares all of them; the context admits no others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Run a command line.
    Execute {
        /// The line as the shell would get it.
        command: String,
        /// The folder it runs in.
        cwd: PathBuf,
        /// It has a terminal of its own, so that programs can ask there.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        terminal: bool,
    },
    /// Read a file or list a folder.
    FileRead {
        /// The file or folder.
        path: PathBuf,
        /// Everything below the folder too.
        #[serde(default)]
        tree: bool,
    },
    /// Read a file that is known to hold secrets.
    FileReadSensitive {
        /// The file.
        path: PathBuf,
    },
    /// Create or change a file.
    FileWrite {
        /// The file.
        path: PathBuf,
    },
    /// Delete a file.
    FileDelete {
        /// The file.
        path: PathBuf,
    },
    /// Ask another machine.
    Network {
        /// The address.
        url: String,
    },
    /// Call a tool of an MCP server.
    Mcp {
        /// The server's name in the settings.
        server: String,
        /// The tool's name on that server.
        tool: String,
    },
    /// Anything else.
    Custom {
        /// What kind of thing.
        name: String,
        /// What exactly.
        details: Value,
    },
}

impl Action {
    /// Running a command line.
    pub fn execute(command: impl Into<String>, cwd: impl Into<PathBuf>) -> Self {
        Self::Execute { command: command.into(), cwd: cwd.into(), terminal: false }
    }

    /// Reading one file, or listing one folder.
    pub fn read(path: impl Into<PathBuf>) -> Self {
        Self::FileRead { path: path.into(), tree: false }
    }

    /// Reading everything below a folder.
    pub fn read_tree(path: impl Into<PathBuf>) -> Self {
        Self::FileRead { path: path.into(), tree: true }
    }

    /// Creating or changing a file.
    pub fn write(path: impl Into<PathBuf>) -> Self {
        Self::FileWrite { path: path.into() }
    }

    /// Deleting a file.
    pub fn delete(path: impl Into<PathBuf>) -> Self {
        Self::FileDelete { path: path.into() }
    }

    /// The file or folder that it names, if it is about one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::FileRead { path, .. }
            | Self::FileReadSensitive { path }
            | Self::FileWrite { path }
            | Self::FileDelete { path } => Some(path),
            Self::Execute { .. }
            | Self::Network { .. }
            | Self::Mcp { .. }
            | Self::Custom { .. } => None,
        }
    }

    /// It only looks.
    pub fn only_reads(&self) -> bool {
        matches!(self, Self::FileRead { .. } | Self::FileReadSensitive { .. })
    }

    /// Refuses what no file system can mean, so that no tool has to.
    pub fn check(&self) -> Result<(), ToolError> {
        let text = match self {
            Self::Execute { command, cwd, .. } => {
                check_text("command", command)?;
                return check_path(cwd);
            }
            Self::Network { url } => url,
            _ => return self.path().map_or(Ok(()), check_path),
        };
        check_text("url", text)
    }
}

fn check_path(path: &Path) -> Result<(), ToolError> {
    if path.as_os_str().is_empty() {
        return Err(ToolError::invalid("the path is empty"));
    }
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        let shown = path.to_string_lossy().replace('\0', "\\0");
        return Err(ToolError::invalid(format!("the path `{shown}` contains a NUL byte"))
            .suggest("Send the path without the NUL byte."));
    }
    Ok(())
}

fn check_text(what: &str, text: &str) -> Result<(), ToolError> {
    if text.contains('\0') {
        return Err(ToolError::invalid(format!("the {what} contains a NUL byte")));
    }
    Ok(())
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Execute { command, .. } => write!(f, "Execute({command})"),
            Self::FileRead { path, tree: false } => write!(f, "FileRead({})", path.display()),
            Self::FileRead { path, tree: true } => write!(f, "FileRead({}/**)", path.display()),
            Self::FileReadSensitive { path } => {
                write!(f, "FileReadSensitive({})", path.display())
            }
            Self::FileWrite { path } => write!(f, "FileWrite({})", path.display()),
            Self::FileDelete { path } => write!(f, "FileDelete({})", path.display()),
            Self::Network { url } => write!(f, "Network({url})"),
            Self::Mcp { server, tool } => write!(f, "Mcp({server}/{tool})"),
            Self::Custom { name, .. } => write!(f, "Custom({name})"),
        }
    }
}
