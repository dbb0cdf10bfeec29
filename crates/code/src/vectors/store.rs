//! The vectors of a tree of files.

use std::collections::{HashMap, HashSet};

use super::Quantised;

/// So much memory all vectors take, in bytes; what is beyond is found by its words alone.
const MAX_BYTES: usize = 96 * 1024 * 1024;

/// Where a text stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The first line of the piece.
    pub first_line: u32,
    /// The hash of what the vector was made of.
    pub text: u128,
}

/// The vectors of a tree of files, made by one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    pub(super) model: String,
    /// The pieces of each file, by the hash of the file's content.
    pub(super) files: HashMap<u128, Vec<Spot>>,
    /// The vector of each text, by its hash.
    pub(super) texts: HashMap<u128, Quantised>,
    pub(super) is_new: bool,
}

impl Vectors {
    /// None yet, of a model.
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into(), files: HashMap::new(), texts: HashMap::new(), is_new: false }
    }

    /// What made them.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// How many numbers each has; none before the first.
    pub fn dimensions(&self) -> Option<usize> {
        self.texts.values().next().map(Quantised::dimensions)
    }

    /// The pieces of a file, where they were noted.
    pub fn spots(&self, file: u128) -> Option<&[Spot]> {
        self.files.get(&file).map(Vec::as_slice)
    }

    /// Notes the pieces of a file.
    pub fn note(&mut self, file: u128, spots: Vec<Spot>) {
        self.files.insert(file, spots);
        self.is_new = true;
    }

    /// The vector of a text.
    pub fn get(&self, text: u128) -> Option<&Quantised> {
        self.texts.get(&text)
    }

    /// Whether there is room for one more vector of so many numbers.
    pub fn has_room(&self, dimensions: usize) -> bool {
        (self.texts.len() + 1).saturating_mul(dimensions + 64) <= MAX_BYTES
    }

    /// Keeps the vector of a text. Says no to one that cannot be compared with the others, and
    /// where there is no room.
    pub fn put(&mut self, text: u128, vector: Quantised) -> bool {
        let dimensions = vector.dimensions();
        let fits = self.dimensions().is_none_or(|known| known == dimensions);
        if !fits || !self.has_room(dimensions) {
            return false;
        }
        self.texts.insert(text, vector);
        self.is_new = true;
        true
    }

    /// Forgets all files but these, and every text that none of them has.
    pub fn keep_only(&mut self, files: &HashSet<u128>) {
        let before = (self.files.len(), self.texts.len());
        self.files.retain(|file, _| files.contains(file));
        let used: HashSet<u128> = self.files.values().flatten().map(|spot| spot.text).collect();
        self.texts.retain(|text, _| used.contains(text));
        self.is_new |= before != (self.files.len(), self.texts.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(values: &[f32]) -> Quantised {
        Quantised::of(values).unwrap()
    }

    #[test]
    fn vectors_of_another_length_are_refused() {
        let mut vectors = Vectors::new("m");
        assert!(vectors.put(1, vector(&[1.0, 2.0])));
        assert!(!vectors.put(2, vector(&[1.0, 2.0, 3.0])));
        assert_eq!((vectors.dimensions(), vectors.get(2)), (Some(2), None));
    }

    #[test]
    fn there_is_room_for_so_much_only() {
        assert!(Vectors::new("m").has_room(1536) && !Vectors::new("m").has_room(MAX_BYTES));
    }

    #[test]
    fn what_no_file_has_any_more_is_forgotten() {
        let mut vectors = Vectors::new("m");
        for text in 1..=3 {
            vectors.put(text, vector(&[1.0]));
        }
        vectors.note(10, vec![Spot { first_line: 1, text: 1 }, Spot { first_line: 9, text: 2 }]);
        vectors.note(11, vec![Spot { first_line: 1, text: 3 }]);
        vectors.keep_only(&HashSet::from([10]));
        assert!(vectors.get(1).is_some() && vectors.get(2).is_some() && vectors.get(3).is_none());
        assert!(vectors.spots(11).is_none());
    }
}
