//! The two sides of a change, and what is said of those that have no lines to compare.

use dogu_tool::{Change, ChangeKind, Side, SideContent};

use super::header::Names;

/// Content beyond this is not compared line by line.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// How much of a file is looked at to tell text from binary; as much as git looks at.
const SNIFF_BYTES: usize = 8_000;

/// Another path with the same content.
pub(super) fn is_only_renamed(change: &Change) -> bool {
    let id = |side: &Option<Side>| side.as_ref().and_then(|side| side.id.clone());
    matches!(change.kind, ChangeKind::Renamed { .. }) && id(&change.old) == id(&change.new)
}

/// It was taken out of the index and is there again as it was: nothing to show.
pub(super) fn is_back(
    change: &Change,
    old: Option<&SideContent>,
    new: Option<&SideContent>,
) -> bool {
    let modes = |side: &Option<Side>| side.as_ref().map(|side| side.mode);
    let same = match (old, new) {
        (Some(SideContent::Bytes(old)), Some(SideContent::Bytes(new))) => old == new,
        _ => false,
    };
    let other = matches!(change.kind, ChangeKind::Renamed { .. } | ChangeKind::Unmerged);
    same && !other && modes(&change.old) == modes(&change.new)
}

/// A file became a link, or a submodule, or the other way round.
pub(super) fn changes_type(change: &Change) -> bool {
    const TYPE: u32 = 0o170_000;
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => old.mode & TYPE != new.mode & TYPE,
        _ => false,
    }
}

/// Both sides can be compared line by line.
pub(super) fn is_text(
    change: &Change,
    old: Option<&SideContent>,
    new: Option<&SideContent>,
) -> bool {
    let text = |side: Option<&SideContent>| match side {
        None => true,
        Some(SideContent::Bytes(bytes)) => bytes.len() <= MAX_TEXT_BYTES && !is_binary(bytes),
        Some(_) => false,
    };
    !change.binary && text(old) && text(new)
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(SNIFF_BYTES)].contains(&0)
}

pub(super) fn bytes(side: Option<SideContent>) -> Vec<u8> {
    match side {
        Some(SideContent::Bytes(bytes)) => bytes,
        _ => Vec::new(),
    }
}

/// What is said of a file that has no lines to compare.
pub(super) fn not_text(
    names: &Names,
    change: &Change,
    old: Option<&SideContent>,
    new: Option<&SideContent>,
) -> String {
    for side in [old, new].into_iter().flatten() {
        match side {
            SideContent::Unreadable(why) => return format!("(not compared: {why})\n"),
            SideContent::Filtered { filter, .. } => return filtered(filter, old, new),
            SideContent::Submodule(_) => return submodule(old, new),
            SideContent::Bytes(_) | SideContent::TooLarge(_) => {}
        }
    }
    let sizes = format!("{} → {}", size(old), size(new));
    let binary = |side: Option<&SideContent>| matches!(side, Some(SideContent::Bytes(bytes)) if is_binary(bytes));
    if change.binary || binary(old) || binary(new) {
        let old_name = if old.is_some() { &names.old } else { "/dev/null" };
        let new_name = if new.is_some() { &names.new } else { "/dev/null" };
        return format!("Binary files {old_name} and {new_name} differ\n({sizes})\n");
    }
    format!("(too large to be compared line by line: {sizes})\n")
}

fn size(side: Option<&SideContent>) -> String {
    match side {
        Some(SideContent::Bytes(bytes)) => format!("{} bytes", bytes.len()),
        Some(SideContent::TooLarge(large) | SideContent::Filtered { size: large, .. }) => {
            format!("{large} bytes")
        }
        _ => "nothing".to_owned(),
    }
}

fn filtered(filter: &str, old: Option<&SideContent>, new: Option<&SideContent>) -> String {
    format!(
        "(not compared: the filter `{filter}` would have to run, and no program is started; {} in the repository, {} on disk)\n",
        size(old),
        size(new)
    )
}

fn submodule(old: Option<&SideContent>, new: Option<&SideContent>) -> String {
    let line = |mark: char, side: Option<&SideContent>| match side {
        Some(SideContent::Submodule(id)) => format!("{mark}Subproject commit {id}\n"),
        _ => String::new(),
    };
    format!("{}{}", line('-', old), line('+', new))
}
