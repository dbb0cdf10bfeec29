//! The key, and the counter beside it.

use std::fmt;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::disk::{Pending, io, read_plain};
use super::{SealError, SealProblem};
use crate::state::open_private;

/// How many digits a counter has at most.
const MAX_COUNT_BYTES: u64 = 20;
/// Any permission for the group or for everyone.
const OPEN_TO_OTHERS: u32 = 0o077;
const KEY_BYTES: usize = 32;
/// A folder that only its owner may enter.
const PRIVATE_FOLDER: u32 = 0o700;

/// A key; never shown.
pub(super) struct Key([u8; KEY_BYTES]);

impl Key {
    /// The key as the hash takes it.
    pub(super) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Where the key and the counter of one sealed file are.
#[derive(Debug)]
pub(super) struct Vault {
    folder: PathBuf,
    key: PathBuf,
    count: PathBuf,
    lock: PathBuf,
    label: String,
}

impl Vault {
    /// The label tells kinds and state folders apart: what was sealed as one is not valid as
    /// another, and each has its own counter.
    pub(super) fn new(kind: &str, state: &Path, config: &Path) -> Self {
        let state = state.canonicalize().unwrap_or_else(|_| state.to_owned());
        let place = blake3::hash(state.as_os_str().as_encoded_bytes()).to_hex();
        Self {
            folder: config.to_owned(),
            key: config.join("seal.key"),
            count: config.join(format!("seal-{kind}-{}.count", &place[..16])),
            lock: config.join("seal.lock"),
            label: format!("{kind} {place}"),
        }
    }

    /// What the seal is bound to.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    /// Waits until nobody else changes anything. The lock is let go with the file.
    pub(super) fn lock(&self) -> Result<File, SealError> {
        DirBuilder::new()
            .recursive(true)
            .mode(PRIVATE_FOLDER)
            .create(&self.folder)
            .map_err(|error| io("create", &self.folder, error))?;
        let file = open_private(&self.lock).map_err(|error| io("open", &self.lock, error))?;
        file.lock().map_err(|error| io("lock", &self.lock, error))?;
        Ok(file)
    }

    /// The same for whoever only reads: nothing is made.
    pub(super) fn lock_if_there(&self) -> Option<File> {
        let file = File::open(&self.lock).ok()?;
        file.lock_shared().ok()?;
        Some(file)
    }

    /// The key, if there is one and it is a secret.
    pub(super) fn key(&self) -> Result<Option<Key>, SealProblem> {
        let Some(opened) = read_plain(&self.key, KEY_BYTES as u64)? else { return Ok(None) };
        if opened.mode & OPEN_TO_OTHERS != 0 {
            return Err(SealProblem::OpenKey { path: self.key.clone() });
        }
        match <[u8; KEY_BYTES]>::try_from(opened.bytes) {
            Ok(bytes) => Ok(Some(Key(bytes))),
            Err(_) => Err(SealProblem::Changed { path: self.key.clone() }),
        }
    }

    /// The key; made with the first thing that is sealed.
    pub(super) fn key_or_new(&self, reset_with: &'static str) -> Result<Key, SealError> {
        match self.key() {
            Ok(Some(key)) => Ok(key),
            Ok(None) => self.new_key(),
            Err(problem) => Err(SealError::Spoiled { problem, reset_with }),
        }
    }

    /// Another key, in place of the old one. Nothing that was sealed before holds after it.
    pub(super) fn new_key(&self) -> Result<Key, SealError> {
        let mut bytes = [0_u8; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io("make", &self.key, error.into()))?;
        Pending::write(&self.key, &bytes)?.place()?;
        Ok(Key(bytes))
    }

    /// That the key is missing.
    pub(super) fn no_key(&self) -> SealProblem {
        SealProblem::NoKey { path: self.key.clone() }
    }

    /// The counter of the last change; 0 before the first.
    pub(super) fn kept(&self) -> Result<u64, SealProblem> {
        let Some(opened) = read_plain(&self.count, MAX_COUNT_BYTES)? else { return Ok(0) };
        let text = std::str::from_utf8(&opened.bytes).ok();
        let number = text.and_then(|text| text.parse().ok());
        number.ok_or_else(|| SealProblem::Changed { path: self.count.clone() })
    }

    /// The next counter, ready to be put in place.
    pub(super) fn prepare_count(&self, counter: u64) -> Result<Pending, SealError> {
        Pending::write(&self.count, counter.to_string().as_bytes())
    }
}
