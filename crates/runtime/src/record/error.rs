//! What can go wrong with the record.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::state::StateError;

/// Why an entry could not be written or read. Cheap to clone: one failure answers many receipts.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecordError {
    /// The database has a format that this version does not know; it was not touched.
    #[error(
        "the record {} was written by a newer version (format {found}, this one knows {known})",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that is known here.
        known: i64,
    },
    /// SQLite said no.
    #[error("could not {doing} the record {}", path.display())]
    Database {
        /// What was tried.
        doing: &'static str,
        /// The database.
        path: PathBuf,
        /// What SQLite answered.
        #[source]
        source: Arc<rusqlite::Error>,
    },
    /// The operating system said no.
    #[error("could not {doing} {}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: Arc<io::Error>,
    },
    /// The state folder cannot be used.
    #[error(transparent)]
    State(Arc<StateError>),
    /// More was to be written than the queue may hold.
    #[error("the queue of the record is full")]
    Full,
    /// The writer gave the entry up: it failed inside, or the process is ending.
    #[error("the entry was not written to the record")]
    Lost,
}

impl RecordError {
    pub(super) fn io(doing: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { doing, path: path.to_owned(), source: Arc::new(source.into()) }
    }

    /// For `map_err` on what SQLite answers.
    pub(super) fn database(
        doing: &'static str,
        path: &Path,
    ) -> impl Fn(rusqlite::Error) -> RecordError {
        move |source| Self::Database { doing, path: path.to_owned(), source: Arc::new(source) }
    }

    /// The file holds something that is not, or is no longer, a database.
    pub(super) fn is_corruption(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let Self::Database { source, .. } = self else { return false };
        matches!(source.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
    }
}

impl From<StateError> for RecordError {
    fn from(error: StateError) -> Self {
        Self::State(Arc::new(error))
    }
}
