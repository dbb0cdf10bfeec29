//! Errors as data: what the model is told, apart from what only people may see.

use std::error::Error;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::result::Output;
use crate::text::truncate_marked;

/// How many characters of an error message reach the model by default.
pub const DEFAULT_ERROR_MESSAGE_LIMIT: usize = 1_000;

/// What went wrong, as a stable word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ErrorCode {
    /// The tool ran and failed.
    #[serde(rename = "E_TOOL")]
    Tool,
    /// The name is not offered in this step.
    #[serde(rename = "E_TOOL_NOT_IN_CATALOG")]
    NotInCatalog,
    /// The name is offered, but nothing handles it any more.
    #[serde(rename = "E_TOOL_NOT_FOUND")]
    NotFound,
    /// The input does not fit the tool's schema.
    #[serde(rename = "E_TOOL_INVALID_ARGS")]
    InvalidArgs,
    /// A person or the policy said no.
    #[serde(rename = "E_TOOL_DENIED")]
    Denied,
    /// The run took longer than it may.
    #[serde(rename = "E_TOOL_TIMEOUT")]
    Timeout,
    /// The call was canceled.
    #[serde(rename = "E_TOOL_CANCELED")]
    Canceled,
    /// Too many executions, or the same call over and over.
    #[serde(rename = "E_TOOL_LIMIT")]
    Limit,
}

impl ErrorCode {
    /// Every code, for listings and tests.
    pub const ALL: [Self; 8] = [
        Self::Tool,
        Self::NotInCatalog,
        Self::NotFound,
        Self::InvalidArgs,
        Self::Denied,
        Self::Timeout,
        Self::Canceled,
        Self::Limit,
    ];

    /// The code as it is written, such as `E_TOOL_DENIED`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "E_TOOL",
            Self::NotInCatalog => "E_TOOL_NOT_IN_CATALOG",
            Self::NotFound => "E_TOOL_NOT_FOUND",
            Self::InvalidArgs => "E_TOOL_INVALID_ARGS",
            Self::Denied => "E_TOOL_DENIED",
            Self::Timeout => "E_TOOL_TIMEOUT",
            Self::Canceled => "E_TOOL_CANCELED",
            Self::Limit => "E_TOOL_LIMIT",
        }
    }

    /// The name of the error's kind, as other systems print it.
    pub fn kind_name(self) -> &'static str {
        match self {
            Self::Tool => "ToolError",
            Self::NotInCatalog => "ToolNotInCatalogError",
            Self::NotFound => "ToolNotFoundError",
            Self::InvalidArgs => "ToolInputValidationError",
            Self::Denied => "PermissionError",
            Self::Timeout => "ToolTimeoutError",
            Self::Canceled => "ToolCanceledError",
            Self::Limit => "ToolLimitError",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The part of an error that the model sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorInfo {
    /// The stable word.
    pub code: ErrorCode,
    /// The name of the error's kind.
    pub name: String,
    /// What was wrong, and where.
    pub message: String,
    /// What to send instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help_url: Option<String>,
}

/// Why a call failed: [`ErrorInfo`] for the model, and a private cause for people.
#[derive(Debug, thiserror::Error)]
#[error("{}", .info.message)]
pub struct ToolError {
    info: Box<ErrorInfo>,
    #[source]
    cause: Option<Box<dyn Error + Send + Sync>>,
    given: Option<Box<Output>>,
}

impl ToolError {
    /// An error with a code and a message for the model.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let info = ErrorInfo {
            code,
            name: code.kind_name().to_owned(),
            message: message.into(),
            suggestion: None,
            help_url: None,
        };
        Self { info: Box::new(info), cause: None, given: None }
    }

    /// The tool ran and failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Tool, message)
    }

    /// The input is not what the tool needs.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgs, message)
    }

    /// The policy or a person said no.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Denied, message)
    }

    /// The call was canceled.
    pub fn canceled() -> Self {
        Self::new(ErrorCode::Canceled, "The call was canceled.")
    }

    /// An input or output error, with the path that it happened on.
    pub fn io(doing: &str, path: &Path, error: std::io::Error) -> Self {
        Self::failed(format!("could not {doing} {}: {}", path.display(), plain_io(&error)))
            .because(error)
    }

    /// Adds what to send instead.
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.info.suggestion = Some(suggestion.into());
        self
    }

    /// Adds where to read more.
    pub fn help(mut self, url: impl Into<String>) -> Self {
        self.info.help_url = Some(url.into());
        self
    }

    /// Adds the private cause, which the model never sees.
    pub fn because(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Adds what the tool gave back although it failed.
    pub fn carrying(mut self, given: Output) -> Self {
        self.given = Some(Box::new(given));
        self
    }

    /// Takes out what the tool gave back although it failed.
    pub fn take_given(&mut self) -> Output {
        self.given.take().map_or_else(Output::default, |given| *given)
    }

    /// Gives the error another kind name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.info.name = name.into();
        self
    }

    /// The stable word.
    pub fn code(&self) -> ErrorCode {
        self.info.code
    }

    /// What the model sees.
    pub fn info(&self) -> &ErrorInfo {
        &self.info
    }

    /// The private cause and its own causes, outermost first, for people and logs.
    pub fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        let mut next = self.source();
        while let Some(cause) = next {
            causes.push(cause.to_string());
            next = cause.source();
        }
        causes
    }

    /// Splits into what the model sees, with its message cut to `limit` characters, and the causes.
    pub fn into_info(mut self, limit: usize) -> (ErrorInfo, Vec<String>) {
        let causes = self.causes();
        self.info.message = truncate_marked(&self.info.message, limit);
        (*self.info, causes)
    }
}

/// The words for an I/O error without the operating system's number.
fn plain_io(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_lowercase(),
        None => text,
    }
}
