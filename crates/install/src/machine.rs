//! Where each client keeps its list of servers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::client::Client;

/// For whom a server is put into a client's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For one person, in all projects.
    User,
    /// For one project, in a file that lies in it.
    Project,
}

impl Scope {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// The operating systems that have files in different places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux, and whatever follows the XDG folders.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The one that this was built for.
    pub const fn here() -> Self {
        if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// The folders of a machine that decide where files are.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The operating system.
    pub platform: Platform,
    /// The person's home.
    pub home: PathBuf,
    /// The project.
    pub project: PathBuf,
    /// Where apps keep settings: the XDG folder, or `%APPDATA%`. None: where it is by default.
    pub config: Option<PathBuf>,
    /// The folder that `CLAUDE_CONFIG_DIR` names.
    pub claude: Option<PathBuf>,
    /// The folder that `CODEX_HOME` names.
    pub codex: Option<PathBuf>,
}

impl Machine {
    /// This machine, by its environment. None where there is no home.
    pub fn here(project: PathBuf, variable: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let platform = Platform::here();
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let (home, config) = match platform {
            Platform::Windows => ("USERPROFILE", "APPDATA"),
            Platform::Linux | Platform::MacOs => ("HOME", "XDG_CONFIG_HOME"),
        };
        Some(Self {
            platform,
            home: folder(home)?,
            project,
            config: folder(config),
            claude: folder("CLAUDE_CONFIG_DIR"),
            codex: folder("CODEX_HOME"),
        })
    }

    /// The client's file. None where it has none for this scope.
    ///
    /// `exists` is asked where a client reads more than one file: the one that is there is meant.
    pub fn file(
        &self,
        client: Client,
        scope: Scope,
        name: &str,
        exists: impl Fn(&Path) -> bool,
    ) -> Option<PathBuf> {
        let first_there = |folder: PathBuf, names: [&str; 2]| {
            let found = names.iter().map(|name| folder.join(name)).find(|path| exists(path));
            found.unwrap_or_else(|| folder.join(names[0]))
        };
        let opencode = ["opencode.json", "opencode.jsonc"];
        Some(match (client, scope) {
            (Client::ClaudeDesktop | Client::Goose, Scope::Project) => return None,
            (Client::OpenCode, Scope::Project) => first_there(self.project.clone(), opencode),
            (_, Scope::Project) => self.project.join(project_file(client, name)?),
            (Client::ClaudeCode, Scope::User) => {
                self.claude.as_ref().unwrap_or(&self.home).join(".claude.json")
            }
            (Client::ClaudeDesktop, Scope::User) => {
                self.apps().join("Claude").join("claude_desktop_config.json")
            }
            (Client::Codex, Scope::User) => {
                let folder = self.codex.clone().unwrap_or_else(|| self.home.join(".codex"));
                folder.join("config.toml")
            }
            (Client::Cursor, Scope::User) => self.home.join(".cursor").join("mcp.json"),
            (Client::VsCode, Scope::User) => self.vscode().join("mcp.json"),
            (Client::Zed, Scope::User) => {
                let folder = if self.platform == Platform::Windows { "Zed" } else { "zed" };
                self.dotted().join(folder).join("settings.json")
            }
            (Client::Gemini, Scope::User) => self.home.join(".gemini").join("settings.json"),
            (Client::Goose, Scope::User) => match self.platform {
                Platform::Windows => self.dotted().join(r"Block\goose\config\config.yaml"),
                Platform::Linux | Platform::MacOs => {
                    self.dotted().join("goose").join("config.yaml")
                }
            },
            (Client::OpenCode, Scope::User) => {
                // It keeps to the XDG folders on every system.
                let folder = match self.platform {
                    Platform::Windows => self.home.join(".config"),
                    Platform::Linux | Platform::MacOs => self.dotted(),
                };
                first_there(folder.join("opencode"), opencode)
            }
            (Client::Continue, Scope::User) => self.home.join(".continue").join("config.yaml"),
            (Client::Roo, Scope::User) => self
                .vscode()
                .join("globalStorage")
                .join("rooveterinaryinc.roo-cline")
                .join("settings")
                .join("mcp_settings.json"),
            (Client::JetBrains, Scope::User) => {
                self.home.join(".junie").join("mcp").join("mcp.json")
            }
        })
    }

    /// Where apps with a window keep settings.
    fn apps(&self) -> PathBuf {
        match self.platform {
            Platform::MacOs => self.home.join("Library").join("Application Support"),
            Platform::Linux | Platform::Windows => self.dotted(),
        }
    }

    /// Where programs of the terminal keep settings.
    fn dotted(&self) -> PathBuf {
        let default = || match self.platform {
            Platform::Windows => self.home.join("AppData").join("Roaming"),
            Platform::Linux | Platform::MacOs => self.home.join(".config"),
        };
        self.config.clone().unwrap_or_else(default)
    }

    fn vscode(&self) -> PathBuf {
        self.apps().join("Code").join("User")
    }

    /// Whether the client has left traces on this machine, or is on the search path.
    pub fn has(
        &self,
        client: Client,
        exists: impl Fn(&Path) -> bool,
        is_program: impl Fn(&str) -> bool,
    ) -> bool {
        let file = self.file(client, Scope::User, "dogu", &exists);
        let traces = file.is_some_and(|file| {
            // The file of Claude Code lies in the home itself, which says nothing.
            exists(&file) || file.parent().is_some_and(|p| p != self.home && exists(p))
        });
        traces || client.programs().iter().any(|program| is_program(program))
    }
}

fn project_file(client: Client, name: &str) -> Option<PathBuf> {
    Some(match client {
        Client::ClaudeCode => ".mcp.json".into(),
        Client::Codex => Path::new(".codex").join("config.toml"),
        Client::Cursor => Path::new(".cursor").join("mcp.json"),
        Client::VsCode => Path::new(".vscode").join("mcp.json"),
        Client::Zed => Path::new(".zed").join("settings.json"),
        Client::Gemini => Path::new(".gemini").join("settings.json"),
        Client::Continue => Path::new(".continue").join("mcpServers").join(format!("{name}.yaml")),
        Client::Roo => Path::new(".roo").join("mcp.json"),
        Client::JetBrains => Path::new(".junie").join("mcp").join("mcp.json"),
        Client::ClaudeDesktop | Client::Goose | Client::OpenCode => return None,
    })
}
