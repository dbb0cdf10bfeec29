//! The names that a pattern of the shell matches.
//!
//! Rather more than fewer: a set in brackets is taken for any character, a name that is not
//! ASCII for a match, and `.*` for `.` and `..` too, as older shells do. What is matched in
//! excess is judged in excess, and that is all. The pattern itself is always among the results
//! where nothing matches or a file has that very name, because the shell then passes it on.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// How many names one pattern may match.
pub(super) const MAX_MATCHES: usize = 10_000;
/// How many names are looked at for one pattern.
const MAX_LOOKED_AT: usize = 100_000;
const TOO_MANY: &str = "its pattern matches too many files to look at";

/// The paths that an absolute pattern may match.
pub(super) fn expand(pattern: &str) -> Result<Vec<PathBuf>, String> {
    let mut paths = vec![PathBuf::from("/")];
    let mut left = MAX_LOOKED_AT;
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        paths = match Part::parse(part) {
            Part::Plain(name) => paths.into_iter().map(|path| path.join(&name)).collect(),
            Part::Wild(tokens) => matches_in(&paths, &tokens, &mut left)?,
        };
    }
    paths.retain(|path| path.symlink_metadata().is_ok());
    let literal = PathBuf::from(unescape(pattern));
    let passed_on = paths.is_empty() || literal.symlink_metadata().is_ok();
    if passed_on && !paths.contains(&literal) {
        paths.push(literal);
    }
    Ok(paths)
}

fn matches_in(
    folders: &[PathBuf],
    tokens: &[Token],
    left: &mut usize,
) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for folder in folders {
        for name in names_in(folder) {
            *left = left.checked_sub(1).ok_or(TOO_MANY)?;
            if matches(tokens, &name) {
                found.push(folder.join(name));
            }
        }
        if found.len() > MAX_MATCHES {
            return Err(TOO_MANY.to_owned());
        }
    }
    Ok(found)
}

/// A folder that cannot be listed has no names, for the shell neither.
fn names_in(folder: &Path) -> impl Iterator<Item = OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let dots = folder.is_dir().then_some([".", ".."]).into_iter().flatten();
    entries.map(|entry| entry.file_name()).chain(dots.map(OsString::from))
}

/// One name of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Plain(String),
    Wild(Vec<Token>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Letter(char),
    One,
    Any,
}

impl Part {
    fn parse(text: &str) -> Self {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let after = &rest[letter.len_utf8()..];
            let (token, after) = match letter {
                '*' => (Token::Any, after),
                '?' => (Token::One, after),
                '[' => {
                    end_of_set(after).map_or((Token::Letter('['), after), |end| (Token::One, end))
                }
                '\\' => escaped(after),
                other => (Token::Letter(other), after),
            };
            tokens.push(token);
            rest = after;
        }
        if tokens.iter().all(|token| matches!(token, Token::Letter(_))) {
            return Self::Plain(unescape(text));
        }
        Self::Wild(tokens)
    }
}

fn escaped(after: &str) -> (Token, &str) {
    let mut letters = after.chars();
    (Token::Letter(letters.next().unwrap_or('\\')), letters.as_str())
}

/// What follows a set, if the text after its `[` has an end for it. A `]` that comes first is
/// in the set, as is what stands in `[:…:]`, `[=…=]` and `[.….]`.
fn end_of_set(after: &str) -> Option<&str> {
    let mut rest = after.strip_prefix(['!', '^']).unwrap_or(after);
    rest = rest.strip_prefix(']').unwrap_or(rest);
    loop {
        let letter = rest.chars().next()?;
        let next = &rest[letter.len_utf8()..];
        rest = match letter {
            ']' => return Some(next),
            '\\' => escaped(next).1,
            '[' => past_class(next).unwrap_or(next),
            _ => next,
        };
    }
}

fn past_class(after: &str) -> Option<&str> {
    let kind = after.chars().next().filter(|kind| matches!(kind, ':' | '=' | '.'))?;
    let end = format!("{kind}]");
    after.get(1..)?.split_once(&end).map(|(_, rest)| rest)
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(if letter == '\\' { letters.next().unwrap_or(letter) } else { letter });
    }
    plain
}

/// A dot at the start of a name is only matched by a dot.
fn matches(tokens: &[Token], name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    if bytes.first() == Some(&b'.') && tokens.first() != Some(&Token::Letter('.')) {
        return false;
    }
    !bytes.is_ascii() || matches_ascii(tokens, bytes)
}

/// Goes back to the last `*` only, so that the time is at most the product of the lengths.
fn matches_ascii(tokens: &[Token], name: &[u8]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut last_any: Option<(usize, usize)> = None;
    while at < name.len() {
        match tokens.get(token) {
            Some(Token::Any) => {
                last_any = Some((token, at));
                token += 1;
            }
            Some(Token::One) => (token, at) = (token + 1, at + 1),
            Some(Token::Letter(letter)) if *letter == char::from(name[at]) => {
                (token, at) = (token + 1, at + 1);
            }
            _ => {
                let Some((any, from)) = last_any else { return false };
                last_any = Some((any, from + 1));
                (token, at) = (any + 1, from + 1);
            }
        }
    }
    tokens[token..].iter().all(|token| *token == Token::Any)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matched(pattern: &str, name: &str) -> bool {
        match Part::parse(pattern) {
            Part::Plain(plain) => plain == name,
            Part::Wild(tokens) => matches(&tokens, OsStr::new(name)),
        }
    }

    #[test]
    fn parts_of_patterns() {
        for (pattern, name, expected) in [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".a", true),
            (".*", "..", true),
            ("?a", ".a", false),
            ("[.]a", ".a", false),
            ("*.rs", "main.rs", true),
            ("*.rs", "main.rsx", false),
            ("a*b*c", "axxbxxc", true),
            ("a*b*c", "axxcxxb", false),
            ("[abc].txt", "a.txt", true),
            ("[[:alpha:]]x", "bx", true),
            ("[]]x", "]x", true),
            ("[!]]x", "ax", true),
            ("[ab", "[ab", true),
            (r"\*", "*", true),
            (r"\*", "a", false),
            (r"\[a]*", "[a]b", true),
            ("**", "a", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
        ] {
            assert_eq!(matched(pattern, name), expected, "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in "[]a.*?\\\\\\[!^:=é-]{0,12}", name in "[a.é*\\[]{0,8}") {
            let _ = matched(&pattern, &name);
        }

        #[test]
        fn an_escaped_name_matches_itself_alone(name in "[a-c*?\\[\\]\\\\]{1,8}", other in "[a-c]{1,8}") {
            let escaped: String = name.chars().flat_map(|letter| ['\\', letter]).collect();
            prop_assert!(matched(&escaped, &name));
            prop_assert_eq!(matched(&escaped, &other), name == other);
        }
    }
}
