//! Waiting for output that matches.

use std::ops::ControlFlow;

use regex::{Regex, RegexBuilder};

use crate::decode::Decoder;
use crate::head_tail::{ceil, floor};
use crate::kept::{Kept, Piece};
use crate::log::Log;
use crate::parse::{Parser, Target};

/// How much text before new one is looked at again: the longest match that is found in every
/// case, however it arrives.
const OVERLAP: usize = 4 * 1024;
/// The most of a line that is given back on each side of a match.
const MAX_AROUND: usize = 500;

/// Looks for a pattern in a log while it grows, each byte once (but for the last 4 KB).
///
/// It looks at each stream by itself, decoded, without escape sequences, and with a newline for
/// whatever moves the cursor back; so text is found that a progress bar writes over. `^` and `$`
/// stand for the ends of lines.
///
/// ```
/// use dogu_output::{Log, Stream, Watch};
///
/// let log = Log::new();
/// let mut watch = Watch::new(r"listening on port \d+").unwrap();
/// log.push(Stream::Out, b"starting\nlisten");
/// assert_eq!(watch.poll(&log), None);
/// log.push(Stream::Err, b"a warning\n");
/// log.push(Stream::Out, b"ing on \x1b[1mport 80\x1b[0m\n");
/// assert_eq!(watch.poll(&log).as_deref(), Some("listening on port 80"));
/// ```
pub struct Watch {
    pattern: Regex,
    cursor: u64,
    streams: [Watched; 2],
}

impl Watch {
    /// Looks for a pattern from the beginning on.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        Self::from(pattern, 0)
    }

    /// Looks for a pattern from a cursor on ([`Log::total`], [`crate::Since::cursor`]).
    pub fn from(pattern: &str, cursor: u64) -> Result<Self, regex::Error> {
        let pattern = RegexBuilder::new(pattern).multi_line(true).build()?;
        Ok(Self { pattern, cursor, streams: [Watched::new(), Watched::new()] })
    }

    /// Looks at what is new. Gives the line with the first match; the next call goes on behind it.
    pub fn poll(&mut self, log: &Log) -> Option<String> {
        if let Some(found) = self.search() {
            return Some(found);
        }
        let kept = log.kept(self.cursor);
        let mut found = None;
        let _ = kept.visit([false; 2], &mut |piece| {
            self.take(&piece, &kept);
            found = self.search();
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if found.is_none() {
            self.streams.iter_mut().for_each(Watched::settle);
            found = self.search();
        }
        found
    }

    fn take(&mut self, piece: &Piece<'_>, kept: &Kept) {
        match piece {
            Piece::Bytes(stream, bytes) => {
                self.cursor += bytes.len() as u64;
                let watched = &mut self.streams[stream.index()];
                let decoder =
                    watched.decoder.get_or_insert_with(|| Decoder::new(kept.known[stream.index()]));
                watched.new.clear();
                decoder.feed(bytes, &mut watched.new);
                watched.parse();
            }
            Piece::Gap(gap) => {
                self.cursor += gap.bytes;
                self.streams = [Watched::new(), Watched::new()];
            }
        }
    }

    fn search(&mut self) -> Option<String> {
        let pattern = &self.pattern;
        self.streams.iter_mut().find_map(|watched| watched.search(pattern))
    }
}

/// One stream.
struct Watched {
    decoder: Option<Decoder>,
    parser: Parser,
    new: String,
    flat: Flat,
    /// There is text that was not searched yet.
    fresh: bool,
}

impl Watched {
    fn new() -> Self {
        let (new, flat) = (String::new(), Flat::default());
        Self { decoder: None, parser: Parser::default(), new, flat, fresh: false }
    }

    fn settle(&mut self) {
        if let Some(decoder) = &mut self.decoder {
            self.new.clear();
            decoder.settle(&mut self.new);
            self.parse();
        }
    }

    fn parse(&mut self) {
        if !self.new.is_empty() {
            self.parser.feed(&self.new, &mut self.flat);
            self.fresh = true;
        }
    }

    fn search(&mut self, pattern: &Regex) -> Option<String> {
        if !self.fresh {
            return None;
        }
        let text = &mut self.flat.text;
        if let Some(found) = pattern.find(text) {
            let line = line_around(text, found.start(), found.end());
            // A match of nothing must not be found for ever.
            let behind = ceil(text, found.end().max(found.start() + 1));
            text.drain(..behind.min(text.len()));
            self.fresh = !text.is_empty();
            return Some(line);
        }
        self.fresh = false;
        if text.len() > OVERLAP {
            let mut cut = ceil(text, text.len() - OVERLAP);
            // Not inside of a line, where the rest of the line is there: `^` would match.
            if let Some(line) = memchr::memchr(b'\n', &text.as_bytes()[cut..]) {
                cut += line + 1;
            }
            text.drain(..cut);
        }
        None
    }
}

fn line_around(text: &str, from: usize, to: usize) -> String {
    let begin = text[..from].rfind('\n').map_or(0, |at| at + 1);
    let end = text[to..].find('\n').map_or(text.len(), |at| to + at);
    let begin = begin.max(ceil(text, from.saturating_sub(MAX_AROUND)));
    let end = end.min(floor(text, from + MAX_AROUND)).max(begin);
    text[begin..end].to_owned()
}

/// Text without what steers a terminal.
#[derive(Default)]
struct Flat {
    text: String,
}

impl Target for Flat {
    fn print(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn control(&mut self, byte: u8) {
        match byte {
            b'\n' | b'\r' | 0x0b | 0x0c => self.text.push('\n'),
            b'\t' => self.text.push('\t'),
            _ => {}
        }
    }

    fn escape(&mut self, _byte: u8) {}

    fn sequence(&mut self, _parameters: &[u8], end: u8) {
        match end {
            b'C' => self.text.push(' '),
            b'A' | b'B' | b'E'..=b'H' | b'd' | b'f' => self.text.push('\n'),
            _ => {}
        }
    }
}
