//! After a command: what it changed, as an entry of the journal.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dogu_tool::ToolError;
use serde::Serialize;

use super::super::entry::{Beside, ChangedBy, ChangedFile, Entry, FileState, Uncovered};
use super::aside::{Aside, SteeringMade};
use super::baseline::Running;
use super::differ::{Differences, differ};
use super::own::Meanwhile;
use super::packs;
use super::table::What;
use super::why::{NotCovered, Why};
use super::{Before, failed};

/// How long the second look and what it reads may take. What a command did is worth waiting for.
const LIMIT: Duration = Duration::from_secs(5);

/// What changed while a command ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CommandChanges {
    /// The entry that `dogu undo` takes back; none where nothing changed that it could.
    pub entry: Option<String>,
    /// The files of that entry, by path.
    pub changed: Vec<CommandChange>,
    /// What is not in the entry, and what would not have been.
    pub not_covered: NotCovered,
    /// Another command ran at the same time: some of this may be its work.
    pub overlapped: bool,
    /// What was made that steers others.
    pub steering: SteeringMade,
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandChange {
    /// Its real path.
    pub path: PathBuf,
    /// What happened to it.
    pub how: ChangeKind,
}

/// What happened to a file. One that was moved was deleted in one place and created in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It was not there.
    Created,
    /// Its content or its mode is another one, or it became a link, or was one.
    Changed,
    /// It is not there.
    Deleted,
}

impl CommandChange {
    fn of(file: &ChangedFile) -> Self {
        let how = match (&file.before, &file.after) {
            (None, _) => ChangeKind::Created,
            (_, None) => ChangeKind::Deleted,
            _ => ChangeKind::Changed,
        };
        Self { path: file.path.clone(), how }
    }
}

impl Before {
    /// Looks again, and writes down what changed. Blocks; takes five seconds at most, and what
    /// must be copied.
    pub fn finish(mut self, by: &ChangedBy) -> Result<CommandChanges, ToolError> {
        let mut differences = differ(&self, Instant::now() + LIMIT)?;
        let meanwhile =
            Meanwhile::since(&self.journal, self.begun).map_err(|error| failed(&error))?;
        differences.files = meanwhile.take_out(differences.files);
        let overlapped = self.running.take().is_some_and(Running::end) || meanwhile.has_command();
        let steering = self.put_aside(&mut differences, &meanwhile, by, overlapped);
        let unswept = self.journal.open()?;
        self.keep(&mut differences).map_err(|error| failed(&error))?;
        let first = meanwhile.first_of(&by.call);
        let (journal, roots) = (self.journal, self.roots);
        let changed: Vec<_> = differences.files.iter().map(CommandChange::of).collect();
        let not_covered = differences.not_covered.clone();
        let mut entry = None;
        if !differences.files.is_empty() {
            let (id, time) = journal.next_id()?;
            let roots = roots.real_paths().map(Path::to_path_buf).collect();
            let of =
                Entry { first, ..entry_of(id.clone(), time, by, roots, differences, overlapped) };
            journal.write_entry(&of).map_err(|error| failed(&error))?;
            entry = Some(id);
        }
        drop(unswept);
        journal.sweep_if_due();
        Ok(CommandChanges { entry, changed, not_covered, overlapped, steering })
    }

    /// Puts aside what steers others and nobody approved; that is no change of the command's then.
    fn put_aside(
        &self,
        differences: &mut Differences,
        meanwhile: &Meanwhile,
        by: &ChangedBy,
        overlapped: bool,
    ) -> SteeringMade {
        differences.made.retain(|made| !meanwhile.has_edited(&made.path));
        let aside = Aside {
            journal: &self.journal,
            roots: &self.roots,
            by,
            may_make: &self.may_make,
            not_because: match (overlapped, self.steering.is_complete()) {
                (true, _) => Some("another command ran at the same time, which may have made it"),
                (_, false) => Some("nobody knows whether it was there before"),
                (false, true) => None,
            },
        };
        let steering = aside.put(&differences.made);
        differences.files.retain(|file| !steering.put_aside.contains(&file.path));
        steering
    }

    /// Takes what was in changed files over to the contents of the journal.
    fn keep(&self, differences: &mut Differences) -> io::Result<()> {
        let mut lost = Vec::new();
        for file in &differences.files {
            if !self.keep_one(file)? {
                lost.push(file.path.clone());
            }
        }
        differences.files.retain(|file| !lost.contains(&file.path));
        for path in lost {
            differences.not_covered.change(Uncovered { path, why: Why::Lost });
        }
        Ok(())
    }

    /// False where it is not there any more.
    fn keep_one(&self, file: &ChangedFile) -> io::Result<bool> {
        let Some(FileState { hash: Some(hash), size, .. }) = &file.before else { return Ok(true) };
        // An edit made meanwhile has kept what it left.
        if self.journal.blobs().path(hash).exists() {
            return Ok(true);
        }
        let record = self.record(file.path.as_os_str());
        let content = match record.map(|record| &record.what) {
            Some(What::File { at, .. }) => packs::read(&self.baseline.packs, *at, *size),
            _ => None,
        };
        let (Some(content), Ok(hash)) = (content, blake3::Hash::from_hex(hash)) else {
            return Ok(false);
        };
        self.journal.keep(hash, &mut &content[..], false)
    }
}

fn entry_of(
    id: String,
    time: String,
    by: &ChangedBy,
    roots: Vec<PathBuf>,
    differences: Differences,
    overlapped: bool,
) -> Entry {
    Entry {
        id,
        time,
        by: by.clone(),
        roots,
        files: differences.files,
        folders: differences.folders,
        first: None,
        undoes: None,
        undoes_one_file: false,
        conflicts: Vec::new(),
        beside: Beside {
            watched: true,
            put_aside: false,
            overlapped,
            removed_folders: differences.removed_folders,
            not_covered: differences.not_covered.named,
        },
    }
}
