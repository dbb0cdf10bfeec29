//! Learning from the code base itself: where comments say *shrink*, do names say *truncate*?

use std::collections::HashMap;

use super::Field;
use super::search::Part;
use crate::words::Term;

/// So many comments are looked at for one word.
const MAX_PIECES: usize = 4_000;
/// So many other words are learned for one.
const MAX_LEARNED: usize = 4;

/// The words that names have where comments have `term`, each with how sure that is, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(super) fn learned(parts: &[Part<'_>], term: Term) -> Vec<(Term, f32)> {
    let mut counts: HashMap<Term, u32> = HashMap::new();
    let mut seen = 0_u32;
    let mut named = 0_u64;
    for part in parts {
        named += part.segment.piece_count() as u64;
        let comments = part
            .segment
            .postings(term)
            .filter(|posting| posting.counts[Field::Comment as usize] > 0);
        for posting in comments.take(MAX_PIECES) {
            seen += 1;
            for name in part.segment.name_terms(posting.piece) {
                *counts.entry(name).or_default() += 1;
            }
        }
    }
    let mut all: Vec<(Term, f32)> = counts
        .into_iter()
        .filter(|(name, count)| *count >= 2 && *name != term)
        .filter_map(|(name, count)| {
            let with = count as f32 / (seen as f32 + 4.0);
            let frequency: u32 = parts.iter().map(|part| part.segment.frequency(name)).sum();
            let without = frequency as f32 / named.max(1) as f32;
            let lift = with / without.max(1e-6);
            (lift > 3.0).then_some((name, with))
        })
        .collect();
    all.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    all.truncate(MAX_LEARNED);
    all
}
