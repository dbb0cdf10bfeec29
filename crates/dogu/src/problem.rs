//! How the command line says what went wrong: `error:`, `Caused by:`, `hint:`.

use std::error::Error;

use anstream::eprintln;
use anstyle::{AnsiColor, Style};
use dogu_runtime::{BuildError, SettingsError};
use dogu_tool::ErrorInfo;

use crate::show::{Layout, exact};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

fn escaped(text: &str) -> std::borrow::Cow<'_, str> {
    exact(text, Layout::Lines)
}

/// Something that keeps a command from doing its work.
#[derive(Debug)]
pub(crate) struct Problem {
    message: String,
    causes: Vec<String>,
    hint: Option<String>,
    exit_code: u8,
}

impl Problem {
    /// The command was used in a wrong way, or cannot work here.
    pub(crate) fn wrong_use(message: impl Into<String>) -> Self {
        Self { message: message.into(), causes: Vec::new(), hint: None, exit_code: 2 }
    }

    /// An error and everything that caused it.
    pub(crate) fn of(error: &dyn Error) -> Self {
        let mut problem = Self::wrong_use(error.to_string());
        let mut next = error.source();
        while let Some(cause) = next {
            problem.causes.push(cause.to_string());
            next = cause.source();
        }
        problem
    }

    /// Adds what can be done about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a cause.
    pub(crate) fn because(mut self, cause: impl std::fmt::Display) -> Self {
        self.causes.push(cause.to_string());
        self
    }

    pub(crate) fn exit_code(&self) -> u8 {
        self.exit_code
    }

    pub(crate) fn print(&self) {
        eprintln!("{ERROR}error{ERROR:#}: {}", escaped(&self.message));
        for cause in &self.causes {
            eprintln!("  Caused by: {}", escaped(cause));
        }
        if let Some(hint) = &self.hint {
            eprintln!("\n{HINT}hint{HINT:#}: {}", escaped(hint));
        }
    }
}

/// A tool's error, as a person reads it.
pub(crate) fn print_tool_error(error: &ErrorInfo, causes: &[String]) {
    eprintln!("{ERROR}error{ERROR:#}: {} ({})", escaped(&error.message), error.code);
    for cause in causes {
        eprintln!("  Caused by: {}", escaped(cause));
    }
    if let Some(suggestion) = &error.suggestion {
        eprintln!("\n{HINT}hint{HINT:#}: {}", escaped(suggestion));
    }
    if let Some(url) = &error.help_url {
        eprintln!("{HINT}help{HINT:#}: {}", escaped(url));
    }
}

/// Something that was done differently than it was asked.
pub(crate) fn note(message: &str) {
    eprintln!("{HINT}note{HINT:#}: {}", escaped(message));
}

/// Something that the command does without.
pub(crate) fn warn(message: &str) {
    eprintln!("{WARNING}warning{WARNING:#}: {}", escaped(message));
}

impl From<SettingsError> for Problem {
    fn from(error: SettingsError) -> Self {
        Self::of(&error)
    }
}

impl From<BuildError> for Problem {
    fn from(error: BuildError) -> Self {
        Self::of(&error)
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::of(&error)
    }
}
