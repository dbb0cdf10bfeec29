//! The reader as serde sees it.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::{Quick, Str, Unread};

impl<'d> Deserializer<'d> for &mut Quick<'d> {
    type Error = Unread;

    #[inline]
    fn deserialize_any<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Unread> {
        match self.peek()? {
            b'"' => match self.string()? {
                Str::Borrowed(text) => visitor.visit_borrowed_str(text),
                Str::Owned(text) => visitor.visit_string(text),
            },
            b'{' => self.map(visitor),
            b'[' => self.list(visitor),
            b'n' => {
                self.word("null")?;
                visitor.visit_unit()
            }
            b't' => {
                self.word("true")?;
                visitor.visit_bool(true)
            }
            b'f' => {
                self.word("false")?;
                visitor.visit_bool(false)
            }
            _ => self.number(visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Unread> {
        if self.peek()? == b'n' {
            self.word("null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'d>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unread> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Unread> {
        self.skip()?;
        visitor.visit_unit()
    }

    fn deserialize_enum<V: Visitor<'d>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Unread> {
        Err(Unread)
    }

    fn deserialize_bytes<V: Visitor<'d>>(self, _: V) -> Result<V::Value, Unread> {
        Err(Unread)
    }

    fn deserialize_byte_buf<V: Visitor<'d>>(self, _: V) -> Result<V::Value, Unread> {
        Err(Unread)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'d>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string unit unit_struct seq
        tuple tuple_struct map struct identifier
    }
}

/// The members of an object, or the items of a list.
pub(super) struct Elements<'r, 'd> {
    pub(super) reader: &'r mut Quick<'d>,
    pub(super) close: u8,
    pub(super) place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Behind the opening bracket.
    First,
    /// Behind an element.
    Later,
    /// Behind the closing bracket.
    Over,
}

impl Elements<'_, '_> {
    /// Whether another element comes.
    #[inline]
    fn another(&mut self) -> Result<bool, Unread> {
        if self.place == Place::Over || self.reader.takes(self.close)? {
            self.place = Place::Over;
            return Ok(false);
        }
        if self.place == Place::Later {
            self.reader.expect(b',')?;
        }
        self.place = Place::Later;
        Ok(true)
    }

    /// Who read the elements must have read all of them.
    pub(super) fn finish(&mut self) -> Result<(), Unread> {
        if self.another()? { Err(Unread) } else { Ok(()) }
    }
}

impl<'d> MapAccess<'d> for &mut Elements<'_, 'd> {
    type Error = Unread;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'d>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Unread> {
        if !self.another()? {
            return Ok(None);
        }
        if self.reader.peek()? != b'"' {
            return Err(Unread);
        }
        let key = match self.reader.string()? {
            Str::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
            Str::Owned(key) => seed.deserialize(key.into_deserializer()),
        };
        key.map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'d>>(&mut self, seed: V) -> Result<V::Value, Unread> {
        self.reader.expect(b':')?;
        seed.deserialize(&mut *self.reader)
    }
}

impl<'d> SeqAccess<'d> for &mut Elements<'_, 'd> {
    type Error = Unread;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'d>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Unread> {
        if !self.another()? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}
