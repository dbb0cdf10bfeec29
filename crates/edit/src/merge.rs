//! The three-way merge: old is the base, the file is ours, new is theirs.
//!
//! It works on tokens and the gaps before them. A token that old and new share is written as
//! the file has it, and so is the gap before it where old and new agree on it; only what new
//! changed is taken from new, with the file's indents and line endings. Where the file and new
//! both changed the same thing there is no right answer, and none is given.

mod check;
mod gap;
mod pairing;
mod writer;

use std::ops::Range;

use crate::fold::is_invisible;
use crate::indent::{Indents, Pair};
use crate::remarks::is_remark;
use crate::spans::{Source, common_eol};
use crate::tokens::Tokens;
use gap::Gap;
pub(crate) use pairing::{Pairing, lines};
use writer::Writer;

/// Where a token of old stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Here, and it is the same.
    Same(Range<usize>),
    /// Here stands something else for this token and the `Gone` ones after it.
    Other(Range<usize>),
    /// Nowhere of its own.
    Gone,
}

impl Place {
    pub(crate) fn range(&self) -> Option<&Range<usize>> {
        match self {
            Self::Same(range) | Self::Other(range) => Some(range),
            Self::Gone => None,
        }
    }
}

/// A replacement of bytes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// The file and new both changed the text at this byte of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conflict(pub(crate) usize);

/// Everything that one merge looks at.
pub(crate) struct Merge<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) old: &'a Tokens<'a>,
    pub(crate) new: &'a Tokens<'a>,
    pub(crate) places: &'a [Place],
    /// The file's comments, where they were looked past.
    pub(crate) remarks: &'a [Range<usize>],
    /// Where the place ends, if that is known to be past the last token.
    pub(crate) end: Option<usize>,
}

/// The surroundings of the place.
struct Site {
    /// Where writing begins: the start of the line, if nothing but its indent is before.
    start: usize,
    /// The indent there; none in the middle of a line.
    indent: Option<String>,
    /// Where the last token ends.
    last: usize,
    /// Where writing ends: past what follows the last token, if it is only space or a comment.
    end: usize,
    eol: &'static str,
}

impl Merge<'_> {
    pub(crate) fn run(&self) -> Result<Patch, Conflict> {
        let pairing = Pairing::new(self.old, self.new);
        let site = self.site();
        self.check(&pairing)?;
        if self.new.len() == 0 {
            return Ok(self.removal(&site));
        }
        let indents = self.indents(&site);
        let mut text = String::new();
        for index in 0..self.new.len() {
            let swallowed = pairing.old_of[index].is_some_and(|i| self.places[i] == Place::Gone);
            if swallowed {
                continue;
            }
            let writer = Writer { merge: self, pairing: &pairing, site: &site, indents: &indents };
            if text.is_empty() && self.at_start(&pairing, index) {
                writer.first_gap(&mut text);
            } else {
                writer.gap(index, &mut text)?;
            }
            text.push_str(self.token(&pairing, index));
        }
        if self.ends_as_old(&pairing) {
            text.push_str(&self.source.text[site.last..site.end]);
        }
        let wanted = gap::breaks(self.new.gap(self.new.len()));
        let known = gap::breaks(self.old.gap(self.old.len())).max(1);
        text.push_str(&site.eol.repeat(wanted.saturating_sub(known)));
        let mut end = site.end;
        if let Some((tail, eol)) = self.own_tail(&pairing) {
            text.push_str(tail);
            if let Some(other) = self.source.eol_at(end).filter(|other| *other != eol) {
                text.push_str(eol);
                end += other.len();
            }
        } else if wanted > 0 && wanted < known && !self.ends_as_old(&pairing) {
            end = self.without_blank_lines(end, known - wanted);
        }
        self.check_remarks(&site, &text)?;
        Ok(Patch { range: site.start..end, text })
    }

    /// Whether nothing of new before this token is written.
    fn at_start(&self, pairing: &Pairing, index: usize) -> bool {
        pairing.old_of[..index].iter().all(|i| i.is_some_and(|i| self.places[i] == Place::Gone))
    }

    /// Whether the last line of new takes over what ends the last line of old in the file.
    fn ends_as_old(&self, pairing: &Pairing) -> bool {
        let last = (0..self.new.len()).rev().find(|j| pairing.source(*j).is_some());
        let Some(last) = last else { return false };
        pairing.source(last).map(|i| i + 1) == Some(self.old.len())
            && (last + 1..self.new.len()).all(|j| !self.new.gap(j).contains('\n'))
    }

    /// What ends the last line of new in the file, and how, where it is not the last one of old.
    fn own_tail(&self, pairing: &Pairing) -> Option<(&str, &'static str)> {
        let k = pairing.old_of.last().copied().flatten()?;
        let next = Some(k + 1).filter(|next| *next < self.old.len())?;
        let breaks = |gap: &str| gap.contains('\n');
        let range = self.places[k].range()?;
        if !breaks(self.old.gap(next)) || !self.file_gap(next).is_some_and(breaks) {
            return None;
        }
        let stop = self.source.line_end(range.end);
        Some((&self.source.text[range.end..stop], self.source.eol_at(stop)?))
    }

    /// A token of new, as the file spells it where it is one of old's.
    fn token(&self, pairing: &Pairing, index: usize) -> &str {
        pairing.old_of[index]
            .and_then(|i| self.places[i].range())
            .map_or(self.new.get(index), |range| &self.source.text[range.clone()])
    }

    /// The end of the place, past some blank lines after it.
    fn without_blank_lines(&self, from: usize, count: usize) -> usize {
        let mut end = from;
        for _ in 0..count {
            let Some(eol) = self.source.eol_at(end) else { break };
            let next = self.source.line_end(end + eol.len());
            if !self.source.text[end + eol.len()..next].trim().is_empty()
                || self.source.eol_at(next).is_none()
            {
                break;
            }
            end = next;
        }
        end
    }

    fn site(&self) -> Site {
        let ranges = || self.places.iter().filter_map(Place::range);
        let first = ranges().next().map_or(0, |range| range.start);
        let last = ranges().next_back().map_or(first, |range| range.end);
        let line = self.source.line_start(first);
        let before = &self.source.text[line..first];
        let line_end = self.source.line_end(last);
        let after = &self.source.text[last..line_end];
        let known =
            self.end.is_some_and(|end| end > last && end <= line_end) || after.trim() == ";";
        // A comment that old did not know ends the line where old does.
        let remark = after.starts_with([' ', '\t']) && is_remark(after.trim());
        let only_remarks =
            after.trim().is_empty() || known || remark || self.is_remark(last, line_end);
        let own_line = before.trim().is_empty();
        let following = self.source.eol_at(line_end);
        let eol = common_eol(&self.source.text[first..last])
            .or(following)
            .unwrap_or_else(|| self.source.common_eol());
        Site {
            start: if own_line { line } else { first },
            indent: own_line.then(|| before.to_owned()),
            last,
            end: if only_remarks { line_end } else { last },
            eol,
        }
    }

    fn is_remark(&self, from: usize, to: usize) -> bool {
        let start = from
            + (self.source.text[from..to].len() - self.source.text[from..to].trim_start().len());
        self.remarks.iter().any(|range| {
            range.start == start && range.end >= to.min(range.end) && to <= range.end + 1
        })
    }

    /// What the file has between the token before and this one.
    fn file_gap(&self, index: usize) -> Option<&str> {
        let end = self.places[index].range()?.start;
        let start = self.places[..index].iter().rev().find_map(Place::range)?.end;
        self.source.text.get(start..end)
    }

    fn removal(&self, site: &Site) -> Patch {
        let whole_lines = site.indent.is_some() && self.source.line_end(site.last) == site.end;
        let mut end = site.end;
        if whole_lines
            && self.old.gap(self.old.len()).contains('\n')
            && !self.new.text.contains('\n')
        {
            end += self.source.eol_at(end).map_or(0, str::len);
        }
        Patch { range: site.start..end, text: String::new() }
    }

    fn indents(&self, site: &Site) -> Indents {
        let mut pairs = Vec::new();
        for index in 0..self.old.len() {
            let theirs = self.old.gap(index);
            let pair = |theirs: &str, ours: &str| Pair {
                token: index,
                theirs: theirs.chars().filter(|c| !is_invisible(*c)).collect(),
                ours: ours.to_owned(),
            };
            if index == 0 {
                if let Some(indent) = &site.indent {
                    pairs.push(pair(Gap::first(theirs).indent, indent));
                }
            } else if theirs.contains('\n')
                && let Some(ours) = self.file_gap(index)
                && ours.contains('\n')
            {
                pairs.push(pair(Gap::new(theirs).indent, Gap::new(ours).indent));
            }
        }
        let file = around(self.source.text, site.start);
        Indents::new(pairs, [self.old.text, self.new.text], file)
    }

    fn near(&self, index: usize) -> usize {
        let here = self.places[index..].iter().find_map(Place::range);
        here.or_else(|| self.places.iter().rev().find_map(Place::range))
            .map_or(0, |range| range.start)
    }
}

/// Some lines around a byte, to learn how the file indents.
fn around(text: &str, at: usize) -> &str {
    const REACH: usize = 4_000;
    let mut from = at.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let mut to = (at + REACH).min(text.len());
    while !text.is_char_boundary(to) {
        to += 1;
    }
    let whole = &text[from..to];
    if from == 0 { whole } else { whole.split_once('\n').map_or(whole, |(_, rest)| rest) }
}
