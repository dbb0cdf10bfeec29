//! `write_file`: the whole content of a file, new or replaced.

use std::io::Read as _;
use std::path::Path;

use dogu_tool::text::REDACTION_MARK;
use dogu_tool::{
    Action, Category, Ctx, Group, Output, Preview, ReadCaps, Scope, ToolError, ToolSpec, TypedTool,
    WriteOptions,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::diff;

/// How many lines of a change a preview shows.
const PREVIEW_LINES: usize = 200;
/// How long a text may be that is compared with the new one.
const MAX_DIFF_BYTES: usize = 1024 * 1024;

/// What to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file, relative to the working folder or absolute.
    path: String,
    /// The whole new content; may be empty.
    content: String,
    /// Make the folders on the way.
    #[serde(default = "yes")]
    create_directories: bool,
}

fn yes() -> bool {
    true
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct WriteFile;

impl TypedTool for WriteFile {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "write_file",
            "Writes the whole content of a file. Creates the file and the folders on the way, or replaces what is there.",
        )
        .title("Write file")
        .in_group(Category::Filesystem, Group::Edit)
        .primary("path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::write(scope.resolve(&input.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let path = partial_input.get("path").and_then(Value::as_str).unwrap_or("...");
        Some(format!("Writing file: {path}"))
    }

    fn preview(&self, input: &Input, caps: &dyn ReadCaps) -> Option<Preview> {
        let path = caps.scope().resolve(&input.path);
        let size = input.content.len();
        let summary = match caps.files().facts(&path).ok()? {
            Some(old) => format!("Replace {} ({} → {size} bytes)", input.path, old.size),
            None => format!("Create {} ({size} bytes)", input.path),
        };
        let old = old_text(&path, caps).filter(|old| old.len() <= MAX_DIFF_BYTES);
        let detail = match old {
            Some(old) => shortened(&diff::unified(&old, &input.content)),
            None => shortened(&added(&input.content)),
        };
        Some(Preview { summary, detail: Some(detail) })
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        refuse_redacted(&input.content)?;
        refuse_folder_name(&input.path)?;
        let path = ctx.scope().resolve(&input.path);
        let options = WriteOptions { create_folders: input.create_directories, overwrite: true };
        ctx.cancel().check()?;
        let written = ctx.files().write(&path, input.content.as_bytes(), options)?;
        let size = input.content.len();
        let done = match written.old_size {
            Some(old) => format!("Replaced {} ({old} → {size} bytes).", input.path),
            None => format!("Created {} ({size} bytes).", input.path),
        };
        Ok(done.into())
    }
}

/// Results show secrets as a mark. Written back, the mark would replace the secret itself.
fn refuse_redacted(content: &str) -> Result<(), ToolError> {
    if !content.contains(REDACTION_MARK) {
        return Ok(());
    }
    Err(ToolError::invalid(format!(
        "the content contains `{REDACTION_MARK}…`, which stands for a secret that you were not shown; writing it would destroy the secret"
    ))
    .suggest("Change only the other parts of the file, or ask the user to make this change."))
}

/// The slash at the end says that a folder is meant; a file of that name would be in its way.
fn refuse_folder_name(path: &str) -> Result<(), ToolError> {
    if !path.ends_with('/') {
        return Ok(());
    }
    Err(ToolError::invalid(format!("{path} names a folder, not a file; nothing was written"))
        .suggest("Name a file; the folders on its way are made."))
}

/// What the file holds now, if that is text and not too long to compare.
fn old_text(path: &Path, caps: &dyn ReadCaps) -> Option<String> {
    let size = caps.files().facts(path).ok()??.size;
    let mut text = String::new();
    let mut file = caps.files().open(path).ok().filter(|_| size <= MAX_DIFF_BYTES as u64)?;
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

fn added(content: &str) -> String {
    content.lines().map(|line| format!("+ {line}\n")).collect()
}

fn shortened(detail: &str) -> String {
    let mut text: String =
        detail.lines().take(PREVIEW_LINES).map(|line| format!("{line}\n")).collect();
    let more = detail.lines().count().saturating_sub(PREVIEW_LINES);
    if more > 0 {
        text.push_str(&format!("... {more} more lines\n"));
    }
    text
}
