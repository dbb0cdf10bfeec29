//! `list_files`: the names in a folder, or in all folders below it.

use std::collections::VecDeque;
use std::path::Path;

use dogu_tool::{
    Action, Category, Ctx, FileKind, FolderEntry, Group, Output, Scope, ToolError, ToolSpec,
    TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// How many names one call gives at the most.
const MAX_ENTRIES: usize = 1_000;
/// A repository's own store: thousands of names that nobody asks for.
const NOT_ENTERED: &str = ".git";

/// What to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The folder, relative to the working folder or absolute.
    #[serde(default = "here")]
    path: String,
    /// List the folders below it too.
    #[serde(default)]
    recursive: bool,
}

fn here() -> String {
    ".".to_owned()
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ListFiles;

impl TypedTool for ListFiles {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "list_files",
            "Lists a folder. Folders end in `/`, symbolic links in `@` and are not followed; files show their size. Nearest folders come first, 1000 names at most.",
        )
        .title("List files")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        let path = scope.resolve(&input.path);
        vec![Action::FileRead { path, tree: input.recursive }]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let path = partial_input.get("path").and_then(Value::as_str).unwrap_or("...");
        Some(format!("Listing files: {path}"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut listing = Listing { lines: Vec::new(), left_out: 0, unreadable: Vec::new() };
        // Breadth first, so that every near folder is seen before any far one.
        let mut open = VecDeque::from([(ctx.scope().resolve(&input.path), String::new())]);
        while let Some((folder, prefix)) = open.pop_front() {
            ctx.cancel().check()?;
            let entries = match ctx.files().list(&folder) {
                Ok(entries) => entries,
                Err(error) if prefix.is_empty() => return Err(if_file(error, &folder, ctx)),
                Err(_) => {
                    listing.unreadable.push(prefix);
                    continue;
                }
            };
            let inner = listing.add(&prefix, &entries);
            if input.recursive {
                open.extend(inner.map(|name| (folder.join(name), format!("{prefix}{name}/"))));
            }
        }
        Ok(listing.report(&input.path).into())
    }
}

/// A file cannot be listed, and there is a tool for it.
fn if_file(error: ToolError, path: &Path, ctx: &Ctx) -> ToolError {
    match ctx.files().facts(path) {
        Ok(Some(facts)) if facts.kind == FileKind::File => {
            error.suggest("read_file shows what is in a file.")
        }
        _ => error,
    }
}

struct Listing {
    lines: Vec<String>,
    left_out: usize,
    unreadable: Vec<String>,
}

impl Listing {
    /// Adds the names of a folder; gives the folders among them to enter.
    fn add<'a>(
        &mut self,
        prefix: &str,
        entries: &'a [FolderEntry],
    ) -> impl Iterator<Item = &'a str> + use<'a> {
        for entry in entries {
            if self.lines.len() < MAX_ENTRIES {
                self.lines.push(line(prefix, entry));
            } else {
                self.left_out += 1;
            }
        }
        // Past the limit only what is left out of open folders is counted.
        let enter = self.left_out == 0;
        entries
            .iter()
            .filter(move |entry| {
                let closed = entry.ignored || entry.name == NOT_ENTERED;
                enter && entry.kind == FileKind::Folder && !closed
            })
            .map(|entry| entry.name.as_str())
    }

    fn report(self, path: &str) -> String {
        if self.lines.is_empty() && self.unreadable.is_empty() {
            return format!("({path} is empty)");
        }
        let mut text = self.lines.join("\n");
        if self.left_out > 0 {
            text.push_str(&format!(
                "\n(only the first {MAX_ENTRIES} names; at least {} more were left out: list a folder below)",
                self.left_out
            ));
        }
        if !self.unreadable.is_empty() {
            text.push_str(&format!("\n(could not be read: {})", self.unreadable.join(", ")));
        }
        text
    }
}

fn line(prefix: &str, entry: &FolderEntry) -> String {
    let name = &entry.name;
    let mark = if entry.ignored { " (ignored)" } else { "" };
    match entry.kind {
        FileKind::Folder => format!("{prefix}{name}/{mark}"),
        FileKind::Link => format!("{prefix}{name}@{mark}"),
        FileKind::File if entry.ignored => format!("{prefix}{name}{mark}"),
        FileKind::File => format!("{prefix}{name} ({} bytes)", entry.size),
        FileKind::Other => format!("{prefix}{name} (special){mark}"),
    }
}
