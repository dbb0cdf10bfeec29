//! Finding commands in any text, whatever its grammar.
//!
//! Every place where a command could begin is taken for one: after each separator, bracket,
//! reserved word and substitution, inside of quotes too. So nothing that a shell would run is
//! missed, at the price of some that it would not. What is found here can make a line worse,
//! never better. No recursion: the depth of the input costs nothing but memory.

use crate::command::Arg;

/// What was found in a text.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) commands: Vec<Scanned>,
    /// Files that something is redirected into.
    pub(crate) writes: Vec<String>,
    /// The texts of here-documents, each with the words of the command that gets it.
    pub(crate) documents: Vec<(Vec<Arg>, String)>,
}

/// Words that could be a command.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) words: Vec<Arg>,
    /// The output of the one before it goes into it.
    pub(crate) piped: bool,
    /// A file or a text goes into it.
    pub(crate) fed: bool,
}

/// Words before a command that are not its name.
const BEFORE_COMMANDS: [&str; 15] = [
    "if", "then", "elif", "else", "do", "while", "until", "time", "!", "coproc", "{", "}", "fi",
    "done", "esac",
];

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the place")]
struct Frame {
    words: Vec<Arg>,
    word: Option<Pending>,
    in_quotes: bool,
    backtick: bool,
    piped: bool,
    redirect: bool,
    fed: bool,
    /// What is in it are no commands, but for substitutions.
    data: bool,
}

/// A word that is being read.
#[derive(Default)]
struct Pending {
    text: String,
    hole: Option<usize>,
    wild: bool,
    quoted: bool,
}

impl Pending {
    fn finish(self) -> Arg {
        match (self.hole, self.wild) {
            (Some(at), _) => Arg::Unknown { starts: self.text[..at].to_owned(), one: false },
            (None, true) => Arg::Glob(self.text),
            (None, false) => Arg::Literal(self.text),
        }
    }
}

/// Finds everything in `text` that could be a command.
pub(crate) fn scan(text: &str, home: Option<&str>) -> Scan {
    let mut scanner = Scanner {
        rest: text,
        home,
        frames: vec![Frame::default()],
        found: Scan::default(),
        documents: Vec::new(),
        backticks: 0,
    };
    while !scanner.rest.is_empty() {
        scanner.step();
    }
    while !scanner.frames.is_empty() {
        scanner.pop();
    }
    scanner.found
}

struct Scanner<'a> {
    rest: &'a str,
    home: Option<&'a str>,
    frames: Vec<Frame>,
    found: Scan,
    /// The ends of here-documents that begin at the next line.
    documents: Vec<(String, Vec<Arg>)>,
    /// How many backticks are open.
    backticks: usize,
}

impl<'a> Scanner<'a> {
    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    fn step(&mut self) {
        let Some(c) = self.rest.chars().next() else { return };
        let in_quotes = self.frame().in_quotes;
        match c {
            '\\' => self.escape(),
            '$' => self.dollar(in_quotes),
            '`' => self.backtick(),
            '"' => self.double_quote(),
            _ if in_quotes => self.plain(c),
            '\'' => self.single_quote(),
            ' ' | '\t' | '\r' => {
                self.take(1);
                self.end_word();
            }
            '\n' => self.line_end(),
            ';' | '&' => self.separator(false),
            '|' => self.separator(true),
            '(' => self.open(1),
            ')' => {
                self.take(1);
                self.close();
            }
            '<' | '>' => self.redirection(c),
            '#' if self.frame().word.is_none() => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.take(end);
            }
            '*' | '?' | '[' => {
                self.plain(c);
                self.word().wild = true;
            }
            _ => self.plain(c),
        }
    }

    fn word(&mut self) -> &mut Pending {
        self.frame().word.get_or_insert_default()
    }

    fn plain(&mut self, c: char) {
        self.take(c.len_utf8());
        self.word().text.push(c);
    }

    fn hole(&mut self) {
        let word = self.word();
        let at = word.text.len();
        word.hole.get_or_insert(at);
    }

    fn escape(&mut self) {
        self.take(1);
        match self.rest.chars().next() {
            Some('\n') => {
                self.take(1);
            }
            Some(c) => self.plain(c),
            None => {}
        }
    }

    fn single_quote(&mut self) {
        self.take(1);
        let end = self.rest.find('\'').unwrap_or(self.rest.len());
        let text = self.take(end);
        if !self.rest.is_empty() {
            self.take(1);
        }
        let word = self.word();
        word.quoted = true;
        word.text.push_str(text);
    }

    fn double_quote(&mut self) {
        self.take(1);
        self.word().quoted = true;
        let frame = self.frame();
        frame.in_quotes = !frame.in_quotes;
    }

    fn backtick(&mut self) {
        self.take(1);
        if self.backticks > 0
            && let Some(at) = self.frames.iter().rposition(|frame| frame.backtick)
        {
            while self.frames.len() > at {
                self.pop();
            }
        } else {
            self.hole();
            self.backticks += 1;
            self.frames.push(Frame { backtick: true, ..Frame::default() });
        }
    }

    fn dollar(&mut self, in_quotes: bool) {
        match self.rest[1..].chars().next() {
            Some('(') if is_arithmetic(self.rest) => {
                self.hole();
                let end = self.rest.find("))").map_or(self.rest.len(), |at| at + 2);
                self.take(end);
            }
            Some('(') => {
                self.hole();
                self.open(2);
            }
            Some('\'') if !in_quotes => self.ansi_quote(),
            Some('{') => {
                self.take(2);
                self.parameter(true);
            }
            _ => {
                self.take(1);
                self.parameter(false);
            }
        }
    }

    fn parameter(&mut self, braces: bool) {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let name = self.take(end.unwrap_or(self.rest.len()));
        let closed = braces && self.rest.starts_with('}');
        if closed {
            self.take(1);
        }
        let whole = !braces || closed;
        match name {
            "IFS" if !self.frame().in_quotes => self.end_word(),
            "HOME" if whole && self.home.is_some() => {
                let home = self.home.unwrap_or_default();
                self.word().text.push_str(home);
            }
            _ => self.hole(),
        }
    }

    fn ansi_quote(&mut self) {
        self.take(2);
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '\'' => {
                    end = at + 1;
                    break;
                }
                '\\' => {
                    let after = &self.rest[at + 1..];
                    let (decoded, used) = ansi_escape(after);
                    text.push(decoded);
                    for _ in 0..used {
                        chars.next();
                    }
                }
                c => text.push(c),
            }
        }
        self.take(end);
        let word = self.word();
        word.quoted = true;
        word.text.push_str(&text);
    }

    /// A bracket opens: what is inside are commands of their own.
    fn open(&mut self, bytes: usize) {
        // `name=(a b)` is a list, not a command.
        let data = bytes == 1
            && self
                .frame()
                .word
                .as_ref()
                .is_some_and(|word| !word.quoted && word.text.ends_with('='));
        if bytes == 1 {
            self.end_command(false);
        }
        self.take(bytes);
        self.frames.push(Frame { data, ..Frame::default() });
    }

    fn close(&mut self) {
        if self.frames.len() > 1 {
            self.pop();
        } else {
            self.end_command(false);
        }
    }

    fn separator(&mut self, pipe: bool) {
        let double = self.rest.starts_with("||");
        self.take(if double { 2 } else { 1 });
        let both = pipe && self.rest.starts_with('&');
        if both {
            self.take(1);
        }
        self.end_command(pipe && !double);
    }

    fn redirection(&mut self, c: char) {
        if self.rest[1..].starts_with('(') {
            self.hole();
            self.open(2);
            return;
        }
        self.end_word();
        self.frame().fed |= c == '<';
        if c == '<' && self.rest.starts_with("<<") && !self.rest.starts_with("<<<") {
            self.begin_document();
            return;
        }
        let end =
            self.rest.find(|c| !matches!(c, '<' | '>' | '|' | '&')).unwrap_or(self.rest.len());
        let operator = self.take(end);
        self.frame().redirect = operator.contains('>');
    }

    fn begin_document(&mut self) {
        self.take(2);
        if self.rest.starts_with('-') {
            self.take(1);
        }
        let trimmed = self.rest.trim_start_matches([' ', '\t']);
        self.take(self.rest.len() - trimmed.len());
        let end = self.rest.find([' ', '\t', '\n', ';', '|', '&', ')', '<', '>']);
        let delimiter = self.take(end.unwrap_or(self.rest.len()));
        let delimiter = delimiter.replace(['\'', '"', '\\'], "");
        let words = self.frame().words.clone();
        self.documents.push((delimiter, words));
    }

    fn line_end(&mut self) {
        self.take(1);
        self.end_command(false);
        for (delimiter, words) in std::mem::take(&mut self.documents) {
            let mut text = String::new();
            while !self.rest.is_empty() {
                let end = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
                let line = self.take(end);
                if line.trim_start_matches('\t').trim_end_matches('\n') == delimiter {
                    break;
                }
                text.push_str(line);
            }
            self.found.documents.push((words, text));
        }
    }

    fn end_word(&mut self) {
        let frame = self.frame();
        let Some(word) = frame.word.take() else { return };
        let redirect = std::mem::take(&mut frame.redirect);
        let reserved = frame.words.is_empty()
            && !word.quoted
            && word.hole.is_none()
            && BEFORE_COMMANDS.contains(&word.text.as_str());
        let brace = !word.quoted && (word.text == "{" || word.text == "}");
        if redirect {
            if word.hole.is_none() {
                self.found.writes.push(word.text);
            }
        } else if brace {
            self.end_command(false);
        } else if !reserved {
            frame.words.push(word.finish());
        }
    }

    fn end_command(&mut self, pipes_on: bool) {
        self.end_word();
        let frame = self.frame();
        let words = std::mem::take(&mut frame.words);
        let piped = std::mem::replace(&mut frame.piped, pipes_on);
        let fed = std::mem::take(&mut frame.fed);
        if !words.is_empty() && !frame.data {
            self.found.commands.push(Scanned { words, piped, fed });
        }
    }

    fn pop(&mut self) {
        self.end_command(false);
        if self.frames.pop().is_some_and(|frame| frame.backtick) {
            self.backticks -= 1;
        }
    }
}

/// `$((…))` with nothing in it that could be a command of its own.
fn is_arithmetic(text: &str) -> bool {
    let Some(inside) = text.strip_prefix("$((") else { return false };
    // Looking further would cost time that grows with the square of the line.
    let shown = inside.get(..inside.len().min(200)).unwrap_or_default();
    let first = shown.find([')', '(', '$', '`', '"', '\'']);
    first.is_some_and(|at| shown[at..].starts_with("))"))
}

/// The character that an escape in `$'…'` stands for, and how many characters it takes.
fn ansi_escape(after: &str) -> (char, usize) {
    let number = |skip: usize, radix: u32, most: usize| {
        let digits: String =
            after.chars().skip(skip).take(most).take_while(|c| c.is_digit(radix)).collect();
        let code = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
        (code.unwrap_or('?'), skip + digits.len())
    };
    match after.chars().next() {
        Some('x') => number(1, 16, 2),
        Some('u') => number(1, 16, 4),
        Some('U') => number(1, 16, 8),
        Some('0'..='7') => number(0, 8, 3),
        Some('n') => ('\n', 1),
        Some('t') => ('\t', 1),
        Some(c) => (c, 1),
        None => ('\\', 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let scan = scan(text, Some("/home/u"));
        let line = |scanned: &Scanned| {
            scanned.words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        scan.commands.iter().map(line).collect()
    }

    #[test]
    fn commands_are_found_whatever_the_grammar() {
        for text in [
            "( ( rm x ) )",
            "((rm x) )",
            "f() { rm x; }; f",
            "function f { rm x; }",
            "coproc rm x",
            "time ! rm x",
            "echo \"$(echo `rm x`)\"",
            "select a in b; do rm x; done",
            "echo ${y:-$(rm x)}",
            "case a in a) rm x ;; esac",
            "echo <(rm x)",
            "if then fi else rm x",
            "echo $((1+$(rm x)))",
            "a |& rm x",
            "{ rm x",
            "$'\\x72m' x",
            "r\\m x",
            "'r'\"m\" x",
            "rm${IFS}x",
            "echo hi # don't\nrm x",
        ] {
            assert!(found(text).contains(&"rm x".to_owned()), "{text}: {:?}", found(text));
        }
        assert_eq!(found("echo 'rm x'"), ["echo rm x"]);
        assert_eq!(found("rm -rf $HOME"), ["rm -rf /home/u"]);
    }

    #[test]
    fn depth_and_length_cost_nothing_but_memory() {
        for piece in ["$(", "`", "(", "{ ", "if ", "\"$(", "<(", "((", "${x:-", "'", "[[ "] {
            let text = piece.repeat(60_000 / piece.len());
            let _ = scan(&text, None);
        }
    }
}
