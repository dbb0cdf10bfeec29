//! Patterns of command words.

use std::fmt;

use crate::command::{Arg, without_leading_options};
use crate::rule::{Match, RuleError, Wild};

/// Characters that have a meaning in a shell unless they are quoted.
const SPECIAL: &str = ";|&<>`$()\"'\\*";

/// The words of one simple command. They are compared with the words that a shell would make,
/// never with the text of a line.
///
/// `*` inside a word stands for any characters of that word, a word `*` for one whole word, and
/// a last word `*` for any further words, none too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPattern {
    words: Vec<Wild>,
    further: bool,
    fold: bool,
}

impl WordPattern {
    /// Exactly these words.
    pub fn literal<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        Self { words: words.into_iter().map(Wild::literal).collect(), further: false, fold: false }
    }

    /// These words, and any further ones.
    pub(crate) fn prefix(words: Vec<Wild>, fold: bool) -> Self {
        Self { words, further: true, fold }
    }

    /// Reads a pattern; columns of errors count characters of `text` from 1.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let mut words = Words::new(text).collect::<Result<Vec<_>, _>>()?;
        if words.is_empty() {
            return Err(RuleError::new(1, "there are no words; `*` stands for every command"));
        }
        let further = words.last().is_some_and(|last| last.wildcard);
        if further {
            words.pop();
        }
        let words = words.into_iter().map(|word| word.wild).collect();
        Ok(Self { words, further, fold: false })
    }

    /// Whether a command has these words. `strict` is for what allows: the program's name must
    /// be written just so. What forbids finds the program under any folder and case too.
    /// What forbids `git push` finds it behind options that stand before `push` too.
    pub fn matches(&self, words: &[Arg], strict: bool) -> Match {
        let written = self.matches_as_written(words, strict);
        let plain = if strict { None } else { without_leading_options(words) };
        plain.map_or(written, |words| written.max(self.matches_as_written(&words, strict)))
    }

    fn matches_as_written(&self, words: &[Arg], strict: bool) -> Match {
        let mut found = Match::Yes;
        for (index, word) in self.words.iter().enumerate() {
            let one = match words.get(index) {
                None => Match::No,
                Some(Arg::Literal(text)) => Match::of(self.same(index, word, text, strict)),
                Some(Arg::Unknown { one: true, .. }) if word.is_any() => Match::Yes,
                Some(Arg::Unknown { one: true, starts }) if index > 0 && !self.fold => {
                    Match::maybe(word.may_begin(starts))
                }
                // Any number of words may stand here, so nothing after it can be compared.
                Some(_) => return Match::Maybe,
            };
            match one {
                Match::No => return Match::No,
                Match::Maybe => found = Match::Maybe,
                Match::Yes => {}
            }
        }
        found.and(self.rest(words.get(self.words.len()..).unwrap_or_default()))
    }

    fn rest(&self, rest: &[Arg]) -> Match {
        let may_vanish = |arg: &Arg| {
            matches!(arg, Arg::Unknown { one: false, .. } | Arg::Listed { .. } | Arg::Input)
        };
        if self.further || rest.is_empty() {
            Match::Yes
        } else {
            Match::maybe(rest.iter().all(may_vanish))
        }
    }

    fn same(&self, index: usize, word: &Wild, text: &str, strict: bool) -> bool {
        if word.matches(text) {
            return true;
        }
        if strict {
            return false;
        }
        let name = if index == 0 { text.rsplit('/').next().unwrap_or(text) } else { text };
        (index == 0 || self.fold) && (word.matches_folded(text) || word.matches_folded(name))
    }

    /// It has no wildcard.
    pub fn is_exact(&self) -> bool {
        !self.further && self.words.iter().all(Wild::is_literal)
    }

    /// The pattern of the first word.
    pub(crate) fn program(&self) -> Option<&Wild> {
        self.words.first()
    }

    /// The patterns of the words.
    pub(crate) fn words(&self) -> &[Wild] {
        &self.words
    }

    /// How many wildcards there are.
    pub(crate) fn wildcards(&self) -> usize {
        self.words.iter().map(Wild::wildcards).sum::<usize>() + usize::from(self.further)
    }
}

impl fmt::Display for WordPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = self.words.iter().map(quoted).collect();
        if self.further {
            words.push("*".to_owned());
        } else if self.words.last().is_some_and(Wild::is_any) {
            // A last `*` would be any further words; two stand for exactly one word.
            words.pop();
            words.push("**".to_owned());
        }
        f.write_str(&words.join(" "))
    }
}

/// A word as it is written in a pattern.
fn quoted(word: &Wild) -> String {
    if word.is_literal() && word.literal_characters() == 0 {
        return "''".to_owned();
    }
    word.parts().iter().map(|part| quoted_part(part)).collect::<Vec<_>>().join("*")
}

fn quoted_part(part: &str) -> String {
    let plain = |letter: char| !letter.is_whitespace() && !SPECIAL.contains(letter);
    if part.chars().all(plain) {
        return part.to_owned();
    }
    format!("'{}'", part.replace('\'', r"'\''"))
}

/// A word that was read.
struct Word {
    wild: Wild,
    /// It is one `*` and nothing else.
    wildcard: bool,
}

/// Splits a pattern into words, as a shell does with plain words and quotes.
struct Words<'a> {
    letters: std::iter::Peekable<std::iter::Enumerate<std::str::Chars<'a>>>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { letters: text.chars().enumerate().peekable() }
    }

    fn word(&mut self) -> Result<Word, RuleError> {
        let mut parts = vec![String::new()];
        let mut quotes = false;
        while let Some((index, letter)) = self.letters.next_if(|(_, c)| !c.is_whitespace()) {
            let text = match letter {
                '*' => {
                    parts.push(String::new());
                    continue;
                }
                '\'' | '"' => self.quoted(index, letter)?,
                '\\' => self.escaped(index)?.into(),
                _ if SPECIAL.contains(letter) => return Err(unquoted(index, letter)),
                _ => letter.into(),
            };
            quotes |= matches!(letter, '\'' | '"' | '\\');
            if let Some(part) = parts.last_mut() {
                part.push_str(&text);
            }
        }
        let wildcard = !quotes && parts.len() == 2 && parts.iter().all(String::is_empty);
        Ok(Word { wild: Wild::of_parts(parts), wildcard })
    }

    fn quoted(&mut self, opened: usize, quote: char) -> Result<String, RuleError> {
        let mut text = String::new();
        while let Some((index, letter)) = self.letters.next() {
            match letter {
                _ if letter == quote => return Ok(text),
                '\\' if quote == '"' => text.push(self.escaped(index)?),
                _ => text.push(letter),
            }
        }
        Err(RuleError::new(opened + 1, format!("the quote {quote} is never closed")))
    }

    fn escaped(&mut self, index: usize) -> Result<char, RuleError> {
        let next = self.letters.next().map(|(_, letter)| letter);
        next.ok_or_else(|| RuleError::new(index + 1, "nothing stands after the backslash"))
    }
}

fn unquoted(index: usize, letter: char) -> RuleError {
    let text =
        format!("`{letter}` has a meaning in a shell: quote it, or write a rule for each command");
    RuleError::new(index + 1, text)
}

impl Iterator for Words<'_> {
    type Item = Result<Word, RuleError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.letters.next_if(|(_, letter)| letter.is_whitespace()).is_some() {}
        self.letters.peek().is_some().then(|| self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Vec<Arg> {
        words.iter().map(|word| Arg::literal(*word)).collect()
    }

    fn matches(pattern: &str, words: &[&str]) -> Match {
        WordPattern::parse(pattern).unwrap().matches(&args(words), true)
    }

    #[test]
    fn words_are_compared_and_never_text() {
        assert_eq!(matches("git status", &["git", "status"]), Match::Yes);
        assert_eq!(matches("git status", &["git", "status", "-s"]), Match::No);
        assert_eq!(matches("git status", &["git status"]), Match::No);
        assert_eq!(matches("git", &["gitfoo"]), Match::No);
        assert_eq!(matches("cargo test *", &["cargo", "test"]), Match::Yes);
        assert_eq!(matches("cargo test *", &["cargo", "test", "-p", "x"]), Match::Yes);
        assert_eq!(matches("cargo test *", &["cargo", "tests"]), Match::No);
        assert_eq!(matches("npm run test:*", &["npm", "run", "test:unit"]), Match::Yes);
        assert_eq!(matches("npm * x", &["npm", "run", "x"]), Match::Yes);
        assert_eq!(matches("npm **", &["npm"]), Match::No);
        assert_eq!(matches("echo 'a b'", &["echo", "a b"]), Match::Yes);
        assert_eq!(matches("echo '*'", &["echo", "x"]), Match::No);
        assert_eq!(matches("*", &["anything"]), Match::Yes);
    }

    #[test]
    fn what_is_not_known_may_match() {
        let pattern = WordPattern::parse("git push *").unwrap();
        let one = Arg::Unknown { starts: String::new(), one: true };
        assert_eq!(pattern.matches(&[Arg::literal("git"), one.clone()], false), Match::Maybe);
        assert_eq!(pattern.matches(&[Arg::literal("ls"), one], false), Match::No);
        assert_eq!(pattern.matches(&[Arg::unknown()], false), Match::Maybe);
        let starts = Arg::Unknown { starts: "sta".to_owned(), one: true };
        assert_eq!(pattern.matches(&[Arg::literal("git"), starts], false), Match::No);
    }

    #[test]
    fn what_forbids_finds_the_program_anywhere() {
        let pattern = WordPattern::parse("rm *").unwrap();
        assert_eq!(pattern.matches(&args(&["/bin/rm", "x"]), false), Match::Yes);
        assert_eq!(pattern.matches(&args(&["RM", "x"]), false), Match::Yes);
        assert_eq!(pattern.matches(&args(&["/bin/rm", "x"]), true), Match::No);
    }

    #[test]
    fn what_forbids_finds_subcommands_behind_options_of_git() {
        let pattern = WordPattern::parse("git push *").unwrap();
        for words in [
            &["git", "--no-pager", "push"][..],
            &["git", "-c", "a.b=c", "push", "origin"],
            &["git", "-C", ".", "push"],
            &["/usr/bin/git", "-p", "--git-dir", "x", "push"],
            &["git", "--git-dir=x", "push"],
            &["git", "--exec-path=x", "push"],
        ] {
            assert_eq!(pattern.matches(&args(words), false), Match::Yes, "{words:?}");
            assert_eq!(pattern.matches(&args(words), true), Match::No, "{words:?}");
        }
        assert_eq!(pattern.matches(&args(&["git", "-C", "push", "log"]), false), Match::No);
        let hidden = [Arg::literal("git"), Arg::unknown(), Arg::literal("push")];
        assert_eq!(pattern.matches(&hidden, false), Match::Maybe);
        // What is about the options themselves still is.
        let options = WordPattern::parse("git -c *").unwrap();
        assert_eq!(options.matches(&args(&["git", "-c", "a=b", "log"]), false), Match::Yes);
    }

    #[test]
    fn errors_name_the_column() {
        for (text, column) in [("a && b", 3), ("a 'b", 3), ("", 1), ("a \\", 3), ("a $(b)", 3)] {
            assert_eq!(WordPattern::parse(text).unwrap_err().column, column, "{text}");
        }
    }
}
