//! What commands do to files.
//!
//! A program is not asked what it changes. So before it starts the workspace's files are stored,
//! as far as they are not since the last time, and after it has ended all is looked at again:
//! what differs is an entry of the journal, which `dogu undo` takes back as it does an edit.
//!
//! ```text
//! <state>/journal/watch/<workspace>/table     each covered file: its stamp, mode, hash and place
//! <state>/journal/watch/<workspace>/*.pack    what they hold, one after the other
//! <state>/journal/watch/<workspace>/lock      held by whoever stores
//! <state>/journal/watch/<workspace>/running   held, shared, while commands run
//! ```
//!
//! 1. `look`: a walk, as tools make it, that asks for nothing but stamps. What git ignores, what
//!    agents are shut out of and what may hold secrets is not covered.
//! 2. `cover`: files whose stamp (device, inode, size, times) is not the one in the table are read
//!    and appended to a pack. Where nothing changed nothing is read.
//! 3. The command runs.
//! 4. `differ`: another look; where a stamp is another one, what is there is read. `own` takes out
//!    what dogu's own edits did meanwhile. What was there goes from the pack to the journal's
//!    contents, and the entry is written (`finish`).
//! 5. What steers others (`steering`) and came to exist is named, and put aside where nobody
//!    approved it (`aside`).
//!
//! What is stored here has a budget of its own, so that a large workspace does not push out the
//! history of edits; only what a command did change comes into that. The cost is a second copy of
//! the workspace's covered files on the disk, at most [`Bounds::watched_bytes`](super::Bounds) for
//! each workspace, as plain bytes, which only their owner may read.
//!
//! Nothing here tells who changed a file. What somebody saves in an editor while a command runs
//! counts as the command's, and where two commands run at once each has what changed between its
//! beginning and its end; that they overlapped is said.
//!
//! Whatever ends between the two looks leaves nothing that must be repaired: the table names what
//! was stored before it was written, a pack may have a piece at its end that nobody needs, and a
//! command without a second look has no entry.

mod aside;
mod baseline;
mod cover;
mod differ;
mod finish;
mod look;
mod own;
mod packs;
mod read;
mod steering;
mod table;
mod why;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_tool::{CancelFlag, FileStamp, ToolError};

pub use self::aside::{MayMake, SteeringMade};
use self::baseline::{Baseline, Home, Running, name_of};
pub(super) use self::baseline::{Baselines, sweep};
use self::cover::Store;
pub use self::finish::{ChangeKind, CommandChange, CommandChanges};
use self::look::{Bound, look};
pub use self::steering::Steering;
pub(crate) use self::steering::look_for_steering;
use self::table::Record;
pub use self::why::{Counts, NotCovered, Why};
use super::Journal;
use crate::files::Roots;

/// The folder of all workspaces, in the state folder.
pub(super) const FOLDER: &str = "journal/watch";

/// A workspace as it was before a command; [`finish`](Self::finish) says what changed since.
#[derive(Debug)]
pub struct Before {
    journal: Journal,
    roots: Arc<Roots>,
    /// When the look began, in nanoseconds since 1970.
    begun: i128,
    /// Held open: what is stored stays readable whoever removes it.
    baseline: Arc<Baseline>,
    /// All files that were seen.
    files: HashMap<Arc<OsStr>, Was>,
    secrets: HashMap<Arc<OsStr>, FileStamp>,
    folders: HashSet<PathBuf>,
    stores: HashSet<PathBuf>,
    steering: Steering,
    may_make: MayMake,
    counts: Counts,
    complete: bool,
    running: Option<Running>,
}

/// A file before a command.
#[derive(Clone, Copy, Debug)]
enum Was {
    /// The baseline has it.
    Covered,
    Not(FileStamp, Why),
}

impl Before {
    /// How many files can be taken back.
    pub fn covered(&self) -> usize {
        self.files.values().filter(|was| matches!(was, Was::Covered)).count()
    }

    /// How many files cannot, by reason.
    pub fn not_covered(&self) -> &Counts {
        &self.counts
    }

    /// What steers others in the workspace.
    pub fn steering(&self) -> &Steering {
        &self.steering
    }

    /// Says what the command may make that steers others: all of it, unless this says otherwise.
    /// The rest is put aside when it has ended.
    pub fn allow(&mut self, may_make: MayMake) {
        self.may_make = may_make;
    }

    /// What is known of a covered file.
    fn record(&self, path: &OsStr) -> Option<&Record> {
        self.baseline.table.get(path)
    }
}

impl Journal {
    /// Stores what a command could change, as far as it is not stored. Returns when the time is
    /// over, or shortly after; what was not reached by then is not covered. Blocks.
    ///
    /// ```no_run
    /// # use std::{sync::Arc, time::Duration};
    /// # use dogu_runtime::{StateDir, files::Roots, journal::{ChangedBy, Journal}};
    /// # use dogu_tool::CancelFlag;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let journal = Journal::new(StateDir::open("/home/me/.local/state/dogu")?);
    /// let roots = Arc::new(Roots::open(&["/home/me/project".into()])?);
    /// let limit = Duration::from_millis(300);
    /// let before = journal.watch_before(&roots, limit, &CancelFlag::new())?;
    /// std::process::Command::new("cargo").args(["fmt"]).status()?;
    /// let changes = before.finish(&ChangedBy { tool: "execute_command".into(), ..ChangedBy::default() })?;
    /// println!("{} files changed; undo with {:?}", changes.changed.len(), changes.entry);
    /// # Ok(())
    /// # }
    /// ```
    pub fn watch_before(
        &self,
        roots: &Arc<Roots>,
        limit: Duration,
        cancel: &CancelFlag,
    ) -> Result<Before, ToolError> {
        // The rest is for writing down what was read.
        let (begun, end) = (read::now(), Instant::now() + limit / 8 * 7);
        drop(self.open()?);
        let folder = self.state.folder(&format!("{FOLDER}/{}", name_of(roots)));
        let folder = folder.map_err(|error| failed(&std::io::Error::other(error)))?;
        let home = Home::new(&self.folder(), folder, &self.baselines);
        let running = home.run();
        let last = home.current();
        let known = |path: &OsStr| last.table.get_key_value(path).map(|(path, _)| Arc::clone(path));
        let unknown = self.bounds.watched_files.saturating_sub(last.table.len() as u64);
        let sight = look(roots, &known, &Bound { unknown, end, cancel })?;
        let steering = Steering::of(&sight, roots);
        let secrets: HashMap<_, _> = sight.secrets.into_iter().collect();
        let store = Store {
            roots,
            home,
            secrets: secrets.values().map(|stamp| (stamp.device, stamp.inode)).collect(),
            file_bytes: self.bounds.watched_file_bytes,
            bytes: self.bounds.watched_bytes,
            end,
        };
        let coverage = store.cover(&sight.files, sight.complete);
        let coverage = coverage.map_err(|error| failed(&error))?;
        let mut counts = sight.counts;
        let mut files: HashMap<_, _> =
            sight.files.into_iter().map(|file| (file.path, Was::Covered)).collect();
        for (file, why) in coverage.not {
            *counts.entry(why).or_default() += 1;
            files.insert(file.path, Was::Not(file.stamp, why));
        }
        Ok(Before {
            journal: self.clone(),
            roots: Arc::clone(roots),
            begun,
            baseline: coverage.baseline,
            files,
            secrets,
            folders: sight.folders.into_iter().collect(),
            stores: sight.stores.into_iter().collect(),
            steering,
            may_make: MayMake::default(),
            counts,
            complete: sight.complete,
            running: Some(running),
        })
    }
}

/// The journal cannot be used. It is the user's to solve, and no call may look there.
fn failed(error: &std::io::Error) -> ToolError {
    let why = match rustix::io::Errno::from_io_error(error) {
        Some(rustix::io::Errno::NOSPC) => "the disk is full".to_owned(),
        _ => error.to_string(),
    };
    ToolError::failed(format!(
        "what the command changes cannot be written to the journal of changes: {why}"
    ))
}
