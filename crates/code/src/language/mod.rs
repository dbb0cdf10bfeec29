//! The languages whose syntax is known: which file is written in which, and parsing it.
//!
//! Nothing is set up before it is needed: a grammar's tables are made at its first file.
//!
//! ```
//! use dogu_code::language::{Language, errors};
//!
//! let language = Language::of("src/lib.rs".as_ref(), b"").unwrap();
//! assert_eq!(language, Language::Rust);
//! assert!(errors("fn main() {}", language).is_none());
//! assert_eq!(errors("fn main( {}\n", language).unwrap().line, 1);
//! ```

mod deep;
mod errors;
mod grammar;
mod name;
mod parse;
mod rules;

pub use errors::{SyntaxError, errors};
pub(crate) use grammar::{Ends, Grammar, NodeRole, Only, Rule, Wrapper};
pub(crate) use parse::parsed;
pub use parse::{MAX_BYTES, Unparsed};

/// A language with a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "they are names of languages")]
pub enum Language {
    Bash,
    C,
    CSharp,
    Cpp,
    Go,
    Java,
    JavaScript,
    Kotlin,
    Lua,
    Php,
    Python,
    Ruby,
    Rust,
    Scala,
    Swift,
    Tsx,
    TypeScript,
}

impl Language {
    /// All of them, by name.
    pub const ALL: [Self; 17] = [
        Self::Bash,
        Self::C,
        Self::CSharp,
        Self::Cpp,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Kotlin,
        Self::Lua,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::Scala,
        Self::Swift,
        Self::Tsx,
        Self::TypeScript,
    ];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "Bash",
            Self::C => "C",
            Self::CSharp => "C#",
            Self::Cpp => "C++",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Kotlin => "Kotlin",
            Self::Lua => "Lua",
            Self::Php => "PHP",
            Self::Python => "Python",
            Self::Ruby => "Ruby",
            Self::Rust => "Rust",
            Self::Scala => "Scala",
            Self::Swift => "Swift",
            Self::Tsx => "TSX",
            Self::TypeScript => "TypeScript",
        }
    }

    /// What its grammar calls things.
    pub(crate) fn grammar(self) -> &'static Grammar {
        grammar::of(self)
    }
}
