//! What was changed, by whom, and what was there before: the journal in the state folder.
//!
//! ```text
//! <state>/journal/begun/     changes on their way, one file each
//! <state>/journal/entries/   changes that happened
//! <state>/journal/blobs/     contents before and after, by their hash
//! <state>/journal/watch/     what commands may change, before they do
//! <state>/journal/usage      the last id, how much is kept, when it was last swept
//! <state>/journal/sweep      locked by whoever removes what has expired
//! ```
//!
//! Every change is written down as an intent before it happens, in two stages: before a file is
//! touched, and again when all that is new is on the disk. A process that dies leaves its intent;
//! `recover` removes what it had prepared, or finishes what it had decided. An intent that is done
//! becomes an entry by a rename.
//!
//! Who changes files holds the locks of their paths for as long as the intent is there. So whoever
//! has a lock and sees an intent that needs it knows that its owner is dead.
//!
//! - [`Entry`]: one change, as it is kept; `intent`: one on its way.
//! - `blobs`, `usage`, `store`: the files.
//! - `watch`: what commands change.
//! - `recover`: at the next start; `sweep`: what has expired goes; `history`, `undo`: what is taken back.

mod blobs;
mod entry;
mod history;
mod intent;
mod recover;
mod store;
mod sweep;
pub(crate) mod text;
mod undo;
mod usage;
mod watch;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dogu_tool::ToolError;
use rustix::fs::{FlockOperation, flock};

use self::blobs::Blobs;
pub use self::entry::{Beside, ChangedBy, ChangedFile, Entry, FileState, Uncovered};
pub use self::history::{Listed, Which};
pub(crate) use self::intent::{Intent, Stage};
pub use self::recover::Recovered;
pub use self::undo::{Content, Reversal, UndoPlan, UndoProblem, Undone};
use self::usage::Usage;
use self::watch::Baselines;
pub(crate) use self::watch::look_for_steering;
pub use self::watch::{
    Before, ChangeKind, CommandChange, CommandChanges, Counts, MayMake, NotCovered, Steering,
    SteeringMade, Why,
};
use crate::state::{StateDir, open_private};

/// The folder of the journal, in the state folder.
const FOLDER: &str = "journal";

/// The last of the milliseconds since 1970 that have 13 digits.
const LAST_TIME: u64 = 9_999_999_999_999;

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// A file that is larger is not kept: changing it cannot be undone.
    pub file_bytes: u64,
    /// All contents together; the oldest entries go first.
    pub bytes: u64,
    /// How old an entry may be.
    pub age: Duration,
    /// How many files of a workspace are watched while a command runs.
    pub watched_files: u64,
    /// A file that is larger is not stored before a command: what that does to it cannot be undone.
    pub watched_file_bytes: u64,
    /// What is stored before commands of one workspace, all together; four times that of all
    /// workspaces. The history of changes does not count.
    pub watched_bytes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 20,
            bytes: 1 << 30,
            age: Duration::from_hours(30 * 24),
            watched_files: 50_000,
            watched_file_bytes: 1 << 20,
            watched_bytes: 256 << 20,
        }
    }
}

/// The journal of a state folder. Nothing is made on the disk before the first change.
#[derive(Clone, Debug)]
pub struct Journal {
    state: StateDir,
    bounds: Bounds,
    baselines: Arc<Baselines>,
}

/// While this is held nothing is swept, so that a content which is there stays there.
#[derive(Debug)]
pub(crate) struct Unswept {
    _lock: File,
}

impl Journal {
    /// The journal of a state folder.
    pub fn new(state: StateDir) -> Self {
        Self { state, bounds: Bounds::default(), baselines: Arc::default() }
    }

    /// Keeps more, or less.
    pub fn with_bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// The largest file that is kept.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.bounds.file_bytes
    }

    fn folder(&self) -> PathBuf {
        self.state.path().join(FOLDER)
    }

    fn begun(&self) -> PathBuf {
        self.folder().join("begun")
    }

    fn entries_folder(&self) -> PathBuf {
        self.folder().join("entries")
    }

    fn blobs(&self) -> Blobs {
        Blobs::in_journal(&self.folder())
    }

    /// Makes the folders, and keeps others from sweeping.
    pub(crate) fn open(&self) -> Result<Unswept, ToolError> {
        let folder = self.folder();
        let opened = self.make_folders().and_then(|()| {
            let lock = open_private(&folder.join("sweep"))?;
            flock(&lock, FlockOperation::LockShared)?;
            Ok(Unswept { _lock: lock })
        });
        opened.map_err(store::failed("open", &folder))
    }

    fn make_folders(&self) -> io::Result<()> {
        for name in [FOLDER, "journal/begun", "journal/entries", "journal/blobs"] {
            if !self.state.path().join(name).is_dir() {
                self.state.folder(name).map_err(io::Error::other)?;
            }
        }
        Ok(())
    }

    /// An id that is larger than all before, and the time that it says.
    pub(crate) fn next_id(&self) -> Result<(String, String), ToolError> {
        // Also where the clock went back; not where the number is nonsense.
        let after = |last: u64| if last < LAST_TIME { now().max(last + 1) } else { now() };
        let id = Usage::update(&self.folder(), |usage| usage.last = after(usage.last)).and_then(
            |usage| {
                let digits = getrandom::u32()? & 0x00ff_ffff;
                Ok((format!("{:013}-{digits:06x}", usage.last), time_of(usage.last)))
            },
        );
        id.map_err(store::failed("write to", &self.folder()))
    }

    /// Keeps a content, which must have this hash; false where it has another.
    pub(crate) fn keep(
        &self,
        hash: blake3::Hash,
        content: &mut dyn Read,
        durable: bool,
    ) -> io::Result<bool> {
        let added = self.blobs().keep(hash, content, durable)?;
        if let Some(added @ 1..) = added {
            Usage::update(&self.folder(), |usage| {
                usage.bytes = usage.bytes.saturating_add(added);
            })?;
        }
        Ok(added.is_some())
    }

    /// Writes an entry down, in place of what it was before.
    fn write_entry(&self, entry: &Entry) -> io::Result<()> {
        let path = store::path_of(&self.entries_folder(), &entry.id);
        store::write(&self.folder(), &path, false, |file| {
            Ok(serde_json::to_writer(io::BufWriter::new(file), entry)?)
        })
    }

    /// All entries, the oldest first. One that cannot be read is left out.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let ids = store::ids(&self.entries_folder())?;
        Ok(ids.iter().filter_map(|id| self.read_entry(id)).collect())
    }

    fn read_entry(&self, id: &str) -> Option<Entry> {
        let text = fs::read(store::path_of(&self.entries_folder(), id)).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn time_of(milliseconds: u64) -> String {
    let milliseconds = i64::try_from(milliseconds).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default().to_string()
}
