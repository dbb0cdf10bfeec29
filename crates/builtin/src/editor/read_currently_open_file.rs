//! `read_currently_open_file`: what the user has in front of them, unsaved changes included.

use std::path::PathBuf;

use dogu_tool::{
    Action, Category, Ctx, Group, OpenFile, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// How many lines are shown.
const MAX_LINES: usize = 2_000;
/// How many characters of a line are shown.
const MAX_LINE_CHARS: usize = 2_000;
/// How many bytes of text one call gives at the most.
const MAX_TEXT_BYTES: usize = 90_000;
/// How many other open files are named.
const MAX_OTHERS: usize = 20;

/// Nothing is to be said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ReadCurrentlyOpenFile;

impl TypedTool for ReadCurrentlyOpenFile {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "read_currently_open_file",
            "Reads the file that the user looks at in their editor, with changes that are not saved yet. Lines come numbered, as read_file shows them.",
        )
        .title("Read currently open file")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
    }

    /// Which file it is, is known only while it runs; it passes the gate then.
    fn actions(&self, _: &Input, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    fn partial(&self, _: &Value) -> Option<String> {
        Some("Reading the currently open file".to_owned())
    }

    async fn run(&self, _: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let Some(editor) = ctx.editor() else {
            return Ok("There is no editor connected; read_file reads files by their path.".into());
        };
        let open = editor.open_files();
        let Some(current) = open.iter().find(|file| file.current) else {
            return Ok(none_current(&open, ctx).into());
        };
        let path = absolute(current, ctx);
        ctx.request(vec![Action::read(&path)]).await?;
        let mut text = format!("{}\n{}", ctx.scope().display(&path), numbered(current, &path, ctx));
        let others: Vec<&OpenFile> = open.iter().filter(|file| file.path != current.path).collect();
        if !others.is_empty() {
            text.push_str(&format!("(also open: {})\n", names(&others, ctx)));
        }
        Ok(text.into())
    }
}

fn absolute(file: &OpenFile, ctx: &Ctx) -> PathBuf {
    ctx.scope().workdir().join(&file.path)
}

fn none_current(open: &[OpenFile], ctx: &Ctx) -> String {
    if open.is_empty() {
        return "There are no files currently open.".to_owned();
    }
    let all: Vec<&OpenFile> = open.iter().collect();
    format!("The user looks at none of the open files now; open are: {}", names(&all, ctx))
}

fn names(files: &[&OpenFile], ctx: &Ctx) -> String {
    let shown = files.iter().take(MAX_OTHERS).map(|file| ctx.scope().display(&absolute(file, ctx)));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(MAX_OTHERS) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The lines of the editor, as many as one call shows.
fn numbered(file: &OpenFile, path: &std::path::Path, ctx: &Ctx) -> String {
    if file.text.is_empty() {
        return "(it is empty)\n".to_owned();
    }
    let mut text = String::new();
    let mut shown = 0;
    for line in file.text.lines().take(MAX_LINES) {
        let end = line.char_indices().nth(MAX_LINE_CHARS).map(|(at, _)| at);
        let kept = &line[..end.unwrap_or(line.len())];
        if shown > 0 && text.len() + kept.len() > MAX_TEXT_BYTES {
            break;
        }
        shown += 1;
        text.push_str(&format!("{shown:6}\t{kept}"));
        if end.is_some() {
            text.push_str(&format!(" [... line of {} bytes cut]", line.len()));
        }
        text.push('\n');
    }
    let total = file.text.lines().count();
    if shown < total {
        let call = json!({ "path": ctx.scope().display(path), "offset": shown + 1 });
        text.push_str(&format!(
            "(lines 1-{shown} of {total}; read_file with {call} shows the rest as it is saved)\n"
        ));
    }
    text
}
