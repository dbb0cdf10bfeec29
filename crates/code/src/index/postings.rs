//! In which pieces a term is, and how often: numbers of few bytes.

use super::FIELDS;
use crate::bytes::{put_varint, take_varint};

/// A term is once in each of its fields.
const ALL_ONCE: u8 = 1 << 6;

/// A term in a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) piece: u32,
    pub(super) counts: [u8; FIELDS],
}

/// Writes the postings of one term.
pub(super) struct PostingsWriter<'a> {
    bytes: &'a mut Vec<u8>,
    next: u32,
}

impl<'a> PostingsWriter<'a> {
    pub(super) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes, next: 0 }
    }

    /// Adds one; pieces come in order.
    pub(super) fn push(&mut self, posting: Posting) {
        put_varint(self.bytes, posting.piece.wrapping_sub(self.next));
        self.next = posting.piece.wrapping_add(1);
        let mut mask = ALL_ONCE;
        for (field, count) in posting.counts.iter().enumerate() {
            if *count > 0 {
                mask |= 1 << field;
            }
            if *count > 1 {
                mask &= !ALL_ONCE;
            }
        }
        self.bytes.push(mask);
        if mask & ALL_ONCE == 0 {
            self.bytes.extend(posting.counts.iter().filter(|count| **count > 0));
        }
    }
}

/// Reads the postings of one term; ends where they are damaged.
#[derive(Clone)]
pub(super) struct Postings<'a> {
    bytes: &'a [u8],
    next: u32,
}

impl<'a> Postings<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, next: 0 }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let piece = self.next.checked_add(take_varint(&mut self.bytes)?)?;
        self.next = piece.checked_add(1)?;
        let (mask, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let mut counts = [0; FIELDS];
        for (field, count) in counts.iter_mut().enumerate() {
            if mask & (1 << field) == 0 {
                continue;
            }
            *count = 1;
            if mask & ALL_ONCE == 0 {
                let (first, rest) = self.bytes.split_first()?;
                self.bytes = rest;
                *count = *first;
            }
        }
        Some(Posting { piece, counts })
    }
}
