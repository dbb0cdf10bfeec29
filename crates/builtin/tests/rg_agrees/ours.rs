//! What our tool answers.

use std::sync::Arc;

use dogu_runtime::RuntimeContext;
use dogu_tool::{Tool, ToolResult};
use serde_json::{Value, json};

use crate::combinations::{Combination, Mode};
use crate::tree::Tree;

/// An answer, taken apart.
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Lines, files or counts, and the rules between groups of lines.
    pub(crate) entries: Vec<String>,
    notes: Vec<String>,
}

pub(crate) fn search(tree: &Tree, input: &Value) -> Answer {
    let tool = grep();
    let tokio = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let output = tokio.block_on(RuntimeContext::bare(tree.root(), &tool, input.clone())).unwrap();
    let text = ToolResult::ok("c", "grep", output).to_text();
    let mut entries: Vec<String> = text.lines().map(str::to_owned).collect();
    // Notes stand at the end; a line of a file never begins with a parenthesis, but with a name.
    let from =
        entries.iter().position(|line| line.starts_with('(') || line.starts_with("No matches"));
    let notes = entries.split_off(from.unwrap());
    Answer { text: notes.join("\n"), entries, notes }
}

/// The entries of a call and of those that go on from it.
pub(crate) fn all_pages(tree: &Tree, input: &Value) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let mut input = input.clone();
        input["offset"] = json!(all.len());
        let answer = search(tree, &input);
        if answer.entries.is_empty() {
            return all;
        }
        all.extend(answer.entries);
    }
}

fn grep() -> Arc<dyn Tool> {
    dogu_builtin::all().into_iter().find(|tool| tool.spec().name.as_str() == "grep").unwrap()
}

impl Answer {
    /// How many entries there are in all, whatever the page.
    pub(crate) fn total(&self, combination: &Combination) -> usize {
        if self.nothing() {
            return 0;
        }
        let words = [" shown", " lines in all", " line in all", " files in all", " file in all"];
        let place = self
            .notes
            .iter()
            .find_map(|note| words.iter().find_map(|words| number_before(note, words)));
        let shown = self.entries.iter().filter(|entry| *entry != "--").count();
        place.unwrap_or(combination.offset + shown)
    }

    pub(crate) fn files(&self) -> usize {
        if self.nothing() {
            return 0;
        }
        let words = [" file of", " files of", " files;", " file;"];
        words.iter().find_map(|words| number_before(&self.notes[0], words)).unwrap()
    }

    pub(crate) fn searched(&self) -> usize {
        number_before(&self.notes[0], " files searched").unwrap()
    }

    /// Files that were left out as binary.
    pub(crate) fn binary(&self) -> usize {
        let names = self.notes.iter().find_map(|note| note.strip_prefix("(binary, not searched: "));
        let Some(names) = names else { return 0 };
        let (first, more) = names.split_once(" and ").unwrap_or((names, ""));
        first.split(", ").count() + number_before(more, " more").unwrap_or(0)
    }

    fn nothing(&self) -> bool {
        self.notes[0].starts_with("No matches")
    }
}

/// The number that stands before some words.
fn number_before(note: &str, words: &str) -> Option<usize> {
    let before = &note[..note.find(words)?];
    let start = before.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    before[start..].parse().ok()
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Files => "files_with_matches",
            Self::Content => "content",
            Self::Count => "count",
        }
    }
}
