//! The parts of a gap between two tokens.

/// A gap, cut at its line breaks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gap<'a> {
    pub(crate) text: &'a str,
    /// What ends the line before.
    pub(crate) trail: &'a str,
    /// Whole lines between, with their endings.
    pub(crate) middle: &'a str,
    /// The indent of the next line.
    pub(crate) indent: &'a str,
    pub(crate) breaks: usize,
}

impl<'a> Gap<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let Some((trail, rest)) = text.split_once('\n') else {
            return Self { text, trail: text, middle: "", indent: "", breaks: 0 };
        };
        let trail = trail.strip_suffix('\r').unwrap_or(trail);
        let cut = rest.rfind('\n').map_or(0, |at| at + 1);
        Self { text, trail, middle: &rest[..cut], indent: &rest[cut..], breaks: breaks(text) }
    }

    /// The gap before everything: a line begins with it.
    pub(crate) fn first(text: &'a str) -> Self {
        let gap = Self::new(text);
        if gap.breaks == 0 { Self { trail: "", indent: text, ..gap } } else { gap }
    }
}

/// How many lines end in a text.
pub(crate) fn breaks(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// Whether two texts have the same lines but for space at their ends.
pub(crate) fn same_lines(a: &str, b: &str) -> bool {
    breaks(a) == breaks(b) && a.lines().map(str::trim_end).eq(b.lines().map(str::trim_end))
}

/// Whether two gaps differ at most in space at the ends of lines.
pub(crate) fn same_gap(a: &str, b: &str) -> bool {
    let (a, b) = (Gap::new(a), Gap::new(b));
    let trails = a.trail.trim() == b.trail.trim() && a.breaks > 0;
    trails && a.indent == b.indent && same_lines(a.middle, b.middle)
}

/// What the file has instead of `new`, the end of `base`: from the first of its lines on, if the
/// lines before are those of `base`.
pub(crate) fn tail_of<'f>(base: &str, new: &str, file: &'f str) -> Option<&'f str> {
    let head = base.strip_suffix(new)?;
    let first = new.lines().next().map(str::trim).filter(|first| !first.is_empty())?;
    let mut starts = Vec::new();
    let mut at = 0;
    for line in file.split_inclusive('\n') {
        if line.trim() == first {
            starts.push(at);
        }
        at += line.len();
    }
    let [start] = starts[..] else { return None };
    same_lines(head, &file[..start]).then(|| &file[start..])
}
