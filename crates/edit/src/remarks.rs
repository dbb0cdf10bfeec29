//! Where the comments of a text are, without knowing its language.
//!
//! Only used to look past them, on both sides alike; what is taken for a comment by mistake
//! makes the comparison a little more tolerant and is never written. Marks inside of quotes do
//! not count.

use std::ops::Range;

/// The comments of a text, in order, without the space around them.
pub(crate) fn remarks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut closer: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end();
        scan_line(body, start, &mut closer, &mut found);
        start += line.len();
    }
    found
}

/// Whether a text is nothing but a comment.
pub(crate) fn is_remark(text: &str) -> bool {
    remarks(text).first().is_some_and(|found| *found == (0..text.len()))
}

/// Whether a line is one that the C preprocessor reads, with space after its `#`.
fn is_directive(body: &str) -> bool {
    const SURE: [&str; 8] =
        ["define", "undef", "ifdef", "ifndef", "endif", "elif", "pragma", "include"];
    let Some(rest) = body.strip_prefix('#') else { return false };
    let rest = rest.trim_start_matches([' ', '\t']);
    let word = rest.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
    let after = rest[word.len()..].trim_start();
    match word {
        "if" => after.starts_with("defined") || after.starts_with(['(', '!', '_']),
        "else" => after.is_empty(),
        _ => SURE.contains(&word),
    }
}

/// Marks that begin a comment when they are the first thing in a line.
fn is_remark_line(body: &str) -> bool {
    let word_after = |mark: &str| {
        body.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    body.starts_with("//")
        || ["#", "##", "###", "--", ";;", ";;;"].into_iter().any(word_after)
        || body.starts_with("#!")
}

fn scan_line(
    line: &str,
    start: usize,
    closer: &mut Option<&'static str>,
    found: &mut Vec<Range<usize>>,
) {
    let indent = line.len() - line.trim_start().len();
    let mut at = indent;
    if closer.is_none() && is_directive(&line[indent..]) {
        at += 1;
    } else if closer.is_none() && is_remark_line(&line[indent..]) {
        found.push(start + indent..start + line.len());
        return;
    }
    while at < line.len() {
        if let Some(mark) = *closer {
            let end = line[at..].find(mark).map_or(line.len(), |found| at + found + mark.len());
            if end > at {
                found.push(start + at..start + end);
            }
            if line[at..].contains(mark) {
                *closer = None;
            }
            at = end;
            continue;
        }
        let rest = &line[at..];
        let after_space = at == 0 || line[..at].ends_with([' ', '\t']);
        if rest.starts_with("/*") || rest.starts_with("<!--") {
            *closer = Some(if rest.starts_with('/') { "*/" } else { "-->" });
        } else if after_space && is_trailing_remark(rest) {
            found.push(start + at..start + line.len());
            return;
        } else {
            at = past_quoted(line, at);
        }
    }
}

fn is_trailing_remark(rest: &str) -> bool {
    rest.starts_with("//")
        || rest.strip_prefix('#').is_some_and(|after| after.starts_with([' ', '!', '#']))
        || rest.strip_prefix("--").is_some_and(|after| after.starts_with(' '))
}

/// The next position to look at: past a quoted piece that ends in this line, or one further.
fn past_quoted(line: &str, at: usize) -> usize {
    let next = line[at..].chars().next().map_or(at + 1, |c| at + c.len_utf8());
    let quote = line.as_bytes()[at];
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return next;
    }
    let within_word = at > 0 && line.as_bytes()[at - 1].is_ascii_alphanumeric();
    if quote == b'\'' && within_word {
        return next;
    }
    let mut bytes = line.as_bytes()[at + 1..].iter().enumerate();
    while let Some((offset, byte)) = bytes.next() {
        if *byte == b'\\' {
            bytes.next();
        } else if *byte == quote {
            return at + 1 + offset + 1;
        }
    }
    // Not closed here: a lifetime or an apostrophe, or a string over several lines.
    if quote == b'\'' { next } else { line.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        remarks(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn comments_of_several_languages() {
        assert_eq!(shown("a = 1  # one\n# two\nb"), ["# one", "# two"]);
        assert_eq!(
            shown("x(); // a\n/* b\n c */ y(); /* d */ z"),
            ["// a", "/* b", "c */", "/* d */"]
        );
        assert_eq!(
            shown("<p><!-- a --></p>\n-- sql\nselect 1 -- b"),
            ["<!-- a -->", "-- sql", "-- b"]
        );
    }

    #[test]
    fn marks_in_strings_are_no_comments() {
        assert!(
            shown("a = '# no' + \"// no\"\nb = `x // y`\nurl(http://x)\nc = \"\\\" # no\"")
                .is_empty()
        );
        assert_eq!(shown("it's a # yes"), ["# yes"]);
        assert_eq!(shown("fn f<'a>(x: &'a str) // yes"), ["// yes"]);
    }

    #[test]
    fn code_that_looks_like_a_comment_is_none() {
        assert!(shown("#  define A b\n# if defined(A)\n#\telse\n# endif").is_empty());
        assert_eq!(shown("# if it is\n#  define A // b"), ["# if it is", "// b"]);
        assert!(shown("#[derive(Debug)]\n#include <x>\ncolor: #fff;\ni--;\n--i").is_empty());
    }
}
