//! One server's tokens, in a file that only its owner may read, and what a server said when a
//! login was not for enough.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};

/// Only the owner reads and writes.
const PRIVATE: u32 = 0o600;
/// How long another process may take to refresh a token, and how often it is looked whether it has.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(20);
/// How much of what a server said is kept.
const MAX_CHALLENGE: usize = 4 * 1024;

/// The file.
#[derive(Clone, Debug)]
pub(super) struct FileStore {
    path: PathBuf,
}

impl FileStore {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn is_there(&self) -> bool {
        self.path.is_file()
    }

    pub(super) fn remove(&self) -> bool {
        self.forget_challenge();
        fs::remove_file(&self.path).is_ok()
    }

    /// Keeps what the server said about a login, for whoever logs in: often another process.
    pub(super) fn keep_challenge(&self, challenge: &str) {
        if challenge.len() <= MAX_CHALLENGE {
            // Without it the person is asked for less than is needed, and once more.
            let _ = write(&self.challenge(), challenge.as_bytes());
        }
    }

    /// What the server said last, if nobody has logged in since.
    pub(super) fn kept_challenge(&self) -> Option<String> {
        let mut text = String::new();
        let file = File::open(self.challenge()).ok()?;
        file.take(MAX_CHALLENGE as u64).read_to_string(&mut text).ok()?;
        Some(text)
    }

    pub(super) fn forget_challenge(&self) {
        let _ = fs::remove_file(self.challenge());
    }

    fn challenge(&self) -> PathBuf {
        self.path.with_extension("wanted")
    }

    fn read(&self) -> Result<Option<StoredCredentials>, AuthError> {
        match fs::read(&self.path) {
            // What cannot be read is no login: the person logs in again.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
}

/// All of it or nothing, and never readable by others.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_extension(format!("{}-{number}.new", std::process::id()));
    let _ = fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

fn failed(error: impl std::fmt::Display) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait]
impl CredentialStore for FileStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read()
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let bytes = serde_json::to_vec(&credentials).map_err(failed)?;
        write(&self.path, &bytes).map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// A token that was refused is not tried again and again. Whose client it was and what it was
    /// for stays known.
    async fn on_refresh_token_rejected(&self, used: &StoredCredentials) -> Result<(), AuthError> {
        let as_json = |credentials: &StoredCredentials| serde_json::to_value(credentials).ok();
        let Some(now) = self.read()?.filter(|now| as_json(now) == as_json(used)) else {
            // Somebody has logged in meanwhile.
            return Ok(());
        };
        let scopes = now.granted_scopes.clone();
        let left = StoredCredentials::new(now.client_id.clone(), None, scopes, None);
        self.save(left.with_issuer(now.issuer.clone())).await
    }

    /// Many servers take a refresh token once and distrust whoever sends it again, so of all
    /// processes only one refreshes at a time.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let path = self.path.with_extension("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(PRIVATE);
        let file = options.open(path).map_err(failed)?;
        let locked = tokio::time::timeout(PATIENCE, async {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(()),
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(LOOK).await,
                    Err(TryLockError::Error(error)) => return Err(failed(error)),
                }
            }
        });
        locked.await.map_err(|_| failed("another process does not end its login"))??;
        Ok(Some(CredentialRefreshGuard::new(file)))
    }
}
