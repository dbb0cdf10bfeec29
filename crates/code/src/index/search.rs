//! Ranking: BM25 over fields, with what else words may be called, and how many of them are there.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::learn::learned;
use super::postings::Posting;
use super::segment::{CONTINUED, DEMOTED, FULFILS, Segment, TEST};
use super::{FIELDS, Weights};
use crate::pieces::Kind;
use crate::words::{Concept, Term, Variant, question};

/// A segment, and which of its files may be found.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The segment.
    pub segment: &'a Segment,
    /// Which of its files may be found.
    pub files: &'a [bool],
}

/// A piece that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The part that holds it.
    pub part: usize,
    /// The piece's number there.
    pub piece: u32,
    /// How well it fits; only for comparing.
    pub score: f32,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// The best, the best first.
    pub best: Vec<Found>,
    /// How many pieces have any word of the question.
    pub matched: usize,
}

/// Words that say that somebody asks for tests.
const TEST_WORDS: [&str; 6] = ["test", "tests", "testing", "tested", "spec", "bench"];

/// The pieces that fit a question best, the best first.
pub fn search(parts: &[Part<'_>], text: &str, limit: usize, weights: &Weights) -> Ranking {
    let asked = question(text);
    let mut concepts = asked.concepts;
    let numbers = Numbers::new(parts);
    for concept in &mut concepts {
        halves(parts, concept);
    }
    let mut scores: Vec<Scores> = parts.iter().map(|part| Scores::new(part.segment)).collect();
    let mut whole = 0.0;
    for concept in &concepts {
        let extra =
            if weights.learned > 0.0 { learned(parts, concept.terms[0].0) } else { Vec::new() };
        let importance = numbers.importance(parts, concept);
        whole += importance;
        for (part, scores) in parts.iter().zip(&mut scores) {
            let mut ask = |term: Term, weight: f32| {
                let rarity = numbers.rarity(parts, term);
                for posting in part.segment.postings(term) {
                    scores.see(posting, &numbers, part.segment, weights, weight * rarity);
                }
            };
            for (term, variant) in &concept.terms {
                ask(*term, weights.variant(*variant));
            }
            for (term, sure) in &extra {
                ask(*term, weights.variant(Variant::Learned) * sure);
            }
            scores.end_concept(importance);
        }
    }
    let about_tests = concepts.iter().any(|concept| TEST_WORDS.contains(&concept.text.as_str()));
    let mut found = Vec::new();
    for (number, (part, scores)) in parts.iter().zip(&scores).enumerate() {
        scores.collect(part, number, whole, about_tests, weights, &mut found);
    }
    let matched = found.len();
    let names = Names::new(&concepts, &asked.said, weights);
    let mut found = front(found, limit.saturating_mul(4).max(NAMES_COMPARED));
    for one in &mut found {
        one.score *= 1.0 + weights.name_fit * names.fit(parts[one.part].segment, one.piece);
    }
    Ranking { best: best(parts, found, limit), matched }
}

/// So many of the best are looked at more closely.
const NAMES_COMPARED: usize = 300;

/// What a name may have, and how much each word of it counts.
struct Names(HashMap<Term, f32>);

impl Names {
    fn new(concepts: &[Concept], said: &[Term], weights: &Weights) -> Self {
        let mut all: HashMap<Term, f32> = said.iter().map(|term| (*term, 1.0)).collect();
        for (term, variant) in concepts.iter().flat_map(|concept| &concept.terms) {
            let known = all.entry(*term).or_default();
            *known = known.max(weights.variant(*variant));
        }
        Self(all)
    }

    /// How much of a piece's name is asked for, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a few words")]
    fn fit(&self, segment: &Segment, piece: u32) -> f32 {
        let (mut sum, mut count) = (0.0, 0_usize);
        for term in segment.name_terms(piece) {
            sum += self.0.get(&term).copied().unwrap_or(0.0);
            count += 1;
        }
        sum / count.max(1) as f32
    }
}

/// A word that the code may write as two.
fn halves(parts: &[Part<'_>], concept: &mut Concept) {
    let text = concept.text.clone();
    if text.len() < 6 || !text.is_ascii() || concept.terms[0].1 != Variant::Same {
        return;
    }
    let known = |term: Term| parts.iter().any(|part| part.segment.frequency(term) > 1);
    for at in 3..=text.len() - 3 {
        // `expr` of expression.
        let term = Term::of(&text.as_bytes()[..at]);
        if known(term) {
            concept.add(term, Variant::Beginning);
        }
    }
    for at in 3..=text.len() - 3 {
        let (left, right) = text.split_at(at);
        let (left, right) = (Term::of(left.as_bytes()), Term::of(right.as_bytes()));
        if known(left) && known(right) {
            concept.add(left, Variant::Half);
            concept.add(right, Variant::Half);
        }
    }
}

/// What is known of all pieces together.
struct Numbers {
    pieces: f32,
    /// The average length of each field.
    average: [f32; FIELDS],
}

impl Numbers {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn new(parts: &[Part<'_>]) -> Self {
        let pieces =
            parts.iter().map(|part| part.segment.piece_count()).sum::<usize>().max(1) as f32;
        let mut average = [1.0; FIELDS];
        for (field, average) in average.iter_mut().enumerate() {
            let sum: u64 = parts.iter().map(|part| part.segment.length_sum(field)).sum();
            *average = (sum as f32 / pieces).max(0.1);
        }
        Self { pieces, average }
    }

    /// How much it says that a term is there.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn rarity(&self, parts: &[Part<'_>], term: Term) -> f32 {
        let with: u64 = parts.iter().map(|part| u64::from(part.segment.frequency(term))).sum();
        let with = with as f32;
        (1.0 + (self.pieces - with + 0.5).max(0.0) / (with + 0.5)).ln()
    }

    /// How much a word of the question matters: one that is nowhere cannot be missed.
    fn importance(&self, parts: &[Part<'_>], concept: &Concept) -> f32 {
        let own = concept.terms[0].0;
        if parts.iter().all(|part| part.segment.frequency(own) == 0) {
            return 1.0;
        }
        self.rarity(parts, own)
    }
}

/// The scores of all pieces of a segment.
struct Scores {
    /// For the concept that is asked for now.
    now: Vec<f32>,
    touched: Vec<u32>,
    total: Vec<f32>,
    covered: Vec<f32>,
}

impl Scores {
    fn new(segment: &Segment) -> Self {
        let count = segment.piece_count();
        Self {
            now: vec![0.0; count],
            touched: Vec::new(),
            total: vec![0.0; count],
            covered: vec![0.0; count],
        }
    }

    fn see(
        &mut self,
        posting: Posting,
        numbers: &Numbers,
        segment: &Segment,
        weights: &Weights,
        weight: f32,
    ) {
        let Some(now) = self.now.get_mut(posting.piece as usize) else { return };
        let Some(lengths) = segment.lengths(posting.piece) else { return };
        let mut often = 0.0;
        for (field, length) in lengths.iter().enumerate() {
            if posting.counts[field] == 0 {
                continue;
            }
            let length = f32::from(*length) / numbers.average[field];
            let norm = 1.0 - weights.length[field] + weights.length[field] * length;
            often += weights.fields[field] * f32::from(posting.counts[field]) / norm.max(0.1);
        }
        let score = weight * often / (often + weights.saturation);
        if *now == 0.0 {
            self.touched.push(posting.piece);
        }
        *now = now.max(score);
    }

    fn end_concept(&mut self, importance: f32) {
        for piece in self.touched.drain(..) {
            let at = piece as usize;
            self.total[at] += self.now[at];
            self.covered[at] += self.now[at].min(importance);
            self.now[at] = 0.0;
        }
    }

    fn collect(
        &self,
        part: &Part<'_>,
        number: usize,
        whole: f32,
        about_tests: bool,
        weights: &Weights,
        found: &mut Vec<Found>,
    ) {
        for (at, total) in self.total.iter().enumerate().filter(|(_, total)| **total > 0.0) {
            let piece = u32::try_from(at).unwrap_or(u32::MAX);
            let Some(record) = part.segment.piece(piece) else { continue };
            if !part.files.get(record.file as usize).copied().unwrap_or(false) {
                continue;
            }
            let mut score =
                total * (self.covered[at] / whole.max(0.1)).min(1.0).powf(weights.coverage);
            score *= match record.kind {
                Kind::Function => 1.0,
                Kind::Lines => weights.lines,
                _ => weights.not_function,
            };
            if record.flags & TEST != 0 && !about_tests {
                score *= weights.test;
            }
            if record.flags & FULFILS != 0 {
                score *= weights.fulfils;
            }
            if record.flags & DEMOTED != 0 {
                score *= weights.demoted;
            }
            found.push(Found { part: number, piece, score });
        }
    }
}

fn order(one: &Found, other: &Found) -> Ordering {
    let place = (one.part, one.piece).cmp(&(other.part, other.piece));
    other.score.total_cmp(&one.score).then(place)
}

/// The best, in no order.
fn front(mut found: Vec<Found>, count: usize) -> Vec<Found> {
    if count < found.len() {
        found.select_nth_unstable_by(count, order);
        found.truncate(count);
    }
    found
}

/// The best, each symbol once where it was cut into several pieces.
fn best(parts: &[Part<'_>], mut found: Vec<Found>, limit: usize) -> Vec<Found> {
    found.sort_unstable_by(order);
    let mut all: Vec<Found> = Vec::with_capacity(limit);
    for one in found {
        let again = all.iter().any(|known| same_symbol(parts, known, &one));
        if !again && all.len() < limit {
            all.push(one);
        }
    }
    all
}

fn same_symbol(parts: &[Part<'_>], one: &Found, other: &Found) -> bool {
    let record = |found: &Found| parts[found.part].segment.piece(found.piece);
    let (Some(first), Some(second)) = (record(one), record(other)) else { return false };
    let cut = (first.flags | second.flags) & CONTINUED != 0;
    cut && one.part == other.part
        && first.file == second.file
        && first.symbol == second.symbol
        && !first.symbol.is_empty()
}
