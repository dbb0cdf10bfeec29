//! Text with escape sequences → printable text, control characters and whole sequences.
//!
//! The crate `vte` was read for this, and not taken. It keeps strings (OSC) of any length and lets them, and
//! DCS, swallow text for ever; it looks for the next escape anew after every broken byte, which is
//! quadratic; and it hands out single characters. Here the text is decoded before, so that other
//! encodings than UTF-8 have colours, too.

/// The most bytes of parameters of a sequence; what is longer is none.
const MAX_PARAMETERS: usize = 64;
/// The most bytes of a string (a title, a link, an image). A newline ends it before, too: what
/// has lost its end takes no more than its line.
const MAX_STRING: usize = 1024 * 1024;

/// What text and sequences are for.
pub(crate) trait Target {
    /// Text without control characters of one byte.
    fn print(&mut self, text: &str);
    /// A control character.
    fn control(&mut self, byte: u8);
    /// An escape with one byte after it.
    fn escape(&mut self, byte: u8);
    /// A control sequence: what stands between `ESC [` and its last byte.
    fn sequence(&mut self, parameters: &[u8], end: u8);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    Escape,
    /// A switch of character sets, and the like: skipped to its last byte.
    Switch,
    Control,
    String,
    /// An escape in a string, which ends it with a backslash.
    StringEscape,
}

/// The parser of one stream.
pub(crate) struct Parser {
    state: State,
    parameters: [u8; MAX_PARAMETERS],
    length: usize,
}

impl Default for Parser {
    fn default() -> Self {
        Self { state: State::Text, parameters: [0; MAX_PARAMETERS], length: 0 }
    }
}

impl Parser {
    /// Takes text.
    pub(crate) fn feed(&mut self, text: &str, target: &mut impl Target) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            at += match self.state {
                State::Text => self.text(&text[at..], target),
                State::Escape => self.escape(bytes[at], target),
                State::Switch => self.switch(bytes[at]),
                State::Control => self.control(bytes[at], target),
                State::String => self.string(&bytes[at..]),
                State::StringEscape => self.string_escape(bytes[at]),
            };
        }
    }

    /// Forgets a sequence that is not complete.
    pub(crate) fn reset(&mut self) {
        self.state = State::Text;
    }

    fn text(&mut self, text: &str, target: &mut impl Target) -> usize {
        let printable = printable(text.as_bytes());
        if printable > 0 {
            target.print(&text[..printable]);
        }
        let Some(control) = text.as_bytes().get(printable) else { return printable };
        if *control == 0x1b {
            if let Some((parameters, end)) = whole_sequence(&text.as_bytes()[printable..]) {
                target.sequence(parameters, end);
                return printable + parameters.len() + 3;
            }
            self.state = State::Escape;
        } else {
            target.control(*control);
        }
        printable + 1
    }

    fn escape(&mut self, byte: u8, target: &mut impl Target) -> usize {
        self.state = State::Text;
        self.length = 0;
        match byte {
            b'[' => self.state = State::Control,
            b']' | b'P' | b'X' | b'^' | b'_' => self.state = State::String,
            0x20..=0x2f => self.state = State::Switch,
            0x1b => self.state = State::Escape,
            0x30..=0x7e => target.escape(byte),
            // No sequence: the byte stands for itself.
            _ => return 0,
        }
        1
    }

    fn switch(&mut self, byte: u8) -> usize {
        const MAX_BYTES: usize = 4;
        self.length += 1;
        if !(0x20..=0x2f).contains(&byte) || self.length >= MAX_BYTES {
            self.state = State::Text;
        }
        usize::from((0x20..=0x7e).contains(&byte))
    }

    fn control(&mut self, byte: u8, target: &mut impl Target) -> usize {
        match byte {
            0x20..=0x3f if self.length < MAX_PARAMETERS => {
                self.parameters[self.length] = byte;
                self.length += 1;
                return 1;
            }
            0x40..=0x7e => target.sequence(&self.parameters[..self.length], byte),
            // Broken: the byte stands for itself.
            _ => {
                self.state = State::Text;
                return 0;
            }
        }
        self.state = State::Text;
        1
    }

    fn string(&mut self, bytes: &[u8]) -> usize {
        let ends = |byte: &u8| matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b | b'\n' | b'\r');
        let end = bytes.iter().position(ends).unwrap_or(bytes.len());
        if self.length + end > MAX_STRING {
            let mut taken = MAX_STRING - self.length;
            while bytes.get(taken).is_some_and(|byte| (0x80..0xc0).contains(byte)) {
                taken += 1;
            }
            self.state = State::Text;
            return taken;
        }
        self.length += end;
        match bytes.get(end) {
            None => return end,
            Some(0x1b) => self.state = State::StringEscape,
            Some(b'\n' | b'\r') => {
                self.state = State::Text;
                return end;
            }
            Some(_) => self.state = State::Text,
        }
        end + 1
    }

    fn string_escape(&mut self, byte: u8) -> usize {
        if byte == b'\\' {
            self.state = State::Text;
            return 1;
        }
        self.state = State::Escape;
        0
    }
}

/// A control sequence that is all there, as most are: what stands in it, and its last byte. Only
/// a short way to what the states do.
fn whole_sequence(bytes: &[u8]) -> Option<(&[u8], u8)> {
    let rest = bytes.strip_prefix(b"\x1b[")?;
    let length = rest.iter().take(MAX_PARAMETERS).position(|byte| !(0x20..=0x3f).contains(byte))?;
    let end = rest[length];
    (0x40..=0x7e).contains(&end).then_some((&rest[..length], end))
}

/// How many bytes come before the first control character of one byte. Eight at a time: this is
/// where all of a program's output passes.
fn printable(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let deletes = word ^ (ONES * 0x7f);
        let below = word.wrapping_sub(ONES * 0x20) & !word;
        let delete = deletes.wrapping_sub(ONES) & !deletes;
        // Only the lowest of the bits is sure, and only that is used.
        let found = (below | delete) & (ONES * 0x80);
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let control = |byte: &u8| *byte < 0x20 || *byte == 0x7f;
    words.len() * 8 + rest.iter().position(control).unwrap_or(rest.len())
}
