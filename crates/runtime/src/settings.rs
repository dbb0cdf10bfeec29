//! Settings: `dogu.yaml` in the project, `config.yaml` of the user; the same schema, layered.
//!
//! What comes with a workspace can only tighten until the workspace is trusted: where both files
//! speak, the stricter value wins. From then on the project's file is the more specific one.

mod catalog;
mod layer;
pub mod mcp;
mod permissions;
mod rule;
mod shell;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dogu_protocol::Format;
use dogu_protocol::text::Form;
use dogu_tool::DEFAULT_ERROR_MESSAGE_LIMIT;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use catalog::CatalogSettings;
pub use layer::Layering;
use mcp::McpServer;
pub use permissions::{AutoApprove, ContinueLists, Permissions, RooLists, Unattended};
pub use rule::{Located, Rule};
pub use shell::{Login, Profile, SandboxLimits, SandboxSettings, ShellSettings};

/// Whether a call may run when it cannot be recorded.
///
/// Under `BestEffort` what is lost is counted and nobody is held up: receipts of the record always
/// resolve well. Under `Required` a receipt fails if its entry was not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audit {
    /// Yes, with one warning.
    #[default]
    BestEffort,
    /// No.
    Required,
}

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether a call may run when it cannot be recorded.
    pub audit: Audit,
    /// How much of the tools a model is shown.
    pub catalog: CatalogSettings,
    /// Who is asked where nobody else can be; only in the user's own file.
    pub delegate: Option<DelegateSettings>,
    /// The model that turns texts into vectors; only in the user's own file.
    pub embeddings: Option<EmbeddingsSettings>,
    /// Bounds of every call.
    pub limits: Limits,
    /// Other MCP servers, by the names that their tools are known by.
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// The mode to begin with.
    pub mode: Option<String>,
    /// Modes, each as in `customModes` of `.roomodes`; of two with one slug the later counts.
    pub modes: Vec<Value>,
    /// What may run, and what is asked about.
    pub permissions: Permissions,
    /// How a model's output is read.
    pub protocol: ProtocolSettings,
    /// What holds commands.
    pub sandbox: SandboxSettings,
    /// How commands are run.
    pub shell: ShellSettings,
    /// What happens to a question when nobody can be asked.
    pub unattended: Unattended,
    /// Sections by tool name.
    pub tools: BTreeMap<String, ToolSettings>,
}

/// A program that is asked about calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelegateSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// A model behind an OpenAI-compatible API, which turns texts into vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingsSettings {
    /// The address of the API, such as `http://localhost:11434/v1`.
    pub url: String,
    /// What the model is called there.
    pub model: String,
    /// The environment variable that has the key.
    #[serde(default)]
    pub key_variable: Option<String>,
    /// How many numbers a vector shall have, where the model lets one choose.
    #[serde(default)]
    pub dimensions: Option<usize>,
}

/// Bounds of every call. Nothing is cut silently: the result says what was left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// How long a tool may run, in seconds.
    pub timeout_seconds: u64,
    /// How long a person may take to answer, in seconds.
    pub approval_seconds: u64,
    /// How much text of a result reaches the model, in bytes; the rest is spilled to a file.
    pub result_bytes: usize,
    /// How large an input may be, in bytes.
    pub input_bytes: usize,
    /// How many characters of an error message reach the model.
    pub error_message_characters: usize,
    /// How often the same call may be made in a row, but by tools that poll; 0 is no limit.
    pub identical_calls: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout_seconds: 120,
            approval_seconds: 300,
            result_bytes: 100_000,
            input_bytes: 16 * 1024 * 1024,
            error_message_characters: DEFAULT_ERROR_MESSAGE_LIMIT,
            identical_calls: 3,
        }
    }
}

impl Limits {
    /// How long a tool may run.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds)
    }

    /// How long a person may take to answer.
    pub fn approval(&self) -> Duration {
        Duration::from_secs(self.approval_seconds)
    }
}

/// How a model's output is read, where a command does not say it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProtocolSettings {
    /// The protocol; told from the output where absent.
    pub format: Option<Format>,
    /// The forms of calls that are read in text; those of the protocol where absent.
    pub forms: Option<Vec<Form>>,
}

/// One tool's section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the file")]
pub struct ToolSettings {
    /// Whether it is offered at all.
    pub enabled: bool,
    /// Whether its calls may run.
    pub allowed: bool,
    /// Whether its calls run without asking, where nothing refuses them.
    pub auto_approve: bool,
    /// Whether each of its calls asks.
    pub require_confirmation: bool,
    /// How long it may run, in seconds.
    pub timeout_seconds: Option<u64>,
    /// How often a session may call it.
    pub max_executions: Option<u32>,
    /// How many characters of its error messages reach the model.
    pub error_message_characters: Option<usize>,
    /// What the tool itself reads.
    pub settings: Value,
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            allowed: true,
            auto_approve: false,
            require_confirmation: false,
            timeout_seconds: None,
            max_executions: None,
            error_message_characters: None,
            settings: Value::Null,
        }
    }
}

/// Why settings could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file is there and cannot be read.
    #[error("could not read settings {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What happened.
        #[source]
        cause: std::io::Error,
    },
    /// The file is not what it should be.
    #[error("settings {}:{line}:{column}: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What is wrong there.
        reason: String,
    },
}

impl Settings {
    /// The user's settings tightened by the project's; files that do not exist say nothing.
    pub fn load(user: Option<&Path>, project: Option<&Path>) -> Result<Self, SettingsError> {
        Self::load_layered(user, project, Layering::Tighten)
    }

    /// The user's settings with the project's over them. Whoever has already read the project's
    /// file, to see whether it is trusted, hands that text to [`and_project`](Self::and_project)
    /// instead: the file may have changed since.
    pub fn load_layered(
        user: Option<&Path>,
        project: Option<&Path>,
        layering: Layering,
    ) -> Result<Self, SettingsError> {
        let settings = match user.map(|path| (path, read(path))) {
            Some((path, text)) => Self::parse(&text?, path)?,
            None => Self::default(),
        };
        match project.map(|path| (path, read(path))) {
            Some((path, text)) => settings.and_project(&text?, path, layering),
            None => Ok(settings),
        }
    }

    /// Parses one file's text; `path` is for messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self, SettingsError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut settings: Self = crate::yaml::parse(text).map_err(|error| invalid(&error, path))?;
        settings.permissions.rules.iter_mut().for_each(|rule| rule.set_file(path));
        Ok(settings)
    }

    /// Of each value the stricter one. Where the project does not speak, `over` has our own.
    fn tightened_by(self, over: Self) -> Self {
        let mut own = self.tools;
        let tools = over.tools.into_iter().map(|(name, section)| {
            let own = own.remove(&name).unwrap_or_default();
            (name, own.tightened_by(&section))
        });
        Self {
            audit: self.audit.max(over.audit),
            catalog: self.catalog.tightened_by(&over.catalog),
            delegate: self.delegate,
            embeddings: self.embeddings,
            limits: self.limits.tightened_by(&over.limits),
            mcp_servers: self.mcp_servers,
            // Every mode has fewer tools than none.
            mode: self.mode.or(over.mode),
            modes: self.modes,
            permissions: self.permissions.tightened_by(&over.permissions),
            protocol: self.protocol.tightened_by(over.protocol),
            sandbox: self.sandbox.tightened_by(&over.sandbox),
            // What a shell is and finds decides what lines mean.
            shell: self.shell,
            unattended: self.unattended.min(over.unattended),
            tools: tools.collect(),
        }
    }

    /// The section of a tool.
    pub fn tool(&self, name: &str) -> Option<&ToolSettings> {
        self.tools.get(name)
    }
}

impl Limits {
    fn tightened_by(&self, project: &Self) -> Self {
        Self {
            timeout_seconds: self.timeout_seconds.min(project.timeout_seconds),
            approval_seconds: self.approval_seconds.min(project.approval_seconds),
            result_bytes: self.result_bytes.min(project.result_bytes),
            input_bytes: self.input_bytes.min(project.input_bytes),
            error_message_characters: self
                .error_message_characters
                .min(project.error_message_characters),
            identical_calls: stricter(
                Some(self.identical_calls).filter(|n| *n > 0),
                Some(project.identical_calls).filter(|n| *n > 0),
            )
            .unwrap_or(0),
        }
    }
}

impl ProtocolSettings {
    /// A project may know the model better than its user, but what it does not read as a call,
    /// the user's settings cannot make one.
    fn tightened_by(self, project: Self) -> Self {
        let forms = match (self.forms, project.forms) {
            (Some(mut own), Some(projects)) => {
                own.retain(|form| projects.contains(form));
                Some(own)
            }
            (own, projects) => own.or(projects),
        };
        Self { format: self.format.or(project.format), forms }
    }
}

impl ToolSettings {
    /// The tool's own part is the user's if there is any: what it means is not known here, so a
    /// project cannot be seen to only tighten it.
    fn tightened_by(self, project: &Self) -> Self {
        Self {
            enabled: self.enabled && project.enabled,
            allowed: self.allowed && project.allowed,
            auto_approve: self.auto_approve && project.auto_approve,
            require_confirmation: self.require_confirmation || project.require_confirmation,
            timeout_seconds: stricter(self.timeout_seconds, project.timeout_seconds),
            max_executions: stricter(self.max_executions, project.max_executions),
            error_message_characters: stricter(
                self.error_message_characters,
                project.error_message_characters,
            ),
            settings: self.settings,
        }
    }
}

fn stricter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}

/// The text of a file; none where there is no such file.
fn read(path: &Path) -> Result<String, SettingsError> {
    match std::fs::read_to_string(path) {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(cause) => Err(SettingsError::Unreadable { path: path.to_owned(), cause }),
        Ok(text) => Ok(text),
    }
}

fn invalid(error: &serde_saphyr::Error, path: &Path) -> SettingsError {
    let place = error.location();
    let reason = error.without_snippet().to_string();
    SettingsError::Invalid {
        path: path.to_owned(),
        line: place.as_ref().map_or(1, serde_saphyr::Location::line),
        column: place.as_ref().map_or(1, serde_saphyr::Location::column),
        // The place is already in front; the parser says it again at the end.
        reason: reason.split(" at line ").next().unwrap_or_default().to_owned(),
    }
}
