//! What is about to happen, written down before it does.

use std::fs;
use std::io;

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::{Journal, store};
use crate::files::transaction::{Step, Stripes};

/// Changes on their way, with all that another process needs to finish them or take them back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Intent {
    #[serde(flatten)]
    pub(crate) entry: Entry,
    pub(crate) stage: Stage,
    pub(crate) steps: Vec<Step>,
}

/// How far changes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// New files are being written; no old one was touched.
    Begun,
    /// It will happen.
    Committed,
    /// It could not happen, and is being taken back.
    Back,
}

impl Intent {
    /// The locks that its owner holds for as long as it lives.
    pub(super) fn stripes(&self) -> Stripes {
        Stripes::of(self.steps.iter().flat_map(Step::paths))
    }
}

impl Journal {
    /// Writes an intent down, in place of what it was before.
    pub(crate) fn write_intent(&self, intent: &Intent, durable: bool) -> io::Result<()> {
        let path = store::path_of(&self.begun(), &intent.entry.id);
        store::write(&self.folder(), &path, durable, |file| {
            Ok(serde_json::to_writer(io::BufWriter::new(file), intent)?)
        })
    }

    /// The changes have happened: the intent is an entry now.
    pub(crate) fn finish_intent(&self, id: &str) -> io::Result<()> {
        fs::rename(store::path_of(&self.begun(), id), store::path_of(&self.entries_folder(), id))
    }

    /// Nothing happened.
    pub(crate) fn drop_intent(&self, id: &str) -> io::Result<()> {
        fs::remove_file(store::path_of(&self.begun(), id))
    }

    pub(super) fn read_intent(&self, id: &str) -> io::Result<Option<Intent>> {
        match fs::read(store::path_of(&self.begun(), id)) {
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}
