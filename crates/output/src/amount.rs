//! Numbers as people read them.

/// `12345` as `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size in bytes, `1.2 MB`; a thousand bytes are a kilobyte.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
    }
    // Tenths of the unit, rounded; 999.95 KB is the next unit's 1.0.
    let mut divisor = 100;
    for unit in UNITS {
        let tenths = bytes / divisor + u64::from(bytes % divisor >= divisor / 2);
        if tenths < 10_000 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
        divisor *= 1000;
    }
    format!("{} bytes", grouped(bytes))
}

/// How much is not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Bytes that are not shown.
    pub bytes: u64,
    /// Ends of lines among them.
    pub lines: u64,
}

impl LeftOut {
    /// Nothing was left out.
    pub fn is_none(self) -> bool {
        self.bytes == 0
    }

    /// The mark that stands where something is missing: `[… 12,345 lines (1.2 MB) left out …]`.
    pub fn mark(self) -> String {
        let size = size(self.bytes);
        match self.lines {
            0 => format!("[… {size} left out …]"),
            1 => format!("[… 1 line ({size}) left out …]"),
            lines => format!("[… {} lines ({size}) left out …]", grouped(lines)),
        }
    }

    pub(crate) fn add(&mut self, more: Self) {
        self.bytes += more.bytes;
        self.lines += more.lines;
    }
}

/// How many lines end in these bytes.
pub(crate) fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes_are_readable() {
        let shown = [0, 12, 123, 1234, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "12", "123", "1,234", "1,234,567"]);
        let shown = [1, 999, 1000, 1249, 999_949, 999_950, 1_200_000, 10_000_000_000].map(size);
        let expected =
            ["1 byte", "999 bytes", "1.0 KB", "1.2 KB", "999.9 KB", "1.0 MB", "1.2 MB", "10.0 GB"];
        assert_eq!(shown, expected);
        assert!(size(u64::MAX).ends_with("bytes"));
    }

    #[test]
    fn a_mark_says_lines_where_there_are_any() {
        let mark = |bytes, lines| LeftOut { bytes, lines }.mark();
        assert_eq!(mark(1_200_000, 12_345), "[… 12,345 lines (1.2 MB) left out …]");
        assert_eq!(mark(7, 1), "[… 1 line (7 bytes) left out …]");
        assert_eq!(mark(500_000_000, 0), "[… 500.0 MB left out …]");
    }
}
