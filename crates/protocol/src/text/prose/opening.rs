//! Tags in prose that open a call.

use super::Prose;
use crate::event::{Event, Sink};
use crate::text::extract::proper_name;
use crate::text::forms::Form;
use crate::text::grammar::{Grammar, Part, known_parameter};
use crate::text::json_call::{Envelope, JsonCall};
use crate::text::tag::{Lexed, Tag, attributes, lex};
use crate::text::tagged::TaggedCall;
use crate::text::{Context, State, Step};
use crate::tools::KnownTool;

impl Prose {
    /// A tag with the name of a tool. It opens a call only where a parameter follows, or the end:
    /// otherwise it is a word about the tool.
    pub(super) fn open_xml(
        &mut self,
        rest: &str,
        tag: &Tag<'_>,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Option<Step> {
        let tool = context.tools.find(tag.name).cloned()?;
        let given = attribute_parameters(&tool, tag)?;
        if tag.self_closing {
            if given.is_empty() && tool.required().next().is_some() {
                return None;
            }
            let index = context.take_index();
            let call =
                TaggedCall::begin(Grammar::Xml, Some(tool.clone()), tool.name.clone(), index, sink);
            call.with_attributes(given).end_at_once(sink);
            return Some(Step::Used(tag.len));
        }
        let Some(behind) = self.behind(rest, tag.len, ended) else { return Some(Step::Wait) };
        if behind.starts_with('{') {
            let envelope = Envelope::Tag(tag.name.to_owned());
            let call = JsonCall::named(envelope, tag.name, None, context, sink);
            return Some(Step::Enter(tag.len, State::json(call)));
        }
        match opens_call(behind, &tool, context) {
            None if !ended => return Some(Step::Wait),
            Some(true) => {}
            _ => return None,
        }
        let index = context.take_index();
        let call =
            TaggedCall::begin(Grammar::Xml, Some(tool.clone()), tool.name.clone(), index, sink)
                .with_attributes(given);
        Some(Step::Enter(tag.len, State::Tagged(Box::new(call))))
    }

    /// A tag with a fixed word: `invoke`, `function=…`, `tool_call`, …
    pub(super) fn open_word(
        &mut self,
        rest: &str,
        tag: &Tag<'_>,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Option<Step> {
        match tag.local() {
            "invoke" if context.forms.has(Form::Invoke) => {
                let name = tag.attribute("name")?;
                if tag.self_closing {
                    begin_named(Grammar::Invoke, name, context, sink).end_at_once(sink);
                    return Some(Step::Used(tag.len));
                }
                self.open_named(Grammar::Invoke, name, rest, tag, ended, context, sink)
            }
            "function" if context.forms.has(Form::Function) => {
                let name = tag.assigned()?;
                self.open_named(Grammar::Function, name, rest, tag, ended, context, sink)
            }
            // In the middle of a line it is a word about thinking.
            "think" | "thinking" if tag.attributes.is_empty() && self.line.trim().is_empty() => {
                sink(Event::Text(&rest[..tag.len]));
                Some(Step::Enter(tag.len, State::Thinking(tag.name.to_owned(), 1)))
            }
            "tool_call" | "tool_calls" | "function_call" | "function_calls" => {
                self.open_envelope(rest, tag, ended, context)
            }
            _ => None,
        }
    }

    /// A tag that names a tool. It opens a call only where arguments or the end follow.
    #[expect(clippy::too_many_arguments, reason = "the parts of one tag, for its two spellings")]
    fn open_named(
        &mut self,
        grammar: Grammar,
        name: &str,
        rest: &str,
        tag: &Tag<'_>,
        ended: bool,
        context: &mut Context<'_>,
        sink: Sink<'_>,
    ) -> Option<Step> {
        let Some(behind) = self.behind(rest, tag.len, ended) else { return Some(Step::Wait) };
        if grammar == Grammar::Function && behind.starts_with('{') {
            let envelope = Envelope::Tag("function".to_owned());
            let call = JsonCall::named(envelope, name, None, context, sink);
            return Some(Step::Enter(tag.len, State::json(call)));
        }
        match opens_named(grammar, behind) {
            None if !ended => Some(Step::Wait),
            Some(true) => {
                let call = begin_named(grammar, name, context, sink);
                Some(Step::Enter(tag.len, State::Tagged(Box::new(call))))
            }
            _ => None,
        }
    }

    /// `<tool_call>` around JSON, or around another form.
    fn open_envelope(
        &mut self,
        rest: &str,
        tag: &Tag<'_>,
        ended: bool,
        context: &Context<'_>,
    ) -> Option<Step> {
        let Some(behind) = self.behind(rest, tag.len, ended) else { return Some(Step::Wait) };
        if behind.starts_with(['{', '[']) && context.forms.has(Form::ToolCall) {
            let call = JsonCall::anonymous(Envelope::Tag(tag.name.to_owned()));
            return Some(Step::Enter(tag.len, State::json(call)));
        }
        if !behind.starts_with('<') {
            return None;
        }
        match lex(behind, |_| true) {
            Lexed::More if !ended => Some(Step::Wait),
            Lexed::Tag(inner) if wraps(&inner, context) => {
                let used = rest.len() - behind.len();
                self.wrapper = Some(tag.name.to_owned());
                self.unsaid.push_str(&rest[..used]);
                Some(Step::Used(used))
            }
            _ => None,
        }
    }
}

fn wraps(inner: &Tag<'_>, context: &Context<'_>) -> bool {
    match inner.local() {
        "invoke" => context.forms.has(Form::Invoke) && inner.attribute("name").is_some(),
        "function" => context.forms.has(Form::Function) && inner.assigned().is_some(),
        _ => false,
    }
}

fn begin_named(
    grammar: Grammar,
    name: &str,
    context: &mut Context<'_>,
    sink: Sink<'_>,
) -> TaggedCall {
    let mut notes = Vec::new();
    let name = proper_name(name.to_owned(), context, &mut notes);
    let tool = context.tools.find(&name).cloned();
    let index = context.take_index();
    TaggedCall::begin(grammar, tool, name, index, sink).with_notes(notes)
}

/// Whether what follows a tag that names a tool makes it a call: a parameter, or the end.
fn opens_named(grammar: Grammar, behind: &str) -> Option<bool> {
    match lex(behind, |_| true) {
        Lexed::More => None,
        Lexed::Not if !behind.is_empty() && "<!--".starts_with(behind) => None,
        Lexed::Not => Some(behind.starts_with("<!--")),
        Lexed::Tag(tag) => {
            let part = grammar.part(&tag, "", None);
            Some(matches!(part, Part::ParameterOpens(_) | Part::CallEnds))
        }
    }
}

/// Whether what follows the tag of a tool makes it a call; `None` where it cannot be told yet.
fn opens_call(behind: &str, tool: &KnownTool, context: &Context<'_>) -> Option<bool> {
    if !behind.starts_with('<') {
        return Some(false);
    }
    match lex(behind, |_| true) {
        Lexed::More => None,
        Lexed::Not if "<!--".starts_with(behind) => None,
        Lexed::Not => Some(behind.starts_with("<!--")),
        Lexed::Tag(tag) => match Grammar::Xml.part(&tag, &tool.name, Some(tool)) {
            Part::CallEnds => Some(true),
            // A misspelt parameter is for the pipeline to refuse; the next tool in a list of
            // tools is none.
            Part::ParameterOpens(name) => Some(
                known_parameter(Some(tool), &name).is_some()
                    || (tag.attributes.is_empty() && context.tools.find(&name).is_none()),
            ),
            _ => Some(false),
        },
    }
}

/// Attributes that are parameters; `None` where one is not.
fn attribute_parameters(tool: &KnownTool, tag: &Tag<'_>) -> Option<Vec<(String, String)>> {
    if tag.attributes.is_empty() {
        return Some(Vec::new());
    }
    let given: Option<Vec<_>> = attributes(tag.attributes)
        .map(|(name, value)| Some((known_parameter(Some(tool), name)?, value.to_owned())))
        .collect();
    given.filter(|given| !given.is_empty())
}
