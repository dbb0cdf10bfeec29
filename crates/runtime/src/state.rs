//! The state folder: what dogu keeps between runs, readable by its owner alone.
//!
//! ```text
//! <state>/dogu.sqlite    the record of calls
//! <state>/grants.sealed  permissions that were given for good
//! <state>/trust.sealed   workspaces that are trusted
//! <state>/pins.sealed    tools of other servers as they were when they were let run
//! <state>/runs/          one lock file for each live process
//! <state>/spills/        results that were too long to show, a folder for each caller
//! <state>/cache/         what tools can make again, such as an index
//! <state>/journal/       what was changed, and what was there before
//! <state>/locks/         held by whoever changes files
//! <state>/outputs/       what commands wrote, a folder for each caller
//! <state>/http-tokens/   the token of each client over HTTP
//! ```

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use dogu_tool::Principal;

/// A folder that only its owner may enter.
const PRIVATE_FOLDER: u32 = 0o700;
/// A file that only its owner may read or write.
const PRIVATE_FILE: u32 = 0o600;
/// Write permission for the group or for everyone.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The folder of spilled results, in the state folder.
pub(crate) const SPILLS: &str = "spills";

/// Why the state folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Neither `XDG_STATE_HOME` nor `HOME` names a folder.
    #[error("no place for the state folder: neither XDG_STATE_HOME nor HOME is set")]
    NoHome,
    /// There is something else in its place.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// What should be a folder.
        path: PathBuf,
    },
    /// Somebody else could change what is in it.
    #[error("{} belongs to another user and others may write to it", path.display())]
    Unsafe {
        /// The folder.
        path: PathBuf,
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
        source: io::Error,
    },
}

impl StateError {
    fn io(doing: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { doing, path: path.to_owned(), source: source.into() }
    }
}

/// A state folder that exists and is private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDir {
    path: PathBuf,
}

impl StateDir {
    /// Opens the folder; makes it where it is missing, and shuts others out where they could enter.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StateError> {
        let path = path.into();
        make_private(&path)?;
        Ok(Self { path })
    }

    /// `$XDG_STATE_HOME/dogu`, or `$HOME/.local/state/dogu`.
    pub fn default_path() -> Result<PathBuf, StateError> {
        default_path_from(|name| std::env::var_os(name).map(PathBuf::from))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database of the record, which may not exist yet.
    pub fn database(&self) -> PathBuf {
        self.path.join("dogu.sqlite")
    }

    /// The folder of spilled results; made on demand.
    pub fn spills(&self) -> Result<PathBuf, StateError> {
        self.folder(SPILLS)
    }

    /// Where the spilled results of a caller are, if there are any.
    pub fn spills_of(&self, who: &Principal) -> PathBuf {
        self.path.join(SPILLS).join(spill_folder(who))
    }

    /// A private folder inside the state folder; made on demand.
    pub fn folder(&self, name: &str) -> Result<PathBuf, StateError> {
        let path = self.path.join(name);
        make_private(&path)?;
        Ok(path)
    }

    /// A new file for a result that is too long to show, in a folder of the one who called. Its
    /// name cannot be guessed.
    pub fn create_spill(
        &self,
        who: &Principal,
        extension: &str,
    ) -> Result<(File, PathBuf), StateError> {
        let all = self.spills()?;
        let folder = all.join(spill_folder(who));
        make_private(&folder)?;
        let mut name = random_hex().map_err(|error| StateError::io("name", &folder, error))?;
        // An extension is decoration: what could leave the folder is dropped, not refused.
        let extension: String = extension.chars().filter(char::is_ascii_alphanumeric).collect();
        if !extension.is_empty() {
            name.push('.');
            name.push_str(&extension);
        }
        let path = folder.join(name);
        let file = create_private(&path).map_err(|error| StateError::io("create", &path, error))?;
        Ok((file, path))
    }
}

/// The folder of what was spilled of a caller's results. Not of one session: what a command
/// line was told is for the next one to read.
pub(crate) fn spill_folder(who: &Principal) -> String {
    blake3::hash(who.id().as_bytes()).to_hex()[..16].to_owned()
}

/// Creates a file that must not exist yet, not even as a link.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(PRIVATE_FILE)
        .custom_flags(no_follow())
        .open(path)
}

/// Opens a file for locking or writing, made private if it is new. Links are not followed.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(PRIVATE_FILE)
        .custom_flags(no_follow())
        .open(path)
}

/// 128 random bits as 32 hexadecimal digits.
pub fn random_hex() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::with_capacity(32), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()
}

pub(crate) fn make_private(path: &Path) -> Result<(), StateError> {
    match fs::metadata(path) {
        Ok(facts) if !facts.is_dir() => Err(StateError::NotAFolder { path: path.to_owned() }),
        Ok(facts) => tighten(path, &facts),
        Err(error) if error.kind() == io::ErrorKind::NotFound => DirBuilder::new()
            .recursive(true)
            .mode(PRIVATE_FOLDER)
            .create(path)
            .map_err(|error| StateError::io("create", path, error)),
        Err(error) => Err(StateError::io("look at", path, error)),
    }
}

fn tighten(path: &Path, facts: &fs::Metadata) -> Result<(), StateError> {
    let mode = facts.mode() & 0o777;
    let ours = facts.uid() == rustix::process::geteuid().as_raw();
    match (ours, mode) {
        (true, mode) if mode & !PRIVATE_FOLDER == 0 => Ok(()),
        (true, _) => fs::set_permissions(path, Permissions::from_mode(PRIVATE_FOLDER))
            .map_err(|error| StateError::io("restrict", path, error)),
        (false, mode) if mode & WRITABLE_BY_OTHERS != 0 => {
            Err(StateError::Unsafe { path: path.to_owned() })
        }
        (false, _) => Ok(()),
    }
}

fn default_path_from(get: impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf, StateError> {
    // The XDG specification says that a relative path is to be ignored.
    let absolute = |name: &str| get(name).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
        .map(|base| base.join("dogu"))
        .ok_or(StateError::NoHome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn is_made_private_and_tightened() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b/dogu");
        let state = StateDir::open(&path).unwrap();
        assert_eq!(mode(state.path()), 0o700);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        StateDir::open(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn a_file_in_its_place_is_an_error_with_the_path() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("dogu");
        fs::write(&path, "").unwrap();
        let error = StateDir::open(&path).unwrap_err().to_string();
        assert!(error.contains(path.to_str().unwrap()), "{error}");
    }

    #[test]
    fn spills_are_private_and_unguessable() {
        let root = tempfile::tempdir().unwrap();
        let state = StateDir::open(root.path().join("dogu")).unwrap();
        let who = Principal::process("s");
        let (_, first) = state.create_spill(&who, "txt").unwrap();
        let (_, second) = state.create_spill(&who, "../sh").unwrap();
        assert_ne!(first, second);
        assert_eq!(mode(&first), 0o600);
        assert_eq!(mode(&state.spills().unwrap()), 0o700);
        let name = first.file_name().unwrap().to_str().unwrap();
        assert_eq!(name.len(), 32 + ".txt".len());
        assert_eq!(second.parent(), first.parent());
        assert_eq!(second.extension().unwrap(), "sh");
    }

    #[test]
    fn the_default_is_the_xdg_state_folder() {
        let env = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                pairs.iter().find(|pair| pair.0 == name).map(|pair| PathBuf::from(pair.1))
            }
        };
        let both = default_path_from(env(&[("XDG_STATE_HOME", "/x"), ("HOME", "/h")])).unwrap();
        assert_eq!(both, Path::new("/x/dogu"));
        let relative = default_path_from(env(&[("XDG_STATE_HOME", "x"), ("HOME", "/h")])).unwrap();
        assert_eq!(relative, Path::new("/h/.local/state/dogu"));
        assert!(matches!(default_path_from(env(&[])), Err(StateError::NoHome)));
    }
}
