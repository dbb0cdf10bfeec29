//! Reading words: quotes, expansions, wildcards.

use super::ast::{Part, Word};
use super::cursor::Refusal;
use super::parse::Parser;

/// Where a text is read: what ends it and what is special in it differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// A word of a command.
    Word,
    /// `${x:-…}` without quotes around it.
    Braces,
    /// Double quotes.
    Quotes,
    /// `"${x:-…}"`
    QuotedBraces,
    /// The text of a here-document.
    HereDocument,
}

impl Inside {
    fn quoted(self) -> bool {
        matches!(self, Self::Quotes | Self::QuotedBraces | Self::HereDocument)
    }
}

/// What ends a word.
pub(crate) fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

/// Characters that no shell agrees on outside of quotes.
fn is_odd(c: char) -> bool {
    (c.is_control() && c != '\t' && c != '\n')
        || (c.is_whitespace() && !matches!(c, ' ' | '\t' | '\n'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Parts as they come in, with literal text run together.
#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn bare(&mut self, c: char) {
        match self.0.last_mut() {
            Some(Part::Bare(text)) => text.push(c),
            _ => self.0.push(Part::Bare(c.to_string())),
        }
    }

    /// A `~` after this may stand for a folder: in what looks like an assignment, and where
    /// braces are expanded before it.
    fn may_precede_tilde(&self) -> bool {
        match self.0.last() {
            Some(Part::Bare(text)) => text.ends_with(['=', ':']),
            Some(Part::Brace(_)) => true,
            _ => false,
        }
    }

    fn quoted(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.0.push(Part::Quoted(text.to_owned())),
        }
    }
}

impl Parser<'_> {
    /// Reads a word; empty parts where there is none.
    pub(crate) fn word(&mut self) -> Result<Word, Refusal> {
        let mut parts = Parts::default();
        if self.cursor.peek() == Some('#') {
            // Comments are passed before words; this one follows a line that goes on.
            return Err("`#` after a line that goes on may be a comment".to_owned());
        }
        if self.cursor.peek() == Some('~') {
            self.tilde(&mut parts)?;
        }
        self.parts(Inside::Word, &mut parts)?;
        Ok(Word { parts: parts.0 })
    }

    /// Reads the text of a here-document that has expansions.
    pub(crate) fn here_text(&mut self) -> Result<Word, Refusal> {
        let mut parts = Parts::default();
        self.parts(Inside::HereDocument, &mut parts)?;
        Ok(Word { parts: parts.0 })
    }

    fn tilde(&mut self, parts: &mut Parts) -> Result<(), Refusal> {
        let ends = self.cursor.second().is_none_or(|c| c == '/' || ends_word(c));
        if !ends {
            return Err("`~` with a name stands for a folder that is not known".to_owned());
        }
        self.cursor.next();
        parts.0.push(Part::Tilde);
        Ok(())
    }

    fn parts(&mut self, inside: Inside, parts: &mut Parts) -> Result<(), Refusal> {
        while let Some(c) = self.cursor.peek() {
            if self.at_end_of(inside, c) {
                return Ok(());
            }
            self.part(inside, c, parts)?;
        }
        match inside {
            Inside::Word | Inside::HereDocument => Ok(()),
            Inside::Quotes | Inside::QuotedBraces => Err("a double quote is not closed".to_owned()),
            Inside::Braces => Err("a `${` is not closed".to_owned()),
        }
    }

    fn at_end_of(&self, inside: Inside, c: char) -> bool {
        match inside {
            Inside::Word => ends_word(c) && !self.at_process_substitution(),
            Inside::Braces | Inside::QuotedBraces => c == '}',
            Inside::Quotes => c == '"',
            Inside::HereDocument => false,
        }
    }

    fn at_process_substitution(&self) -> bool {
        self.cursor.starts_with("<(") || self.cursor.starts_with(">(")
    }

    fn part(&mut self, inside: Inside, c: char, parts: &mut Parts) -> Result<(), Refusal> {
        match c {
            '\\' => self.escape(inside, parts),
            '$' => self.dollar(inside, parts),
            '`' => self.backticks(inside, parts),
            '\'' | '"' if inside == Inside::QuotedBraces => {
                Err("quotes inside `\"${…}\"` mean different things to different shells".to_owned())
            }
            '\'' if !inside.quoted() => self.single_quotes(parts),
            '"' if !inside.quoted() => self.double_quotes(parts),
            '<' | '>' if inside == Inside::Word => self.process_substitution(parts),
            '<' | '>' if inside == Inside::Braces && self.at_process_substitution() => {
                Err("it starts a process inside of `${…}`".to_owned())
            }
            _ if inside.quoted() => {
                self.cursor.next();
                parts.quoted(c.encode_utf8(&mut [0; 4]));
                Ok(())
            }
            '~' if inside == Inside::Word && parts.may_precede_tilde() => {
                Err("a `~` inside of a word may stand for a folder".to_owned())
            }
            _ if is_odd(c) => {
                Err(format!("it has the character {} outside of quotes", c.escape_unicode()))
            }
            _ => {
                self.cursor.next();
                plain(c, parts);
                Ok(())
            }
        }
    }

    fn escape(&mut self, inside: Inside, parts: &mut Parts) -> Result<(), Refusal> {
        self.cursor.next();
        let Some(next) = self.cursor.next() else {
            return Err("it ends in a backslash".to_owned());
        };
        let special = match inside {
            Inside::Word | Inside::Braces => true,
            Inside::Quotes | Inside::QuotedBraces => matches!(next, '$' | '`' | '"' | '\\'),
            Inside::HereDocument => matches!(next, '$' | '`' | '\\'),
        };
        if next == '\n' {
            // Shells take both away before they look at anything else, so that `$` in one line
            // and `(` in the next belong together.
            return Err("a line goes on in the middle of a word".to_owned());
        }
        if !special {
            parts.quoted("\\");
        }
        parts.quoted(next.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn single_quotes(&mut self, parts: &mut Parts) -> Result<(), Refusal> {
        self.cursor.next();
        let text = self.cursor.take_while(|c| c != '\'');
        if self.cursor.next().is_none() {
            return Err("a single quote is not closed".to_owned());
        }
        parts.quoted(text);
        Ok(())
    }

    fn double_quotes(&mut self, parts: &mut Parts) -> Result<(), Refusal> {
        self.cursor.next();
        // An empty pair of quotes is still an argument.
        parts.quoted("");
        self.parts(Inside::Quotes, parts)?;
        self.cursor.next();
        Ok(())
    }

    fn dollar(&mut self, inside: Inside, parts: &mut Parts) -> Result<(), Refusal> {
        let quoted = inside.quoted();
        match self.cursor.second() {
            Some('(') if self.cursor.starts_with("$((") => {
                self.cursor.skip(3);
                parts.0.push(self.arithmetic()?);
            }
            Some('(') => {
                self.cursor.skip(2);
                let script = self.enclosed_script(")")?;
                parts.0.push(Part::Command { script, quoted });
            }
            Some('{') => {
                self.cursor.skip(2);
                let part = self.cursor_deeper(|parser| parser.braces(quoted))?;
                parts.0.push(part);
            }
            Some('[') => return Err("`$[` is arithmetic that is not followed here".to_owned()),
            Some('\'') if !quoted => {
                self.cursor.skip(2);
                let text = self.ansi_quotes()?;
                parts.quoted(&text);
            }
            Some('"') if !quoted => return Err("`$\"` is translated by the shell".to_owned()),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                self.cursor.next();
                let name =
                    self.cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_').to_owned();
                parts.0.push(Part::Parameter {
                    name,
                    plain: true,
                    quoted,
                    braced: false,
                    inner: Vec::new(),
                });
            }
            Some(c) if c.is_ascii_digit() || "?#@*$!-".contains(c) => {
                self.cursor.skip(2);
                let name = c.to_string();
                parts.0.push(Part::Parameter {
                    name,
                    plain: true,
                    quoted,
                    braced: false,
                    inner: Vec::new(),
                });
            }
            _ => {
                self.cursor.next();
                parts.quoted("$");
            }
        }
        Ok(())
    }

    /// The rest of `$((` and of `((`: only sums and products of numbers. Names are evaluated, and
    /// what they hold may be code; what fails, as a division by zero does, ends the line.
    pub(crate) fn arithmetic(&mut self) -> Result<Part, Refusal> {
        let other = "arithmetic is only followed where it is sums and products of numbers";
        let (mut natural, mut grows, mut digits) = (true, false, 0_usize);
        let mut number_next = true;
        loop {
            self.cursor.take_while(|c| c == ' ' || c == '\t');
            if number_next {
                let number = self.cursor.take_while(|c| c.is_ascii_digit());
                if number.is_empty() || (number.len() > 1 && number.starts_with('0')) {
                    return Err(other.to_owned());
                }
                digits += number.len();
                number_next = false;
                continue;
            }
            match self.cursor.next() {
                Some(')') if self.cursor.take(")") => {
                    let small = digits <= if grows { 4 } else { 9 };
                    return Ok(Part::Arithmetic { natural: natural && small });
                }
                Some('-') => natural = false,
                Some('*') => grows = true,
                Some('+') => {}
                _ => return Err(other.to_owned()),
            }
            number_next = true;
        }
    }

    /// The rest of `${`.
    fn braces(&mut self, quoted: bool) -> Result<Part, Refusal> {
        let odd = || "it has a kind of `${…}` that is not followed here".to_owned();
        let inside = if quoted { Inside::QuotedBraces } else { Inside::Braces };
        let part = |name: String, plain, inner| Part::Parameter {
            name,
            plain,
            quoted,
            braced: true,
            inner,
        };
        if self.cursor.peek() == Some('#') && self.cursor.second() != Some('}') {
            self.cursor.next();
            let name = self.parameter_name().ok_or_else(odd)?;
            return if self.cursor.take("}") {
                Ok(part(name, false, Vec::new()))
            } else {
                Err(odd())
            };
        }
        let name = self.parameter_name().ok_or_else(odd)?;
        if self.cursor.take("}") {
            return Ok(part(name, true, Vec::new()));
        }
        self.operator().ok_or_else(odd)?;
        let mut parts = Parts::default();
        self.parts(inside, &mut parts)?;
        self.cursor.next();
        Ok(part(name, false, parts.0))
    }

    fn parameter_name(&mut self) -> Option<String> {
        let first = self.cursor.peek()?;
        if first.is_ascii_alphabetic() || first == '_' {
            return Some(
                self.cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_').to_owned(),
            );
        }
        if first.is_ascii_digit() {
            return Some(self.cursor.take_while(|c| c.is_ascii_digit()).to_owned());
        }
        "?#@*$-".contains(first).then(|| {
            self.cursor.next();
            first.to_string()
        })
    }

    /// Passes the operator of `${x…`; none for those that evaluate, assign or lead elsewhere.
    fn operator(&mut self) -> Option<()> {
        const TEXT: [&str; 12] = [":-", ":+", ":?", "-", "+", "?", "%%", "%", "##", "#", "//", "/"];
        if TEXT.iter().any(|operator| self.cursor.take(operator)) {
            return Some(());
        }
        if self.cursor.take("^^")
            || self.cursor.take(",,")
            || self.cursor.take("^")
            || self.cursor.take(",")
        {
            return Some(());
        }
        // A part of the value, by literal numbers: anything else is evaluated.
        if self.cursor.take(":") {
            let part = self.cursor.take_while(|c| c.is_ascii_digit() || c == ':');
            return (!part.is_empty() && self.cursor.peek() == Some('}')).then_some(());
        }
        None
    }

    /// The rest of `$'`.
    fn ansi_quotes(&mut self) -> Result<String, Refusal> {
        let mut text = String::new();
        loop {
            match self.cursor.next() {
                Some('\'') => return Ok(text),
                Some('\\') => text.push(self.ansi_escape()?),
                Some(c) => text.push(c),
                None => return Err("a single quote is not closed".to_owned()),
            }
        }
    }

    fn ansi_escape(&mut self) -> Result<char, Refusal> {
        let odd = || "it has an escape in `$'…'` that is not followed here".to_owned();
        let c = self.cursor.next().ok_or_else(odd)?;
        let digits = |parser: &mut Self, radix, most| {
            let rest = parser.cursor.rest();
            let end = rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
            u32::from_str_radix(parser.cursor.skip(end), radix).ok()
        };
        let code = match c {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'v' => 11,
            '\\' | '\'' | '"' | '?' => u32::from(c),
            // One byte, which need not be a whole character.
            'x' => digits(self, 16, 2).filter(|code| *code < 128).ok_or_else(odd)?,
            'u' => digits(self, 16, 4).ok_or_else(odd)?,
            'U' => digits(self, 16, 8).ok_or_else(odd)?,
            '0'..='7' => {
                let more = {
                    let rest = self.cursor.rest();
                    rest.chars().take(2).take_while(|c| c.is_digit(8)).count()
                };
                let text = format!("{c}{}", self.cursor.skip(more));
                u32::from_str_radix(&text, 8).ok().filter(|code| *code < 128).ok_or_else(odd)?
            }
            _ => return Err(odd()),
        };
        // A NUL ends the text in some shells.
        char::from_u32(code).filter(|c| *c != '\0').ok_or_else(odd)
    }

    fn backticks(&mut self, inside: Inside, parts: &mut Parts) -> Result<(), Refusal> {
        self.cursor.next();
        let mut text = String::new();
        loop {
            match self.cursor.next() {
                Some('`') => break,
                Some('\\') => match self.cursor.next() {
                    Some(c @ ('`' | '\\' | '$')) => text.push(c),
                    Some('"') if inside.quoted() => text.push('"'),
                    Some(c) => text.extend(['\\', c]),
                    None => return Err("a backtick is not closed".to_owned()),
                },
                Some(c) => text.push(c),
                None => return Err("a backtick is not closed".to_owned()),
            }
        }
        let script =
            self.cursor_deeper(|parser| Parser::nested(&text, parser.cursor.depth()).whole())?;
        parts.0.push(Part::Command { script, quoted: inside.quoted() });
        Ok(())
    }

    fn process_substitution(&mut self, parts: &mut Parts) -> Result<(), Refusal> {
        self.cursor.skip(2);
        let script = self.enclosed_script(")")?;
        parts.0.push(Part::Process { script });
        Ok(())
    }
}

fn plain(c: char, parts: &mut Parts) {
    match c {
        '*' | '?' | '[' | ']' => parts.0.push(Part::Wildcard(c)),
        '{' | '}' | ',' => parts.0.push(Part::Brace(c)),
        _ => parts.bare(c),
    }
}
