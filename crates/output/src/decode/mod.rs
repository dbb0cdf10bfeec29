//! Bytes of one stream → text, whatever their encoding.
//!
//! The stream is cut into blocks whose borders depend on its bytes alone, never on how they
//! arrive. A block that is UTF-8 passes; any other is judged ([`judge`]): text with broken
//! characters, text of an older encoding, or binary, of which only the size is told. Text after
//! binary is text again.

mod judge;

use encoding_rs::{Decoder as Coder, Encoding};

use judge::{Verdict, cut_end, judge, marked, text_around};
pub(crate) use judge::{cut_end_of, is_wide};

use crate::amount::size;

/// How much is judged at once.
pub(crate) const BLOCK: usize = 8 * 1024;
/// So many characters of several bytes that all are UTF-8 outweigh an older encoding before them.
const UTF8_LETTERS: usize = 8;
/// So many bytes that all are UTF-8 outweigh wide characters before them.
const UTF8_BYTES: usize = 16;

enum Mode {
    Utf8,
    Coded(Coder),
    Binary,
}

/// The decoder of one stream.
pub(crate) struct Decoder {
    mode: Mode,
    /// What is not judged yet, or a cut character.
    pending: Vec<u8>,
    begun: bool,
    /// What was written last ended a line, or nothing was written.
    at_line_start: bool,
    /// Bytes of binary output that were not told yet.
    untold: u64,
    binary: u64,
    encoding: Option<&'static Encoding>,
}

impl Decoder {
    /// With the encoding of the stream, where it is known to be an older one.
    pub(crate) fn new(known: Option<&'static Encoding>) -> Self {
        let mode = match known {
            Some(encoding) => Mode::Coded(encoding.new_decoder_without_bom_handling()),
            None => Mode::Utf8,
        };
        Self {
            mode,
            pending: Vec::new(),
            begun: false,
            at_line_start: true,
            untold: 0,
            binary: 0,
            encoding: None,
        }
    }

    /// Takes bytes, and appends to `text` what they spell as far as that is known.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], text: &mut String) {
        while self.pending.len() + bytes.len() >= BLOCK {
            if self.pending.is_empty() {
                let (block, rest) = bytes.split_at(BLOCK);
                let kept = self.block(block, false, text);
                self.pending.extend_from_slice(&block[BLOCK - kept..]);
                bytes = rest;
            } else {
                let (more, rest) = bytes.split_at(BLOCK - self.pending.len());
                self.pending.extend_from_slice(more);
                self.pending_block(false, text);
                bytes = rest;
            }
        }
        self.pending.extend_from_slice(bytes);
    }

    /// Decodes what is there, except a cut character: another stream comes in between.
    pub(crate) fn settle(&mut self, text: &mut String) {
        if !self.pending.is_empty() {
            self.pending_block(false, text);
        }
    }

    /// The end of the stream, or of a piece of it. The decoder can be used again.
    pub(crate) fn finish(&mut self, text: &mut String) {
        if !self.pending.is_empty() {
            self.pending_block(true, text);
        }
        self.leave(text);
        self.tell_binary(text);
    }

    /// Whether what came last was binary.
    pub(crate) fn is_binary(&self) -> bool {
        matches!(self.mode, Mode::Binary)
    }

    /// Counts bytes that are not here between two pieces of binary output as binary, too.
    pub(crate) fn add_binary(&mut self, bytes: u64) {
        self.untold += bytes;
        self.binary += bytes;
    }

    /// How many bytes were binary.
    pub(crate) fn binary(&self) -> u64 {
        self.binary
    }

    /// The encoding of the text, where it is not UTF-8.
    pub(crate) fn encoding(&self) -> Option<&'static Encoding> {
        self.encoding
    }

    fn pending_block(&mut self, last: bool, text: &mut String) {
        let mut block = std::mem::take(&mut self.pending);
        let kept = self.block(&block, last, text);
        block.drain(..block.len() - kept);
        self.pending = block;
    }

    /// Decodes a block. Returns how many bytes at its end wait for those that follow.
    fn block(&mut self, block: &[u8], last: bool, text: &mut String) -> usize {
        let from = text.len();
        let kept = self.decode(block, last, text);
        self.begun = true;
        if text.len() > from {
            self.at_line_start = text.ends_with('\n');
        }
        kept
    }

    fn decode(&mut self, mut block: &[u8], last: bool, text: &mut String) -> usize {
        if !self.begun {
            block = block.strip_prefix(b"\xef\xbb\xbf").unwrap_or(block);
            if let Some(wide) = marked(block) {
                self.code(wide, text);
                block = &block[2..];
            }
        }
        if self.stays_coded(block) {
            return self.decode_coded(block, last, text);
        }
        if memchr::memchr(0, block).is_none()
            && let Some(valid) = utf8(block, last)
        {
            self.leave(text);
            self.tell_binary(text);
            text.push_str(valid);
            return block.len() - valid.len();
        }
        match judge(block, last) {
            Verdict::Utf8 => {
                self.leave(text);
                self.tell_binary(text);
                push_lossy(block, last, text)
            }
            Verdict::Coded(encoding) => {
                self.tell_binary(text);
                self.code(encoding, text);
                self.decode_coded(block, last, text)
            }
            Verdict::Binary => self.skip_binary(block, last, text),
        }
    }

    /// Whether a block goes on in the older encoding of the block before it.
    fn stays_coded(&self, block: &[u8]) -> bool {
        let Mode::Coded(coder) = &self.mode else { return false };
        let wide = is_wide(coder.encoding());
        let nul = memchr::memchr(0, block).is_some();
        if wide || nul {
            return wide && (nul || block.len() < UTF8_BYTES || utf8(block, false).is_none());
        }
        let letters =
            |text: &str| text.chars().filter(|c| !c.is_ascii()).take(UTF8_LETTERS).count();
        utf8(block, false).is_none_or(|text| letters(text) < UTF8_LETTERS)
    }

    fn code(&mut self, encoding: &'static Encoding, text: &mut String) {
        self.leave(text);
        self.mode = Mode::Coded(encoding.new_decoder_without_bom_handling());
    }

    fn decode_coded(&mut self, block: &[u8], last: bool, text: &mut String) -> usize {
        /// More broken characters than one in so many bytes, and the next block is judged anew.
        const BYTES_PER_BROKEN: usize = 64;
        let Mode::Coded(coder) = &mut self.mode else { return 0 };
        if !block.is_ascii() || memchr::memchr(0, block).is_some() {
            self.encoding = Some(coder.encoding());
        }
        let from = text.len();
        push_coded(coder, block, last, text);
        let broken = text[from..].matches('\u{fffd}').count();
        if last || broken > 2 + block.len() / BYTES_PER_BROKEN {
            if !last {
                push_coded(coder, &[], true, text);
            }
            self.mode = Mode::Utf8;
        }
        0
    }

    fn skip_binary(&mut self, block: &[u8], last: bool, text: &mut String) -> usize {
        self.leave(text);
        let (lead, end) = text_around(block, last);
        let lead = if self.is_binary() { 0 } else { lead };
        push_lossy(&block[..lead], true, text);
        self.mode = Mode::Binary;
        self.add_binary(end.saturating_sub(lead) as u64);
        if end >= block.len() {
            return 0;
        }
        self.tell_binary(text);
        push_lossy(&block[end.max(lead)..], last, text)
    }

    /// Ends an older encoding.
    fn leave(&mut self, text: &mut String) {
        if let Mode::Coded(coder) = &mut self.mode {
            push_coded(coder, &[], true, text);
            self.mode = Mode::Utf8;
        }
    }

    /// Says how much was binary before the text that follows.
    fn tell_binary(&mut self, text: &mut String) {
        if matches!(self.mode, Mode::Binary) {
            self.mode = Mode::Utf8;
        }
        if self.untold == 0 {
            return;
        }
        let ended = if text.is_empty() { self.at_line_start } else { text.ends_with('\n') };
        if !ended {
            text.push('\n');
        }
        text.push_str(&format!("[binary output: {} not shown]\n", size(self.untold)));
        self.untold = 0;
        self.at_line_start = true;
    }
}

/// The encoding that a stream seems to have, judging by how it begins; none for UTF-8, for ASCII
/// and for what is no text.
pub(crate) fn guess(head: &[u8], whole: bool) -> Option<&'static Encoding> {
    if let Some(wide) = marked(head) {
        return Some(wide);
    }
    let nul = memchr::memchr(0, head).is_some();
    if !nul && utf8(head, whole).is_some() {
        return None;
    }
    match judge(head, whole) {
        Verdict::Coded(encoding) => Some(encoding),
        Verdict::Utf8 | Verdict::Binary => None,
    }
}

/// Whether a piece is no text.
pub(crate) fn is_binary(piece: &[u8]) -> bool {
    let text = memchr::memchr(0, piece).is_none() && utf8(piece, false).is_some();
    !text && judge(piece, false) == Verdict::Binary
}

/// The block as UTF-8, all of it but a character that is cut at its end.
fn utf8(block: &[u8], whole: bool) -> Option<&str> {
    let kept = if whole { 0 } else { cut_end(block) };
    simdutf8::basic::from_utf8(&block[..block.len() - kept]).ok()
}

fn push_lossy(block: &[u8], last: bool, text: &mut String) -> usize {
    let kept = if last { 0 } else { cut_end(block) };
    text.push_str(&String::from_utf8_lossy(&block[..block.len() - kept]));
    kept
}

fn push_coded(coder: &mut Coder, bytes: &[u8], last: bool, text: &mut String) {
    let room = coder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3 + 16);
    text.reserve(room);
    // The room is enough for all of it, so one call takes everything.
    let _ = coder.decode_to_string(bytes, text, last);
}
