//! Sealed files: what was decided for good, and that nothing but dogu wrote it.
//!
//! ```text
//! <state>/<kind>.sealed          a header line (version, counter, seal) and the content as JSON
//! <config>/seal.key              32 random bytes, readable by the owner alone
//! <config>/seal-<kind>-….count   the counter of the last change, so that an older copy is noticed
//! <config>/seal.lock             held by whoever changes one of them
//! ```
//!
//! The key is kept away from what it seals: whoever can write the state folder only cannot make a
//! content that holds. A file that does not hold is worth nothing, and stays until it is reset.

mod disk;
mod envelope;
mod vault;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::state::StateDir;
use disk::{Identity, OpenedFile, Pending, read_plain};
use vault::{Key, Vault};

/// How large a sealed file may be.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Why what is stored does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealProblem {
    /// The seal does not fit the content.
    #[error("{} was changed by something other than dogu", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The seal is right, but a later one was made.
    #[error("{} is an older copy of what was stored", path.display())]
    RolledBack {
        /// The file.
        path: PathBuf,
    },
    /// It was stored once and is gone.
    #[error("{} was removed by something other than dogu", path.display())]
    Removed {
        /// The file.
        path: PathBuf,
    },
    /// Another dogu wrote it, in a way that this one does not know.
    #[error("{} is of a version that this dogu does not know", path.display())]
    Version {
        /// The file.
        path: PathBuf,
    },
    /// There is content and no key to check it with.
    #[error("the key {} is missing", path.display())]
    NoKey {
        /// Where the key should be.
        path: PathBuf,
    },
    /// The key is no secret.
    #[error("the key {} can be read by others", path.display())]
    OpenKey {
        /// The key.
        path: PathBuf,
    },
    /// It is a link, a folder, somebody else's, or writable by others.
    #[error("{} is not a plain file that only its user may write", path.display())]
    NotPlain {
        /// The file.
        path: PathBuf,
    },
    /// It is larger than dogu ever writes it.
    #[error("{} is too large", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The operating system said no.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system answered.
        reason: String,
    },
}

/// Why a change was not stored. What was stored before is as it was.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// What is stored does not count, and is not overwritten unasked.
    #[error("{problem}; nothing can be stored before `{reset_with}`")]
    Spoiled {
        /// What is wrong with it.
        problem: SealProblem,
        /// The command that starts again.
        reset_with: &'static str,
    },
    /// There is no room for more.
    #[error("there are already {most} {what}; revoke some first")]
    TooMany {
        /// How many there may be.
        most: usize,
        /// Of what.
        what: &'static str,
    },
    /// What should be stored cannot be written down.
    #[error("this cannot be stored: {reason}")]
    Content {
        /// Why.
        reason: String,
    },
    /// The operating system said no.
    #[error("could not {doing} {}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: std::io::Error,
    },
}

/// One kind of sealed file, read again when it has changed.
#[derive(Debug)]
pub(crate) struct Sealed<T> {
    data: PathBuf,
    vault: Vault,
    reset_with: &'static str,
    cache: Mutex<Option<Loaded<T>>>,
    said: Mutex<Option<SealProblem>>,
}

/// What a look at the disk found.
#[derive(Debug)]
struct Loaded<T> {
    content: Arc<T>,
    counter: u64,
    problem: Option<SealProblem>,
    identity: Identity,
    /// Held open so that its inode number cannot come back with another content.
    _file: Option<std::fs::File>,
}

impl<T: Serialize + DeserializeOwned + Default + Clone> Sealed<T> {
    /// The file of `kind` in the state folder, its key in `config`. Nothing is opened or made yet.
    pub(crate) fn new(
        kind: &'static str,
        state: &StateDir,
        config: &Path,
        reset_with: &'static str,
    ) -> Self {
        Self {
            data: state.path().join(format!("{kind}.sealed")),
            vault: Vault::new(kind, state.path(), config),
            reset_with,
            cache: Mutex::new(None),
            said: Mutex::new(None),
        }
    }

    /// What holds now: one look at the file's facts, and a read where they changed.
    pub(crate) fn read(&self) -> Arc<T> {
        Arc::clone(&self.fresh().content)
    }

    /// Why nothing holds, if something is wrong.
    pub(crate) fn problem(&self) -> Option<SealProblem> {
        self.fresh().problem.clone()
    }

    /// The same, but each problem once only.
    pub(crate) fn new_problem(&self) -> Option<SealProblem> {
        let problem = self.problem();
        let mut said = locked(&self.said);
        if *said == problem {
            return None;
        }
        said.clone_from(&problem);
        problem
    }

    /// Changes the content, whatever other processes do meanwhile; all of it or nothing.
    pub(crate) fn change<R>(
        &self,
        change: impl FnOnce(&mut T) -> Result<R, SealError>,
    ) -> Result<R, SealError> {
        let _held = self.vault.lock()?;
        let loaded = self.load();
        if let Some(problem) = loaded.problem {
            return Err(SealError::Spoiled { problem, reset_with: self.reset_with });
        }
        let mut content = T::clone(&loaded.content);
        let result = change(&mut content)?;
        let key = self.vault.key_or_new(self.reset_with)?;
        self.write(&key, loaded.counter, &content)?;
        Ok(result)
    }

    /// Starts again with nothing, with a new key where the old one is not to be relied on.
    pub(crate) fn reset(&self) -> Result<(), SealError> {
        let _held = self.vault.lock()?;
        let (key, kept) = match (self.vault.key(), self.vault.kept()) {
            (Ok(Some(key)), Ok(kept)) => (key, kept),
            _ => (self.vault.new_key()?, 0),
        };
        self.write(&key, kept.max(self.load().counter), &T::default())?;
        // Should the same go wrong again, it is news.
        *locked(&self.said) = None;
        Ok(())
    }

    fn fresh(&self) -> Fresh<'_, T> {
        let mut cache = locked(&self.cache);
        let now = Identity::of(&self.data);
        // A problem may have been one of the key, which the file's facts do not show.
        if cache.as_ref().is_none_or(|old| old.problem.is_some() || old.identity != now) {
            *cache = Some(self.load_settled());
        }
        Fresh(cache)
    }

    /// Loads; what seems wrong is looked at again while nobody is changing it.
    fn load_settled(&self) -> Loaded<T> {
        let loaded = self.load();
        match loaded.problem.is_some().then(|| self.vault.lock_if_there()).flatten() {
            Some(_held) => self.load(),
            None => loaded,
        }
    }

    fn load(&self) -> Loaded<T> {
        let identity = Identity::of(&self.data);
        match self.unseal() {
            Ok(Some((content, counter, OpenedFile { file, identity, .. }))) => {
                let content = Arc::new(content);
                Loaded { content, counter, problem: None, identity, _file: Some(file) }
            }
            Ok(None) => Loaded::empty(identity, None),
            Err(problem) => Loaded::empty(identity, Some(problem)),
        }
    }

    /// The order matters: a change puts the file in place before its counter, so a counter that
    /// was read first is never ahead of the file.
    fn unseal(&self) -> Result<Option<(T, u64, OpenedFile)>, SealProblem> {
        let key = self.vault.key()?;
        let kept = self.vault.kept()?;
        let Some(opened) = read_plain(&self.data, MAX_BYTES)? else {
            return if kept == 0 { Ok(None) } else { Err(self.removed()) };
        };
        let key = key.ok_or_else(|| self.vault.no_key())?;
        let (counter, payload) =
            envelope::open(&key, self.vault.label(), &opened.bytes, &self.data)?;
        if counter < kept {
            return Err(SealProblem::RolledBack { path: self.data.clone() });
        }
        let content = serde_json::from_slice(payload)
            .map_err(|_| SealProblem::Version { path: self.data.clone() })?;
        Ok(Some((content, counter, opened)))
    }

    fn removed(&self) -> SealProblem {
        SealProblem::Removed { path: self.data.clone() }
    }

    /// Both files are complete on disk before either is put in place: a full disk changes nothing.
    fn write(&self, key: &Key, last: u64, content: &T) -> Result<(), SealError> {
        let counter = last.saturating_add(1);
        let payload = serde_json::to_vec(content)
            .map_err(|error| SealError::Content { reason: error.to_string() })?;
        let bytes = envelope::close(key, self.vault.label(), counter, &payload);
        if bytes.len() as u64 > MAX_BYTES {
            return Err(SealError::Content { reason: "it is too large".to_owned() });
        }
        let count = self.vault.prepare_count(counter)?;
        Pending::write(&self.data, &bytes)?.place()?;
        // The change is done. A counter that lags is caught up with by the next change.
        let _ = count.place();
        Ok(())
    }
}

impl<T: Default> Loaded<T> {
    fn empty(identity: Identity, problem: Option<SealProblem>) -> Self {
        Self { content: Arc::default(), counter: 0, problem, identity, _file: None }
    }
}

/// The cache, filled.
struct Fresh<'a, T>(MutexGuard<'a, Option<Loaded<T>>>);

impl<T> std::ops::Deref for Fresh<'_, T> {
    type Target = Loaded<T>;

    #[expect(clippy::expect_used, reason = "only made after the cache was filled")]
    fn deref(&self) -> &Loaded<T> {
        self.0.as_ref().expect("the cache is filled")
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
