//! Pieces of new text in the place of pieces of the old one.

use std::ops::Range;

use crate::Applied;

/// New text in the place of some bytes of the old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) span: Range<usize>,
    pub(crate) text: String,
}

impl Splice {
    /// What an edit of `content` changed, `offset` bytes into a longer text.
    pub(crate) fn of(content: &str, applied: &Applied, offset: usize) -> Self {
        let start = applied.spans.iter().map(|span| span.start).min().unwrap_or(0);
        let end = applied.spans.iter().map(|span| span.end).max().unwrap_or(content.len());
        let tail = content.len() - end.min(content.len());
        let text = applied.text.get(start..applied.text.len().saturating_sub(tail));
        let text = text.unwrap_or_default().to_owned();
        Self { span: start + offset..end + offset, text }
    }

    /// The same change without the whole lines at both ends that it does not change, so that two
    /// changes which only show the same line do not overlap.
    pub(crate) fn trimmed(self, content: &str) -> Self {
        let old = &content[self.span.clone()];
        let same = |one: &[&str], other: &[&str]| {
            one.iter().zip(other).take_while(|(one, other)| one == other).count()
        };
        let mut old_lines: Vec<_> = old.split_inclusive('\n').collect();
        let mut new_lines: Vec<_> = self.text.split_inclusive('\n').collect();
        let head = same(&old_lines, &new_lines);
        let head_bytes: usize = old_lines.drain(..head).map(str::len).sum();
        new_lines.drain(..head);
        old_lines.reverse();
        new_lines.reverse();
        let tail = same(&old_lines, &new_lines);
        let tail_bytes: usize = old_lines.iter().take(tail).map(|line| line.len()).sum();
        Self {
            span: self.span.start + head_bytes..self.span.end - tail_bytes,
            text: self.text[head_bytes..self.text.len() - tail_bytes].to_owned(),
        }
    }
}

/// Puts all in their places, or tells which overlap, in pairs with the earlier one first.
pub(crate) fn splice_all(content: &str, splices: &[Splice]) -> Result<String, Vec<(usize, usize)>> {
    let mut order: Vec<usize> = (0..splices.len()).collect();
    order.sort_by_key(|at| (splices[*at].span.start, splices[*at].span.end));
    let mut text = String::with_capacity(content.len());
    let mut overlaps = Vec::new();
    let mut done = 0;
    let mut last = 0;
    for at in order {
        let Splice { span, text: new } = &splices[at];
        if span.start < done {
            overlaps.push((at.min(last), at.max(last)));
        } else {
            text.push_str(&content[done..span.start]);
            text.push_str(new);
        }
        if span.end > done {
            (done, last) = (span.end, at);
        }
    }
    text.push_str(&content[done..]);
    if overlaps.is_empty() { Ok(text) } else { Err(overlaps) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splice(span: Range<usize>, text: &str) -> Splice {
        Splice { span, text: text.to_owned() }
    }

    #[test]
    fn unchanged_lines_at_the_ends_are_left_out() {
        let content = "a\nb\nc\n";
        assert_eq!(splice(0..6, "a\nB\nc\n").trimmed(content), splice(2..4, "B\n"));
        assert_eq!(splice(0..2, "a\na\n").trimmed(content), splice(2..2, "a\n"));
        assert_eq!(splice(0..6, content).trimmed(content), splice(6..6, ""));
    }

    #[test]
    fn overlapping_pieces_are_told() {
        let pieces = [splice(2..4, "X"), splice(0..2, "Y"), splice(2..2, "Z")];
        assert_eq!(splice_all("abcdef", &pieces), Ok("YZXef".to_owned()));
        assert_eq!(splice_all("abcdef", &[splice(2..4, ""), splice(3..3, "")]), Err(vec![(0, 1)]));
        let three = [splice(0..4, ""), splice(1..2, ""), splice(3..6, ""), splice(6..6, "")];
        assert_eq!(splice_all("abcdef", &three), Err(vec![(0, 1), (0, 2)]));
    }
}
