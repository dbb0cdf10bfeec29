//! What is not in the diff, and why.

use dogu_tool::{Change, NotCompared};

use super::header::shown;

/// How many names of files are listed where their diffs do not fit.
const MAX_NAMES: usize = 100;

pub(super) fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// The files that did not fit, by name.
pub(super) fn unseen(changes: &[&Change]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let names: Vec<_> = changes.iter().take(MAX_NAMES).map(|change| shown(&change.path)).collect();
    let more = changes.len().saturating_sub(MAX_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("(left out: {}: {}{more})\n", plural(changes.len(), "file"), names.join(", "))
}

/// What is not in the diff, and why.
pub(super) fn left_out(left_out: &NotCompared) -> String {
    let mut text = String::new();
    if left_out.secret > 0 {
        text.push_str(&format!(
            "({} left out because they may hold secrets)\n",
            plural(left_out.secret, "changed file")
        ));
    }
    if left_out.shut_out > 0 {
        text.push_str(&format!(
            "({} left out by an ignore file for agents)\n",
            plural(left_out.shut_out, "changed file")
        ));
    }
    if !left_out.repositories.is_empty() {
        let names = left_out.repositories.join(", ");
        text.push_str(&format!("(untracked repositories, not looked into: {names})\n"));
    }
    for problem in left_out.unreadable.iter().take(MAX_NAMES) {
        text.push_str(&format!("(could not be read: {problem})\n"));
    }
    text
}
