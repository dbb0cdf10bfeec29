//! Calls in plain text, in eight forms.
//!
//! A push parser: each byte is looked at once, but for a bounded look ahead, and what cannot be
//! told yet is held back. The flow: `prose` looks for where a call begins and hands over to the
//! machine of its form (`tagged`, `json_call`, `tool_fence`, `candidate`), which hands
//! back when the call is over. Code fences, code spans, quotations and a model's thinking are
//! text whatever they hold.

mod bracket;
mod candidate;
mod extract;
mod fence;
mod forms;
mod grammar;
mod json_call;
mod nested;
mod prose;
mod scan;
mod tag;
mod tagged;
mod tool_fence;
mod value;

use std::sync::Arc;

pub use forms::{Form, Forms, UnknownForm};

use crate::event::{Event, Sink};
use crate::tools::Tools;
use candidate::{Candidate, Verdict};
use fence::{Fence, PlainFence};
use json_call::JsonCall;
use prose::Prose;
use tag::{Lexed, lex};
use tagged::TaggedCall;
use tool_fence::ToolFence;

/// What a machine did with the text before it.
#[derive(Debug)]
enum Step {
    /// So many bytes are dealt with.
    Used(usize),
    /// The same, and a parameter is closed.
    Closed(usize),
    /// The same, and the machine's part is over.
    Done(usize),
    /// The same, and another machine takes over.
    Enter(usize, State),
    /// Nothing can be told before there is more.
    Wait,
}

/// Which machine reads.
#[derive(Debug)]
enum State {
    Prose,
    Fence(PlainFence),
    Candidate(Box<Candidate>),
    Tagged(Box<TaggedCall>),
    Json(Box<JsonCall>),
    ToolFence(Box<ToolFence>),
    /// Inside the tag of this name, in which a model thinks, so many levels deep.
    Thinking(String, usize),
}

impl State {
    fn json(call: JsonCall) -> Self {
        Self::Json(Box::new(call))
    }

    fn candidate(fence: Option<Fence>, from: usize) -> Self {
        Self::Candidate(Box::new(Candidate::new(fence, from)))
    }
}

/// What the machines share.
struct Context<'c> {
    tools: &'c Tools,
    forms: &'c Forms,
    next_index: &'c mut usize,
}

impl Context<'_> {
    fn take_index(&mut self) -> usize {
        *self.next_index += 1;
        *self.next_index - 1
    }
}

/// Reads calls in plain text.
///
/// ```
/// use std::sync::Arc;
/// use dogu_protocol::text::{Forms, TextParser};
/// use dogu_protocol::{Event, Tools};
/// use dogu_tool::ToolSpec;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
/// let spec = ToolSpec::new("read_file", "Reads a file.", schema).unwrap();
/// let mut parser = TextParser::new(Arc::new(Tools::of([&spec])), Forms::auto());
/// let mut calls = Vec::new();
/// let mut sink = |event: Event<'_>| {
///     if let Event::Ended(call) = event {
///         calls.push(call);
///     }
/// };
/// for chunk in ["Let me look.\n<read_f", "ile><path>a.rs</pa", "th></read_file>"] {
///     parser.feed(chunk, &mut sink);
/// }
/// parser.finish(&mut sink);
/// assert_eq!(calls[0].input, json!({"path": "a.rs"}));
/// ```
#[derive(Debug)]
pub struct TextParser {
    tools: Arc<Tools>,
    forms: Forms,
    state: State,
    prose: Prose,
    next_index: usize,
    held: String,
}

impl TextParser {
    /// A parser for one message.
    pub fn new(tools: Arc<Tools>, forms: Forms) -> Self {
        let (state, prose) = (State::Prose, Prose::new());
        Self { tools, forms, state, prose, next_index: 0, held: String::new() }
    }

    /// The index that the next call gets.
    pub fn next_index(&self) -> usize {
        self.next_index
    }

    /// Goes on counting from here: other calls of the message have the indexes before.
    pub fn set_next_index(&mut self, index: usize) {
        self.next_index = index;
    }

    /// Reads more of the message.
    pub fn feed(&mut self, chunk: &str, sink: Sink<'_>) {
        if self.held.is_empty() {
            let used = self.run(chunk, false, sink);
            self.held.push_str(&chunk[used..]);
            return;
        }
        let mut text = std::mem::take(&mut self.held);
        text.push_str(chunk);
        let used = self.run(&text, false, sink);
        if used > 0 {
            text.drain(..used);
        }
        self.held = text;
    }

    /// The message is over: what is open was cut off.
    pub fn finish(&mut self, sink: Sink<'_>) {
        let text = std::mem::take(&mut self.held);
        let used = self.run(&text, true, sink);
        debug_assert_eq!(used, text.len(), "nothing is left at the end");
        let mut context =
            Context { tools: &self.tools, forms: &self.forms, next_index: &mut self.next_index };
        match std::mem::replace(&mut self.state, State::Prose) {
            State::Tagged(call) => call.cut_off(sink),
            State::Json(call) => call.cut_off(&mut context, sink),
            State::ToolFence(call) => call.cut_off(sink),
            State::Prose | State::Fence(_) | State::Candidate(_) | State::Thinking(..) => {}
        }
        self.prose = Prose::new();
    }

    /// Reads as much of `text` as can be told, and says how much that was.
    fn run(&mut self, text: &str, ended: bool, sink: Sink<'_>) -> usize {
        let mut at = 0;
        while at < text.len() {
            match self.step(&text[at..], ended, sink) {
                Step::Used(used) | Step::Closed(used) => at += used,
                Step::Done(used) => {
                    at += used;
                    let line_start = text[..at].ends_with('\n');
                    self.prose.go_on(line_start);
                    self.state = State::Prose;
                }
                Step::Enter(used, state) => {
                    at += used;
                    self.state = state;
                }
                Step::Wait => return at,
            }
        }
        at
    }

    fn step(&mut self, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        let mut context =
            Context { tools: &self.tools, forms: &self.forms, next_index: &mut self.next_index };
        match &mut self.state {
            State::Prose => self.prose.step(rest, ended, &mut context, sink),
            State::Fence(fence) => fence.step(rest, ended, sink),
            State::Tagged(call) => call.step(rest, ended, sink),
            State::Json(call) => call.step(rest, ended, &mut context, sink),
            State::ToolFence(call) => call.step(rest, ended, sink),
            State::Thinking(tag, depth) => step_thinking(tag, depth, rest, ended, sink),
            State::Candidate(candidate) => {
                let verdict = candidate.judge(rest, ended, &context);
                settle(verdict, candidate, &mut self.prose, rest, &mut context, sink)
            }
        }
    }
}

/// What a candidate turned out to be is done.
fn settle(
    verdict: Verdict,
    candidate: &Candidate,
    prose: &mut Prose,
    rest: &str,
    context: &mut Context<'_>,
    sink: Sink<'_>,
) -> Step {
    match verdict {
        Verdict::More => Step::Wait,
        Verdict::Calls(used, calls, notes) => {
            candidate::emit_all(calls, &notes, context, sink);
            Step::Done(used)
        }
        Verdict::Text(used) => {
            let Some(fence) = candidate.fence else {
                prose.skip_json(candidate.looked_at(rest));
                return Step::Enter(0, State::Prose);
            };
            sink(Event::Text(&rest[..used]));
            Step::Enter(used, State::Fence(PlainFence { fence, line_start: true }))
        }
    }
}

/// Thinking is text up to its closing tag.
fn step_thinking(tag: &str, depth: &mut usize, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
    let at = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
    if at > 0 {
        sink(Event::Text(&rest[..at]));
        return Step::Used(at);
    }
    match lex(rest, |name| name.eq_ignore_ascii_case(tag)) {
        Lexed::More if !ended => Step::Wait,
        Lexed::Tag(found) => {
            sink(Event::Text(&rest[..found.len]));
            *depth = if found.closing { *depth - 1 } else { *depth + 1 };
            if *depth == 0 { Step::Done(found.len) } else { Step::Used(found.len) }
        }
        _ => {
            sink(Event::Text("<"));
            Step::Used(1)
        }
    }
}
