//! The grammar of a JSON number, a byte at a time.

/// How far into a number the text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Number {
    /// Nothing has been read.
    #[default]
    Start,
    /// `-`
    Minus,
    /// `0`, which no digit may follow.
    Zero,
    /// `12`
    Whole,
    /// `12.`
    Point,
    /// `12.5`
    Fraction,
    /// `12e`
    Exponent,
    /// `12e-`
    ExponentSign,
    /// `12e-3`
    ExponentDigits,
}

impl Number {
    /// Where the byte leads, or nothing if it is no part of the number.
    pub(super) fn next(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Start, b'-') => Some(Self::Minus),
            (Self::Start | Self::Minus, b'0') => Some(Self::Zero),
            (Self::Start | Self::Minus | Self::Whole, b'0'..=b'9') => Some(Self::Whole),
            (Self::Zero | Self::Whole, b'.') => Some(Self::Point),
            (Self::Point | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Whole | Self::Fraction, b'e' | b'E') => Some(Self::Exponent),
            (Self::Exponent, b'+' | b'-') => Some(Self::ExponentSign),
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => {
                Some(Self::ExponentDigits)
            }
            _ => None,
        }
    }

    /// Where the whole text leads, or nothing if it is not how a number begins.
    pub(super) fn of(text: &str) -> Option<Self> {
        text.bytes().try_fold(Self::Start, Self::next)
    }

    /// Whether what has been read is a number as it stands.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Zero | Self::Whole | Self::Fraction | Self::ExponentDigits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard() {
        for text in ["0", "-0", "12", "1.5", "-0.25", "1e5", "1E+5", "2.5e-10", "0e0"] {
            assert!(Number::of(text).is_some_and(Number::is_whole), "{text}");
        }
        for text in ["", "-", "1.", "1e", "1e+", "-0."] {
            assert!(Number::of(text).is_some_and(|number| !number.is_whole()), "{text}");
        }
        for text in ["01", "+1", ".5", "1.e5", "--1", "1e5.5", "0x1", "1_000", "Infinity"] {
            assert_eq!(Number::of(text), None, "{text}");
        }
    }
}
