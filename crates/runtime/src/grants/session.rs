//! Grants of sessions, which end with the process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dogu_tool::Principal;

use super::{MAX_SESSION_GRANTS, NewGrant, StoredGrant};
use crate::sealed::SealError;

/// How many sessions may have grants. None is forgotten to make room: it may hold a no.
const MAX_SESSIONS: usize = 4_096;

/// The grants of all sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    given: u64,
    of: HashMap<Principal, Arc<[StoredGrant]>>,
}

impl Sessions {
    /// The grants of one session.
    pub(super) fn of(&self, principal: &Principal) -> Arc<[StoredGrant]> {
        self.locked().of.get(principal).map(Arc::clone).unwrap_or_default()
    }

    /// Adds a grant, or finds the one that says the same.
    pub(super) fn add(
        &self,
        principal: &Principal,
        grant: NewGrant,
        now: u64,
    ) -> Result<StoredGrant, SealError> {
        let mut inner = self.locked();
        let known = inner.of.get(principal).map(Arc::clone).unwrap_or_default();
        if let Some(known) = known.iter().find(|known| known.says(&grant)) {
            return Ok(known.clone());
        }
        check_room(&inner, principal, known.len())?;
        inner.given += 1;
        let stored = StoredGrant::of(grant, format!("s{}", inner.given), now);
        let grants = known.iter().cloned().chain([stored.clone()]).collect();
        inner.of.insert(principal.clone(), grants);
        Ok(stored)
    }

    /// Removes a grant, whoever has it. Says whether there was one.
    pub(super) fn revoke(&self, id: &str) -> bool {
        let mut inner = self.locked();
        let holder = inner.of.values_mut().find(|grants| grants.iter().any(|grant| grant.id == id));
        let Some(grants) = holder else { return false };
        *grants = grants.iter().filter(|grant| grant.id != id).cloned().collect();
        true
    }

    /// All of them, with whose they are.
    pub(super) fn list(&self) -> Vec<(Principal, StoredGrant)> {
        let inner = self.locked();
        let each = inner.of.iter().flat_map(|(principal, grants)| {
            grants.iter().map(|grant| (principal.clone(), grant.clone()))
        });
        each.collect()
    }

    /// Forgets a session.
    pub(super) fn end(&self, principal: &Principal) {
        self.locked().of.remove(principal);
    }

    fn locked(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check_room(inner: &Inner, principal: &Principal, own: usize) -> Result<(), SealError> {
    if own >= MAX_SESSION_GRANTS {
        return Err(SealError::TooMany {
            most: MAX_SESSION_GRANTS,
            what: "grants of this session",
        });
    }
    if inner.of.len() >= MAX_SESSIONS && !inner.of.contains_key(principal) {
        return Err(SealError::TooMany { most: MAX_SESSIONS, what: "sessions with grants" });
    }
    Ok(())
}
