//! Fenced `tool` blocks: `TOOL_NAME:`, then `BEGIN_ARG:` … `END_ARG` for each parameter.

use std::sync::Arc;

use memchr::memchr;

use super::fence::{Fence, MAX_LINE};
use super::grammar::known_parameter;
use super::{Context, Step, extract, value};
use crate::event::{Event, FailedCall, ParsedCall, Sink};
use crate::tools::KnownTool;

const USAGE: &str = "Send the whole block again: ```tool, `TOOL_NAME: name`, for each parameter \
                     `BEGIN_ARG: parameter`, its value and `END_ARG` on lines of their own, and ```.";

/// A block under way.
#[derive(Debug)]
pub(super) struct ToolFence {
    fence: Fence,
    name: String,
    tool: Option<Arc<KnownTool>>,
    index: usize,
    given: Vec<(String, String)>,
    open: Option<(String, String)>,
    line_start: bool,
    /// The rest of the line is of no use.
    skips_line: bool,
    notes: Vec<String>,
    problem: Option<String>,
}

/// The name in `TOOL_NAME: name`, in any case and with or without the underscore.
pub(super) fn tool_name(line: &str) -> Option<&str> {
    labelled(line, "tool_name").filter(|name| !name.is_empty())
}

fn labelled<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let (word, value) = line.trim().split_once(':')?;
    is_word(word, label).then(|| value.trim())
}

fn is_word(text: &str, word: &str) -> bool {
    let text = text.trim();
    text.eq_ignore_ascii_case(word) || text.eq_ignore_ascii_case(&word.replace('_', ""))
}

impl ToolFence {
    pub(super) fn begin(
        fence: Fence,
        name: &str,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Self {
        let mut notes = Vec::new();
        let name = extract::proper_name(name.to_owned(), context, &mut notes);
        let index = context.take_index();
        sink(Event::Started { index, id: None, name: &name });
        let tool = context.tools.find(&name).cloned();
        Self {
            fence,
            name,
            tool,
            index,
            given: Vec::new(),
            open: None,
            line_start: true,
            skips_line: false,
            notes,
            problem: None,
        }
    }

    pub(super) fn step(&mut self, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        match self.open.take() {
            Some((name, value)) => self.step_value(name, value, rest, ended, sink),
            None => self.step_between(rest, ended, sink),
        }
    }

    fn step_value(
        &mut self,
        name: String,
        mut value: String,
        rest: &str,
        ended: bool,
        sink: Sink<'_>,
    ) -> Step {
        if self.line_start {
            match end_of_value(rest, ended) {
                Err(()) => {
                    self.open = Some((name, value));
                    return Step::Wait;
                }
                Ok(Some(len)) => {
                    // The line break before END_ARG belongs to END_ARG.
                    let text = value.strip_suffix('\n').unwrap_or(&value);
                    let text = text.strip_suffix('\r').unwrap_or(text);
                    self.given.push((name, lines(text)));
                    return Step::Used(len);
                }
                Ok(None) => {}
            }
        }
        let line = memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        self.line_start = rest[..line].ends_with('\n');
        value.push_str(&rest[..line]);
        sink(Event::Delta { index: self.index, parameter: Some(&name), text: &rest[..line] });
        self.open = Some((name, value));
        Step::Used(line)
    }

    fn step_between(&mut self, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        if self.skips_line {
            let line = memchr(b'\n', rest.as_bytes());
            self.skips_line = line.is_none();
            return Step::Used(line.map_or(rest.len(), |at| at + 1));
        }
        match self.fence.closing(rest, ended) {
            Err(()) => return Step::Wait,
            Ok(Some(len)) => {
                self.end(sink);
                return Step::Done(len);
            }
            Ok(None) => {}
        }
        let within = &rest.as_bytes()[..rest.len().min(4 * MAX_LINE)];
        let Some(at) = memchr(b'\n', within) else {
            if within.len() < 4 * MAX_LINE && !ended {
                return Step::Wait;
            }
            self.complain(rest);
            self.skips_line = true;
            return Step::Used(rest.chars().next().map_or(0, char::len_utf8));
        };
        let line = rest[..at].trim();
        match labelled(line, "begin_arg") {
            Some(spelling) if !spelling.is_empty() => {
                let name = known_parameter(self.tool.as_deref(), spelling);
                self.open = Some((name.unwrap_or_else(|| spelling.to_owned()), String::new()));
                self.line_start = true;
            }
            _ if line.is_empty() => {}
            _ => self.complain(line),
        }
        Step::Used(at + 1)
    }

    fn complain(&mut self, line: &str) {
        let shown = dogu_tool::text::truncate_marked(line, 40);
        self.problem.get_or_insert_with(|| format!("the line `{shown}` is neither"));
    }

    fn end(&mut self, sink: Sink<'_>) {
        if let Some(problem) = &self.problem {
            let message = format!(
                "The call of `{}` is malformed: {problem} `BEGIN_ARG:` nor the end.",
                self.name
            );
            return self.fail(message, sink);
        }
        let given = std::mem::take(&mut self.given);
        match value::decode(self.tool.as_deref(), given, &mut self.notes) {
            Ok(input) => {
                let (index, name) = (self.index, self.name.clone());
                let notes = std::mem::take(&mut self.notes);
                sink(Event::Ended(ParsedCall { index, id: None, name, input, notes }));
            }
            Err(problem) => self.fail(problem, sink),
        }
    }

    fn fail(&self, message: String, sink: Sink<'_>) {
        let name = Some(self.name.clone());
        sink(Event::Failed(FailedCall::invalid(self.index, None, name, message, USAGE)));
    }

    /// The stream ended inside the block.
    pub(super) fn cut_off(self, sink: Sink<'_>) {
        let place = match &self.open {
            Some((name, _)) => format!("before the `END_ARG` of `{name}`"),
            None => "before the closing fence".to_owned(),
        };
        self.fail(format!("The call of `{}` was cut off {place}.", self.name), sink);
    }
}

/// Lines are the value as they are; the line breaks around it, which reading takes off, are not
/// among them here. A single line is trimmed, as everywhere.
fn lines(text: &str) -> String {
    if text.contains('\n') { format!("\n{text}\n") } else { text.to_owned() }
}

/// How long the `END_ARG` line at the start of `line` is; `Err` where it cannot be told yet.
fn end_of_value(line: &str, ended: bool) -> Result<Option<usize>, ()> {
    let within = &line.as_bytes()[..line.len().min(MAX_LINE)];
    match memchr(b'\n', within) {
        Some(at) => Ok(is_word(&line[..at], "end_arg").then_some(at + 1)),
        None if ended => Ok(is_word(line, "end_arg").then_some(line.len())),
        None if within.len() < MAX_LINE && may_be_end(line) => Err(()),
        None => Ok(None),
    }
}

fn may_be_end(line: &str) -> bool {
    let word = line.trim_start().to_ascii_lowercase();
    let word = word.trim_end();
    ["end_arg", "endarg"].iter().any(|end| end.starts_with(word))
}
