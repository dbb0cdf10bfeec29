//! `grep`: what it finds, how it shows it, and what it says it left out.

mod bounds;
mod errors;
mod filters;
mod hostile;
mod modes;
mod paging;
mod parameters;

use crate::support::Folder;
use serde_json::{Value, json};

/// The lines of the answer that are not notes.
fn entries(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('(')).collect()
}

/// A call that shows lines.
fn content(folder: &Folder, mut input: Value) -> String {
    input["output_mode"] = json!("content");
    folder.text("grep", input)
}
