//! Outlines between calls, in a compact form: names once, numbers as short as they are.
//!
//! What is read back was maybe cut off or written by another version. Every number is checked
//! against what is there; whatever does not fit makes all of it void, and it is made anew.

use std::collections::HashMap;
use std::sync::Arc;

use super::definition::{Definition, Kind};
use super::outline::Outline;

/// Changes with the form and with what the outlines hold.
const MARK: &[u8; 8] = b"dogumap2";

/// A file's outline, and by what it is known that the file is still the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Where it is.
    pub path: String,
    /// Whatever its owner knows an untouched file by; empty where that cannot be told.
    pub stamp: Vec<u8>,
    /// The hash of its content.
    pub hash: [u8; 32],
    /// What the content is.
    pub content: Content,
}

/// What the content of a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Code, and this is what it says.
    Code(Arc<Outline>),
    /// Too far from the syntax of its language to be parsed.
    TooHard,
    /// No text.
    Binary,
    /// Nothing in a language that is known.
    NoLanguage,
}

impl Content {
    fn number(&self) -> usize {
        match self {
            Self::Code(_) => 0,
            Self::TooHard => 1,
            Self::Binary => 2,
            Self::NoLanguage => 3,
        }
    }
}

/// Outlines of many files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// In any order.
    pub files: Vec<StoredFile>,
}

impl Stored {
    /// The compact form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.number(self.files.len());
        for file in &self.files {
            writer.file(file);
        }
        writer.finish()
    }

    /// What the compact form holds; none where it is broken anywhere.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { rest: bytes.strip_prefix(MARK)?, names: Vec::new() };
        reader.all_names()?;
        let count = reader.count()?;
        let files = (0..count).map(|_| reader.file()).collect::<Option<_>>()?;
        reader.rest.is_empty().then_some(Self { files })
    }
}

#[derive(Default)]
struct Writer<'a> {
    places: HashMap<&'a str, usize>,
    names: Vec<&'a str>,
    body: Vec<u8>,
}

impl<'a> Writer<'a> {
    fn number(&mut self, number: usize) {
        put_number(number, &mut self.body);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        put_bytes(bytes, &mut self.body);
    }

    fn name(&mut self, name: &'a str) {
        let next = self.names.len();
        let place = *self.places.entry(name).or_insert(next);
        if place == next {
            self.names.push(name);
        }
        self.number(place);
    }

    fn file(&mut self, file: &'a StoredFile) {
        self.bytes(file.path.as_bytes());
        self.bytes(&file.stamp);
        self.body.extend(file.hash);
        self.number(file.content.number());
        let Content::Code(outline) = &file.content else { return };
        self.number(outline.definitions.len());
        for definition in &outline.definitions {
            self.definition(definition);
        }
        self.number(outline.mentions.len());
        for (name, count) in &outline.mentions {
            self.name(name);
            self.number(*count as usize);
        }
    }

    fn definition(&mut self, definition: &'a Definition) {
        let Definition { kind, name, line, last_line, parent, signature } = definition;
        self.number(usize::from(*kind as u8));
        self.name(name);
        self.number(*line as usize);
        self.number(*last_line as usize);
        self.number(parent.map_or(0, |parent| parent as usize + 1));
        self.bytes(signature.as_bytes());
    }

    fn finish(self) -> Vec<u8> {
        let mut all = MARK.to_vec();
        put_number(self.names.len(), &mut all);
        for name in self.names {
            put_bytes(name.as_bytes(), &mut all);
        }
        all.extend(self.body);
        all
    }
}

fn put_bytes(bytes: &[u8], into: &mut Vec<u8>) {
    put_number(bytes.len(), into);
    into.extend_from_slice(bytes);
}

/// Seven bits a byte, the highest says that more follow.
fn put_number(mut number: usize, into: &mut Vec<u8>) {
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or(0);
        number >>= 7;
        if number == 0 {
            return into.push(low);
        }
        into.push(low | 0x80);
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    names: Vec<Arc<str>>,
}

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u32> {
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return u32::try_from(number).ok();
            }
        }
        None
    }

    /// How many things follow: never more than bytes are left, so nothing is set aside for a lie.
    fn count(&mut self) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.rest.len()).then_some(count)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn all_names(&mut self) -> Option<()> {
        for _ in 0..self.count()? {
            let name = self.text()?.into();
            self.names.push(name);
        }
        Some(())
    }

    fn name(&mut self) -> Option<Arc<str>> {
        let place = self.number()? as usize;
        self.names.get(place).map(Arc::clone)
    }

    fn file(&mut self) -> Option<StoredFile> {
        let path = self.text()?.to_owned();
        let stamp = self.bytes()?.to_vec();
        let (hash, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        let content = match self.number()? {
            0 => Content::Code(Arc::new(self.outline()?)),
            1 => Content::TooHard,
            2 => Content::Binary,
            3 => Content::NoLanguage,
            _ => return None,
        };
        Some(StoredFile { path, stamp, hash: *hash, content })
    }

    fn outline(&mut self) -> Option<Outline> {
        let mut definitions = Vec::new();
        for place in 0..u32::try_from(self.count()?).ok()? {
            definitions.push(self.definition(place)?);
        }
        let count = self.count()?;
        let mentions = (0..count).map(|_| Some((self.name()?, self.number()?)));
        Some(Outline { mentions: mentions.collect::<Option<_>>()?, definitions })
    }

    /// A definition; its parent must stand before it.
    fn definition(&mut self, place: u32) -> Option<Definition> {
        let kind = Kind::from_number(u8::try_from(self.number()?).ok()?)?;
        let name = self.name()?;
        let (line, last_line) = (self.number()?, self.number()?);
        let parent = self.number()?.checked_sub(1);
        if parent.is_some_and(|parent| parent >= place) {
            return None;
        }
        Some(Definition { kind, name, line, last_line, parent, signature: self.text()?.to_owned() })
    }
}
