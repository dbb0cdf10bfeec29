//! Which lines a header such as `class A` or `def f` stands over.

use std::ops::Range;

use crate::lines::Lines;

/// So many words of a line are looked at to find the one most like a header.
const MAX_WORDS: usize = 30;

/// The lines from each occurrence of the last header to the end of what it stands over, within
/// the same of the header before it; in order, none within another. The text of the header that
/// is not there, if one is not.
pub(super) fn scopes<'h>(
    lines: &Lines<'_>,
    headers: &'h [String],
) -> Result<Vec<Range<usize>>, &'h str> {
    let ends = ends(lines);
    let mut within: Vec<Range<usize>> = std::iter::once(0..lines.len()).collect();
    for (depth, header) in headers.iter().enumerate() {
        let places = occurrences(lines, header);
        let inside = |place: &usize| contains(&within, *place);
        let mut found: Vec<usize> = places.iter().copied().filter(inside).collect();
        if found.is_empty() && depth > 0 {
            // What a header stands over is told by indents, and those can mislead.
            let first = within.first().map_or(0, |range| range.start);
            found = places.into_iter().filter(|place| *place >= first).collect();
        }
        if found.is_empty() {
            return Err(header);
        }
        within = merged(found.into_iter().map(|place| place..ends[place]));
    }
    Ok(within)
}

/// A line is in one of these ranges, which are in order.
pub(super) fn contains(ranges: &[Range<usize>], line: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= line);
    after.checked_sub(1).is_some_and(|at| ranges[at].contains(&line))
}

fn merged(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// The lines that are this header: equal but for white space, or else that begin with it.
fn occurrences(lines: &Lines<'_>, header: &str) -> Vec<usize> {
    let wanted = squashed(header);
    let first_word = wanted.split(' ').next().unwrap_or_default();
    let may_be = |line: &usize| lines.body(*line).trim_start().starts_with(first_word);
    let near: Vec<(usize, String)> =
        (0..lines.len()).filter(may_be).map(|line| (line, squashed(lines.body(line)))).collect();
    let which = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        near.iter().filter(|(_, text)| fits(text)).map(|(line, _)| *line).collect()
    };
    let equal = which(&|line| line == wanted);
    if !equal.is_empty() {
        return equal;
    }
    let ends_word = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    which(&|line| line.strip_prefix(wanted.as_str()).is_some_and(ends_word))
}

fn squashed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// For each line, the first one after it that is not deeper: the end of what it stands over.
fn ends(lines: &Lines<'_>) -> Vec<usize> {
    let mut ends = vec![lines.len(); lines.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (line, body) in lines.bodies().enumerate() {
        let text = body.trim_start();
        // A bracket alone belongs to the line that it opens or closes.
        if text.is_empty() || text.starts_with(['{', '}', ')', ']']) {
            continue;
        }
        let indent = body.len() - text.len();
        while let Some((_, start)) = open.pop_if(|(deeper, _)| *deeper >= indent) {
            ends[start] = line;
        }
        open.push((indent, line));
    }
    ends
}

/// The line that shares most words with a header, where one does.
pub(super) fn nearest(lines: &Lines<'_>, header: &str) -> Option<usize> {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        parts.filter(|word| word.len() > 1).take(MAX_WORDS).map(str::to_owned).collect()
    };
    let wanted = words(header);
    let shared = |line: usize| {
        let has = words(lines.body(line));
        wanted.iter().filter(|word| has.contains(word)).count()
    };
    let best = (0..lines.len()).map(|line| (shared(line), line));
    best.filter(|(shared, _)| *shared > 0).rev().max_by_key(|(shared, _)| *shared).map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::Ends;

    const TEXT: &str = "\
class A:
    def run(self):
        return 1

    def stop(self):
        return 2
class B(Base):
    def run(self):
        return 1
";

    fn found(text: &str, headers: &[&str]) -> Option<Vec<Range<usize>>> {
        let headers: Vec<String> = headers.iter().map(ToString::to_string).collect();
        scopes(&Lines::new(text, Ends::Loose), &headers).ok()
    }

    #[test]
    fn headers_narrow_the_place() {
        let one = |range: Range<usize>| Some(std::iter::once(range).collect());
        assert_eq!(found(TEXT, &["class A:"]), one(0..6));
        assert_eq!(found(TEXT, &["def run(self):"]), Some(vec![1..4, 7..9]));
        assert_eq!(found(TEXT, &["class B", "  def  run(self):"]), one(7..9));
        assert_eq!(found(TEXT, &["class A:", "def missing"]), None);
        assert_eq!(found(TEXT, &["class Bas"]), None);
        assert_eq!(nearest(&Lines::new(TEXT, Ends::Loose), "def stop(x)"), Some(4));
    }

    #[test]
    fn a_bracket_alone_does_not_end_what_is_above() {
        let text = "int f()\n{\n  x;\n}\nint g()\n{\n}\n";
        assert_eq!(found(text, &["int f()"]), Some(std::iter::once(0..4).collect()));
    }

    #[test]
    fn many_equal_headers_are_one_pass() {
        let text = "a\n".repeat(100_000);
        assert_eq!(found(&text, &["a", "a", "a"]).map(|ranges| ranges.len()), Some(100_000));
    }
}
