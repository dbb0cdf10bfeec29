//! How much the journal keeps, when it was last swept, and which id was the last: one line in a
//! file that is locked while it changes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use crate::state::open_private;

/// What is known of the journal as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// The milliseconds in the last id.
    pub(super) last: u64,
    /// Bytes of contents, about.
    pub(super) bytes: u64,
    /// When it was swept, in milliseconds since 1970.
    pub(super) swept: u64,
}

impl Usage {
    /// Changes what is written down, and says what it is then.
    pub(super) fn update(journal: &Path, change: impl FnOnce(&mut Self)) -> io::Result<Self> {
        let mut file = open_private(&journal.join("usage"))?;
        flock(&file, FlockOperation::LockExclusive)?;
        let mut usage = Self::read(&mut file)?;
        change(&mut usage);
        let line = format!("{:020} {:020} {:020}\n", usage.last, usage.bytes, usage.swept);
        file.rewind()?;
        // Always as long as before, so that it is never cut.
        file.write_all(line.as_bytes())?;
        Ok(usage)
    }

    /// What cannot be read counts as nothing: the next sweep counts again.
    fn read(file: &mut File) -> io::Result<Self> {
        let mut line = String::new();
        file.take(100).read_to_string(&mut line)?;
        let mut numbers = line.split_whitespace().map(|word| word.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Ok(Self { last: next(), bytes: next(), swept: next() })
    }
}
