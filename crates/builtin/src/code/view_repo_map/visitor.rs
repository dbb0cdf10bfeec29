//! What each thread of the walk does.

use std::fs::File;
use std::io::{Read as _, Take};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dogu_code::language::{Language, MAX_BYTES, Unparsed};
use dogu_code::map::{Content, NamePool, Outline, StoredFile};
use dogu_tool::{Ctx, FileKind, Onward, ToolError, Visitor, WalkEntry};

use super::kept::{Known, MAX_WEIGHT, stamp, weight};
use super::totals::Totals;
use crate::names::shown;
use crate::progress::Progress;

/// Of larger files one is parsed at a time: a tree can take a hundred times the memory of its text.
const BIG_BYTES: usize = 64 * 1024;
/// How far a NUL byte is looked for.
const SNIFF_BYTES: usize = 8_000;

/// What the threads of a walk share.
pub(super) struct Shared<'a> {
    pub(super) ctx: &'a Ctx,
    pub(super) known: &'a Known,
    /// What is walked, without `.` and doubled slashes.
    pub(super) start: &'a Path,
    weight: AtomicUsize,
    big: Mutex<()>,
    progress: Progress<'a>,
    found: Mutex<Found>,
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<StoredFile>,
    pub(super) totals: Totals,
}

impl<'a> Shared<'a> {
    pub(super) fn new(ctx: &'a Ctx, known: &'a Known, start: &'a Path) -> Self {
        let (weight, big) = (AtomicUsize::new(0), Mutex::new(()));
        let (progress, found) = (Progress::new(ctx), Mutex::default());
        Self { ctx, known, start, weight, big, progress, found }
    }

    /// As a call names the file.
    fn name(&self, path: &Path) -> String {
        let below = path.strip_prefix(self.ctx.scope().workdir()).unwrap_or(path);
        shown("", below.as_os_str().as_bytes())
    }

    pub(super) fn into_found(self) -> Found {
        self.found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Parses the files that one thread comes by. What it found is handed over when it is dropped.
pub(super) struct Mapper<'a> {
    shared: &'a Shared<'a>,
    pool: NamePool,
    found: Found,
    buffer: Vec<u8>,
}

impl<'a> Mapper<'a> {
    pub(super) fn new(shared: &'a Shared<'a>) -> Self {
        Self { shared, pool: NamePool::default(), found: Found::default(), buffer: Vec::new() }
    }

    fn file(&mut self, entry: &dyn WalkEntry) -> Result<(), ToolError> {
        let path = self.shared.start.join(entry.path());
        let path = if entry.path().as_os_str().is_empty() { self.shared.start } else { &path };
        if Language::of(path, b"").is_none() && !Language::needs_start(path) {
            self.found.totals.add_unknown(path);
            return Ok(());
        }
        let facts = entry.facts()?;
        if facts.size == 0 {
            self.found.totals.add_empty(path);
            return Ok(());
        }
        let name = shown("", path.as_os_str().as_bytes());
        if facts.size > MAX_BYTES as u64 {
            self.too_large(path);
            return Ok(());
        }
        let stamp = stamp(&facts.stamp);
        if let Some(file) = self.shared.known.untouched(&name, &stamp) {
            self.keep(path, file.clone());
            return Ok(());
        }
        if self.read(entry)? {
            let hash = *blake3::hash(&self.buffer).as_bytes();
            let same = self.shared.known.same(&name, &hash).map(|file| file.content.clone());
            if let Some(content) = same.or_else(|| self.content(path)) {
                self.keep(path, StoredFile { path: name, stamp, hash, content });
            }
        } else {
            self.too_large(path);
        }
        Ok(())
    }

    /// Files without an ending are told only where they are code.
    fn too_large(&mut self, path: &Path) {
        if Language::needs_start(path) {
            self.found.totals.add_unknown(path);
        } else {
            self.found.totals.too_large.add(|| self.shared.name(path));
        }
    }

    /// Reads a file; not further than what can be parsed, and says whether that is all.
    fn read(&mut self, entry: &dyn WalkEntry) -> Result<bool, ToolError> {
        self.buffer.clear();
        let mut file: Take<File> = entry.open()?.take(MAX_BYTES as u64 + 1);
        file.read_to_end(&mut self.buffer)
            .map_err(|error| ToolError::failed(format!("could not be read: {error}")))?;
        Ok(self.buffer.len() <= MAX_BYTES)
    }

    /// What was read; none where the call was canceled.
    fn content(&mut self, path: &Path) -> Option<Content> {
        let Some(language) = Language::of(path, &self.buffer) else {
            return Some(Content::NoLanguage);
        };
        let Some(text) = text(&self.buffer) else { return Some(Content::Binary) };
        let cancel = self.shared.ctx.cancel();
        let _alone = (text.len() > BIG_BYTES)
            .then(|| self.shared.big.lock().unwrap_or_else(PoisonError::into_inner));
        match Outline::of(&text, language, &|| cancel.is_canceled()) {
            Ok(mut outline) => {
                self.pool.share(&mut outline);
                Some(Content::Code(Arc::new(outline)))
            }
            Err(Unparsed::Stopped) => None,
            Err(_) => Some(Content::TooHard),
        }
    }

    fn keep(&mut self, path: &Path, file: StoredFile) {
        let totals = &mut self.found.totals;
        let name = || self.shared.name(path);
        match &file.content {
            Content::Code(_) => {}
            Content::TooHard => totals.too_hard.add(name),
            Content::Binary => totals.binary.add(name),
            Content::NoLanguage => totals.add_unknown(path),
        }
        let own = weight(&file.content);
        if self.shared.weight.fetch_add(own, Ordering::Relaxed) + own > MAX_WEIGHT {
            self.shared.weight.fetch_sub(own, Ordering::Relaxed);
            totals.too_many.add(name);
        } else {
            self.found.files.push(file);
        }
    }
}

impl Visitor for Mapper<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        let ctx = self.shared.ctx;
        if ctx.cancel().is_canceled() {
            return Onward::Stop;
        }
        if entry.kind() != FileKind::File {
            return Onward::Go;
        }
        self.found.totals.files += 1;
        if let Err(error) = self.file(entry) {
            let name = self.shared.name(&self.shared.start.join(entry.path()));
            self.found.totals.unreadable.add(|| format!("{name} ({error})"));
        }
        self.shared.progress.add(1, |files| format!("{files} files mapped"));
        Onward::Go
    }
}

impl Drop for Mapper<'_> {
    fn drop(&mut self) {
        let Found { files, totals } = std::mem::take(&mut self.found);
        let mut found = self.shared.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.files.extend(files);
        found.totals.merge(totals);
    }
}

/// The text of a file, whatever its encoding is: names in code are plain letters in all that have
/// no mark of their own. None where it is no text.
fn text(bytes: &[u8]) -> Option<std::borrow::Cow<'_, str>> {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        return Some(encoding.decode_without_bom_handling(&bytes[mark..]).0);
    }
    let is_binary = bytes[..bytes.len().min(SNIFF_BYTES)].contains(&0);
    (!is_binary).then(|| String::from_utf8_lossy(bytes))
}
