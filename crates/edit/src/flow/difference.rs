//! Whether what differs may differ.

use std::ops::Range;

use super::matching::Stretch;
use super::{Flow, Words};
use crate::fuzzy::{is_slip, names_another};
use crate::merge::Pairing;
use crate::remarks::{is_remark, remarks};
use crate::tokens::Tokens;

/// Slips of the finger, at most.
const MOST_SLIPS: usize = 2;
/// Lines of comments that old left out, at most.
const MOST_REMARKS: usize = 3;
/// Another word may be cut into so many pieces.
const MOST_PIECES: usize = 3;
/// So much of a line may be left out at its end.
const MOST_CUT: usize = 200;

/// Looks at what differs between old and its place.
pub(super) struct Differences<'d> {
    pub(super) flow: &'d Flow<'d>,
    pub(super) tokens: &'d Tokens<'d>,
    pub(super) pairing: &'d Pairing,
}

/// What kind of difference a stretch is.
enum Kind {
    /// The mark of a comment line that stands within a line of the other side.
    Mark,
    Slip,
    /// Comments of the file that old left out.
    Remark(Range<usize>),
    /// Something else is said.
    Drift,
}

impl Differences<'_> {
    /// The comments that old left out, if nothing differs that may not.
    pub(super) fn judged(&self, stretches: &[Stretch]) -> Option<Vec<Range<usize>>> {
        let mut found = Vec::new();
        let (mut slips, mut drifts) = (0, 0);
        for stretch in stretches {
            match self.kind(stretch)? {
                Kind::Mark => {}
                Kind::Slip => slips += 1,
                Kind::Remark(range) => found.push(range),
                Kind::Drift => drifts += 1,
            }
        }
        let once = drifts + found.len() <= 1;
        (once && slips <= MOST_SLIPS).then_some(found)
    }

    fn kind(&self, stretch: &Stretch) -> Option<Kind> {
        let (theirs, ours) = (self.flow.theirs(&stretch.old), self.flow.ours(&stretch.file));
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let (plain_theirs, plain_ours) = (squeezed(theirs), squeezed(ours));
        let mark = |text: &str| matches!(text, "//" | "///" | "//!" | "#" | "*" | "--" | "\\");
        if plain_ours.is_empty() && mark(&plain_theirs) || theirs.is_empty() && mark(ours) {
            return Some(Kind::Mark);
        }
        if is_slip(&plain_theirs, &plain_ours) || plain_theirs.eq_ignore_ascii_case(&plain_ours) {
            return Some(Kind::Slip);
        }
        if stretch.old.is_empty() {
            if let Some(range) = self.remark_lines(&stretch.file) {
                return self.stays_together(stretch.old.start).then_some(Kind::Remark(range));
            }
            return self.ends_line(&stretch.file).then_some(Kind::Drift);
        }
        self.may_drift(stretch, theirs, ours).then_some(Kind::Drift)
    }

    /// Whether new has this word of old right after the one before it: what the file has between
    /// them has one place.
    fn stays_together(&self, word: usize) -> bool {
        let Some(before) = word.checked_sub(1) else { return false };
        let at = |word: usize| {
            let start = self.flow.old.ranges[word].start;
            self.tokens.ranges.partition_point(|range| range.start < start)
        };
        let new = &self.pairing.new_of[at(before)..=at(word)];
        new.iter().all(Option::is_some)
            && new.windows(2).all(|pair| pair[0].map(|j| j + 1) == pair[1])
    }

    /// Whether a word beside these stands in their line, in old and in the file.
    fn shares_line(&self, stretch: &Stretch) -> bool {
        let (old, file) = (self.flow.old, self.flow.file);
        let text = self.flow.climb.source.text;
        let joined = |i: usize, j: usize| {
            let between = |words: &Words, text: &str, word: usize| {
                text[words.ranges[word - 1].end..words.ranges[word].start].contains('\n')
            };
            !between(old, self.flow.climb.old, i) && !between(file, text, j)
        };
        stretch.old.start > 0 && joined(stretch.old.start, stretch.file.start)
            || stretch.old.end < old.len() && joined(stretch.old.end, stretch.file.end)
    }

    /// Whole lines of comments, if these words are some.
    fn remark_lines(&self, words: &Range<usize>) -> Option<Range<usize>> {
        let source = self.flow.climb.source;
        let bytes = self.flow.file.bytes(words);
        let from = source.line_start(bytes.start);
        let to = source.line_end(bytes.end);
        let text = &source.text[from..to];
        let begins = source.text[from..bytes.start].trim();
        let whole = source.text[bytes.end..to].trim().is_empty()
            && (begins.is_empty() || is_remark(&format!("{begins} x")));
        let all = text.lines().all(|line| is_remark_like(line.trim()));
        let count = text.lines().count();
        let indent = text.len() - text.trim_start().len();
        (whole && all && count <= MOST_REMARKS).then_some(from + indent..to)
    }

    /// Whether words of the file end a line in a comment: old has only the beginning of it, or
    /// the line without it.
    fn ends_line(&self, words: &Range<usize>) -> bool {
        let source = self.flow.climb.source;
        let bytes = self.flow.file.bytes(words);
        let from = source.line_start(bytes.start);
        let to = source.line_end(bytes.end);
        let line = &source.text[from..to];
        let said = |range: &Range<usize>| {
            from + range.start <= bytes.start && range.end == line.trim_end().len()
        };
        !line.contains('\n')
            && bytes.len() <= MOST_CUT
            && !source.text[from..bytes.start].trim().is_empty()
            && source.text[bytes.end..to].trim().is_empty()
            && remarks(line).iter().any(said)
    }

    /// Whether other words may stand here: few, in one line that new leaves alone, and not the
    /// name of what the line defines.
    fn may_drift(&self, stretch: &Stretch, theirs: &str, ours: &str) -> bool {
        if ours.is_empty() || ours.contains('\n') || theirs.contains('\n') {
            return false;
        }
        let cut = theirs.ends_with("...") && {
            let end = self.flow.file.bytes(&stretch.file).end;
            let source = self.flow.climb.source;
            source.text[end..source.line_end(end)].trim().is_empty() && ours.len() <= MOST_CUT
        };
        let few = stretch.old.len() <= MOST_PIECES && stretch.file.len() <= MOST_PIECES;
        let lines = [self.line_of_old(&stretch.old), self.line_of_file(&stretch.file)];
        let stretches = [(theirs.to_owned(), ours.to_owned())];
        (cut || few)
            && self.shares_line(stretch)
            && self.is_kept(&stretch.old)
            && !lines.into_iter().any(|line| names_another(line, &stretches))
    }

    /// Whether new has the lines of these words of old.
    fn is_kept(&self, words: &Range<usize>) -> bool {
        let bytes = self.flow.old.bytes(words);
        let tokens = self.tokens.ranges.iter().enumerate();
        tokens
            .filter(|(_, range)| range.start >= bytes.start && range.end <= bytes.end)
            .all(|(token, _)| self.pairing.line_kept[token])
    }

    fn line_of_old(&self, words: &Range<usize>) -> &str {
        let (text, bytes) = (self.flow.climb.old, self.flow.old.bytes(words));
        let from = text[..bytes.start].rfind('\n').map_or(0, |at| at + 1);
        let to = text[bytes.end..].find('\n').map_or(text.len(), |at| bytes.end + at);
        &text[from..to]
    }

    fn line_of_file(&self, words: &Range<usize>) -> &str {
        let (source, bytes) = (self.flow.climb.source, self.flow.file.bytes(words));
        &source.text[source.line_start(bytes.start)..source.line_end(bytes.end)]
    }
}

/// Whether a line is a comment, or begins as one in most languages.
fn is_remark_like(line: &str) -> bool {
    let said =
        |mark: char| line.strip_prefix(mark).is_some_and(|rest| !rest.starts_with(['[', '!']));
    is_remark(line)
        || line.starts_with("//")
        || said('#') && !remarks(&format!("# {}", &line[1..])).is_empty()
}
