//! A part of an index as bytes, searched as they lie there.
//!
//! ```text
//! header   magic and version, checksum, counts, sums of field lengths
//! files    first piece, number of pieces
//! pieces   records of one size: file, lines, kind, symbol, lengths, name terms
//! terms    hashes in order; then for each, where its postings begin and how many there are
//! names    terms of names, by piece
//! postings
//! symbols  text
//! ```

use super::postings::Postings;
use super::{Damaged, FIELDS};
use crate::bytes::{checksum, u16_at, u32_at, u64_at};
use crate::pieces::Kind;
use crate::words::Term;

/// The format's name and version.
pub(super) const MAGIC: &[u8; 8] = b"dogucs02";
pub(super) const HEADER: usize = 96;
pub(super) const FILE: usize = 8;
pub(super) const PIECE: usize = 40;
pub(super) const TERM: usize = 4;
pub(super) const TERM_PLACE: usize = 8;

pub(super) const TEST: u8 = 1;
pub(super) const DEMOTED: u8 = 2;
pub(super) const CONTINUED: u8 = 4;
pub(super) const FULFILS: u8 = 8;

/// A part of an index.
#[derive(Clone, Debug)]
pub struct Segment {
    bytes: Vec<u8>,
    file_count: usize,
    piece_count: usize,
    term_count: usize,
    name_count: usize,
    files: usize,
    pieces: usize,
    terms: usize,
    places: usize,
    names: usize,
    postings: usize,
    symbols: usize,
}

/// What is known of a piece.
#[derive(Clone, Copy, Debug)]
pub struct PieceRecord<'a> {
    /// The file's number in the segment.
    pub file: u32,
    /// The first line, from 1.
    pub first_line: u32,
    /// The last line.
    pub last_line: u32,
    /// What it is.
    pub kind: Kind,
    /// What it defines.
    pub symbol: &'a str,
    pub(super) flags: u8,
    pub(super) lengths: [u16; FIELDS],
}

impl Segment {
    /// Takes bytes that [`Segment::as_bytes`] gave.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Damaged> {
        Self::parse(bytes).ok_or(Damaged)
    }

    fn parse(bytes: Vec<u8>) -> Option<Self> {
        if bytes.get(..8)? != MAGIC || u64_at(&bytes, 8)? != checksum(bytes.get(16..)?) {
            return None;
        }
        let count = |at: usize| usize::try_from(u32_at(&bytes, at)?).ok();
        let (file_count, piece_count) = (count(16)?, count(20)?);
        let (term_count, name_count) = (count(24)?, count(28)?);
        let (postings_len, symbols_len) = (count(32)?, count(36)?);
        let files = HEADER;
        let pieces = files.checked_add(file_count.checked_mul(FILE)?)?;
        let terms = pieces.checked_add(piece_count.checked_mul(PIECE)?)?;
        let places = terms.checked_add(term_count.checked_mul(TERM)?)?;
        let names = places.checked_add(term_count.checked_mul(TERM_PLACE)?)?;
        let postings = names.checked_add(name_count.checked_mul(4)?)?;
        let symbols = postings.checked_add(postings_len)?;
        if symbols.checked_add(symbols_len)? != bytes.len() {
            return None;
        }
        std::str::from_utf8(bytes.get(symbols..)?).ok()?;
        Some(Self {
            bytes,
            file_count,
            piece_count,
            term_count,
            name_count,
            files,
            pieces,
            terms,
            places,
            names,
            postings,
            symbols,
        })
    }

    /// The bytes, to be kept.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// By this it is told from others.
    pub fn id(&self) -> u64 {
        u64_at(&self.bytes, 8).unwrap_or(0)
    }

    /// How many files it holds.
    pub fn file_count(&self) -> usize {
        self.file_count
    }

    /// How many pieces it holds.
    pub fn piece_count(&self) -> usize {
        self.piece_count
    }

    /// How many pieces a file has.
    pub fn pieces_of(&self, file: u32) -> std::ops::Range<u32> {
        let at = self.files + file as usize * FILE;
        let inside = (file as usize) < self.file_count;
        let first = u32_at(&self.bytes, at).filter(|_| inside).unwrap_or(0);
        let count = u32_at(&self.bytes, at + 4).filter(|_| inside).unwrap_or(0);
        let end = u32::try_from(self.piece_count).unwrap_or(u32::MAX);
        first.min(end)..first.saturating_add(count).min(end)
    }

    /// What is known of a piece.
    pub fn piece(&self, number: u32) -> Option<PieceRecord<'_>> {
        if number as usize >= self.piece_count {
            return None;
        }
        let record = self.bytes.get(self.pieces + number as usize * PIECE..)?.get(..PIECE)?;
        let symbol_at = self.symbols.checked_add(u32_at(record, 12)? as usize)?;
        let symbol_end = symbol_at.checked_add(usize::from(u16_at(record, 16)?))?;
        Some(PieceRecord {
            file: u32_at(record, 0)?,
            first_line: u32_at(record, 4)?,
            last_line: u32_at(record, 8)?,
            kind: *Kind::ALL.get(usize::from(record[18]))?,
            symbol: std::str::from_utf8(self.bytes.get(symbol_at..symbol_end)?).ok()?,
            flags: record[19],
            lengths: self.lengths(number)?,
        })
    }

    /// How many words each field of a piece has.
    pub(super) fn lengths(&self, number: u32) -> Option<[u16; FIELDS]> {
        if number as usize >= self.piece_count {
            return None;
        }
        let at = self.pieces + number as usize * PIECE + 20;
        let all = self.bytes.get(at..at + 2 * FIELDS)?;
        let mut lengths = [0; FIELDS];
        for (length, two) in lengths.iter_mut().zip(all.chunks_exact(2)) {
            *length = u16::from_le_bytes([two[0], two[1]]);
        }
        Some(lengths)
    }

    /// The terms of a piece's name.
    pub(super) fn name_terms(&self, number: u32) -> impl Iterator<Item = Term> {
        let at = self.pieces + number as usize * PIECE;
        let inside = (number as usize) < self.piece_count;
        let place = u32_at(&self.bytes, at + 32).filter(|_| inside).unwrap_or(0);
        let packed = u32_at(&self.bytes, at + 36).filter(|_| inside).unwrap_or(0);
        let first = place as usize;
        let last = first.saturating_add((packed & 0xff) as usize).min(self.name_count);
        (first..last).filter_map(|name| u32_at(&self.bytes, self.names + name * 4).map(Term))
    }

    pub(super) fn term(&self, at: usize) -> Option<Term> {
        u32_at(&self.bytes, self.terms + at * TERM).filter(|_| at < self.term_count).map(Term)
    }

    /// Where a term is among the others.
    fn find(&self, term: Term) -> Option<usize> {
        let (mut low, mut high) = (0, self.term_count);
        while low < high {
            let middle = low.midpoint(high);
            match self.term(middle)?.cmp(&term) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// In how many pieces a term is.
    pub(super) fn frequency(&self, term: Term) -> u32 {
        let place = self.find(term).map(|at| self.places + at * TERM_PLACE + 4);
        place.and_then(|place| u32_at(&self.bytes, place)).unwrap_or(0)
    }

    /// Where a term is.
    pub(super) fn postings(&self, term: Term) -> Postings<'_> {
        self.find(term).map_or(Postings::new(&[]), |at| self.postings_at(at))
    }

    pub(super) fn postings_at(&self, at: usize) -> Postings<'_> {
        let start = u32_at(&self.bytes, self.places + at * TERM_PLACE).map(|start| start as usize);
        let next = self.places + (at + 1) * TERM_PLACE;
        let end = if at + 1 < self.term_count {
            u32_at(&self.bytes, next).map(|end| end as usize)
        } else {
            Some(self.symbols - self.postings)
        };
        let all = &self.bytes[self.postings..self.symbols];
        let own = start.zip(end).and_then(|(start, end)| all.get(start..end));
        Postings::new(own.unwrap_or_default())
    }

    /// The sum of the lengths of a field.
    pub(super) fn length_sum(&self, field: usize) -> u64 {
        u64_at(&self.bytes, 40 + field * 8).unwrap_or(0)
    }
}
