//! Line ends and `$Id$`, converted to what the repository keeps, by the rules of git's own
//! conversion: what git would not call a change is none here.

use super::attributes::Attributes;
use super::config::AutoCrlf;

/// What is done to line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    /// Nothing.
    None,
    /// It is text: every `\r\n` becomes `\n`.
    Text,
    /// The same where it looks like text, and where what is stored has no `\r\n` already.
    Guess,
}

impl Conversion {
    /// What the attributes say of a file, and where they say nothing, the settings.
    pub(super) fn of(attributes: &Attributes, auto: AutoCrlf) -> Self {
        let eol = matches!(attributes.eol.as_deref(), Some("lf" | "crlf"));
        match attributes.text.as_deref() {
            Some("unset") => Self::None,
            Some("auto") => Self::Guess,
            Some("set" | "input") => Self::Text,
            _ if eol => Self::Text,
            _ if auto == AutoCrlf::On => Self::Guess,
            _ => Self::None,
        }
    }

    /// The content as the repository would keep it. `stored` is what it keeps now.
    pub(super) fn apply(self, bytes: Vec<u8>, stored: impl FnOnce() -> Option<Vec<u8>>) -> Vec<u8> {
        match self {
            Self::None => bytes,
            Self::Text => without_returns(bytes, false),
            Self::Guess => {
                let counts = Counts::of(&bytes);
                let keeps = || stored().is_some_and(|stored| Counts::of(&stored).is_crlf_text());
                if counts.pairs == 0 || counts.is_binary() || keeps() {
                    return bytes;
                }
                without_returns(bytes, true)
            }
        }
    }
}

/// What a text is made of.
#[derive(Default)]
struct Counts {
    nul: usize,
    lone_returns: usize,
    pairs: usize,
    printable: usize,
    other: usize,
}

impl Counts {
    fn of(bytes: &[u8]) -> Self {
        let mut counts = Self::default();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => {
                    counts.pairs += 1;
                    at += 1;
                }
                b'\r' => counts.lone_returns += 1,
                b'\n' => {}
                0 => {
                    counts.nul += 1;
                    counts.other += 1;
                }
                // Backspace, tab, form feed and escape are in many texts.
                8 | b'\t' | 12 | 27 => counts.printable += 1,
                127 | 1..32 => counts.other += 1,
                _ => counts.printable += 1,
            }
            at += 1;
        }
        // The end mark of very old texts.
        if bytes.last() == Some(&26) {
            counts.other -= 1;
        }
        counts
    }

    fn is_binary(&self) -> bool {
        self.lone_returns > 0 || self.nul > 0 || (self.printable >> 7) < self.other
    }

    fn is_crlf_text(&self) -> bool {
        self.pairs > 0 && !self.is_binary()
    }
}

/// Without the `\r` of each `\r\n`, or without any.
fn without_returns(bytes: Vec<u8>, all: bool) -> Vec<u8> {
    if !bytes.contains(&b'\r') {
        return bytes;
    }
    let mut kept = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        let dropped = *byte == b'\r' && (all || bytes.get(at + 1) == Some(&b'\n'));
        if !dropped {
            kept.push(*byte);
        }
    }
    kept
}

/// `$Id: …$` as the repository keeps it.
pub(super) fn without_ids(bytes: &[u8]) -> Vec<u8> {
    const MARK: &[u8] = b"$Id:";
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(MARK.len()).position(|window| window == MARK) {
        let (before, from) = rest.split_at(at);
        kept.extend_from_slice(before);
        let end = from[1..].iter().position(|byte| matches!(byte, b'$' | b'\n'));
        if let Some(end) = end.map(|end| end + 1).filter(|end| from[*end] == b'$') {
            kept.extend_from_slice(b"$Id$");
            rest = &from[end + 1..];
        } else {
            kept.extend_from_slice(MARK);
            rest = &from[MARK.len()..];
        }
    }
    kept.extend_from_slice(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(conversion: Conversion, bytes: &[u8], stored: Option<&[u8]>) -> Vec<u8> {
        conversion.apply(bytes.to_vec(), || stored.map(<[u8]>::to_vec))
    }

    #[test]
    fn line_ends_become_what_is_kept() {
        let crlf: &[u8] = b"a\r\nb\r\n";
        assert_eq!(apply(Conversion::None, crlf, None), crlf);
        assert_eq!(apply(Conversion::Text, b"a\r\nb\rc\0", None), b"a\nb\rc\0");
        assert_eq!(apply(Conversion::Guess, crlf, Some(b"a\nb\n")), b"a\nb\n");
        assert_eq!(apply(Conversion::Guess, crlf, Some(crlf)), crlf);
        assert_eq!(apply(Conversion::Guess, b"a\r\nb\rc", None), b"a\r\nb\rc");
        assert_eq!(apply(Conversion::Guess, b"a\r\n\0", None), b"a\r\n\0");
    }

    #[test]
    fn ids_lose_what_was_filled_in() {
        assert_eq!(
            without_ids(b"a $Id: 12 $ b $Id$ $Id: x\n$ $Id:"),
            b"a $Id$ b $Id$ $Id: x\n$ $Id:"
        );
    }
}
