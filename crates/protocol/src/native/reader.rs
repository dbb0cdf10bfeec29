//! What the readers of the four formats have in common.

use std::fmt::Debug;

use super::calls::{Begin, Calls};
use super::finish::Finish;
use super::lenient::Arguments;
use crate::event::{Event, Sink};

/// What a document was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// A part of the message.
    Message,
    /// JSON, but nothing that this provider sends.
    Foreign,
    /// The provider says that something went wrong.
    Problem(String),
}

/// Reads the documents of one message.
pub(super) trait Reader: Debug + Send {
    /// Reads one document.
    fn read(
        &mut self,
        document: &str,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Result<Seen, serde_json::Error>;

    /// What the end of the stream means, if nothing told the message's end before.
    fn at_end(&self) -> Finish {
        Finish::EndOfStream
    }
}

/// Passes prose on.
pub(super) fn say(text: &str, sink: Sink<'_>) {
    if !text.is_empty() {
        sink(Event::Text(text));
    }
}

/// Gives a call arguments in whatever form they came.
pub(super) fn give(at: usize, arguments: Arguments<'_>, calls: &mut Calls, sink: Sink<'_>) {
    match arguments {
        Arguments::Absent => {}
        Arguments::Text(text) => calls.arguments_delta(at, &text, sink),
        Arguments::Value(value) => calls.arguments_whole(at, *value, sink),
    }
}

/// Gives a piece of arguments to its call. Where that is not to be found, the piece is missing in
/// one of those that are open.
pub(super) fn give_piece(
    found: Option<usize>,
    arguments: Arguments<'_>,
    calls: &mut Calls,
    sink: Sink<'_>,
) {
    match found {
        Some(at) => give(at, arguments, calls, sink),
        None if arguments.is_empty() => {}
        None => calls.damage(),
    }
}

/// Begins a call that is all in one document.
pub(super) fn begin_whole(
    call: Begin<'_>,
    arguments: Arguments<'_>,
    calls: &mut Calls,
    sink: Sink<'_>,
) -> Option<usize> {
    let at = calls.begin(call, sink)?;
    calls.announce(at, sink);
    give(at, arguments, calls, sink);
    Some(at)
}
