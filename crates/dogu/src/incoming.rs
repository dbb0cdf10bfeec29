//! A model's output on stdin, as it comes.

use std::io::{IsTerminal as _, Read as _};
use std::sync::Arc;

use dogu_protocol::text::Forms;
use dogu_protocol::{Event, MessageParser, Tools};
use dogu_runtime::ProtocolSettings;
use dogu_tool::ToolSpec;

use crate::args::Output;
use crate::problem::{Problem, note};

/// How much is read at once; less where less is there.
const READ_BYTES: usize = 64 * 1024;

/// A parser for what the flags and the settings say.
pub(crate) fn parser<'s>(
    output: &Output,
    settings: &ProtocolSettings,
    specs: impl IntoIterator<Item = &'s ToolSpec>,
) -> MessageParser {
    let format = output.protocol.or(settings.format).unwrap_or_default();
    let parser = MessageParser::new(format, Arc::new(Tools::of(specs)));
    if !output.forms.is_empty() {
        return parser.with_forms(Forms::only(output.forms.iter().copied()));
    }
    match &settings.forms {
        Some(forms) => parser.with_forms(Forms::only(forms.iter().copied()).with_guards()),
        None => parser,
    }
}

/// The id of a call that came without one.
pub(crate) fn made_id(index: usize) -> String {
    format!("call_{}", index + 1)
}

/// Reads stdin to its end. `each` gets the events; `read` is told after each piece that was read,
/// and says whether to go on.
pub(crate) fn read_all(
    parser: &mut MessageParser,
    chunk: Option<usize>,
    each: &mut dyn FnMut(Event<'_>),
    mut read: impl FnMut() -> Result<bool, Problem>,
) -> Result<(), Problem> {
    if std::io::stdin().is_terminal() {
        note("a model's output is read from the terminal; end it with Ctrl-D");
    }
    let mut stdin = std::io::stdin().lock();
    let mut buffer = vec![0; READ_BYTES];
    let mut pieces = Pieces { size: chunk, rest: Vec::new() };
    loop {
        let length = match stdin.read(&mut buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(Problem::wrong_use("stdin could not be read").because(error));
            }
        };
        if length == 0 {
            break;
        }
        pieces.cut(&buffer[..length], |piece| parser.feed(piece, each));
        if !read()? {
            return Ok(());
        }
    }
    parser.feed(&pieces.rest, each);
    parser.finish(each);
    read().map(|_| ())
}

/// Cuts what is read into pieces of one size, however it was read.
struct Pieces {
    size: Option<usize>,
    rest: Vec<u8>,
}

impl Pieces {
    fn cut(&mut self, bytes: &[u8], mut each: impl FnMut(&[u8])) {
        let Some(size) = self.size else { return each(bytes) };
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() - self.rest.len() % size;
        self.rest[..whole].chunks(size).for_each(each);
        self.rest.drain(..whole);
    }
}
