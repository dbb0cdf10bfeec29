//! The lines before the hunks of a file, as git writes them.

use dogu_tool::{Change, ChangeKind};

/// The names of a file on both sides, quoted where that is needed.
pub(super) struct Names {
    /// `a/…`
    pub(super) old: String,
    /// `b/…`
    pub(super) new: String,
}

impl Names {
    pub(super) fn of(change: &Change) -> Self {
        let old = match &change.kind {
            ChangeKind::Renamed { from } => from,
            _ => &change.path,
        };
        Self { old: quoted("a/", old), new: quoted("b/", &change.path) }
    }
}

/// `diff --git` and what follows it up to the names before the hunks.
pub(super) fn header(change: &Change, names: &Names) -> String {
    let mut text = format!("diff --git {} {}\n", names.old, names.new);
    match (&change.old, &change.new) {
        (None, Some(new)) => text.push_str(&format!("new file mode {:06o}\n", new.mode)),
        (Some(old), None) => text.push_str(&format!("deleted file mode {:06o}\n", old.mode)),
        (Some(old), Some(new)) if old.mode != new.mode => {
            text.push_str(&format!("old mode {:06o}\nnew mode {:06o}\n", old.mode, new.mode));
        }
        _ => {}
    }
    if let ChangeKind::Renamed { from } = &change.kind {
        text.push_str(&format!(
            "similarity index 100%\nrename from {}\nrename to {}\n",
            quoted("", from),
            quoted("", &change.path)
        ));
    }
    text
}

/// The names before the hunks.
pub(super) fn names_line(change: &Change, names: &Names) -> String {
    let old = if change.old.is_some() { tabbed(&names.old) } else { "/dev/null".to_owned() };
    let new = if change.new.is_some() { tabbed(&names.new) } else { "/dev/null".to_owned() };
    format!("--- {old}\n+++ {new}\n")
}

/// A name with spaces ends in a tab, so that it is known where it ends.
fn tabbed(name: &str) -> String {
    if name.contains(' ') && !name.starts_with('"') { format!("{name}\t") } else { name.to_owned() }
}

/// A path for a person: as it is, but for bytes that are no text.
pub(super) fn shown(path: &[u8]) -> String {
    quoted("", path)
}

/// A path as git writes it: in quotes if something in it could be mistaken.
fn quoted(before: &str, path: &[u8]) -> String {
    let odd = |c: char| c.is_control() || matches!(c, '"' | '\\');
    match std::str::from_utf8(path) {
        Ok(text) if !text.contains(odd) => format!("{before}{text}"),
        _ => {
            let inner: String = path.utf8_chunks().map(|chunk| escaped(&chunk)).collect();
            format!("\"{before}{inner}\"")
        }
    }
}

fn escaped(chunk: &std::str::Utf8Chunk<'_>) -> String {
    let mut text = String::new();
    for c in chunk.valid().chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().for_each(|byte| text.push_str(&octal(byte)));
            }
            c => text.push(c),
        }
    }
    chunk.invalid().iter().for_each(|byte| text.push_str(&octal(*byte)));
    text
}

fn octal(byte: u8) -> String {
    format!("\\{byte:03o}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_git_does() {
        assert_eq!(quoted("a/", b"src/main.rs"), "a/src/main.rs");
        assert_eq!(quoted("a/", "한글 파일".as_bytes()), "a/한글 파일");
        assert_eq!(quoted("b/", b"a\"b\\c\n\t\x01\xff"), "\"b/a\\\"b\\\\c\\n\\t\\001\\377\"");
        assert_eq!(tabbed("a/b c"), "a/b c\t");
    }
}
