//! What each session searched for and found, so that its next step is shown it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dogu_tool::{Principal, ToolSpec, Toolbox};

use crate::catalog::Catalog;

/// How many sessions are remembered; beyond it an arbitrary one is forgotten.
const MAX_SESSIONS: usize = 4_096;
/// How many tools are remembered of a session; the ones that were found first are forgotten.
const MAX_FOUND: usize = 64;

/// What was found, by who found it.
#[derive(Debug, Default)]
pub(crate) struct Found(Mutex<HashMap<Principal, Session>>);

#[derive(Debug, Default)]
struct Session {
    /// The latest first.
    names: Vec<String>,
    version: u64,
}

impl Found {
    fn lock(&self) -> MutexGuard<'_, HashMap<Principal, Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a principal found, the latest and best first.
    pub(crate) fn of(&self, who: &Principal) -> Vec<String> {
        self.lock().get(who).map(|session| session.names.clone()).unwrap_or_default()
    }

    /// Grows with every change of what a principal found.
    pub(crate) fn version(&self, who: &Principal) -> u64 {
        self.lock().get(who).map_or(0, |session| session.version)
    }

    fn add(&self, who: &Principal, names: &[&str]) {
        let mut sessions = self.lock();
        if sessions.len() >= MAX_SESSIONS
            && !sessions.contains_key(who)
            && let Some(other) = sessions.keys().next().cloned()
        {
            sessions.remove(&other);
        }
        let session = sessions.entry(who.clone()).or_default();
        let mut now: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        now.extend(session.names.iter().filter(|name| !names.contains(&name.as_str())).cloned());
        now.truncate(MAX_FOUND);
        if now != session.names {
            session.names = now;
            session.version += 1;
        }
    }
}

/// The tools of the step that a call belongs to.
pub(crate) struct StepTools {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) found: Arc<Found>,
    pub(crate) who: Principal,
}

impl Toolbox for StepTools {
    fn version(&self) -> u64 {
        self.catalog.version()
    }

    fn specs(&self) -> Box<dyn Iterator<Item = &ToolSpec> + '_> {
        Box::new(self.catalog.callable())
    }

    fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.catalog.spec(name)
    }

    fn is_listed(&self, name: &str) -> bool {
        self.catalog.is_listed(name)
    }

    fn show(&self, names: &[&str]) {
        let new: Vec<&str> =
            names.iter().copied().filter(|name| self.catalog.contains(name)).collect();
        if !new.is_empty() {
            self.found.add(&self.who, &new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_is_first_and_what_is_too_much_is_forgotten() {
        let (found, me) = (Found::default(), Principal::process("me"));
        found.add(&me, &["a", "b"]);
        found.add(&me, &["c", "a"]);
        assert_eq!(found.of(&me), ["c", "a", "b"]);
        assert_eq!(found.version(&me), 2);
        found.add(&me, &["c", "a"]);
        assert_eq!(found.version(&me), 2, "nothing new was found");
        let many: Vec<String> = (0..100).map(|n| format!("t{n}")).collect();
        found.add(&me, &many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(found.of(&me).len(), MAX_FOUND);
        assert!(found.of(&Principal::process("other")).is_empty());
    }

    #[test]
    fn sessions_are_bounded() {
        let found = Found::default();
        for n in 0..MAX_SESSIONS + 10 {
            found.add(&Principal::process(format!("p{n}")), &["a"]);
        }
        assert_eq!(found.lock().len(), MAX_SESSIONS);
    }
}
