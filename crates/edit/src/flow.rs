//! Other line breaks and another word: the words decide, wherever lines end.
//!
//! Old is laid word by word onto the region of the file that has most of its words. Nearly all
//! of them must be there in order, no other region may have nearly as many, and what differs must
//! be a slip, comments that old left out, or one word or one end of a line in what new leaves
//! alone.

mod difference;
mod matching;
mod region;
mod words;

use std::ops::Range;

use crate::Level;
use crate::ladder::{Climb, Hits, Look, find_unseen};
use crate::merge::{Merge, Pairing, Place};
use crate::refusal::Refusal;
use crate::remarks::is_remark;
use crate::tokens::Tokens;
use difference::Differences;
use matching::Stretch;
use region::Votes;
pub(crate) use words::Words;

/// Fewer words than these stand anywhere.
const LEAST_WORDS: usize = 10;
const LEAST_BYTES: usize = 40;
/// Larger files are not cut into words.
const MOST_BYTES: usize = 8 << 20;
/// Old may not have more words than these at an edge that the file does not have.
const MOST_AT_EDGE: usize = 3;

pub(crate) fn look(climb: &Climb<'_>) -> Result<Look, Refusal> {
    let bytes = climb.old_view.len();
    if bytes < LEAST_BYTES || climb.source.text.len() > MOST_BYTES {
        return Ok(Look::Nothing);
    }
    let words = Words::new(climb.old);
    if words.len() < LEAST_WORDS {
        return Ok(Look::Nothing);
    }
    let flow = Flow { climb, old: &words, file: climb.source.words() };
    let Some((found, stretches)) = flow.find() else { return Ok(Look::Nothing) };
    flow.merged(&found, &stretches)
}

/// A word of old and the equal one of the file, in order.
type Pairs = Vec<(usize, usize)>;

/// Old and the file as words.
struct Flow<'f> {
    climb: &'f Climb<'f>,
    old: &'f Words,
    file: &'f Words,
}

impl Flow<'_> {
    /// The pairs of equal words and what is between them, if this is clearly the place.
    fn find(&self) -> Option<(Pairs, Vec<Stretch>)> {
        let votes = Votes::new(&self.old.keys, &self.file.keys)?;
        let region = votes.region()?;
        let letters = |word: usize| self.old.ranges[word].len();
        let mut pairs = matching::pairs(&self.old.keys, &self.file.keys[region.clone()], letters)?;
        for pair in &mut pairs {
            pair.1 += region.start;
        }
        let (first, last) = (pairs.first()?.1, pairs.last()?.1);
        let matched: usize = pairs.iter().map(|pair| letters(pair.0)).sum();
        let all: usize = (0..self.old.len()).map(letters).sum();
        let (here, elsewhere) = votes.shares(&(first..last + 1));
        if matched * 4 < all * 3 || elsewhere * 5 >= here * 4 {
            return None;
        }
        let stretches = self.with_edges(matching::stretches(&pairs, self.old.len()))?;
        Some((pairs, stretches))
    }

    /// What differs at an edge takes the words of the file beyond it.
    fn with_edges(&self, mut stretches: Vec<Stretch>) -> Option<Vec<Stretch>> {
        if let Some(first) = stretches.first_mut().filter(|stretch| stretch.old.start == 0) {
            let count = first.old.len();
            let from = first.file.end.checked_sub(count).filter(|_| count <= MOST_AT_EDGE)?;
            first.file.start = from;
        }
        let end = self.old.len();
        if let Some(last) = stretches.last_mut().filter(|stretch| stretch.old.end == end) {
            let source = self.climb.source;
            if self.climb.old.trim_end().ends_with("...") {
                let line = source.line_end(self.file.ranges[last.file.start - 1].end);
                let ends = self.file.ranges.partition_point(|range| range.end <= line);
                last.file.end = ends.max(last.file.start);
            } else {
                let to = last.file.start + last.old.len();
                if last.old.len() > MOST_AT_EDGE || to > self.file.len() {
                    return None;
                }
                last.file.end = to;
            }
        }
        Some(stretches)
    }

    fn merged(&self, pairs: &[(usize, usize)], stretches: &[Stretch]) -> Result<Look, Refusal> {
        let climb = self.climb;
        let (old, new) = (Tokens::new(climb.old, &[]), Tokens::new(climb.new, &[]));
        let pairing = Pairing::new(&old, &new);
        let differences = Differences { flow: self, tokens: &old, pairing: &pairing };
        let Some(remarks) = differences.judged(stretches) else { return Ok(Look::Nothing) };
        let places = self.places(&old, pairs, stretches);
        let Some((start, end)) = self.whole_lines(&places) else { return Ok(Look::Nothing) };
        let merge = Merge {
            source: climb.source,
            old: &old,
            new: &new,
            places: &places,
            remarks: &remarks,
            end: Some(end),
        };
        let patch = merge.run().map_err(|conflict| climb.conflict(conflict))?;
        let places = vec![(start, vec![patch])];
        Ok(Look::Found(Hits { level: Level::Tokens, places, repair: climb.repair }))
    }

    /// Where each token of old stands, the marks that are no words too.
    fn places(
        &self,
        old: &Tokens<'_>,
        pairs: &[(usize, usize)],
        stretches: &[Stretch],
    ) -> Vec<Place> {
        let mut of_words = vec![Place::Gone; self.old.len()];
        for (i, j) in pairs {
            of_words[*i] = Place::Same(self.file.ranges[*j].clone());
        }
        for stretch in stretches.iter().filter(|stretch| !stretch.file.is_empty()) {
            if let Some(place) = stretch.old.clone().next().map(|first| &mut of_words[first]) {
                *place = Place::Other(self.file.bytes(&stretch.file));
            }
        }
        let mut words = self.old.ranges.iter().zip(of_words).peekable();
        let mut places: Vec<Place> = old
            .ranges
            .iter()
            .map(|token| {
                let word = words.next_if(|(range, _)| *range == token);
                word.map_or(Place::Gone, |(_, place)| place)
            })
            .collect();
        find_unseen(old, self.climb.source.text, &mut places);
        places
    }

    /// The bytes of the place, if it is whole lines of the file.
    fn whole_lines(&self, places: &[Place]) -> Option<(usize, usize)> {
        let source = self.climb.source;
        let mut ranges = places.iter().filter_map(Place::range);
        let start = ranges.next()?.start;
        let last = ranges.next_back()?.end;
        let before = source.text[source.line_start(start)..start].trim();
        let end = source.line_end(last);
        let rest = source.text[last..end].trim();
        let whole =
            before.is_empty() && (rest.is_empty() || matches!(rest, ";" | ",") || is_remark(rest));
        whole.then_some((start, last + source.text[last..end].trim_end().len()))
    }

    /// The text of some words of the file, as it stands there.
    fn ours(&self, words: &Range<usize>) -> &str {
        if words.is_empty() { "" } else { &self.climb.source.text[self.file.bytes(words)] }
    }

    /// The text of some words of old.
    fn theirs(&self, words: &Range<usize>) -> &str {
        if words.is_empty() { "" } else { &self.climb.old[self.old.bytes(words)] }
    }
}
