//! Reading files: `read_file` and `read_file_range`, two front ends of one core.
//!
//! A call is understood in `input` (what cannot be meant is refused before anybody is asked),
//! into files and the `part` of each. Then, for each file:
//!
//! 1. `file` opens it, holds it where it is small, looks at its first bytes to tell what it is,
//!    and reads it again when it changed meanwhile; what was seen is remembered with the hash of
//!    the content.
//! 2. Text: `encoding` tells how it is written, `source` hashes and decodes, `lines` finds lines
//!    in bounded memory, `text` shows them by number and `indentation` by block. What is `plain`
//!    and held is shown by number without all that.
//! 3. `image` gives pictures, scaled down. Of a `notebook`, a `pdf` and an `office` file a
//!    `document` is made: a text with marks of its parts, shown by lines as every text.
//! 4. Everything else: `binary` by name, size and type.
//!
//! `several` does so for many files, each with an answer of its own.

mod binary;
mod document;
mod encoding;
mod file;
mod image;
mod indentation;
mod input;
mod lines;
mod notebook;
mod oddities;
mod office;
mod part;
mod pdf;
mod plain;
mod range;
mod several;
mod source;
mod text;

use dogu_tool::{Action, Category, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool};
use serde_json::Value;

use input::Request;

pub(crate) use encoding::Coding;
pub use input::Input;
pub use range::{RangeInput, ReadFileRange};

/// How many lines of a file one call shows at the most.
const MAX_LINES: usize = 2_000;
/// How many characters of a line are shown.
const MAX_LINE_CHARS: usize = 2_000;
/// How many bytes of a line are kept: that many characters, and a carriage return.
const KEPT_BYTES: usize = MAX_LINE_CHARS * 4 + 1;
/// How many bytes of text one call shows at the most.
const MAX_TEXT_BYTES: usize = 90_000;
/// How many bytes of base64 the images of one call have at the most.
const MAX_TOTAL_IMAGE_BYTES: usize = 16 * 1024 * 1024;

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ReadFile;

impl TypedTool for ReadFile {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "read_file",
            "Reads a file, or several with `files`. Lines come numbered, as `cat -n` prints them; the numbers are not part of the file. Shows 2000 lines at most: use offset and limit to read on.",
        )
        .title("Read file")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
        .alias("file_path", "path")
        .alias("filepath", "path")
        .alias("file", "path")
    }

    /// Several files are asked for one by one while running: see `several`.
    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        match &input.0 {
            Request::One(wanted) => vec![Action::read(scope.resolve(&wanted.path))],
            Request::Several(_) => Vec::new(),
        }
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let named = |input: &Value| {
            let names = ["path", "file_path", "filepath", "file"];
            names.iter().find_map(|name| input.get(name)?.as_str()).map(str::to_owned)
        };
        let files = partial_input.get("files").and_then(Value::as_array);
        let several = || Some(files?.iter().filter_map(named).collect::<Vec<_>>().join(", "));
        let path = named(partial_input).or_else(several).filter(|path| !path.is_empty());
        Some(format!("Reading file: {}", path.as_deref().unwrap_or("...")))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        match input.0 {
            Request::One(wanted) => file::read(&wanted, MAX_TEXT_BYTES, ctx).map(Output::from),
            Request::Several(files) => several::read(&files, ctx).await,
        }
    }
}
