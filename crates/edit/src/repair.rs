//! What models put around, before or into the text that they mean.
//!
//! Each repair is tried only after everything before it did not fit, and old and new are always
//! repaired together: what was wrong with one is written into the file otherwise.

mod entities;
mod escapes;
mod prefix;
mod wrapper;

use crate::{Repair, fold};

/// Old and new after a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) repair: Repair,
    /// Whether typographic characters were written plainly.
    pub(crate) plain: bool,
}

/// A repair that may give several readings.
type Step = fn(&Pair, &str) -> Vec<(String, String)>;

/// The pair as it is, and each reading of it, in the order in which they are tried.
pub(crate) fn pairs(raw: Pair, content: &str) -> Vec<Pair> {
    const MOST: usize = 16;
    let steps: [(Repair, Step); 5] = [
        (Repair::Fence, |pair, content| wrapper::unwrapped(&pair.old, &pair.new, content)),
        (Repair::LineNumbers, |pair, _| prefix::stripped(&pair.old, &pair.new)),
        (Repair::Entities, |pair, content| entities::decoded(&pair.old, &pair.new, content)),
        (Repair::Escapes, |pair, _| escapes::unescaped(&pair.old, &pair.new)),
        // Escaped text can have had line numbers.
        (Repair::LineNumbers, |pair, _| prefix::stripped(&pair.old, &pair.new)),
    ];
    let mut out = Vec::new();
    if let Some((old, new)) = prefix::of_a_diff(&raw.old, &raw.new) {
        // First: as indented text its context lines fit too, and the marks would be written.
        out.push(Pair { old, new, repair: Repair::LineNumbers, plain: false });
    }
    out.push(raw);
    for (repair, step) in steps {
        for index in 0..out.len() {
            for (old, new) in step(&out[index], content) {
                let known = out.iter().any(|pair| pair.old == old && pair.new == new);
                if old != new && !known && !old.trim().is_empty() && out.len() < MOST {
                    out.push(Pair { old, new, repair, plain: false });
                }
            }
        }
    }
    out.into_iter().map(|pair| plainly(pair, content)).filter(|pair| pair.old != pair.new).collect()
}

/// Writes typographic characters plainly that the model uses and the file does not.
fn plainly(pair: Pair, content: &str) -> Pair {
    let mut foreign: Vec<char> = pair.old.chars().filter(|c| !c.is_ascii()).collect();
    foreign.sort_unstable();
    foreign.dedup();
    let mut buffer = [0; 4];
    foreign.retain(|c| {
        let known = memchr::memmem::find(content.as_bytes(), c.encode_utf8(&mut buffer).as_bytes());
        known.is_none()
    });
    if foreign.is_empty() {
        return pair;
    }
    // What the model does to one bracket it does to the others.
    let wide = |c: char| ('\u{ff00}'..='\u{ffef}').contains(&c);
    if foreign.iter().any(|c| wide(*c)) {
        let more = pair.new.chars().filter(|c| wide(*c) && !content.contains(*c));
        foreign.extend(more.collect::<Vec<_>>());
    }
    let plain = |text: &str| {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if foreign.contains(&c) { out.push_str(&fold::plain(c)) } else { out.push(c) }
        }
        out
    };
    Pair { old: plain(&pair.old), new: plain(&pair.new), repair: pair.repair, plain: true }
}
