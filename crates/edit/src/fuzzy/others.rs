//! Lines that belong to other places, and places that old could be meant for as well.

use std::ops::Range;

use super::window::{Lines, Window, windows};
use super::{Judge, LEAST_ANCHOR, LEAST_LINES, similarity};
use crate::ladder::Climb;

/// How much more similar a line is to two lines that it is both of.
const MUCH_MORE: f64 = 0.1;
/// A line that is less similar is another one, not one that somebody changed a little.
const LEAST_RIVAL: f64 = 0.8;

/// Where nearly all lines of old stand and the others nearly do, as bytes of the file.
pub(crate) fn near_places(climb: &Climb<'_>) -> Vec<Range<usize>> {
    let (old, file) = (Lines::new(&climb.old_view), Lines::new(climb.source.plain()));
    let count = old.ranges.len();
    if count < LEAST_LINES {
        return Vec::new();
    }
    let near = windows(&old, &file);
    let nearly = |window: &Window, line: usize| {
        let (theirs, ours) = (old.get(line), file.get(window.start + line));
        similarity(theirs, ours) >= LEAST_RIVAL || memchr::memmem::find(ours, theirs).is_some()
    };
    let near = near.into_iter().filter(|window| {
        window.different.len() <= (count / 5).max(1)
            && window.different.iter().all(|line| nearly(window, *line))
    });
    let bytes = |line: usize| file.origin(line, climb.source.text);
    near.map(|window| bytes(window.start).start..bytes(window.start + count - 1).end).collect()
}

/// Whether a line has the next line of the other side too: it ends with that, or is much more
/// similar to both together.
fn has_next(lines: &Lines<'_>, at: usize, others: &Lines<'_>, other: usize) -> bool {
    if other + 1 >= others.ranges.len() {
        return false;
    }
    let (line, single, next) = (lines.get(at), others.get(other), others.get(other + 1));
    line.ends_with(next) && !single.ends_with(next)
        || line.len() > single.len()
            && similarity(line, &[single, next].concat()) > similarity(line, single) + MUCH_MORE
}

impl Judge<'_> {
    /// Whether a line is two lines of the other side, or one of another place.
    pub(super) fn is_of_others(&self, in_old: usize, in_file: usize) -> bool {
        let (old, file) = (self.old_lines, self.file_lines);
        has_next(old, in_old, file, in_file)
            || has_next(file, in_file, old, in_old)
            || self.is_from_elsewhere(in_old)
    }

    /// Whether the file has this very line elsewhere, with all that follows or all that precedes
    /// it in old: then old is made of two places.
    fn is_from_elsewhere(&self, in_old: usize) -> bool {
        let lines = &self.old_lines.ranges;
        let file = &self.file_lines.view.bytes;
        let stands = |run: Range<usize>| {
            let text = &self.old_lines.view.bytes[lines[run.start].start..lines[run.end - 1].end];
            let is_end = |at: usize| file.get(at).is_none_or(|byte| *byte == b'\n');
            let whole = |at: usize| (at == 0 || is_end(at - 1)) && is_end(at + text.len());
            memchr::memmem::find_iter(file, text).any(whole)
        };
        let count = lines.len();
        let from = if in_old == count - 1 { count.saturating_sub(3) } else { in_old };
        let to = if in_old == 0 { count.min(3) } else { in_old + 1 };
        lines[in_old].len() >= LEAST_ANCHOR && (stands(from..count) || stands(0..to))
    }
}
