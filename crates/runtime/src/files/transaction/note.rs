//! A transaction as the journal knows it.

use std::io;
use std::path::PathBuf;

use dogu_tool::ToolError;

use super::draft::Job;
use super::look::Old;
use super::temporary::Fill;
use crate::files::roots::Roots;
use crate::files::words;
use crate::journal::{
    Beside, ChangedBy, ChangedFile, Entry, FileState, Intent, Journal, Stage, Unswept,
};

/// Where changes are written down, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct Keep<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) by: &'a ChangedBy,
    /// The first entry of the same call.
    pub(crate) first: Option<&'a str>,
    /// The call that is taken back, and whether only one file of it is.
    pub(crate) undoes: Option<(&'a str, bool)>,
}

/// An intent that is written down, and not yet an entry.
pub(super) struct Noted<'a> {
    journal: &'a Journal,
    pub(super) intent: Intent,
    _unswept: Unswept,
}

impl<'a> Noted<'a> {
    pub(super) fn begin(
        keep: Keep<'a>,
        roots: &Roots,
        files: Vec<ChangedFile>,
    ) -> Result<Self, ToolError> {
        let unswept = keep.journal.open()?;
        let (id, time) = keep.journal.next_id()?;
        let entry = Entry {
            id,
            time,
            by: keep.by.clone(),
            roots: roots.real_paths().map(PathBuf::from).collect(),
            files,
            folders: Vec::new(),
            first: keep.first.map(str::to_owned),
            undoes: keep.undoes.map(|(call, _)| call.to_owned()),
            undoes_one_file: keep.undoes.is_some_and(|(_, one_file)| one_file),
            conflicts: Vec::new(),
            beside: Beside::default(),
        };
        let intent = Intent { entry, stage: Stage::Begun, steps: Vec::new() };
        Ok(Self { journal: keep.journal, intent, _unswept: unswept })
    }

    pub(super) fn write(&self, durable: bool) -> Result<(), ToolError> {
        self.journal.write_intent(&self.intent, durable).map_err(|error| not_kept(&error))
    }

    /// Keeps the contents of a file before and after.
    pub(super) fn keep(&self, job: &Job<'_>, durable: bool) -> Result<(), ToolError> {
        if let Some(hash) = job.keeps.old {
            let mut file = job.open_old().map_err(|_| words::stale(job.asked))?;
            let kept = self.journal.keep(hash, &mut file, durable);
            if !kept.map_err(|error| not_kept(&error))? {
                return Err(words::stale(job.asked));
            }
        }
        if let (Some(hash), Fill::Bytes(content)) = (job.keeps.new, &job.fill) {
            // It is on the disk as the file itself; it need not be twice.
            let kept = self.journal.keep(hash, &mut &**content, false);
            kept.map_err(|error| not_kept(&error))?;
        }
        Ok(())
    }

    /// It has happened. Where that cannot be written down, the next start does it.
    pub(super) fn finish(self) {
        if let Err(error) = self.journal.finish_intent(&self.intent.entry.id) {
            tracing::warn!(%error, "a change could not be moved to the journal");
        }
    }

    /// Only these files have changed.
    pub(super) fn finish_some(mut self, changed: &[PathBuf]) {
        let entry = &mut self.intent.entry;
        entry.files.retain(|file| file.paths().any(|path| changed.iter().any(|at| at == path)));
        let all = self.intent.steps.iter().map(|step| step.path.clone());
        entry.conflicts = all.filter(|path| !changed.contains(path)).collect();
        if self.write(false).is_ok() {
            self.finish();
        }
    }

    /// It has not happened.
    pub(super) fn forget(self) {
        let _ = self.journal.drop_intent(&self.intent.entry.id);
    }
}

fn not_kept(error: &io::Error) -> ToolError {
    let why = match rustix::io::Errno::from_io_error(error) {
        Some(rustix::io::Errno::NOSPC) => "the disk is full".to_owned(),
        _ => error.to_string(),
    };
    ToolError::failed(format!(
        "what was there could not be kept in the journal of changes: {why}; nothing was written"
    ))
}

/// How a file is, for the journal: its content is kept unless it is too large.
pub(super) fn state_of(old: &mut Old, bounds: Option<u64>) -> io::Result<Option<FileState>> {
    let Some(largest) = bounds else { return Ok(None) };
    let hash = if old.size() <= largest { old.read_hash()? } else { old.hash };
    Ok(Some(FileState {
        hash: hash.map(|hash| hash.to_hex().to_string()),
        size: old.size(),
        mode: Some(old.stat.st_mode & 0o7777),
        kept: hash.is_some() && old.size() <= largest,
        link: None,
    }))
}

/// The same of a content that is yet to be written.
pub(super) fn state_to_be(content: &[u8], largest: u64) -> (FileState, blake3::Hash) {
    let (hash, size) = (blake3::hash(content), content.len() as u64);
    let text = Some(hash.to_hex().to_string());
    (FileState { hash: text, size, mode: None, kept: size <= largest, link: None }, hash)
}
