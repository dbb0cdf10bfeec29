//! The words of a text, as an index knows them.
//!
//! Identifiers are split (`parseHTTPHeader` → parse, http, header) and kept as a whole too; words
//! are in lower case and without their endings ([`stem`]), so that *returns*, *returned* and
//! *returning* are one. Scripts without spaces give pairs of letters.

mod question;
mod split;
mod stem;
mod tables;

pub use question::{Concept, MAX_CONCEPTS, Question, Variant, question};
pub use split::{Part, Word, words};
pub use stem::stem;

/// A word as the index knows it: a hash. Two words that share one are mixed up, which for a
/// hundred thousand words happens to about one, and only shifts a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u32);

impl Term {
    /// The term of a word in lower case, its ending included.
    pub fn exact(word: &[u8]) -> Self {
        let mut hash: u64 = 0x9e37_79b9_7f4a_7c15 ^ word.len() as u64;
        for chunk in word.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            hash = mix(hash ^ u64::from_le_bytes(eight));
        }
        Self((hash >> 32) as u32)
    }

    /// The term of a word in lower case, without its ending.
    pub fn of(word: &[u8]) -> Self {
        let mut buffer = [0; stem::MAX_BYTES];
        Self::exact(stem(word, &mut buffer))
    }
}

/// Spreads every bit over all others.
fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value = (value ^ (value >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value ^ (value >> 32)
}
