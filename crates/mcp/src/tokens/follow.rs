//! What a server that runs knows of the tokens: a new one counts at once, and one that was taken
//! away counts no more.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dogu_tool::Principal;

use super::{TokenStore, file};

/// How long ago the last change must be before a look at the times alone is relied on: two
/// changes within one tick of the clock have the same time.
const SETTLED: Duration = Duration::from_millis(200);
/// How much of a token's digest names its holder.
const DIGEST_DIGITS: usize = 16;

/// A token that counts, without itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) name: String,
    pub(crate) hash: blake3::Hash,
}

impl Accepted {
    /// Its holder: known by the name and a digest of the token, and never by the token. The same
    /// client with another token is somebody else.
    pub(crate) fn principal(&self) -> Principal {
        let hex = self.hash.to_hex();
        let digest = &hex.as_str()[..DIGEST_DIGITS];
        Principal::token(&format!("{}:{digest}", self.name), digest)
    }
}

/// What shows that a file is another one than before.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    name: String,
    inode: u64,
    changed: SystemTime,
}

impl Stamp {
    fn of(name: String, path: &Path) -> Option<Self> {
        let facts = std::fs::symlink_metadata(path).ok()?;
        let seconds = u64::try_from(facts.ctime()).unwrap_or_default();
        let rest = u32::try_from(facts.ctime_nsec()).unwrap_or_default();
        Some(Self { name, inode: facts.ino(), changed: UNIX_EPOCH + Duration::new(seconds, rest) })
    }

    fn is_settled(&self, now: SystemTime) -> bool {
        now.duration_since(self.changed).is_ok_and(|since| since > SETTLED)
    }
}

/// The tokens of a store, read again where they may have changed.
pub(crate) struct Followed {
    store: TokenStore,
    /// What the files looked like when they were read; none where that is not to be relied on.
    stamps: Option<Vec<Stamp>>,
    /// What was said to be wrong: it is said once.
    told: BTreeSet<String>,
}

impl Followed {
    pub(crate) fn new(store: TokenStore) -> Self {
        Self { store, stamps: None, told: BTreeSet::new() }
    }

    /// All tokens that count, where they may be others than at the last look.
    pub(crate) fn look(&mut self) -> Option<Vec<Accepted>> {
        let now = SystemTime::now();
        let stamps = self.stamps();
        if stamps.is_some() && self.stamps == stamps {
            return None;
        }
        let accepted = self.read(stamps.as_deref().unwrap_or_default());
        self.stamps = stamps.filter(|all| all.iter().all(|stamp| stamp.is_settled(now)));
        Some(accepted)
    }

    /// Of the folder first, under no name, and then of its tokens.
    fn stamps(&self) -> Option<Vec<Stamp>> {
        let folder = &self.store.folder;
        let mut stamps = vec![Stamp::of(String::new(), folder)?];
        for name in self.store.names().ok()? {
            let path = folder.join(&name);
            // One that went meanwhile is none.
            stamps.extend(Stamp::of(name, &path));
        }
        Some(stamps)
    }

    fn read(&mut self, stamps: &[Stamp]) -> Vec<Accepted> {
        let mut accepted: Vec<Accepted> = Vec::new();
        let mut problems = BTreeSet::new();
        for Stamp { name, .. } in stamps.iter().skip(1) {
            match file::read_one(&self.store.folder.join(name)) {
                Ok(Some(token)) => {
                    let hash = blake3::hash(token.as_bytes());
                    // Of two files with one token the first counts.
                    if accepted.iter().all(|known| known.hash != hash) {
                        accepted.push(Accepted { name: name.clone(), hash });
                    }
                }
                Ok(None) => {}
                Err(error) => drop(problems.insert(error.to_string())),
            }
        }
        for problem in problems.difference(&self.told) {
            tracing::warn!(target: "dogu", "{problem}; this token does not count");
        }
        self.told = problems;
        accepted
    }
}

#[cfg(test)]
mod tests {
    use dogu_runtime::StateDir;

    use super::*;

    fn names(accepted: Option<Vec<Accepted>>) -> Option<Vec<String>> {
        accepted.map(|all| all.into_iter().map(|one| one.name).collect())
    }

    #[test]
    fn what_is_added_changed_or_taken_away_is_seen_at_the_next_look() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("dogu")).unwrap();
        let store = TokenStore::open(&state).unwrap();
        let mut followed = Followed::new(store.clone());
        assert_eq!(names(followed.look()), Some(Vec::new()));
        for round in 0..50 {
            // Quicker than the clock of a file system ticks.
            store.find_or_add("a").unwrap();
            assert_eq!(names(followed.look()), Some(vec!["a".to_owned()]), "{round}");
            store.revoke("a").unwrap();
            assert_eq!(names(followed.look()), Some(Vec::new()), "{round}");
        }
        let first = store.find_or_add("a").unwrap();
        let before = followed.look().unwrap();
        std::fs::write(store.file("a").unwrap(), "by-hand\n").unwrap();
        let after = followed.look().unwrap();
        assert_eq!(after[0].hash, blake3::hash(b"by-hand"));
        assert_ne!(before[0].principal(), after[0].principal(), "with another token another one");
        assert!(!format!("{before:?}").contains(&first.secret));
        while followed.look().is_some() {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(followed.look(), None, "nothing is read while nothing changes");
        std::fs::remove_dir_all(store.file("a").unwrap().parent().unwrap()).unwrap();
        assert_eq!(names(followed.look()), Some(Vec::new()), "without a folder nobody is known");
    }

    #[test]
    fn one_token_is_one_holder_and_what_others_can_read_counts_for_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("dogu")).unwrap();
        let store = TokenStore::open(&state).unwrap();
        let secret = store.find_or_add("a").unwrap().secret;
        for (name, mode) in [("b", 0o600), ("c", 0o644)] {
            let path = store.file(name).unwrap();
            std::fs::write(&path, if name == "b" { &secret } else { "other" }).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let accepted = Followed::new(store).look().unwrap();
        assert_eq!(accepted.len(), 1);
        let hash = blake3::hash(secret.as_bytes());
        let digest = &hash.to_hex()[..16];
        assert_eq!(accepted[0].principal().id(), format!("token:a:{digest}"));
        assert_eq!(accepted[0].principal().session(), digest);
    }
}
