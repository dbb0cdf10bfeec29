//! A call whose parameters are tags.
//!
//! Values are taken verbatim, so they may hold anything that looks like a tag. The closing tag
//! that counts is the one that is followed by another parameter or by the end of the call.

use std::sync::Arc;

use memchr::memchr;

use super::grammar::{Grammar, Part, known_parameter};
use super::tag::{Lexed, Tag, lex};
use super::{Step, value};
use crate::event::{Event, FailedCall, ParsedCall, Sink};
use crate::tools::KnownTool;

/// No tool has more parameters; what has more cannot be called, and costs no time.
const MAX_PARAMETERS: usize = 256;

/// A call under way.
#[derive(Debug)]
pub(super) struct TaggedCall {
    grammar: Grammar,
    tool: Option<Arc<KnownTool>>,
    name: String,
    index: usize,
    /// The closed parameters, with their raw values.
    given: Vec<(String, String)>,
    open: Option<Open>,
    in_comment: bool,
    /// How far the blanks behind a closing tag are known to reach.
    looked: usize,
    /// The same for the blanks behind the end of the call.
    looked_behind: usize,
    notes: Vec<String>,
    problem: Option<String>,
}

/// The parameter whose value is being read.
#[derive(Debug)]
struct Open {
    name: String,
    /// As its tag spells it.
    spelling: String,
    value: String,
    multi_line: bool,
    /// Something in it looks like a closing tag.
    has_closing: bool,
    /// How many calls of the same tool are open inside the value: it shows an example.
    nested: usize,
    /// How many elements of the parameter's own name are open inside the value.
    inner: usize,
}

/// Whether a closing tag counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closes {
    Yes,
    No,
    Unknown,
}

impl TaggedCall {
    /// Begins a call; the caller has consumed its opening tag.
    pub(super) fn begin(
        grammar: Grammar,
        tool: Option<Arc<KnownTool>>,
        name: String,
        index: usize,
        sink: Sink<'_>,
    ) -> Self {
        sink(Event::Started { index, id: None, name: &name });
        Self {
            grammar,
            tool,
            name,
            index,
            given: Vec::new(),
            open: None,
            in_comment: false,
            looked: 0,
            looked_behind: 0,
            notes: Vec::new(),
            problem: None,
        }
    }

    /// Parameters that stood as attributes in the opening tag.
    pub(super) fn with_attributes(mut self, attributes: Vec<(String, String)>) -> Self {
        if !attributes.is_empty() {
            self.notes.push("read the attributes of the tag as parameters".to_owned());
        }
        self.given = attributes;
        self
    }

    pub(super) fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// The opening tag was all of it.
    pub(super) fn end_at_once(mut self, sink: Sink<'_>) {
        self.end(sink);
    }

    pub(super) fn step(&mut self, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        let step = match self.open.take() {
            Some(open) => self.step_value(open, rest, ended, sink),
            None if self.in_comment => self.step_comment(rest, ended),
            None => self.step_between(rest, ended, sink),
        };
        if !matches!(step, Step::Wait) {
            (self.looked, self.looked_behind) = (0, 0);
        }
        step
    }

    fn step_between(&mut self, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        let blanks = rest.len() - rest.trim_start().len();
        if blanks > 0 {
            return Step::Used(blanks);
        }
        if !rest.starts_with('<') {
            return self.skip_junk(rest);
        }
        if rest.starts_with("<!--") {
            self.in_comment = true;
            return Step::Used(4);
        }
        match lex(rest, |_| true) {
            Lexed::Tag(tag) => self.take_tag(&tag, sink),
            Lexed::More if !ended => Step::Wait,
            _ if "<!--".starts_with(rest) && !ended => Step::Wait,
            _ => self.skip_junk(rest),
        }
    }

    fn step_comment(&mut self, rest: &str, ended: bool) -> Step {
        if let Some(at) = rest.find("-->") {
            self.in_comment = false;
            return Step::Used(at + 3);
        }
        // The last two bytes may be the beginning of the end.
        let keep = rest.bytes().rev().take(2).take_while(|byte| *byte == b'-').count();
        match rest.len() - keep {
            _ if ended => Step::Used(rest.len()),
            0 => Step::Wait,
            used => Step::Used(used),
        }
    }

    /// Something that is neither a parameter nor the end. The call can no longer be made, but
    /// its end must be found.
    fn skip_junk(&mut self, rest: &str) -> Step {
        let junk = 1 + memchr(b'<', &rest.as_bytes()[1..]).unwrap_or(rest.len() - 1);
        self.complain("there is text between the parameters".to_owned());
        Step::Used(junk)
    }

    fn complain(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn take_tag(&mut self, tag: &Tag<'_>, sink: Sink<'_>) -> Step {
        match self.part(tag) {
            Part::CallEnds => {
                self.end(sink);
                return Step::Done(tag.len);
            }
            Part::ParameterOpens(spelling) => self.open_parameter(spelling, tag.self_closing),
            Part::ParameterCloses(_) | Part::CallOpens | Part::Other => {
                self.complain(format!(
                    "there is a stray `<{}{}>`",
                    if tag.closing { "/" } else { "" },
                    tag.name
                ));
            }
        }
        Step::Used(tag.len)
    }

    fn open_parameter(&mut self, spelling: String, empty: bool) {
        let name = known_parameter(self.tool.as_deref(), &spelling);
        let name = name.unwrap_or_else(|| spelling.clone());
        if empty {
            return self.give(name, String::new());
        }
        self.open = Some(Open {
            name,
            spelling,
            value: String::new(),
            multi_line: false,
            has_closing: false,
            nested: 0,
            inner: 0,
        });
    }

    /// What a tag means here, outside of a parameter with the name of the tool itself.
    fn part(&self, tag: &Tag<'_>) -> Part {
        self.grammar.part(tag, &self.name, self.tool.as_deref())
    }

    fn give(&mut self, name: String, value: String) {
        if self.given.len() < MAX_PARAMETERS {
            self.given.push((name, value));
        } else {
            self.complain(format!("it has more than {MAX_PARAMETERS} parameters"));
        }
    }

    fn step_value(&mut self, mut open: Open, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        let step = match memchr(b'<', rest.as_bytes()) {
            Some(0) => self.step_angle(&mut open, rest, ended, sink),
            Some(at) => self.take(&mut open, &rest[..at], sink),
            None => self.take(&mut open, rest, sink),
        };
        match step {
            Step::Closed(used) => {
                self.give(open.name, open.value);
                Step::Used(used)
            }
            Step::Done(used) => {
                self.give(open.name, open.value);
                self.end(sink);
                Step::Done(used)
            }
            step => {
                self.open = Some(open);
                step
            }
        }
    }

    fn take(&self, open: &mut Open, text: &str, sink: Sink<'_>) -> Step {
        open.multi_line = open.multi_line || text.contains('\n');
        open.has_closing = open.has_closing || text.starts_with("</");
        open.value.push_str(text);
        sink(Event::Delta { index: self.index, parameter: Some(&open.name), text });
        Step::Used(text.len())
    }

    /// A `<` inside a value.
    fn step_angle(&mut self, open: &mut Open, rest: &str, ended: bool, sink: Sink<'_>) -> Step {
        let lexed = lex(rest, |name| self.grammar.matters(name, &self.name, &open.spelling));
        let tag = match lexed {
            Lexed::Tag(tag) => tag,
            Lexed::More if !ended => return Step::Wait,
            _ => {
                let next = memchr(b'<', &rest.as_bytes()[1..]).map_or(rest.len(), |at| at + 1);
                return self.take(open, &rest[..next], sink);
            }
        };
        match self.part_in_value(&tag, open) {
            Part::ParameterCloses(_) => match self.closes(open, rest, tag.len, ended) {
                Closes::Yes => return Step::Closed(tag.len),
                Closes::Unknown => return Step::Wait,
                Closes::No => open.inner = open.inner.saturating_sub(1),
            },
            Part::ParameterOpens(spelling) if self.grammar == Grammar::Xml => {
                open.inner += usize::from(spelling.eq_ignore_ascii_case(&open.spelling));
            }
            Part::ParameterOpens(spelling) if open.nested == 0 && self.is_new(open, &spelling) => {
                let (this, before) = (self.grammar.parameter_start(&spelling), &open.name);
                self.complain(format!("`{this}` stands inside `{before}`, which is not closed"));
            }
            Part::CallOpens => match self.begins_example(rest, tag.len, ended) {
                Closes::Yes => open.nested += 1,
                Closes::Unknown => return Step::Wait,
                Closes::No => {}
            },
            Part::CallEnds if open.nested > 0 => open.nested -= 1,
            Part::CallEnds if open.may_lack_its_end() => {
                match self.ends_line(rest, tag.len, ended) {
                    Closes::Yes => {
                        let missing = self.grammar.parameter_end(&open.name);
                        self.notes.push(format!("added the missing `{missing}`"));
                        return Step::Done(tag.len);
                    }
                    Closes::Unknown => return Step::Wait,
                    Closes::No => {}
                }
            }
            _ => {}
        }
        self.take(open, &rest[..tag.len], sink)
    }

    /// What a tag means inside a value.
    fn part_in_value(&self, tag: &Tag<'_>, open: &Open) -> Part {
        let is_own = tag.name.eq_ignore_ascii_case(&open.spelling);
        match self.part(tag) {
            Part::CallEnds if is_own && self.grammar == Grammar::Xml => {
                Part::ParameterCloses(tag.name.to_owned())
            }
            Part::ParameterCloses(_) if !is_own && self.grammar == Grammar::Xml => Part::Other,
            part => part,
        }
    }

    /// Where the blanks behind `from` end; they are not looked at again.
    fn past_blanks(&mut self, rest: &str, from: usize) -> usize {
        let from = from.max(self.looked);
        self.looked = rest.len() - rest[from..].trim_start().len();
        self.looked
    }

    /// Whether the closing tag at the start of `rest` is followed by what makes it count.
    fn closes(&mut self, open: &Open, rest: &str, len: usize, ended: bool) -> Closes {
        let at = self.past_blanks(rest, len);
        let unknown = if ended { Closes::No } else { Closes::Unknown };
        let single_line = if open.multi_line { Closes::No } else { Closes::Yes };
        let next = &rest[at..];
        if next.is_empty() {
            return unknown;
        }
        if !next.starts_with('<') {
            return Closes::No;
        }
        let tag = match lex(next, |_| true) {
            Lexed::Tag(tag) => tag,
            Lexed::More => return unknown,
            Lexed::Not if next.starts_with("<!--") => return single_line,
            Lexed::Not if "<!--".starts_with(next) => return unknown,
            Lexed::Not => return Closes::No,
        };
        match self.part(&tag) {
            Part::CallEnds | Part::ParameterOpens(_) if open.nested > 0 => Closes::No,
            // A value over several lines may hold a line of source code with such tags in it.
            Part::CallEnds if open.multi_line => {
                ends_line(rest, at + tag.len, &mut self.looked_behind, ended)
            }
            Part::CallEnds => Closes::Yes,
            Part::ParameterOpens(_) if open.inner > 0 => Closes::No,
            Part::ParameterOpens(spelling) if self.is_new(open, &spelling) => Closes::Yes,
            // A misspelt or repeated parameter, unless it is text: a value over several lines
            // may well be a document with such tags.
            Part::ParameterOpens(_) => single_line,
            _ => Closes::No,
        }
    }

    /// Whether a tag opens a parameter of the tool that has not been given yet.
    fn is_new(&self, open: &Open, spelling: &str) -> bool {
        let Some(tool) = self.tool.as_deref() else { return true };
        let Some(name) = known_parameter(Some(tool), spelling) else { return false };
        let given = name == open.name || self.given.iter().any(|(given, _)| *given == name);
        !given || value::wants_list(tool.schema_of(&name))
    }

    /// Whether the call that opens inside a value has a parameter: then it is a whole example,
    /// whose end is not the end of this call.
    fn begins_example(&mut self, rest: &str, len: usize, ended: bool) -> Closes {
        let at = self.past_blanks(rest, len);
        let next = &rest[at..];
        let unknown = if ended { Closes::No } else { Closes::Unknown };
        if next.is_empty() {
            return unknown;
        }
        // In XML the tag names the tool; in the other forms the example may be of any tool.
        let is_known = |spelling: &str| {
            self.grammar != Grammar::Xml
                || known_parameter(self.tool.as_deref(), spelling).is_some()
        };
        match lex(next, |_| true) {
            Lexed::Tag(tag) => match self.part(&tag) {
                Part::ParameterOpens(spelling) if is_known(&spelling) => Closes::Yes,
                _ => Closes::No,
            },
            Lexed::More if next.starts_with('<') => unknown,
            _ => Closes::No,
        }
    }

    fn ends_line(&mut self, rest: &str, len: usize, ended: bool) -> Closes {
        ends_line(rest, len, &mut self.looked, ended)
    }

    /// The call is complete: its input, or why it has none.
    fn end(&mut self, sink: Sink<'_>) {
        if let Some(problem) = &self.problem {
            let message = format!("The call of `{}` is malformed: {problem}.", self.name);
            return sink(Event::Failed(self.failed(message)));
        }
        let given = std::mem::take(&mut self.given);
        let decoded = value::decode(self.tool.as_deref(), given, &mut self.notes);
        let (index, name) = (self.index, self.name.clone());
        sink(match decoded {
            Ok(input) => {
                let notes = std::mem::take(&mut self.notes);
                Event::Ended(ParsedCall { index, id: None, name, input, notes })
            }
            Err(problem) => Event::Failed(self.failed(problem)),
        });
    }

    fn failed(&self, message: String) -> FailedCall {
        let usage = usage(self.grammar, &self.name, self.tool.as_deref());
        let repair = format!("Send the whole call again in this form: {usage}");
        FailedCall::invalid(self.index, None, Some(self.name.clone()), message, repair)
    }

    /// The stream ended inside the call.
    pub(super) fn cut_off(self, sink: Sink<'_>) {
        if let Some(open) = &self.open {
            let message = self.cut_in_value(open);
            return sink(Event::Failed(self.failed(message)));
        }
        let end = self.grammar.call_end(&self.name);
        let message = format!("The call of `{}` was cut off: it has no `{end}`.", self.name);
        sink(Event::Failed(self.failed(message)));
    }

    fn cut_in_value(&self, open: &Open) -> String {
        let start = self.grammar.parameter_start(&open.name);
        let (close, end) =
            (self.grammar.parameter_end(&open.name), self.grammar.call_end(&self.name));
        let name = &self.name;
        if open.value.trim_end().ends_with(&close) {
            return format!("The call of `{name}` was cut off: it has no `{end}`.");
        }
        if open.value.contains(&close) || open.value.contains(&end) {
            return format!(
                "The call of `{name}` does not end: `{close}` closes `{start}` only where another \
                 parameter or `{end}` follows."
            );
        }
        format!("The call of `{name}` was cut off inside `{start}`.")
    }
}

impl Open {
    /// Whether the end of the call may stand for the missing end of this value: one word on one
    /// line, such as a path. More could be a text in which the end is only mentioned.
    fn may_lack_its_end(&self) -> bool {
        !self.multi_line && !self.has_closing && !self.value.trim().contains(char::is_whitespace)
    }
}

/// Whether nothing follows an end tag on its line, or another tag does. Blanks are looked at once.
fn ends_line(rest: &str, from: usize, looked: &mut usize, ended: bool) -> Closes {
    let from = from.max(*looked);
    let blanks = rest[from..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    *looked = from + blanks.count();
    match rest.as_bytes().get(*looked) {
        None if !ended => Closes::Unknown,
        None | Some(b'\n' | b'<') => Closes::Yes,
        Some(_) => Closes::No,
    }
}

/// What a call of the tool looks like, in one line.
fn usage(grammar: Grammar, name: &str, tool: Option<&KnownTool>) -> String {
    let parameters: Vec<&str> = match tool {
        Some(tool) if tool.required().next().is_some() => tool.required().collect(),
        Some(tool) => tool.parameters().take(1).collect(),
        None => vec!["parameter"],
    };
    let mut text = match grammar {
        Grammar::Xml => format!("<{name}>"),
        Grammar::Invoke => format!("<invoke name=\"{name}\">"),
        Grammar::Function => format!("<function={name}>"),
    };
    for parameter in parameters {
        text.push_str(&grammar.parameter_start(parameter));
        text.push('…');
        text.push_str(&grammar.parameter_end(parameter));
    }
    text.push_str(&grammar.call_end(name));
    text
}
