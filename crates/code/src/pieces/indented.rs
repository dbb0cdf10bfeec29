//! Languages whose blocks are indented, whether a keyword ends them or not.

use std::ops::Range;

use super::Kind;
use super::family::Language;
use super::header::is_word;
use super::literals::{Passed, may_begin, passed};
use super::outline::{Item, Outline};

const FUNCTIONS: &[&str] =
    &["def", "defp", "defmacro", "function", "func", "proc", "macro", "sub", "method", "fn"];
const TYPES: &[&str] = &["class", "module", "defmodule", "struct", "interface", "trait", "package"];
const MODIFIERS: &[&str] = &[
    "async",
    "local",
    "private",
    "public",
    "protected",
    "static",
    "export",
    "override",
    "abstract",
    "inline",
    "mutable",
    "final",
    "my",
    "our",
    "cdef",
    "cpdef",
];

struct Frame {
    indent: usize,
    function: bool,
    container: usize,
    item: Option<usize>,
}

struct Scanner<'o, 'a> {
    outline: &'o mut Outline<'a>,
    language: &'static Language,
    frames: Vec<Frame>,
    /// The comment right above, with its first and last line.
    comment: Option<(Range<usize>, usize, usize)>,
    /// The first line of the decorators right above.
    decorated: Option<usize>,
    /// The item whose body begins with the next line of code.
    fresh: Option<usize>,
    last_code_line: usize,
}

/// Finds what is defined in a text.
pub(super) fn scan(language: &'static Language, outline: &mut Outline<'_>) {
    let mut scanner = Scanner {
        outline,
        language,
        frames: Vec::new(),
        comment: None,
        decorated: None,
        fresh: None,
        last_code_line: 0,
    };
    scanner.run();
}

impl Scanner<'_, '_> {
    fn run(&mut self) {
        let mut line = 0;
        while line < self.outline.lines.len() {
            let range = self.outline.range(line, line);
            let trimmed = self.outline.text[range.clone()].trim();
            line = if trimmed.is_empty() {
                self.comment = None;
                line + 1
            } else if self.is_comment(trimmed) {
                self.add_comment(range, line);
                line + 1
            } else {
                self.statement(line)
            };
        }
        let end = self.last_code_line;
        while let Some(frame) = self.frames.pop() {
            self.close(&frame, end);
        }
    }

    fn is_comment(&self, trimmed: &str) -> bool {
        self.language.line_comments.iter().any(|mark| trimmed.as_bytes().starts_with(mark))
    }

    fn add_comment(&mut self, range: Range<usize>, line: usize) {
        self.comment = match self.comment.take() {
            Some((known, first, last)) if last + 1 == line => {
                Some((known.start..range.end, first, line))
            }
            _ => Some((range, line, line)),
        };
    }

    /// A statement that begins on a line; gives the line after it.
    fn statement(&mut self, line: usize) -> usize {
        let start = self.outline.lines[line] + self.outline.indent(line);
        let (end, last_line) = self.statement_end(start, line);
        let text = self.outline.text.get(start..end).unwrap_or("");
        let closes = ["end", "}", ")", "]", "fi", "done", "else", "elsif", "rescue", "ensure"]
            .iter()
            .any(|mark| {
                text.starts_with(mark)
                    && !text[mark.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            });
        self.dedent(self.outline.indent(line), line, closes);
        if let Some(item) = self.fresh.take()
            && is_text(text)
        {
            self.outline.items[item].inner_comment = start..end;
        }
        self.last_code_line = last_line;
        if text.starts_with('@') {
            self.decorated.get_or_insert(self.comment.take().map_or(line, |(_, first, _)| first));
            return last_line + 1;
        }
        if !self.frames.last().is_some_and(|frame| frame.function) {
            self.define(text, start..end, line);
        }
        self.comment = None;
        self.decorated = None;
        last_line + 1
    }

    /// Where a statement ends: brackets and long texts go on over lines.
    fn statement_end(&self, start: usize, first: usize) -> (usize, usize) {
        let text = self.outline.text.as_bytes();
        let (mut at, mut line, mut depth) = (start, first, 0_usize);
        let mut before = 0;
        while let Some(&byte) = text.get(at) {
            if byte == b'\n' {
                let open = depth > 0 && self.language.triple && line - first < 200;
                if !open && before != b'\\' {
                    break;
                }
                line += 1;
            } else if may_begin(byte) {
                if let Passed::Comment(end) | Passed::Text(end) =
                    passed(self.language, text, at, before)
                {
                    let end = end.clamp(at + 1, text.len());
                    line += memchr::memchr_iter(b'\n', &text[at..end]).count();
                    at = end;
                    continue;
                }
            } else if matches!(byte, b'(' | b'[' | b'{') {
                depth += 1;
            } else if matches!(byte, b')' | b']' | b'}') {
                depth = depth.saturating_sub(1);
            }
            before = byte;
            at += 1;
        }
        (at, line.min(self.outline.lines.len().saturating_sub(1)))
    }

    fn dedent(&mut self, indent: usize, line: usize, closes: bool) {
        while let Some(frame) = self.frames.pop_if(|frame| indent <= frame.indent) {
            let with_this = closes && indent == frame.indent && !self.language.triple;
            let end = if with_this { line } else { self.last_code_line };
            self.close(&frame, end);
            self.fresh = None;
            if !frame.function {
                let outer = self.frames.last().map_or(0, |frame| frame.container);
                self.outline.owned_by(end + 1, outer);
            }
        }
    }

    fn close(&mut self, frame: &Frame, line: usize) {
        if let Some(item) = frame.item {
            let item = &mut self.outline.items[item];
            item.last_line = line.max(item.first_line);
        }
    }

    fn define(&mut self, text: &str, range: Range<usize>, line: usize) {
        let Some((function, name, owner)) = definition(text) else { return };
        let (comment, mut first_line) = match self.comment.take() {
            Some((range, first, _)) => (range, first),
            None => (range.start..range.start, line),
        };
        if let Some(decorated) = self.decorated {
            first_line = first_line.min(decorated);
        }
        let outer = self.frames.last().map_or(0, |frame| frame.container);
        let named_so = name.starts_with("test_") || (!function && name.starts_with("Test"));
        let own = if function { self.outline.container(outer, owner, named_so) } else { outer };
        self.end_item_before(first_line);
        let is_test = named_so || self.outline.containers[outer].test;
        self.outline.items.push(Item {
            kind: if function { Kind::Function } else { Kind::Type },
            name: name.to_owned(),
            container: own,
            first_line,
            last_line: line,
            comment,
            inner_comment: 0..0,
            header: range,
            test: is_test,
            joinable: false,
        });
        let item = self.outline.items.len() - 1;
        let container = if function { own } else { self.outline.container(outer, name, is_test) };
        if !function {
            self.outline.owned_by(line, container);
        }
        let indent = self.outline.indent(line);
        self.frames.push(Frame { indent, function, container, item: Some(item) });
        self.fresh = Some(item);
    }

    fn end_item_before(&mut self, line: usize) {
        for frame in self.frames.iter_mut().rev() {
            if let Some(outer) = frame.item.take() {
                let outer = &mut self.outline.items[outer];
                outer.last_line = line.saturating_sub(1).max(outer.first_line);
                return;
            }
        }
    }
}

/// A statement that is nothing but a text documents what it stands in.
fn is_text(statement: &str) -> bool {
    let plain = statement.trim_start_matches(['r', 'u', 'R', 'U']);
    plain.starts_with(['"', '\''])
}

/// Whether it is a function, its name, and what it belongs to.
fn definition(statement: &str) -> Option<(bool, &str, &str)> {
    let mut rest = statement;
    loop {
        let (word, after) = next_word(rest);
        if word.is_empty() {
            return None;
        }
        let spaced = after.starts_with([' ', '\t']);
        if FUNCTIONS.contains(&word) && (spaced || after.starts_with('(')) {
            let name = dotted(after.trim_start());
            return (!name.is_empty()).then(|| with_owner(true, name));
        }
        if TYPES.contains(&word) && spaced {
            let name = dotted(after.trim_start());
            return (!name.is_empty()).then(|| with_owner(false, name));
        }
        if !(MODIFIERS.contains(&word) && spaced) {
            return assigned(statement);
        }
        rest = after.trim_start();
    }
}

/// `name() {` of shells, `name = function(` of Lua.
fn assigned(statement: &str) -> Option<(bool, &str, &str)> {
    let start = statement.strip_prefix("local ").unwrap_or(statement);
    let name = dotted(start);
    let after = start[name.len()..].trim_start();
    let shell = after.starts_with("()") && !after.contains(';');
    let value =
        after.strip_prefix('=').is_some_and(|value| value.trim_start().starts_with("function"));
    (!name.is_empty() && (shell || value)).then(|| with_owner(true, name))
}

fn next_word(text: &str) -> (&str, &str) {
    let end = text.bytes().take_while(|byte| is_word(*byte)).count();
    (text.get(..end).unwrap_or(""), text.get(end..).unwrap_or(""))
}

/// A name with what it belongs to: `self.name`, `M:name`, `A::B`.
fn dotted(text: &str) -> &str {
    let end = text
        .bytes()
        .take_while(|byte| is_word(*byte) || matches!(byte, b'.' | b':' | b'?' | b'!' | b'-'));
    text.get(..end.count()).unwrap_or("").trim_end_matches([':', '.', '-'])
}

fn with_owner(function: bool, name: &str) -> (bool, &str, &str) {
    match name.rfind(['.', ':']) {
        Some(at) if function => {
            let owner = name[..at].trim_end_matches(':');
            (function, &name[at + 1..], if owner == "self" { "" } else { owner })
        }
        _ => (function, name, ""),
    }
}
