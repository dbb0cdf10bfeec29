//! The folder that a call names.

use std::path::Path;

use dogu_tool::{Ctx, FileKind, ToolError};

use crate::names;

/// An error where there is no folder at a path, which the call wrote as `asked`.
pub(super) fn folder_at(path: &Path, asked: &str, ctx: &Ctx) -> Result<(), ToolError> {
    let asked = names::shown("", asked.as_bytes());
    match ctx.files().facts(path)?.map(|facts| facts.kind) {
        Some(FileKind::Folder) => Ok(()),
        Some(FileKind::File) => Err(ToolError::failed(format!("{asked} is not a folder"))
            .suggest("read_file shows what is in a file.")),
        Some(_) => Err(ToolError::failed(format!("{asked} is not a folder"))
            .suggest("Name the folder that it is in.")),
        None => Err(ToolError::failed(format!("folder not found: {asked}"))
            .suggest("list_files shows what is there; `.` is the working folder.")),
    }
}

/// What is written before the names below a folder, so that they are paths from the working folder.
pub(super) fn prefix_of(path: &Path, ctx: &Ctx) -> String {
    let shown = ctx.scope().display(&path.components().collect::<std::path::PathBuf>());
    match shown.as_str() {
        "." | "" => String::new(),
        folder => format!("{}/", names::shown("", folder.trim_end_matches('/').as_bytes())),
    }
}
