//! `dogu log`: what was called, and how it ended.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use dogu_runtime::record::{CallRow, Filter, RecordReader};
use jiff::{SignedDuration, Timestamp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;

use crate::args::Log;
use crate::problem::Problem;
use crate::setup;
use crate::show::{one_line, still_read};

/// How often `--follow` looks.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How many changes one look takes.
const CHANGES_AT_ONCE: usize = 1_000;

pub(crate) fn run(log: &Log) -> Result<ExitCode, Problem> {
    let state = setup::open_state()?;
    let reader = RecordReader::open(&state).map_err(|error| Problem::of(&error))?;
    let mut revision = reader.revision().map_err(|error| Problem::of(&error))?;
    let mut rows = reader.query(&filter(log)).map_err(|error| Problem::of(&error))?;
    // Newest last, as a log is read, and as `--follow` goes on.
    rows.sort_by_key(|row| row.revision);
    if rows.is_empty() && !log.follow && !log.json {
        anstream::eprintln!("no calls are recorded (that match)");
    }
    if !print(&rows, log.json)? || !log.follow {
        return Ok(ExitCode::SUCCESS);
    }
    while still_open(LOOK_EVERY) {
        let changes = reader.changes_since(revision, CHANGES_AT_ONCE);
        let (rows, newest) = changes.map_err(|error| Problem::of(&error))?;
        revision = newest;
        let rows: Vec<CallRow> = rows.into_iter().filter(|row| matches(row, log)).collect();
        if !print(&rows, log.json)? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits, or less long if the reader of stdout goes away: then there is nothing to follow for,
/// and no write that would show it may ever come.
fn still_open(wait: Duration) -> bool {
    let stdout = std::io::stdout();
    // Only what is always reported is waited for: that the other side is gone.
    let mut gone = [PollFd::new(&stdout, PollFlags::empty())];
    let wait = Timespec::try_from(wait).ok();
    !matches!(poll(&mut gone, wait.as_ref()), Ok(1..))
}

fn filter(log: &Log) -> Filter {
    Filter {
        tool: log.tool.clone(),
        status: log.status,
        since: log.since,
        limit: log.limit,
        ..Filter::default()
    }
}

fn matches(row: &CallRow, log: &Log) -> bool {
    let tool = log.tool.as_ref().is_none_or(|tool| row.tool.as_ref() == Some(tool));
    tool && log.status.is_none_or(|status| row.status == status)
}

/// Prints rows; false where nobody reads any more.
fn print(rows: &[CallRow], json: bool) -> Result<bool, Problem> {
    let mut stdout = std::io::stdout().lock();
    let written = rows.iter().try_for_each(|row| {
        if json {
            serde_json::to_writer(&mut stdout, row)?;
            writeln!(stdout)
        } else {
            writeln!(stdout, "{}", line(row))
        }
    });
    still_read(written.and_then(|()| stdout.flush()))
}

/// Time, status, tool, input, why it failed or how long it took, and who called where it was not
/// whoever uses this machine.
fn line(row: &CallRow) -> String {
    let value = serde_json::to_value(row).unwrap_or_default();
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let time = text("generated_at").replace('T', " ");
    let time = time.split('.').next().unwrap_or_default();
    let input = match &value["input"] {
        Value::Null => String::new(),
        input => one_line(&input.to_string(), 60),
    };
    let end = match (value["error_code"].as_str(), value["duration_us"].as_u64()) {
        (Some(code), _) => format!("{code} {}", one_line(&text("error_message"), 80)),
        (None, Some(duration)) => format!("{}.{:03} ms", duration / 1_000, duration % 1_000),
        _ => String::new(),
    };
    let tool = one_line(&text("tool"), 40);
    let by = match &row.principal {
        Some(who) if who.starts_with("token:") => format!("  by {}", one_line(&text("agent"), 100)),
        _ => String::new(),
    };
    format!("{time}Z  {:11}  {tool:16}  {input:40}  {end}{by}", row.status.as_str())
        .trim_end()
        .to_owned()
}

/// `10m`, `2h`, `3d`, or a point in time.
pub(crate) fn parse_since(text: &str) -> Result<SystemTime, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at.into());
    }
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[number.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err("write it as 10m, 2h, 3d or 2026-11-15T12:00:00Z".to_owned()),
    };
    let count: i64 = number.parse().map_err(|_| format!("`{number}` is not a number"))?;
    let back = count.checked_mul(unit).map(SignedDuration::from_secs);
    let at = back.and_then(|back| Timestamp::now().checked_sub(back).ok());
    at.map(SystemTime::from).ok_or_else(|| "that is too long ago".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_distance_or_a_point() {
        let hour = SystemTime::now().duration_since(parse_since("1h").unwrap()).unwrap();
        assert!((3_590..3_610).contains(&hour.as_secs()), "{hour:?}");
        assert!(parse_since("2026-11-15T12:00:00Z").is_ok());
        for wrong in ["", "h", "5", "5x", "yesterday", "-", "99999999999999999999d", "한d"] {
            assert!(parse_since(wrong).is_err(), "{wrong}");
        }
    }
}
