//! The calls of a message that are still arriving, whatever wire they come over.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::close::{self, Closed};
use super::finish::Finish;
use super::open::{OpenCall, State};
use crate::event::{Event, FailedCall, Sink};
use crate::tools::Tools;

/// More calls than any model makes at once; a wire that begins more is not kept in memory.
const MOST_OPEN: usize = 10_000;

/// More than any tool's name; a name that grows past it is not kept in memory.
const LONGEST_NAME: usize = 64 << 10;

/// What the wire says of a call when it begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Begin<'a> {
    /// The index that the wire has for it.
    pub(super) place: Option<usize>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
}

/// The open calls of one message. Calls are named by their position here, which is valid until
/// the next call ends.
#[derive(Debug)]
pub(super) struct Calls {
    tools: Arc<Tools>,
    open: Vec<OpenCall>,
    /// The position of the call that was touched last: nearly always the next one to be touched.
    last: usize,
    begun: usize,
    next_index: usize,
    /// The ids of all calls of the message, ended ones too.
    ids: HashSet<String>,
    finished: bool,
}

impl Calls {
    pub(super) fn new(tools: Arc<Tools>, first_index: usize) -> Self {
        Self {
            tools,
            open: Vec::new(),
            last: 0,
            begun: 0,
            next_index: first_index,
            ids: HashSet::new(),
            finished: false,
        }
    }

    /// Begins a call. There is none where it cannot be made: then it has failed already.
    pub(super) fn begin(&mut self, call: Begin<'_>, sink: Sink<'_>) -> Option<usize> {
        if self.open.len() >= MOST_OPEN {
            self.refuse(call, "too many calls are open at once", sink);
            return None;
        }
        self.open.push(OpenCall::new(self.begun, call.place));
        self.begun += 1;
        self.last = self.open.len() - 1;
        self.name_more(self.last, call.name.unwrap_or_default(), sink);
        self.identify(self.last, call.id.unwrap_or_default(), sink);
        Some(self.last)
    }

    /// Gives a call its id, if it has none yet.
    pub(super) fn identify(&mut self, at: usize, id: &str, sink: Sink<'_>) {
        if id.is_empty() || self.open[at].id.is_some() {
            return;
        }
        self.open[at].id = Some(id.to_owned());
        if !self.ids.insert(id.to_owned()) {
            let message = format!("The id `{id}` was already used by another call of this message");
            self.fail(at, message, "Send the call again with an id of its own.", sink);
        }
    }

    /// Adds to a call's name.
    pub(super) fn name_more(&mut self, at: usize, piece: &str, sink: Sink<'_>) {
        let call = &mut self.open[at];
        if piece.is_empty() || call.state == State::Dead {
            return;
        }
        call.name_more(piece);
        if call.name.len() > LONGEST_NAME {
            call.name.truncate(call.name.floor_char_boundary(64));
            let message = format!("The name of a tool is longer than {LONGEST_NAME} bytes");
            self.fail(at, message, "Send the call again with the tool's name.", sink);
        }
    }

    /// Says that a call began, where its name is known to be whole.
    pub(super) fn announce(&mut self, at: usize, sink: Sink<'_>) {
        let call = &mut self.open[at];
        if call.index.is_none() && !call.name.is_empty() && call.state != State::Dead {
            close::announce(call, &self.tools, &mut self.next_index, sink);
        }
    }

    /// More of a call's arguments.
    pub(super) fn arguments_delta(&mut self, at: usize, piece: &str, sink: Sink<'_>) {
        self.last = at;
        if piece.is_empty() || self.open[at].state != State::Arriving {
            return;
        }
        self.open[at].push(piece);
        if self.begins_to_show(at, sink) {
            let call = &mut self.open[at];
            let alone = call.show_last(piece);
            match call.index.filter(|_| alone) {
                Some(index) => sink(Event::Delta { index, parameter: None, text: piece }),
                None => close::show_rest(call, sink),
            }
        }
    }

    /// A call's arguments, where the wire has a value and not its text.
    pub(super) fn arguments_whole(&mut self, at: usize, value: Value, sink: Sink<'_>) {
        self.last = at;
        if self.open[at].state != State::Arriving {
            return;
        }
        self.open[at].push_whole(value);
        if self.begins_to_show(at, sink) {
            close::show_rest(&mut self.open[at], sink);
        }
    }

    /// Empty arguments may only hold the place of the real ones, and without a name nothing can
    /// be said at all; what is kept back is shown with the next piece or at the end.
    fn begins_to_show(&mut self, at: usize, sink: Sink<'_>) -> bool {
        if self.open[at].is_placeholder() {
            return false;
        }
        self.announce(at, sink);
        self.open[at].index.is_some()
    }

    /// The text that the wire repeats as the final one, after it came in pieces or not at all. It
    /// counts for a call that is held, too, which may end with it.
    pub(super) fn arguments_final(&mut self, at: usize, text: &str, sink: Sink<'_>) {
        if self.open[at].state != State::Dead && self.open[at].text() != text {
            self.open[at].state = State::Arriving;
            self.open[at].replace(text);
            if self.begins_to_show(at, sink) {
                close::show_rest(&mut self.open[at], sink);
            }
        }
    }

    /// The wire says that a call ends here, while the reason may still come to be the length
    /// limit: what is not a whole object waits for that.
    pub(super) fn end(&mut self, at: usize, sink: Sink<'_>) {
        match self.open[at].state {
            State::Arriving => {}
            State::Held => return,
            State::Dead => return drop(self.remove(at)),
        }
        self.announce(at, sink);
        close::show_rest(&mut self.open[at], sink);
        match self.open[at].object() {
            Some(input) => {
                let call = self.remove(at);
                self.say(call, Closed::whole(input), sink);
            }
            None => self.open[at].state = State::Held,
        }
    }

    /// Ends a call that the wire itself calls incomplete.
    pub(super) fn end_incomplete(&mut self, at: usize, sink: Sink<'_>) {
        self.open[at].unfinished = true;
        self.end_as(at, Finish::LengthLimit, sink);
    }

    /// Ends a call as it is.
    pub(super) fn end_as(&mut self, at: usize, finish: Finish, sink: Sink<'_>) {
        let call = self.remove(at);
        self.close(call, finish, sink);
    }

    /// The message ended, and with it all calls, in the order in which they began.
    pub(super) fn end_all(&mut self, finish: Finish, sink: Sink<'_>) {
        self.finished = true;
        let mut open = std::mem::take(&mut self.open);
        open.sort_unstable_by_key(|call| call.order);
        if open.iter().any(OpenCall::is_stray) {
            open.iter_mut().for_each(OpenCall::suspect);
        }
        for call in open {
            self.close(call, finish, sink);
        }
    }

    fn remove(&mut self, at: usize) -> OpenCall {
        let call = self.open.swap_remove(at);
        self.last = self.open.len().saturating_sub(1);
        call
    }

    fn close(&mut self, mut call: OpenCall, finish: Finish, sink: Sink<'_>) {
        if call.state == State::Dead {
            return;
        }
        if call.index.is_none() && !call.name.is_empty() {
            close::announce(&mut call, &self.tools, &mut self.next_index, sink);
        }
        close::show_rest(&mut call, sink);
        let closed = close::outcome(&mut call, finish, &self.tools);
        self.say(call, closed, sink);
    }

    fn say(&mut self, call: OpenCall, closed: Closed, sink: Sink<'_>) {
        let index = call.index.unwrap_or_else(|| self.take_index());
        sink(close::last_event(call, index, closed));
    }

    fn take_index(&mut self) -> usize {
        self.next_index += 1;
        self.next_index - 1
    }

    /// Fails a call that is still arriving, and forgets what came of it.
    fn fail(&mut self, at: usize, message: String, repair: &str, sink: Sink<'_>) {
        let index = self.open[at].index.unwrap_or_else(|| self.take_index());
        let call = &mut self.open[at];
        call.state = State::Dead;
        call.clear_arguments();
        let name = (!call.name.is_empty()).then(|| call.name.clone());
        sink(Event::Failed(FailedCall::invalid(index, call.id.clone(), name, message, repair)));
    }

    /// Fails a call that never became an open one. Without a name it is a mere piece of one that
    /// was refused before.
    fn refuse(&mut self, call: Begin<'_>, message: &str, sink: Sink<'_>) {
        let Some(name) = call.name.filter(|name| !name.is_empty()) else { return };
        let name = name[..name.floor_char_boundary(LONGEST_NAME)].to_owned();
        let (index, id) = (self.take_index(), call.id.map(str::to_owned));
        let repair = "Make fewer calls in one message.";
        sink(Event::Failed(FailedCall::invalid(index, id, Some(name), message, repair)));
    }

    /// Part of the wire was lost that may have been part of the open calls.
    pub(super) fn damage(&mut self) {
        self.open.iter_mut().for_each(|call| call.damaged = true);
    }

    /// The open call that the wire has under an index.
    pub(super) fn at_place(&self, place: usize) -> Option<usize> {
        self.find(|call| call.place == Some(place))
    }

    /// The open call with an id.
    pub(super) fn with_id(&self, id: &str) -> Option<usize> {
        self.find(|call| call.id.as_deref() == Some(id))
    }

    /// The call with an id, or else the one under an index whose id is not another: also where it
    /// is held.
    pub(super) fn unended(&self, id: Option<&str>, place: Option<usize>) -> Option<usize> {
        let has_id = |call: &OpenCall| id.is_some() && call.id.as_deref() == id;
        let is_there = |call: &OpenCall| {
            place.is_some() && call.place == place && (id.is_none() || call.id.is_none())
        };
        self.open.iter().rposition(has_id).or_else(|| self.open.iter().rposition(is_there))
    }

    /// The newest that fits, beginning with the call that was touched last.
    fn find(&self, fits: impl Fn(&OpenCall) -> bool) -> Option<usize> {
        let arriving = |call: &OpenCall| call.state != State::Held && fits(call);
        if self.last + 1 == self.open.len() && arriving(&self.open[self.last]) {
            return Some(self.last);
        }
        self.open.iter().rposition(arriving)
    }

    /// The open call that was touched last.
    pub(super) fn touched_last(&self) -> Option<usize> {
        let last = self.last.min(self.open.len().checked_sub(1)?);
        (self.open[last].state != State::Held).then_some(last)
    }

    /// The call that what has no index must belong to: the only one that more may come of.
    pub(super) fn only_one(&self) -> Option<usize> {
        let mut arriving = (0..self.open.len()).filter(|at| self.open[*at].state != State::Held);
        let only = arriving.next()?;
        arriving.next().is_none().then_some(only)
    }

    /// An open call.
    pub(super) fn call(&mut self, at: usize) -> &mut OpenCall {
        &mut self.open[at]
    }

    /// Whether a call of the message has this id.
    pub(super) fn knows_id(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Whether any call was begun.
    pub(super) fn any_begun(&self) -> bool {
        self.begun > 0
    }

    /// Whether the message has ended.
    pub(super) fn is_finished(&self) -> bool {
        self.finished
    }
}
