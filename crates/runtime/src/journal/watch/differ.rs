//! What is another one than before.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use dogu_tool::{CancelFlag, FileKind, FileStamp, ToolError};

use super::super::entry::{ChangedFile, FileState, Uncovered};
use super::super::text::to_hex;
use super::look::{Bound, Sight, look};
use super::read::{BEHIND, Much, Now, look_at};
use super::steering::{Known, Made, Steering};
use super::table::{Record, What};
use super::why::{NotCovered, Why};
use super::{Before, Was};
use crate::files::{facts_of, stat_real};

/// With these come and go the rules of what is covered.
const RULES: [&str; 4] = [".gitignore", ".ignore", ".doguignore", ".rooignore"];
/// More threads than this only wait for the disk.
const MAX_THREADS: usize = 4;

/// What changed.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) files: Vec<ChangedFile>,
    /// Folders that were made, the outermost first.
    pub(super) folders: Vec<PathBuf>,
    /// Folders that are not there any more, the outermost first.
    pub(super) removed_folders: Vec<PathBuf>,
    pub(super) not_covered: NotCovered,
    /// What steers others and was not there.
    pub(super) made: Vec<Made>,
}

/// The files of a look, by path.
type Stamps<'a> = HashMap<&'a OsStr, FileStamp>;

/// A file that may have changed.
struct Candidate {
    path: Arc<OsStr>,
    was: Option<Was>,
}

/// What became of it.
enum Found {
    Same,
    Changed(Box<ChangedFile>),
    Not(Why),
}

/// Looks at all again, and says what differs.
pub(super) fn differ(before: &Before, end: Instant) -> Result<Differences, ToolError> {
    let known = |path: &OsStr| before.files.get_key_value(path).map(|(path, _)| Arc::clone(path));
    let unknown = before.journal.bounds.watched_files;
    let sight = look(&before.roots, &known, &Bound { unknown, end, cancel: &CancelFlag::new() })?;
    let mut differences = Differences::default();
    differences.not_covered.files.clone_from(&before.counts);
    before.secrets_changed(&sight, &mut differences.not_covered);
    let now: Stamps<'_> = sight.files.iter().map(|file| (&*file.path, file.stamp)).collect();
    let same_rules = before.has_same_rules(&sight, &now);
    let candidates = before.candidates(&sight, &now, same_rules, &mut differences.not_covered);
    differences.made = before.steering_made(&sight, same_rules);
    let found = in_parallel(&candidates, end, |candidate| before.find(candidate));
    for (candidate, found) in candidates.iter().zip(found) {
        match found.unwrap_or(Found::Not(Why::NoTime)) {
            Found::Same => {}
            Found::Changed(file) => differences.files.push(*file),
            Found::Not(why) => differences.not_covered.change(uncovered(&candidate.path, why)),
        }
    }
    if let Some(why) =
        [Why::NoTime, Why::TooMany].into_iter().find(|why| sight.counts.contains_key(why))
    {
        // What is new and was not looked at is not known by name.
        *differences.not_covered.changes.entry(why).or_default() += sight.counts[&why];
    }
    differences.files.sort_by(|one, other| one.path.cmp(&other.path));
    before.folders_changed(sight, &mut differences);
    Ok(differences)
}

impl Before {
    /// The stamp of a file that was seen.
    fn stamp(&self, path: &OsStr, was: Was) -> Option<FileStamp> {
        match was {
            Was::Covered => self.record(path).map(|record| record.stamp),
            Was::Not(stamp, _) => Some(stamp),
        }
    }

    /// Files whose stamp is another one, or may be that of another content.
    fn candidates(
        &self,
        sight: &Sight,
        now: &Stamps<'_>,
        same_rules: bool,
        not_covered: &mut NotCovered,
    ) -> Vec<Candidate> {
        let is_same = |path: &OsStr, was: Was| {
            let settled = match was {
                Was::Covered => self.record(path).is_some_and(|record| record.settled),
                Was::Not(..) => true,
            };
            settled && now.get(path).copied() == self.stamp(path, was)
        };
        let changed = self.files.iter().filter(|(path, was)| !is_same(path, **was));
        let mut candidates: Vec<Candidate> = changed
            .map(|(path, was)| Candidate { path: Arc::clone(path), was: Some(*was) })
            .collect();
        let why = self.not_seen_because(same_rules);
        for file in sight.files.iter().filter(|file| !self.files.contains_key(&file.path)) {
            match why {
                None => candidates.push(Candidate { path: Arc::clone(&file.path), was: None }),
                // What nothing happened to since was there before, and was not looked at.
                Some(_) if file.stamp.changed < self.begun - BEHIND => {}
                Some(why) => not_covered.change(uncovered(&file.path, why)),
            }
        }
        candidates
    }

    /// What steers others and was not there.
    fn steering_made(&self, sight: &Sight, same_rules: bool) -> Vec<Made> {
        let known = Known {
            roots: &self.roots,
            steering: &self.steering,
            folders: &self.folders,
            same_rules,
            begun: self.begun,
        };
        known.made(&Steering::of(sight, &self.roots))
    }

    /// What is ignored is said by the same files.
    fn has_same_rules(&self, sight: &Sight, now: &Stamps<'_>) -> bool {
        let is_rule = |path: &OsStr| {
            let name = Path::new(path).file_name().and_then(OsStr::to_str);
            name.is_some_and(|name| RULES.contains(&name))
        };
        let rules_before: HashMap<&OsStr, Option<FileStamp>> = (self.files.iter())
            .filter(|(path, _)| is_rule(path))
            .map(|(path, was)| (&**path, self.stamp(path, *was)))
            .collect();
        let rules_now: HashMap<&OsStr, Option<FileStamp>> = (now.iter())
            .filter(|(path, _)| is_rule(path))
            .map(|(path, stamp)| (*path, Some(*stamp)))
            .collect();
        let stores_now: HashSet<&PathBuf> = sight.stores.iter().collect();
        let same_stores = self.stores.iter().collect::<HashSet<_>>() == stores_now;
        rules_before == rules_now && same_stores
    }

    /// Why a file that was not seen before may have been there; none where it was not.
    fn not_seen_because(&self, same_rules: bool) -> Option<Why> {
        match (self.complete, same_rules) {
            (true, true) => None,
            (true, false) => Some(Why::Ignored),
            (false, _) if self.counts.contains_key(&Why::TooMany) => Some(Why::TooMany),
            (false, _) => Some(Why::NoTime),
        }
    }

    /// What became of a file.
    fn find(&self, candidate: &Candidate) -> Found {
        let path = &candidate.path;
        let record = match candidate.was {
            None => None,
            Some(Was::Not(stamp, why)) => {
                let same = self.stamp_now(path) == Some(stamp);
                return if same { Found::Same } else { Found::Not(why) };
            }
            Some(Was::Covered) => match self.record(path) {
                Some(record) => Some(record),
                None => return Found::Not(Why::Lost),
            },
        };
        let much = Much { largest: self.journal.file_bytes(), content: false };
        let after = match look_at(&self.roots, path, much) {
            Now::Nothing | Now::Folder => None,
            Now::Link(_, target) => Some(FileState::of_link(target)),
            Now::Unknown(why) => return Found::Not(why),
            Now::File(file) if self.was_secret(&file.stamp) => return Found::Not(Why::Secret),
            // Whether it is still the same when it is to be removed nobody could tell.
            Now::File(file) if file.hash.is_none() && record.is_none() => {
                return Found::Not(Why::TooLarge);
            }
            Now::File(file) => Some(FileState {
                hash: file.hash.map(|hash| hash.to_hex().to_string()),
                size: file.stamp.size,
                mode: Some(file.mode),
                // Taking it back keeps it, so that that can be taken back.
                kept: false,
                link: None,
            }),
        };
        let before = record.map(state_of);
        if is_same(before.as_ref(), after.as_ref()) {
            return Found::Same;
        }
        let path = PathBuf::from(path);
        Found::Changed(Box::new(ChangedFile { path, moved_from: None, before, after }))
    }

    /// A file that held secrets has this name now.
    fn was_secret(&self, stamp: &FileStamp) -> bool {
        let id = (stamp.device, stamp.inode);
        self.secrets.values().any(|secret| (secret.device, secret.inode) == id)
    }

    fn stamp_now(&self, path: &OsStr) -> Option<FileStamp> {
        stat_real(&self.roots, Path::new(path)).ok().map(|stat| facts_of(&stat).stamp)
    }

    /// Names the files of secrets that changed.
    fn secrets_changed(&self, sight: &Sight, not_covered: &mut NotCovered) {
        let now: HashMap<&OsStr, FileStamp> =
            sight.secrets.iter().map(|(path, stamp)| (&**path, *stamp)).collect();
        for (path, was) in &self.secrets {
            let is = now.get(&**path).copied().or_else(|| self.stamp_now(path));
            if is != Some(*was) {
                not_covered.change(uncovered(path, Why::Secret));
            }
        }
        for (path, stamp) in &sight.secrets {
            if !self.secrets.contains_key(path) && stamp.changed >= self.begun - BEHIND {
                not_covered.change(uncovered(path, Why::Secret));
            }
        }
    }

    fn folders_changed(&self, sight: Sight, differences: &mut Differences) {
        let now: HashSet<PathBuf> = sight.folders.into_iter().collect();
        if self.complete {
            differences.folders = now.difference(&self.folders).cloned().collect();
        }
        let is_folder = |path: &Path| {
            stat_real(&self.roots, path).is_ok_and(|stat| facts_of(&stat).kind == FileKind::Folder)
        };
        let gone = self.folders.difference(&now).filter(|path| !is_folder(path));
        differences.removed_folders = gone.cloned().collect();
        differences.folders.sort();
        differences.removed_folders.sort();
    }
}

/// A covered file as an entry has it.
pub(super) fn state_of(record: &Record) -> FileState {
    match &record.what {
        What::Link(target) => FileState::of_link(target.to_path_buf()),
        What::File { hash, .. } => FileState {
            hash: Some(to_hex(hash)),
            size: record.stamp.size,
            mode: Some(record.mode),
            kept: true,
            link: None,
        },
    }
}

fn is_same(before: Option<&FileState>, after: Option<&FileState>) -> bool {
    match (before, after) {
        (None, None) => true,
        (Some(before), Some(after)) => {
            (&before.hash, before.mode, &before.link) == (&after.hash, after.mode, &after.link)
        }
        _ => false,
    }
}

fn uncovered(path: &OsStr, why: Why) -> Uncovered {
    Uncovered { path: path.into(), why }
}

/// Does something with each, on a few threads; none for those that were not reached in time.
fn in_parallel<T: Sync, R: Send>(
    all: &[T],
    end: Instant,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        while Instant::now() < end {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(number) else { break };
            done.push((number, work(one)));
        }
        done
    };
    let cores = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let threads = if all.len() < 8 { 1 } else { cores };
    let mut answers: Vec<Option<R>> = all.iter().map(|_| None).collect();
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(some)).collect();
        let mut done = some();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        for (number, answer) in done {
            answers[number] = Some(answer);
        }
    });
    answers
}
