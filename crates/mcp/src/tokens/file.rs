//! One file with a token: read by its owner alone, made in one step.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::TokenError;

/// What the tokens that dogu makes begin with, so that they are found where they leak.
const PREFIX: &str = "dogu_";
/// The file is read by its owner alone.
const PRIVATE: u32 = 0o600;
/// Any permission of the group or of everyone.
const OTHERS: u32 = 0o077;
/// More than any token.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The one token of a file; none where there is no file.
pub(super) fn read_one(path: &Path) -> Result<Option<String>, TokenError> {
    match read_all(path)?.map(<[String; 1]>::try_from) {
        None => Ok(None),
        Some(Ok([token])) => Ok(Some(token)),
        Some(Err(_)) => Err(TokenError::NotOne { path: path.to_owned() }),
    }
}

/// The tokens of a file, one a line; blank lines and lines that begin with `#` say nothing.
pub(super) fn read_all(path: &Path) -> Result<Option<Vec<String>>, TokenError> {
    // Without `NONBLOCK` a pipe in the file's place would be waited for.
    let flags = no_follow() | rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(TokenError::io("open", path, error)),
    };
    check(&file, path)?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES)
        .read_to_string(&mut text)
        .map_err(|error| TokenError::io("read", path, error))?;
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let tokens: Vec<String> = lines.map(str::to_owned).collect();
    // What cannot stand in a header would never be sent.
    if tokens.is_empty() || !tokens.iter().all(|t| t.chars().all(|c| c.is_ascii_graphic())) {
        return Err(TokenError::NotOne { path: path.to_owned() });
    }
    Ok(Some(tokens))
}

/// Looks at the file that is open, not at what the name may stand for a moment later.
fn check(file: &File, path: &Path) -> Result<(), TokenError> {
    let facts = file.metadata().map_err(|error| TokenError::io("look at", path, error))?;
    if !facts.is_file() || facts.uid() != rustix::process::geteuid().as_raw() {
        return Err(TokenError::NotOwn { path: path.to_owned() });
    }
    let mode = facts.mode() & 0o777;
    if mode & OTHERS != 0 {
        return Err(TokenError::Exposed { path: path.to_owned(), mode });
    }
    Ok(())
}

/// Makes the file in one step, with its content in it. False where there is one: losing a race
/// is no failure, the winner's file is there.
pub(super) fn create(path: &Path, token: &str) -> Result<bool, TokenError> {
    let failed = |error| TokenError::io("create", path, error);
    // No token is named like this, so nobody takes a draft for one.
    let draft = path.with_file_name(format!(".{}", &random_hex().map_err(failed)?[..16]));
    let linked = write_new(&draft, token).and_then(|()| std::fs::hard_link(&draft, path));
    let _ = std::fs::remove_file(&draft);
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed(error)),
    }
}

fn write_new(path: &Path, token: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(PRIVATE).custom_flags(no_follow());
    let mut file = options.open(path)?;
    file.write_all(format!("{token}\n").as_bytes())?;
    file.sync_all()
}

fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()
}

/// A token that nobody has.
pub(super) fn new_secret(path: &Path) -> Result<String, TokenError> {
    let random = random_hex().map_err(|error| TokenError::io("make", path, error))?;
    Ok(format!("{PREFIX}{random}"))
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
