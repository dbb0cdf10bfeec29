//! Grants: what a person allowed or denied beyond one call.
//!
//! Permanent ones are sealed in the state folder and hold in the workspace where they were given;
//! those of a session live in memory and belong to one principal. A store that was changed or
//! cannot be read means that there are no permanent grants; it is never overwritten silently.

mod session;
mod stored;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use dogu_tool::Principal;

use crate::sealed::{SealError, SealProblem, Sealed};
use crate::state::StateDir;
use session::Sessions;
use stored::Book;
pub use stored::{GrantVerdict, NewGrant, StoredGrant};

/// How many permanent grants there may be.
pub const MAX_PERMANENT_GRANTS: usize = 10_000;
/// How many grants one session may have.
pub const MAX_SESSION_GRANTS: usize = 1_000;
/// How many bytes the rule of a grant may have.
pub const MAX_RULE_BYTES: usize = 64 * 1024;

/// The command that starts again with no permanent grants.
const RESET_WITH: &str = "dogu policy grants reset";

/// All grants that this process knows.
#[derive(Debug)]
pub struct GrantStore {
    permanent: Sealed<Book>,
    shown: Mutex<Option<Shown>>,
    sessions: Sessions,
}

/// The grants of one workspace, taken out of a book; kept for the next decision.
#[derive(Debug)]
struct Shown {
    book: Arc<Book>,
    workspace: PathBuf,
    grants: Arc<[StoredGrant]>,
}

impl GrantStore {
    /// The store of a state folder, with its key in the folder of the user's settings. Never
    /// fails: what is wrong with it is a [`problem`](Self::problem), and means no grants.
    pub fn open(state: &StateDir, config: &Path) -> Self {
        Self {
            permanent: Sealed::new("grants", state, config, RESET_WITH),
            shown: Mutex::new(None),
            sessions: Sessions::default(),
        }
    }

    /// The permanent grants of a workspace, given by its real path, as they are now: what another
    /// process has changed is seen at the next call.
    pub fn permanent(&self, workspace: &Path) -> Arc<[StoredGrant]> {
        let book = self.permanent.read();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shown) = &*shown
            && Arc::ptr_eq(&shown.book, &book)
            && shown.workspace == workspace
        {
            return Arc::clone(&shown.grants);
        }
        let grants: Arc<[StoredGrant]> = book.of(workspace).cloned().collect();
        let workspace = workspace.to_owned();
        *shown = Some(Shown { book, workspace, grants: Arc::clone(&grants) });
        grants
    }

    /// The grants of a session.
    pub fn session(&self, principal: &Principal) -> Arc<[StoredGrant]> {
        self.sessions.of(principal)
    }

    /// Gives a grant for the rest of a session; the same one twice is one.
    pub fn add_session(
        &self,
        principal: &Principal,
        grant: NewGrant,
    ) -> Result<StoredGrant, SealError> {
        check(&grant)?;
        self.sessions.add(principal, grant, now())
    }

    /// Gives a grant for good; the same one twice is one.
    pub fn add_permanent(&self, mut grant: NewGrant) -> Result<StoredGrant, SealError> {
        check(&grant)?;
        let real = grant.workspace.canonicalize();
        grant.workspace = real.map_err(|source| SealError::Io {
            doing: "resolve",
            path: grant.workspace.clone(),
            source,
        })?;
        self.permanent.change(|book| book.add(grant, now()))
    }

    /// Takes a grant back by its id. Says whether there was one.
    pub fn revoke(&self, id: &str) -> Result<bool, SealError> {
        if self.sessions.revoke(id) {
            return Ok(true);
        }
        // Nothing to take back changes nothing, unless the store is spoiled, which is said.
        if self.permanent.problem().is_none() && !self.permanent.read().has(id) {
            return Ok(false);
        }
        self.permanent.change(|book| Ok(book.remove(id)))
    }

    /// All permanent grants, of all workspaces.
    pub fn list(&self) -> Vec<StoredGrant> {
        self.permanent.read().all().to_vec()
    }

    /// The grants of all sessions of this process.
    pub fn list_sessions(&self) -> Vec<(Principal, StoredGrant)> {
        self.sessions.list()
    }

    /// Forgets what was granted to a session that is over.
    pub fn end_session(&self, principal: &Principal) {
        self.sessions.end(principal);
    }

    /// Why there are no permanent grants, if something is wrong with the store.
    pub fn problem(&self) -> Option<SealProblem> {
        self.permanent.problem()
    }

    /// The same, but each problem once only: for whoever tells the user.
    pub fn new_problem(&self) -> Option<SealProblem> {
        self.permanent.new_problem()
    }

    /// Starts again with no permanent grants, whatever is wrong with the store.
    pub fn reset(&self) -> Result<(), SealError> {
        self.permanent.reset()
    }
}

fn check(grant: &NewGrant) -> Result<(), SealError> {
    let refused = |reason: &str| Err(SealError::Content { reason: reason.to_owned() });
    match grant.rule.len() {
        0 => refused("the rule is empty"),
        length if length > MAX_RULE_BYTES => refused("the rule is too long"),
        _ => Ok(()),
    }
}

/// Seconds since 1970; a clock before that is at its beginning.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}
