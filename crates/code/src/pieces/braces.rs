//! Languages with braces: what is between a statement's begin and `{` says what the block is.

use std::ops::Range;

use super::Kind;
use super::family::Language;
use super::header::{Announced, announced, says_test};
use super::literals::{Passed, may_begin, passed};
use super::outline::{Item, Outline};

/// Deeper blocks are not told apart.
const MAX_DEPTH: usize = 512;

/// A block that is open.
struct Frame {
    /// How far the line is indented on which its statement begins.
    indent: usize,
    line: usize,
    /// Open brackets around it.
    brackets: usize,
    holds: Holds,
    /// What its lines are parts of.
    container: usize,
    /// The item that ends with it.
    item: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Definitions.
    Items,
    /// Statements, or nothing that is looked at.
    Code,
}

struct Scanner<'o, 'a> {
    outline: &'o mut Outline<'a>,
    language: &'static Language,
    frames: Vec<Frame>,
    /// Braces beyond [`MAX_DEPTH`].
    too_deep: usize,
    line: usize,
    brackets: usize,
    /// Where the statement began, and its line.
    statement: Option<(usize, usize)>,
    /// The comment above it, with its first and last line.
    comment: Option<(Range<usize>, usize, usize)>,
    /// The last byte of code, and its line.
    before: u8,
    code_line: Option<usize>,
}

/// Finds what is defined in a text.
pub(super) fn scan(language: &'static Language, outline: &mut Outline<'_>) {
    let mut scanner = Scanner {
        outline,
        language,
        frames: Vec::new(),
        too_deep: 0,
        line: 0,
        brackets: 0,
        statement: None,
        comment: None,
        before: 0,
        code_line: None,
    };
    scanner.run();
}

impl Scanner<'_, '_> {
    fn run(&mut self) {
        let text = self.outline.text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at = match byte {
                b'\n' => {
                    self.next_line(text, at + 1);
                    at + 1
                }
                b' ' | b'\t' | b'\r' => at + 1,
                _ if may_begin(byte) => self.literal(text, at),
                _ => {
                    self.code(byte, at);
                    at + 1
                }
            };
        }
        while let Some(frame) = self.frames.pop() {
            self.close(&frame, self.outline.lines.len().saturating_sub(1));
        }
    }

    fn next_line(&mut self, text: &[u8], start: usize) {
        self.line += 1;
        // A blank line parts a comment from what follows.
        let blank = text[start..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        if self.statement.is_none() && matches!(blank, Some(b'\n') | None) {
            self.comment = None;
        }
    }

    fn literal(&mut self, text: &[u8], at: usize) -> usize {
        if text[at] == b'#' && self.language.preprocessor && self.code_line != Some(self.line) {
            return self.directive(text, at);
        }
        let end = match passed(self.language, text, at, self.before) {
            Passed::Nothing => {
                self.code(text[at], at);
                return at + 1;
            }
            Passed::Comment(end) => {
                self.add_comment(at..end.min(text.len()));
                end
            }
            Passed::Text(end) => {
                self.code(b'"', at);
                end
            }
        };
        let end = end.clamp(at + 1, text.len());
        self.line += memchr::memchr_iter(b'\n', &text[at..end]).count();
        end
    }

    /// A line of the preprocessor and those that it goes on with.
    fn directive(&mut self, text: &[u8], at: usize) -> usize {
        let mut end = at;
        loop {
            end += memchr::memchr(b'\n', &text[end..]).unwrap_or(text.len() - end);
            let continued = text[at..end].trim_ascii_end().ends_with(b"\\");
            if !continued || end >= text.len() {
                break;
            }
            self.line += 1;
            end += 1;
        }
        end.max(at + 1)
    }

    fn add_comment(&mut self, range: Range<usize>) {
        if self.statement.is_some() || self.code_line == Some(self.line) {
            return;
        }
        let last_line = self.line
            + memchr::memchr_iter(b'\n', &self.outline.text.as_bytes()[range.clone()]).count();
        self.comment = match self.comment.take() {
            Some((known, first, last)) if last + 1 >= self.line => {
                Some((known.start..range.end, first, last_line))
            }
            _ => Some((range, self.line, last_line)),
        };
    }

    fn code(&mut self, byte: u8, at: usize) {
        let new_line = self.code_line != Some(self.line);
        if new_line && self.language.line_ends && self.statement_ends_before(byte) {
            self.end_statement(at);
        }
        self.code_line = Some(self.line);
        match byte {
            b'{' => self.open(at),
            b'}' => self.close_brace(new_line),
            b'(' | b'[' => {
                self.begin(at);
                self.brackets += 1;
            }
            b')' | b']' => {
                self.begin(at);
                self.brackets = self.brackets.saturating_sub(1);
            }
            b';' if self.brackets == 0 => self.end_statement(at),
            _ => self.begin(at),
        }
        self.before = byte;
    }

    fn begin(&mut self, at: usize) {
        if self.statement.is_none() {
            self.statement = Some((at, self.line));
        }
    }

    /// Whether the end of the last line of code ended the statement, now that the next begins.
    fn statement_ends_before(&self, byte: u8) -> bool {
        self.statement.is_some()
            && self.brackets == 0
            && !b"{.:=?&|+-*/)]},".contains(&byte)
            && !b",=+-*/&|<>?:.([".contains(&self.before)
            && !self.attribute()
    }

    /// Annotations stand on lines of their own above what they belong to.
    fn attribute(&self) -> bool {
        let start = self.statement.map_or(0, |(start, _)| start);
        matches!(self.outline.text.as_bytes().get(start), Some(b'@' | b'#'))
            && self.statement.is_some_and(|(_, line)| line + 8 > self.line)
    }

    fn in_code(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.holds == Holds::Code)
    }

    fn container(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.container)
    }

    fn header(&self, end: usize) -> (&str, usize) {
        match self.statement {
            Some((start, line)) => (self.outline.text.get(start..end).unwrap_or(""), line),
            None => ("", self.line),
        }
    }

    fn open(&mut self, at: usize) {
        if self.frames.len() >= MAX_DEPTH {
            self.too_deep += 1;
            return;
        }
        self.recover(at);
        let (header, line) = self.header(at);
        let indent = self.outline.indent(line);
        let mut frame = Frame {
            indent,
            line,
            brackets: self.brackets,
            holds: Holds::Code,
            container: self.container(),
            item: None,
        };
        if !self.in_code() {
            let test = says_test(header);
            match announced(self.language, header) {
                // A callback: what is in it may be all that there is.
                _ if self.brackets > 0 => {
                    frame.holds = if self.language.script { Holds::Items } else { Holds::Code };
                }
                Announced::Function { name, owner } => {
                    frame.item = Some(self.start(Kind::Function, name, &owner, at, test));
                }
                Announced::Container { name } => {
                    let container =
                        self.outline.container(frame.container, &name, test || name == "tests");
                    frame.item = Some(self.start(Kind::Type, name, "", at, test));
                    frame.container = container;
                    frame.holds = Holds::Items;
                    self.outline.owned_by(self.line, container);
                }
                Announced::Declaration { name } => {
                    frame.item = Some(self.start(Kind::Declaration, name, "", at, test));
                }
                Announced::Transparent => frame.holds = Holds::Items,
                Announced::Opaque => {}
            }
        }
        self.frames.push(frame);
        self.statement = None;
        self.comment = None;
        self.brackets = 0;
    }

    /// A definition that stands no further right than the function which it would be in: a
    /// brace is missing above.
    fn recover(&mut self, at: usize) {
        let Some((_, line)) = self.statement else { return };
        let indent = self.outline.indent(line);
        let lost = self.frames.last().is_some_and(|frame| {
            frame.holds == Holds::Code
                && frame.item.is_some()
                && frame.indent >= indent
                && frame.line < line
        });
        if !lost {
            return;
        }
        let (header, _) = self.header(at);
        let found = announced(self.language, header);
        if matches!(found, Announced::Function { .. } | Announced::Container { .. }) {
            while let Some(frame) =
                self.frames.pop_if(|frame| frame.holds == Holds::Code && frame.indent >= indent)
            {
                self.close(&frame, line.saturating_sub(1));
            }
        }
    }

    /// Adds the item whose body begins at `at`; gives its number.
    fn start(&mut self, kind: Kind, name: String, owner: &str, at: usize, test: bool) -> usize {
        let (start, line) = self.statement.unwrap_or((at, self.line));
        let (comment, first_line) = match self.comment.take() {
            Some((range, first, last)) if last + 1 >= line => (range, first),
            _ => (start..start, line),
        };
        let mut container = self.container();
        if !owner.is_empty() {
            container = self.outline.container(container, owner, false);
        }
        let test = test || self.outline.containers[container].test;
        self.end_items_before(first_line);
        self.outline.items.push(Item {
            kind,
            name,
            container,
            first_line,
            last_line: self.line,
            comment,
            inner_comment: 0..0,
            header: start..at,
            test,
            joinable: false,
        });
        self.outline.items.len() - 1
    }

    /// The items that hold this one end before it, so that none overlap.
    fn end_items_before(&mut self, line: usize) {
        for frame in self.frames.iter_mut().rev() {
            if let Some(outer) = frame.item.take() {
                let outer = &mut self.outline.items[outer];
                outer.last_line = line.saturating_sub(1).max(outer.first_line);
                return;
            }
        }
    }

    fn close_brace(&mut self, first_on_line: bool) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        self.statement = None;
        self.comment = None;
        if first_on_line {
            // Where braces do not match, the indentation tells which one is closed.
            let indent = self.outline.indent(self.line);
            while self.frames.len() > 1 {
                let Some(frame) = self.frames.pop_if(|frame| frame.indent > indent) else { break };
                self.close(&frame, self.line.saturating_sub(1));
            }
        }
        if let Some(frame) = self.frames.pop() {
            self.brackets = frame.brackets;
            self.close(&frame, self.line);
        }
    }

    fn close(&mut self, frame: &Frame, line: usize) {
        if let Some(item) = frame.item {
            let item = &mut self.outline.items[item];
            item.last_line = line.max(item.last_line);
        }
        if frame.holds == Holds::Items {
            let container = self.container();
            self.outline.owned_by(line + 1, container);
        }
        if self.brackets == 0 && frame.brackets > 0 && self.in_code() {
            self.brackets = frame.brackets;
        }
    }

    /// A statement without a block.
    fn end_statement(&mut self, at: usize) {
        let last_line = self.code_line.unwrap_or(self.line);
        if !self.in_code()
            && let Some((_, line)) = self.statement
        {
            let (header, _) = self.header(at);
            let test = says_test(header);
            let documented = self.comment.as_ref().is_some_and(|(_, _, last)| last + 1 >= line);
            match announced(self.language, header.trim_end()) {
                Announced::Function { name, owner }
                    if self.brackets == 0 && looks_declared(self.language, header) =>
                {
                    let item = self.start(Kind::Function, name, &owner, at, test);
                    self.end_short(item, last_line, documented);
                }
                Announced::Container { name } | Announced::Declaration { name }
                    if !name.is_empty() =>
                {
                    let item = self.start(Kind::Declaration, name, "", at, test);
                    self.end_short(item, last_line, documented);
                }
                _ => {}
            }
        }
        self.statement = None;
        self.comment = None;
    }

    fn end_short(&mut self, item: usize, last_line: usize, documented: bool) {
        let item = &mut self.outline.items[item];
        item.last_line = last_line.max(item.first_line);
        item.joinable = !documented && item.last_line - item.first_line < 4;
    }
}

/// `int f(int x)` declares, `f(x)` calls.
fn looks_declared(language: &Language, header: &str) -> bool {
    if !language.bare_functions {
        return true;
    }
    let before = header.split('(').next().unwrap_or("");
    before.split_whitespace().count() > 1 && !header.trim_start().starts_with("return")
}
