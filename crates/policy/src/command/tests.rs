//! Judgements of many commands, line by line.

use super::{Access, Arg, Effects, Inner, judge};
use crate::risk::Risk;

mod files;
mod inner;
mod never;
mod risks;
mod runs_more;
mod stdin;

/// Words of a line at its blanks; `'` and `"` hold words together, `$` begins what is unknown,
/// a bare `*` or `?` makes a pattern.
pub(super) fn words(line: &str) -> Vec<Arg> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let mut text = String::new();
        let (mut quoted, mut glob, mut unknown, mut used) = (None, false, None, 0);
        for letter in rest.chars() {
            match (quoted, letter) {
                (None, ' ') => break,
                (None, '\'' | '"') => quoted = Some(letter),
                (Some(mark), letter) if mark == letter => quoted = None,
                (None | Some('"'), '$') => {
                    unknown = unknown.or(Some((text.len(), quoted.is_some())));
                }
                (None, '*' | '?') => {
                    glob = true;
                    text.push(letter);
                }
                (_, letter) => text.push(letter),
            }
            used += letter.len_utf8();
        }
        rest = rest[used..].trim_start();
        words.push(match unknown {
            Some((at, one)) => Arg::Unknown { starts: text[..at].to_owned(), one },
            None if glob => Arg::Glob(text),
            None => Arg::Literal(text),
        });
    }
    words
}

fn judged(line: &str) -> Effects {
    judge(&words(line))
}

/// The files of a line as `access path`.
fn named(line: &str) -> Vec<String> {
    let access = |access| match access {
        Access::Read => "read",
        Access::Tree => "tree",
        Access::Write => "write",
        Access::Delete => "delete",
    };
    judged(line).files.iter().map(|file| format!("{} {}", access(file.access), file.path)).collect()
}
