//! Simple commands: assignments, words, redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::ast::{Assignment, Command, Kind, Part, Redirect, RedirectKind, Word};
use super::cursor::Refusal;
use super::parse::{HereDocument, Parser};

/// The longest first, where one begins another.
const OPERATORS: [(&str, RedirectKind); 12] = [
    ("<<<", RedirectKind::Text),
    ("<<-", RedirectKind::Text),
    ("<<", RedirectKind::Text),
    ("<&", RedirectKind::Duplicate),
    ("<>", RedirectKind::ReadWrite),
    ("<", RedirectKind::Read),
    (">>", RedirectKind::Write),
    (">&", RedirectKind::Duplicate),
    (">|", RedirectKind::Write),
    (">", RedirectKind::Write),
    ("&>>", RedirectKind::Write),
    ("&>", RedirectKind::Write),
];

impl Parser<'_> {
    pub(crate) fn simple(&mut self) -> Result<Command, Refusal> {
        let mut assignments = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                assignments.push(assignment);
                continue;
            }
            let word = self.word()?;
            if word.parts.is_empty() {
                break;
            }
            if self.at_variable_redirect(&word) {
                return Err("it keeps a file descriptor in a variable".to_owned());
            }
            words.push(word);
        }
        if self.cursor.peek() == Some('(') {
            return Err("it defines a function or has brackets where none can be".to_owned());
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            let place = self.cursor.peek().map_or("the end".to_owned(), |c| format!("`{c}`"));
            return Err(format!("{place} stands where a command should be"));
        }
        Ok(Command { kind: Kind::Simple { assignments, words }, redirects })
    }

    /// `{fd}>file`
    fn at_variable_redirect(&self, word: &Word) -> bool {
        let name = word.literal();
        let name = name.as_deref().and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
        name.is_some_and(is_name) && self.cursor.peek().is_some_and(|c| c == '<' || c == '>')
    }

    fn assignment(&mut self) -> Result<Option<Assignment>, Refusal> {
        let rest = self.cursor.rest();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = &rest[..end];
        let after = &rest[end..];
        if !is_name(name) {
            return Ok(None);
        }
        if after.starts_with('[') {
            return Err("it may set an element of an array".to_owned());
        }
        let append = after.starts_with("+=");
        if !append && !after.starts_with('=') {
            return Ok(None);
        }
        self.cursor.skip(end + if append { 2 } else { 1 });
        if self.cursor.peek() == Some('(') {
            return Err("it sets an array".to_owned());
        }
        let value = self.word()?;
        Ok(Some(Assignment { name: name.to_owned(), value, append }))
    }

    pub(crate) fn redirects(&mut self) -> Result<Vec<Redirect>, Refusal> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, Refusal> {
        let rest = self.cursor.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = &rest[digits..];
        if after.starts_with("<(") || after.starts_with(">(") {
            return Ok(None);
        }
        let found = OPERATORS.iter().find(|(operator, _)| after.starts_with(operator));
        let Some((operator, kind)) = found else { return Ok(None) };
        if digits > 0 && operator.starts_with('&') {
            return Ok(None);
        }
        let descriptor = Some(self.cursor.skip(digits).to_owned()).filter(|text| !text.is_empty());
        self.cursor.skip(operator.len());
        self.blanks();
        let mut redirect = match *operator {
            "<<" | "<<-" => self.begin_here_document(*operator == "<<-")?,
            "<&" | ">&" => self.duplicate(operator)?,
            _ => Redirect {
                kind: *kind,
                descriptor: None,
                target: self.required_word()?,
                here: None,
            },
        };
        redirect.descriptor = descriptor;
        Ok(Some(redirect))
    }

    fn duplicate(&mut self, operator: &str) -> Result<Redirect, Refusal> {
        let target = self.required_word()?;
        let number = target.bare().is_some_and(|text| {
            let digits = text.trim_end_matches('-');
            text == "-"
                || (!digits.is_empty()
                    && digits.chars().all(|c| c.is_ascii_digit())
                    && text.len() - digits.len() < 2)
        });
        if number {
            return Ok(Redirect {
                kind: RedirectKind::Duplicate,
                descriptor: None,
                target,
                here: None,
            });
        }
        if operator == ">&" && target.literal().is_some() {
            return Ok(Redirect {
                kind: RedirectKind::Write,
                descriptor: None,
                target,
                here: None,
            });
        }
        Err("a file descriptor is known only when it runs".to_owned())
    }

    fn begin_here_document(&mut self, strip_tabs: bool) -> Result<Redirect, Refusal> {
        let word = self.required_word()?;
        let delimiter = word.literal().filter(|text| !text.is_empty() && !text.contains('\n'));
        let delimiter =
            delimiter.ok_or_else(|| "the end of a here-document is not plain".to_owned())?;
        let literal = word.parts.iter().any(|part| matches!(part, Part::Quoted(_)));
        let text = Rc::new(OnceCell::new());
        let here = Some(Rc::clone(&text));
        self.pending.push(HereDocument { delimiter, strip_tabs, literal, text });
        Ok(Redirect { kind: RedirectKind::Text, descriptor: None, target: Word::default(), here })
    }
}

/// Whether it can be the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
