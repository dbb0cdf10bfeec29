//! `dogu edit --lines`: one edit a line, for whoever measures the engine beside others.

use std::io::{BufRead as _, BufWriter, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use dogu_edit::{Applied, Count, Edit, Outcome, apply};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::problem::Problem;
use crate::show::still_read;

/// One edit.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Value,
    content: String,
    old: String,
    new: String,
    #[serde(default)]
    replace_all: bool,
}

pub(super) fn run() -> Result<ExitCode, Problem> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line =
            line.map_err(|error| Problem::wrong_use("stdin could not be read").because(error))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str(&line) {
            Ok(line) => answer(&line),
            Err(error) => json!({"id": null, "status": "invalid", "error": error.to_string()}),
        };
        // Whoever waits for one answer before the next question gets it.
        if !still_read(writeln!(out, "{answer}").and_then(|()| out.flush()))? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn answer(line: &Line) -> Value {
    let count = if line.replace_all { Count::All } else { Count::One };
    let edit = Edit { old: &line.old, new: &line.new, count, line: None };
    let begun = Instant::now();
    let outcome = apply(&line.content, &edit);
    let us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    let mut answer = match outcome {
        Ok(Outcome::Applied(applied)) => of_applied(&applied),
        Ok(Outcome::AlreadyApplied { line: at }) => {
            json!({"status": "already_applied", "result": line.content, "line": at})
        }
        Err(refusal) => json!({
            "status": "refused",
            "error": {"message": refusal.to_string(), "lines": refusal.lines},
        }),
    };
    answer["id"] = line.id.clone();
    answer["us"] = us.into();
    answer
}

fn of_applied(applied: &Applied) -> Value {
    let spans: Vec<[usize; 2]> = applied.spans.iter().map(|span| [span.start, span.end]).collect();
    json!({
        "status": "applied",
        "level": applied.level.name(),
        "repair": applied.repair.name(),
        "spans": spans,
        "result": applied.text,
    })
}
