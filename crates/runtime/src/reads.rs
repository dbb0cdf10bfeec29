//! What each caller last saw of each file, so that an edit can tell that the file changed since,
//! and what changed.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use dogu_tool::{Principal, Seen};

/// How many files are remembered of one caller; the one that was seen first is forgotten.
const MAX_FILES: usize = 20_000;
/// How many callers are remembered.
const MAX_CALLERS: usize = 1_000;

/// The content of a larger file is not kept, in bytes.
pub(crate) const MAX_CONTENT: u64 = 256 * 1024;
/// How much content is kept of all files together, in bytes; the oldest is forgotten.
const MAX_CONTENTS: usize = 32 * 1024 * 1024;

/// The files that were read, by who read them.
#[derive(Debug, Default)]
pub(crate) struct ReadLog {
    callers: Mutex<HashMap<Caller, Files>>,
    /// Found by its hash, which only those know who saw it.
    contents: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    by_hash: HashMap<[u8; 32], Arc<[u8]>>,
    oldest: VecDeque<[u8; 32]>,
    bytes: usize,
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

impl ReadLog {
    /// Whether the content with this hash is kept.
    pub(crate) fn keeps(&self, hash: &[u8; 32]) -> bool {
        let kept = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_hash.contains_key(hash)
    }

    /// Keeps a content that somebody saw.
    pub(crate) fn keep(&self, hash: [u8; 32], content: &[u8]) {
        let mut kept = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        kept.add(hash, content.into());
    }

    /// The content that a caller last saw of a real path, where it was kept.
    pub(crate) fn last_content(&self, who: &Principal, real: &Path) -> Option<Arc<[u8]>> {
        let hash = self.last_seen(who, real)?.hash?;
        self.content(&hash)
    }

    /// The hash of a content, if it is what a caller last saw of a real path and was kept.
    pub(crate) fn last_hash(
        &self,
        who: &Principal,
        real: &Path,
        content: &[u8],
    ) -> Option<[u8; 32]> {
        let hash = self.last_seen(who, real)?.hash?;
        (*self.content(&hash)? == *content).then_some(hash)
    }

    fn content(&self, hash: &[u8; 32]) -> Option<Arc<[u8]>> {
        let kept = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_hash.get(hash).cloned()
    }
}

impl Contents {
    fn add(&mut self, hash: [u8; 32], content: Arc<[u8]>) {
        let size = content.len();
        if self.by_hash.insert(hash, content).is_some() {
            return;
        }
        self.oldest.push_back(hash);
        self.bytes += size;
        while self.bytes > MAX_CONTENTS {
            let Some(oldest) = self.oldest.pop_front() else { break };
            self.bytes -= self.by_hash.remove(&oldest).map_or(0, |content| content.len());
        }
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
    fn contents_are_kept_within_bounds() {
        let (log, who) = (ReadLog::default(), Principal::process("s"));
        for n in 0..=u8::try_from(MAX_CONTENTS / 1_000_000).unwrap() {
            let path = PathBuf::from(format!("/{n}"));
            let seen = Seen { hash: Some([n; 32]), ..seen(1_000_000) };
            log.remember(&who, &path, seen);
            log.keep([n; 32], &vec![n; 1_000_000]);
            assert_eq!(log.last_content(&who, &path).unwrap()[0], n);
            assert_eq!(log.last_hash(&who, &path, &vec![n; 1_000_000]), Some([n; 32]));
            assert_eq!(log.last_hash(&who, &path, &vec![n; 999_999]), None);
            assert_eq!(log.last_hash(&who, &path, &vec![n + 1; 1_000_000]), None);
        }
        assert_eq!(log.last_content(&who, Path::new("/0")), None);
        assert_eq!(log.last_content(&Principal::process("t"), Path::new("/9")), None);
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
