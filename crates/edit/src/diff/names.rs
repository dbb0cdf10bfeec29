//! The lines before the hunks of a file, as git writes them.

/// The head of one file's diff; nothing where nothing changed.
pub(super) fn header(from: Option<&str>, to: Option<&str>, lines_changed: bool) -> String {
    let moved = matches!((from, to), (Some(from), Some(to)) if from != to);
    let mut text = String::new();
    // Only git's own head can say that a file moved, or that an empty one came or went.
    if moved || (!lines_changed && from.is_some() != to.is_some()) {
        text.push_str(&git_head(from, to));
    }
    if lines_changed {
        let name = |before: &str, path: Option<&str>| match path {
            Some(path) => tabbed(quoted(before, path.as_bytes())),
            None => "/dev/null".to_owned(),
        };
        text.push_str(&format!("--- {}\n+++ {}\n", name("a/", from), name("b/", to)));
    }
    text
}

fn git_head(from: Option<&str>, to: Option<&str>) -> String {
    let (Some(old), Some(new)) = (from.or(to), to.or(from)) else { return String::new() };
    let names = (quoted("a/", old.as_bytes()), quoted("b/", new.as_bytes()));
    let mut text = format!("diff --git {} {}\n", names.0, names.1);
    match (from, to) {
        (None, Some(_)) => text.push_str("new file mode 100644\n"),
        (Some(_), None) => text.push_str("deleted file mode 100644\n"),
        _ => {
            let (old, new) = (quoted("", old.as_bytes()), quoted("", new.as_bytes()));
            text.push_str(&format!("rename from {old}\nrename to {new}\n"));
        }
    }
    text
}

/// A name before the hunks: one with spaces ends in a tab, so that it is known where it ends.
pub fn tabbed(name: String) -> String {
    if name.contains(' ') && !name.starts_with('"') { name + "\t" } else { name }
}

/// A path as git writes it, after `a/` or `b/` or nothing: in quotes if something in it could be
/// mistaken.
pub fn quoted(before: &str, path: &[u8]) -> String {
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
        assert_eq!(tabbed("a/b c".to_owned()), "a/b c\t");
    }
}
