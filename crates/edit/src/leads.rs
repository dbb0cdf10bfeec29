//! The marks that begin the lines of a comment or a quotation.
//!
//! Where such a text is broken at other words, the marks stand between other words too, so they
//! belong to the line breaks.

use std::ops::Range;

const MARKS: [&str; 8] = ["///", "//!", "//", "#", "*", "--", ";;", ">"];

/// The marks of a text, in order.
pub(crate) fn leads(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_start();
        let at = start + line.len() - body.len();
        if let Some(mark) = mark(body.trim_end()) {
            found.push(at..at + mark.len());
        }
        start += line.len();
    }
    found
}

fn mark(body: &str) -> Option<&'static str> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\u{a0}']);
    MARKS.into_iter().find(|mark| body.strip_prefix(mark).is_some_and(ends))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_stand_alone() {
        let text = "  // a\n//\nx // y\n#[b]\n * c\n#\td\r\n";
        let shown: Vec<&str> = leads(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(shown, ["//", "//", "*", "#"]);
    }
}
