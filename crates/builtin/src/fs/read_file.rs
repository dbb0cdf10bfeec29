//! `read_file`: lines of a text file, numbered as `cat -n` prints them.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use dogu_tool::{
    Action, CancelFlag, Category, Ctx, FileKind, Group, Output, Scope, ToolError, ToolSpec,
    TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// How many lines one call gives at the most.
pub(crate) const MAX_LINES: usize = 2_000;
/// How many characters of a line are shown.
const MAX_LINE_CHARS: usize = 2_000;
/// How many bytes of a line are kept: that many characters, and a carriage return.
const KEPT_BYTES: usize = MAX_LINE_CHARS * 4 + 1;
/// How many bytes of text one call gives at the most.
const MAX_TEXT_BYTES: usize = 90_000;
/// How far the rest of a file is read to say how many lines it has.
const MAX_COUNT_BYTES: usize = 64 * 1024 * 1024;
/// How much of a file is looked at to tell text from binary.
const SNIFF_BYTES: usize = 8 * 1024;

/// What to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file, relative to the working folder or absolute.
    path: String,
    /// The first line to show, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// How many lines to show, at most 2000.
    #[serde(default)]
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ReadFile;

impl TypedTool for ReadFile {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "read_file",
            "Reads a text file. Lines come numbered, as `cat -n` prints them; the numbers are not part of the file. Shows 2000 lines at most: use offset and limit to read on.",
        )
        .title("Read file")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read(scope.resolve(&input.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let path = partial_input.get("path").and_then(Value::as_str).unwrap_or("...");
        Some(format!("Reading file: {path}"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = ctx.scope().resolve(&input.path);
        let file = ctx.files().open(&path).map_err(|error| if_folder(error, &path, ctx))?;
        let first = input.offset.unwrap_or(1).max(1);
        let most = input.limit.unwrap_or(MAX_LINES).clamp(1, MAX_LINES);
        let mut lines = Lines::new(file, ctx.cancel());
        let shown = ctx.scope().display(&path);
        if lines.is_binary().map_err(|error| ToolError::io("read", &path, error))? {
            return Err(binary(&shown, &path, ctx));
        }
        lines.take(first, most).map_err(|error| failed(&path, error))?;
        Ok(lines.report(&input.path, first).into())
    }
}

fn failed(path: &Path, error: std::io::Error) -> ToolError {
    if error.kind() == ErrorKind::Interrupted {
        return ToolError::canceled();
    }
    ToolError::io("read", path, error)
}

/// A folder cannot be read, and there is a tool for it.
fn if_folder(error: ToolError, path: &Path, ctx: &Ctx) -> ToolError {
    match ctx.files().facts(path) {
        Ok(Some(facts)) if facts.kind == FileKind::Folder => {
            error.suggest("list_files shows what is in a folder.")
        }
        _ => error,
    }
}

fn binary(shown: &str, path: &Path, ctx: &Ctx) -> ToolError {
    let size = ctx.files().facts(path).ok().flatten().map_or(0, |facts| facts.size);
    ToolError::failed(format!(
        "{shown} is a binary file of {size} bytes and cannot be shown as text."
    ))
}

/// Reads lines in bounded memory, whatever their length.
struct Lines<'a> {
    reader: BufReader<File>,
    cancel: &'a CancelFlag,
    text: String,
    shown: usize,
    /// How many lines there are; none where the file is too long to count.
    total: Option<usize>,
    replaced: bool,
    full: bool,
}

impl<'a> Lines<'a> {
    fn new(file: File, cancel: &'a CancelFlag) -> Self {
        let reader = BufReader::with_capacity(64 * 1024, file);
        Self {
            reader,
            cancel,
            text: String::new(),
            shown: 0,
            total: None,
            replaced: false,
            full: false,
        }
    }

    fn is_binary(&mut self) -> std::io::Result<bool> {
        let start = self.reader.fill_buf()?;
        Ok(start[..start.len().min(SNIFF_BYTES)].contains(&0))
    }

    fn take(&mut self, first: usize, most: usize) -> std::io::Result<()> {
        let mut number = 0;
        while number + 1 < first {
            if self.next_line(0)?.is_none() {
                self.total = Some(number);
                return Ok(());
            }
            number += 1;
        }
        while self.shown < most && !self.full {
            let Some(line) = self.next_line(KEPT_BYTES)? else {
                self.total = Some(number);
                return Ok(());
            };
            number += 1;
            self.show(number, &line);
        }
        self.count_rest(number)
    }

    /// The next line without its end; of what is longer than `keep` bytes the beginning.
    fn next_line(&mut self, keep: usize) -> std::io::Result<Option<Line>> {
        let mut line = Line::default();
        loop {
            if self.cancel.is_canceled() {
                return Err(ErrorKind::Interrupted.into());
            }
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok((line.length > 0).then_some(line));
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let piece = &buffer[..end.unwrap_or(buffer.len())];
            line.length += piece.len() + usize::from(end.is_some());
            let room = keep - line.start.len().min(keep);
            line.start.extend_from_slice(&piece[..piece.len().min(room)]);
            let used = piece.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                line.drop_end();
                return Ok(Some(line));
            }
        }
    }

    fn show(&mut self, number: usize, line: &Line) {
        let text = String::from_utf8_lossy(&line.start);
        let end = text.char_indices().nth(MAX_LINE_CHARS).map(|(at, _)| at);
        let kept = &text[..end.unwrap_or(text.len())];
        // What was not kept of a long line may have cut its last character in two, which is not
        // among those shown: only these are looked at.
        let replaced = matches!(text, Cow::Owned(_)) && kept.contains('\u{fffd}');
        let cut = end.is_some() || line.is_longer_than_kept();
        if self.shown > 0 && self.text.len() + kept.len() > MAX_TEXT_BYTES {
            self.full = true;
            return;
        }
        self.text.push_str(&format!("{number:6}\t{kept}"));
        if cut {
            self.text.push_str(&format!(" [... line of {} bytes cut]", line.length));
        }
        self.text.push('\n');
        self.replaced |= replaced;
        self.shown += 1;
    }

    /// Counts the lines that are left, in pieces: the rest of a file may be one endless line.
    fn count_rest(&mut self, mut number: usize) -> std::io::Result<()> {
        let mut read = 0;
        let mut in_line = false;
        while read < MAX_COUNT_BYTES {
            if self.cancel.is_canceled() {
                return Err(ErrorKind::Interrupted.into());
            }
            let buffer = self.reader.fill_buf()?;
            let Some(last) = buffer.last() else {
                self.total = Some(number + usize::from(in_line));
                return Ok(());
            };
            in_line = *last != b'\n';
            number += buffer.split(|byte| *byte == b'\n').count() - 1;
            let used = buffer.len();
            read += used;
            self.reader.consume(used);
        }
        Ok(())
    }

    /// The lines, and what was left out with the call that reads on.
    fn report(self, path: &str, first: usize) -> String {
        let total = self.total;
        if total == Some(0) {
            return format!("({path} is empty)");
        }
        if self.shown == 0 {
            let total = total.unwrap_or(0);
            let lines = if total == 1 { "line" } else { "lines" };
            return format!("({path} has {total} {lines}; line {first} is past its end)");
        }
        let last = first + self.shown - 1;
        let mut text = self.text;
        if self.replaced {
            text.push_str("(bytes that are not UTF-8 are shown as \u{fffd})\n");
        }
        if total.is_none_or(|total| last < total) {
            let of = total.map_or("more".to_owned(), |total| total.to_string());
            let next = serde_json::json!({ "path": path, "offset": last + 1 });
            text.push_str(&format!("(lines {first}-{last} of {of}; read on with {next})\n"));
        }
        text
    }
}

#[derive(Default)]
struct Line {
    /// Its beginning, without the end of the line.
    start: Vec<u8>,
    /// All its bytes, with the end of the line.
    length: usize,
    /// Bytes of the end of the line.
    end: usize,
}

impl Line {
    /// It ended in a newline: the carriage return before it, if any, is no part of the text.
    fn drop_end(&mut self) {
        self.end = 1;
        if !self.is_longer_than_kept() && self.start.last() == Some(&b'\r') {
            self.start.pop();
            self.end = 2;
        }
    }

    fn is_longer_than_kept(&self) -> bool {
        self.length - self.end > self.start.len()
    }
}
