//! JSON that may be a call: a fenced block, or a line of its own.
//!
//! Nothing marks it as a call, so it is held back until it can be told. The first key that no
//! call has settles it: other JSON passes at once.

use super::Context;
use super::extract::{self, JsonedCall, are_meant, is_argument_key, is_call_key, is_name_key};
use super::fence::{Fence, MAX_LINE};
use super::scan::Outline;
use crate::event::Sink;
use crate::json::{End, repair};

/// More blanks than this between the JSON and its fence, and it is no call.
const MAX_BLANKS: usize = 1_024;

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
    /// The line up to which no closing fence was found.
    line: usize,
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
        Self { fence, from, outline: Outline::default(), looked: 0, line: 0 }
    }

    /// Looks at all of it so far.
    pub(super) fn judge(&mut self, rest: &str, ended: bool, context: &Context<'_>) -> Verdict {
        let closed_at = self.closing_line(rest);
        // Not beyond the fence: what follows it is looked at for itself.
        let json = &rest[self.from..closed_at.unwrap_or(rest.len())];
        self.outline.follow(json);
        if self.outline.is_other || self.outline.is_broken || self.is_foreign(json) {
            return Verdict::Text(self.from);
        }
        let Some(end) = self.outline.end else {
            let is_over = ended || closed_at.is_some();
            return if is_over { Verdict::Text(self.from) } else { Verdict::More };
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

    /// Whether a member shows that this is no call: its key, or a value that no name or
    /// arguments can be.
    fn is_foreign(&self, json: &str) -> bool {
        self.outline.members.iter().any(|member| {
            let first = member.from.and_then(|from| json.as_bytes().get(from));
            let fits = match first {
                None => true,
                Some(byte) if is_argument_key(&member.key) => matches!(byte, b'{' | b'"' | b'n'),
                Some(byte) if member.key == "function" => matches!(byte, b'{' | b'"'),
                Some(byte) if is_name_key(&member.key) => *byte == b'"',
                Some(byte) => !matches!(byte, b'{' | b'['),
            };
            !fits || !is_call_key(&member.key)
        })
    }

    /// How much of the text was looked at.
    pub(super) fn looked_at(&self, rest: &str) -> usize {
        self.outline.end.map_or(rest.len(), |end| self.from + end)
    }

    /// Where the line begins that closes the fence. No JSON string holds a line break, so it is
    /// the end of the block whatever the JSON says.
    fn closing_line(&mut self, rest: &str) -> Option<usize> {
        let fence = self.fence?;
        self.line = self.line.max(self.from);
        while let Some(at) = memchr::memchr(b'\n', &rest.as_bytes()[self.line..]) {
            if fence.closing(&rest[self.line..], false) == Ok(Some(at + 1)) {
                return Some(self.line);
            }
            self.line += at + 1;
        }
        None
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
        // Blanks alone tell nothing yet, a carriage return least of all.
        if at == rest.len() && !ended && at - end < MAX_BLANKS {
            return Err(());
        }
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
