//! Which tools fit a query best.

use std::cmp::Ordering;

use dogu_code::words::{Concept, Term, Variant, question};

use super::index::{Index, Known, letters};

/// How fast another word stops to matter.
const SATURATION: f32 = 1.5;
/// What is another system's name for a tool comes after the tool itself.
const OTHER_NAME: f32 = 0.6;
/// What a word counts that is nearly one of a name.
const NEARLY: f32 = 0.6;
/// So many words that no tool has are looked for among similar ones.
const MAX_UNKNOWN: usize = 8;

/// How sure it is that a tool is meant; the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// The query is its name, or has it as a word.
    Named,
    /// The query is its name but for case and joints, with or without its owner.
    Spelled,
    /// It has words of the query.
    Alike,
}

impl Index {
    /// The names of the tools that fit best, the best first; the same for the same tools and query.
    pub fn search(&self, query: &str, limit: usize) -> Vec<&str> {
        let mut scores = vec![0.0_f32; self.tools.len()];
        let asked = self.asked(query);
        for concept in &asked {
            self.count(concept, &mut scores);
        }
        let spelled = letters(query);
        let said: Vec<&str> = query.split_whitespace().collect();
        let mut ranked: Vec<(Tier, f32, &Known)> = Vec::new();
        for (known, score) in self.tools.iter().zip(scores) {
            let tier = tier(known, &said, &spelled);
            if tier.is_none() && score <= 0.0 {
                continue;
            }
            let factor = if known.is_other_name { OTHER_NAME } else { 1.0 };
            ranked.push((tier.unwrap_or(Tier::Alike), score * factor, known));
        }
        let best = |a: &(Tier, f32, &Known), b: &(Tier, f32, &Known)| -> Ordering {
            a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then_with(|| a.2.name.cmp(&b.2.name))
        };
        let limit = limit.min(ranked.len());
        if limit > 0 && limit < ranked.len() {
            ranked.select_nth_unstable_by(limit - 1, best);
        }
        ranked.truncate(limit);
        ranked.sort_unstable_by(best);
        ranked.into_iter().map(|(.., known)| known.name.as_str()).collect()
    }

    /// The words of the query, each with what may stand for it; a word that no tool has, with
    /// those of names that it may be a misspelling of.
    fn asked(&self, query: &str) -> Vec<Concept> {
        let mut concepts = question(query).concepts;
        let mut unknown = 0;
        for concept in &mut concepts {
            let is_known = concept.terms.iter().any(|(term, _)| self.postings.contains_key(term));
            if !is_known && unknown < MAX_UNKNOWN {
                unknown += 1;
                for near in self.near(&concept.text) {
                    concept.add(Term::of(near.as_bytes()), Variant::Half);
                }
            }
        }
        concepts
    }

    /// Words of names that differ in a letter or two.
    fn near(&self, word: &str) -> Vec<&str> {
        let length = word.chars().count();
        let most = match length {
            0..=3 => return Vec::new(),
            4..=7 => 1,
            _ => 2,
        };
        let set = letter_set(word);
        let is_near = |name: &&str| {
            name.len().abs_diff(word.len()) <= most
                && (letter_set(name) ^ set).count_ones() as usize <= 2 * most
                && strsim::damerau_levenshtein(name, word) <= most
        };
        self.names.iter().map(String::as_str).filter(is_near).collect()
    }

    /// Adds what a word of the query says for each tool.
    fn count(&self, concept: &Concept, scores: &mut [f32]) {
        let own = concept.terms.first().map(|(term, _)| *term);
        let mut best: Vec<(u32, f32)> = Vec::new();
        for (term, variant) in &concept.terms {
            let Some(postings) = self.postings.get(term) else { continue };
            let factor = if Some(*term) == own { 1.0 } else { standing_for(*variant) };
            let rarity = self.rarity(postings.len()) * factor;
            let said = postings.iter().map(|(tool, weight)| {
                (*tool, rarity * weight * (SATURATION + 1.0) / (weight + SATURATION))
            });
            best.extend(said);
        }
        // A tool that has a word and another for the same does not get both.
        best.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        best.dedup_by_key(|(tool, _)| *tool);
        for (tool, said) in best {
            if let Some(score) = scores.get_mut(tool as usize) {
                *score += said;
            }
        }
    }

    /// A word that few tools have says more.
    #[expect(clippy::cast_precision_loss, reason = "numbers of tools are small")]
    fn rarity(&self, having: usize) -> f32 {
        let (all, having) = (self.tools.len() as f32, having as f32);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
}

fn tier(known: &Known, said: &[&str], spelled: &str) -> Option<Tier> {
    let is_name = |word: &&str| word.eq_ignore_ascii_case(&known.name);
    if said.iter().any(is_name) {
        return Some(Tier::Named);
    }
    let is_spelled = !spelled.is_empty() && (known.whole == spelled || known.plain == spelled);
    is_spelled.then_some(Tier::Spelled)
}

const fn standing_for(variant: Variant) -> f32 {
    match variant {
        Variant::Same => 1.0,
        Variant::Abbreviation | Variant::Joined => 0.8,
        Variant::Half => NEARLY,
        Variant::Beginning => 0.5,
        Variant::Synonym => 0.4,
        Variant::Learned => 0.0,
    }
}

/// The letters of a word, a bit each.
fn letter_set(word: &str) -> u64 {
    word.bytes().fold(0, |set, byte| set | 1 << (byte % 64))
}
