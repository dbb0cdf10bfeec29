//! The workspace as it was before a command, and what is said of it afterwards.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use dogu_tool::{CancelFlag, ProcessChanges, ToolError};

use super::steering::{told as told_steering, told_beside};
use crate::files::Roots;
use crate::journal::{Before, ChangedBy, CommandChanges, MayMake, Steering, look_for_steering};

/// How many files are named that cannot be taken back.
const MAX_NAMED: usize = 5;
/// How long it may take to look for what steers others when a process has ended.
const LAST_LOOK: Duration = Duration::from_secs(5);

/// What was seen of the workspace before a command.
pub(super) enum Seen {
    Nothing,
    /// All of it, so that the command can be taken back.
    Watched(Box<Watched>),
    /// Only what steers others: the command runs on beside its user.
    Beside(Beside),
}

/// A workspace whose files are stored.
pub(super) struct Watched {
    pub(super) before: Before,
    pub(super) by: ChangedBy,
    pub(super) roots: Arc<Roots>,
}

/// A workspace of which only names were looked at.
pub(super) struct Beside {
    roots: Arc<Roots>,
    steering: Steering,
}

impl Seen {
    pub(super) fn steering(&self) -> Option<&Steering> {
        match self {
            Self::Nothing => None,
            Self::Watched(watched) => Some(watched.before.steering()),
            Self::Beside(beside) => Some(&beside.steering),
        }
    }

    /// Says what the command may make that steers others.
    pub(super) fn allow(&mut self, may_make: MayMake) {
        if let Self::Watched(watched) = self {
            watched.before.allow(may_make);
        }
    }

    /// Looks again, and says what is another one. Blocks.
    pub(super) fn changes(self) -> Option<ProcessChanges> {
        match self {
            Self::Nothing => None,
            Self::Watched(watched) => Some(watched.changes()),
            Self::Beside(beside) => Some(beside.changes()),
        }
    }
}

impl Watched {
    fn changes(self) -> ProcessChanges {
        let roots = real(&self.roots);
        match self.before.finish(&self.by) {
            Ok(changes) => told(&changes, &roots),
            Err(error) => {
                ProcessChanges { not_covered: Some(error.to_string()), ..ProcessChanges::default() }
            }
        }
    }
}

impl Beside {
    pub(super) fn begin(
        roots: Arc<Roots>,
        limit: Duration,
        cancel: &CancelFlag,
    ) -> Result<Self, ToolError> {
        let steering = look_for_steering(&roots, limit, cancel)?;
        Ok(Self { roots, steering })
    }

    fn changes(&self) -> ProcessChanges {
        let now = look_for_steering(&self.roots, LAST_LOOK, &CancelFlag::new());
        let new = match now {
            // What was not seen before may have been there.
            Ok(now) if self.steering.is_complete() => self.steering.new_since(&now),
            _ => Vec::new(),
        };
        let steering = told_beside(&new, &real(&self.roots));
        ProcessChanges { steering, ..ProcessChanges::default() }
    }
}

fn real(roots: &Roots) -> Vec<PathBuf> {
    roots.real_paths().map(Path::to_path_buf).collect()
}

/// What is said of a command's changes.
fn told(changes: &CommandChanges, roots: &[PathBuf]) -> ProcessChanges {
    let lost = &changes.not_covered.changes;
    let count: u64 = lost.values().sum();
    let names: Vec<String> = changes
        .not_covered
        .named
        .iter()
        .take(MAX_NAMED)
        .map(|file| format!("{} ({})", file.path.display(), file.why))
        .collect();
    let not_covered = (count > 0).then(|| {
        let more = if count > names.len() as u64 { " …" } else { "" };
        format!("{count} more changed and cannot be taken back: {}{more}.", names.join(", "))
    });
    ProcessChanges {
        journal: changes.entry.clone(),
        files: changes.changed.len(),
        not_covered,
        steering: told_steering(&changes.steering, roots),
    }
}
