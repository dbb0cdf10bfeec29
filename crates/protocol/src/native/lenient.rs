//! Shapes that servers fill in more than one way, read without copies where the text allows it.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A text, borrowed from the document unless it had escapes. (Serde borrows a bare `Cow` but
/// not one inside an `Option`.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text of a field that may be absent, null or empty, which all mean the same.
pub(super) fn filled<'t>(text: Option<&'t Text<'_>>) -> Option<&'t str> {
    text.map(Text::as_str).filter(|text| !text.is_empty())
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(Reader)
    }
}

/// A list. Null is an empty one, and so is anything that is not a list.
#[derive(Debug)]
pub(super) struct Few<T>(Vec<T>);

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Few<T> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(OneOf::<T>(PhantomData))? {
            Either::List(list) => Ok(list),
            Either::Text(_) | Either::Other(_) => Ok(Self::default()),
        }
    }
}

/// The content of a message: a text, or a list of parts.
#[derive(Debug)]
pub(super) enum Content<'a, T> {
    Text(Cow<'a, str>),
    Parts(Few<T>),
}

impl<T> Default for Content<'_, T> {
    fn default() -> Self {
        Self::Parts(Few::default())
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Content<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match deserializer.deserialize_any(OneOf::<T>(PhantomData))? {
            Either::Text(text) => Self::Text(text),
            Either::List(list) => Self::Parts(list),
            Either::Other(_) => Self::default(),
        })
    }
}

/// The arguments of a call: their text, or their value.
#[derive(Debug, Default)]
pub(super) enum Arguments<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    /// Boxed because texts are what comes thousands of times.
    Value(Box<Value>),
}

impl Arguments<'_> {
    /// Whether they say nothing.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::Text(text) => text.is_empty(),
            Self::Value(_) => false,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Arguments<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match deserializer.deserialize_any(AnyValue)? {
            Either::Text(text) => Self::Text(text),
            Either::Other(Value::Null) => Self::Absent,
            Either::Other(value) => Self::Value(Box::new(value)),
            Either::List(list) => Self::Value(Box::new(list.into_iter().collect())),
        })
    }
}

/// What a provider says went wrong: a text, or an object with a `message`.
#[derive(Debug, Default)]
pub(super) struct Problem(pub(super) Option<String>);

impl<'de> Deserialize<'de> for Problem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Value::deserialize(deserializer)? {
            Value::Null => None,
            Value::String(message) => Some(message),
            value => Some(match value.get("message").and_then(Value::as_str) {
                Some(message) => message.to_owned(),
                None => value.to_string(),
            }),
        }))
    }
}

/// What stood in the document.
enum Either<'a, T> {
    Text(Cow<'a, str>),
    List(Few<T>),
    /// The value, where it is wanted; else null.
    Other(Value),
}

/// Reads a text or a list, and passes over anything else.
struct OneOf<T>(PhantomData<T>);

/// Reads a text or any value.
struct AnyValue;

macro_rules! texts {
    ($item:ty) => {
        type Value = Either<'de, $item>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any JSON")
        }

        fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Either::Text(Cow::Borrowed(text)))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Either::Text(Cow::Owned(text.to_owned())))
        }

        fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
            Ok(Either::Text(Cow::Owned(text)))
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Either::Other(Value::Null))
        }

        fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
            Ok(Either::Other(value.into()))
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
            Ok(Either::Other(value.into()))
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
            Ok(Either::Other(value.into()))
        }

        fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
            Ok(Either::Other(value.into()))
        }
    };
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOf<T> {
    texts!(T);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        // Nearly all lists of a stream have one element, so there is room for one at first.
        let Some(first) = list.next_element()? else { return Ok(Either::List(Few::default())) };
        let mut all = vec![first];
        while let Some(element) = list.next_element()? {
            all.push(element);
        }
        Ok(Either::List(Few(all)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Either::Other(Value::Null))
    }
}

impl<'de> Visitor<'de> for AnyValue {
    texts!(Value);

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(list)).map(Either::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(Either::Other)
    }
}
