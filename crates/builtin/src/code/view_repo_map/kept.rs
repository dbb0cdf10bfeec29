//! What is known of files from earlier calls.
//!
//! A file whose stamp is the same was not touched. One with another stamp is read and hashed, and
//! parsed only if its content is another one too.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dogu_code::map::{Content, Stored, StoredFile};
use dogu_tool::{Ctx, FileStamp, LogLevel};

/// The name in the tool's cache.
const NAME: &str = "outlines";
/// A file that changed so short a time ago can change again within the same tick of the clock.
const TICK: Duration = Duration::from_secs(2);
/// How much is kept, in names and definitions: less than 150 MB of memory.
pub(super) const MAX_WEIGHT: usize = 3_000_000;
/// What a file takes by itself, in comparison to the mention of a name.
const FILE_WEIGHT: usize = 12;
/// What a definition takes in comparison to the mention of a name.
const DEFINITION_WEIGHT: usize = 6;

/// Known files by path.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<String, StoredFile>);

impl Known {
    /// What the tool's cache holds.
    pub(super) fn load(ctx: &Ctx) -> Self {
        let stored = ctx.cache().and_then(|cache| cache.get(NAME));
        let stored = stored.and_then(|bytes| Stored::from_bytes(&bytes)).unwrap_or_default();
        Self(stored.files.into_iter().map(|file| (file.path.clone(), file)).collect())
    }

    /// The content of a file that was not touched.
    pub(super) fn untouched(&self, path: &str, stamp: &[u8]) -> Option<&StoredFile> {
        self.0.get(path).filter(|file| !stamp.is_empty() && file.stamp == stamp)
    }

    /// The content of a file that is what it was, whatever happened to it.
    pub(super) fn same(&self, path: &str, hash: &[u8; 32]) -> Option<&StoredFile> {
        self.0.get(path).filter(|file| file.hash == *hash)
    }

    /// Keeps what a walk found. Of the files that are `walked`, only those are left that it met.
    pub(super) fn save(mut self, found: Vec<StoredFile>, walked: impl Fn(&str) -> bool, ctx: &Ctx) {
        let Some(cache) = ctx.cache() else { return };
        let known = found.iter().filter(|file| self.0.get(&file.path) == Some(file)).count();
        let changed = known < found.len();
        for file in &found {
            self.0.remove(&file.path);
        }
        let before = self.0.len();
        self.0.retain(|path, _| !walked(path));
        if !changed && self.0.len() == before {
            return;
        }
        let mut files = found;
        let mut left =
            MAX_WEIGHT.saturating_sub(files.iter().map(|file| weight(&file.content)).sum());
        files.extend(self.0.into_values().filter(|file| {
            let fits = weight(&file.content) <= left;
            left -= if fits { weight(&file.content) } else { 0 };
            fits
        }));
        if let Err(error) = cache.put(NAME, &Stored { files }.to_bytes()) {
            ctx.log(LogLevel::Debug, &format!("the map is not kept: {error}"));
        }
    }
}

/// How much memory a content takes, in names.
pub(super) fn weight(content: &Content) -> usize {
    match content {
        Content::Code(outline) => {
            FILE_WEIGHT + outline.mentions.len() + DEFINITION_WEIGHT * outline.definitions.len()
        }
        _ => FILE_WEIGHT,
    }
}

/// By what it is known that a file was not touched; nothing where that cannot be told.
pub(super) fn stamp(stamp: &FileStamp) -> Vec<u8> {
    let FileStamp { device, inode, size, modified, changed } = stamp;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let settled = now.saturating_sub(TICK).as_nanos();
    if u128::try_from(*changed).is_ok_and(|changed| changed >= settled) {
        return Vec::new();
    }
    let numbers = [*device, *inode, *size].map(u64::to_le_bytes).concat();
    [numbers, [*modified, *changed].map(i128::to_le_bytes).concat()].concat()
}
