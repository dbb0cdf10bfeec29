//! Gemini's contents.

use serde::Deserialize;

use super::calls::{Begin, Calls};
use super::finish::Finish;
use super::lenient::{Arguments, Few, Problem, Text, filled};
use super::partial::{self, PartialArg};
use super::reader::{Reader, Seen, give, say};
use crate::event::Sink;

/// A response (or a piece of one, which looks the same), a bare content, or a bare part.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(borrow)]
    candidates: Option<Few<Candidate<'a>>>,
    error: Option<Problem>,
    #[serde(alias = "prompt_feedback")]
    prompt_feedback: Option<serde::de::IgnoredAny>,
    #[serde(alias = "usage_metadata")]
    usage_metadata: Option<serde::de::IgnoredAny>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(borrow)]
    parts: Option<Few<Part<'a>>>,
    #[serde(borrow, alias = "function_call")]
    function_call: Option<FunctionCall<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    thought: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    index: Option<usize>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
    #[serde(borrow, alias = "finish_reason")]
    finish_reason: Option<Text<'a>>,
    #[serde(borrow, alias = "finish_message")]
    finish_message: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    parts: Option<Few<Part<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    thought: Option<bool>,
    #[serde(borrow, alias = "function_call")]
    function_call: Option<FunctionCall<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCall<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    args: Arguments<'a>,
    #[serde(borrow, alias = "partial_args")]
    partial_args: Option<Few<PartialArg<'a>>>,
    #[serde(alias = "will_continue")]
    will_continue: Option<bool>,
}

/// Reads contents.
#[derive(Debug, Default)]
pub(super) struct Gemini {
    /// The arguments of the call that is to be continued, where they come in pieces.
    growing: partial::Growing,
}

impl Reader for Gemini {
    fn read(
        &mut self,
        document: &str,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Result<Seen, serde_json::Error> {
        let mut document: Document<'_> = serde_json::from_str(document)?;
        if let Some(problem) = document.error.take().and_then(|error| error.0) {
            return Ok(Seen::Problem(problem));
        }
        if let Some(candidates) = document.candidates {
            let first = candidates.into_iter().find(|one| one.index.unwrap_or(0) == 0);
            return Ok(first.map_or(Seen::Message, |one| self.candidate(one, calls, sink)));
        }
        Ok(self.bare(document, calls, sink))
    }
}

impl Gemini {
    fn candidate(&mut self, candidate: Candidate<'_>, calls: &mut Calls, sink: Sink<'_>) -> Seen {
        self.parts(candidate.content.and_then(|content| content.parts), calls, sink);
        let Some(reason) = filled(candidate.finish_reason.as_ref()) else { return Seen::Message };
        if reason == "MALFORMED_FUNCTION_CALL" {
            let message = filled(candidate.finish_message.as_ref()).unwrap_or(reason);
            return Seen::Problem(message.to_owned());
        }
        calls.end_all(Finish::of_reason(reason), sink);
        Seen::Message
    }

    /// A content or a part that no candidate holds.
    fn bare(&mut self, document: Document<'_>, calls: &mut Calls, sink: Sink<'_>) -> Seen {
        let Document { prompt_feedback, usage_metadata, content, parts, .. } = document;
        let parts = parts.or(content.and_then(|content| content.parts));
        let Document { text, thought, function_call, .. } = document;
        if parts.is_some() {
            self.parts(parts, calls, sink);
        } else if text.is_some() || function_call.is_some() {
            self.part(Part { text, thought, function_call }, calls, sink);
        } else if prompt_feedback.is_none() && usage_metadata.is_none() {
            return Seen::Foreign;
        }
        Seen::Message
    }

    fn parts(&mut self, parts: Option<Few<Part<'_>>>, calls: &mut Calls, sink: Sink<'_>) {
        parts.into_iter().flatten().for_each(|part| self.part(part, calls, sink));
    }

    fn part(&mut self, part: Part<'_>, calls: &mut Calls, sink: Sink<'_>) {
        if part.thought != Some(true) {
            say(filled(part.text.as_ref()).unwrap_or_default(), sink);
        }
        if let Some(call) = part.function_call {
            self.call(call, calls, sink);
        }
    }

    /// A call is complete by itself, unless it says that it will continue.
    fn call(&mut self, call: FunctionCall<'_>, calls: &mut Calls, sink: Sink<'_>) {
        let Some(at) = find_or_begin(&call, calls, sink) else { return };
        give(at, call.args, calls, sink);
        for piece in call.partial_args.into_iter().flatten() {
            self.growing.push(&piece);
        }
        if call.will_continue != Some(true) {
            self.end(at, calls, sink);
        }
    }

    fn end(&mut self, at: usize, calls: &mut Calls, sink: Sink<'_>) {
        match self.growing.take() {
            Ok(Some(value)) => calls.arguments_whole(at, value, sink),
            Ok(None) => {}
            Err(()) => calls.call(at).damaged = true,
        }
        calls.end_as(at, Finish::Complete, sink);
    }
}

/// Only what continues a call has no name.
fn find_or_begin(call: &FunctionCall<'_>, calls: &mut Calls, sink: Sink<'_>) -> Option<usize> {
    let (id, name) = (filled(call.id.as_ref()), filled(call.name.as_ref()));
    if name.is_none()
        && let Some(at) = calls.touched_last()
    {
        return Some(at);
    }
    let at = calls.begin(Begin { place: None, id, name }, sink)?;
    calls.announce(at, sink);
    Some(at)
}
