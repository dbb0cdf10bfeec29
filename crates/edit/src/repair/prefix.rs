//! What a reader puts before every line: numbers, `path:line:`, marks of a diff or a quotation.

/// The pair without the prefixes of its lines.
pub(super) fn stripped(old: &str, new: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    if let Some(numbers) = Numbers::of(old) {
        if numbers.fits(new) {
            out.push((numbers.strip(old), numbers.strip(new)));
        } else {
            // Whether a space belongs to the prefix shows in the lines that new repeats.
            let shared = |numbers: &Numbers| {
                let stripped = numbers.strip(old);
                stripped.lines().filter(|line| new.lines().any(|other| other == *line)).count()
            };
            let mut better = numbers;
            for spaces in 0..=2 {
                let other = Numbers { spaces, ..numbers };
                if shared(&other) > shared(&better) {
                    better = other;
                }
            }
            out.push((better.strip(old), new.to_owned()));
        }
    }
    for mark in ['-', '+'] {
        if let Some(bare) = without_marks(old, mark) {
            let of_new = ['+', '-'].into_iter().find_map(|mark| without_marks(new, mark));
            out.push((bare, of_new.unwrap_or_else(|| new.to_owned())));
        }
    }
    if let Some(bare) = without_quotation(old) {
        out.push((bare, without_quotation(new).unwrap_or_else(|| new.to_owned())));
    }
    out
}

/// The pair without a diff's marks, where both texts have them and together say so.
pub(super) fn of_a_diff(old: &str, new: &str) -> Option<(String, String)> {
    let marked = |text: &str, mark: char| text.lines().any(|line| line.starts_with(mark));
    if !marked(new, '+') && !marked(old, '-') {
        return None;
    }
    let bare = |text: &str, mark: char| {
        let lines = text
            .split('\n')
            .map(|line| if line.is_empty() { Some(line) } else { line.strip_prefix([mark, ' ']) });
        lines.collect::<Option<Vec<_>>>().map(|lines| lines.join("\n"))
    };
    Some((bare(old, '-')?, bare(new, '+')?))
}

/// The format of line numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    /// Whether a path stands before the number.
    path: bool,
    /// What follows the number.
    mark: char,
    /// How many spaces belong to the prefix.
    spaces: usize,
}

/// One line, cut after its number.
struct Numbered<'a> {
    number: u64,
    path: bool,
    mark: Option<char>,
    rest: &'a str,
}

impl Numbers {
    /// The format in which every line has a number, if there is one and the numbers rise.
    fn of(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.split('\n').filter(|line| !line.trim().is_empty()).collect();
        let mut found: Vec<Numbered<'_>> =
            lines.iter().filter_map(|line| Numbered::new(line)).collect();
        // A first line that was cut in the middle has lost its number.
        let missing = lines.len() - found.len();
        if found.is_empty()
            || missing > 1
            || missing == 1 && (found.len() < 2 || Numbered::new(lines[0]).is_some())
        {
            return None;
        }
        if found.windows(2).any(|pair| pair[1].number <= pair[0].number) {
            return None;
        }
        found.retain(|line| line.mark.is_some());
        let first = found.first()?;
        let (path, mark) = (first.path, first.mark?);
        let alike =
            |other: char| other == mark || path && matches!((mark, other), (':', '-') | ('-', ':'));
        if !found.iter().all(|line| line.path == path && line.mark.is_some_and(alike)) {
            return None;
        }
        if mark == ' ' && found.len() < 2 {
            return None;
        }
        let mut rests = found.iter().map(|line| line.rest).filter(|rest| !rest.trim().is_empty());
        let space = !matches!(mark, ' ' | '\t') && rests.all(|rest| rest.starts_with(' '));
        // Indents are even; where they are only with the space, it is theirs.
        let wide = |line: &Numbered<'_>| line.rest.len() - line.rest.trim_start_matches(' ').len();
        let filled = || found.iter().filter(|line| !line.rest.trim().is_empty());
        let space = space && !filled().all(|line| wide(line) % 2 == 0);
        Some(Self { path, mark, spaces: usize::from(space) })
    }

    /// Whether a text has such numbers, at least in its first line.
    fn fits(self, text: &str) -> bool {
        let mut lines = text.split('\n').filter(|line| !line.trim().is_empty());
        lines.any(|line| self.rest(line).is_some())
    }

    fn rest(self, line: &str) -> Option<&str> {
        let found = Numbered::new(line)?;
        let mark = found.mark?;
        let alike = mark == self.mark || self.path && matches!(mark, ':' | '-');
        if found.path != self.path || !alike {
            return None;
        }
        let rest = found.rest;
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        Some(&rest[spaces.min(self.spaces)..])
    }

    fn strip(self, text: &str) -> String {
        let lines = text.split('\n').map(|line| {
            let blank = Numbered::new(line).is_some_and(|found| found.mark.is_none());
            if blank { "" } else { self.rest(line).unwrap_or(line) }
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl<'a> Numbered<'a> {
    fn new(line: &'a str) -> Option<Self> {
        let start = line.trim_start();
        if let Some(found) =
            Self::from_digits(start.strip_prefix(['L', '[', '(']).unwrap_or(start), false)
        {
            return Some(found);
        }
        // A path has no space; what looks like one may contain the marks itself.
        for (at, _) in start.match_indices([':', '-']).take(8) {
            let path = &start[..at];
            if path.contains(char::is_whitespace) || path.is_empty() {
                break;
            }
            if let Some(found) = Self::from_digits(&start[at + 1..], true)
                .filter(|found| matches!(found.mark, Some(':' | '-')))
            {
                return Some(found);
            }
        }
        None
    }

    fn from_digits(text: &'a str, path: bool) -> Option<Self> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 || digits > 7 {
            return None;
        }
        let number = text[..digits].parse().ok()?;
        let rest = &text[digits..];
        if rest.trim().is_empty() && !rest.starts_with('\t') {
            return Some(Self { number, path, mark: None, rest: "" });
        }
        let mark = rest.chars().next()?;
        let adjacent =
            matches!(mark, '\t' | ':' | '|' | '.' | ')' | ']' | '>' | '-' | '=') || is_rule(mark);
        if adjacent {
            return Some(Self { number, path, mark: Some(mark), rest: &rest[mark.len_utf8()..] });
        }
        let spaced = rest.trim_start_matches(' ');
        let mark = spaced.chars().next()?;
        if mark == ':' || mark == '|' || is_rule(mark) {
            return Some(Self { number, path, mark: Some(mark), rest: &spaced[mark.len_utf8()..] });
        }
        let rest = rest.strip_prefix(' ')?;
        Some(Self { number, path, mark: Some(' '), rest })
    }
}

/// Arrows and rules that set a number apart.
fn is_rule(c: char) -> bool {
    matches!(c, '\u{2192}' | '\u{2502}' | '\u{2503}' | '\u{258f}' | '\u{a6}')
}

/// A text without a diff's marks, where every line has one.
fn without_marks(text: &str, mark: char) -> Option<String> {
    let mut marked = false;
    let mut out = Vec::new();
    for line in text.split('\n') {
        if let Some(rest) = line.strip_prefix(mark) {
            marked = true;
            out.push(rest);
        } else if line.is_empty() {
            out.push(line);
        } else {
            out.push(line.strip_prefix(' ')?);
        }
    }
    marked.then(|| out.join("\n"))
}

/// A text without `> ` before every line.
fn without_quotation(text: &str) -> Option<String> {
    let lines = text.split('\n').map(|line| {
        if line.trim().is_empty() {
            return Some("");
        }
        let rest = line.trim_start().strip_prefix(['>', '|', '\u{2502}'])?;
        Some(rest.strip_prefix(' ').unwrap_or(rest))
    });
    lines.collect::<Option<Vec<_>>>().map(|lines| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(old: &str) -> Option<String> {
        stripped(old, "").into_iter().next().map(|(old, _)| old)
    }

    #[test]
    fn numbers_of_every_reader() {
        for numbered in [
            "     9\ta\n    10\t  b",
            "9|a\n10|  b",
            "9 | a\n10 |   b",
            "9: a\n10:   b",
            "9\u{2192}a\n10\u{2192}  b",
            "src/a-b.rs:9:a\nsrc/a-b.rs:10:  b",
            "a.rs-9-a\na.rs:10:  b",
            "L9: a\nL10:   b",
            "[9] a\n[10]   b",
        ] {
            assert_eq!(bare(numbered).as_deref(), Some("a\n  b"), "{numbered}");
        }
    }

    #[test]
    fn numbers_that_do_not_rise_are_text() {
        assert_eq!(bare("2: a\n1: b"), None);
        assert_eq!(bare("1: a\nb\nc"), None);
        assert_eq!(bare("10 20\nx"), None);
    }

    #[test]
    fn blank_lines_may_have_a_number_only() {
        assert_eq!(bare("1\ta\n2\t\n3\tb").as_deref(), Some("a\n\nb"));
        assert_eq!(bare("1: a\n2:\n3: b").as_deref(), Some("a\n\nb"));
        assert_eq!(bare("1| a\n2\n3| b").as_deref(), Some("a\n\nb"));
    }

    #[test]
    fn new_lines_without_a_number_stay() {
        let found = stripped("1\ta\n2\tb", "1\ta\nx\n2\tb");
        assert_eq!(found[0].1, "a\nx\nb");
    }

    #[test]
    fn marks_of_a_diff() {
        let found = stripped(" a\n-b\n c", " a\n+x\n c");
        assert_eq!(found, [("a\nb\nc".to_owned(), "a\nx\nc".to_owned())]);
        assert_eq!(bare("> a\n>  b").as_deref(), Some("a\n b"));
    }
}
