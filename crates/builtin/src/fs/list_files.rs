//! `list_files`: the names in a folder, or in all folders below it.

use std::collections::BTreeMap;

use dogu_tool::{
    Action, Category, Ctx, FileKind, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::folder_at::folder_at;
use super::listing::{self, Listing, closed, mark};
use super::nearest::{Row, Wanted};
use crate::names;
use crate::notes::{number, unreadable};

/// How many names a call gives that does not say so.
const DEFAULT_LIMIT: usize = 1_000;
/// How many names a call can ask for.
const MAX_LIMIT: usize = 5_000;
/// How many bytes of names one answer has, but for the folders of the first level.
const MAX_TEXT_BYTES: usize = 80_000;

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
    /// How many names to show; 1000 where it is not said. Folders in the folder itself are always shown.
    #[serde(default)]
    #[schemars(range(min = 1, max = 5_000))]
    limit: Option<usize>,
}

fn here() -> String {
    ".".to_owned()
}

impl Input {
    pub(super) fn action(&self, scope: &Scope) -> Action {
        Action::FileRead { path: scope.resolve(&self.path), tree: self.recursive }
    }

    /// Lists the folder, and says what is in it.
    pub(super) fn answer(&self, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = ctx.scope().resolve(&self.path);
        folder_at(&path, &self.path, ctx)?;
        let most = self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let wanted = Wanted { most, depth: usize::MAX, counted: 1 };
        let listing = listing::list(&path, wanted, (!self.recursive).then_some(1), ctx)?;
        Ok(self.text(&listing).into())
    }

    fn text(&self, listing: &Listing) -> String {
        let path = names::shown("", self.path.as_bytes());
        let notes = unreadable(&listing.walked);
        if listing.all.names() == 0 && notes.is_none() {
            return format!("({path} is empty)");
        }
        let shown = that_fit(&listing.rows);
        let hidden = self.hidden_below(&shown);
        let mut lines: Vec<String> = shown.iter().map(|row| line(row, &hidden)).collect();
        let left_out = listing.all.names() - shown.len() as u64;
        if left_out > 0 {
            lines.push(self.how_to_see_more(listing, shown.len(), &hidden));
        }
        lines.extend(notes);
        lines.join("\n")
    }

    /// How many names below each folder of the first level are not shown, where any are not.
    fn hidden_below<'a>(&self, shown: &[&'a Row]) -> BTreeMap<&'a [u8], u64> {
        let mut hidden = BTreeMap::new();
        if !self.recursive {
            return hidden;
        }
        for row in shown.iter().filter(|row| is_first_folder(row)) {
            hidden.insert(row.path.as_slice(), row.node.below.names());
        }
        for row in shown.iter().filter(|row| row.depth > 1) {
            let first = row.path.split(|byte| *byte == b'/').next().unwrap_or_default();
            if let Some(count) = hidden.get_mut(first) {
                *count = count.saturating_sub(1);
            }
        }
        hidden.retain(|_, count| *count > 0);
        hidden
    }

    fn how_to_see_more(
        &self,
        listing: &Listing,
        shown: usize,
        hidden: &BTreeMap<&[u8], u64>,
    ) -> String {
        let all = listing.all.names();
        let fullest = hidden.iter().max_by_key(|(_, count)| **count).map(|(path, _)| *path);
        let by_limit = all <= MAX_LIMIT as u64 && shown == listing.rows.len();
        let more = match fullest {
            _ if by_limit => format!("the same call with \"limit\": {all} shows all"),
            Some(folder) => {
                let folder = names::shown(&self.prefix(), folder);
                format!("list_files {} shows more", json!({"path": folder, "recursive": true}))
            }
            None => {
                let call = json!({"path": self.path, "pattern": "/a*"});
                format!("glob with a pattern finds the others, such as glob {call}")
            }
        };
        format!("(only {shown} of {all} names, the nearest; {more})")
    }

    fn prefix(&self) -> String {
        match self.path.trim_end_matches('/') {
            "." => String::new(),
            path => format!("{path}/"),
        }
    }
}

fn is_first_folder(row: &Row) -> bool {
    row.depth == 1 && row.node.kind() == FileKind::Folder
}

/// The rows that there is room for.
fn that_fit(rows: &[Row]) -> Vec<&Row> {
    let mut bytes = 0;
    let fits = |row: &&Row| {
        bytes += row.path.len();
        bytes <= MAX_TEXT_BYTES || is_first_folder(row)
    };
    rows.iter().filter(fits).collect()
}

fn line(row: &Row, hidden: &BTreeMap<&[u8], u64>) -> String {
    let mut notes: Vec<String> = Vec::new();
    notes.extend(row.node.size.map(|size| format!("{size} bytes")));
    notes.extend((row.node.kind() == FileKind::Other).then(|| "special".to_owned()));
    notes.extend(closed(&row.node).map(str::to_owned));
    notes.extend(
        hidden
            .get(row.path.as_slice())
            .filter(|_| is_first_folder(row))
            .map(|count| format!("{} not shown", number(*count, "name", "names"))),
    );
    let name = names::shown("", &row.path);
    let mark = mark(row.node.kind());
    if notes.is_empty() {
        format!("{name}{mark}")
    } else {
        format!("{name}{mark} ({})", notes.join(", "))
    }
}

/// What is shown while the model still writes the call.
pub(super) fn partial(input: &Value) -> String {
    let path = input.get("path").and_then(Value::as_str).unwrap_or("...");
    format!("Listing files: {path}")
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ListFiles;

impl TypedTool for ListFiles {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "list_files",
            "Lists a folder, with `recursive` all that is below it, the nearest names first. Folders end in `/`, symbolic links in `@` and are not followed; files show their size. What git ignores is marked and not entered.",
        )
        .title("List files")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
        .alias("directory_path", "path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![input.action(scope)]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        input.answer(ctx)
    }
}
