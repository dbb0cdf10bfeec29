//! Few lines that differ a little, in a block that is otherwise there.
//!
//! The block must have the same number of lines, at least three and forty characters; at most
//! a fifth of them may differ (two fifths, where all is slips of single letters), the first or
//! the last must be the same, and only one place may fit. What differs must either be a slip
//! or stand in a line that new leaves alone.

mod others;
mod similar;
mod window;

use std::ops::Range;

use crate::Level;
use crate::ladder::{Climb, Hits, Look, next_char};
use crate::lcs;
use crate::merge::{Merge, Pairing, Patch, Place, lines};
use crate::refusal::Refusal;
use crate::tokens::Tokens;
use crate::view::{Sight, View};
pub(crate) use others::near_places;
pub(crate) use similar::{is_slip, names_another, similarity};
use window::{Lines, Window, windows};

const LEAST_LINES: usize = 3;
const LEAST_BYTES: usize = 40;
/// In a shorter line a slip is not told from something else.
const LEAST_SLIPPED: usize = 8;
/// So many lines with equal ones around are held by all of them together.
const LEAST_SPREAD: usize = 4;
/// Equal lines that are shorter together hold nothing.
const LEAST_ANCHOR: usize = 12;
const LEAST_SIMILAR: f64 = 0.45;

pub(crate) fn look(climb: &Climb<'_>) -> Result<Look, Refusal> {
    let old_lines = Lines::new(&climb.old_view);
    let count = old_lines.ranges.len();
    if count < LEAST_LINES || climb.old_view.len() < LEAST_BYTES {
        return Ok(Look::Nothing);
    }
    let file_lines = Lines::new(climb.source.plain());
    let (old, new) = (Tokens::new(climb.old, &[]), Tokens::new(climb.new, &[]));
    let pairing = Pairing::new(&old, &new);
    let judge = Judge {
        climb,
        old: &old,
        old_lines: &old_lines,
        file_lines: &file_lines,
        pairing: &pairing,
    };
    let near = windows(&old_lines, &file_lines);
    let (found, others): (Vec<_>, Vec<_>) =
        near.into_iter().map(|window| (judge.places(&window), window)).partition(is_fit);
    let mut places =
        rivals(&found, &others, |window| file_lines.origin(window.start, climb.source.text).start);
    let several = found.len() + places.len() > 1;
    for (found, window) in found {
        let found = found.unwrap_or_default();
        let start = file_lines.origin(window.start, climb.source.text).start;
        let end = file_lines.origin(window.start + count - 1, climb.source.text).end;
        let merge = Merge {
            source: climb.source,
            old: &old,
            new: &new,
            places: &found,
            remarks: &[],
            end: Some(end),
        };
        let patches = match merge.run() {
            Ok(patch) => vec![patch],
            Err(_) if several => Vec::new(),
            Err(conflict) => return Err(climb.conflict(conflict)),
        };
        places.push((start, patches));
    }
    Ok(if places.is_empty() {
        Look::Nothing
    } else {
        Look::Found(Hits { level: Level::FuzzyLines, places, repair: climb.repair })
    })
}

/// A window, with the places of old's tokens in it if it will do.
type Judged = (Option<Vec<Place>>, Window);

fn is_fit(judged: &Judged) -> bool {
    judged.0.is_some()
}

/// Places that will not do, but are as near as the one that will: whichever is meant, it cannot be
/// told.
fn rivals(
    found: &[Judged],
    others: &[Judged],
    start: impl Fn(&Window) -> usize,
) -> Vec<(usize, Vec<Patch>)> {
    let Some(most) = found.iter().map(|(_, window)| window.different.len()).max() else {
        return Vec::new();
    };
    let as_near = others.iter().filter(|(_, window)| window.different.len() <= most);
    as_near.map(|(_, window)| (start(window), Vec::new())).collect()
}

/// Looks at a window closely.
struct Judge<'j> {
    climb: &'j Climb<'j>,
    old: &'j Tokens<'j>,
    old_lines: &'j Lines<'j>,
    file_lines: &'j Lines<'j>,
    pairing: &'j Pairing,
}

impl Judge<'_> {
    /// Where each token of old stands in the window, if the window will do.
    fn places(&self, window: &Window) -> Option<Vec<Place>> {
        let count = self.old_lines.ranges.len();
        let mut slips = 0;
        let mut drifts: Vec<(String, String)> = Vec::new();
        let mut drifted = Vec::new();
        let mut places = Vec::with_capacity(self.old.len());
        let token_lines = lines(self.old);
        if token_lines.len() != count {
            return None;
        }
        for (index, tokens) in token_lines.into_iter().enumerate() {
            if !window.different.contains(&index) {
                self.equal_line(index, window.start + index, tokens, &mut places);
                continue;
            }
            let stretches = self.different_line(window.start + index, tokens.clone(), &mut places);
            let long = self.old_lines.get(index).len() >= LEAST_SLIPPED;
            if long && stretches.iter().all(|(theirs, ours)| is_slip(theirs, ours)) {
                slips += 1;
            } else if !self.may_differ(index, window.start + index, tokens, &stretches) {
                return None;
            } else {
                drifts.extend(stretches);
                drifted.push(index);
            }
        }
        // The same other word in several lines: this is about something else.
        let repeated =
            drifts.iter().enumerate().any(|(index, drift)| drifts[..index].contains(drift));
        if repeated {
            return None;
        }
        let few = slips == window.different.len()
            || window.different.len() <= (count / 5).max(1) && self.has_anchor(window);
        // Last, because it takes the longest.
        let own = |line: &usize| !self.is_of_others(*line, window.start + line);
        (few && drifted.iter().all(own)).then_some(places)
    }

    /// Whether an equal line stands in the file only once: the others may be those of a sibling.
    /// Where the first and the last line are equal, several lines side by side will do.
    fn has_anchor(&self, window: &Window) -> bool {
        let lines = &self.old_lines.ranges;
        let once = |run: Range<usize>, least: usize| {
            let text = &self.old_lines.view.bytes[lines[run.start].start..lines[run.end - 1].end];
            let mut found = memchr::memmem::find_iter(&self.file_lines.view.bytes, text);
            text.len() >= least && found.next().is_some() && found.next().is_none()
        };
        let differs = |index: &usize| window.different.contains(index);
        if (0..lines.len())
            .filter(|index| !differs(index))
            .any(|index| once(index..index + 1, LEAST_SLIPPED))
        {
            return true;
        }
        if differs(&0) || differs(&(lines.len() - 1)) {
            return false;
        }
        if lines.len() >= LEAST_SPREAD && self.is_only_place(window) {
            return true;
        }
        let ends = window.different.iter().copied().chain([lines.len()]);
        let starts = [0].into_iter().chain(window.different.iter().map(|index| index + 1));
        starts.zip(ends).any(|(from, to)| from < to && once(from..to, LEAST_ANCHOR))
    }

    /// Whether the equal lines stand this way, at these distances, nowhere else.
    fn is_only_place(&self, window: &Window) -> bool {
        let count = self.old_lines.ranges.len();
        let equal: Vec<usize> =
            (0..count).filter(|index| !window.different.contains(index)).collect();
        let stands = |start: usize| {
            equal.iter().all(|i| self.old_lines.get(*i) == self.file_lines.get(start + i))
        };
        let starts = 0..=self.file_lines.ranges.len() - count;
        starts.into_iter().filter(|start| stands(*start)).nth(1).is_none()
    }

    fn equal_line(
        &self,
        in_old: usize,
        in_file: usize,
        tokens: Range<usize>,
        places: &mut Vec<Place>,
    ) {
        let (from, to) =
            (self.old_lines.ranges[in_old].start, self.file_lines.ranges[in_file].start);
        let (theirs, ours) = (self.old_lines.view, self.file_lines.view);
        for token in tokens {
            let range = &self.old.ranges[token];
            let bytes = theirs.index_at(range.start).max(from)
                ..theirs.index_at(range.end).min(self.old_lines.ranges[in_old].end);
            if bytes.is_empty() {
                places.push(Place::Gone);
                continue;
            }
            let last = ours.origin(to + bytes.end - 1 - from);
            let end = last + next_char(self.climb.source.text, last).map_or(0, char::len_utf8);
            let here = ours.origin(to + bytes.start - from)..end;
            let shared = places
                .iter()
                .rev()
                .find_map(Place::range)
                .is_some_and(|range| here.start < range.end);
            places.push(if shared { Place::Gone } else { Place::Same(here) });
        }
    }

    /// Aligns the words of a line that differs; gives what differs.
    fn different_line(
        &self,
        in_file: usize,
        tokens: Range<usize>,
        places: &mut Vec<Place>,
    ) -> Vec<(String, String)> {
        let text = self.climb.source.text;
        let range = self.file_lines.origin(in_file, text);
        let file = Tokens::new(&text[range.clone()], &[]);
        let key = |text: &str| View::new(text, Sight::Plain, &[]).bytes;
        let theirs: Vec<Vec<u8>> = tokens.clone().map(|index| key(self.old.get(index))).collect();
        let ours: Vec<Vec<u8>> = (0..file.len()).map(|index| key(file.get(index))).collect();
        let at = |index: usize| {
            range.start + file.ranges[index].start..range.start + file.ranges[index].end
        };
        let mut stretches = Vec::new();
        let mut done = (0, 0);
        let ends = [(theirs.len(), ours.len())];
        for (i, j) in lcs::pairs(&theirs, &ours).into_iter().chain(ends) {
            if done.0 < i || done.1 < j {
                let joined =
                    |keys: &[Vec<u8>]| String::from_utf8_lossy(&keys.concat()).into_owned();
                stretches.push((joined(&theirs[done.0..i]), joined(&ours[done.1..j])));
            }
            for token in done.0..i {
                let here = token == done.0 && done.1 < j;
                places.push(if here {
                    Place::Other(at(done.1).start..at(j - 1).end)
                } else {
                    Place::Gone
                });
            }
            if i < theirs.len() {
                places.push(Place::Same(at(j)));
            }
            done = (i + 1, j + 1);
        }
        stretches
    }

    /// Whether a line may say something else than old does: new must leave it alone, it must be
    /// similar, and it must not be the line that gives a thing its name.
    fn may_differ(
        &self,
        in_old: usize,
        in_file: usize,
        tokens: Range<usize>,
        stretches: &[(String, String)],
    ) -> bool {
        let (theirs, ours) = (self.old_lines.get(in_old), self.file_lines.get(in_file));
        let kept = tokens.clone().all(|token| self.pairing.line_kept[token])
            || self.becomes(tokens.clone(), in_file);
        let shared = theirs.len().min(ours.len()) > 0 && similarity(theirs, ours) >= LEAST_SIMILAR;
        kept && shared
            && !self.stands_beside(in_old, in_file)
            && !self.is_reflowed(in_old, in_file, stretches)
            && !names_another(
                &self.old.text
                    [self.old.ranges[tokens.start].start..self.old.ranges[tokens.end - 1].end],
                stretches,
            )
    }

    /// Whether the file has the line before or after the place where it should be: then a line is
    /// missing, or there is one more.
    fn stands_beside(&self, in_old: usize, in_file: usize) -> bool {
        let beside = [in_file.checked_sub(1), Some(in_file + 1)];
        let mut beside =
            beside.into_iter().flatten().filter(|index| *index < self.file_lines.ranges.len());
        beside.any(|index| self.file_lines.get(index) == self.old_lines.get(in_old))
    }

    /// Whether what one side has more stands in the other's next or previous line: then lines
    /// were joined or cut, and the window is off.
    fn is_reflowed(&self, in_old: usize, in_file: usize, stretches: &[(String, String)]) -> bool {
        let next = |lines: &Lines<'_>, index: usize, piece: &str| {
            index + 1 < lines.ranges.len() && lines.get(index + 1).starts_with(piece.as_bytes())
        };
        let previous = |lines: &Lines<'_>, index: usize, piece: &str| {
            index > 0 && lines.get(index - 1).ends_with(piece.as_bytes())
        };
        let moved = |lines: &Lines<'_>, from: &[u8], index: usize, piece: &str| {
            piece.len() >= 4
                && (from.ends_with(piece.as_bytes()) && next(lines, index, piece)
                    || from.starts_with(piece.as_bytes()) && previous(lines, index, piece))
        };
        let (old, file) = (self.old_lines, self.file_lines);
        stretches.iter().any(|(theirs, ours)| {
            moved(file, old.get(in_old), in_file, theirs)
                || moved(old, file.get(in_file), in_old, ours)
        })
    }

    /// Whether new writes the line as the file has it.
    fn becomes(&self, _tokens: Range<usize>, in_file: usize) -> bool {
        let ours = self.file_lines.get(in_file);
        let new = View::new(self.climb.new, Sight::Plain, &[]);
        let lines = Lines::new(&new);
        (0..lines.ranges.len()).any(|index| lines.get(index) == ours)
    }
}
