//! Bearer tokens: whoever has one may call, over HTTP and on loopback too.
//!
//! Each client has one of its own, in a file of its own that is named after it. So two processes
//! that add tokens at once lose nothing, and taking a file away takes that client's access away,
//! from a server that runs too (`follow`).

mod file;
mod follow;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use dogu_runtime::{StateDir, StateError};

pub(crate) use follow::{Accepted, Followed};

/// The folder of tokens, in the state folder.
const FOLDER: &str = "http-tokens";
/// Where the one token of all clients was kept before each had its own.
const SHARED: &str = "http-token";
/// The name of that token now.
const SHARED_NAME: &str = "default";
/// How long a name may be.
const MAX_NAME: usize = 100;
/// How many tokens there may be: each request looks at all of them.
const MAX_TOKENS: usize = 256;

/// The tokens that servers of this user accept, by the names of their holders.
#[derive(Clone, Debug)]
pub struct TokenStore {
    folder: PathBuf,
}

/// A token that was asked for by its name.
pub struct Token {
    /// What the holder sends. It is never shown by `Debug`.
    pub secret: String,
    /// It was made just now.
    pub is_new: bool,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("is_new", &self.is_new).finish_non_exhaustive()
    }
}

/// A token as it is listed: everything but itself.
#[derive(Debug)]
pub struct TokenInfo {
    /// Whose it is.
    pub name: String,
    /// Since when it is there.
    pub since: Option<SystemTime>,
    /// Why it does not count.
    pub problem: Option<TokenError>,
}

/// Why tokens could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Others could have read the file, or could yet.
    #[error("the token file {} can be read by others (mode {mode:03o})", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It is not a file of the user's own.
    #[error("the token file {} is not a regular file of this user", path.display())]
    NotOwn {
        /// The file.
        path: PathBuf,
    },
    /// There is not exactly one token in it.
    #[error("the token file {} does not hold one token", path.display())]
    NotOne {
        /// The file.
        path: PathBuf,
    },
    /// A name that no file of a token has.
    #[error("{0:?} is no name for a token: letters, digits, `-`, `_` and `.`, at most {MAX_NAME}")]
    Name(String),
    /// There is no room for more.
    #[error("there are already {MAX_TOKENS} tokens")]
    TooMany,
    /// There is no folder for them.
    #[error(transparent)]
    State(#[from] StateError),
    /// The operating system said no.
    #[error("could not {doing} the token file {}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

impl TokenError {
    fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { doing, path: path.to_owned(), source }
    }

    /// What the person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Exposed { path, .. } => {
                Some(format!("run `chmod 600 {0}`, or remove it and make another", path.display()))
            }
            Self::NotOwn { path } | Self::NotOne { path } => {
                Some(format!("remove {} and make another", path.display()))
            }
            Self::TooMany => Some("revoke some that nobody uses".to_owned()),
            Self::Name(_) | Self::State(_) | Self::Io { .. } => None,
        }
    }
}

impl TokenStore {
    /// The tokens of a state folder. The one that all clients shared before each had its own
    /// still counts.
    pub fn open(state: &StateDir) -> Result<Self, TokenError> {
        let folder = state.folder(FOLDER)?;
        let is_folder = |facts: std::fs::Metadata| facts.is_dir();
        if !std::fs::symlink_metadata(&folder).is_ok_and(is_folder) {
            return Err(TokenError::NotOwn { path: folder });
        }
        let store = Self { folder };
        store.adopt(&state.path().join(SHARED))?;
        Ok(store)
    }

    /// The file of a token.
    pub fn file(&self, name: &str) -> Result<PathBuf, TokenError> {
        if is_name(name) {
            return Ok(self.folder.join(name));
        }
        Err(TokenError::Name(name.to_owned()))
    }

    /// The token of this name; none where there is none.
    pub fn find(&self, name: &str) -> Result<Option<String>, TokenError> {
        file::read_one(&self.file(name)?)
    }

    /// The token of this name, made now where there is none. Processes that ask for the same at
    /// the same time get the same.
    pub fn find_or_add(&self, name: &str) -> Result<Token, TokenError> {
        let path = self.file(name)?;
        if let Some(secret) = file::read_one(&path)? {
            return Ok(Token { secret, is_new: false });
        }
        if self.names()?.len() >= MAX_TOKENS {
            return Err(TokenError::TooMany);
        }
        let is_new = file::create(&path, &file::new_secret(&path)?)?;
        let secret = file::read_one(&path)?;
        let gone = || TokenError::io("read", &path, io::ErrorKind::NotFound.into());
        Ok(Token { secret: secret.ok_or_else(gone)?, is_new })
    }

    /// Takes a token away: from its next request on its holder is a stranger. False where there
    /// is none of this name.
    pub fn revoke(&self, name: &str) -> Result<bool, TokenError> {
        let path = self.file(name)?;
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(TokenError::io("remove", &path, error)),
        }
    }

    /// All tokens, by name.
    pub fn list(&self) -> Result<Vec<TokenInfo>, TokenError> {
        let info = |name: String| {
            let path = self.folder.join(&name);
            let facts = std::fs::symlink_metadata(&path).ok();
            let since = facts.and_then(|facts| facts.modified().ok());
            TokenInfo { since, problem: file::read_one(&path).err(), name }
        };
        Ok(self.names()?.into_iter().map(info).collect())
    }

    /// The names of all tokens, in order. What is not named like one is none.
    fn names(&self) -> Result<Vec<String>, TokenError> {
        let failed = |error| TokenError::io("list", &self.folder, error);
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name().into_string();
            names.extend(name.ok().filter(|name| is_name(name)));
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Makes named tokens of those in a file that all clients shared.
    fn adopt(&self, shared: &Path) -> Result<(), TokenError> {
        let Some(secrets) = file::read_all(shared)? else { return Ok(()) };
        for (number, secret) in secrets.iter().enumerate() {
            let name = match number {
                0 => SHARED_NAME.to_owned(),
                number => format!("{SHARED_NAME}-{}", number + 1),
            };
            file::create(&self.folder.join(name), secret)?;
        }
        match std::fs::remove_file(shared) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(TokenError::io("remove", shared, error))
            }
            _ => Ok(()),
        }
    }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.len() <= MAX_NAME
        && name.chars().all(plain)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;

    fn store() -> (tempfile::TempDir, TokenStore) {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("dogu")).unwrap();
        let store = TokenStore::open(&state).unwrap();
        (folder, store)
    }

    fn write(path: &Path, text: &str, mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn names(store: &TokenStore) -> Vec<String> {
        store.list().unwrap().into_iter().map(|info| info.name).collect()
    }

    #[test]
    fn a_token_is_private_stays_and_goes_alone() {
        let (_folder, store) = store();
        let made = store.find_or_add("codex-user").unwrap();
        assert!(made.is_new && made.secret.starts_with("dogu_") && made.secret.len() == 5 + 64);
        let path = store.file("codex-user").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let again = store.find_or_add("codex-user").unwrap();
        assert_eq!((again.secret.as_str(), again.is_new), (made.secret.as_str(), false));
        let other = store.find_or_add("zed-user").unwrap();
        assert_ne!(other.secret, made.secret);
        assert_eq!(names(&store), ["codex-user", "zed-user"]);
        let shown = format!("{made:?} {store:?} {:?}", store.list().unwrap());
        assert!(!shown.contains(&made.secret), "{shown}");
        let folder = path.parent().unwrap();
        assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "the drafts are gone");

        assert!(store.revoke("codex-user").unwrap());
        assert!(!store.revoke("codex-user").unwrap());
        assert_eq!(store.find("codex-user").unwrap(), None);
        assert_eq!(store.find("zed-user").unwrap(), Some(other.secret));
        assert_ne!(store.find_or_add("codex-user").unwrap().secret, made.secret);
    }

    #[test]
    fn all_who_add_at_once_lose_nothing_and_agree() {
        let (_folder, store) = store();
        let start = std::sync::Barrier::new(16);
        let found: BTreeSet<(usize, String)> = std::thread::scope(|scope| {
            let one = |number: usize| {
                start.wait();
                (number % 4, store.find_or_add(&format!("t{}", number % 4)).unwrap().secret)
            };
            let threads: Vec<_> = (0..16).map(|n| scope.spawn(move || one(n))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(found.len(), 4, "four names, four secrets, whoever came first");
        assert_eq!(names(&store), ["t0", "t1", "t2", "t3"]);
    }

    #[test]
    fn only_plain_names_are_names() {
        let (_folder, store) = store();
        let long = "x".repeat(MAX_NAME + 1);
        for name in ["", ".", "..", "../x", "a/b", "-a", ".hidden", "a b", "é", "a\0", &long] {
            assert!(matches!(store.find_or_add(name), Err(TokenError::Name(_))), "{name:?}");
            assert!(matches!(store.revoke(name), Err(TokenError::Name(_))), "{name:?}");
        }
        assert_eq!(names(&store), [""; 0]);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_a_hint() {
        let (_folder, store) = store();
        let path = store.file("mine").unwrap();
        for mode in [0o644, 0o640, 0o602] {
            write(&path, "secret\n", mode);
            let error = store.find_or_add("mine").unwrap_err();
            assert!(matches!(error, TokenError::Exposed { mode: found, .. } if found == mode));
            assert!(error.hint().unwrap().contains("chmod 600"), "{error:?}");
            assert!(!format!("{error} {error:?}").contains("secret"));
            assert!(store.list().unwrap()[0].problem.is_some());
        }
    }

    #[test]
    fn links_pipes_folders_and_empty_files_are_refused() {
        let (folder, store) = store();
        let (path, target) = (store.file("mine").unwrap(), folder.path().join("target"));
        write(&target, "secret\n", 0o600);
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(matches!(store.find_or_add("mine"), Err(TokenError::Io { .. })));
        assert!(store.revoke("mine").unwrap() && target.exists(), "the link goes, not its target");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
        assert!(matches!(store.find_or_add("mine"), Err(TokenError::NotOwn { .. })));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(store.find_or_add("mine"), Err(TokenError::NotOwn { .. })));
        fs::remove_dir(&path).unwrap();
        for unfit in ["", "# nothing\n", "one\ntwo\n", "with space\n", "a\0b\n"] {
            write(&path, unfit, 0o600);
            assert!(matches!(store.find_or_add("mine"), Err(TokenError::NotOne { .. })));
        }
        write(&path, "# by hand\n\n  one \r\n", 0o600);
        assert_eq!(store.find("mine").unwrap().as_deref(), Some("one"));
    }

    #[test]
    fn a_folder_that_is_a_link_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("dogu")).unwrap();
        fs::create_dir(folder.path().join("elsewhere")).unwrap();
        let link = state.path().join(FOLDER);
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), link).unwrap();
        assert!(matches!(TokenStore::open(&state), Err(TokenError::NotOwn { .. })));
    }

    #[test]
    fn the_token_that_all_shared_still_counts() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::open(folder.path().join("dogu")).unwrap();
        let shared = state.path().join(SHARED);
        write(&shared, "# mine\n\none\ntwo\n", 0o600);
        let store = TokenStore::open(&state).unwrap();
        assert_eq!(names(&store), ["default", "default-2"]);
        assert_eq!(store.find("default").unwrap().as_deref(), Some("one"));
        assert!(!shared.exists());
        store.revoke("default").unwrap();
        assert_eq!(names(&TokenStore::open(&state).unwrap()), ["default-2"], "it does not return");
        write(&shared, "three\n", 0o644);
        assert!(matches!(TokenStore::open(&state), Err(TokenError::Exposed { .. })));
    }
}
