//! A long text, of which one call shows a page.

/// How many characters of a line are shown.
const MAX_LINE_CHARS: usize = 2_000;
/// How many bytes of text one call gives at the most.
const MAX_TEXT_BYTES: usize = 80_000;

/// Takes lines from the first to the last, and keeps those from an offset on until it is full.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
    /// Lines before the page.
    skip: usize,
    /// Lines that were given.
    pub(super) seen: usize,
    /// Lines that are kept.
    pub(super) shown: usize,
    /// Some bytes were no text.
    pub(super) replaced: bool,
    /// A line was cut.
    pub(super) cut: bool,
    /// There was no room for a line; none is kept any more.
    pub(super) full: bool,
}

impl Page {
    /// A page that begins with line `offset`, from 1.
    pub(super) fn from(offset: usize) -> Self {
        Self { skip: offset.saturating_sub(1), ..Self::default() }
    }

    /// Takes lines of text.
    pub(super) fn put(&mut self, lines: &str) {
        self.put_bytes(lines.as_bytes());
    }

    /// Takes lines.
    pub(super) fn put_bytes(&mut self, lines: &[u8]) {
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            self.seen += 1;
            if self.seen > self.skip && !self.full {
                self.keep(line.strip_suffix(b"\n").unwrap_or(line));
            }
        }
    }

    fn keep(&mut self, line: &[u8]) {
        let start = &line[..line.len().min(MAX_LINE_CHARS * 4 + 4)];
        let text = String::from_utf8_lossy(start);
        let end = text.char_indices().nth(MAX_LINE_CHARS).map(|(at, _)| at);
        let kept = &text[..end.unwrap_or(text.len())];
        if self.shown > 0 && self.text.len() + kept.len() > MAX_TEXT_BYTES {
            self.full = true;
            return;
        }
        self.replaced |= kept.contains('\u{fffd}') && std::str::from_utf8(start).is_err();
        self.text.push_str(kept);
        if end.is_some() {
            self.cut = true;
            self.text.push_str(&format!(" [... line of {} bytes cut]", line.len()));
        }
        self.text.push('\n');
        self.shown += 1;
    }
}
