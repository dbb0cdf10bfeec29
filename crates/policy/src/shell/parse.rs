//! Reading commands: a recursive descent over a stated subset of bash.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{Command, Item, Kind, Part, Redirect, Script, When, Word};
use super::cursor::{Cursor, Refusal};
use super::words::ends_word;

/// Words that end a list of commands.
const ENDS_LIST: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];

pub(crate) struct Parser<'a> {
    pub(crate) cursor: Cursor<'a>,
    /// Here-documents whose text begins at the next line.
    pub(crate) pending: Vec<HereDocument>,
}

pub(crate) struct HereDocument {
    pub(crate) delimiter: String,
    pub(crate) strip_tabs: bool,
    pub(crate) literal: bool,
    pub(crate) text: Rc<OnceCell<Word>>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self::nested(text, 0)
    }

    pub(crate) fn nested(text: &'a str, depth: usize) -> Self {
        Self { cursor: Cursor::new(text, depth), pending: Vec::new() }
    }

    /// Everything, to the end.
    pub(crate) fn whole(&mut self) -> Result<Script, Refusal> {
        if self.cursor.rest().contains('\0') {
            return Err("it contains a NUL byte".to_owned());
        }
        let script = self.list()?;
        if let Some(c) = self.cursor.peek() {
            return Err(format!("`{c}` stands where no command can begin"));
        }
        if !self.pending.is_empty() {
            return Err("a here-document has no text".to_owned());
        }
        Ok(script)
    }

    /// The commands up to `end`, which is passed.
    pub(crate) fn enclosed_script(&mut self, end: &str) -> Result<Script, Refusal> {
        let outer = std::mem::take(&mut self.pending);
        let script = self.cursor_deeper(Self::list)?;
        if !self.pending.is_empty() {
            return Err("a here-document begins inside of brackets and ends outside".to_owned());
        }
        self.pending = outer;
        if !self.cursor.take(end) {
            return Err(format!("`{end}` is missing"));
        }
        Ok(script)
    }

    pub(crate) fn cursor_deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.cursor.enter()?;
        let done = inside(self);
        self.cursor.leave();
        done
    }

    pub(crate) fn list(&mut self) -> Result<Script, Refusal> {
        let mut items: Vec<Item> = Vec::new();
        let mut when = When::Always;
        loop {
            self.blank_lines()?;
            if self.at_list_end() {
                return if when == When::Always {
                    Ok(Script { items })
                } else {
                    Err("`&&` or `||` has nothing after it".to_owned())
                };
            }
            let negated = self.prefixes();
            let pipeline = self.pipeline()?;
            let first = items.len();
            items.push(Item { when, negated, background: false, pipeline });
            when = match self.separator() {
                Separator::And => When::And,
                Separator::Or => When::Or,
                Separator::Next => When::Always,
                Separator::Background => {
                    mark_background(&mut items, first);
                    When::Always
                }
                Separator::None => return Ok(Script { items }),
            };
        }
    }

    fn at_list_end(&self) -> bool {
        match self.cursor.peek() {
            None | Some(')' | ';') => true,
            Some(_) => ENDS_LIST.iter().any(|word| self.at_word(word)),
        }
    }

    /// The reserved word comes next, and ends there.
    pub(crate) fn at_word(&self, word: &str) -> bool {
        let rest = self.cursor.rest();
        rest.strip_prefix(word).is_some_and(|after| after.chars().next().is_none_or(ends_word))
    }

    pub(crate) fn take_word(&mut self, word: &str) -> Result<(), Refusal> {
        self.blank_lines()?;
        if self.at_word(word) {
            self.cursor.skip(word.len());
            Ok(())
        } else {
            Err(format!("`{word}` is missing"))
        }
    }

    fn separator(&mut self) -> Separator {
        self.blanks();
        if self.cursor.take("&&") {
            return Separator::And;
        }
        if self.cursor.take("||") {
            return Separator::Or;
        }
        if self.cursor.starts_with(";;") || self.cursor.starts_with(";&") {
            return Separator::None;
        }
        match self.cursor.peek() {
            Some('&') => {
                self.cursor.next();
                Separator::Background
            }
            Some(';') => {
                self.cursor.next();
                Separator::Next
            }
            Some('\n') => Separator::Next,
            _ => Separator::None,
        }
    }

    /// Spaces, tabs, lines that go on, comments.
    pub(crate) fn blanks(&mut self) {
        let mut blank = true;
        loop {
            match self.cursor.peek() {
                Some(' ' | '\t') => {
                    self.cursor.next();
                    blank = true;
                }
                Some('\\') if self.cursor.starts_with("\\\n") => {
                    self.cursor.skip(2);
                    blank = false;
                }
                Some('#') if blank => {
                    self.cursor.take_while(|c| c != '\n');
                }
                _ => return,
            }
        }
    }

    /// Blanks and line ends; here-documents are read where a line ends.
    pub(crate) fn blank_lines(&mut self) -> Result<(), Refusal> {
        loop {
            self.blanks();
            if self.cursor.peek() != Some('\n') {
                return Ok(());
            }
            self.cursor.next();
            self.here_documents()?;
        }
    }

    fn here_documents(&mut self) -> Result<(), Refusal> {
        for document in std::mem::take(&mut self.pending) {
            let text = self.here_document(&document)?;
            let _ = document.text.set(text);
        }
        Ok(())
    }

    fn here_document(&mut self, document: &HereDocument) -> Result<Word, Refusal> {
        let mut text = String::new();
        loop {
            let rest = self.cursor.rest();
            if rest.is_empty() {
                return Err("a here-document is not ended".to_owned());
            }
            let end = rest.find('\n').unwrap_or(rest.len());
            let line = self.cursor.skip(end);
            self.cursor.take("\n");
            let line = if document.strip_tabs { line.trim_start_matches('\t') } else { line };
            if line == document.delimiter {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        if document.literal {
            return Ok(Word { parts: vec![Part::Quoted(text)] });
        }
        let depth = self.cursor.depth();
        self.cursor_deeper(|_| Parser::nested(&text, depth).here_text())
    }

    fn pipeline(&mut self) -> Result<Vec<Command>, Refusal> {
        let mut commands = vec![self.command()?];
        loop {
            self.blanks();
            let both = self.cursor.starts_with("|&");
            if self.cursor.starts_with("||") || !(both || self.cursor.starts_with("|")) {
                return Ok(commands);
            }
            self.cursor.skip(if both { 2 } else { 1 });
            if both && let Some(command) = commands.last_mut() {
                command.redirects.push(Redirect::errors_too());
            }
            self.blank_lines()?;
            commands.push(self.command()?);
        }
    }

    /// `!` and `time`, which say how a pipeline is run, not what; whether there was a `!`.
    fn prefixes(&mut self) -> bool {
        let mut negated = false;
        loop {
            self.blanks();
            if self.at_word("!") {
                negated = true;
                self.cursor.skip(1);
            } else if self.at_word("time") {
                self.cursor.skip(4);
                self.blanks();
                if self.at_word("-p") {
                    self.cursor.skip(2);
                }
            } else {
                return negated;
            }
        }
    }

    fn command(&mut self) -> Result<Command, Refusal> {
        let kind = self.cursor_deeper(Self::command_kind)?;
        if let Kind::Simple { .. } = kind {
            return self.simple();
        }
        let redirects = self.redirects()?;
        Ok(Command { kind, redirects })
    }

    pub(crate) fn required_word(&mut self) -> Result<Word, Refusal> {
        let word = self.word()?;
        if word.parts.is_empty() {
            let place = self.cursor.peek().map_or("the end".to_owned(), |c| format!("`{c}`"));
            return Err(format!("{place} stands where a word should be"));
        }
        Ok(word)
    }
}

enum Separator {
    And,
    Or,
    Next,
    Background,
    None,
}

/// `a && b &` puts both into the background.
fn mark_background(items: &mut [Item], last: usize) {
    let mut at = last;
    loop {
        items[at].background = true;
        if items[at].when == When::Always || at == 0 {
            return;
        }
        at -= 1;
    }
}
