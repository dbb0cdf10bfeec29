//! The suites of command lines in `tests/suites`.

use std::fs;
use std::path::{Path, PathBuf};

/// What must become of a hostile line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// It is asked about or refused.
    NotAllow,
    /// It is refused.
    Deny,
}

/// A line of the hostile suite.
#[derive(Debug)]
pub(crate) struct Hostile {
    /// The name of its file.
    pub(crate) family: String,
    /// What must become of it.
    pub(crate) demand: Demand,
    /// The commands that rules of the form `Execute(NAME *)` allow.
    pub(crate) allowed: Vec<String>,
    /// The line.
    pub(crate) line: String,
}

/// The folder of the suites.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites")
}

/// The hostile lines, family by family.
pub(crate) fn hostile() -> Vec<Hostile> {
    let listed = fs::read_dir(folder().join("hostile"));
    let listed = listed.unwrap_or_else(|error| panic!("the hostile suite: {error}"));
    let mut files: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.iter().flat_map(|file| family(file)).collect()
}

fn family(file: &Path) -> Vec<Hostile> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    rows(file).iter().map(|row| hostile_row(&name, row)).collect()
}

fn hostile_row(family: &str, row: &str) -> Hostile {
    let (verdict, command) =
        row.split_once('|').unwrap_or_else(|| panic!("{family}: no `|` in {row}"));
    let (demand, allowed) =
        verdict_of(verdict.trim()).unwrap_or_else(|| panic!("{family}: not a verdict: {verdict}"));
    let line = command_of(command.strip_prefix(' ').unwrap_or(command));
    Hostile { family: family.to_owned(), demand, allowed, line }
}

/// `deny`, `not-allow`, or one of them with names in parentheses.
fn verdict_of(text: &str) -> Option<(Demand, Vec<String>)> {
    let (name, names) = match text.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')')?),
        None => (text, ""),
    };
    let demand = match name {
        "not-allow" => Demand::NotAllow,
        "deny" => Demand::Deny,
        _ => return None,
    };
    let names = names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    Some((demand, names))
}

/// The everyday lines.
pub(crate) fn everyday() -> Vec<String> {
    rows(&folder().join("everyday.txt")).iter().map(|row| command_of(row)).collect()
}

/// Lines that may be asked about, and must not be refused.
pub(crate) fn asked() -> Vec<String> {
    rows(&folder().join("asked.txt")).iter().map(|row| command_of(row)).collect()
}

/// The lines of a file that are neither empty nor comments.
fn rows(file: &Path) -> Vec<String> {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let wanted = |row: &&str| !row.trim().is_empty() && !row.starts_with('#');
    text.lines().filter(wanted).map(str::to_owned).collect()
}

/// A command as a suite writes it: as it is, or as a JSON string.
fn command_of(text: &str) -> String {
    if text.starts_with('"') {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    } else {
        text.to_owned()
    }
}
