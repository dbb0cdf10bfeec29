//! Small questions about lines.

/// The blanks at a line's begin.
pub(crate) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

pub(crate) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// A line without any white space.
pub(crate) fn squashed(line: &str) -> String {
    line.split_whitespace().collect()
}

/// Where the words of letters, digits and `_` are that do not begin with a digit.
pub(crate) fn words(line: &str) -> Vec<(usize, usize)> {
    runs(line, |c| c.is_ascii_alphanumeric() || c == '_')
        .into_iter()
        .filter(|(from, _)| !line.as_bytes()[*from].is_ascii_digit())
        .collect()
}

/// Where numbers are that are no part of a word.
pub(crate) fn numbers(line: &str) -> Vec<(usize, usize)> {
    runs(line, |c| c.is_ascii_alphanumeric() || c == '_')
        .into_iter()
        .filter(|(from, to)| line[*from..*to].bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|(from, to)| to - from <= 6)
        .collect()
}

fn runs(line: &str, inside: impl Fn(char) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut begin = None;
    for (at, c) in line.char_indices().chain([(line.len(), '\n')]) {
        match (begin, inside(c)) {
            (None, true) => begin = Some(at),
            (Some(from), false) => {
                found.push((from, at));
                begin = None;
            }
            _ => {}
        }
    }
    found
}

/// A text with one range of it replaced.
pub(crate) fn replaced(text: &str, (from, to): (usize, usize), by: &str) -> String {
    format!("{}{by}{}", &text[..from], &text[to..])
}

/// A word replaced wherever it stands alone.
pub(crate) fn renamed(line: &str, word: &str, by: &str) -> String {
    let mut result = line.to_owned();
    for (from, to) in words(line).into_iter().rev() {
        if &line[from..to] == word {
            result.replace_range(from..to, by);
        }
    }
    result
}

/// How many bytes two texts have in common at the begin and, of the rest, at the end.
pub(crate) fn common(a: &str, b: &str) -> (usize, usize) {
    let prefix: usize =
        a.chars().zip(b.chars()).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.chars().rev().zip(b.chars().rev()).take_while(|(x, y)| x == y);
    (prefix, suffix.map(|(x, _)| x.len_utf8()).sum())
}
