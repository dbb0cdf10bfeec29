//! The diff, put together file by file.

use std::path::Path;

use dogu_edit::diff::{CONTEXT, Limits, hunks};
use dogu_tool::{Change, ChangeKind, Comparison, SideContent};
use serde_json::json;

use super::header::{Names, header, names_line, shown};
use super::input::Input;
use super::left_out::{left_out, plural, unseen};
use super::page::Page;
use super::sides::{bytes, changes_type, is_back, is_only_renamed, is_text, not_text};

/// How many lines of a file's diff are shown where nothing is said.
const LINES_PER_FILE: usize = 500;
/// How much context can be asked for.
const MAX_CONTEXT: usize = 1_000;

/// The diff as it is put together.
pub(super) struct Report<'a> {
    input: &'a Input,
    context: usize,
    most: usize,
    pub(super) page: Page,
    files: usize,
    added: usize,
    removed: usize,
    untracked: usize,
    /// Files whose diffs were not made, because there was no room for them.
    pub(super) unseen: Vec<&'a Change>,
}

impl<'a> Report<'a> {
    pub(super) fn new(input: &'a Input) -> Self {
        Self {
            input,
            context: input.context.unwrap_or(CONTEXT).min(MAX_CONTEXT),
            most: input.max_lines_per_file.unwrap_or(LINES_PER_FILE).max(1),
            page: Page::from(input.offset.unwrap_or(1)),
            files: 0,
            added: 0,
            removed: 0,
            untracked: 0,
            unseen: Vec::new(),
        }
    }

    pub(super) fn file(&mut self, change: &Change, comparison: &dyn Comparison, path: &str) {
        let (old, new) =
            if is_only_renamed(change) { (None, None) } else { comparison.content(change) };
        if is_back(change, old.as_ref(), new.as_ref()) {
            return;
        }
        self.files += 1;
        self.untracked += usize::from(change.kind == ChangeKind::Untracked);
        if change.kind == ChangeKind::Unmerged {
            let name = shown(&change.path);
            self.page.put(&format!("* Unmerged path {name} (ours against the working tree)\n"));
        }
        if is_only_renamed(change) {
            self.page.put(&header(change, &Names::of(change)));
            return;
        }
        if !changes_type(change) {
            return self.sides(change, old, new, path);
        }
        // A file that became a link is one that is gone and one that is new: so says git.
        let gone = Change { new: None, ..change.clone() };
        let come = Change { old: None, ..change.clone() };
        self.sides(&gone, old, None, path);
        self.sides(&come, None, new, path);
    }

    fn sides(
        &mut self,
        change: &Change,
        old: Option<SideContent>,
        new: Option<SideContent>,
        path: &str,
    ) {
        let names = Names::of(change);
        self.page.put(&header(change, &names));
        if is_text(change, old.as_ref(), new.as_ref()) {
            self.text(change, &names, (&bytes(old), &bytes(new)), path);
        } else {
            self.page.put(&not_text(&names, change, old.as_ref(), new.as_ref()));
        }
    }

    fn text(&mut self, change: &Change, names: &Names, sides: (&[u8], &[u8]), path: &str) {
        let made = hunks(sides.0, sides.1, self.context, Limits::NONE);
        if made.text.is_empty() {
            return;
        }
        self.added += made.added;
        self.removed += made.removed;
        self.page.put(&names_line(change, names));
        let end = line_end(&made.text, self.most);
        self.page.put_bytes(&made.text[..end]);
        if end < made.text.len() {
            let all = memchr::memchr_iter(b'\n', &made.text).count();
            let call =
                self.input.with(&[("path", json!(path)), ("max_lines_per_file", json!(all))]);
            self.page.put(&format!("(... {} more lines of this file: {call})\n", all - self.most));
        }
    }

    pub(super) fn end(self, comparison: &dyn Comparison, path: &Path) -> String {
        let page = &self.page;
        let mut notes = String::new();
        let first = self.input.offset.unwrap_or(1);
        if page.shown == 0 {
            notes.push_str(&format!(
                "(the diff has {} lines; line {first} is past its end)\n",
                page.seen
            ));
        }
        if page.full {
            let next = first + page.shown;
            let call = self.input.with(&[("offset", json!(next))]);
            notes.push_str(&format!(
                "(the diff goes on: lines {first}-{} were shown; go on with {call})\n",
                next - 1
            ));
        }
        notes.push_str(&unseen(&self.unseen));
        if page.replaced {
            notes.push_str("(bytes that are not UTF-8 are shown as \u{fffd})\n");
        }
        if !page.full {
            notes.push_str(&self.summary());
        }
        notes.push_str(&left_out(comparison.left_out()));
        if path.starts_with(comparison.top()) && path != comparison.top() && self.input.path == "."
        {
            notes.push_str("(only what is below the working folder)\n");
        }
        self.page.text + &notes
    }

    fn summary(&self) -> String {
        let files = plural(self.files, "file");
        let untracked = match self.untracked {
            0 => String::new(),
            count => format!(", {count} of them untracked"),
        };
        format!("({files} changed{untracked}; +{} -{} lines)\n", self.added, self.removed)
    }
}

/// Where the first `most` lines end.
fn line_end(text: &[u8], most: usize) -> usize {
    let mut ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.nth(most - 1).map_or(text.len(), |(at, _)| at + 1)
}
