//! The lines that are no content.

/// What a marker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `<<<<<<< SEARCH`
    Search,
    /// `=======`
    Divider,
    /// `>>>>>>> REPLACE`
    Replace,
    /// `<<<<<<<` and something else: a merge conflict begins.
    ConflictStart,
    /// `>>>>>>>` and something else: a merge conflict ends.
    ConflictEnd,
}

/// A marker, and how many signs it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) kind: Kind,
    pub(super) length: usize,
}

/// How many signs a marker can have; seven are usual.
const LENGTHS: std::ops::RangeInclusive<usize> = 5..=9;
/// As many as git writes.
pub(super) const USUAL: usize = 7;

/// The marker that a line is, if it is one.
pub(super) fn marker(line: &str) -> Option<Marker> {
    let sign = *line.as_bytes().first()?;
    // One more than there can be, for a line can be very long.
    let signs = line.bytes().take(LENGTHS.end() + 1).take_while(|byte| *byte == sign);
    let length = signs.count();
    if !matches!(sign, b'<' | b'=' | b'>') || !LENGTHS.contains(&length) {
        return None;
    }
    let rest = line[length..].trim_end();
    let kind = match (sign, rest.trim_start()) {
        (b'<', "SEARCH" | "SEARCH>") => Kind::Search,
        (b'>', "REPLACE" | "REPLACE>") => Kind::Replace,
        (b'=', "") => Kind::Divider,
        (b'<', _) if length == USUAL && is_label(rest) => Kind::ConflictStart,
        (b'>', _) if length == USUAL && is_label(rest) => Kind::ConflictEnd,
        _ => return None,
    };
    Some(Marker { kind, length })
}

/// Nothing, or what git writes behind the signs of a conflict.
fn is_label(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_and_what_only_looks_like_one() {
        let kind = |line| marker(line).map(|marker| (marker.kind, marker.length));
        assert_eq!(kind("<<<<<<< SEARCH"), Some((Kind::Search, 7)));
        assert_eq!(kind("<<<<< SEARCH>  "), Some((Kind::Search, 5)));
        assert_eq!(kind(">>>>>>>>> REPLACE\r"), Some((Kind::Replace, 9)));
        assert_eq!(kind("======= "), Some((Kind::Divider, 7)));
        assert_eq!(kind("<<<<<<< HEAD"), Some((Kind::ConflictStart, 7)));
        assert_eq!(kind(">>>>>>>"), Some((Kind::ConflictEnd, 7)));
        for line in ["<<<<<<< SEARCH>>", "======= x", "====", "==========", " =======", "<<<<"] {
            let is_plain = kind(line).is_none() || line.contains(">>");
            assert!(is_plain, "{line}");
        }
        assert_eq!(kind("\\======="), None);
    }
}
