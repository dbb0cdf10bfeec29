//! `dogu mcp install` without a client: who could be meant.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use dogu_install::{Client, Machine};
use serde_json::json;

use super::entry::scope;
use crate::args::Entry;
use crate::problem::Problem;
use crate::show::{Layout, exact, still_read};

pub(super) fn list(machine: &Machine, entry: &Entry) -> Result<ExitCode, Problem> {
    let rows = Client::ALL.map(|client| row(machine, entry, client));
    let mut stdout = std::io::stdout().lock();
    if entry.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| {
                json!({"client": row.client.as_str(), "title": row.client.title(),
                       "found": row.is_found, "file": row.file, "exists": row.exists})
            })
            .collect();
        let written = serde_json::to_writer_pretty(&mut stdout, &rows)
            .map_err(std::io::Error::from)
            .and_then(|()| writeln!(stdout));
        still_read(written)?;
        return Ok(ExitCode::SUCCESS);
    }
    let written = rows.iter().try_for_each(|row| writeln!(stdout, "{}", line(row)));
    if still_read(written)? {
        anstream::eprintln!("\n* found on this machine. `dogu mcp install CLIENT` connects one.");
    }
    Ok(ExitCode::SUCCESS)
}

struct Row {
    client: Client,
    is_found: bool,
    file: Option<String>,
    exists: bool,
}

fn row(machine: &Machine, entry: &Entry, client: Client) -> Row {
    let exists = |path: &Path| path.exists();
    let file = machine.file(client, scope(entry.scope), &entry.name, exists);
    Row {
        client,
        is_found: machine.has(client, exists, is_program),
        exists: file.as_deref().is_some_and(exists),
        file: file.map(|file| file.display().to_string()),
    }
}

fn line(row: &Row) -> String {
    let mark = if row.is_found { "*" } else { " " };
    let file = row.file.as_deref().unwrap_or("(has no settings for a project)");
    let new = if row.exists || row.file.is_none() { "" } else { "  (would be new)" };
    format!("{mark} {:14}  {}{new}", row.client.as_str(), exact(file, Layout::Line))
}

fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}
