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
        let mut line = Vec::new();
        file.take(100).read_to_end(&mut line)?;
        let line = String::from_utf8_lossy(&line);
        let mut numbers = line.split_whitespace().map(|word| word.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Ok(Self { last: next(), bytes: next(), swept: next() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let largest = Usage { last: u64::MAX, bytes: u64::MAX, swept: u64::MAX };
        for usage in [Usage { last: 1, bytes: 2, swept: 3 }, largest, Usage::default()] {
            Usage::update(folder.path(), |found| *found = usage).unwrap();
            assert_eq!(Usage::update(folder.path(), |_| {}).unwrap(), usage);
        }
    }

    proptest! {
        #[test]
        fn what_is_damaged_does_no_harm(damage in prop::collection::vec(any::<u8>(), 0..90)) {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("usage"), damage).unwrap();
            let read = Usage::update(folder.path(), |usage| usage.bytes = 7).unwrap();
            prop_assert_eq!(read.bytes, 7);
            prop_assert_eq!(Usage::update(folder.path(), |_| {}).unwrap(), read);
        }
    }
}
