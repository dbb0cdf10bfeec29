//! What counts how much. The numbers were tuned on questions about some code bases and confirmed
//! on others; see `tests/questions`.

use super::{FIELDS, Field};
use crate::words::Variant;

/// What counts how much in a rank.
#[derive(Clone, Debug)]
pub struct Weights {
    /// How much a word in a field counts.
    pub fields: [f32; FIELDS],
    /// How much the length of a field counts against it, from 0 to 1.
    pub length: [f32; FIELDS],
    /// From how much on more of the same word counts little.
    pub saturation: f32,
    /// How much a short or long form of a word counts.
    pub abbreviation: f32,
    /// How much a word counts that is written together with its neighbour.
    pub joined: f32,
    /// How much the half of a word counts.
    pub half: f32,
    /// How much the beginning of a word counts.
    pub beginning: f32,
    /// How much a word of about the same meaning counts.
    pub synonym: f32,
    /// How much a word counts that was learned from other comments.
    pub learned: f32,
    /// How much it counts that many of the words are there.
    pub coverage: f32,
    /// How much it counts that a name has no words but those that are asked for.
    pub name_fit: f32,
    /// What is not a function counts this much.
    pub not_function: f32,
    /// What is only lines counts this much.
    pub lines: f32,
    /// Tests count this much, unless the question is about them.
    pub test: f32,
    /// What only does as an interface says counts this much: the interface says what it is for.
    pub fulfils: f32,
    /// Files of others and of programs count this much.
    pub demoted: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            fields: [4.2, 8.0, 5.0, 3.75, 0.6, 1.0],
            length: [0.15, 0.3, 0.6, 0.3, 0.5, 0.9],
            saturation: 5.0,
            abbreviation: 0.7,
            joined: 0.5,
            half: 0.4,
            beginning: 0.4,
            synonym: 0.4,
            learned: 1.0,
            coverage: 0.23,
            name_fit: 0.5,
            not_function: 0.6,
            lines: 0.9,
            test: 0.5,
            fulfils: 0.56,
            demoted: 0.6,
        }
    }
}

impl Weights {
    /// How much a field counts.
    pub fn field(&self, field: Field) -> f32 {
        self.fields[field as usize]
    }

    /// How much a word counts for the one that was asked for.
    pub(super) fn variant(&self, variant: Variant) -> f32 {
        match variant {
            Variant::Same => 1.0,
            Variant::Abbreviation => self.abbreviation,
            Variant::Joined => self.joined,
            Variant::Half => self.half,
            Variant::Beginning => self.beginning,
            Variant::Synonym => self.synonym,
            Variant::Learned => self.learned,
        }
    }
}
