//! `xargs`: a command that words of the standard input complete.

use super::wrapper::guesses;
use super::{Access, Arg, Effects, FileUse, Inner};
use crate::risk::Risk;

/// Judges `xargs` by the words after its name.
pub(super) fn judge(args: &[Arg]) -> Effects {
    let mut asked = Asked::default();
    let mut effects = Effects::of(Risk::Safe, "starts a command for words that it reads");
    match asked.read(args) {
        Ok(at) => {
            let command = asked.command(args.get(at..).unwrap_or_default());
            effects.inner.push(Inner::PerInput { command, exact: asked.exact });
        }
        Err(at) => {
            effects.risk = Risk::Unknown;
            effects.reason = match args.get(at) {
                Some(arg) => format!("is not known with `{arg}`").into(),
                None => "is not known in this use".into(),
            };
            effects.inner = guesses(args.get(at..).unwrap_or_default());
        }
    }
    effects.files = asked.files;
    effects
}

#[derive(Default)]
struct Asked {
    exact: bool,
    replace: Option<String>,
    files: Vec<FileUse>,
}

impl Asked {
    /// Reads the options; gives where the command begins, or the word that is not understood.
    fn read(&mut self, args: &[Arg]) -> Result<usize, usize> {
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let word = match arg {
                Arg::Literal(word) if word == "--" => return Ok(at + 1),
                Arg::Literal(word) if word.starts_with('-') => word,
                Arg::Literal(_) => return Ok(at),
                arg if arg.may_be_option() => return Err(at),
                _ => return Ok(at),
            };
            let next = args.get(at + 1).and_then(Arg::as_literal);
            at += self.option(word, next).ok_or(at)?;
        }
        Ok(at)
    }

    /// Takes one option; gives how many words it has.
    fn option(&mut self, word: &str, next: Option<&str>) -> Option<usize> {
        if let Some(long) = word.strip_prefix("--") {
            return self.long(long, next);
        }
        for (at, letter) in word.char_indices().skip(1) {
            let rest = &word[at + letter.len_utf8()..];
            match letter {
                '0' => self.exact = true,
                'r' | 't' | 'x' => {}
                // Their value can only be in the same word.
                'i' => {
                    self.replace = Some(if rest.is_empty() { "{}" } else { rest }.to_owned());
                    return Some(1);
                }
                'l' | 'e' => return Some(1),
                'd' | 'I' | 'n' | 'L' | 'P' | 's' | 'a' | 'E' => {
                    let (value, used) = if rest.is_empty() { (next?, 2) } else { (rest, 1) };
                    self.value(letter, value);
                    return Some(used);
                }
                _ => return None,
            }
        }
        Some(1)
    }

    fn long(&mut self, long: &str, next: Option<&str>) -> Option<usize> {
        let (name, value, used) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value), 1),
            None => (long, next, 2),
        };
        let letter = match name {
            "null" if used == 2 => {
                self.exact = true;
                return Some(1);
            }
            "no-run-if-empty" | "verbose" | "exit" if used == 2 => return Some(1),
            "delimiter" => 'd',
            "max-args" => 'n',
            "max-procs" => 'P',
            "max-chars" => 's',
            "arg-file" => 'a',
            _ => return None,
        };
        self.value(letter, value?);
        Some(used)
    }

    fn value(&mut self, letter: char, value: &str) {
        match letter {
            'd' => self.exact = matches!(value, "\\n" | "\n" | "\\0"),
            'I' => self.replace = Some(value.to_owned()),
            'a' => self.files.push(FileUse { access: Access::Read, path: Arg::literal(value) }),
            _ => {}
        }
    }

    /// The command with the places that the input fills.
    fn command(&self, words: &[Arg]) -> Vec<Arg> {
        let echo = [Arg::literal("echo")];
        let words = if words.is_empty() { &echo[..] } else { words };
        let Some(replace) = self.replace.as_deref().filter(|replace| !replace.is_empty()) else {
            return words.iter().cloned().chain([Arg::Input]).collect();
        };
        let fill = |arg: &Arg| match arg {
            Arg::Literal(text) if text == replace => Arg::Input,
            Arg::Literal(text) | Arg::Glob(text) if text.contains(replace) => Arg::Unknown {
                starts: text.split(replace).next().unwrap_or("").to_owned(),
                one: true,
            },
            arg => arg.clone(),
        };
        words.iter().map(fill).collect()
    }
}
