//! Contents by their hash: `blobs/ab/abcd…`.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::store;

/// The contents of a journal.
#[derive(Clone, Debug)]
pub(super) struct Blobs {
    /// The journal's folder.
    journal: PathBuf,
}

impl Blobs {
    pub(super) fn in_journal(journal: &Path) -> Self {
        Self { journal: journal.to_path_buf() }
    }

    /// The folder of all.
    pub(super) fn folder(&self) -> PathBuf {
        self.journal.join("blobs")
    }

    pub(super) fn path(&self, hash: &str) -> PathBuf {
        self.folder().join(hash.get(..2).unwrap_or_default()).join(hash)
    }

    /// Keeps what a reader gives, which must have this hash; says how many bytes were added. With
    /// `durable` it is on the disk afterwards, also where it was kept before.
    pub(super) fn keep(
        &self,
        hash: blake3::Hash,
        content: &mut dyn Read,
        durable: bool,
    ) -> io::Result<Option<u64>> {
        let path = self.path(hash.to_hex().as_str());
        match open(&path) {
            Ok(kept) => {
                if durable {
                    kept.sync_data()?;
                }
                return Ok(Some(0));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut size = 0;
        let written = store::write(&self.journal, &path, durable, |file| {
            let found = copy(content, file, &mut size)?;
            if found == hash { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
        });
        match written {
            Ok(()) => Ok(Some(size)),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What was kept; none where it is not any more, or is damaged.
    pub(super) fn get(&self, hash: &str) -> io::Result<Option<Vec<u8>>> {
        let mut content = Vec::new();
        match open(&self.path(hash)) {
            Ok(mut file) => file.read_to_end(&mut content)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let intact = blake3::hash(&content).to_hex().as_str() == hash;
        Ok(intact.then_some(content))
    }
}

fn open(path: &Path) -> io::Result<File> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    fs::OpenOptions::new().read(true).custom_flags(no_follow).open(path)
}

fn copy(from: &mut dyn Read, to: &mut File, size: &mut u64) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let count = from.read(&mut buffer)?;
        if count == 0 {
            return Ok(hasher.finalize());
        }
        hasher.update(&buffer[..count]);
        to.write_all(&buffer[..count])?;
        *size += count as u64;
    }
}
