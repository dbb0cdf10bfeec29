//! What to start, and what is known once it is started.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use crate::Confinement;
use crate::Placeholders;

/// One command to start.
#[derive(Debug)]
pub struct Command {
    /// The program and its arguments. A program without a slash is looked for in the `PATH` of
    /// `env`.
    pub argv: Vec<CString>,
    /// The whole environment, as `NAME=value`. Nothing is added to it.
    pub env: Vec<CString>,
    /// The folder that it starts in, as it is called inside.
    pub cwd: CString,
    /// Input, output and errors.
    pub stdio: [OwnedFd; 3],
    /// The input is the slave of a terminal, which becomes the one that controls the command.
    pub terminal: bool,
    /// What it is kept from; nothing for a command that only gets a session of its own.
    pub confinement: Option<Confinement>,
}

/// A command that was started.
///
/// Its result is what `reports` says. When `pidfd` becomes readable nothing of it runs any more;
/// then the caller collects `pid` and removes the placeholders.
#[derive(Debug)]
#[must_use]
pub struct Spawned {
    /// The first process of the command, a child of the caller. A TERM, INT, HUP or QUIT sent to
    /// it goes to everything in the command; a KILL ends everything.
    pub pid: i32,
    /// The same process. It is readable when it has ended.
    pub pidfd: OwnedFd,
    /// Where the bytes of [`Report`](crate::Report)s come from, without waiting. An end without
    /// `Ended` or `Failed` means that it was killed.
    pub reports: OwnedFd,
    /// What stands for names that may not come to exist.
    pub kept: Placeholders,
}

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The command makes no sense as it is.
    #[error("{0}")]
    Invalid(String),
    /// A name that may not come to exist could not be held.
    #[error("could not hold {path}: {source}")]
    Placeholder {
        /// The name.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The kernel refused the process or what it needs.
    #[error("could not start a process: {0}")]
    System(#[from] std::io::Error),
    /// There is no way to start a command on this system.
    #[error("commands cannot be started on this system")]
    Unsupported,
}
