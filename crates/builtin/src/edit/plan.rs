//! What a call would change, as one value: shown, written, told.

use std::path::PathBuf;

use dogu_edit::diff::{self, FileDiff};
use dogu_tool::{
    Becomes, ChangeOptions, Ctx, Expects, FileChange, Output, Preview, Seen, ToolError,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::syntax;

/// How much of all diffs a result or a preview has, in bytes.
const MAX_DIFF_BYTES: usize = 24 * 1024;

/// A file that changes.
#[derive(Debug)]
pub(super) struct Changed {
    /// Where it is.
    pub(super) path: PathBuf,
    /// What it is called.
    pub(super) shown: String,
    /// What it was called, where it moves.
    pub(super) moved_from: Option<(PathBuf, String)>,
    /// Its text; none where there is no file, or it is no text.
    pub(super) before: Option<String>,
    /// Its new text; none where it goes, or is no text.
    pub(super) after: Option<String>,
    /// What is done on the disk.
    pub(super) changes: Vec<FileChange>,
    /// The answer shows the diff: its caller did not write all of it.
    pub(super) shows_diff: bool,
    /// What was done, without the name: `Edited`, `Created` …
    pub(super) verb: &'static str,
    /// More about it, after the name.
    pub(super) detail: String,
    /// What the model must know.
    pub(super) notes: Vec<String>,
    /// The same for programs.
    pub(super) facts: Value,
}

/// All that a call changes.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(super) files: Vec<Changed>,
    /// What is as it should be already, and other remarks.
    pub(super) notes: Vec<String>,
    /// Make the folders on the way.
    pub(super) create_folders: bool,
}

impl Plan {
    pub(super) fn of(file: Changed) -> Self {
        Self { files: vec![file], notes: Vec::new(), create_folders: true }
    }

    /// What a person sees who is asked.
    pub(super) fn preview(&self) -> Preview {
        let summary: Vec<String> = self.files.iter().map(Changed::intent).collect();
        let mut detail = match self.files.as_slice() {
            // The summary names it.
            [only] => only
                .diff()
                .text
                .lines()
                .skip_while(|line| !line.starts_with("@@"))
                .map(|line| format!("{line}\n"))
                .collect(),
            _ => self.diff(|_| true),
        };
        for note in self.notes() {
            detail.push_str(&format!("{note}\n"));
        }
        let summary =
            if summary.is_empty() { "Nothing to change".to_owned() } else { summary.join("; ") };
        Preview { summary, detail: Some(detail).filter(|detail| !detail.is_empty()) }
    }

    /// Writes everything, or nothing, and says what was done.
    pub(super) fn commit(self, ctx: &Ctx) -> Result<Output, ToolError> {
        ctx.cancel().check()?;
        let changes: Vec<FileChange> =
            self.files.iter().flat_map(|file| file.changes.clone()).collect();
        if !changes.is_empty() {
            ctx.files().change(&changes, ChangeOptions { create_folders: self.create_folders })?;
        }
        self.files.iter().for_each(|file| file.remember(ctx));
        Ok(self.told("", "applied"))
    }

    /// Says what would be done.
    pub(super) fn dry(self) -> Output {
        self.told("Nothing was written: this is a dry run.\n", "dry_run")
    }

    fn told(&self, before: &str, status: &str) -> Output {
        let done = |file: &Changed| format!("{} {}{}.", file.verb, file.shown, file.detail);
        let mut lines: Vec<String> = self.files.iter().map(done).collect();
        lines.extend(self.notes().into_iter().map(|note| format!("({note})")));
        let mut text = format!("{before}{}", lines.join("\n"));
        let diff = self.diff(|file| file.shows_diff || status == "dry_run");
        if !diff.is_empty() {
            text.push_str(&format!("\n\n{diff}"));
        }
        let status = if self.files.is_empty() { "already_applied" } else { status };
        let files: Vec<&Value> = self.files.iter().map(|file| &file.facts).collect();
        let structured = json!({"status": status, "files": files, "diff": diff});
        Output::with_structured(text, structured)
    }

    fn notes(&self) -> Vec<String> {
        let of_files = self.files.iter().flat_map(|file| {
            let syntax = syntax::warning(file);
            file.notes.iter().cloned().chain(syntax)
        });
        of_files.chain(self.notes.iter().cloned()).collect()
    }

    /// The diffs of all files, as far as there is room.
    fn diff(&self, of: impl Fn(&Changed) -> bool) -> String {
        let mut text = String::new();
        let mut left_out = Vec::new();
        for file in self.files.iter().filter(|file| of(file)) {
            let FileDiff { text: own, .. } = file.diff();
            if text.len() + own.len() > MAX_DIFF_BYTES && !text.is_empty() {
                left_out.push(file.shown.as_str());
            } else {
                text.push_str(&own);
            }
        }
        if !left_out.is_empty() {
            text.push_str(&format!("(the diff of {} is not shown)\n", left_out.join(", ")));
        }
        text
    }
}

impl Changed {
    /// A file whose text changes.
    pub(super) fn edited(
        path: PathBuf,
        shown: &str,
        opened: &super::opened::Opened,
        after: String,
    ) -> Result<Self, ToolError> {
        let bytes = opened.encoded(&after, shown)?;
        let sha256: String =
            Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let change = FileChange::write(&path, bytes).expecting(Expects::Content(opened.hash));
        Ok(Self {
            path,
            shown: shown.to_owned(),
            moved_from: None,
            before: Some(opened.text.clone()),
            after: Some(after),
            changes: vec![change],
            shows_diff: true,
            verb: "Edited",
            detail: String::new(),
            notes: Vec::new(),
            facts: json!({"path": shown, "status": "edited", "result_sha256": sha256}),
        })
    }

    /// Whoever wrote it knows what is in it.
    fn remember(&self, ctx: &Ctx) {
        let content = self.changes.iter().find_map(|change| match &change.becomes {
            Becomes::Content(content) => Some(content),
            Becomes::MovedFrom(_) | Becomes::Nothing => None,
        });
        let Some(content) = content else { return };
        if let Ok(Some(facts)) = ctx.files().facts(&self.path) {
            let hash = Some(*blake3::hash(content).as_bytes());
            // An edit that cannot be remembered was made all the same.
            let seen = Seen { hash, stamp: facts.stamp };
            let _ = ctx.files().remember(&self.path, seen, Some(content));
        }
    }

    fn diff(&self) -> FileDiff {
        let old_name = self.moved_from.as_ref().map_or(self.shown.as_str(), |(_, name)| name);
        let before = self.before.as_deref().map(|text| (old_name, text));
        let after = self.after.as_deref().map(|text| (self.shown.as_str(), text));
        diff::file(before, after)
    }

    /// What would be done, for the person who is asked.
    fn intent(&self) -> String {
        let what = match self.verb {
            "Edited" => "Edit",
            "Created" => "Create",
            "Replaced" => "Replace",
            "Deleted" => "Delete",
            "Moved" => "Move to",
            other => other,
        };
        let FileDiff { added, removed, .. } = self.diff();
        let lines = if self.verb == "Edited" {
            format!(" (+{added} -{removed} lines)")
        } else {
            String::new()
        };
        format!("{what} {}{}{lines}", self.shown, self.detail)
    }
}
