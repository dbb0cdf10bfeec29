//! Bearer tokens: whoever has one may call, over HTTP and on loopback too.

use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use dogu_tool::Principal;

/// What the tokens that dogu makes begin with, so that they are found where they leak.
const PREFIX: &str = "dogu_";
/// The file is read by its owner alone.
const PRIVATE: u32 = 0o600;
/// Any permission of the group or of everyone.
const OTHERS: u32 = 0o077;
/// More than any list of tokens.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// How much of a token's digest names its holder.
const DIGEST_DIGITS: usize = 16;

/// The tokens that a server accepts.
pub struct Tokens(Vec<Token>);

struct Token {
    text: String,
    hash: blake3::Hash,
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
    /// There is no token in it.
    #[error("the token file {} holds no token", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
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
    /// What the person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Exposed { path, .. } => Some(format!(
                "run `chmod 600 {0}`, or remove it so that a new token is made",
                path.display()
            )),
            Self::NotOwn { path } | Self::Empty { path } => {
                Some(format!("remove {} so that a new token is made", path.display()))
            }
            Self::Io { .. } => None,
        }
    }
}

impl Tokens {
    /// Reads the file, one token a line; blank lines and lines that begin with `#` say nothing.
    /// Where there is no file, makes one with a new token. Processes that do so at the same time
    /// end up with the same token.
    pub fn load_or_create(path: &Path) -> Result<Self, TokenError> {
        if let Some(tokens) = load(path)? {
            return Ok(tokens);
        }
        create(path)?;
        load(path)?.ok_or_else(|| io_error("read", path, io::ErrorKind::NotFound.into()))
    }

    /// The first token: the one to show the user.
    pub fn first(&self) -> &str {
        self.0.first().map_or("", |token| &token.text)
    }

    /// Everyone who has a token, in the file's order, without duplicates.
    pub(crate) fn holders(&self) -> Vec<(blake3::Hash, Principal)> {
        self.0.iter().map(|token| (token.hash, principal(token.hash))).collect()
    }

    fn parse(text: &str) -> Self {
        let mut tokens: Vec<Token> = Vec::new();
        let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
        for line in lines {
            let hash = blake3::hash(line.as_bytes());
            if !tokens.iter().any(|token| token.hash == hash) {
                tokens.push(Token { text: line.to_owned(), hash });
            }
        }
        Self(tokens)
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({} hidden)", self.0.len())
    }
}

/// Known by a digest of the token and never by the token.
fn principal(hash: blake3::Hash) -> Principal {
    let hex = hash.to_hex();
    let digest = &hex.as_str()[..DIGEST_DIGITS];
    Principal::token(digest, digest)
}

fn io_error(doing: &'static str, path: &Path, source: io::Error) -> TokenError {
    TokenError::Io { doing, path: path.to_owned(), source }
}

fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()
}

fn load(path: &Path) -> Result<Option<Tokens>, TokenError> {
    // Without `NONBLOCK` a pipe in the file's place would be waited for.
    let flags = no_follow() | rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("open", path, error)),
    };
    check(&file, path)?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES)
        .read_to_string(&mut text)
        .map_err(|error| io_error("read", path, error))?;
    match Tokens::parse(&text) {
        tokens if tokens.0.is_empty() => Err(TokenError::Empty { path: path.to_owned() }),
        tokens => Ok(Some(tokens)),
    }
}

/// Looks at the file that is open, not at what the name may stand for a moment later.
fn check(file: &File, path: &Path) -> Result<(), TokenError> {
    let facts = file.metadata().map_err(|error| io_error("look at", path, error))?;
    if !facts.is_file() || facts.uid() != rustix::process::geteuid().as_raw() {
        return Err(TokenError::NotOwn { path: path.to_owned() });
    }
    let mode = facts.mode() & 0o777;
    if mode & OTHERS != 0 {
        return Err(TokenError::Exposed { path: path.to_owned(), mode });
    }
    Ok(())
}

/// Makes the file in one step, with its content in it. Losing a race is no failure: the winner's
/// file is there.
fn create(path: &Path) -> Result<(), TokenError> {
    let random = || random_hex().map_err(|error| io_error("make", path, error));
    let token = format!("{PREFIX}{}", random()?);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", &random()?[..16]));
    let draft = PathBuf::from(name);
    let linked = write_new(&draft, &token).and_then(|()| std::fs::hard_link(&draft, path));
    let _ = std::fs::remove_file(&draft);
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(io_error("create", path, error))
        }
        _ => Ok(()),
    }
}

fn write_new(path: &Path, token: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(PRIVATE).custom_flags(no_follow());
    let mut file = options.open(path)?;
    file.write_all(format!("{token}\n").as_bytes())?;
    file.sync_all()
}

/// 256 random bits in hexadecimal digits.
fn random_hex() -> io::Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("http-token");
        (folder, path)
    }

    fn write(path: &Path, text: &str, mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn the_first_start_makes_a_private_token_and_later_ones_keep_it() {
        let (folder, path) = folder();
        let made = Tokens::load_or_create(&path).unwrap();
        assert_eq!(made.first().len(), PREFIX.len() + 64);
        assert!(made.first().starts_with(PREFIX));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(Tokens::load_or_create(&path).unwrap().first(), made.first());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the draft is gone");
        assert!(!format!("{made:?}").contains(made.first()));
    }

    #[test]
    fn all_who_start_at_once_agree() {
        let (_folder, path) = folder();
        let start = std::sync::Barrier::new(16);
        let found: std::collections::HashSet<String> = std::thread::scope(|scope| {
            let one = || {
                start.wait();
                Tokens::load_or_create(&path).unwrap().first().to_owned()
            };
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(one)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn one_token_a_line_with_comments() {
        let (_folder, path) = folder();
        write(&path, "# mine\n\n  one \ntwo\r\none\n", 0o600);
        let tokens = Tokens::load_or_create(&path).unwrap();
        assert_eq!((tokens.first(), tokens.holders().len()), ("one", 2));
        let principals: Vec<_> = tokens.holders().into_iter().map(|(_, p)| p).collect();
        assert_ne!(principals[0], principals[1]);
        assert_eq!(principals[0].id(), format!("token:{}", principals[0].session()));
        assert_eq!(principals[0].session(), &blake3::hash(b"one").to_hex()[..16]);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_a_hint() {
        let (_folder, path) = folder();
        for mode in [0o644, 0o640, 0o602] {
            write(&path, "secret\n", mode);
            let error = Tokens::load_or_create(&path).unwrap_err();
            assert!(matches!(error, TokenError::Exposed { mode: found, .. } if found == mode));
            assert!(error.hint().unwrap().contains("chmod 600"), "{error:?}");
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
    }

    #[test]
    fn links_pipes_folders_and_empty_files_are_refused() {
        let (folder, path) = folder();
        let target = folder.path().join("target");
        write(&target, "secret\n", 0o600);
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(matches!(Tokens::load_or_create(&path), Err(TokenError::Io { .. })));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(Tokens::load_or_create(&path), Err(TokenError::NotOwn { .. })));
        fs::remove_dir(&path).unwrap();
        write(&path, "# nothing\n", 0o600);
        assert!(matches!(Tokens::load_or_create(&path), Err(TokenError::Empty { .. })));
    }
}
