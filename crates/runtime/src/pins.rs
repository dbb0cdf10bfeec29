//! What tools of other servers looked like when they were last let run.
//!
//! A server can change its tools at any time. What a person allowed was the tool as it was
//! described then, so a tool that looks different now asks again, and says what is new.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::sealed::{SealError, SealProblem, Sealed};
use crate::state::StateDir;

/// How many tools are remembered.
const MAX_PINS: usize = 10_000;
/// The command that starts again with nothing remembered.
const RESET_WITH: &str = "dogu mcp reset";

/// What a tool looked like: its parts by name, such as `description`. Parts are kept short by
/// whoever makes them; each has the hash of the whole in front.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// The parts.
    pub parts: BTreeMap<String, PinnedPart>,
}

/// One part of a tool's looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedPart {
    /// The hash of all of it.
    pub hash: String,
    /// The beginning of it, for people.
    pub shown: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    /// By server, then by tool.
    pins: BTreeMap<String, BTreeMap<String, Pin>>,
}

/// Where the looks of tools are kept.
#[derive(Debug)]
pub struct PinStore(Kept);

#[derive(Debug)]
enum Kept {
    OnDisk(Box<Sealed<Book>>),
    InMemory(Mutex<Book>),
}

impl PinStore {
    /// The pins of a state folder, with their key in the folder of the user's settings.
    pub fn open(state: &StateDir, config: &Path) -> Self {
        Self(Kept::OnDisk(Box::new(Sealed::new("pins", state, config, RESET_WITH))))
    }

    /// Pins that nothing outlives: where there is no state folder.
    pub fn in_memory() -> Self {
        Self(Kept::InMemory(Mutex::default()))
    }

    /// What a tool looked like, if it ever ran.
    pub fn get(&self, server: &str, tool: &str) -> Option<Pin> {
        let find = |book: &Book| book.pins.get(server)?.get(tool).cloned();
        match &self.0 {
            Kept::OnDisk(sealed) => find(&sealed.read()),
            Kept::InMemory(book) => find(&book.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Remembers what a tool looks like now.
    pub fn put(&self, server: &str, tool: &str, pin: Pin) -> Result<(), SealError> {
        if self.get(server, tool).as_ref() == Some(&pin) {
            return Ok(());
        }
        self.change(|book| book.put(server, tool, pin))
    }

    /// Forgets all tools of a server.
    pub fn forget(&self, server: &str) -> Result<(), SealError> {
        self.change(|book| {
            book.pins.remove(server);
            Ok(())
        })
    }

    /// Why nothing is remembered, if something is wrong with what is stored.
    pub fn problem(&self) -> Option<SealProblem> {
        match &self.0 {
            Kept::OnDisk(sealed) => sealed.problem(),
            Kept::InMemory(_) => None,
        }
    }

    /// Starts again with nothing remembered, whatever is wrong with what is stored.
    pub fn reset(&self) -> Result<(), SealError> {
        match &self.0 {
            Kept::OnDisk(sealed) => sealed.reset(),
            Kept::InMemory(_) => self.change(|book| {
                book.pins.clear();
                Ok(())
            }),
        }
    }

    fn change(
        &self,
        change: impl FnOnce(&mut Book) -> Result<(), SealError>,
    ) -> Result<(), SealError> {
        match &self.0 {
            Kept::OnDisk(sealed) => sealed.change(change),
            Kept::InMemory(book) => {
                change(&mut book.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }
}

impl Book {
    fn put(&mut self, server: &str, tool: &str, pin: Pin) -> Result<(), SealError> {
        let all: usize = self.pins.values().map(BTreeMap::len).sum();
        let tools = self.pins.entry(server.to_owned()).or_default();
        if all >= MAX_PINS && !tools.contains_key(tool) {
            return Err(SealError::TooMany { most: MAX_PINS, what: "tools of servers" });
        }
        tools.insert(tool.to_owned(), pin);
        Ok(())
    }
}

impl Pin {
    /// The names of the parts that differ, in order.
    pub fn differing<'a>(&'a self, now: &'a Self) -> Vec<&'a str> {
        let hash = |pin: &'a Self, name: &str| pin.parts.get(name).map(|part| &part.hash);
        let names: std::collections::BTreeSet<&str> =
            self.parts.keys().chain(now.parts.keys()).map(String::as_str).collect();
        names.into_iter().filter(|name| hash(self, name) != hash(now, name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(parts: &[(&str, &str)]) -> Pin {
        let part = |text: &str| PinnedPart { hash: text.to_owned(), shown: text.to_owned() };
        Pin { parts: parts.iter().map(|(name, text)| ((*name).to_owned(), part(text))).collect() }
    }

    #[test]
    fn what_was_pinned_is_there_for_the_next_process() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("state")).unwrap();
        let config = folder.path().join("config");
        let looks = pin(&[("description", "adds")]);
        PinStore::open(&state, &config).put("s", "add", looks.clone()).unwrap();
        let again = PinStore::open(&state, &config);
        assert_eq!(again.get("s", "add"), Some(looks));
        assert_eq!(again.get("s", "sub"), None);
        assert_eq!(again.get("t", "add"), None);
        again.forget("s").unwrap();
        assert_eq!(again.get("s", "add"), None);
    }

    #[test]
    fn what_others_wrote_is_a_problem_and_no_pin() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("state")).unwrap();
        let config = folder.path().join("config");
        let store = PinStore::open(&state, &config);
        store.put("s", "add", pin(&[("description", "adds")])).unwrap();
        let file = state.path().join("pins.sealed");
        let text = std::fs::read_to_string(&file).unwrap().replace("adds", "mine");
        std::fs::write(&file, text).unwrap();
        assert_eq!(store.get("s", "add"), None);
        assert!(store.problem().is_some());
        assert!(store.put("s", "add", Pin::default()).is_err());
        store.reset().unwrap();
        assert_eq!(store.problem(), None);
    }

    #[test]
    fn the_parts_that_differ_are_named() {
        let before = pin(&[("description", "a"), ("schema", "s"), ("title", "t")]);
        let after = pin(&[("description", "b"), ("schema", "s"), ("place", "p")]);
        assert_eq!(before.differing(&after), ["description", "place", "title"]);
        assert_eq!(before.differing(&before), [""; 0]);
    }
}
