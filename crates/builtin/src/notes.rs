//! Pieces of what is said beside names.

use dogu_tool::Walked;

/// `1 file`, `2 files`.
pub(crate) fn number(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Which folders could not be read.
pub(crate) fn unreadable(walked: &Walked) -> Option<String> {
    let Walked { unreadable, first_unreadable: first, .. } = walked;
    let more = unreadable.saturating_sub(first.len() as u64);
    match (unreadable, more) {
        (0, _) => None,
        (_, 0) => Some(format!("(could not be read: {})", first.join(", "))),
        _ => Some(format!("(could not be read: {} and {more} more)", first.join(", "))),
    }
}
