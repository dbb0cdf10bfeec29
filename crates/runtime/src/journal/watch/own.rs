//! What dogu's own calls changed while a command ran is theirs, not the command's.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::super::entry::{ChangedFile, Entry, FileState};
use super::super::{Journal, store};
use super::read::BEHIND;

/// How long before a command an edit may have got its id that was finished after it; in
/// milliseconds.
const SLOW: u64 = 600_000;

/// Entries that were made while a command ran, the oldest first.
pub(super) struct Meanwhile {
    entries: Vec<Entry>,
    /// When it began, as ids say it.
    begun: String,
}

/// A file before and after.
type States = (Option<FileState>, Option<FileState>);

impl Meanwhile {
    /// What was made since a time, in nanoseconds since 1970.
    pub(super) fn since(journal: &Journal, begun: i128) -> std::io::Result<Self> {
        let milliseconds = u64::try_from(begun / 1_000_000).unwrap_or(0);
        let first = format!("{:013}", milliseconds.saturating_sub(SLOW));
        let is_new = |path: &Path| {
            let changed =
                |facts: fs::Metadata| dogu_tool::nanoseconds(facts.ctime(), facts.ctime_nsec());
            fs::symlink_metadata(path).is_ok_and(|facts| changed(facts) >= begun - BEHIND)
        };
        let mut entries = Vec::new();
        // Those on their way first, or one that becomes an entry meanwhile would be missed.
        for folder in [journal.begun(), journal.entries_folder()] {
            for id in store::ids(&folder)?.into_iter().filter(|id| *id >= first) {
                let path = store::path_of(&folder, &id);
                if is_new(&path)
                    && let Ok(text) = fs::read(&path)
                    && let Ok(entry) = serde_json::from_slice::<Entry>(&text)
                {
                    entries.push(entry);
                }
            }
        }
        entries.sort_by(|one, other| one.id.cmp(&other.id));
        entries.dedup_by(|one, other| one.id == other.id);
        Ok(Self { entries, begun: format!("{milliseconds:013}~") })
    }

    /// Another command ended meanwhile. Its entry got its id then.
    pub(super) fn has_command(&self) -> bool {
        self.entries.iter().any(|entry| entry.beside.watched && entry.id > self.begun)
    }

    /// The first entry of a call, if it has changed files itself.
    pub(super) fn first_of(&self, call: &str) -> Option<String> {
        let mut edits = self.entries.iter().filter(|entry| !entry.beside.watched);
        let own = edits.find(|entry| *entry.by.call == *call)?;
        Some(own.call_key().to_owned())
    }

    /// A call of dogu's own changed this, or something in it.
    pub(super) fn has_edited(&self, path: &Path) -> bool {
        let edits = self.entries.iter().filter(|entry| !entry.beside.watched);
        let mut paths = edits.flat_map(|entry| entry.files.iter().flat_map(ChangedFile::paths));
        paths.any(|edited| edited.starts_with(path))
    }

    /// Leaves to a command what only it can have done.
    pub(super) fn take_out(&self, files: Vec<ChangedFile>) -> Vec<ChangedFile> {
        let mut edits: HashMap<PathBuf, Vec<States>> = HashMap::new();
        for entry in self.entries.iter().filter(|entry| !entry.beside.watched) {
            for file in &entry.files {
                for (path, states) in steps(file) {
                    edits.entry(path).or_default().push(states);
                }
            }
        }
        let rest = |file: ChangedFile| match edits.get(&file.path) {
            None => Some(file),
            Some(edits) => without(file, edits),
        };
        files.into_iter().filter_map(rest).collect()
    }
}

/// What an edit did to each of its paths.
fn steps(file: &ChangedFile) -> Vec<(PathBuf, States)> {
    match &file.moved_from {
        None => vec![(file.path.clone(), (file.before.clone(), file.after.clone()))],
        Some(from) => vec![
            (from.clone(), (file.before.clone(), None)),
            (file.path.clone(), (None, file.after.clone())),
        ],
    }
}

/// What is left of a change when the edits of the same file are taken out.
fn without(mut file: ChangedFile, edits: &[States]) -> Option<ChangedFile> {
    let ((first, _), (_, last)) = (edits.first()?, edits.last()?);
    if !holds_same(last.as_ref(), file.after.as_ref()) {
        // The command changed what the last edit left.
        if !holds_same(last.as_ref(), file.before.as_ref()) {
            let mode = file.before.as_ref().and_then(|state| state.mode);
            file.before =
                last.clone().map(|state| FileState { mode: state.mode.or(mode), ..state });
        }
        return Some(file);
    }
    if holds_same(first.as_ref(), file.before.as_ref()) {
        return None;
    }
    // It changed the file before the first edit did.
    file.after.clone_from(first);
    Some(file)
}

fn holds_same(one: Option<&FileState>, other: Option<&FileState>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            (&one.hash, one.size, &one.link) == (&other.hash, other.size, &other.link)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(text: &str) -> Option<FileState> {
        let hash = Some(blake3::hash(text.as_bytes()).to_hex().to_string());
        let state = FileState { hash, size: text.len() as u64, mode: None, kept: true, link: None };
        Some(state).filter(|_| !text.is_empty())
    }

    fn left(before: &str, after: &str, edits: &[(&str, &str)]) -> Option<States> {
        let (path, moved_from) = (PathBuf::from("/f"), None);
        let file = ChangedFile { path, moved_from, before: state(before), after: state(after) };
        let edits: Vec<States> =
            edits.iter().map(|(before, after)| (state(before), state(after))).collect();
        without(file, &edits).map(|file| (file.before, file.after))
    }

    #[test]
    fn what_edits_did_is_taken_out() {
        let pair = |before: &str, after: &str| Some((state(before), state(after)));
        assert_eq!(left("a", "b", &[("a", "b")]), None);
        assert_eq!(left("a", "c", &[("a", "b"), ("b", "c")]), None);
        assert_eq!(left("", "b", &[("", "b")]), None);
        assert_eq!(left("a", "", &[("a", "")]), None);
        // The edit first, then the command; and the other way round.
        assert_eq!(left("a", "c", &[("a", "b")]), pair("b", "c"));
        assert_eq!(left("a", "c", &[("b", "c")]), pair("a", "b"));
        // An edit that was made just before the first look.
        assert_eq!(left("b", "c", &[("a", "b")]), pair("b", "c"));
        assert_eq!(left("", "c", &[("", "b")]), pair("b", "c"));
    }
}
