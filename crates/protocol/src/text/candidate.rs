//! JSON that may be a call: a fenced block, or a line of its own.
//!
//! Nothing marks it as a call, so it is held back until it can be told. The first key that no
//! call has settles it: other JSON passes at once.

use super::Context;
use super::extract::{self, JsonedCall, are_meant, is_call_key};
use super::fence::{Fence, MAX_LINE};
use super::scan::Outline;
use crate::event::Sink;
use crate::json::{End, repair};

/// What is being looked at.
#[derive(Debug)]
pub(super) struct Candidate {
    /// The fence around it, where there is one.
    pub(super) fence: Option<Fence>,
    /// Where the JSON begins, behind the line of the fence.
    from: usize,
    outline: Outline,
    /// How far the blanks behind the JSON are known to reach.
    looked: usize,
}

/// What it turned out to be.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Calls; so many bytes hold them.
    Calls(usize, Vec<JsonedCall>, Vec<String>),
    /// Text, of which so many bytes are the line of the fence.
    Text(usize),
    /// It cannot be told yet.
    More,
}

impl Candidate {
    pub(super) fn new(fence: Option<Fence>, from: usize) -> Self {
        Self { fence, from, outline: Outline::default(), looked: 0 }
    }

    /// Looks at all of it so far.
    pub(super) fn judge(&mut self, rest: &str, ended: bool, context: &Context<'_>) -> Verdict {
        let json = &rest[self.from..];
        self.outline.follow(json);
        let is_foreign = self.outline.members.iter().any(|member| !is_call_key(&member.key));
        if self.outline.is_other || is_foreign {
            return Verdict::Text(self.from);
        }
        let Some(end) = self.outline.end else {
            return if ended { Verdict::Text(self.from) } else { Verdict::More };
        };
        let end = self.from + end;
        let closed = match self.fence {
            Some(fence) => self.fence_closes(fence, rest, end, ended),
            None => line_ends(&rest[end..], ended).map(|ends| ends.then_some(end)),
        };
        match closed {
            Err(()) => Verdict::More,
            Ok(None) => Verdict::Text(self.from),
            Ok(Some(len)) => self.calls(&rest[self.from..end], len, context),
        }
    }

    fn fence_closes(
        &mut self,
        fence: Fence,
        rest: &str,
        end: usize,
        ended: bool,
    ) -> Result<Option<usize>, ()> {
        let from = end.max(self.looked);
        let at = rest.len() - rest[from..].trim_start().len();
        // The closing fence begins a line, so its own indentation is looked at again.
        self.looked = rest[from..at].rfind('\n').map_or(from, |line| from + line + 1);
        let line = &rest[self.looked..];
        if line.is_empty() && !ended {
            return Err(());
        }
        Ok(fence.closing(line, ended)?.map(|len| self.looked + len))
    }

    fn calls(&self, json: &str, len: usize, context: &Context<'_>) -> Verdict {
        let found = repair(json, End::Cut).ok().and_then(|(value, notes)| {
            let calls = extract::calls_in(value).ok()?;
            are_meant(&calls, context).then_some((calls, notes))
        });
        match found {
            Some((calls, notes)) => Verdict::Calls(len, calls, notes),
            None => Verdict::Text(self.from),
        }
    }
}

/// Whether nothing but blanks follows on the line.
fn line_ends(behind: &str, ended: bool) -> Result<bool, ()> {
    let blanks = behind.bytes().take(MAX_LINE).take_while(|b| matches!(b, b' ' | b'\t' | b'\r'));
    let blanks = blanks.count();
    match behind.as_bytes().get(blanks) {
        Some(byte) => Ok(*byte == b'\n'),
        None if ended => Ok(true),
        None if blanks < MAX_LINE => Err(()),
        None => Ok(false),
    }
}

/// Makes the calls known.
pub(super) fn emit_all(
    calls: Vec<JsonedCall>,
    notes: &[String],
    context: &mut Context<'_>,
    sink: Sink<'_>,
) {
    for call in calls {
        extract::emit(call, notes.to_vec(), None, context, sink);
    }
}
