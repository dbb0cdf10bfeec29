//! The text of a file that is to be changed, and the way back into bytes.

use std::io::Read as _;
use std::path::Path;

use dogu_tool::text::REDACTION_MARK;
use dogu_tool::{FileKind, ReadFiles, ToolError};

use crate::read::Coding;

/// A larger file is not edited as a text, in bytes.
pub(super) const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// A file that can be edited.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    /// Its text; a byte order mark is its first character.
    pub(super) text: String,
    /// How it is written.
    pub(super) coding: Coding,
    /// The hash of its bytes.
    pub(super) hash: [u8; 32],
}

/// The text of a file; `shown` is its name for messages.
pub(super) fn open(path: &Path, shown: &str, files: &dyn ReadFiles) -> Result<Opened, ToolError> {
    let bytes = bytes(path, shown, files)?;
    let hash = *blake3::hash(&bytes).as_bytes();
    let (text, coding) = Coding::whole(bytes).ok_or_else(|| {
        ToolError::failed(format!("{shown} is not text; nothing was changed"))
            .suggest("Only text can be edited. write_file replaces a whole file.")
    })?;
    Ok(Opened { text, coding, hash })
}

fn bytes(path: &Path, shown: &str, files: &dyn ReadFiles) -> Result<Vec<u8>, ToolError> {
    let facts = files.facts(path)?;
    match facts {
        None => {
            return Err(ToolError::failed(format!("there is no file {shown}"))
                .suggest("glob finds files by name; write_file makes a new one."));
        }
        Some(facts) if facts.kind == FileKind::Folder => {
            return Err(ToolError::failed(format!("{shown} is a folder, not a file"))
                .suggest("list_files shows what is in it."));
        }
        Some(facts) if facts.size > MAX_BYTES => return Err(too_large(shown, facts.size)),
        Some(_) => {}
    }
    let mut bytes = Vec::new();
    let file = files.open(path)?;
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ToolError::io("read", path, error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large(shown, bytes.len() as u64));
    }
    Ok(bytes)
}

fn too_large(shown: &str, size: u64) -> ToolError {
    let megabytes = size / 1_000_000;
    ToolError::failed(format!(
        "{shown} is too large to be edited ({megabytes} MB, at most {} MB); nothing was changed",
        MAX_BYTES / 1_000_000
    ))
    .suggest("Change it with a program made for it, such as sed.")
}

impl Opened {
    /// The bytes of a new text for this file.
    pub(super) fn encoded(&self, text: &str, shown: &str) -> Result<Vec<u8>, ToolError> {
        self.coding.encode(text).map_err(|letter| {
            ToolError::failed(format!(
                "{shown} is written in {}, which has no {letter:?}; nothing was changed",
                self.coding.name()
            ))
            .suggest("Write it with characters of that encoding.")
        })
    }
}

/// Results show secrets as a mark. Written back, the mark would replace the secret itself.
pub(super) fn refuse_redacted(content: &str) -> Result<(), ToolError> {
    if !content.contains(REDACTION_MARK) {
        return Ok(());
    }
    Err(ToolError::invalid(format!(
        "the content contains `{REDACTION_MARK}…`, which stands for a secret that you were not shown; writing it would destroy the secret"
    ))
    .suggest("Change only the other parts of the file, or ask the user to make this change."))
}
