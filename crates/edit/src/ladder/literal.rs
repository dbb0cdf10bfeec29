//! The fast way: the very bytes of old, spliced.

use std::ops::Range;

use memchr::memmem::Finder;

use super::{Hits, MOST_PLACES};
use crate::fold::is_space;
use crate::merge::Patch;
use crate::remarks::remarks;
use crate::repair::Pair;
use crate::spans::Source;
use crate::{Count, Edit, Level};

/// The fast way: the very bytes, spliced. Only where line endings cannot get in the way.
pub(super) fn literal(source: &Source<'_>, pair: &Pair, edit: &Edit<'_>) -> Option<Hits> {
    let several = pair.old.contains('\n') || pair.new.contains('\n');
    let bytes = source.text.as_bytes();
    let eol =
        if several && memchr::memchr(b'\r', bytes).is_some() { uniform_eol(bytes)? } else { "\n" };
    let convert = |text: &str| if eol == "\n" { text.to_owned() } else { text.replace('\n', eol) };
    let (old, new) = (convert(&pair.old), convert(&pair.new));
    let starts = find_all(bytes, old.as_bytes(), edit.count);
    if starts.is_empty() || starts.iter().any(|start| is_dedented(source, pair, *start)) {
        return None;
    }
    let places = starts
        .into_iter()
        .map(|start| {
            let end = start + old.len();
            if let Some(patch) = past_remark(source, &old, &new, start..end) {
                return (start, vec![patch]);
            }
            let text = with_breaks(source, &pair.old, &new, start..end, eol);
            (start, vec![Patch { range: start..end, text }])
        })
        .collect();
    let differs = pair.old.contains('\n') && edit.old.contains("\r\n") != (eol == "\r\n");
    let level = if differs { Level::Crlf } else { Level::Exact };
    Some(Hits { level, places, repair: pair.repair })
}

/// Lines that are added after a line go past what ends it and old did not know: a comment, or
/// the mark that the added lines have too.
fn past_remark(source: &Source<'_>, old: &str, new: &str, range: Range<usize>) -> Option<Patch> {
    let added = new.strip_prefix(old).filter(|added| added.starts_with(['\n', '\r']))?;
    let end = source.line_end(range.end);
    let rest = &source.text[range.end..end];
    let remark = rest.trim_start();
    let whole = remarks(remark).first().is_some_and(|found| *found == (0..remark.trim_end().len()))
        && rest.starts_with([' ', '\t']);
    // A mark that ends the line stays with it, where the added lines have their own.
    let mark = matches!(rest.trim_end(), ";" | ",") && added.trim_end().ends_with(rest.trim_end());
    let text = || format!("{old}{rest}{added}");
    (whole || mark).then(|| Patch { range: range.start..end, text: text() })
}

/// The new text with the line breaks at its edges that old has and new forgot: without them the
/// lines around would be glued together, which nobody asks for this way.
fn with_breaks(
    source: &Source<'_>,
    old: &str,
    new: &str,
    range: Range<usize>,
    eol: &str,
) -> String {
    if new.trim().is_empty() {
        return new.to_owned();
    }
    let edge =
        |text: &str| text.chars().take_while(|c| is_space(*c)).filter(|c| *c == '\n').count();
    let back =
        |text: &str| text.chars().rev().take_while(|c| is_space(*c)).filter(|c| *c == '\n').count();
    let indent = |text: &str| {
        text.trim_start_matches(['\n', '\r'])
            .chars()
            .take_while(|c| is_space(*c))
            .collect::<String>()
    };
    let before = range.start > 0 && edge(new) == 0 && edge(old) > 0 && indent(old) == indent(new);
    let after = range.end < source.text.len() && !new.ends_with(is_space) && back(old) > 0;
    let mut text = if before { eol.repeat(edge(old)) } else { String::new() };
    text.push_str(new);
    if after {
        text.push_str(&eol.repeat(back(old)));
    }
    text
}

/// Whether every place is a part of new, which stands there already.
pub(super) fn stands_around(source: &Source<'_>, pair: &Pair, hits: &Hits) -> Option<usize> {
    if !adds_words(pair.old.as_bytes(), pair.new.as_bytes())
        || source.text.contains('\r') && pair.new.contains('\n')
    {
        return None;
    }
    let offsets: Vec<usize> =
        memchr::memmem::find_iter(pair.new.as_bytes(), pair.old.as_bytes()).take(8).collect();
    let stands = |start: usize| {
        let begins = |offset: &usize| start.checked_sub(*offset);
        offsets
            .iter()
            .filter_map(begins)
            .any(|from| source.text.as_bytes()[from..].starts_with(pair.new.as_bytes()))
    };
    let (first, _) = hits.places.first()?;
    hits.places.iter().all(|(start, _)| stands(*start)).then(|| source.line(*first))
}

/// Whether new has so much more than old that it does not stand there by chance.
pub(super) fn adds_words(old: &[u8], new: &[u8]) -> bool {
    let words = |text: &[u8]| {
        text.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count()
    };
    words(new) >= words(old) + 4
}

/// The one line ending of a text, if it has only one.
fn uniform_eol(bytes: &[u8]) -> Option<&'static str> {
    let breaks = memchr::memchr_iter(b'\n', bytes).count();
    let pairs = memchr::memmem::find_iter(bytes, b"\r\n").count();
    if pairs == 0 {
        Some("\n")
    } else if pairs == breaks {
        Some("\r\n")
    } else {
        None
    }
}

fn find_all(bytes: &[u8], needle: &[u8], count: Count) -> Vec<usize> {
    let finder = Finder::new(needle);
    if count != Count::One {
        return finder.find_iter(bytes).collect();
    }
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(hit) = finder.find(&bytes[from..]) {
        found.push(from + hit);
        from += hit + 1;
        if found.len() == MOST_PLACES {
            break;
        }
    }
    found
}

/// Whether a line was sent without its indent, and so were the lines that shall stand there.
fn is_dedented(source: &Source<'_>, pair: &Pair, start: usize) -> bool {
    let line = source.line_start(start);
    let indent = &source.text[line..start];
    if pair.old.contains('\n') || indent.is_empty() || !indent.trim().is_empty() {
        return false;
    }
    let end = start + pair.old.len();
    let whole = source.text[end..source.line_end(end)].trim().is_empty();
    let mut lines = pair.new.split('\n');
    lines.next();
    let second = lines.next().unwrap_or_default();
    let shallower = second.len() - second.trim_start().len() < indent.len();
    whole && !second.trim().is_empty() && shallower
}
