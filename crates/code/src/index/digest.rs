//! What an index keeps of one text.

use super::{FIELDS, Field};
use crate::pieces::{Kind, Piece, is_demoted, is_test_path, pieces};
use crate::words::{Part, words};

/// How many terms of a piece's name are kept for learning.
pub(super) const MAX_NAME_TERMS: usize = 8;
/// A longer symbol is cut, in bytes.
const MAX_SYMBOL: usize = 200;

/// What an index keeps of one text: its pieces and their words.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    pub(super) pieces: Vec<DigestPiece>,
    /// Sorted by term, then piece.
    pub(super) postings: Vec<RawPosting>,
}

impl Digest {
    /// How much memory it takes, about.
    pub fn size(&self) -> usize {
        self.postings.len() * size_of::<RawPosting>() + self.pieces.len() * 100
    }
}

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the piece")]
pub(super) struct DigestPiece {
    pub(super) kind: Kind,
    pub(super) test: bool,
    pub(super) demoted: bool,
    pub(super) continued: bool,
    /// It does what an interface asks for, and is called as that says.
    pub(super) fulfils: bool,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    pub(super) symbol: String,
    /// How many words each field has.
    pub(super) lengths: [u16; FIELDS],
    pub(super) name_terms: Vec<u32>,
}

/// How often a term is in the fields of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawPosting {
    /// The term in the upper half, the piece in the lower.
    pub(super) key: u64,
    pub(super) counts: [u8; FIELDS],
}

/// Cuts a text into pieces and counts their words.
pub fn digest(path: &str, text: &str) -> Digest {
    let mut digest = Digest::default();
    let mut found: Vec<u64> = Vec::with_capacity(text.len() / 4);
    let (of_tests, demoted) = (is_test_path(path), is_demoted(path, text));
    let own_path = path_words(path);
    for piece in pieces(path, text) {
        let number = digest.pieces.len() as u64;
        let mut reader = Reader { found: &mut found, piece: number, lengths: [0; FIELDS] };
        reader.read_all(&piece, text, &own_path);
        let lengths = reader.lengths;
        digest.pieces.push(DigestPiece {
            kind: piece.kind,
            test: of_tests || piece.test,
            demoted,
            continued: piece.continued,
            fulfils: piece.container.contains(" for "),
            first_line: piece.first_line,
            last_line: piece.last_line,
            name_terms: name_terms(&piece.symbol),
            symbol: shortened(piece.symbol),
            lengths,
        });
    }
    found.sort_unstable();
    digest.postings = counted(&found);
    digest
}

/// A path's words: folders and the name, without the ending.
fn path_words(path: &str) -> String {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    // These names say that there is a folder of that name, and nothing else.
    let stem =
        if matches!(stem, "mod" | "lib" | "main" | "index" | "__init__") { "" } else { stem };
    let near: Vec<&str> = folders.rsplit('/').take(3).filter(|part| *part != "src").collect();
    format!("{} {stem}", near.join(" "))
}

fn name_terms(symbol: &str) -> Vec<u32> {
    let mut terms = Vec::new();
    words(symbol, |word| {
        if word.part == Part::Word && terms.len() < MAX_NAME_TERMS {
            terms.push(word.term().0);
        }
    });
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn shortened(mut symbol: String) -> String {
    if symbol.len() > MAX_SYMBOL {
        let end = (0..=MAX_SYMBOL).rev().find(|at| symbol.is_char_boundary(*at)).unwrap_or(0);
        symbol.truncate(end);
    }
    symbol
}

/// Collects the words of one piece.
struct Reader<'a> {
    found: &'a mut Vec<u64>,
    piece: u64,
    lengths: [u16; FIELDS],
}

impl Reader<'_> {
    fn read_all(&mut self, piece: &Piece, text: &str, path: &str) {
        self.read(Field::Name, &piece.symbol);
        self.read(Field::Container, &piece.container);
        self.read(Field::Path, path);
        if piece.continued {
            self.read(Field::Body, &text[piece.text.clone()]);
            return;
        }
        self.read(Field::Comment, &text[piece.comment.clone()]);
        self.read(Field::Comment, &text[piece.inner_comment.clone()]);
        self.read(Field::Header, &text[piece.header.clone()]);
        let mut at = piece.text.start;
        let mut taken = [&piece.comment, &piece.header, &piece.inner_comment];
        taken.sort_by_key(|range| range.start);
        for range in taken {
            if range.start > at {
                self.read(Field::Body, &text[at..range.start]);
            }
            at = at.max(range.end);
        }
        self.read(Field::Body, &text[at.min(piece.text.end)..piece.text.end]);
    }

    fn read(&mut self, field: Field, text: &str) {
        let mut length = 0_usize;
        let low = (self.piece << 3) | field as u64;
        words(text, |word| {
            length += usize::from(word.part != Part::Whole);
            self.found.push(u64::from(word.term().0) << 32 | low);
        });
        let all = &mut self.lengths[field as usize];
        *all = all.saturating_add(u16::try_from(length).unwrap_or(u16::MAX));
    }
}

/// Counts what is the same in a sorted list.
fn counted(found: &[u64]) -> Vec<RawPosting> {
    let mut all: Vec<RawPosting> = Vec::with_capacity(found.len() / 2);
    for value in found {
        let key = (value >> 32) << 32 | ((value & 0xffff_ffff) >> 3);
        let field = usize::try_from(value & 7).unwrap_or(0).min(FIELDS - 1);
        match all.last_mut() {
            Some(last) if last.key == key => {
                last.counts[field] = last.counts[field].saturating_add(1);
            }
            _ => {
                let mut counts = [0; FIELDS];
                counts[field] = 1;
                all.push(RawPosting { key, counts });
            }
        }
    }
    all
}
