//! Words of git that stand for files: revisions with a path, patterns of paths, lines of a file.

use super::Arg;

/// The files that a revision or a path may mean, as git would look for them. A word that is
/// surely a revision of its own names none.
pub(super) fn files_of(word: &Arg) -> Vec<Arg> {
    let Arg::Literal(text) = word else { return vec![word.clone()] };
    if let Some(rest) = text.strip_prefix(':') {
        return indexed(rest).or_else(|| marked(rest)).unwrap_or_else(|| paths(rest));
    }
    if !text.contains(':') {
        return if is_revision(text) { Vec::new() } else { paths(text) };
    }
    // Two revisions with a path each may stand in one word.
    let mut found: Vec<Arg> =
        text.split("..").chain([text.as_str()]).flat_map(after_revision).collect();
    found.dedup();
    found
}

/// What stands after the first `:` that is in no braces: `HEAD@{10:00}:a`.
fn after_revision(text: &str) -> Vec<Arg> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => return paths(&text[at + 1..]),
            _ => {}
        }
    }
    Vec::new()
}

/// `:0:path`, a version of a file in the index.
fn indexed(rest: &str) -> Option<Vec<Arg>> {
    let (stage, path) = rest.split_once(':')?;
    matches!(stage, "0" | "1" | "2" | "3").then(|| paths(path))
}

/// `:(top)path` and `:!path`; nothing if there is no such mark.
fn marked(rest: &str) -> Option<Vec<Arg>> {
    if let Some(long) = rest.strip_prefix('(') {
        let (marks, path) = long.split_once(')')?;
        return Some(by_marks(marks, path));
    }
    let path = rest.trim_start_matches(['/', '!', '^']);
    let marks = &rest[..rest.len() - path.len()];
    if marks.is_empty() {
        return None;
    }
    // What is left out is not read.
    let left_out = marks.contains(['!', '^']);
    Some(if left_out { Vec::new() } else { paths(path.strip_prefix(':').unwrap_or(path)) })
}

fn by_marks(marks: &str, path: &str) -> Vec<Arg> {
    let has = |wanted: &str| marks.split(',').any(|mark| mark.trim() == wanted);
    if has("exclude") {
        return Vec::new();
    }
    let known = ["top", "glob", "literal", ""];
    if !marks.split(',').all(|mark| known.contains(&mark.trim())) {
        return vec![Arg::unknown()];
    }
    if has("literal") && !path.is_empty() { vec![Arg::literal(path)] } else { paths(path) }
}

/// A path or a pattern of paths. The wildcards of git match a dot at the start of a name too,
/// so a pattern that begins with one is looked up twice.
fn paths(text: &str) -> Vec<Arg> {
    if text.is_empty() {
        return Vec::new();
    }
    if !is_pattern(text) {
        return vec![Arg::literal(text)];
    }
    let mut found = vec![Arg::Glob(text.to_owned())];
    let (folder, name) = text
        .rsplit_once('/')
        .map_or(("", text), |(_, name)| (&text[..text.len() - name.len()], name));
    match name.chars().next() {
        Some('*') => found.push(Arg::Glob(format!("{folder}.{name}"))),
        Some('?') => found.push(Arg::Glob(format!("{folder}.{}", &name[1..]))),
        Some('[') => found.push(Arg::Glob(format!("{folder}.*"))),
        _ => {}
    }
    found
}

/// Git reads wildcards itself, whatever quotes stood around them.
pub(super) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// It is `HEAD` or a hash, or a range of them, and nothing that could be a path.
fn is_revision(text: &str) -> bool {
    let (left, right) =
        text.split_once("...").or_else(|| text.split_once("..")).unwrap_or((text, ""));
    is_commit(left) && (right.is_empty() || is_commit(right))
}

fn is_commit(text: &str) -> bool {
    let hash = (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let relative = |rest: &str| {
        (rest.is_empty() || rest.starts_with(['~', '^', '@'])) && !rest.contains(['/', '.'])
    };
    hash || text.strip_prefix("HEAD").is_some_and(relative)
}

/// The files that lines of `-L` may be of: `1,5:path`, `:function:path`, and a path may have a
/// `:` of its own.
pub(super) fn files_of_lines(value: &Arg) -> Vec<Arg> {
    match value {
        Arg::Literal(text) => text
            .match_indices(':')
            .map(|(at, _)| &text[at + 1..])
            .filter(|path| !path.is_empty())
            .map(Arg::literal)
            .collect(),
        other => vec![other.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        files_of(&Arg::literal(text)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn paths_are_found_behind_revisions_and_marks() {
        for (word, files) in [
            ("HEAD", &[][..]),
            ("HEAD~2", &[]),
            ("HEAD^^", &[]),
            ("HEAD@{1}", &[]),
            ("HEAD..", &[]),
            ("HEAD~3...HEAD", &[]),
            ("abcdef1..HEAD", &[]),
            ("HEADx/../../etc/passwd", &["HEADx/../../etc/passwd"]),
            ("HEAD~/../../etc/passwd", &["HEAD~/../../etc/passwd"]),
            ("HEAD../../etc/passwd", &["HEAD../../etc/passwd"]),
            ("main", &["main"]),
            ("HEAD:.env", &[".env"]),
            ("HEAD:../.env", &["../.env"]),
            (":.env", &[".env"]),
            (":0:.env", &[".env"]),
            (":/.env", &[".env"]),
            ("HEAD@{10:00}:.env", &[".env"]),
            ("HEAD:a..HEAD~1:.env", &["a", ".env", "a..HEAD~1:.env"]),
            (":(top).env", &[".env"]),
            (":(top,literal)a*", &["a*"]),
            (":(glob).e*", &[".e*"]),
            (":(icase).ENV", &["…"]),
            (":!x", &[]),
            (":(exclude)x", &[]),
            (":^x", &[]),
            ("*nv", &["*nv", ".*nv"]),
            ("a/?env", &["a/?env", "a/.env"]),
            ("[.]env", &["[.]env", ".*"]),
            ("*.rs", &["*.rs", ".*.rs"]),
        ] {
            assert_eq!(found(word), files, "{word}");
        }
        assert!(matches!(&files_of(&Arg::literal(".e*"))[..], [Arg::Glob(_)]));
    }

    #[test]
    fn lines_name_their_file() {
        let found = |text: &str| files_of_lines(&Arg::literal(text));
        assert_eq!(found("1,5:.env"), [Arg::literal(".env")]);
        assert_eq!(found(":main:a.rs"), [Arg::literal("main:a.rs"), Arg::literal("a.rs")]);
        assert_eq!(found("1,5"), []);
    }
}
