//! The clients, and what each calls its things.

use std::fmt;
use std::str::FromStr;

use crate::edit::{Format, Place, Shape};

/// A program that talks to MCP servers and keeps a list of them in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Client {
    /// Anthropic's agent for the terminal.
    ClaudeCode,
    /// Anthropic's app.
    ClaudeDesktop,
    /// `OpenAI`'s agent for the terminal.
    Codex,
    /// The editor of that name.
    Cursor,
    /// Visual Studio Code, with Copilot.
    VsCode,
    /// The editor of that name.
    Zed,
    /// Google's agent for the terminal.
    Gemini,
    /// Block's agent.
    Goose,
    /// The agent of that name.
    OpenCode,
    /// The extension of that name, for VS Code and `JetBrains`.
    Continue,
    /// The extension Roo Code for VS Code.
    Roo,
    /// Junie, in the `JetBrains` editors and in the terminal.
    JetBrains,
}

impl Client {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 12] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
        Self::Gemini,
        Self::Goose,
        Self::OpenCode,
        Self::Continue,
        Self::Roo,
        Self::JetBrains,
    ];

    /// The word for it on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
            Self::Gemini => "gemini",
            Self::Goose => "goose",
            Self::OpenCode => "opencode",
            Self::Continue => "continue",
            Self::Roo => "roo",
            Self::JetBrains => "jetbrains",
        }
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
            Self::Gemini => "Gemini CLI",
            Self::Goose => "Goose",
            Self::OpenCode => "opencode",
            Self::Continue => "Continue",
            Self::Roo => "Roo Code",
            Self::JetBrains => "JetBrains (Junie)",
        }
    }

    /// The programs by which it is started, where it has one on the search path.
    pub const fn programs(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude"],
            Self::Codex => &["codex"],
            Self::Cursor => &["cursor", "cursor-agent"],
            Self::VsCode => &["code"],
            Self::Zed => &["zed", "zeditor"],
            Self::Gemini => &["gemini"],
            Self::Goose => &["goose"],
            Self::OpenCode => &["opencode"],
            Self::JetBrains => &["junie"],
            Self::ClaudeDesktop | Self::Continue | Self::Roo => &[],
        }
    }

    /// Where in its file the servers are.
    pub const fn place(self) -> Place {
        let (format, keys, shape): (_, &'static [&'static str], _) = match self {
            Self::ClaudeCode
            | Self::ClaudeDesktop
            | Self::Cursor
            | Self::Gemini
            | Self::Roo
            | Self::JetBrains => (Format::Json, &["mcpServers"], Shape::Map),
            Self::VsCode => (Format::Json, &["servers"], Shape::Map),
            Self::Zed => (Format::Json, &["context_servers"], Shape::Map),
            Self::OpenCode => (Format::Json, &["mcp"], Shape::Map),
            Self::Codex => (Format::Toml, &["mcp_servers"], Shape::Map),
            Self::Goose => (Format::Yaml, &["extensions"], Shape::Map),
            Self::Continue => (Format::Yaml, &["mcpServers"], Shape::List),
        };
        Place { format, keys, shape }
    }

    /// What it must be told after its file was changed.
    pub const fn next_step(self) -> &'static str {
        match self {
            Self::ClaudeCode => "start a new session; `claude mcp list` shows whether it answers",
            Self::ClaudeDesktop => "quit Claude Desktop and start it again",
            Self::Codex => "start a new session; `codex mcp list` shows it",
            Self::Cursor => "switch it on in Cursor's settings, under MCP",
            Self::VsCode => "start it from the list of `MCP: List Servers`",
            Self::Zed => "Zed reads its settings at once; the Agent Panel's settings show it",
            Self::Gemini => "start a new session; `gemini mcp list` shows whether it answers",
            Self::Goose => "start a new session",
            Self::OpenCode => "start a new session; `opencode mcp list` shows whether it answers",
            Self::Continue => "Continue reads it at once, and offers it in Agent mode",
            Self::Roo => "Roo Code reads it at once; its MCP view shows it",
            Self::JetBrains => {
                "Junie reads it at once; AI Assistant has a list of its own: paste what --print \
                 shows into Settings | Tools | AI Assistant | Model Context Protocol"
            }
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is no client's.
#[derive(Debug, thiserror::Error)]
#[error("no client is called {0:?}")]
pub struct UnknownClient(String);

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|client| client.as_str() == word);
        found.ok_or_else(|| UnknownClient(word.to_owned()))
    }
}
