//! One client's file: what would change in it, and the change.

use std::path::PathBuf;

use serde_json::Value;

use crate::client::Client;
use crate::edit::{self, EditError};
use crate::file::{FileError, Stored};
use crate::server::{Server, ServerError, Transport, head};

/// How many backups are looked at for the one that an entry was put into.
const BACKUPS_LOOKED_AT: usize = 32;

/// An entry of a client's file.
#[derive(Clone, Debug)]
pub struct Target {
    /// The client.
    pub client: Client,
    /// Its file.
    pub path: PathBuf,
    /// A folder that the file must not lead out of.
    pub within: Option<PathBuf>,
    /// The name of the entry.
    pub name: String,
}

/// What a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The entry is new.
    Added,
    /// It takes the place of another.
    Replaced,
    /// It is there, just so.
    AlreadyThere,
    /// It is taken out.
    Removed,
    /// There is nothing to take out.
    NotThere,
}

impl Outcome {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::AlreadyThere => "already there",
            Self::Removed => "removed",
            Self::NotThere => "not there",
        }
    }
}

/// What would be done to a file.
#[derive(Debug)]
pub struct Change {
    /// What it is.
    pub outcome: Outcome,
    /// The entry that is there.
    pub old: Option<Value>,
    /// The entry that is wanted.
    pub new: Option<Value>,
    /// What the file holds now; none where there is no file.
    pub before: Option<String>,
    /// What it will hold; none where it is taken away.
    pub after: Option<String>,
    stored: Stored,
    is_private: bool,
}

/// What was done to a file.
#[derive(Debug)]
pub struct Done {
    /// The copy of what it was, where one was made now.
    pub backup: Option<PathBuf>,
}

/// Why a file is left as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// It cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It holds something that cannot be changed safely.
    #[error("{} is left as it is", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: EditError,
    },
    /// The entry cannot be made.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// Another entry has the name.
    #[error("{} has another entry of this name", path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// The entry that is there.
        old: Box<Value>,
        /// The one that is wanted.
        new: Box<Value>,
    },
}

impl Target {
    /// What putting the server into the file would change; an entry of this name that says
    /// something else is replaced only by force.
    pub fn install(&self, server: &Server, is_forced: bool) -> Result<Change, TargetError> {
        let entry = server.entry(self.client)?;
        let place = self.client.place();
        let stored = self.read()?;
        let is_private = matches!(server.transport, Transport::Http { .. });
        let change = |outcome, old, after, stored: Stored| Change {
            outcome,
            old,
            new: Some(entry.clone()),
            before: stored.text.clone(),
            after,
            stored,
            is_private,
        };
        let Some(text) = stored.text.clone() else {
            let after = edit::fresh(place, head(self.client), &self.name, &entry);
            return Ok(change(Outcome::Added, None, Some(after), stored));
        };
        match edit::find(place, &text, &self.name).map_err(|error| self.left(error))? {
            None => {
                let after = edit::insert(place, &text, &self.name, &entry);
                let after = after.map_err(|error| self.left(error))?;
                Ok(change(Outcome::Added, None, Some(after), stored))
            }
            Some(old) if old == entry => {
                Ok(change(Outcome::AlreadyThere, Some(old), Some(text), stored))
            }
            Some(old) if is_forced => {
                let after = edit::replace(place, &text, &self.name, &entry);
                let after = after.map_err(|error| self.left(error))?;
                Ok(change(Outcome::Replaced, Some(old), Some(after), stored))
            }
            Some(old) => Err(TargetError::Different {
                path: self.path.clone(),
                old: Box::new(old),
                new: Box::new(entry),
            }),
        }
    }

    /// What taking the entry out of the file would change.
    pub fn uninstall(&self) -> Result<Change, TargetError> {
        let place = self.client.place();
        let stored = self.read()?;
        let change = |outcome, old, after, stored: Stored| Change {
            outcome,
            old,
            new: None,
            before: stored.text.clone(),
            after,
            stored,
            is_private: true,
        };
        let Some(text) = stored.text.clone() else {
            return Ok(change(Outcome::NotThere, None, None, stored));
        };
        let found = edit::find(place, &text, &self.name).map_err(|error| self.left(error))?;
        let Some(old) = found else {
            return Ok(change(Outcome::NotThere, None, Some(text), stored));
        };
        let after = match self.before_install(&stored, &text, &old) {
            Some(original) => Some(original),
            None if text == edit::fresh(place, head(self.client), &self.name, &old) => None,
            None => {
                let rest = edit::remove(place, &text, &self.name);
                Some(rest.map_err(|error| self.left(error))?)
            }
        };
        Ok(change(Outcome::Removed, Some(old), after, stored))
    }

    /// The backup from which putting the entry in makes exactly what is there now.
    fn before_install(&self, stored: &Stored, text: &str, entry: &Value) -> Option<String> {
        let place = self.client.place();
        let backups = stored.backups().into_iter().take(BACKUPS_LOOKED_AT);
        let originals = backups.filter_map(|path| std::fs::read_to_string(path).ok());
        originals
            .filter(|original| original.len() < text.len())
            .filter(|original| matches!(edit::find(place, original, &self.name), Ok(None)))
            .find(|original| {
                edit::insert(place, original, &self.name, entry).is_ok_and(|made| made == text)
            })
    }

    fn read(&self) -> Result<Stored, TargetError> {
        Ok(Stored::read(&self.path, self.within.as_deref())?)
    }

    fn left(&self, source: EditError) -> TargetError {
        TargetError::Edit { path: self.path.clone(), source }
    }
}

impl Change {
    /// Whether anything would be written.
    pub fn is_one(&self) -> bool {
        self.before != self.after
    }

    /// Whether the file, which may hold a token, can be read by others.
    pub fn is_read_by_others(&self) -> bool {
        self.stored.is_read_by_others()
    }

    /// Makes the change, with a backup of what was there.
    pub fn apply(&self) -> Result<Done, FileError> {
        if !self.is_one() {
            return Ok(Done { backup: None });
        }
        let backup = self.stored.back_up()?;
        let made = match &self.after {
            Some(text) => self.stored.replace(text, self.is_private),
            None => self.stored.remove(),
        };
        if made.is_err()
            && let Some(backup) = &backup
        {
            // It is a copy of what is still there.
            let _ = std::fs::remove_file(backup);
        }
        made.map(|()| Done { backup })
    }
}
