//! Bytes of a terminal → what a person would see.

use encoding_rs::Encoding;

use crate::decode::Decoder;
use crate::log::Stream;
use crate::parse::Parser;
use crate::screen::{Screen, Sink, Steered};

/// Reduces what a program wrote to what a person would see on a terminal, piece by piece.
///
/// Carriage returns, backspaces and cursor movements rewrite, colours and titles are dropped,
/// other encodings than UTF-8 are recognised, and of binary output only the size is told.
/// However the bytes are cut into pieces, the text is the same. It takes time in proportion to
/// the bytes, and memory for the last 64 lines, which can still be rewritten.
///
/// ```
/// use dogu_output::Plain;
///
/// let mut plain = Plain::new();
/// let mut text = String::new();
/// plain.feed(b"10%\r55%\r100% \x1b[3", &mut text);
/// plain.feed(b"2mdone\x1b[0m\n", &mut text);
/// plain.finish(&mut text);
/// assert_eq!(text, "100% done\n");
/// ```
#[derive(Default)]
pub struct Plain {
    terminal: Terminal,
}

impl Plain {
    /// A reader that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes, and appends to `text` what cannot change any more.
    pub fn feed(&mut self, bytes: &[u8], text: &mut String) {
        self.terminal.feed(Stream::Out, bytes, text);
    }

    /// Appends the rest.
    pub fn finish(&mut self, text: &mut String) {
        self.terminal.finish(text);
    }

    /// How many bytes were binary, and are not in the text.
    pub fn binary(&self) -> u64 {
        self.terminal.binary()
    }

    /// The name of the encoding, where it is not UTF-8.
    pub fn encoding(&self) -> Option<&'static str> {
        self.terminal.encoding()
    }
}

/// All of the bytes at once.
///
/// ```
/// assert_eq!(dogu_output::plain(b"\x1b[1mbold\x1b[0m caf\xe9\r\n"), "bold café\n");
/// ```
pub fn plain(bytes: &[u8]) -> String {
    let mut plain = Plain::new();
    let mut text = String::new();
    plain.feed(bytes, &mut text);
    plain.finish(&mut text);
    text
}

/// A terminal with two streams. Each has its own decoder and parser, because halves of characters
/// and sequences of one may stand around pieces of the other; the screen is the same.
#[derive(Default)]
pub(crate) struct Terminal {
    readers: [Reader; 2],
    screen: Screen,
    current: Stream,
    text: String,
}

struct Reader {
    decoder: Decoder,
    parser: Parser,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Reader {
    fn new(known: Option<&'static Encoding>) -> Self {
        Self { decoder: Decoder::new(known), parser: Parser::default() }
    }
}

impl Terminal {
    /// With the encodings of the streams, where they are known.
    pub(crate) fn new(known: [Option<&'static Encoding>; 2]) -> Self {
        Self { readers: known.map(Reader::new), ..Self::default() }
    }

    pub(crate) fn feed(&mut self, stream: Stream, bytes: &[u8], sink: &mut dyn Sink) {
        if stream != self.current {
            self.decode(sink, Decoder::settle);
            self.current = stream;
        }
        self.decode(sink, |decoder, text| decoder.feed(bytes, text));
    }

    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) {
        self.end_streams(sink);
        self.screen.flush(sink);
    }

    /// Something is missing: what came before is final, and a new line begins. Returns whether
    /// that ended a line of which the rest is missing.
    pub(crate) fn interrupt(&mut self, sink: &mut dyn Sink) -> bool {
        self.end_streams(sink);
        self.screen.cut_off(sink)
    }

    fn end_streams(&mut self, sink: &mut dyn Sink) {
        let last = self.current;
        for stream in [last.other(), last] {
            self.current = stream;
            self.decode(sink, Decoder::finish);
            self.readers[stream.index()].parser.reset();
        }
    }

    fn decode(&mut self, sink: &mut dyn Sink, work: impl FnOnce(&mut Decoder, &mut String)) {
        let reader = &mut self.readers[self.current.index()];
        self.text.clear();
        work(&mut reader.decoder, &mut self.text);
        if !self.text.is_empty() {
            self.screen.from_err = self.current == Stream::Err;
            reader.parser.feed(&self.text, &mut Steered { screen: &mut self.screen, sink });
        }
    }

    /// Whether what came last of the current stream was binary.
    pub(crate) fn in_binary(&self) -> bool {
        self.readers[self.current.index()].decoder.is_binary()
    }

    /// Counts missing bytes as binary.
    pub(crate) fn add_binary(&mut self, bytes: u64) {
        self.readers[self.current.index()].decoder.add_binary(bytes);
    }

    pub(crate) fn binary(&self) -> u64 {
        self.readers.iter().map(|reader| reader.decoder.binary()).sum()
    }

    pub(crate) fn encoding(&self) -> Option<&'static str> {
        let found = self.readers.iter().find_map(|reader| reader.decoder.encoding());
        found.map(Encoding::name)
    }
}
