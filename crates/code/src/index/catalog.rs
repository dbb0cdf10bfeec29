//! Which file is in which segment, and how it looked when it was read.

use std::collections::{HashMap, HashSet};

use super::search::{Part, search};
use super::segment::CONTINUED;
use super::{Builder, Damaged, PieceRecord, Segment, Weights};
use crate::pieces::Unsuitable;

/// An index of a tree of files.
///
/// The base is what the tree was when it was last put together; the delta is what changed since,
/// and small, so that it can be made and kept again for every change.
#[derive(Clone, Debug)]
pub struct Catalog {
    pub(super) base: Segment,
    pub(super) delta: Segment,
    pub(super) entries: HashMap<Box<[u8]>, Entry>,
    /// Paths that the base knows and that are gone.
    pub(super) gone: HashSet<Box<[u8]>>,
    pub(super) base_is_new: bool,
    pub(super) delta_is_new: bool,
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// By this it is known that the file was not touched.
    pub stamp: u128,
    /// By this it is known that the content is the same.
    pub hash: u128,
    /// The stamp can be trusted: the file was not being written when it was read.
    pub settled: bool,
    pub(super) place: Place,
    /// The base says the same.
    pub(super) as_in_base: bool,
}

impl Entry {
    /// Why none of it is in the index; none where it is.
    pub fn unsuitable(&self) -> Option<Unsuitable> {
        match self.place {
            Place::Nowhere(why) => Some(why),
            Place::Base(_) | Place::Delta(_) => None,
        }
    }
}

/// Where the pieces of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The file's number in the base.
    Base(u32),
    /// The file's number in the delta.
    Delta(u32),
    /// In no segment.
    Nowhere(Unsuitable),
}

/// A piece that was found.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'a> {
    /// The file.
    pub path: &'a [u8],
    /// What is known of the file.
    pub entry: Entry,
    /// What is known of the piece.
    pub piece: PieceRecord<'a>,
    /// How well it fits; only for comparing.
    pub score: f32,
}

impl Hit<'_> {
    /// Whether both are of one symbol that was cut because it is long.
    pub fn is_one_with(&self, other: &Hit<'_>) -> bool {
        let cut = (self.piece.flags | other.piece.flags) & CONTINUED != 0;
        let same = self.path == other.path && self.piece.symbol == other.piece.symbol;
        cut && same && !self.piece.symbol.is_empty()
    }
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Hits<'a> {
    /// The best, the best first.
    pub best: Vec<Hit<'a>>,
    /// How many pieces have any word of the question.
    pub matched: usize,
    /// How many pieces there are to be found.
    pub pieces: usize,
}

impl Catalog {
    /// Knows nothing.
    pub fn new() -> Result<Self, Damaged> {
        Ok(Self {
            base: Builder::new().finish()?,
            delta: Builder::new().finish()?,
            entries: HashMap::new(),
            gone: HashSet::new(),
            base_is_new: false,
            delta_is_new: false,
        })
    }

    /// What is known of a file.
    pub fn entry(&self, path: &[u8]) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// Every path that is known, in no order.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.keys().map(AsRef::as_ref)
    }

    /// Ranks the pieces of the files that are wanted.
    pub fn search(
        &self,
        question: &str,
        limit: usize,
        weights: &Weights,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Hits<'_> {
        let (base, delta) = self.numbered(wanted);
        let (base_files, delta_files) = (known(&base), known(&delta));
        let parts = [
            Part { segment: &self.base, files: &base_files },
            Part { segment: &self.delta, files: &delta_files },
        ];
        let ranking = search(&parts, question, limit, weights);
        let hit = |found: &super::Found| {
            let (segment, files) =
                if found.part == 0 { (&self.base, &base) } else { (&self.delta, &delta) };
            let piece = segment.piece(found.piece)?;
            let path = (*files.get(piece.file as usize)?)?;
            Some(Hit { path, entry: *self.entry(path)?, piece, score: found.score })
        };
        let mut best: Vec<Hit<'_>> = ranking.best.iter().filter_map(hit).collect();
        // Where a piece lies in the segments depends on what was changed when.
        best.sort_by(|one, other| {
            let place = (one.path, one.piece.first_line).cmp(&(other.path, other.piece.first_line));
            other.score.total_cmp(&one.score).then(place)
        });
        Hits { best, matched: ranking.matched, pieces: pieces(&parts) }
    }

    /// The piece of a file that begins at a line, with a score that somebody else gave it.
    pub fn piece_at(&self, path: &[u8], first_line: u32, score: f32) -> Option<Hit<'_>> {
        let (path, entry) = self.entries.get_key_value(path)?;
        let (segment, file) = match entry.place {
            Place::Base(file) => (&self.base, file),
            Place::Delta(file) => (&self.delta, file),
            Place::Nowhere(_) => return None,
        };
        let mut pieces = segment.pieces_of(file).filter_map(|piece| segment.piece(piece));
        let piece = pieces.find(|piece| piece.first_line == first_line)?;
        Some(Hit { path, entry: *entry, piece, score })
    }

    /// The paths that are wanted, by the numbers of their files in base and delta.
    pub(super) fn numbered(&self, wanted: impl Fn(&[u8]) -> bool) -> (Paths<'_>, Paths<'_>) {
        let mut base = vec![None; self.base.file_count()];
        let mut delta = vec![None; self.delta.file_count()];
        for (path, entry) in &self.entries {
            let slot = match entry.place {
                Place::Base(file) => base.get_mut(file as usize),
                Place::Delta(file) => delta.get_mut(file as usize),
                Place::Nowhere(_) => None,
            };
            if let Some(slot) = slot
                && wanted(path)
            {
                *slot = Some(path.as_ref());
            }
        }
        (base, delta)
    }
}

/// Paths by the numbers of files; none where a file is not wanted or not known any more.
pub(super) type Paths<'a> = Vec<Option<&'a [u8]>>;

pub(super) fn known(paths: &[Option<&[u8]>]) -> Vec<bool> {
    paths.iter().map(Option::is_some).collect()
}

fn pieces(parts: &[Part<'_>]) -> usize {
    let of_part = |part: &Part<'_>| {
        let files = part.files.iter().zip(0_u32..).filter(|(wanted, _)| **wanted);
        files.map(|(_, file)| part.segment.pieces_of(file).len()).sum::<usize>()
    };
    parts.iter().map(of_part).sum()
}
