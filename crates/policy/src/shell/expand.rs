//! From words to arguments: what is known of each word before it runs.

use std::collections::HashMap;
use std::rc::Rc;

use super::ast::{Part, Word};
use super::braces;
use super::cursor::Refusal;
use crate::command::Arg;

/// How many ways a command is looked at, where its variables have several values.
const MAX_WAYS: usize = 16;

/// Longer texts in variables are not followed: they could double with every word.
const MAX_TEXT_BYTES: usize = 4096;

/// A value that a variable can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    /// The name of a file that this pattern matches.
    Name(String),
    /// The name of a file below these folders.
    Listed {
        below: Vec<String>,
        exact: bool,
    },
    Unknown,
}

/// What the shell knows at a place of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Every value that a variable can have here; none at all if nothing is known of it.
    pub(crate) variables: Rc<HashMap<String, Vec<Value>>>,
    /// Every folder that this can run in.
    pub(crate) folders: Vec<String>,
    pub(crate) home: Option<Rc<str>>,
}

impl State {
    fn values(&self, name: &str) -> Vec<Value> {
        if let Some(values) = self.variables.get(name) {
            return values.clone();
        }
        match (name, &self.home, self.folders.as_slice()) {
            ("HOME", Some(home), _) => vec![Value::Text(home.to_string())],
            ("PWD", _, [folder]) => vec![Value::Text(folder.clone())],
            _ => vec![Value::Unknown],
        }
    }

    /// A variable can have these values from here on.
    pub(crate) fn set(&mut self, name: String, mut values: Vec<Value>) {
        let long =
            |value: &Value| matches!(value, Value::Text(text) if text.len() > MAX_TEXT_BYTES);
        if values.len() > MAX_WAYS || values.iter().any(long) {
            values = vec![Value::Unknown];
        }
        Rc::make_mut(&mut self.variables).insert(name, values);
    }

    /// Nothing is known any more of what the variables hold.
    pub(crate) fn forget_values(&mut self) {
        let variables = Rc::make_mut(&mut self.variables);
        for values in variables.values_mut() {
            *values = vec![Value::Unknown];
        }
    }

    /// There are no variables.
    pub(crate) fn forget_variables(&mut self) {
        self.variables = Rc::default();
    }

    /// What can be true after either of two ways.
    pub(crate) fn join(&mut self, other: Self) {
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            self.join_variables(&other);
        }
        for folder in other.folders {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
    }
}

impl State {
    fn join_variables(&mut self, other: &Self) {
        let variables = Rc::make_mut(&mut self.variables);
        for (name, values) in variables.iter_mut() {
            let others = other.variables.get(name).cloned().unwrap_or_else(|| vec![Value::Unknown]);
            for value in others {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            if values.len() > MAX_WAYS {
                *values = vec![Value::Unknown];
            }
        }
        for (name, values) in other.variables.iter() {
            variables
                .entry(name.clone())
                .or_insert_with(|| values.iter().cloned().chain([Value::Unknown]).collect());
        }
    }
}

/// The arguments that words become; each way that they can is one list.
pub(crate) fn arguments(words: &[Word], state: &State) -> Result<Vec<Vec<Arg>>, Refusal> {
    let mut ways: Vec<Vec<Arg>> = vec![Vec::new()];
    for word in words {
        if !braces::has_any(word) {
            ways = with_word(ways, word, state);
            continue;
        }
        for word in braces::expand(word)? {
            ways = with_word(ways, &word, state);
        }
    }
    Ok(ways)
}

fn with_word(ways: Vec<Vec<Arg>>, word: &Word, state: &State) -> Vec<Vec<Arg>> {
    let more = word_ways(word, state);
    let too_many = ways.len() * more.len() > MAX_WAYS;
    match more.as_slice() {
        _ if too_many => extended(ways, Some(&Arg::unknown())),
        [one] => extended(ways, one.as_ref()),
        _ => product(&ways, &more),
    }
}

/// Each way with one more argument; in place, because a line may have thousands of them.
fn extended(mut ways: Vec<Vec<Arg>>, arg: Option<&Arg>) -> Vec<Vec<Arg>> {
    for way in &mut ways {
        way.extend(arg.cloned());
    }
    ways
}

fn product(ways: &[Vec<Arg>], more: &[Option<Arg>]) -> Vec<Vec<Arg>> {
    let extended = ways
        .iter()
        .flat_map(|way| more.iter().map(|arg| way.iter().cloned().chain(arg.clone()).collect()));
    extended.collect()
}

/// What one word can become, without brace expansion; `None` is no argument at all.
pub(crate) fn word_ways(word: &Word, state: &State) -> Vec<Option<Arg>> {
    let mut ways = vec![Builder::default()];
    let brackets = Brackets::of(&word.parts);
    for (at, part) in word.parts.iter().enumerate() {
        let values = part_values(part, at, word, brackets, state);
        if let [value] = values.as_slice() {
            ways = ways.into_iter().map(|way| way.with(value)).collect();
            continue;
        }
        if ways.len() * values.len() > MAX_WAYS {
            return vec![Some(Arg::unknown())];
        }
        let each = |way: Builder| values.iter().map(move |value| way.clone().with(value));
        ways = ways.into_iter().flat_map(each).collect();
    }
    ways.into_iter().map(Builder::finish).collect()
}

/// A piece of a word, once its value is chosen.
#[derive(Clone, Debug)]
enum Piece {
    Text { text: String, quoted: bool },
    Wildcard(char),
    Number,
    Name { pattern: String, quoted: bool },
    Listed { below: Vec<String>, exact: bool, quoted: bool },
    Hole { one: bool },
}

fn part_values(
    part: &Part,
    at: usize,
    word: &Word,
    brackets: Brackets,
    state: &State,
) -> Vec<Piece> {
    let text = |text: &str, quoted| vec![Piece::Text { text: text.to_owned(), quoted }];
    match part {
        Part::Bare(piece) => text(piece, false),
        Part::Quoted(piece) => text(piece, true),
        Part::Brace(brace) => text(&brace.to_string(), false),
        Part::Wildcard('[') if brackets.last_close.is_none_or(|close| close < at) => {
            text("[", false)
        }
        Part::Wildcard(']') if brackets.first_open.is_none_or(|open| open > at) => text("]", false),
        Part::Wildcard(wildcard) => vec![Piece::Wildcard(*wildcard)],
        Part::Tilde => match &state.home {
            Some(home) => text(home, true),
            None => vec![Piece::Hole { one: true }],
        },
        // What is only a number is as good as any other number, unless it is part of a name.
        Part::Arithmetic { natural: true } if word.parts.len() == 1 => vec![Piece::Number],
        Part::Arithmetic { .. } => vec![Piece::Hole { one: true }],
        Part::Process { .. } => text("/dev/fd/63", true),
        Part::Command { quoted, .. } => vec![Piece::Hole { one: *quoted }],
        Part::Parameter { name, plain, quoted, .. } => {
            if word.parts.len() == 1 && (name == "?" || name == "#") && *plain {
                return vec![Piece::Number];
            }
            if !plain
                && name == "HOME"
                && let Some(home) = &state.home
            {
                // `${HOME:?}` and its like are mostly the home, whatever else they can be.
                let home = Piece::Text { text: home.to_string(), quoted: true };
                return vec![home, Piece::Hole { one: *quoted }];
            }
            if !plain || name == "@" || name == "*" {
                return vec![Piece::Hole { one: *quoted && name != "@" }];
            }
            state.values(name).into_iter().map(|value| value.piece(*quoted)).collect()
        }
    }
}

/// Where the brackets of a word's patterns are; looked for once, or many of them would be
/// quadratic.
#[derive(Clone, Copy)]
struct Brackets {
    first_open: Option<usize>,
    last_close: Option<usize>,
}

impl Brackets {
    fn of(parts: &[Part]) -> Self {
        let is =
            |wanted: char| move |part: &Part| matches!(part, Part::Wildcard(c) if *c == wanted);
        Self {
            first_open: parts.iter().position(is('[')),
            last_close: parts.iter().rposition(is(']')),
        }
    }
}

impl Value {
    fn piece(self, quoted: bool) -> Piece {
        match self {
            Self::Text(text) if quoted || splits_into_itself(&text) => Piece::Text { text, quoted },
            Self::Name(pattern) => Piece::Name { pattern, quoted },
            Self::Listed { below, exact } => Piece::Listed { below, exact, quoted },
            Self::Text(_) | Self::Unknown => Piece::Hole { one: quoted },
        }
    }
}

/// Word splitting and wildcards leave this text as it is.
fn splits_into_itself(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c))
}

#[derive(Clone, Debug, Default)]
struct Builder {
    /// The text so far, with what looks like a wildcard and is none escaped.
    pattern: String,
    text: String,
    wild: bool,
    /// Something is there even if the text is empty.
    present: bool,
    pieces: usize,
    whole: Option<Arg>,
    hole: Option<(String, bool)>,
}

impl Builder {
    fn with(mut self, piece: &Piece) -> Self {
        // Quotes around a word are nothing by themselves.
        let nothing = matches!(piece, Piece::Text { text, .. } if text.is_empty());
        self.pieces += usize::from(!nothing);
        match piece {
            Piece::Text { text, quoted } => self.push_text(text, *quoted),
            Piece::Wildcard(wildcard) => {
                self.pattern.push(*wildcard);
                self.wild = true;
            }
            Piece::Name { pattern, quoted: true } => {
                self.pattern.push_str(pattern);
                self.wild = true;
            }
            Piece::Name { pattern, quoted: false } => {
                self.whole = Some(Arg::SplitNames(pattern.clone()));
                self.push_hole(false);
            }
            Piece::Listed { below, exact, quoted } => {
                self.whole = Some(Arg::Listed { below: below.clone(), exact: *exact && *quoted });
                self.push_hole(*quoted);
            }
            Piece::Number => {
                self.whole = Some(Arg::Number);
                self.push_hole(true);
            }
            Piece::Hole { one } => self.push_hole(*one),
        }
        self
    }

    fn push_text(&mut self, text: &str, quoted: bool) {
        self.present |= quoted || !text.is_empty();
        self.text.push_str(text);
        for c in text.chars() {
            if matches!(c, '*' | '?' | '[' | ']' | '\\') {
                self.pattern.push('\\');
            }
            self.pattern.push(c);
        }
    }

    fn push_hole(&mut self, one: bool) {
        let starts = if self.wild { String::new() } else { self.text.clone() };
        let (starts, all_one) = self.hole.take().unwrap_or((starts, true));
        self.hole = Some((starts, all_one && one));
    }

    fn finish(self) -> Option<Arg> {
        if let (Some(whole), 1) = (self.whole, self.pieces) {
            return Some(whole);
        }
        if let Some((starts, one)) = self.hole {
            return Some(Arg::Unknown { starts, one: one && !self.wild });
        }
        if self.wild {
            return Some(Arg::Glob(self.pattern));
        }
        self.present.then_some(Arg::Literal(self.text))
    }
}
