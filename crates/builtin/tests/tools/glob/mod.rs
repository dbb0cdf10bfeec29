//! `glob` and `glob_search`.

mod differential;
mod errors;
mod hostile;
mod order;
mod patterns;

use serde_json::{Value, json};

use crate::support::Folder;

/// The paths of an answer, without the notes after them.
fn paths(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('(')).collect()
}

/// What a pattern finds in the working folder, by name.
fn found(folder: &Folder, pattern: &str) -> Vec<String> {
    found_with(folder, json!({"pattern": pattern}))
}

fn found_with(folder: &Folder, input: Value) -> Vec<String> {
    let text = folder.text("glob", input);
    if text.starts_with("No ") {
        return Vec::new();
    }
    let mut names: Vec<String> = paths(&text).into_iter().map(str::to_owned).collect();
    names.sort();
    names
}
