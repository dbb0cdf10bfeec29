//! Bringing a catalog up to date.

use super::catalog::{Catalog, Entry, Place, known};
use super::search::Part;
use super::{Builder, Damaged, Digest, Segment, merge};
use crate::pieces::Unsuitable;

/// A delta of so many pieces is small, whatever the base is.
const SMALL_DELTA_PIECES: usize = 2_000;
/// A larger one is put into the base when it has more than this part of the base's pieces.
const DELTA_SHARE: usize = 8;

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where it is.
    pub path: Box<[u8]>,
    /// By this it is known that the file was not touched.
    pub stamp: u128,
    /// By this it is known that the content is the same.
    pub hash: u128,
    /// The stamp can be trusted: the file was not being written when it was read.
    pub settled: bool,
    /// What it holds.
    pub content: Content,
}

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// What the catalog knows already.
    Same,
    /// This.
    New(Digest),
    /// Nothing for an index.
    Unsuitable(Unsuitable),
}

impl Catalog {
    /// Takes note of files that were read. An error means that there is too much for one index.
    pub fn apply(&mut self, mut changes: Vec<Change>) -> Result<(), Damaged> {
        if changes.is_empty() {
            return Ok(());
        }
        // The order in which threads read files must not be the order of what is found.
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        let mut builder = Builder::new();
        let mut noted = Vec::with_capacity(changes.len());
        for change in changes {
            let place = match change.content {
                Content::Same => None,
                Content::New(digest) => Some(Place::Delta(builder.add(digest))),
                Content::Unsuitable(why) => Some(Place::Nowhere(why)),
            };
            noted.push((change.path, change.stamp, change.hash, change.settled, place));
        }
        let fresh = if builder.is_empty() { None } else { Some(builder.finish()?) };
        let shift = match &fresh {
            Some(fresh) => self.add_to_delta(fresh, |path| {
                noted
                    .binary_search_by(|one| one.0.as_ref().cmp(path))
                    .is_ok_and(|at| noted[at].4.is_some())
            })?,
            None => 0,
        };
        for (path, stamp, hash, settled, place) in noted {
            let place = match place {
                Some(Place::Delta(file)) => Some(Place::Delta(file + shift)),
                other => other,
            };
            self.note(path, stamp, hash, settled, place);
        }
        self.delta_is_new = true;
        self.settle()
    }

    /// Forgets files.
    pub fn forget(&mut self, paths: impl IntoIterator<Item = Box<[u8]>>) -> Result<(), Damaged> {
        for path in paths {
            if self.entries.remove(&path).is_some() {
                self.gone.insert(path);
                self.delta_is_new = true;
            }
        }
        self.settle()
    }

    fn note(
        &mut self,
        path: Box<[u8]>,
        stamp: u128,
        hash: u128,
        settled: bool,
        place: Option<Place>,
    ) {
        let place = place.or_else(|| self.entries.get(&path).map(|known| known.place));
        let Some(place) = place else { return };
        self.gone.remove(&path);
        let entry = Entry { stamp, hash, settled, place, as_in_base: false };
        self.entries.insert(path, entry);
    }

    /// Puts a segment after what is left of the delta; gives the number of its first file.
    fn add_to_delta(
        &mut self,
        fresh: &Segment,
        replaced: impl Fn(&[u8]) -> bool,
    ) -> Result<u32, Damaged> {
        let (_, paths) = self.numbered(|path| !replaced(path));
        let kept = known(&paths);
        let all = vec![true; fresh.file_count()];
        let parts =
            [Part { segment: &self.delta, files: &kept }, Part { segment: fresh, files: &all }];
        let (delta, numbers) = merge(&parts)?;
        let first = numbers[1].first().copied().flatten().unwrap_or(0);
        self.delta = delta;
        self.renumber(|place| match place {
            Place::Delta(file) => moved(&numbers[0], file).map(Place::Delta),
            other => Some(other),
        });
        Ok(first)
    }

    /// Makes one base of base and delta, where the delta has become too large to be made again
    /// for every change.
    fn settle(&mut self) -> Result<(), Damaged> {
        if !self.is_first() && !self.delta_is_large() {
            return Ok(());
        }
        let (base, delta) = self.numbered(|_| true);
        let (base, delta) = (known(&base), known(&delta));
        let parts = [
            Part { segment: &self.base, files: &base },
            Part { segment: &self.delta, files: &delta },
        ];
        let (whole, numbers) = merge(&parts)?;
        self.base = whole;
        self.delta = Builder::new().finish()?;
        self.renumber(|place| match place {
            Place::Base(file) => moved(&numbers[0], file).map(Place::Base),
            Place::Delta(file) => moved(&numbers[1], file).map(Place::Base),
            Place::Nowhere(_) => Some(place),
        });
        self.entries.values_mut().for_each(|entry| entry.as_in_base = true);
        self.gone.clear();
        (self.base_is_new, self.delta_is_new) = (true, true);
        Ok(())
    }

    fn delta_is_large(&self) -> bool {
        let noted = self.entries.values().filter(|entry| !entry.as_in_base).count();
        let changed = self.delta.piece_count().max(self.gone.len()).max(noted);
        changed > SMALL_DELTA_PIECES.max(self.base.piece_count() / DELTA_SHARE)
    }

    /// Nothing was ever put into the base.
    fn is_first(&self) -> bool {
        self.base.file_count() == 0 && self.delta.file_count() > 0
    }

    fn renumber(&mut self, place: impl Fn(Place) -> Option<Place>) {
        self.entries.retain(|_, entry| {
            let moved = place(entry.place);
            entry.place = moved.unwrap_or(entry.place);
            moved.is_some()
        });
    }
}

fn moved(numbers: &[Option<u32>], file: u32) -> Option<u32> {
    numbers.get(file as usize).copied().flatten()
}
