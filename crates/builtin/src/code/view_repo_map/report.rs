//! What is said beside the map: how much of all it shows, and what is not on it.

use dogu_code::language::{Language, MAX_BYTES};
use dogu_code::map::{Map, tokens};

use super::gather::Gathered;
use crate::names::Names;
use crate::notes::number;

/// Said where not everything is on the map.
const MORE: &str =
    "(a larger max_tokens, a folder as path, or focus shows more; lines stand at ⋮)\n";

/// Writes the answer, within a number of tokens.
pub(super) struct Report<'a> {
    path: &'a str,
    gathered: &'a Gathered,
    max_tokens: usize,
}

impl<'a> Report<'a> {
    pub(super) fn new(path: &'a str, gathered: &'a Gathered, max_tokens: usize) -> Self {
        Self { path, gathered, max_tokens }
    }

    fn definitions(&self) -> usize {
        self.gathered.code.iter().map(|(_, outline)| outline.definitions.len()).sum()
    }

    /// The whole answer where there is nothing to map.
    pub(super) fn nothing(&self) -> Option<String> {
        if self.definitions() > 0 {
            return None;
        }
        let (path, files) = (self.path, number(self.gathered.totals.files, "file", "files"));
        let first = match (self.gathered.totals.files, self.gathered.code.len()) {
            (0, _) => format!("No files in {path}, nothing to map."),
            (_, 0) => {
                let known: Vec<_> = Language::ALL.iter().map(|language| language.name()).collect();
                format!("No code to map in {path} ({files}). Known are {}.", known.join(", "))
            }
            (_, code) => format!(
                "Nothing is defined in {path} ({} of code).",
                number(code as u64, "file", "files")
            ),
        };
        Some(first + "\n" + &self.notes(&[]))
    }

    /// How many tokens there are for the map itself.
    pub(super) fn room(&self, notes: &str) -> usize {
        let most = Map {
            text: String::new(),
            definitions: self.definitions(),
            files: self.gathered.code.len(),
        };
        self.max_tokens.saturating_sub(tokens(&(self.counts(&most) + MORE + notes)) + 1)
    }

    pub(super) fn text(&self, map: &Map, notes: &str) -> String {
        let more = if map.definitions < self.definitions() { MORE } else { "" };
        format!("{}\n{}{more}{notes}", map.text, self.counts(map))
    }

    fn counts(&self, map: &Map) -> String {
        format!(
            "({} of {} in {} of {})\n",
            map.definitions,
            number(self.definitions() as u64, "definition", "definitions"),
            map.files,
            number(self.gathered.code.len() as u64, "file", "files"),
        )
    }

    /// What is not on the map, and why. Where it would take too much of the budget, the rest is
    /// counted only.
    pub(super) fn notes(&self, unknown: &[&String]) -> String {
        let all = self.all_notes(unknown);
        let room = self.max_tokens / 3;
        let (mut text, mut left) = (String::new(), all.len());
        for note in all {
            if tokens(&text) + tokens(&note) > room {
                break;
            }
            text.push_str(&note);
            left -= 1;
        }
        if left > 0 {
            text.push_str(&format!(
                "({} with a larger max_tokens)\n",
                number(left as u64, "more note", "more notes")
            ));
        }
        text
    }

    fn all_notes(&self, unknown: &[&String]) -> Vec<String> {
        let (totals, walked) = (&self.gathered.totals, &self.gathered.walked);
        let mut notes = Vec::new();
        for word in unknown {
            notes.push(format!("(focus: there is no file and no definition {word:?})\n"));
        }
        let mut named = |names: &Names, what: &str| {
            if names.count() > 0 {
                notes.push(format!("({what}: {})\n", names.text()));
            }
        };
        named(
            &totals.too_many,
            "left out, because the tree is too large for one map; map a folder below",
        );
        named(&totals.too_large, &format!("larger than {} KB, not parsed", MAX_BYTES / 1024));
        named(&totals.too_hard, "too far from the syntax of its language, not parsed");
        named(&totals.binary, "binary, not parsed");
        named(&totals.unreadable, "could not be read");
        if walked.unreadable > 0 {
            let examples = walked.first_unreadable.join(", ");
            notes.push(format!(
                "(could not be read: {} in the tree: {examples})\n",
                walked.unreadable
            ));
        }
        let mut counted = |count: u64, what: &str| {
            if count > 0 {
                notes.push(format!(
                    "({} {what})\n",
                    number(count, "file or folder", "files or folders")
                ));
            }
        };
        counted(walked.secret, "that may hold secrets left out");
        counted(walked.shut_out, "left out, because an ignore file shuts agents out");
        if totals.unknown > 0 {
            let usual = totals.usual_endings();
            let usual = if usual.is_empty() { usual } else { format!(": {usual}") };
            let files = number(totals.unknown, "file", "files");
            notes.push(format!("({files} in no known language{usual})\n"));
        }
        notes
    }
}
