//! The database: opening, format, repair, and the statements that write.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, Connection, ToSql, params, params_from_iter};
use rustix::fs::{FlockOperation, flock};

use super::busy::Patience;
use super::columns::{Changing, Fixed, RowWrite, micros};
use super::error::RecordError;
use super::runs::{self, DeadRun, Run};
use crate::state::{self, StateDir};

/// The format that this version writes.
pub(super) const FORMAT: i64 = 1;
/// Calls that have no end yet.
pub(super) const OPEN: &str = "status IN ('generated', 'waiting', 'calling')";
/// A call's number is its time in microseconds, unique in its process, and these bits of its
/// run: no process has to ask for a number, and numbers are in the order of time.
const RUN_BITS: u32 = 12;
/// A call can be written this much later, in microseconds, than its number says.
const MARGIN: i64 = 10_000_000;
/// A log of more bytes than this is emptied when a process ends.
const LOG_TO_EMPTY: u64 = 1024 * 1024;
/// How long opening waits for another process that is opening.
const OPEN_PATIENCE: Duration = Duration::from_secs(5);

// Every index is a page more to write with each call, so there is one: revisions. Time needs
// none, it is in the numbers; and `open_from` says where a run's calls without an end begin.
const SCHEMA: &str = "
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, pid INTEGER NOT NULL,
    started_at INTEGER NOT NULL, ended_at INTEGER, open_from INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_alive ON runs (id) WHERE ended_at IS NULL;
CREATE TABLE calls (
    number INTEGER PRIMARY KEY, run INTEGER NOT NULL, revision INTEGER NOT NULL,
    call_id TEXT, principal TEXT, session TEXT, agent TEXT, turn_id TEXT, trace_id TEXT,
    tool TEXT, source TEXT, generated_at INTEGER NOT NULL, may_write INTEGER NOT NULL,
    status TEXT NOT NULL, waiting_at INTEGER, calling_at INTEGER, ended_at INTEGER,
    input TEXT, actions TEXT, decision TEXT, reasons TEXT, permission TEXT,
    error_code TEXT, error_message TEXT, causes TEXT, answered_by TEXT,
    result_preview TEXT, result_bytes INTEGER, duration_us INTEGER, waited_us INTEGER
) STRICT;
CREATE UNIQUE INDEX calls_revision ON calls (revision);
CREATE TABLE gaps (
    number INTEGER PRIMARY KEY, run INTEGER NOT NULL, at INTEGER NOT NULL, lost INTEGER NOT NULL
) STRICT;
";

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let names: Vec<_> = Fixed::NAMES.iter().chain(Changing::NAMES).copied().collect();
    let marks = vec!["?"; names.len() + 3].join(", ");
    format!("INSERT INTO calls (number, run, revision, {}) VALUES ({marks})", names.join(", "))
});

static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let sets: Vec<_> = Changing::NAMES
        .iter()
        .enumerate()
        .map(|(index, name)| format!("{name} = COALESCE(?{}, {name})", index + 3))
        .collect();
    format!("UPDATE calls SET revision = ?2, {} WHERE number = ?1", sets.join(", "))
});

/// An open database, with this process registered in it.
#[derive(Debug)]
pub(super) struct Store {
    connection: Connection,
    path: PathBuf,
    /// Which file is open, to notice when another one has taken its place.
    file: FileId,
    run: i64,
}

type FileId = Option<(u64, u64)>;

impl Store {
    /// Opens the database, or makes it; moves a broken one aside; registers this run; and marks
    /// the calls of runs that are over. `run` is begun if there is none yet.
    pub(super) fn open(
        state: &StateDir,
        run: &mut Option<Run>,
        patience: &Patience,
    ) -> Result<Self, RecordError> {
        let _lock = OpenLock::take(state)?;
        match Self::try_open(state, run, patience) {
            Err(error) if error.is_corruption() => {
                move_aside(&state.database(), &error)?;
                Self::try_open(state, run, patience)
            }
            other => other,
        }
    }

    fn try_open(
        state: &StateDir,
        run: &mut Option<Run>,
        patience: &Patience,
    ) -> Result<Self, RecordError> {
        let path = state.database();
        let mut connection = connect(&path, patience)?;
        let run = match run {
            Some(run) => run,
            None => run.insert(Run::begin(state)?),
        };
        let number = register(&mut connection, &run.id).map_err(failed("open", &path))?;
        bury_the_dead(&mut connection, &runs::folder(state), &run.id)
            .map_err(failed("open", &path))?;
        Ok(Self { connection, file: file_id(&path), path, run: number })
    }

    /// Another file is in the database's place, or none.
    pub(super) fn was_replaced(&self) -> bool {
        file_id(&self.path) != self.file
    }

    /// Writes rows and, if entries were lost before, how many. Says how many rows were updates
    /// of calls that are not there.
    pub(super) fn write(&mut self, rows: &[RowWrite], lost: u64) -> Result<u64, RecordError> {
        self.try_write(rows, lost).map_err(failed("write to", &self.path))
    }

    // On an error the caller drops the connection, which rolls back.
    fn try_write(&mut self, rows: &[RowWrite], lost: u64) -> rusqlite::Result<u64> {
        let connection = &self.connection;
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut revision = last_revision(connection)?;
        let mut missing = 0;
        let mut writing = RowWriter::new(connection, self.run)?;
        for row in rows {
            revision += 1;
            let changed = writing.write(revision, row)?;
            missing += u64::from(changed == 0);
        }
        drop(writing);
        if lost > 0 {
            let lost = i64::try_from(lost).unwrap_or(i64::MAX);
            connection
                .prepare_cached("INSERT INTO gaps (run, at, lost) VALUES (?, ?, ?)")?
                .execute(params![self.run, micros(SystemTime::now()), lost])?;
        }
        connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(missing)
    }

    /// Copies the log into the database; `reset` also empties the log, and makes other
    /// writers wait for that. Gives the pages in the log. A failure is no loss: the log stays.
    pub(super) fn checkpoint(&self, reset: bool) -> i64 {
        let mode = if reset { "TRUNCATE" } else { "PASSIVE" };
        let pragma = format!("PRAGMA wal_checkpoint({mode})");
        self.connection.query_row(&pragma, [], |row| row.get(1)).unwrap_or(0)
    }

    /// Says that every call before this one has its end, so that whoever buries this run has
    /// little to search. A failure only means more to search.
    pub(super) fn settled_before(&self, number: u64) {
        let number = first_number(number.cast_signed() - MARGIN);
        let _ = self
            .connection
            .execute("UPDATE runs SET open_from = ? WHERE number = ?", [number, self.run]);
    }

    /// Ends the run: calls without an end will not get one.
    pub(super) fn close(mut self) -> Result<(), RecordError> {
        let path = std::mem::take(&mut self.path);
        finish_runs(&mut self.connection, &[self.run]).map_err(failed("write to", &path))?;
        // Emptying the log waits for the disk several times, here and when it is begun anew: a
        // process that made one call leaves it to a later one.
        let log = fs::metadata(suffixed(&path, "-wal")).map_or(0, |facts| facts.len());
        if log > LOG_TO_EMPTY {
            self.checkpoint(true);
        }
        Ok(())
    }
}

/// Held while the database is opened, made, repaired or cleaned of the dead, so that two
/// processes never do so at once.
struct OpenLock(#[expect(dead_code, reason = "holds the lock until it is closed")] File);

impl OpenLock {
    fn take(state: &StateDir) -> Result<Self, RecordError> {
        let path = state.path().join("open.lock");
        let error = |error| RecordError::io("lock", &path, error);
        let file = state::open_private(&path).map_err(error)?;
        let deadline = Instant::now() + OPEN_PATIENCE;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self(file)),
                Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR)
                    if Instant::now() < deadline =>
                {
                    std::thread::sleep(Duration::from_micros(200));
                }
                Err(errno) => return Err(error(errno.into())),
            }
        }
    }
}

/// Moves a database that cannot be used out of the way, if it still is the one that is meant.
pub(super) fn move_aside_if(
    state: &StateDir,
    store: &Store,
    why: &RecordError,
) -> Result<(), RecordError> {
    let _lock = OpenLock::take(state)?;
    if store.was_replaced() { Ok(()) } else { move_aside(&store.path, why) }
}

/// Nothing is deleted: the database and its log get a new name together.
fn move_aside(path: &Path, why: &RecordError) -> Result<(), RecordError> {
    let aside = suffixed(path, &format!(".broken-{}", micros(SystemTime::now())));
    for part in ["", "-wal", "-shm"] {
        match fs::rename(suffixed(path, part), suffixed(&aside, part)) {
            Err(error) if part.is_empty() || error.kind() != io::ErrorKind::NotFound => {
                return Err(RecordError::io("move aside", path, error));
            }
            _ => {}
        }
    }
    tracing::warn!(error = %why, kept = %aside.display(), "the record was broken; a new one begins");
    Ok(())
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn connect(path: &Path, patience: &Patience) -> Result<Connection, RecordError> {
    create_if_missing(path)?;
    let failed = failed("open", path);
    let mut connection = Connection::open(path).map_err(&failed)?;
    keep_log_on_close(&connection).map_err(&failed)?;
    patience.install(&mut connection).map_err(&failed)?;
    let found: i64 =
        connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(&failed)?;
    if found > FORMAT {
        return Err(RecordError::Newer { path: path.to_owned(), found, known: FORMAT });
    }
    prepare(&mut connection, found).map_err(&failed)?;
    Ok(connection)
}

/// SQLite gives its log the permissions of the database, so this makes all of them private. A
/// file that is there is not opened here: closing it again would drop the locks that SQLite
/// holds on it elsewhere in the process.
fn create_if_missing(path: &Path) -> Result<(), RecordError> {
    match state::create_private(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(RecordError::io("create", path, error))
        }
        _ => Ok(()),
    }
}

/// SQLite deletes the log by its name when the last connection closes. After a database was
/// moved aside, that name is the log of the new one.
pub(super) fn keep_log_on_close(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map(drop)
}

fn prepare(connection: &mut Connection, found: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // The writer thread copies the log itself, when nobody waits for it.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    if found == 0 {
        let transaction = connection.transaction()?;
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        transaction.commit()?;
    }
    Ok(())
}

fn register(connection: &mut Connection, id: &str) -> rusqlite::Result<i64> {
    let now = micros(SystemTime::now());
    // Without a transaction, a statement that gives rows back commits when it is dropped, and
    // nobody hears of it if the disk is full then.
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let number = transaction.query_row(
        "INSERT INTO runs (id, pid, started_at, open_from) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET ended_at = NULL RETURNING number",
        params![id, std::process::id(), now, first_number(now - MARGIN)],
        |row| row.get(0),
    )?;
    transaction.commit()?;
    Ok(number)
}

/// Marks the calls of runs that are over. The caller holds the open lock.
fn bury_the_dead(connection: &mut Connection, folder: &Path, own: &str) -> rusqlite::Result<()> {
    let mut ids = runs::ids(folder);
    ids.extend(unended(connection)?.into_iter().map(|(_, id)| id));
    ids.sort_unstable();
    ids.dedup();
    let dead: Vec<_> =
        ids.iter().filter(|id| *id != own).filter_map(|id| DeadRun::take(folder, id)).collect();
    if dead.is_empty() {
        return Ok(());
    }
    let over: Vec<_> = unended(connection)?
        .into_iter()
        .filter(|(_, id)| dead.iter().any(|run| run.id == *id))
        .collect();
    for (number, id) in &over {
        write_noted(connection, *number, &runs::noted(folder, id))?;
    }
    let numbers: Vec<_> = over.into_iter().map(|(number, _)| number).collect();
    finish_runs(connection, &numbers)?;
    dead.into_iter().for_each(DeadRun::bury);
    Ok(())
}

/// Gives the starts that a dead run noted their rows, where it did not come to that.
fn write_noted(connection: &mut Connection, run: i64, noted: &[RowWrite]) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let mut revision = last_revision(&transaction)?;
    let mut writing = RowWriter::new(&transaction, run)?;
    for row in noted {
        let number = row_number(run, row.number);
        let known = "SELECT EXISTS (SELECT 1 FROM calls WHERE number = ?)";
        if !transaction.query_row(known, [number], |row| row.get::<_, bool>(0))? {
            revision += 1;
            writing.write(revision, row)?;
        }
    }
    drop(writing);
    transaction.commit()
}

/// The runs of which no end is known, by number and id.
pub(super) fn unended(connection: &Connection) -> rusqlite::Result<Vec<(i64, String)>> {
    connection
        .prepare_cached("SELECT number, id FROM runs WHERE ended_at IS NULL")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

fn finish_runs(connection: &mut Connection, runs: &[i64]) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for run in runs {
        interrupt(&transaction, *run)?;
        transaction.execute(
            "UPDATE runs SET ended_at = ? WHERE number = ?",
            params![micros(SystemTime::now()), run],
        )?;
    }
    transaction.commit()
}

fn interrupt(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    let numbers: Vec<i64> = connection
        .prepare_cached(&format!(
            "SELECT number FROM calls WHERE run = ?1 AND {OPEN}
             AND number >= (SELECT open_from FROM runs WHERE number = ?1)"
        ))?
        .query_map([run], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut revision = last_revision(connection)?;
    for number in numbers {
        revision += 1;
        connection
            .prepare_cached(
                "UPDATE calls SET status = 'interrupted', revision = ? WHERE number = ?",
            )?
            .execute([revision, number])?;
    }
    Ok(())
}

/// The revision before the next one. Correct among processes because it is asked for inside a
/// transaction that excludes every other writer. Never below the time, so that revisions keep
/// growing when rows are gone or a new database begins.
fn last_revision(connection: &Connection) -> rusqlite::Result<i64> {
    let newest: i64 = connection
        .prepare_cached("SELECT coalesce(max(revision), 0) FROM calls")?
        .query_row([], |row| row.get(0))?;
    Ok(newest.max(micros(SystemTime::now())))
}

/// The statements that write rows, looked up once for all rows of a transaction.
struct RowWriter<'c> {
    insert: CachedStatement<'c>,
    update: CachedStatement<'c>,
    run: i64,
}

impl<'c> RowWriter<'c> {
    fn new(connection: &'c Connection, run: i64) -> rusqlite::Result<Self> {
        let insert = connection.prepare_cached(&INSERT)?;
        Ok(Self { insert, update: connection.prepare_cached(&UPDATE)?, run })
    }

    /// How many rows it changed: none where the call to update is not there.
    fn write(&mut self, revision: i64, row: &RowWrite) -> rusqlite::Result<usize> {
        let number = row_number(self.run, row.number);
        let changing = row.changing.values();
        let Some(fixed) = &row.fixed else {
            let head: [&dyn ToSql; 2] = [&number, &revision];
            return self.update.execute(params_from_iter(head.into_iter().chain(changing)));
        };
        let head: [&dyn ToSql; 3] = [&number, &self.run, &revision];
        let values = head.into_iter().chain(fixed.values()).chain(changing);
        self.insert.execute(params_from_iter(values))
    }
}

fn row_number(run: i64, number: u64) -> i64 {
    number.cast_signed() << RUN_BITS | run & ((1 << RUN_BITS) - 1)
}

/// No call that was begun at `micros` or later has a smaller number.
pub(super) fn first_number(micros: i64) -> i64 {
    micros << RUN_BITS
}

/// Which file a path names now.
pub(super) fn file_id(path: &Path) -> FileId {
    fs::metadata(path).ok().map(|facts| (facts.dev(), facts.ino()))
}

fn failed(doing: &'static str, path: &Path) -> impl Fn(rusqlite::Error) -> RecordError {
    RecordError::database(doing, path)
}
