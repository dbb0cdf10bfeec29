//! Texts whose line ends differ from each other, but not within each of them.

/// Three texts with line feeds only, and the end that the result's lines get.
pub(super) struct Unified {
    pub(super) texts: [String; 3],
    crlf: bool,
}

/// The texts with the same ends, where each has one kind of end and not all have the same.
pub(super) fn common(base: &str, ours: &str, theirs: &str) -> Option<Unified> {
    let kinds = [base, ours, theirs].map(is_crlf);
    let [Some(in_base), Some(in_ours), Some(in_theirs)] = kinds else { return None };
    if in_base == in_ours && in_base == in_theirs {
        return None;
    }
    // Who changed the ends meant it.
    let crlf = if in_ours == in_base { in_theirs } else { in_ours };
    Some(Unified { texts: [base, ours, theirs].map(|text| text.replace("\r\n", "\n")), crlf })
}

impl Unified {
    pub(super) fn restored(&self, text: &str) -> String {
        if self.crlf { text.replace('\n', "\r\n") } else { text.to_owned() }
    }
}

/// Whether all lines end in CRLF (true) or none does (false); nothing for a text that mixes them,
/// that has a carriage return elsewhere, or that has no line end at all.
fn is_crlf(text: &str) -> Option<bool> {
    let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let returns = memchr::memchr_iter(b'\r', text.as_bytes()).count();
    let both = text.matches("\r\n").count();
    match (feeds, returns) {
        (0, _) => None,
        (_, 0) => Some(false),
        _ if feeds == both && returns == both => Some(true),
        _ => None,
    }
}
