//! Commands that hold commands: groups, conditions, loops, tests.

use super::ast::{Kind, Part, Script, Word};
use super::cursor::Refusal;
use super::parse::Parser;
use super::simple::is_name;

/// Words that are part of the grammar where a command could begin.
const RESERVED: [&str; 22] = [
    "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "for", "in", "case",
    "esac", "function", "select", "time", "coproc", "{", "}", "!", "[[", "]]",
];

impl Parser<'_> {
    /// A compound command; for a simple one only that it is one.
    pub(crate) fn command_kind(&mut self) -> Result<Kind, Refusal> {
        if self.cursor.starts_with("((") {
            self.cursor.skip(2);
            return self.arithmetic().map(|_| Kind::Arithmetic);
        }
        if self.cursor.take("(") {
            return Ok(Kind::Group { body: self.some_script(")")?, subshell: true });
        }
        let word = RESERVED.iter().find(|word| self.at_word(word));
        let Some(word) = word else {
            return Ok(Kind::Simple { assignments: Vec::new(), words: Vec::new() });
        };
        self.cursor.skip(word.len());
        match *word {
            "{" => Ok(Kind::Group { body: self.until("}")?, subshell: false }),
            "if" => self.conditional(),
            "while" | "until" => {
                let condition = self.until("do")?;
                Ok(Kind::Loop { condition, body: self.until("done")? })
            }
            "for" => self.for_loop(),
            "case" => self.case(),
            "[[" => self.test(),
            "function" => Err("it defines a function".to_owned()),
            other => Err(format!("`{other}` is not followed here")),
        }
    }

    fn some_script(&mut self, end: &str) -> Result<Script, Refusal> {
        let script = self.enclosed_script(end)?;
        if script.items.is_empty() { Err("brackets are empty".to_owned()) } else { Ok(script) }
    }

    /// The commands up to a reserved word, which is passed.
    fn until(&mut self, end: &str) -> Result<Script, Refusal> {
        let script = self.cursor_deeper(Self::list)?;
        if script.items.is_empty() {
            return Err(format!("there is no command before `{end}`"));
        }
        self.take_word(end)?;
        Ok(script)
    }

    fn conditional(&mut self) -> Result<Kind, Refusal> {
        let mut branches = Vec::new();
        let mut otherwise = Script::default();
        loop {
            let condition = self.until("then")?;
            let body = self.cursor_deeper(Self::list)?;
            branches.push((condition, body));
            self.blank_lines()?;
            if self.at_word("elif") {
                self.cursor.skip(4);
                continue;
            }
            if self.at_word("else") {
                self.cursor.skip(4);
                otherwise = self.cursor_deeper(Self::list)?;
            }
            self.take_word("fi")?;
            return Ok(Kind::If { branches, otherwise });
        }
    }

    fn for_loop(&mut self) -> Result<Kind, Refusal> {
        self.blanks();
        let name = self.word()?;
        let name = name.bare().filter(|name| is_name(name)).map(str::to_owned);
        let name = name.ok_or_else(|| "this kind of `for` is not followed here".to_owned())?;
        self.blank_lines()?;
        let mut words = Vec::new();
        if self.at_word("in") {
            self.cursor.skip(2);
            words = self.words_to_line_end()?;
        } else {
            words.push(Word {
                parts: vec![Part::Parameter {
                    name: "@".to_owned(),
                    plain: true,
                    quoted: true,
                    braced: true,
                    inner: Vec::new(),
                }],
            });
            self.blanks();
            self.cursor.take(";");
        }
        self.take_word("do")?;
        Ok(Kind::For { name, words, body: self.until("done")? })
    }

    fn words_to_line_end(&mut self) -> Result<Vec<Word>, Refusal> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.cursor.peek() {
                Some(';' | '\n') => {
                    if self.cursor.starts_with(";;") {
                        return Err("`;;` is not where it can be".to_owned());
                    }
                    if self.cursor.peek() == Some(';') {
                        self.cursor.next();
                    }
                    return Ok(words);
                }
                _ => words.push(self.required_word()?),
            }
        }
    }

    fn case(&mut self) -> Result<Kind, Refusal> {
        self.blanks();
        let word = self.required_word()?;
        self.take_word("in")?;
        let mut arms = Vec::new();
        loop {
            self.blank_lines()?;
            if self.at_word("esac") {
                self.cursor.skip(4);
                return Ok(Kind::Case { word, arms });
            }
            let patterns = self.case_patterns()?;
            let body = self.cursor_deeper(Self::list)?;
            arms.push((patterns, body));
            self.blank_lines()?;
            if ![";;&", ";;", ";&"].iter().any(|end| self.cursor.take(end)) && !self.at_word("esac")
            {
                return Err("`;;` is missing".to_owned());
            }
        }
    }

    fn case_patterns(&mut self) -> Result<Vec<Word>, Refusal> {
        self.cursor.take("(");
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            patterns.push(self.required_word()?);
            self.blanks();
            if self.cursor.take(")") {
                return Ok(patterns);
            }
            if !self.cursor.take("|") {
                return Err("a pattern of `case` is not followed here".to_owned());
            }
        }
    }

    /// The rest of `[[`.
    fn test(&mut self) -> Result<Kind, Refusal> {
        let mut words = Vec::new();
        loop {
            self.blank_lines()?;
            if self.at_word("]]") {
                self.cursor.skip(2);
                return Ok(Kind::Test { words });
            }
            let word = self.test_word()?;
            let regex = word.bare() == Some("=~");
            words.push(word);
            if regex {
                self.blanks();
                words.push(self.regex()?);
            }
        }
    }

    /// An operator of `[[`, or a word.
    fn test_word(&mut self) -> Result<Word, Refusal> {
        let process = self.cursor.starts_with("<(") || self.cursor.starts_with(">(");
        let operators = ["&&", "||", "=~", "(", ")", "<", ">"];
        let operator = operators.into_iter().find(|operator| {
            // A word may begin so, and a process be started so.
            let word = *operator == "=~" && !self.at_word(operator);
            !process && !word && self.cursor.starts_with(operator)
        });
        match operator {
            Some(operator) => {
                self.cursor.skip(operator.len());
                Ok(Word { parts: vec![Part::Bare(operator.to_owned())] })
            }
            None => self.required_word(),
        }
    }

    /// What follows `=~`: brackets and bars are part of it.
    fn regex(&mut self) -> Result<Word, Refusal> {
        let literal = |c: char| c.is_ascii_alphanumeric() || "_.*+?^|\\()[]{}:,/@%=~-$".contains(c);
        let text = self.cursor.take_while(literal);
        let ends = self.cursor.peek().is_none_or(|c| c == ' ' || c == '\n');
        let expands = text
            .match_indices('$')
            .any(|(at, _)| !text[at + 1..].is_empty() && !text[at + 1..].starts_with([')', '|']));
        if text.is_empty() || !ends || expands {
            return Err("a regular expression is only followed where it is plain text".to_owned());
        }
        Ok(Word { parts: vec![Part::Quoted(text.to_owned())] })
    }
}
