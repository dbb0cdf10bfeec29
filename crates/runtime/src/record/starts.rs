//! Starts that are on disk before their row is.
//!
//! A call that may change something must not begin without a trace, and a transaction is a slow
//! way to leave one: it waits for other processes. So its start, redacted, is a line that the
//! caller itself appends to a file of its run; the row follows with the next batch. Of a run that
//! died, the lines without a row become rows, interrupted. The file is emptied whenever all of its
//! lines have their row.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::columns::{Changing, Fixed, RowWrite};

/// How the file of a run is called.
pub(super) const EXTENSION: &str = "starts";
/// Emptying it is a system call, made only when there is something to gain.
const WORTH_EMPTYING: u64 = 64 * 1024;

/// The file of this run.
#[derive(Debug)]
pub(super) struct Starts {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Made with the first line: most processes change nothing.
    file: Option<File>,
    bytes: u64,
    /// Lines whose row is not in the database yet.
    without_row: usize,
}

impl Starts {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, state: Mutex::default() }
    }

    /// Appends the start of a call; whether it is on disk now.
    pub(super) fn append(&self, row: &RowWrite) -> bool {
        let line = line_of(row);
        let mut state = self.lock();
        if state.file.is_none() {
            state.file = create(&self.path).ok();
        }
        let Some(file) = &mut state.file else { return false };
        // One write: a process that dies leaves whole lines, but for the last.
        if file.write_all(line.as_bytes()).is_err() {
            return false;
        }
        state.bytes += line.len() as u64;
        state.without_row += 1;
        true
    }

    /// So many lines have their row now, or never will.
    pub(super) fn settle(&self, count: usize) {
        let mut state = self.lock();
        state.without_row = state.without_row.saturating_sub(count);
        if state.without_row == 0 && state.bytes > WORTH_EMPTYING {
            let emptied = state.file.as_ref().is_some_and(|file| file.set_len(0).is_ok());
            state.bytes = if emptied { 0 } else { state.bytes };
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn create(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)
}

/// What a run left; lines that were cut off are left out.
pub(super) fn read(path: &Path) -> Vec<RowWrite> {
    let text = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().filter_map(row_of).collect()
}

fn line_of(row: &RowWrite) -> String {
    let empty = Fixed::default();
    let fixed = row.fixed.as_ref().unwrap_or(&empty);
    let changing = &row.changing;
    let mut line = json!([
        row.number,
        [fixed.call_id, fixed.principal, fixed.session, fixed.agent],
        [fixed.turn_id, fixed.trace_id, fixed.tool, fixed.source],
        fixed.generated_at,
        fixed.may_write,
        [changing.input, changing.actions, changing.decision, changing.reasons],
    ])
    .to_string();
    line.push('\n');
    line
}

fn row_of(line: &str) -> Option<RowWrite> {
    let line: Value = serde_json::from_str(line).ok()?;
    let text = |part: usize, at: usize| line[part][at].as_str().map(ToOwned::to_owned);
    let fixed = Fixed {
        call_id: text(1, 0),
        principal: text(1, 1),
        session: text(1, 2),
        agent: text(1, 3),
        turn_id: text(2, 0),
        trace_id: text(2, 1),
        tool: text(2, 2),
        source: text(2, 3),
        generated_at: line[3].as_i64(),
        may_write: line[4].as_bool(),
    };
    let changing = Changing {
        status: Some("interrupted"),
        input: text(5, 0),
        actions: text(5, 1),
        decision: text(5, 2),
        reasons: text(5, 3),
        ..Changing::default()
    };
    Some(RowWrite { number: line[0].as_u64()?, fixed: Some(fixed), changing })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u64) -> RowWrite {
        let fixed = Fixed {
            call_id: Some(format!("c{number}\n\"")),
            generated_at: Some(7),
            may_write: Some(true),
            ..Fixed::default()
        };
        let changing = Changing { input: Some("{}".into()), ..Changing::default() };
        RowWrite { number, fixed: Some(fixed), changing }
    }

    #[test]
    fn lines_come_back_and_a_line_that_was_cut_off_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.starts");
        let starts = Starts::new(path.clone());
        assert!(starts.append(&row(1)) && starts.append(&row(2)));
        let mut bytes = fs::read(&path).unwrap();
        bytes.truncate(bytes.len() - 5);
        fs::write(&path, bytes).unwrap();
        let [only] = read(&path).try_into().unwrap();
        let RowWrite { number: 1, fixed: Some(fixed), changing } = only else { panic!("{only:?}") };
        assert_eq!(fixed.call_id.as_deref(), Some("c1\n\""));
        assert_eq!((fixed.generated_at, fixed.may_write), (Some(7), Some(true)));
        assert_eq!((changing.status, changing.input.as_deref()), (Some("interrupted"), Some("{}")));
    }

    #[test]
    fn the_file_is_emptied_only_when_every_line_has_its_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.starts");
        let starts = Starts::new(path.clone());
        let count = 2_000;
        (0..count).for_each(|number| assert!(starts.append(&row(number))));
        starts.settle(1_999);
        assert_eq!(read(&path).len(), 2_000);
        starts.settle(1);
        assert!(read(&path).is_empty());
        assert!(starts.append(&row(5)));
        assert_eq!(read(&path).len(), 1);
    }
}
