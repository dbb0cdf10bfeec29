//! `view_subdirectory`: a folder as a tree, with how much is in each folder of it.

use std::collections::BTreeMap;

use dogu_tool::{
    Action, Category, Ctx, FileKind, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::folder_at::folder_at;
use super::listing::{self, Listing, closed, mark};
use super::nearest::{Below, Row, Wanted};
use crate::names;
use crate::notes::{number, unreadable};

/// How many names deep a call looks that does not say so.
const DEFAULT_DEPTH: usize = 3;
/// How many names deep a call can look.
const MAX_DEPTH: usize = 20;
/// How many names a call gives that does not say so.
const DEFAULT_LIMIT: usize = 400;
/// How many names a call can ask for.
const MAX_LIMIT: usize = 5_000;

/// Which folder to view.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The folder, relative to the working folder or absolute.
    path: String,
    /// How many names deep to show; 3 where it is not said. What is deeper is counted.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20))]
    depth: Option<usize>,
    /// How many names to show; 400 where it is not said. Folders in the folder itself are always shown.
    #[serde(default)]
    #[schemars(range(min = 1, max = 5_000))]
    limit: Option<usize>,
}

impl Input {
    fn depth(&self) -> usize {
        self.depth.unwrap_or(DEFAULT_DEPTH).clamp(1, MAX_DEPTH)
    }

    fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT)
    }
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ViewSubdirectory;

impl TypedTool for ViewSubdirectory {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "view_subdirectory",
            "Shows a folder as an indented tree, with how many files and folders are below each folder. What git ignores is marked and not entered.",
        )
        .title("View folder tree")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
        .alias("directory_path", "path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(&input.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let path = partial_input.get("path").and_then(Value::as_str).unwrap_or("...");
        Some(format!("Viewing folder: {path}"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = ctx.scope().resolve(&input.path);
        folder_at(&path, &input.path, ctx)?;
        let depth = input.depth();
        let wanted = Wanted { most: input.limit(), depth, counted: depth };
        let listing = listing::list(&path, wanted, None, ctx)?;
        Ok(text(&input, listing).into())
    }
}

fn text(input: &Input, mut listing: Listing) -> String {
    let shown = listing.rows.len() as u64;
    listing.rows.sort_by_cached_key(Row::tree_order);
    let name = names::shown("", input.path.trim_end_matches('/').as_bytes());
    let mut tree = Tree::new(&name, listing.all);
    for row in &listing.rows {
        tree.add(row);
    }
    tree.close(0);
    if shown < listing.all.names() {
        tree.text.push_str(&how_to_see_more(input, &listing));
    }
    tree.text.extend(unreadable(&listing.walked).map(|note| note + "\n"));
    tree.text
}

fn how_to_see_more(input: &Input, listing: &Listing) -> String {
    let (shown, all) = (listing.rows.len(), listing.all.names());
    let by_limit = shown >= input.limit();
    let wider = if by_limit {
        format!("the same call with \"limit\": {} shows more", all.min(MAX_LIMIT as u64))
    } else {
        format!("the same call with \"depth\": {} shows more", input.depth() + 1)
    };
    let part = fullest(&listing.rows).map_or(String::new(), |folder| {
        let path = format!("{}/{}", input.path.trim_end_matches('/'), names::shown("", folder));
        let path = path.strip_prefix("./").unwrap_or(&path);
        format!(", view_subdirectory {} a part", json!({"path": path}))
    });
    format!("({shown} of {all} names shown; {wider}{part})\n")
}

/// The folder of the first level below which most is not shown.
fn fullest(rows: &[Row]) -> Option<&[u8]> {
    let mut hidden: BTreeMap<&[u8], u64> = BTreeMap::new();
    for row in rows {
        let first = row.path.split(|byte| *byte == b'/').next().unwrap_or_default();
        if row.depth == 1 {
            hidden.insert(first, row.node.below.names());
        } else if let Some(count) = hidden.get_mut(first) {
            *count = count.saturating_sub(1);
        }
    }
    let most = hidden.into_iter().max_by_key(|(_, count)| *count)?;
    (most.1 > 0).then_some(most.0)
}

/// A tree as it is written.
struct Tree {
    text: String,
    /// The folders that the next name may be in, each with how many of its names are shown.
    open: Vec<(Below, u64)>,
}

impl Tree {
    fn new(name: &str, all: Below) -> Self {
        Self { text: format!("{name}/ ({})\n", words(all)), open: vec![(all, 0)] }
    }

    fn add(&mut self, row: &Row) {
        self.close(row.depth);
        if let Some((_, shown)) = self.open.last_mut() {
            *shown += 1;
        }
        let node = &row.node;
        let name = row.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let folder = node.kind() == FileKind::Folder;
        // A repository's own store is closed too.
        let entered = folder && node.left_out.is_none();
        let said = entered
            .then(|| words(node.below))
            .or_else(|| closed(node).map(str::to_owned))
            .or_else(|| (node.kind() == FileKind::Other).then(|| "special".to_owned()));
        let said = said.map_or(String::new(), |said| format!(" ({said})"));
        let indent = "  ".repeat(row.depth);
        let name = names::shown("", name);
        self.text.push_str(&format!(
            "{indent}{name}{}{said}
",
            mark(node.kind())
        ));
        if folder {
            self.open.push((node.below, 0));
        }
    }

    /// Closes the folders that a name so deep is not in. One of which not all was shown says so.
    fn close(&mut self, depth: usize) {
        while self.open.len() > depth {
            let Some((below, shown)) = self.open.pop() else { return };
            if shown > 0 && shown < below.own {
                let indent = "  ".repeat(self.open.len() + 1);
                self.text.push_str(&format!("{indent}… {} more\n", below.own - shown));
            }
        }
    }
}

/// `3 files, 1 folder`.
fn words(below: Below) -> String {
    let files = (below.files > 0).then(|| number(below.files, "file", "files"));
    let folders = (below.folders > 0).then(|| number(below.folders, "folder", "folders"));
    let parts: Vec<String> = files.into_iter().chain(folders).collect();
    if parts.is_empty() { "empty".to_owned() } else { parts.join(", ") }
}
