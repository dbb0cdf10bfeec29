//! Which workspaces are trusted.
//!
//! Settings, rules, modes, hooks, servers and bundles that come with a workspace can only tighten
//! until its user has trusted it. Trust is remembered by the folder's real path and a hash of the
//! files that those come from; when one of them changes, it is asked for again.
//!
//! What was hashed is what must be used: [`WorkspaceFiles`] holds the very bytes, and whoever
//! loads settings by that trust takes them from there.

mod describe;
mod files;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::sealed::{SealError, SealProblem, Sealed};
use crate::state::StateDir;
pub use files::{MAX_BYTES, MAX_DEPTH, MAX_FILE_BYTES, MAX_FILES, WorkspaceFiles};

/// How many folders may be trusted.
const MAX_FOLDERS: usize = 10_000;
/// The command that starts again with no trusted folders.
const RESET_WITH: &str = "dogu trust reset";

/// How a workspace stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is trusted, as it is now.
    Trusted,
    /// It never was.
    Untrusted,
    /// It was, but what it brings has changed since. It counts as not trusted.
    Changed,
}

/// A folder that was trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedFolder {
    /// Its real path.
    pub path: PathBuf,
    /// The hash of what it brought then.
    pub digest: String,
    /// When it was trusted, in seconds since 1970.
    pub since: u64,
}

/// Why a workspace was not trusted.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// What it brings cannot be known.
    #[error("{} cannot be trusted: {reason}", path.display())]
    Unfit {
        /// The workspace.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// It could not be remembered.
    #[error(transparent)]
    Seal(#[from] SealError),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Folders {
    folders: Vec<TrustedFolder>,
}

/// The trusted workspaces.
#[derive(Debug)]
pub struct Trust(Sealed<Folders>);

impl Trust {
    /// The trust kept in a state folder, with its key in the folder of the user's settings. Never
    /// fails: what is wrong with it is a [`problem`](Self::problem), and means no trust.
    pub fn open(state: &StateDir, config: &Path) -> Self {
        Self(Sealed::new("trust", state, config, RESET_WITH))
    }

    /// How a workspace stands, with the files that it has now.
    pub fn standing(&self, files: &WorkspaceFiles) -> Standing {
        let known = self.0.read();
        match known.folders.iter().find(|folder| folder.path == files.root()) {
            None => Standing::Untrusted,
            Some(folder) if files.unfit().is_none() && folder.digest == files.digest() => {
                Standing::Trusted
            }
            Some(_) => Standing::Changed,
        }
    }

    /// Trusts a workspace with exactly these files.
    pub fn trust(&self, files: &WorkspaceFiles) -> Result<(), TrustError> {
        if let Some(reason) = files.unfit() {
            let path = files.root().to_owned();
            return Err(TrustError::Unfit { path, reason: reason.to_owned() });
        }
        let folder = TrustedFolder {
            path: files.root().to_owned(),
            digest: files.digest().to_owned(),
            since: now(),
        };
        Ok(self.0.change(|known| known.add(folder))?)
    }

    /// Takes trust back; the folder need not exist any more. Says whether it was trusted.
    pub fn revoke(&self, workspace: &Path) -> Result<bool, SealError> {
        let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        let is_it = |folder: &TrustedFolder| folder.path == real || folder.path == workspace;
        // Nothing to take back changes nothing, unless the store is spoiled, which is said.
        if self.0.problem().is_none() && !self.0.read().folders.iter().any(is_it) {
            return Ok(false);
        }
        self.0.change(|known| {
            let before = known.folders.len();
            known.folders.retain(|folder| !is_it(folder));
            Ok(known.folders.len() < before)
        })
    }

    /// All folders that were trusted, as they were then.
    pub fn list(&self) -> Vec<TrustedFolder> {
        self.0.read().folders.clone()
    }

    /// Why nothing is trusted, if something is wrong with what is stored.
    pub fn problem(&self) -> Option<SealProblem> {
        self.0.problem()
    }

    /// The same, but each problem once only: for whoever tells the user.
    pub fn new_problem(&self) -> Option<SealProblem> {
        self.0.new_problem()
    }

    /// Starts again with nothing trusted, whatever is wrong with what is stored.
    pub fn reset(&self) -> Result<(), SealError> {
        self.0.reset()
    }
}

impl Folders {
    fn add(&mut self, folder: TrustedFolder) -> Result<(), SealError> {
        self.folders.retain(|known| known.path != folder.path);
        if self.folders.len() >= MAX_FOLDERS {
            return Err(SealError::TooMany { most: MAX_FOLDERS, what: "trusted folders" });
        }
        self.folders.push(folder);
        Ok(())
    }
}

/// Seconds since 1970; a clock before that is at its beginning.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}
