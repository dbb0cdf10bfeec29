//! Reading the record, while any process writes to it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, Row, ToSql};
use serde_json::Value;

use super::columns::micros;
use super::error::RecordError;
use super::row::{CallRow, Gap, RecordStatus, system_time};
use super::runs;
use super::store::{FORMAT, OPEN, file_id, first_number, keep_log_on_close, unended};
use super::{Record, RecordOptions};
use crate::redact::Redactor;
use crate::state::StateDir;

/// Which calls to read. The default is the hundred newest.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Only calls of this tool.
    pub tool: Option<String>,
    /// Only calls that are, or ended, so.
    pub status: Option<RecordStatus>,
    /// Only calls that were generated then or later.
    pub since: Option<SystemTime>,
    /// Only calls that were generated before then.
    pub until: Option<SystemTime>,
    /// Only calls of this principal.
    pub principal: Option<String>,
    /// Only calls with this id.
    pub call_id: Option<String>,
    /// At most so many, the newest.
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            tool: None,
            status: None,
            since: None,
            until: None,
            principal: None,
            call_id: None,
            limit: 100,
        }
    }
}

/// A connection that only reads. Where there is no record yet, it is empty.
#[derive(Debug)]
pub struct RecordReader {
    path: PathBuf,
    runs: PathBuf,
    open: Mutex<Option<OpenDatabase>>,
}

#[derive(Debug)]
struct OpenDatabase {
    connection: Connection,
    file: Option<(u64, u64)>,
}

impl RecordReader {
    /// A reader of the record in this state folder. It creates no record; what a dead process
    /// noted and did not write gets its rows.
    pub fn open(state: &StateDir) -> Result<Self, RecordError> {
        let reader =
            Self { path: state.database(), runs: runs::folder(state), open: Mutex::default() };
        // What a process noted and died before it wrote is part of the record. Without the right
        // to write, it is left to whoever has it.
        if runs::any_dead_left_starts(&reader.runs) {
            drop(Record::open(state, Redactor::new(), RecordOptions::default()));
        }
        // A record that cannot be read is reported here, not at the first question.
        reader.with((), |_| Ok(()))?;
        Ok(reader)
    }

    /// The calls that pass the filter, newest first.
    pub fn query(&self, filter: &Filter) -> Result<Vec<CallRow>, RecordError> {
        self.with(Vec::new(), |connection| {
            let status = self.status_expression(connection)?;
            let (conditions, values) = conditions(filter, &status);
            let sql = format!(
                "{} WHERE {conditions} ORDER BY calls.number DESC LIMIT ?",
                select(&status)
            );
            rows(connection, &sql, values)
        })
    }

    /// The calls that were added or changed after `revision`, in that order, and the revision
    /// to ask with next time. A call that changed twice comes once, as it is now.
    pub fn changes_since(
        &self,
        revision: i64,
        limit: usize,
    ) -> Result<(Vec<CallRow>, i64), RecordError> {
        self.with((Vec::new(), revision), |connection| {
            let status = self.status_expression(connection)?;
            let sql = format!("{} WHERE revision > ? ORDER BY revision LIMIT ?", select(&status));
            let found =
                rows(connection, &sql, vec![Box::new(revision), Box::new(sql_limit(limit))])?;
            let last = found.last().map_or(revision, |row| row.revision);
            Ok((found, last))
        })
    }

    /// The newest revision, to follow what comes from now on; 0 where there is no record.
    pub fn revision(&self) -> Result<i64, RecordError> {
        self.with(0, |connection| {
            connection
                .query_row("SELECT coalesce(max(revision), 0) FROM calls", [], |row| row.get(0))
        })
    }

    /// Where entries are missing, oldest first.
    pub fn gaps(&self) -> Result<Vec<Gap>, RecordError> {
        self.with(Vec::new(), |connection| {
            connection
                .prepare_cached(
                    "SELECT runs.id, at, lost FROM gaps JOIN runs ON runs.number = gaps.run
                     ORDER BY gaps.number",
                )?
                .query_map([], |row| {
                    Ok(Gap {
                        run: row.get(0)?,
                        at: system_time(row.get(1)?),
                        lost: row.get::<_, i64>(2)?.unsigned_abs(),
                    })
                })?
                .collect()
        })
    }

    /// Asks the database, opened if need be; `empty` is the answer where there is none.
    fn with<T>(
        &self,
        empty: T,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, RecordError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let file = file_id(&self.path);
        if open.as_ref().is_none_or(|open| open.file != file) {
            *open = None;
            if file.is_some() {
                *open = self.connect()?.map(|connection| OpenDatabase { connection, file });
            }
        }
        match &*open {
            Some(open) => ask(&open.connection).map_err(RecordError::database("read", &self.path)),
            None => Ok(empty),
        }
    }

    /// Nothing if the database is there but was not filled yet.
    fn connect(&self) -> Result<Option<Connection>, RecordError> {
        let failed = RecordError::database("read", &self.path);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(&failed)?;
        keep_log_on_close(&connection).map_err(&failed)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(&failed)?;
        let found: i64 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(&failed)?;
        match found {
            0 => Ok(None),
            FORMAT => Ok(Some(connection)),
            _ => Err(RecordError::Newer { path: self.path.clone(), found, known: FORMAT }),
        }
    }

    /// The status as SQL: open calls of runs that are over are interrupted, even if no process
    /// has come by to say so.
    fn status_expression(&self, connection: &Connection) -> rusqlite::Result<String> {
        let dead: Vec<_> = unended(connection)?
            .into_iter()
            .filter(|(_, id)| runs::is_dead(&self.runs, id))
            .map(|(number, _)| number.to_string())
            .collect();
        if dead.is_empty() {
            return Ok("status".to_owned());
        }
        let dead = dead.join(", ");
        Ok(format!("CASE WHEN {OPEN} AND run IN ({dead}) THEN 'interrupted' ELSE status END"))
    }
}

fn select(status: &str) -> String {
    format!(
        "SELECT calls.*, {status} AS shown_status, runs.id AS run_id, runs.pid AS pid
         FROM calls LEFT JOIN runs ON runs.number = calls.run"
    )
}

type Values = Vec<Box<dyn ToSql>>;

fn conditions(filter: &Filter, status: &str) -> (String, Values) {
    let mut conditions = vec!["1".to_owned()];
    let mut values: Values = Vec::new();
    let mut add = |condition: String, value: Option<Box<dyn ToSql>>| {
        if let Some(value) = value {
            conditions.push(condition);
            values.push(value);
        }
    };
    let text =
        |value: &Option<String>| value.clone().map(|value| Box::new(value) as Box<dyn ToSql>);
    let time = |at: Option<SystemTime>| at.map(|at| Box::new(micros(at)) as Box<dyn ToSql>);
    add("tool = ?".to_owned(), text(&filter.tool));
    add("principal = ?".to_owned(), text(&filter.principal));
    add("call_id = ?".to_owned(), text(&filter.call_id));
    add("generated_at >= ?".to_owned(), time(filter.since));
    add("generated_at < ?".to_owned(), time(filter.until));
    // A call is recorded when it was generated, or a little later: this bounds the search.
    let first = filter.since.map(|at| Box::new(first_number(micros(at))) as Box<dyn ToSql>);
    add("calls.number >= ?".to_owned(), first);
    let wanted = filter.status.map(|status| Box::new(status.as_str()) as Box<dyn ToSql>);
    add(format!("{status} = ?"), wanted);
    values.push(Box::new(sql_limit(filter.limit)));
    (conditions.join(" AND "), values)
}

fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn rows(connection: &Connection, sql: &str, values: Values) -> rusqlite::Result<Vec<CallRow>> {
    connection
        .prepare_cached(sql)?
        .query_map(rusqlite::params_from_iter(values), call_row)?
        .collect()
}

fn call_row(row: &Row<'_>) -> rusqlite::Result<CallRow> {
    let time = |name| Ok::<_, rusqlite::Error>(get::<Option<i64>>(row, name)?.map(system_time));
    let span = |name| {
        let micros = get::<Option<i64>>(row, name)?;
        Ok::<_, rusqlite::Error>(micros.map(|micros| Duration::from_micros(micros.unsigned_abs())))
    };
    let status: String = row.get("shown_status")?;
    Ok(CallRow {
        revision: row.get("revision")?,
        number: row.get("number")?,
        run: get::<Option<String>>(row, "run_id")?.unwrap_or_default(),
        pid: get::<Option<i64>>(row, "pid")?.unwrap_or_default(),
        // Only names of statuses are ever written.
        status: status.parse().unwrap_or(RecordStatus::Interrupted),
        call_id: row.get("call_id")?,
        tool: row.get("tool")?,
        source: row.get("source")?,
        principal: row.get("principal")?,
        session: row.get("session")?,
        agent: row.get("agent")?,
        turn_id: row.get("turn_id")?,
        trace_id: row.get("trace_id")?,
        may_write: row.get("may_write")?,
        input: json(row, "input")?.unwrap_or(Value::Null),
        actions: list(row, "actions")?,
        decision: row.get("decision")?,
        reasons: texts(row, "reasons")?,
        permission: row.get("permission")?,
        generated_at: system_time(row.get("generated_at")?),
        waiting_at: time("waiting_at")?,
        calling_at: time("calling_at")?,
        ended_at: time("ended_at")?,
        duration: span("duration_us")?,
        waited: span("waited_us")?,
        error_code: row.get("error_code")?,
        error_message: row.get("error_message")?,
        causes: texts(row, "causes")?,
        answered_by: row.get("answered_by")?,
        result_preview: row.get("result_preview")?,
        result_bytes: get::<Option<i64>>(row, "result_bytes")?.map(i64::unsigned_abs),
    })
}

fn get<T: FromSql>(row: &Row<'_>, name: &str) -> rusqlite::Result<T> {
    row.get(name)
}

fn json(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<Value>> {
    let text: Option<String> = row.get(name)?;
    Ok(text.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))))
}

fn list(row: &Row<'_>, name: &str) -> rusqlite::Result<Vec<Value>> {
    Ok(match json(row, name)? {
        Some(Value::Array(items)) => items,
        Some(other) => vec![other],
        None => Vec::new(),
    })
}

fn texts(row: &Row<'_>, name: &str) -> rusqlite::Result<Vec<String>> {
    let text = |item| match item {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(list(row, name)?.into_iter().map(text).collect())
}
