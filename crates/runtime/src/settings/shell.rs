//! How commands are run: the shell, its environment, and what holds them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use dogu_tool::{Shell, ShellKind};
use serde::{Deserialize, Serialize};

/// The shell that lines are given to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShellSettings {
    /// The program; bash, or sh where there is none.
    pub program: Option<PathBuf>,
    /// What it understands, where its name does not tell.
    pub kind: Option<ShellKind>,
    /// Its arguments before the line, where they are not the usual ones.
    pub arguments: Option<Vec<String>>,
    /// Variables of dogu's own environment that are passed on, besides the usual ones.
    pub pass: Vec<String>,
    /// Variables that are set for every command.
    pub environment: BTreeMap<String, String>,
    /// Whether what a login sets is asked for once.
    pub login: Login,
}

/// Whether commands find what the user's login shell sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Login {
    /// Where dogu was not started from a shell, as editors and desktops do.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ShellSettings {
    /// What its lines are written for.
    pub fn kind(&self) -> ShellKind {
        let by_name = || self.program.as_deref().and_then(ShellKind::of);
        self.kind.or_else(by_name).unwrap_or(ShellKind::Bash)
    }

    /// The shell.
    pub fn shell(&self) -> Shell {
        let kind = self.kind();
        let program = self.program.clone().unwrap_or_else(|| kind.program().into());
        Shell { kind, program, arguments: self.arguments.clone() }
    }
}

/// What holds commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxSettings {
    /// How much.
    pub profile: Profile,
    /// Folders besides the workspace in which commands may change everything, such as a cache.
    pub writable: Vec<PathBuf>,
    /// Files and folders of the home folder that commands see in the profile `strict`.
    pub shown: Vec<PathBuf>,
    /// Files and folders that no command sees, besides known secrets.
    pub hidden: Vec<PathBuf>,
    /// How much of the machine a command may take.
    pub limits: SandboxLimits,
}

/// How much holds a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Nothing but a session of its own.
    Off,
    /// It may change the workspace, and reaches no network but what was granted.
    #[default]
    Workspace,
    /// It may change nothing.
    ReadOnly,
    /// As `workspace`, without the home folder and without any socket of the internet.
    Strict,
}

impl Profile {
    /// The stricter one. Of `read-only` and `strict` neither is: then it is this one.
    pub fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (Self::Off, other) => other,
            (Self::Workspace, Self::ReadOnly | Self::Strict) => other,
            (own, _) => own,
        }
    }

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Workspace => "workspace",
            Self::ReadOnly => "read-only",
            Self::Strict => "strict",
        }
    }
}

/// How much of the machine a command may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxLimits {
    /// Processes and threads at once.
    pub processes: Option<u64>,
    /// Memory of each process, in MB; what the machine has, where nothing is said.
    pub memory_mb: Option<u64>,
    /// A file that is written, in MB.
    pub file_mb: Option<u64>,
    /// Seconds of computing of each process.
    pub cpu_seconds: Option<u64>,
    /// Its private `/tmp` and the like, in MB.
    pub scratch_mb: Option<u64>,
}

impl Default for SandboxLimits {
    fn default() -> Self {
        Self {
            processes: Some(4096),
            memory_mb: None,
            file_mb: Some(16 * 1024),
            cpu_seconds: Some(3600),
            scratch_mb: Some(2048),
        }
    }
}

impl SandboxSettings {
    /// Of a project that is not trusted only what is stricter counts.
    pub(super) fn tightened_by(self, project: &Self) -> Self {
        let least = |own: Option<u64>, theirs: Option<u64>| match (own, theirs) {
            (Some(own), Some(theirs)) => Some(own.min(theirs)),
            (one, other) => one.or(other),
        };
        let mut hidden = self.hidden;
        hidden.extend(project.hidden.iter().filter(|path| path.is_absolute()).cloned());
        hidden.sort();
        hidden.dedup();
        let (own, theirs) = (self.limits, project.limits);
        Self {
            profile: self.profile.stricter(project.profile),
            writable: self.writable,
            shown: self.shown,
            hidden,
            limits: SandboxLimits {
                processes: least(own.processes, theirs.processes),
                memory_mb: least(own.memory_mb, theirs.memory_mb),
                file_mb: least(own.file_mb, theirs.file_mb),
                cpu_seconds: least(own.cpu_seconds, theirs.cpu_seconds),
                scratch_mb: least(own.scratch_mb, theirs.scratch_mb),
            },
        }
    }
}
