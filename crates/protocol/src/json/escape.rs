//! What the escapes of a JSON string stand for.

/// The character that `\` and this byte stand for, except for `\u`.
pub(super) fn plain(byte: u8) -> Option<char> {
    match byte {
        b'"' | b'\\' | b'/' => Some(char::from(byte)),
        b'b' => Some('\u{8}'),
        b'f' => Some('\u{c}'),
        b'n' => Some('\n'),
        b'r' => Some('\r'),
        b't' => Some('\t'),
        _ => None,
    }
}

/// Puts the UTF-16 units of `\u` escapes together. A character outside the basic plane comes as
/// two of them, so the first half waits here until it is known what follows it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Units {
    high: Option<u16>,
}

impl Units {
    /// Adds a unit. True if half a pair without the other became U+FFFD.
    pub(super) fn push(&mut self, unit: u16, out: &mut String) -> bool {
        if let Some(whole) = self.high.and_then(|high| pair(high, unit)) {
            self.high = None;
            out.push(whole);
            return false;
        }
        let lone = self.end(out);
        match char::from_u32(u32::from(unit)) {
            Some(whole) => out.push(whole),
            None if unit < 0xDC00 => self.high = Some(unit),
            None => {
                out.push(char::REPLACEMENT_CHARACTER);
                return true;
            }
        }
        lone
    }

    /// Something else follows: a first half that still waits has no second. True if there was one.
    pub(super) fn end(&mut self, out: &mut String) -> bool {
        let lone = self.high.take().is_some();
        if lone {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        lone
    }
}

fn pair(high: u16, low: u16) -> Option<char> {
    char::decode_utf16([high, low]).next().and_then(Result::ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_together(units: &[u16]) -> (String, bool) {
        let (mut out, mut waiting) = (String::new(), Units::default());
        let mut lone = false;
        for unit in units {
            lone |= waiting.push(*unit, &mut out);
        }
        lone |= waiting.end(&mut out);
        (out, lone)
    }

    #[test]
    fn halves_make_a_whole_and_lone_ones_are_replaced() {
        assert_eq!(put_together(&[0x41]), ("A".into(), false));
        assert_eq!(put_together(&[0xD83D, 0xDE00]), ("😀".into(), false));
        assert_eq!(put_together(&[0xD83D]), ("\u{FFFD}".into(), true));
        assert_eq!(put_together(&[0xDE00]), ("\u{FFFD}".into(), true));
        assert_eq!(put_together(&[0xD83D, 0x41]), ("\u{FFFD}A".into(), true));
        assert_eq!(put_together(&[0xD83D, 0xD83D, 0xDE00]), ("\u{FFFD}😀".into(), true));
    }
}
