//! Calls from pieces that somebody else decoded, and which call a piece belongs to.

use std::borrow::Cow;
use std::sync::Arc;

use super::calls::{Begin, Calls};
use super::finish::Finish;
use crate::event::Sink;
use crate::tools::Tools;

/// A piece of a call. All of it may be absent, and empty texts count as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCallDelta<'a> {
    /// The index of the call in the provider's list.
    pub index: Option<usize>,
    /// The id of the call.
    pub id: Option<Cow<'a, str>>,
    /// The tool's name, or a piece of it.
    pub name: Option<Cow<'a, str>>,
    /// A piece of the arguments' JSON.
    pub arguments: Option<Cow<'a, str>>,
}

/// Rebuilds calls from their pieces.
///
/// ```
/// use dogu_protocol::native::{DeltaParser, Finish, ToolCallDelta};
/// use dogu_protocol::Event;
///
/// let mut parser = DeltaParser::new(Default::default());
/// let mut calls = Vec::new();
/// let mut sink = |event: Event<'_>| {
///     if let Event::Ended(call) = event {
///         calls.push(call.input["path"].clone());
///     }
/// };
/// for piece in ["{\"path\":", "\"a.txt\"}"] {
///     let name = Some("read_file".into());
///     let arguments = Some(piece.into());
///     parser.feed(&ToolCallDelta { index: Some(0), name, arguments, ..Default::default() }, &mut sink);
/// }
/// parser.end(Finish::Complete, &mut sink);
/// assert_eq!(calls, ["a.txt"]);
/// ```
#[derive(Debug)]
pub struct DeltaParser {
    calls: Calls,
}

impl DeltaParser {
    /// A parser of one message.
    pub fn new(tools: Arc<Tools>) -> Self {
        Self::from_index(tools, 0)
    }

    /// A parser whose first call has this index, after calls that the message had before.
    pub fn from_index(tools: Arc<Tools>, first_index: usize) -> Self {
        Self { calls: Calls::new(tools, first_index) }
    }

    /// Takes the next piece.
    pub fn feed(&mut self, delta: &ToolCallDelta<'_>, sink: Sink<'_>) {
        let arguments = delta.arguments.as_deref().unwrap_or_default();
        let piece = Which {
            place: delta.index,
            id: delta.id.as_deref().filter(|id| !id.is_empty()),
            name: delta.name.as_deref().filter(|name| !name.is_empty()),
            has_arguments: !arguments.is_empty(),
        };
        if let Some(at) = self.calls.take(piece, sink) {
            self.calls.arguments_delta(at, arguments, sink);
        }
    }

    /// Ends all calls that are still open.
    pub fn end(&mut self, finish: Finish, sink: Sink<'_>) {
        self.calls.end_all(finish, sink);
    }
}

/// What a piece says of the call that it belongs to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Which<'a> {
    pub(super) place: Option<usize>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) has_arguments: bool,
}

impl Calls {
    /// Finds or begins the call of a piece, and gives it the id and the name that came along.
    /// There is none where the piece belongs to nothing.
    pub(super) fn take(&mut self, piece: Which<'_>, sink: Sink<'_>) -> Option<usize> {
        let Some(at) = self.continued(piece) else { return self.begin_piece(piece, sink) };
        if let Some(id) = piece.id {
            self.identify(at, id, sink);
        }
        if let Some(name) = piece.name {
            self.name_more(at, name, sink);
        }
        Some(at)
    }

    /// A call may get its name late, but a piece that has nothing to be found by again, or that
    /// comes after the message's end, is none.
    fn begin_piece(&mut self, piece: Which<'_>, sink: Sink<'_>) -> Option<usize> {
        let findable = piece.place.is_some() || piece.id.is_some();
        if piece.name.is_none() && (self.is_finished() || !findable) {
            return None;
        }
        let Which { place, id, name, .. } = piece;
        self.begin(Begin { place, id, name }, sink)
    }

    /// The open call that a piece continues.
    fn continued(&mut self, piece: Which<'_>) -> Option<usize> {
        let at = match (piece.place, piece.id) {
            (Some(place), Some(id)) => self.by_both(place, id, piece.name)?,
            (Some(place), None) => self.by_place(place, piece.name)?,
            (None, Some(id)) => return self.with_id(id),
            (None, None) => self.touched_last()?,
        };
        (piece.id.is_some() || !self.is_another(at, piece)).then_some(at)
    }

    /// With both, the id decides only where it comes with a name: some servers number every
    /// call 0, and others make up a new id for every piece.
    fn by_both(&mut self, place: usize, id: &str, name: Option<&str>) -> Option<usize> {
        if let Some(at) = self.at_place(place) {
            let same = self.call(at).id.as_deref().is_none_or(|own| own == id);
            return (same || name.is_none()).then_some(at);
        }
        let at = self.with_id(id)?;
        // The same id at another index, with a name: another call, which cannot have that id.
        let free = self.call(at).place.is_none();
        (free || name.is_none()).then_some(at)
    }

    /// A call that began without an index gets the one of its first piece that has one.
    fn by_place(&mut self, place: usize, name: Option<&str>) -> Option<usize> {
        let found = self.at_place(place);
        if found.is_some() || name.is_some() {
            return found;
        }
        let at = self.touched_last()?;
        let call = self.call(at);
        (call.place.is_none() && call.place.replace(place).is_none()).then_some(at)
    }

    /// Without an id, a piece with a name begins another call where the name is a different one
    /// or the arguments of the open call are whole already.
    fn is_another(&mut self, at: usize, piece: Which<'_>) -> bool {
        let Some(name) = piece.name else { return false };
        let call = self.call(at);
        if !call.has_arguments() {
            return false;
        }
        // A name alone, in the middle of arguments, is noise: a call of its own would run without
        // any.
        (call.is_named_otherwise(name) && (piece.has_arguments || call.is_whole()))
            || (piece.has_arguments && !call.is_placeholder() && call.is_whole())
    }
}
