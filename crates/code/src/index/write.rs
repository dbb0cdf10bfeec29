//! Making segments: of digests, and of other segments.

use super::digest::{Digest, DigestPiece, RawPosting};
use super::postings::{Posting, PostingsWriter};
use super::search::Part;
use super::segment::{
    CONTINUED, DEMOTED, FILE, FULFILS, HEADER, MAGIC, PIECE, PieceRecord, Segment, TEST,
};
use super::{Damaged, FIELDS};
use crate::bytes;
use crate::pieces::Kind;
use crate::words::Term;

/// Makes a segment of digests.
#[derive(Debug, Default)]
pub struct Builder {
    tables: Tables,
    postings: Vec<RawPosting>,
}

impl Builder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; gives its number in the segment.
    pub fn add(&mut self, digest: Digest) -> u32 {
        let base = u64::from(self.tables.piece_count);
        let file = self.tables.add_file();
        for piece in &digest.pieces {
            self.tables.add_piece(&record(piece, file), piece.name_terms.iter().copied());
        }
        self.postings.extend(digest.postings.into_iter().map(|mut posting| {
            posting.key += base;
            posting
        }));
        file
    }

    /// How much memory it takes, about.
    pub fn size(&self) -> usize {
        self.postings.len() * size_of::<RawPosting>()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.tables.file_count == 0
    }

    /// The segment.
    pub fn finish(mut self) -> Result<Segment, Damaged> {
        self.postings.sort_unstable_by_key(|posting| posting.key);
        let mut terms = Terms::default();
        for group in self.postings.chunk_by(|one, next| one.key >> 32 == next.key >> 32) {
            let [first, ..] = group else { continue };
            terms.add(
                high(first.key),
                group
                    .iter()
                    .map(|posting| Posting { piece: low(posting.key), counts: posting.counts }),
            );
        }
        self.tables.write(&terms)
    }
}

fn high(key: u64) -> Term {
    Term((key >> 32) as u32)
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn low(key: u64) -> u32 {
    key as u32
}

fn record(piece: &DigestPiece, file: u32) -> PieceRecord<'_> {
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    PieceRecord {
        file,
        first_line: piece.first_line,
        last_line: piece.last_line,
        kind: piece.kind,
        symbol: &piece.symbol,
        flags: flag(piece.test, TEST)
            | flag(piece.demoted, DEMOTED)
            | flag(piece.continued, CONTINUED)
            | flag(piece.fulfils, FULFILS),
        lengths: piece.lengths,
    }
}

/// The new number of each file of each segment; none where it was not kept.
pub type NewNumbers = Vec<Vec<Option<u32>>>;

/// Makes one segment of several, with those of their files that may be found.
pub fn merge(parts: &[Part<'_>]) -> Result<(Segment, NewNumbers), Damaged> {
    let mut tables = Tables::default();
    let mut numbers = Vec::new();
    let mut pieces = Vec::new();
    for part in parts {
        let (files, moved) = tables.add_segment(part.segment, part.files);
        numbers.push(files);
        pieces.push(moved);
    }
    let mut terms = Terms::default();
    let mut at = vec![0; parts.len()];
    loop {
        let next = parts.iter().zip(&at).filter_map(|(part, at)| part.segment.term(*at)).min();
        let Some(term) = next else { break };
        let mut all = Vec::new();
        for (number, Part { segment, .. }) in parts.iter().enumerate() {
            if segment.term(at[number]) == Some(term) {
                let postings = segment.postings_at(at[number]);
                all.extend(postings.filter_map(|posting| {
                    let piece = *pieces[number].get(posting.piece as usize)?;
                    Some(Posting { piece: piece?, ..posting })
                }));
                at[number] += 1;
            }
        }
        if !all.is_empty() {
            terms.add(term, all.into_iter());
        }
    }
    Ok((tables.write(&terms)?, numbers))
}

/// The terms of a segment that is being made.
#[derive(Debug, Default)]
struct Terms {
    hashes: Vec<u8>,
    places: Vec<u8>,
    postings: Vec<u8>,
    count: u32,
}

impl Terms {
    fn add(&mut self, term: Term, postings: impl Iterator<Item = Posting>) {
        let start = u32::try_from(self.postings.len()).unwrap_or(u32::MAX);
        let mut writer = PostingsWriter::new(&mut self.postings);
        let mut frequency = 0_u32;
        for posting in postings {
            writer.push(posting);
            frequency += 1;
        }
        self.hashes.extend(term.0.to_le_bytes());
        self.places.extend(start.to_le_bytes());
        self.places.extend(frequency.to_le_bytes());
        self.count += 1;
    }
}

/// Files, pieces, names and symbols of a segment that is being made.
#[derive(Debug, Default)]
struct Tables {
    files: Vec<u8>,
    pieces: Vec<u8>,
    names: Vec<u8>,
    symbols: Vec<u8>,
    file_count: u32,
    piece_count: u32,
    name_count: u32,
    sums: [u64; FIELDS],
}

impl Tables {
    fn add_file(&mut self) -> u32 {
        self.files.extend(self.piece_count.to_le_bytes());
        self.files.extend(0_u32.to_le_bytes());
        self.file_count += 1;
        self.file_count - 1
    }

    /// Adds a piece of the last file.
    fn add_piece(&mut self, piece: &PieceRecord<'_>, names: impl Iterator<Item = u32>) {
        let symbol_len = u16::try_from(piece.symbol.len()).unwrap_or(0);
        let kind = Kind::ALL.iter().position(|kind| *kind == piece.kind).unwrap_or(0);
        let all = &mut self.pieces;
        for number in [piece.file, piece.first_line, piece.last_line] {
            all.extend(number.to_le_bytes());
        }
        all.extend(u32::try_from(self.symbols.len()).unwrap_or(u32::MAX).to_le_bytes());
        all.extend(symbol_len.to_le_bytes());
        all.extend([u8::try_from(kind).unwrap_or(0), piece.flags]);
        for (length, sum) in piece.lengths.iter().zip(&mut self.sums) {
            all.extend(length.to_le_bytes());
            *sum += u64::from(*length);
        }
        all.extend(self.name_count.to_le_bytes());
        let mut count = 0_u32;
        for name in names {
            self.names.extend(name.to_le_bytes());
            count += 1;
        }
        all.extend(count.to_le_bytes());
        self.name_count += count;
        self.symbols.extend(&piece.symbol.as_bytes()[..usize::from(symbol_len)]);
        self.piece_count += 1;
        if let Some(last) = self.files.len().checked_sub(FILE) {
            let first = bytes::u32_at(&self.files, last).unwrap_or(0);
            let pieces = self.piece_count - first;
            self.files[last + 4..].copy_from_slice(&pieces.to_le_bytes());
        }
    }

    /// Adds what is kept of a segment; gives the new numbers of its files and pieces.
    fn add_segment(
        &mut self,
        segment: &Segment,
        keep: &[bool],
    ) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
        let mut files = vec![None; segment.file_count()];
        let mut pieces = vec![None; segment.piece_count()];
        for (old, new) in files.iter_mut().enumerate() {
            if !keep.get(old).copied().unwrap_or(false) {
                continue;
            }
            let file = self.add_file();
            *new = Some(file);
            for number in segment.pieces_of(u32::try_from(old).unwrap_or(u32::MAX)) {
                let Some(piece) = segment.piece(number) else { continue };
                let Some(place) = pieces.get_mut(number as usize).filter(|place| place.is_none())
                else {
                    continue;
                };
                *place = Some(self.piece_count);
                let names: Vec<u32> = segment.name_terms(number).map(|term| term.0).collect();
                self.add_piece(&PieceRecord { file, ..piece }, names.into_iter());
            }
        }
        (files, pieces)
    }

    fn write(&self, terms: &Terms) -> Result<Segment, Damaged> {
        let mut all = vec![0; HEADER];
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| Damaged);
        let counts = [
            self.file_count,
            self.piece_count,
            terms.count,
            self.name_count,
            length(&terms.postings)?,
            length(&self.symbols)?,
        ];
        for (at, count) in counts.iter().enumerate() {
            all[16 + 4 * at..20 + 4 * at].copy_from_slice(&count.to_le_bytes());
        }
        for (at, sum) in self.sums.iter().enumerate() {
            all[40 + 8 * at..48 + 8 * at].copy_from_slice(&sum.to_le_bytes());
        }
        for table in [
            &self.files,
            &self.pieces,
            &terms.hashes,
            &terms.places,
            &self.names,
            &terms.postings,
            &self.symbols,
        ] {
            all.extend(table);
        }
        debug_assert_eq!(self.pieces.len(), self.piece_count as usize * PIECE);
        all[..8].copy_from_slice(MAGIC);
        let sum = bytes::checksum(&all[16..]);
        all[8..16].copy_from_slice(&sum.to_le_bytes());
        Segment::read(all)
    }
}
