//! Secrets that are known by what they are, not by what they are called.
//!
//! A hard link or a bind mount gives a private key an innocent name. So the files in the known
//! places of secrets are remembered by device and inode, and whatever is opened is compared.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dogu_policy::path::{Places, sensitive};
use rustix::fs::Stat;

/// Files and folders of the home folder that are secrets, or have some.
const PLACES: [&str; 49] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".gnupg/private-keys-v1.d",
    ".kube",
    ".docker",
    ".docker/config.json",
    ".config/gh",
    ".config/hub",
    ".config/gcloud",
    ".config/git",
    ".config/git/credentials",
    ".config/google-chrome",
    ".config/chromium",
    ".config/containers/auth.json",
    ".config/rclone/rclone.conf",
    ".cargo",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude",
    ".claude/.credentials.json",
    ".codex",
    ".codex/auth.json",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/opencode/auth.json",
    ".mozilla",
    ".thunderbird",
    "Library/Keychains",
    ".netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".claude.json",
    ".gemini/oauth_creds.json",
    ".terraform.d/credentials.tfrc.json",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".lesshst",
    ".viminfo",
];
/// How many names are looked at.
const MAX_LOOKS: usize = 1_000;
/// How long what was found is believed.
const FRESH: Duration = Duration::from_secs(10);

/// The secrets of this machine, looked for when they are first asked for.
#[derive(Debug, Default)]
pub(crate) struct KnownSecrets {
    found: Mutex<Option<(Instant, Arc<SecretIds>)>>,
}

/// The secrets that were found, by device and inode.
#[derive(Debug, Default)]
pub(crate) struct SecretIds {
    files: HashMap<(u64, u64), PathBuf>,
    folders: HashMap<(u64, u64), PathBuf>,
}

impl KnownSecrets {
    /// What is known now.
    pub(crate) fn now(&self, places: &Places) -> Arc<SecretIds> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        match &*found {
            Some((at, secrets)) if at.elapsed() < FRESH => Arc::clone(secrets),
            _ => {
                let secrets = Arc::new(SecretIds::look(places));
                *found = Some((Instant::now(), Arc::clone(&secrets)));
                secrets
            }
        }
    }
}

/// The files and folders that are secrets as a whole, as they are now; and dogu's own.
pub(crate) fn secrets_of(places: &Places) -> Vec<PathBuf> {
    let home = places.home.iter().flat_map(|home| PLACES.map(|name| home.join(name)));
    let is_secret = |path: &PathBuf| {
        let found = fs::symlink_metadata(path);
        found.is_ok_and(|_| sensitive(path, path.is_dir(), places).is_some())
    };
    home.chain(places.private.iter().cloned()).filter(is_secret).collect()
}

impl SecretIds {
    /// The name by which this file is known as a secret.
    pub(crate) fn file(&self, stat: &Stat) -> Option<&Path> {
        self.files.get(&(stat.st_dev, stat.st_ino)).map(PathBuf::as_path)
    }

    /// The name by which this folder is known as a place of secrets.
    pub(crate) fn folder(&self, stat: &Stat) -> Option<&Path> {
        self.folders.get(&(stat.st_dev, stat.st_ino)).map(PathBuf::as_path)
    }

    fn look(places: &Places) -> Self {
        let mut look = Look { places, left: MAX_LOOKS, found: Self::default() };
        let home = places.home.iter().flat_map(|home| PLACES.map(|name| home.join(name)));
        let candidates: Vec<PathBuf> = home.chain(places.private.iter().cloned()).collect();
        // First by their own names, so that a folder with many files does not use up the looks.
        for path in &candidates {
            look.name(path);
        }
        for path in &candidates {
            look.inside(path);
        }
        look.found
    }
}

struct Look<'a> {
    places: &'a Places,
    left: usize,
    found: SecretIds,
}

impl Look<'_> {
    /// A folder whose files may be secrets.
    fn inside(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten().take(self.left) {
            self.name(&entry.path());
        }
    }

    /// A name that may be a secret. Where a link leads is somebody's decision, not a disguise.
    fn name(&mut self, path: &Path) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        let Ok(found) = fs::symlink_metadata(path) else { return };
        if sensitive(path, found.is_dir(), self.places).is_none() {
            return;
        }
        let identity = (found.dev(), found.ino());
        if found.is_file() {
            self.found.files.insert(identity, path.to_path_buf());
        } else if found.is_dir() {
            self.found.folders.insert(identity, path.to_path_buf());
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::stat;

    use super::*;

    #[test]
    fn s2_secrets_are_known_under_any_name() {
        let base = tempfile::tempdir().unwrap();
        let home = base.path().canonicalize().unwrap();
        for (name, text) in
            [(".ssh/id_x", "key"), (".netrc", "pw"), (".cargo/config.toml", ""), ("own/token", "t")]
        {
            fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
            fs::write(home.join(name), text).unwrap();
        }
        fs::hard_link(home.join(".ssh/id_x"), home.join("notes.txt")).unwrap();
        let places = Places {
            home: Some(home.clone()),
            private: vec![home.join("own")],
            ..Places::default()
        };
        let known = KnownSecrets::default().now(&places);
        let file = |name: &str| known.file(&stat(home.join(name)).unwrap()).map(Path::to_path_buf);
        assert_eq!(file("notes.txt"), Some(home.join(".ssh/id_x")));
        assert_eq!(file(".netrc"), Some(home.join(".netrc")));
        assert_eq!(file("own/token"), Some(home.join("own/token")));
        assert_eq!(file(".cargo/config.toml"), None);
        assert_eq!(
            known.folder(&stat(home.join(".ssh")).unwrap()),
            Some(home.join(".ssh").as_path())
        );
        assert_eq!(known.folder(&stat(home.join(".cargo")).unwrap()), None);
    }
}
