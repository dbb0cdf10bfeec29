//! A call that is JSON inside an envelope: a pair of tags, or a marker in front.

use dogu_tool::text::{ceil_boundary, floor_boundary};
use serde_json::Value;

use super::extract::{self, JsonedCall, is_argument_key, is_name_key};
use super::scan::Outline;
use super::tag::{Lexed, lex};
use super::{Context, Step};
use crate::event::{Event, FailedCall, Sink};
use crate::json::{End, repair};

/// How much is taken at once where only the JSON itself tells its end.
const WINDOW: usize = 4_096;

/// What ends the JSON.
#[derive(Debug)]
pub(super) enum Envelope {
    /// The closing tag of this name.
    Tag(String),
    /// The end of the JSON itself.
    Value,
}

/// A call under way.
#[derive(Debug)]
pub(super) struct JsonCall {
    envelope: Envelope,
    /// The tool, where the envelope names it: then the JSON is its arguments.
    name: Option<String>,
    id: Option<String>,
    raw: String,
    outline: Outline,
    index: Option<usize>,
    /// The name that was shown when the call began.
    begun: Option<String>,
    /// How much of the arguments has been shown.
    shown: usize,
    /// How many members have been looked at for a name.
    checked: usize,
    /// The envelope was closed inside a string.
    ends_in_string: bool,
    notes: Vec<String>,
}

impl JsonCall {
    /// A call whose JSON holds its name.
    pub(super) fn anonymous(envelope: Envelope) -> Self {
        Self {
            envelope,
            name: None,
            id: None,
            raw: String::new(),
            outline: Outline::default(),
            index: None,
            begun: None,
            shown: 0,
            checked: 0,
            ends_in_string: false,
            notes: Vec::new(),
        }
    }

    /// A call whose envelope names the tool.
    pub(super) fn named(
        envelope: Envelope,
        name: &str,
        id: Option<String>,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Self {
        let mut call = Self::anonymous(envelope);
        let name = extract::proper_name(name.to_owned(), context, &mut call.notes);
        let index = context.take_index();
        sink(Event::Started { index, id: id.as_deref(), name: &name });
        (call.name, call.id, call.index) = (Some(name), id, Some(index));
        call
    }

    pub(super) fn step(
        &mut self,
        rest: &str,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Step {
        if matches!(self.envelope, Envelope::Value) {
            return self.step_value(rest, context, sink);
        }
        match memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len()) {
            0 => self.step_angle(rest, ended, context, sink),
            at => {
                self.take(&rest[..at], context, sink);
                Step::Used(at)
            }
        }
    }

    /// A `<`, which may close the envelope.
    fn step_angle(
        &mut self,
        rest: &str,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Step {
        let Envelope::Tag(tag) = &self.envelope else { return Step::Wait };
        match lex(rest, |name| name.eq_ignore_ascii_case(tag)) {
            Lexed::More if !ended => return Step::Wait,
            Lexed::Tag(found) if found.closing => match self.closes(&rest[found.len..], ended) {
                None => return Step::Wait,
                Some(true) => {
                    self.end(context, sink);
                    return Step::Done(found.len);
                }
                Some(false) => {}
            },
            _ => {}
        }
        self.take("<", context, sink);
        Step::Used(1)
    }

    /// Whether a closing tag ends the envelope. Inside a string it does only where a line ends
    /// with it, which no JSON string does: then a quote is missing, and there is no call.
    fn closes(&mut self, behind: &str, ended: bool) -> Option<bool> {
        if !self.outline.in_string() {
            return Some(true);
        }
        let closes = match behind.as_bytes().first() {
            None if !ended => return None,
            None => true,
            Some(byte) => matches!(byte, b'\n' | b'\r'),
        };
        self.ends_in_string |= closes;
        Some(closes)
    }

    fn step_value(&mut self, rest: &str, context: &mut Context<'_>, sink: Sink<'_>) -> Step {
        let before = self.raw.len();
        // In windows: what follows the value is not copied with it.
        let window = floor_boundary(rest, rest.len().min(WINDOW)).max(1);
        let window = ceil_boundary(rest, window);
        self.take(&rest[..window], context, sink);
        let Some(end) = self.outline.end else { return Step::Used(window) };
        self.raw.truncate(end);
        self.end(context, sink);
        Step::Done(end - before)
    }

    fn take(&mut self, text: &str, context: &mut Context<'_>, sink: Sink<'_>) {
        self.raw.push_str(text);
        self.outline.follow(&self.raw);
        if let (Some(index), Some(_)) = (self.index, &self.name) {
            let end = self.outline.end.unwrap_or(self.raw.len());
            self.show(index, self.shown, end, sink);
        } else {
            self.show_members(context, sink);
        }
    }

    fn show(&mut self, index: usize, from: usize, to: usize, sink: Sink<'_>) {
        if from < to {
            sink(Event::Delta { index, parameter: None, text: &self.raw[from..to] });
            self.shown = to;
        }
    }

    /// Starts the call once its name is known, and shows its arguments as they come.
    fn show_members(&mut self, context: &mut Context<'_>, sink: Sink<'_>) {
        if self.index.is_none() {
            let Some(name) = self.name_so_far() else { return };
            let name = extract::proper_name(name, context, &mut Vec::new());
            let index = context.take_index();
            // An id may still follow, so that none is given before the end.
            sink(Event::Started { index, id: None, name: &name });
            (self.index, self.begun) = (Some(index), Some(name));
        }
        let member = self.outline.members.iter().find(|member| is_argument_key(&member.key));
        if let (Some(index), Some(member)) = (self.index, member)
            && let Some(from) = member.from
        {
            // A text or a number is shown when it is whole: blanks behind it are not part of it.
            let grows = self.raw.as_bytes().get(from).is_some_and(|b| matches!(b, b'{' | b'['));
            let to = member.to.unwrap_or(if grows { self.raw.len() } else { from });
            self.show(index, from.max(self.shown), to, sink);
        }
    }

    /// The name, once its member is whole. Each member is looked at once.
    fn name_so_far(&mut self) -> Option<String> {
        while let Some(member) = self.outline.members.get(self.checked) {
            let (from, to) = (member.from?, member.to?);
            self.checked += 1;
            let text = self.raw.get(from..to).filter(|_| is_name_key(&member.key));
            if let Some(name) = text.and_then(|text| serde_json::from_str(text).ok()) {
                return Some(name);
            }
        }
        None
    }

    /// The envelope is closed: the calls in it, or why there are none.
    fn end(&mut self, context: &mut Context<'_>, sink: Sink<'_>) {
        match self.calls() {
            Ok((calls, notes)) => {
                for (at, call) in calls.into_iter().enumerate() {
                    let started = self.index.filter(|_| at == 0);
                    extract::emit(call, notes.clone(), started, context, sink);
                }
            }
            Err(message) => self.fail(message, context, sink),
        }
    }

    fn calls(&mut self) -> Result<(Vec<JsonedCall>, Vec<String>), String> {
        if self.ends_in_string {
            return Err("A string in the JSON of the call is not closed.".to_owned());
        }
        if self.name.is_none() {
            self.check_members()?;
            if let Some(calls) = several(&self.raw) {
                return calls.map(|calls| (calls, std::mem::take(&mut self.notes)));
            }
        }
        let (value, repairs) = repair(&self.raw, End::Said).map_err(|error| error.to_string())?;
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(repairs);
        let Some(name) = self.name.clone() else {
            let problem = |reason| format!("The JSON of the call cannot be used: {reason}.");
            return extract::calls_in(value).map(|calls| (calls, notes)).map_err(problem);
        };
        Ok((vec![JsonedCall { id: self.id.clone(), name, arguments: value }], notes))
    }

    /// What is given twice is ambiguous, and what was shown would not be what runs.
    fn check_members(&self) -> Result<(), String> {
        for is_one in [is_name_key, is_argument_key] {
            if self.outline.members.iter().filter(|member| is_one(&member.key)).count() > 1 {
                return Err("The JSON of the call has its name or its arguments twice.".to_owned());
            }
        }
        Ok(())
    }

    fn fail(&mut self, message: String, context: &mut Context<'_>, sink: Sink<'_>) {
        let index = self.index.unwrap_or_else(|| context.take_index());
        let name = self.name.clone().or_else(|| self.begun.clone());
        let repair = match &name {
            Some(name) => extract::expected(context, name),
            None => "Send the call again as `{\"name\": …, \"arguments\": {…}}`.".to_owned(),
        };
        sink(Event::Failed(FailedCall::invalid(index, self.id.clone(), name, message, repair)));
    }

    /// The stream ended inside the envelope.
    pub(super) fn cut_off(mut self, context: &mut Context<'_>, sink: Sink<'_>) {
        let message = match &self.envelope {
            Envelope::Tag(tag) => format!("The call was cut off: it has no `</{tag}>`."),
            Envelope::Value => "The call was cut off: its JSON does not end.".to_owned(),
        };
        self.fail(message, context, sink);
    }
}

/// The calls of several objects, one after the other; `None` where it is not that.
fn several(text: &str) -> Option<Result<Vec<JsonedCall>, String>> {
    let values: Result<Vec<Value>, _> =
        serde_json::Deserializer::from_str(text).into_iter().collect();
    let values = values.ok().filter(|values| values.len() > 1)?;
    let problem = |reason| format!("The JSON of the calls cannot be used: {reason}.");
    Some(extract::calls_in(values.into()).map_err(problem))
}
