//! What a server said of itself the last time, so that its tools can be shown before it is started.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use dogu_runtime::mcp::Era;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The form of the file: another one is not read.
const VERSION: u32 = 1;
/// The most that is read or written.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Only the owner reads and writes.
const PRIVATE: u32 = 0o600;

/// What is remembered of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    version: u32,
    server: String,
    /// How it was reached: another program under the same name is another server.
    place: String,
    pub(crate) era: Era,
    /// The tools as the server listed them.
    pub(crate) tools: Vec<Value>,
    /// The hash of the tools: a file that was half written or changed is not read.
    hash: String,
    /// For how long the list holds.
    pub(crate) ttl_ms: Option<u64>,
    /// When it was asked for, in milliseconds since 1970.
    pub(crate) fetched_ms: u64,
}

impl Remembered {
    pub(crate) fn new(
        server: &str,
        place: &str,
        era: Era,
        tools: Vec<Value>,
        (ttl_ms, fetched_ms): (Option<u64>, u64),
    ) -> Self {
        let (server, place) = (server.to_owned(), place.to_owned());
        let hash = hash(&tools);
        Self { version: VERSION, server, place, era, tools, hash, ttl_ms, fetched_ms }
    }

    /// Reads what is remembered of exactly this server. Whatever is wrong with it, it is asked
    /// for again.
    pub(crate) fn load(folder: &Path, server: &str, place: &str) -> Option<Self> {
        let file = fs::File::open(file_of(folder, server, place)).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let read: Self = serde_json::from_slice(&bytes).ok()?;
        let is_it = read.version == VERSION && read.server == server && read.place == place;
        (is_it && read.hash == hash(&read.tools)).then_some(read)
    }

    /// Writes it: all of it or nothing.
    pub(crate) fn save(&self, folder: &Path) -> io::Result<()> {
        let bytes = serde_json::to_vec(self)?;
        if bytes.len() as u64 >= MAX_BYTES {
            return Ok(());
        }
        let path = file_of(folder, &self.server, &self.place);
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        let _ = fs::remove_file(&draft);
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(&draft)?;
        file.write_all(&bytes)?;
        fs::rename(&draft, &path)
    }
}

fn hash(tools: &[Value]) -> String {
    let text = Value::from(tools.to_vec()).to_string();
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn file_of(folder: &Path, server: &str, place: &str) -> PathBuf {
    let hash = blake3::hash(format!("{server}\0{place}").as_bytes()).to_hex();
    folder.join(format!("{}.json", &hash[..32]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_remembered_is_of_this_server_only() {
        let folder = tempfile::tempdir().unwrap();
        let tools = vec![json!({"name": "a"})];
        let known = Remembered::new("s", "npx x", Era::Legacy, tools, (Some(5), 7));
        known.save(folder.path()).unwrap();
        assert_eq!(Remembered::load(folder.path(), "s", "npx x"), Some(known));
        assert_eq!(Remembered::load(folder.path(), "s", "npx y"), None);
        assert_eq!(Remembered::load(folder.path(), "t", "npx x"), None);
    }

    #[test]
    fn what_was_changed_or_broken_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let tools = vec![json!({"name": "a"})];
        let known = Remembered::new("s", "p", Era::Modern, tools, (None, 0));
        known.save(folder.path()).unwrap();
        let file = file_of(folder.path(), "s", "p");
        let text = fs::read_to_string(&file).unwrap();
        for broken in
            [text.replace("\"a\"", "\"b\""), text[..text.len() / 2].to_owned(), String::new()]
        {
            fs::write(&file, broken).unwrap();
            assert_eq!(Remembered::load(folder.path(), "s", "p"), None);
        }
    }
}
