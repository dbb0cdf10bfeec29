//! Prose, and where a call begins in it.

mod opening;

use dogu_tool::text::floor_boundary;

use super::bracket::{self, Header};
use super::fence::{Fence, Opening, PlainFence};
use super::forms::Form;
use super::json_call::{Envelope, JsonCall};
use super::tag::{Lexed, Tag, lex};
use super::tool_fence::{self, ToolFence};
use super::{Context, State, Step};
use crate::event::{Event, Sink};

/// Blocks announced by such words are shown, not meant.
const ANNOUNCEMENTS: [&str; 11] = [
    "for example",
    "for instance",
    "an example",
    "example:",
    "e.g.",
    "look like",
    "looks like",
    "such as",
    "format:",
    "예를 들",
    "예시",
];
/// How much of a line is remembered to see whether it announces something.
const MAX_REMEMBERED: usize = 200;
/// How much may stand between the line of a `tool` fence and its `TOOL_NAME:`.
const MAX_HEADER: usize = 256;

/// Where in the prose the parser is.
#[derive(Debug)]
pub(super) struct Prose {
    line_start: bool,
    /// The length of the run of backticks that opened a code span.
    span: Option<usize>,
    /// The line is a quotation.
    quoted: bool,
    /// The tag around calls whose closing tag is not text either.
    wrapper: Option<String>,
    /// That tag itself, which is text after all if no call follows.
    unsaid: String,
    line: String,
    last_line: String,
    /// How far the blanks behind a tag are known to reach.
    looked: usize,
    /// How much of the text was looked at as JSON in vain, and is not looked at so again.
    skip: usize,
}

impl Prose {
    pub(super) fn new() -> Self {
        Self {
            line_start: true,
            span: None,
            quoted: false,
            wrapper: None,
            unsaid: String::new(),
            line: String::new(),
            last_line: String::new(),
            looked: 0,
            skip: 0,
        }
    }

    /// So much of what follows is no JSON call, nor is anything in it.
    pub(super) fn skip_json(&mut self, bytes: usize) {
        self.skip = bytes;
    }

    /// Prose goes on behind a call or a block.
    pub(super) fn go_on(&mut self, line_start: bool) {
        (self.line_start, self.span, self.quoted) = (line_start, None, false);
        self.line.clear();
        self.last_line.clear();
        self.unsaid.clear();
    }

    pub(super) fn step(
        &mut self,
        rest: &str,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Step {
        let step = if self.line_start {
            self.step_line_start(rest, ended, context, sink)
        } else {
            self.step_inline(rest, ended, context, sink)
        };
        if !matches!(step, Step::Wait) {
            self.looked = 0;
        }
        step
    }

    fn text(&mut self, text: &str, sink: Sink<'_>) -> Step {
        self.remember(text.trim_end_matches('\n'));
        self.skip = self.skip.saturating_sub(text.len());
        if text.ends_with('\n') {
            self.line_start = true;
            (self.span, self.quoted) = (None, false);
            let line = std::mem::take(&mut self.line);
            if !line.trim().is_empty() {
                self.last_line = line;
            }
        }
        if !self.unsaid.is_empty() {
            sink(Event::Text(&std::mem::take(&mut self.unsaid)));
            self.wrapper = None;
        }
        sink(Event::Text(text));
        Step::Used(text.len())
    }

    /// A special character that means nothing here is text, with what follows up to the next.
    fn plain(&mut self, rest: &str, sink: Sink<'_>) -> Step {
        let end = rest.bytes().skip(1).position(is_special).map_or(rest.len(), |at| at + 1);
        self.text(&rest[..end], sink)
    }

    /// Keeps the beginning of a line, the same one however the line was cut.
    fn remember(&mut self, text: &str) {
        let room = MAX_REMEMBERED.saturating_sub(self.line.len());
        let kept = floor_boundary(text, room.min(text.len()));
        self.line.push_str(&text[..kept]);
        if kept < text.len() {
            // Nothing more: a later, shorter character might fit where this one did not.
            self.line.extend(std::iter::repeat_n(' ', room - kept));
        }
    }

    fn step_line_start(
        &mut self,
        rest: &str,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Step {
        match Fence::opening(rest, ended) {
            Opening::More => return Step::Wait,
            Opening::Quoted { fence, len } => {
                sink(Event::Text(&rest[..len]));
                let line_start = rest[..len].ends_with('\n');
                return Step::Enter(len, State::Fence(PlainFence { fence, line_start }));
            }
            Opening::Fence { fence, info, len } => {
                return self.open_fence(rest, fence, info, len, ended, context, sink);
            }
            Opening::Not => {}
        }
        let indent = rest.len() - rest.trim_start_matches(' ').len();
        match rest.as_bytes().get(indent) {
            Some(b'>') if indent < 4 => self.quoted = true,
            Some(b'{')
                if indent < 4 && self.skip == 0 && self.may_be_call(Form::BareJson, context) =>
            {
                self.line_start = false;
                return Step::Enter(0, State::candidate(None, indent));
            }
            _ => {}
        }
        self.line_start = false;
        self.step_inline(rest, ended, context, sink)
    }

    fn may_be_call(&self, form: Form, context: &Context<'_>) -> bool {
        context.forms.has(form) && !(context.forms.guarded() && self.announces_example())
    }

    fn announces_example(&self) -> bool {
        let line = self.last_line.to_lowercase();
        ANNOUNCEMENTS.iter().any(|words| line.contains(words))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one line, used once")]
    fn open_fence(
        &mut self,
        rest: &str,
        fence: Fence,
        info: &str,
        len: usize,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Step {
        let info = info.to_ascii_lowercase();
        if info == "tool" && self.may_be_call(Form::FencedTool, context) {
            match tool_header(&rest[len..], ended) {
                Header::More => return Step::Wait,
                Header::Found { name, len: header, .. } => {
                    let call = ToolFence::begin(fence, name, context, sink);
                    return Step::Enter(len + header, State::ToolFence(Box::new(call)));
                }
                Header::Not => {}
            }
        }
        let may_hold_json = matches!(&*info, "" | "json" | "tool" | "tool_call" | "tool_calls");
        if may_hold_json && self.may_be_call(Form::FencedJson, context) {
            return Step::Enter(0, State::candidate(Some(fence), len));
        }
        sink(Event::Text(&rest[..len]));
        Step::Enter(len, State::Fence(PlainFence { fence, line_start: true }))
    }

    fn step_inline(
        &mut self,
        rest: &str,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Step {
        let at = rest.bytes().position(is_special).unwrap_or(rest.len());
        if rest.as_bytes().get(at) == Some(&b'\n') {
            return self.text(&rest[..=at], sink);
        }
        if at > 0 {
            return self.text(&rest[..at], sink);
        }
        match rest.as_bytes().first() {
            Some(b'`') => self.step_backticks(rest, ended, sink),
            _ if self.span.is_some() || self.quoted => self.plain(rest, sink),
            Some(b'[') => self.step_bracket(rest, ended, context, sink),
            _ => self.step_angle(rest, ended, context, sink),
        }
    }

    fn step_backticks(&mut self, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        const MAX_RUN: usize = super::fence::MAX_RUN;
        let run = rest.bytes().take(MAX_RUN).take_while(|byte| *byte == b'`').count();
        if run == rest.len() && run < MAX_RUN && !ended {
            return Step::Wait;
        }
        match self.span {
            Some(open) if open == run => self.span = None,
            Some(_) => {}
            None => self.span = Some(run),
        }
        self.text(&rest[..run], sink)
    }

    fn step_bracket(
        &mut self,
        rest: &str,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Step {
        if !context.forms.has(Form::Bracket) {
            return self.plain(rest, sink);
        }
        match bracket::header(rest, ended) {
            Header::More => Step::Wait,
            Header::Not => self.plain(rest, sink),
            Header::Found { name: "", len, .. } => {
                Step::Enter(len, State::json(JsonCall::anonymous(Envelope::Value)))
            }
            Header::Found { name, id, len } => {
                let id = id.map(str::to_owned);
                let call = JsonCall::named(Envelope::Value, name, id, context, sink);
                Step::Enter(len, State::json(call))
            }
        }
    }

    fn step_angle(
        &mut self,
        rest: &str,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Step {
        let tag = match lex(rest, |name| is_plausible(name, context)) {
            Lexed::Tag(tag) => tag,
            Lexed::More if !ended => return Step::Wait,
            _ => return self.plain(rest, sink),
        };
        if tag.closing {
            return self.step_closing(rest, &tag, sink);
        }
        let opened = if context.forms.has(Form::Xml) && context.tools.find(tag.name).is_some() {
            self.open_xml(rest, &tag, ended, context, sink)
        } else {
            self.open_word(rest, &tag, ended, context, sink)
        };
        opened.unwrap_or_else(|| self.text(&rest[..tag.len], sink))
    }

    fn step_closing(&mut self, rest: &str, tag: &Tag<'_>, sink: Sink<'_>) -> Step {
        if self.wrapper.as_deref() == Some(tag.name) {
            self.wrapper = None;
            return Step::Used(tag.len);
        }
        self.text(&rest[..tag.len], sink)
    }

    /// What follows a tag behind blanks; `None` where nothing does yet.
    fn behind<'t>(&mut self, rest: &'t str, len: usize, ended: bool) -> Option<&'t str> {
        let from = len.max(self.looked);
        self.looked = rest.len() - rest[from..].trim_start().len();
        let behind = &rest[self.looked..];
        (ended || !behind.is_empty()).then_some(behind)
    }
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'<' | b'`' | b'[' | b'\n')
}

fn is_plausible(name: &str, context: &Context<'_>) -> bool {
    const WORDS: [&str; 8] = [
        "invoke",
        "function",
        "tool_call",
        "tool_calls",
        "function_call",
        "function_calls",
        "think",
        "thinking",
    ];
    WORDS.contains(&name.rsplit(':').next().unwrap_or(name)) || context.tools.find(name).is_some()
}

/// The `TOOL_NAME:` line of a block, behind at most a few blank lines.
fn tool_header(text: &str, ended: bool) -> Header<'_> {
    let window = floor_boundary(text, MAX_HEADER.min(text.len()));
    let window = &text[..window];
    let blanks = window.len() - window.trim_start().len();
    let Some(end) = memchr::memchr(b'\n', &window.as_bytes()[blanks..]) else {
        let may_come = text.len() < MAX_HEADER && !ended;
        return if may_come { Header::More } else { Header::Not };
    };
    match tool_fence::tool_name(&window[blanks..blanks + end]) {
        Some(name) => Header::Found { name, id: None, len: blanks + end + 1 },
        None => Header::Not,
    }
}
