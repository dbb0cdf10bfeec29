//! Paths as patches write them.

use super::error::Fault;

/// A path that can be one: not empty, one line, no NUL.
pub(super) fn checked(path: &str) -> Result<String, Fault> {
    let why = match path {
        "" => "it is empty",
        path if path.contains('\0') => "it has a NUL character",
        path if path.contains(['\n', '\r']) => "it has a line break",
        path => return Ok(path.to_owned()),
    };
    Err(Fault::bad_path(path, why))
}

/// A name at the beginning of a text, and what follows it. In quotes, it has git's escapes; else
/// it ends at a tab or where the text ends.
pub(super) fn name(text: &str) -> Result<(String, &str), Fault> {
    if text.starts_with('"') {
        return unquoted(text);
    }
    let (name, rest) = text.split_once('\t').unwrap_or((text, ""));
    Ok((name.trim_end().to_owned(), rest))
}

/// A name in quotes, and what follows it.
pub(super) fn unquoted(text: &str) -> Result<(String, &str), Fault> {
    let bad = |why| Fault::bad_path(text, why);
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes().get(1..).unwrap_or_default();
    loop {
        match rest {
            [b'"', after @ ..] => {
                let name = String::from_utf8(bytes).map_err(|_| bad("it is not UTF-8"))?;
                return Ok((name, &text[text.len() - after.len()..]));
            }
            [b'\\', first @ b'0'..=b'3', second @ b'0'..=b'7', third @ b'0'..=b'7', after @ ..] => {
                bytes.push((first - b'0') * 64 + (second - b'0') * 8 + (third - b'0'));
                rest = after;
            }
            [b'\\', letter, after @ ..] => {
                bytes.push(escape(*letter).ok_or_else(|| bad("it has an unknown escape"))?);
                rest = after;
            }
            [byte, after @ ..] => {
                bytes.push(*byte);
                rest = after;
            }
            [] => return Err(bad("its closing quote is missing")),
        }
    }
}

fn escape(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' | b'\\' => letter,
        _ => return None,
    })
}

/// What git writes before the two names instead of `a/` and `b/` when it is told to say which
/// trees it compares.
const TREES: [(&str, &str); 5] =
    [("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("1/", "2/")];

/// The two names without `a/` and `b/`, if both have it. A name that is not there (`/dev/null`)
/// agrees with any.
pub(super) fn without_sides<'a>(
    old: Option<&'a str>,
    new: Option<&'a str>,
) -> (Option<&'a str>, Option<&'a str>) {
    let rest = |name: Option<&'a str>, side: &str| name.map(|name| name.strip_prefix(side));
    let (a, b) = (rest(old, "a/"), rest(new, "b/"));
    if a != Some(None) && b != Some(None) {
        return (a.flatten(), b.flatten());
    }
    let trees = TREES.iter().map(|(one, other)| (rest(old, one), rest(new, other)));
    for (one, other) in trees {
        if one == other && one.is_some_and(|name| name.is_some()) {
            return (one.flatten(), other.flatten());
        }
    }
    (old, new)
}

/// The two names of a `diff --git` line.
pub(super) fn git_names(text: &str) -> Result<Option<(String, String)>, Fault> {
    if text.starts_with('"') {
        let (old, rest) = unquoted(text)?;
        let Some(rest) = rest.strip_prefix(' ') else { return Ok(None) };
        return Ok(Some((old, name(rest)?.0)));
    }
    if let Some(at) = text.find(" \"") {
        return Ok(Some((text[..at].to_owned(), unquoted(&text[at + 1..])?.0)));
    }
    // Without quotes, only two equal names tell where the first one ends.
    let middle = text.len() / 2;
    if text.len() % 2 == 1 && text.is_char_boundary(middle) && text.as_bytes()[middle] == b' ' {
        let (old, new) = (&text[..middle], &text[middle + 1..]);
        if old == new || after_slash(old) == after_slash(new) {
            return Ok(Some((old.to_owned(), new.to_owned())));
        }
    }
    let mut words = text.split(' ');
    Ok(match (words.next(), words.next(), words.next()) {
        (Some(old), Some(new), None) => Some((old.to_owned(), new.to_owned())),
        _ => None,
    })
}

fn after_slash(name: &str) -> Option<&str> {
    name.split_once('/').map(|(_, rest)| rest)
}
