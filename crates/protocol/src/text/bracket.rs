//! `[TOOL_CALLS]`, as Mistral's models write it: JSON behind it, or a name and `[ARGS]`.

const MARKERS: [&str; 2] = ["[TOOL_CALLS]", "[TOOL_CALL]"];
/// More than a marker, a name and an id need.
const MAX_HEADER: usize = 256;

/// What stands in front of a call's JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Header<'a> {
    /// It is there.
    Found {
        /// The tool; empty where the JSON names it.
        name: &'a str,
        /// The id of the call.
        id: Option<&'a str>,
        /// How long the header is.
        len: usize,
    },
    /// It is not.
    Not,
    /// It ends before it can be told.
    More,
}

/// Reads a header at the start of `text`, which begins with `[`.
pub(super) fn header(text: &str, ended: bool) -> Header<'_> {
    let more = if ended { Header::Not } else { Header::More };
    let Some(marker) = MARKERS.iter().find(|marker| text.starts_with(**marker)) else {
        return if MARKERS.iter().any(|marker| marker.starts_with(text)) {
            more
        } else {
            Header::Not
        };
    };
    let window = dogu_tool::text::floor_boundary(text, MAX_HEADER.min(text.len()));
    let behind = text[marker.len()..window].trim_start();
    let at = window - behind.len();
    let more = if text.len() < MAX_HEADER { more } else { Header::Not };
    if behind.is_empty() {
        return more;
    }
    if behind.starts_with('{') {
        return Header::Found { name: "", id: None, len: at };
    }
    if let Some(list) = behind.strip_prefix('[') {
        return match list.trim_start().as_bytes().first() {
            None => more,
            Some(b'{' | b']') => Header::Found { name: "", id: None, len: at },
            Some(_) => Header::Not,
        };
    }
    named(behind, at, more)
}

/// `name[ARGS]{`, `name[CALL_ID]id[ARGS]{` or `name{`.
fn named<'a>(behind: &'a str, at: usize, more: Header<'a>) -> Header<'a> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let name = &behind[..behind.find(|c| !is_name(c)).unwrap_or(behind.len())];
    let mut rest = &behind[name.len()..];
    if name.is_empty() {
        return Header::Not;
    }
    let mut id = None;
    if let Some(after) = rest.strip_prefix("[CALL_ID]") {
        let length = after.find('[').unwrap_or(after.len());
        id = Some(&after[..length]);
        rest = &after[length..];
    }
    let rest = rest.strip_prefix("[ARGS]").unwrap_or(rest).trim_start();
    let len = at + behind.len() - rest.len();
    match rest.as_bytes().first() {
        None => more,
        Some(b'{') => Header::Found { name, id, len },
        Some(b'[') if "[CALL_ID]".starts_with(rest) || "[ARGS]".starts_with(rest) => more,
        Some(_) => Header::Not,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let found = |text| match header(text, true) {
            Header::Found { name, id, len } => Some((name, id, &text[len..])),
            _ => None,
        };
        assert_eq!(found("[TOOL_CALLS] [{\"name\""), Some(("", None, "[{\"name\"")));
        assert_eq!(found("[TOOL_CALL]{"), Some(("", None, "{")));
        assert_eq!(found("[TOOL_CALLS]read_file[ARGS]{\"a"), Some(("read_file", None, "{\"a")));
        assert_eq!(found("[TOOL_CALLS]a[CALL_ID]x1[ARGS] {"), Some(("a", Some("x1"), "{")));
        assert_eq!(found("[TOOL_CALLS] are what"), None);
        assert_eq!(found("[TOOL]"), None);
        for text in ["[", "[TOOL_CAL", "[TOOL_CALLS]", "[TOOL_CALLS] a", "[TOOL_CALLS]a[AR"] {
            assert_eq!(header(text, false), Header::More, "{text}");
            assert_eq!(header(text, true), Header::Not, "{text}");
        }
    }
}
