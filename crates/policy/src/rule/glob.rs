//! Patterns of paths, turned into regular expressions, which match in linear time.

use regex::{Regex, RegexBuilder};

use crate::rule::RuleError;

/// How deep `{a,{b,c}}` may go.
const MAX_BRACES: usize = 4;

/// How large a pattern may become.
const MAX_SIZE: usize = 1 << 20;

/// Compiles a glob: `**` as a whole segment is any number of folders, `*` any characters of a
/// name, `?` one of them, `[a-z]` one of a set, `{a,b}` one of several, and a backslash makes
/// the next character literal. A last `/**` stands for the folder itself too.
///
/// With `crossing`, `*` and `?` stand for slashes as well.
pub(crate) fn compile(glob: &str, crossing: bool) -> Result<Regex, RuleError> {
    let source = Translator { letters: glob.chars().collect(), at: 0, crossing }.translate()?;
    RegexBuilder::new(&source)
        .size_limit(MAX_SIZE)
        .dot_matches_new_line(true)
        .build()
        .map_err(|_| RuleError::new(1, "the pattern is too large or has a set that is not one"))
}

/// It has no wildcard; then this is the path that it means.
pub(crate) fn literal(glob: &str) -> Option<String> {
    let mut text = String::new();
    let mut letters = glob.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' | '?' | '[' | '{' => return None,
            '\\' => text.push(letters.next()?),
            _ => text.push(letter),
        }
    }
    Some(text)
}

/// The text as a glob that matches it alone.
pub(crate) fn escape(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for (index, letter) in text.chars().enumerate() {
        if "*?[]{}\\".contains(letter) || (index == 0 && letter == '~') {
            glob.push('\\');
        }
        glob.push(letter);
    }
    glob
}

struct Translator {
    letters: Vec<char>,
    at: usize,
    crossing: bool,
}

impl Translator {
    fn translate(mut self) -> Result<String, RuleError> {
        let mut regex = String::from("^(?:");
        let mut braces = Vec::new();
        while let Some(&letter) = self.letters.get(self.at) {
            match letter {
                '*' if self.is_any_folders() => self.any_folders(&mut regex),
                '*' => self.push(&mut regex, if self.crossing { ".*" } else { "[^/]*" }),
                '?' => self.push(&mut regex, if self.crossing { "." } else { "[^/]" }),
                '[' => self.set(&mut regex)?,
                '{' if braces.len() == MAX_BRACES => {
                    return Err(self.error("the braces are too deep"));
                }
                '{' => {
                    braces.push(self.at);
                    self.push(&mut regex, "(?:");
                }
                '}' if !braces.is_empty() => {
                    braces.pop();
                    self.push(&mut regex, ")");
                }
                ',' if !braces.is_empty() => self.push(&mut regex, "|"),
                '\\' => self.escaped(&mut regex)?,
                '/' if self.ends_with_any() => {
                    self.at = self.letters.len();
                    regex.push_str("(?:/.*)?");
                }
                _ => self.push(&mut regex, &regex::escape(&letter.to_string())),
            }
        }
        if let Some(at) = braces.last() {
            return Err(RuleError::new(at + 1, "a `{` is never closed"));
        }
        regex.push_str(")$");
        Ok(regex)
    }

    fn push(&mut self, regex: &mut String, text: &str) {
        regex.push_str(text);
        self.at += 1;
    }

    fn error(&self, message: &str) -> RuleError {
        RuleError::new(self.at + 1, message)
    }

    /// `**` between slashes, or at an end of the pattern.
    fn is_any_folders(&self) -> bool {
        let letter = |at: usize| self.letters.get(at).copied();
        let before = self.at.checked_sub(1).and_then(letter);
        letter(self.at + 1) == Some('*')
            && matches!(before, None | Some('/'))
            && matches!(letter(self.at + 2), None | Some('/'))
    }

    fn any_folders(&mut self, regex: &mut String) {
        let last = self.letters.len() == self.at + 2;
        regex.push_str(if last { ".*" } else { "(?:.*/)?" });
        self.at += if last { 2 } else { 3 };
    }

    /// What is left is `/**`.
    fn ends_with_any(&self) -> bool {
        self.letters.get(self.at..) == Some(&['/', '*', '*'])
    }

    fn escaped(&mut self, regex: &mut String) -> Result<(), RuleError> {
        let next = self.letters.get(self.at + 1);
        let next = next.ok_or_else(|| self.error("nothing stands after the backslash"))?;
        regex.push_str(&regex::escape(&next.to_string()));
        self.at += 2;
        Ok(())
    }

    fn set(&mut self, regex: &mut String) -> Result<(), RuleError> {
        let start = self.at;
        self.at += 1;
        let negated = matches!(self.letters.get(self.at), Some('!' | '^'));
        self.at += usize::from(negated);
        regex.push_str(if negated { "[^/" } else { "[" });
        let first = self.at;
        loop {
            match self.letters.get(self.at) {
                None => return Err(RuleError::new(start + 1, "a `[` is never closed")),
                Some(']') if self.at > first => break,
                Some('/') => return Err(self.error("a set never stands for a slash")),
                Some('-') => self.push(regex, "-"),
                Some(letter) => {
                    let text = format!("\\x{{{:x}}}", u32::from(*letter));
                    self.push(regex, &text);
                }
            }
        }
        self.push(regex, "]");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_in_ignore_files() {
        for (glob, path, expected) in [
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/b/a.rs", false),
            ("src/**/*.rs", "src/a.rs", true),
            ("src/**/*.rs", "src/b/c/a.rs", true),
            ("**/Cargo.lock", "Cargo.lock", true),
            ("**/Cargo.lock", "a/b/Cargo.lock", true),
            ("**/Cargo.lock", "a/xCargo.lock", false),
            ("src/**", "src", true),
            ("src/**", "src/a/b", true),
            ("src/**", "srcs", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[a-c].md", "b.md", true),
            ("[!a-c].md", "b.md", false),
            ("*.{md,txt}", "a.txt", true),
            ("*.{md,txt}", "a.rs", false),
            (r"\*.md", "*.md", true),
            (r"\*.md", "a.md", false),
            ("a+b(c).d", "a+b(c).d", true),
        ] {
            let regex = compile(glob, false).unwrap();
            assert_eq!(regex.is_match(path), expected, "{glob} on {path}");
        }
    }

    #[test]
    fn what_was_escaped_matches_itself_alone() {
        for text in ["a*b", "~/x", "a[b]{c}?", r"a\b", "a,b"] {
            let glob = escape(text);
            assert_eq!(literal(&glob).as_deref(), Some(text));
            assert!(compile(&glob, false).unwrap().is_match(text), "{glob}");
        }
    }

    #[test]
    fn what_is_no_glob_is_said_with_its_column() {
        for (glob, column) in [("a[b", 2), ("{a", 1), ("a\\", 2), ("[a/b]", 3)] {
            assert_eq!(compile(glob, false).unwrap_err().column, column, "{glob}");
        }
    }
}
