//! Notebooks as they are stored: nbformat 3 and 4, only what is shown of them.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// More cells, or outputs of a cell, than anybody has.
const MAX_ENTRIES: usize = 20_000;

/// A notebook.
#[derive(Debug, Deserialize)]
pub(super) struct Stored {
    pub(super) nbformat: u64,
    #[serde(default)]
    pub(super) nbformat_minor: u64,
    #[serde(default)]
    pub(super) metadata: Metadata,
    /// From version 4 on.
    #[serde(default)]
    pub(super) cells: Entries<Cell>,
    /// Before version 4.
    #[serde(default)]
    pub(super) worksheets: Entries<Worksheet>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    language_info: Option<Language>,
    #[serde(default)]
    kernelspec: Option<Kernel>,
}

#[derive(Debug, Deserialize)]
struct Language {
    #[serde(default)]
    name: Text,
}

#[derive(Debug, Deserialize)]
struct Kernel {
    #[serde(default)]
    language: Text,
    #[serde(default)]
    name: Text,
}

#[derive(Debug, Deserialize)]
pub(super) struct Worksheet {
    #[serde(default)]
    pub(super) cells: Entries<Cell>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cell {
    #[serde(default)]
    pub(super) id: Text,
    #[serde(default, rename = "cell_type")]
    pub(super) kind: Text,
    #[serde(default)]
    pub(super) source: Text,
    /// The source of code before version 4.
    #[serde(default)]
    pub(super) input: Text,
    /// Of a heading before version 4.
    #[serde(default)]
    pub(super) level: Option<u64>,
    #[serde(default, alias = "prompt_number")]
    pub(super) execution_count: Option<u64>,
    #[serde(default)]
    pub(super) outputs: Entries<Output>,
    #[serde(default)]
    pub(super) attachments: Names,
}

#[derive(Debug, Deserialize)]
pub(super) struct Output {
    #[serde(default, rename = "output_type")]
    pub(super) kind: Text,
    /// `stdout` or `stderr`; before version 4 `stream`.
    #[serde(default, alias = "stream")]
    pub(super) name: Text,
    #[serde(default)]
    pub(super) text: Text,
    #[serde(default)]
    pub(super) data: Bundle,
    #[serde(default)]
    pub(super) ename: Text,
    #[serde(default)]
    pub(super) evalue: Text,
    #[serde(default)]
    pub(super) traceback: Traceback,
    // What is in `data` since version 4.
    #[serde(default)]
    pub(super) png: Text,
    #[serde(default)]
    pub(super) jpeg: Text,
    #[serde(default)]
    pub(super) svg: Text,
    #[serde(default)]
    pub(super) html: Text,
    #[serde(default)]
    pub(super) latex: Text,
}

impl Metadata {
    /// The language of the code, where it is told.
    pub(super) fn language(&self) -> Option<&str> {
        let told = self.language_info.as_ref().map(|language| &language.name.0);
        let kernel = self.kernelspec.iter().flat_map(|kernel| [&kernel.language.0, &kernel.name.0]);
        told.into_iter().chain(kernel).map(String::as_str).find(|name| !name.is_empty())
    }
}

/// A list, of which a part is kept: one of millions of empty entries is small in a file and
/// large in memory.
#[derive(Debug)]
pub(super) struct Entries<T>(pub(super) Vec<T>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
    type Value = Entries<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            if entries.len() == MAX_ENTRIES {
                return Err(A::Error::custom(format!("a list of more than {MAX_ENTRIES}")));
            }
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

/// A text, stored as one string or as a list of them; anything else is no text.
#[derive(Debug, Default)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor(""))
    }
}

/// Lines that are stored without their ends.
#[derive(Debug, Default)]
pub(super) struct Traceback(pub(super) String);

impl<'de> Deserialize<'de> for Traceback {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor("\n")).map(|text| Self(text.0))
    }
}

/// Puts a list of texts together, with this between them.
struct TextVisitor(&'static str);

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Text, E> {
        Ok(Text(text))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text, A::Error> {
        let mut text = String::new();
        while let Some(Text(piece)) = list.next_element()? {
            if !text.is_empty() {
                text.push_str(self.0);
            }
            text.push_str(&piece);
        }
        Ok(Text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }
}

/// One thing in several forms: type and text, in the order in which they are stored.
#[derive(Debug, Default)]
pub(super) struct Bundle(pub(super) Vec<(String, String)>);

impl<'de> Deserialize<'de> for Bundle {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(BundleVisitor)
    }
}

struct BundleVisitor;

impl<'de> Visitor<'de> for BundleVisitor {
    type Value = Bundle;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("forms of an output")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bundle, A::Error> {
        let mut forms = Vec::new();
        while let Some((kind, Text(text))) = map.next_entry::<String, Text>()? {
            if forms.len() == MAX_ENTRIES {
                return Err(A::Error::custom("too many forms of one output"));
            }
            forms.push((kind, text));
        }
        Ok(Bundle(forms))
    }
}

/// The names in a map.
#[derive(Debug, Default)]
pub(super) struct Names(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("attachments by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
        let mut names = Vec::new();
        while let Some((name, _)) = map.next_entry::<String, IgnoredAny>()? {
            if names.len() == MAX_ENTRIES {
                return Err(A::Error::custom("too many attachments"));
            }
            names.push(name);
        }
        Ok(Names(names))
    }
}
