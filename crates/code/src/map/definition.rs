//! What a file defines.

use std::sync::Arc;

/// What a definition makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A function that stands by itself.
    Function,
    /// A function of a type.
    Method,
    /// A class, record or object.
    Class,
    /// A struct or union.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface, protocol or concept.
    Interface,
    /// A trait.
    Trait,
    /// Another name for a type.
    Type,
    /// A constant, or a variable that a whole module sees.
    Constant,
    /// A module or namespace.
    Module,
    /// A macro.
    Macro,
    /// A property of a type, or one that a whole module sees.
    Property,
    /// What is added to a type elsewhere: `impl`, `extension`. It defines no name of its own.
    Implementation,
}

impl Kind {
    const ALL: [Self; 13] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Interface,
        Self::Trait,
        Self::Type,
        Self::Constant,
        Self::Module,
        Self::Macro,
        Self::Property,
        Self::Implementation,
    ];

    /// The kind with a number, as `kind as u8` gives it.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// What is defined inside is seen by nobody else.
    pub(crate) fn hides_what_is_inside(self) -> bool {
        matches!(
            self,
            Self::Function | Self::Method | Self::Macro | Self::Constant | Self::Property
        )
    }

    /// Functions inside are methods.
    pub(crate) fn has_methods(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Enum
                | Self::Interface
                | Self::Trait
                | Self::Implementation
        )
    }

    /// How much it tells by itself, where nothing refers to it.
    pub(crate) fn weight(self) -> f64 {
        match self {
            Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait => 1.0,
            Self::Function | Self::Type | Self::Module | Self::Macro => 0.7,
            Self::Method => 0.4,
            Self::Constant | Self::Property => 0.2,
            Self::Implementation => 0.0,
        }
    }
}

/// Something that a file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// What it makes.
    pub kind: Kind,
    /// Its name, without what it is defined in.
    pub name: Arc<str>,
    /// The line where its signature begins, from 1.
    pub line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The definition around it, by its place in the outline; always an earlier one.
    pub parent: Option<u32>,
    /// All up to its body, on one line, without comments and annotations.
    pub signature: String,
}
