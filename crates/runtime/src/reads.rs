//! What each caller last saw of each file, so that an edit can tell that the file changed since.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use dogu_tool::{Principal, Seen};

/// How many files are remembered of one caller; the one that was seen first is forgotten.
const MAX_FILES: usize = 20_000;
/// How many callers are remembered.
const MAX_CALLERS: usize = 1_000;

/// The files that were read, by who read them.
#[derive(Debug, Default)]
pub(crate) struct ReadLog {
    callers: Mutex<HashMap<Caller, Files>>,
}

/// A principal in a session: nobody is told what another one saw.
type Caller = (String, String);

#[derive(Debug, Default)]
struct Files {
    seen: HashMap<PathBuf, (u64, Seen)>,
    /// Counts up, to know which came first.
    clock: u64,
}

impl ReadLog {
    /// Remembers what a caller saw of a real path.
    pub(crate) fn remember(&self, who: &Principal, real: &Path, seen: Seen) {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= MAX_CALLERS && !callers.contains_key(&caller(who)) {
            callers.clear();
        }
        callers.entry(caller(who)).or_default().add(real, seen);
    }

    /// What a caller last saw of a real path.
    pub(crate) fn last_seen(&self, who: &Principal, real: &Path) -> Option<Seen> {
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.get(&caller(who))?.seen.get(real).map(|(_, seen)| *seen)
    }
}

fn caller(who: &Principal) -> Caller {
    (who.id().to_owned(), who.session().to_owned())
}

impl Files {
    fn add(&mut self, real: &Path, seen: Seen) {
        self.clock += 1;
        self.seen.insert(real.to_path_buf(), (self.clock, seen));
        if self.seen.len() > MAX_FILES {
            // A quarter at once, so that not every further file looks through all of them.
            let oldest_kept = self.clock - (MAX_FILES as u64 / 4 * 3);
            self.seen.retain(|_, (at, _)| *at >= oldest_kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use dogu_tool::FileStamp;

    use super::*;

    fn seen(size: u64) -> Seen {
        Seen { hash: None, stamp: FileStamp { size, ..FileStamp::default() } }
    }

    #[test]
    fn each_caller_has_files_of_its_own() {
        let log = ReadLog::default();
        let (one, two) = (Principal::token("a", "s"), Principal::token("a", "other session"));
        log.remember(&one, Path::new("/f"), seen(1));
        log.remember(&one, Path::new("/f"), seen(2));
        assert_eq!(log.last_seen(&one, Path::new("/f")), Some(seen(2)));
        assert_eq!(log.last_seen(&two, Path::new("/f")), None);
        assert_eq!(log.last_seen(&one, Path::new("/g")), None);
    }

    #[test]
    fn the_oldest_are_forgotten_and_the_newest_never() {
        let (log, who) = (ReadLog::default(), Principal::process("s"));
        for n in 0..(MAX_FILES as u64 * 2) {
            let path = PathBuf::from(format!("/{n}"));
            log.remember(&who, &path, seen(n));
            assert_eq!(log.last_seen(&who, &path), Some(seen(n)));
        }
        assert_eq!(log.last_seen(&who, Path::new("/0")), None);
    }
}
