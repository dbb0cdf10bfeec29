//! What has expired goes: entries by age and, if there is too much, the oldest; then the contents
//! that no entry needs.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};

use super::usage::Usage;
use super::{Journal, now, store, watch};
use crate::state::open_private;

/// How often it is done, where nothing else asks for it.
const EVERY: Duration = Duration::from_hours(24);
/// So much is left of what is allowed, so that not every further change sweeps.
const LEFT_EIGHTHS: u64 = 7;

impl Journal {
    /// Sweeps if it is time. Nobody may hold [`Unswept`](super::Unswept) who waits for this.
    pub(crate) fn sweep_if_due(&self) {
        let Ok(usage) = Usage::update(&self.folder(), |_| {}) else { return };
        let waited = now().saturating_sub(usage.swept);
        if usage.bytes <= self.bounds.bytes && waited < milliseconds(EVERY) {
            return;
        }
        if let Err(error) = self.sweep() {
            tracing::warn!(%error, "the journal of changes could not be swept");
        }
    }

    /// Sweeps, unless somebody is changing files; then the next one will.
    fn sweep(&self) -> io::Result<()> {
        let folder = self.folder();
        let lock = open_private(&folder.join("sweep"))?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Ok(());
        }
        remove_unfinished(&folder)?;
        let mut entries = self.entries()?;
        let oldest = now().saturating_sub(milliseconds(self.bounds.age));
        let expired = entries.iter().take_while(|entry| entry.id < format!("{oldest:013}")).count();
        let mut gone: Vec<_> = entries.drain(..expired).collect();
        let mut bytes = self.drop_unneeded(&entries)?;
        // The first of the rest go until it fits: what they need alone is known only afterwards.
        let allowed = if bytes > self.bounds.bytes {
            self.bounds.bytes / 8 * LEFT_EIGHTHS
        } else {
            self.bounds.bytes
        };
        while bytes > allowed && !entries.is_empty() {
            let batch = entries.len().div_ceil(8);
            gone.extend(entries.drain(..batch));
            bytes = self.drop_unneeded(&entries)?;
        }
        for entry in gone {
            fs::remove_file(store::path_of(&self.entries_folder(), &entry.id))?;
        }
        Usage::update(&folder, |usage| (usage.bytes, usage.swept) = (bytes, now()))?;
        let watched = self.bounds.watched_bytes.saturating_mul(4);
        watch::sweep(&self.state.path().join(watch::FOLDER), self.bounds.age, watched)
    }

    /// Removes contents that neither these entries nor changes on their way need; says how much
    /// is left.
    fn drop_unneeded(&self, entries: &[super::Entry]) -> io::Result<u64> {
        let begun = store::ids(&self.begun())?;
        let begun: Vec<_> =
            begun.iter().filter_map(|id| self.read_intent(id).ok().flatten()).collect();
        let all = entries.iter().chain(begun.iter().map(|intent| &intent.entry));
        let needed: HashSet<&str> = all.flat_map(super::Entry::hashes).collect();
        let mut left = 0;
        for folder in fs::read_dir(self.blobs().folder())? {
            for blob in fs::read_dir(folder?.path())? {
                let blob = blob?;
                if blob.file_name().to_str().is_some_and(|hash| needed.contains(hash)) {
                    left += blob.metadata()?.len();
                } else {
                    fs::remove_file(blob.path())?;
                }
            }
        }
        Ok(left)
    }
}

/// Removes what processes that died were writing. Whoever writes keeps the sweep away.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let old = entry.metadata()?.modified()?;
        let age = SystemTime::now().duration_since(old).unwrap_or_default();
        if name.to_string_lossy().starts_with(store::UNFINISHED) && age > EVERY {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
