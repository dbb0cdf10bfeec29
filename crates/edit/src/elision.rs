//! `...` for lines that the model did not want to repeat.
//!
//! Such a line is a promise that what it stands for stays. It is kept only where old and new
//! have the same ones, so that each stretch between them can be merged on its own.

use crate::Level;
use crate::fuzzy;
use crate::indent::lead;
use crate::ladder::{Climb, Hits, Look, aligned, next_char};
use crate::merge::{Merge, Patch};
use crate::refusal::{self, Refusal};
use crate::spans::Source;
use crate::tokens::Tokens;
use crate::view::{Sight, View};

/// An elision stands for at most this many lines.
const MOST_LINES: usize = 400;
/// Words that say that a comment stands for code.
const SAYING: [&str; 12] = [
    "rest",
    "existing",
    "unchanged",
    "remaining",
    "same",
    "previous",
    "omitted",
    "snip",
    "elided",
    "other",
    "more",
    "before",
];

/// Whether a line is nothing but an elision, bare or as a comment.
pub(crate) fn is_elision(line: &str) -> bool {
    let (body, marked) = without_marks(line);
    let dots = |c: char| matches!(c, '.' | '\u{2026}');
    let begins = body.starts_with("...") || body.starts_with('\u{2026}');
    let ends = body.ends_with("...") || body.ends_with('\u{2026}');
    let words = body.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count();
    // `...args` and `foo(...` are code.
    let prose = body.chars().all(|c| {
        c.is_alphanumeric()
            || matches!(c, '.' | '\u{2026}' | ' ' | ',' | '-' | '\'' | '(' | ')' | ':')
    });
    let spaced = body.trim_start_matches(dots);
    let bare = spaced.is_empty() || spaced.starts_with(' ') || !body.starts_with(['.', '\u{2026}']);
    (begins || ends && marked) && prose && bare && words <= 12
}

/// The text of a line without comment marks and brackets, and whether it had any.
fn without_marks(line: &str) -> (&str, bool) {
    let trimmed = line.trim();
    let mut body = trimmed;
    loop {
        let mut shorter = body;
        for mark in ["//", "#", "--", "/*", "<!--", "{/*", "[", "(", "{", ";", "%", "\"\"\""] {
            shorter = shorter.strip_prefix(mark).unwrap_or(shorter).trim_start();
        }
        for mark in ["*/", "-->", "*/}", "]", ")", "}", "\"\"\""] {
            shorter = shorter.strip_suffix(mark).unwrap_or(shorter).trim_end();
        }
        if shorter.len() == body.len() {
            return (body, body.len() < trimmed.len());
        }
        body = shorter;
    }
}

/// Refuses a new text that would write an elision over code.
pub(crate) fn check_new(old: &str, new: &str, content: &str) -> Result<(), Refusal> {
    let known = |line: &str| stands(old, line) || stands(content, line);
    for line in new.lines().filter(|line| is_elision(line)) {
        let (body, marked) = without_marks(line);
        let lower = body.to_lowercase();
        let saying = SAYING
            .iter()
            .any(|word| lower.split(|c: char| !c.is_alphanumeric()).any(|found| found == *word));
        let shorter = new.lines().count() < old.lines().count();
        if !known(line)
            && (saying
                || marked && shorter
                || shorter && old.lines().count() > new.lines().count() + 1)
        {
            return Err(refusal::unpaired(old, line.trim()));
        }
    }
    Ok(())
}

/// Whether a text has such a line.
fn stands(text: &str, line: &str) -> bool {
    let line = line.trim();
    let starts = memchr::memmem::find_iter(text.as_bytes(), line.as_bytes());
    starts.map(|at| at..at + line.len()).any(|range| {
        let before = text[..range.start].trim_end_matches([' ', '\t']);
        let after = text[range.end..].trim_start_matches([' ', '\t', '\r']);
        (before.is_empty() || before.ends_with('\n'))
            && (after.is_empty() || after.starts_with('\n'))
    })
}

/// Whether a text has a line of which this is the beginning: then the dots stand for its rest.
fn is_cut_off(text: &str, line: &str) -> bool {
    const LEAST: usize = 12;
    let begun = line.trim().trim_end_matches(['.', '\u{2026}']).trim_end();
    let begins = |at: usize| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    };
    begun.len() >= LEAST && memchr::memmem::find_iter(text.as_bytes(), begun.as_bytes()).any(begins)
}

/// A stretch of old and new between two elisions.
struct Stretch<'a> {
    old: &'a str,
    new: &'a str,
    view: View,
}

/// How much is taken for an elision, and how stretches are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Only what cannot be the beginning of a line, and stretches as they are.
    Strict,
    /// The same, and stretches that are only similar.
    Similar,
    /// What begins a line of the file, too.
    CutOff,
}

/// Looks for old with its elisions.
pub(crate) fn look(climb: &Climb<'_>, reading: Reading) -> Result<Look, Refusal> {
    let similar = reading != Reading::Strict;
    let text = climb.source.text;
    let cut_off = |line: &str| reading != Reading::CutOff && is_cut_off(text, line);
    let stands = |line: &str| stands(text, line) || cut_off(line);
    let Some(first) = climb.old.lines().find(|line| is_elision(line) && !stands(line)) else {
        return Ok(Look::Nothing);
    };
    let cut = |text| stretches(text, &|line| is_elision(line) && !stands(line));
    let (old, new) = (cut(climb.old), cut(climb.new));
    if old.len() != new.len() {
        return Err(refusal::unpaired(climb.edit.old, first.trim()));
    }
    let pairs: Vec<Stretch<'_>> = old
        .into_iter()
        .zip(new)
        .map(|(old, new)| Stretch { old, new, view: View::new(old, Sight::Plain, &[]) })
        .collect();
    // An elision at an edge says nothing, as long as new adds nothing beyond it.
    let empty = |stretch: &Stretch<'_>| stretch.view.len() == 0;
    if pairs.iter().any(|stretch| empty(stretch) && !stretch.new.trim().is_empty()) {
        return Err(refusal::unpaired(climb.edit.old, first.trim()));
    }
    let pairs: Vec<Stretch<'_>> = pairs.into_iter().filter(|stretch| !empty(stretch)).collect();
    let telling: usize = pairs.iter().map(|stretch| stretch.view.len()).sum();
    if telling < 12 {
        return Ok(Look::Nothing);
    }
    let chains = chains(climb, &pairs, similar)?;
    let several = chains.len() > 1;
    let mut places = Vec::new();
    for chain in chains {
        let start = chain[0].start;
        let patches = chain.into_iter().map(|spot| spot.patches).collect::<Result<Vec<_>, _>>();
        let patches = if several { patches.unwrap_or_default() } else { patches? };
        places.push((start, patches.concat()));
    }
    Ok(if places.is_empty() {
        Look::Nothing
    } else {
        Look::Found(Hits { level: Level::Elision, places, repair: climb.repair })
    })
}

/// Cuts a text at its elisions.
fn stretches<'a>(text: &'a str, is_cut: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    let (mut out, mut from, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if is_cut(line.trim_end()) {
            out.push(&text[from..at]);
            from = at + line.len();
        }
        at += line.len();
    }
    out.push(&text[from..]);
    out
}

/// Where a stretch stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spot {
    start: usize,
    end: usize,
    /// What becomes of it; a refusal counts only if this place is meant.
    patches: Result<Vec<Patch>, Refusal>,
}

/// The places of one stretch. One that stands nowhere may be looked for with differences.
fn spots(climb: &Climb<'_>, stretch: &Stretch<'_>, similar: bool) -> Result<Vec<Spot>, Refusal> {
    const MOST: usize = 1_000;
    let file = climb.source.plain();
    let text = climb.source.text;
    let found = file.find(&stretch.view.bytes, MOST);
    let mut spots = Vec::new();
    for hit in found.into_iter().filter(|hit| whole_lines(file, *hit, stretch.view.len())) {
        let last = file.origin(hit + stretch.view.len() - 1);
        let end = last + next_char(text, last).map_or(0, char::len_utf8);
        spots.push(Spot { start: file.origin(hit), end, patches: merged(climb, stretch, hit) });
    }
    if spots.is_empty() && similar {
        let part = climb.of_part(stretch.old, stretch.new);
        if let Look::Found(hits) = fuzzy::look(&part)? {
            for (start, patches) in hits.places {
                let end = patches.last().map_or(start, |patch| patch.range.end);
                spots.push(Spot { start, end, patches: Ok(patches) });
            }
        }
    }
    Ok(spots)
}

/// Every way to find the stretches one after another.
fn chains(
    climb: &Climb<'_>,
    pairs: &[Stretch<'_>],
    similar: bool,
) -> Result<Vec<Vec<Spot>>, Refusal> {
    let spots = pairs
        .iter()
        .map(|stretch| spots(climb, stretch, similar))
        .collect::<Result<Vec<_>, _>>()?;
    let Some((first, rest)) = spots.split_first() else { return Ok(Vec::new()) };
    let mut out: Vec<Vec<Spot>> = Vec::new();
    for start in first {
        let mut chain = vec![start.clone()];
        let wanted = shift(climb.source, &pairs[0], start.start);
        for (index, spots) in rest.iter().enumerate() {
            let end = chain[index].end;
            let line = climb.source.line(end);
            let mut near = spots.iter().filter(|spot| {
                spot.start >= end && climb.source.line(spot.start) <= line + MOST_LINES
            });
            let nearest = near.clone().next();
            let fits = |spot: &&Spot| shift(climb.source, &pairs[index + 1], spot.start) == wanted;
            let Some(next) = near.find(fits).or(nearest) else { break };
            chain.push(next.clone());
        }
        if chain.len() == pairs.len() {
            out.push(chain);
        }
    }
    // Of chains that end in the same places the shortest is meant.
    if out.len() > 1 && pairs.len() > 1 {
        let ends: Vec<Vec<Spot>> = out.iter().map(|chain| chain[1..].to_vec()).collect();
        let mut index = 0;
        out.retain(|_| {
            index += 1;
            ends.get(index).is_none_or(|later| *later != ends[index - 1])
        });
    }
    Ok(out)
}

fn whole_lines(file: &View, hit: usize, len: usize) -> bool {
    (hit == 0 || file.bytes[hit - 1] == b'\n')
        && file.bytes.get(hit + len).is_none_or(|byte| *byte == b'\n')
}

/// How much deeper the file indents the first line of a stretch than old does.
fn shift(source: &Source<'_>, stretch: &Stretch<'_>, at: usize) -> isize {
    let width =
        |indent: &str| indent.chars().map(|c| if c == '\t' { 4_isize } else { 1 }).sum::<isize>();
    let first = stretch.old.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    width(&source.text[source.line_start(at)..at]) - width(lead(first))
}

fn merged(climb: &Climb<'_>, stretch: &Stretch<'_>, hit: usize) -> Result<Vec<Patch>, Refusal> {
    if stretch.old == stretch.new {
        return Ok(Vec::new());
    }
    let (old, new) = (Tokens::new(stretch.old, &[]), Tokens::new(stretch.new, &[]));
    let places = aligned(&old, &stretch.view, climb.source.text, climb.source.plain(), hit);
    let merge = Merge {
        source: climb.source,
        old: &old,
        new: &new,
        places: &places,
        remarks: &[],
        end: None,
    };
    merge.run().map(|patch| vec![patch]).map_err(|conflict| climb.conflict(conflict))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_elision_looks_like() {
        for line in [
            "...",
            "  \u{2026}",
            "// ... existing code ...",
            "# ...",
            "<!-- ... -->",
            "/* rest of the code... */",
            "[...]",
            "    # ... (unchanged)",
        ] {
            assert!(is_elision(line), "{line}");
        }
        assert!(is_cut_off("a\n  # This is the rest of it\n", "# This is the re..."));
        assert!(!is_cut_off("a # This is the rest of it\n", "# This is the re..."));
        assert!(!is_cut_off("# ... existing code ...\n", "# ..."));
        for line in ["...args", "f(...x)", "for i in 0..3 {", "x = 1", "def f(): ...", "}"] {
            assert!(!is_elision(line), "{line}");
        }
    }
}
