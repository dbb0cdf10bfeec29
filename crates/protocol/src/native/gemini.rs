//! Gemini's contents.

use serde::Deserialize;

use super::calls::{Begin, Calls};
use super::document;
use super::finish::Finish;
use super::lenient::{Arguments, Few, Problem, Text, filled};
use super::partial::{self, PartialArg};
use super::reader::{Reader, Seen, give, say};
use crate::event::Sink;

/// A response, or a piece of one, which looks the same. It is lean, because there is a piece for
/// every few letters.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    candidates: Option<Few<Candidate<'a>>>,
    error: Option<Problem>,
}

/// What else a document may be: a bare content, a bare part, or what stands beside candidates.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
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
    /// The arguments of the call that is open, where they come in pieces. There is only one: the
    /// pieces do not say whose they are, so another call ends the one before.
    growing: partial::Growing,
}

impl Reader for Gemini {
    fn read(
        &mut self,
        document: &str,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Result<Seen, serde_json::Error> {
        let response: Response<'_> = document::read(document)?;
        if let Some(problem) = response.error.and_then(|error| error.0) {
            return Ok(Seen::Problem(problem));
        }
        if let Some(candidates) = response.candidates {
            let first = candidates.into_iter().find(|one| one.index.unwrap_or(0) == 0);
            return Ok(first.map_or(Seen::Message, |one| self.candidate(one, calls, sink)));
        }
        Ok(self.bare(document::read(document)?, calls, sink))
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
        let Some(at) = self.find_or_begin(&call, calls, sink) else { return };
        give(at, call.args, calls, sink);
        for piece in call.partial_args.into_iter().flatten() {
            self.growing.push(&piece);
        }
        calls.call(at).unfinished = call.will_continue == Some(true);
        if !calls.call(at).unfinished {
            self.end(at, calls, sink);
        }
    }

    /// Only what continues a call has no name.
    fn find_or_begin(
        &mut self,
        call: &FunctionCall<'_>,
        calls: &mut Calls,
        sink: Sink<'_>,
    ) -> Option<usize> {
        let (id, name) = (filled(call.id.as_ref()), filled(call.name.as_ref()));
        let open = calls.touched_last();
        if let Some(at) = open {
            if continues(at, id, name, calls) {
                return Some(at);
            }
            if name.is_none() {
                // It is another call's, which has failed, or nobody knows whose.
                calls.call(at).damaged |= !id.is_some_and(|id| calls.knows_id(id));
                return None;
            }
            calls.call(at).damaged = true;
            calls.end_as(at, Finish::Complete, sink);
        }
        self.growing = partial::Growing::default();
        let at = calls.begin(Begin { place: None, id, name }, sink)?;
        calls.announce(at, sink);
        Some(at)
    }

    fn end(&mut self, at: usize, calls: &mut Calls, sink: Sink<'_>) {
        let call = calls.call(at);
        let has_others = call.has_arguments() && !call.is_placeholder();
        match self.growing.take() {
            Ok(Some(_)) if has_others => call.damaged = true,
            Ok(Some(value)) => calls.arguments_whole(at, value, sink),
            Ok(None) => {}
            Err(()) => call.damaged = true,
        }
        calls.end_as(at, Finish::Complete, sink);
    }
}

/// Whether a piece is one of the open call: it has no other id, and a name only where the id
/// shows that it is repeated.
fn continues(at: usize, id: Option<&str>, name: Option<&str>, calls: &mut Calls) -> bool {
    let call = calls.call(at);
    let is_same = id.is_some() && call.id.as_deref() == id;
    match name {
        Some(name) => is_same && !call.is_named_otherwise(name),
        None => is_same || id.is_none() || call.id.is_none(),
    }
}
