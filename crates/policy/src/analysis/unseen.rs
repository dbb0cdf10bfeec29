//! Code that nobody has seen: from another machine, through a pipe, from a text in the line.

use super::Found;
use super::walk::Walk;
use crate::command::{self, Arg};
use crate::risk::Risk;
use crate::shell::ast::{Part, Redirect, RedirectKind, Word};

/// Programs that run a text or a file as code.
const INTERPRETERS: [&str; 26] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "csh",
    "tcsh",
    "ash",
    "rbash",
    "eval",
    "source",
    ".",
    "exec",
    "python",
    "python3",
    "python2",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "php",
    "lua",
    "pwsh",
    "powershell",
    "osascript",
];

impl Walk {
    /// What comes through a pipe into an interpreter is code that nobody has seen.
    pub(super) fn judge_pipes(&mut self, parts: &[(usize, usize)], first_file: usize) {
        let first = parts.first().map_or(0, |part| part.0);
        let mut fetched = false;
        for (at, (begins, ends)) in parts.iter().enumerate() {
            for index in *begins..*ends {
                let found = &self.found[index];
                let runs = command::interprets_stdin(&found.words)
                    || (fetched && runs_unseen_text(&found.words));
                if at > 0 && runs {
                    self.found[index].run_unseen(fetched);
                    self.scan_what_is_printed(first, *begins);
                }
            }
            fetched |= self.found[*begins..*ends].iter().any(Found::fetches);
        }
        if fetched {
            self.remember_fetched(first_file);
            let named = self.found[first..].iter();
            let named: Vec<_> = named.flat_map(|found| fetched_into(&found.words)).collect();
            self.fetched.extend(named);
        }
    }

    /// What `echo` prints into a shell is a script.
    pub(super) fn scan_what_is_printed(&mut self, begins: usize, ends: usize) {
        let printed: Vec<String> = self.found[begins..ends]
            .iter()
            .filter(|found| {
                let name = found.words.first().and_then(command::Arg::as_literal);
                matches!(name, Some("echo" | "printf"))
            })
            .map(|found| {
                found.words[1..].iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            })
            .collect();
        for text in printed {
            super::danger::scan_into(&text, None, &mut self.found);
        }
    }

    /// The files that were written since are from another machine.
    pub(super) fn remember_fetched(&mut self, first_file: usize) {
        let written = self.files[first_file..]
            .iter()
            .filter(|file| file.access == command::Access::Write)
            .map(|file| plain_name(&file.named).to_owned());
        self.fetched.extend(written);
    }

    /// A word holds a variable that holds what was brought from another machine.
    pub(super) fn holds_fetched(&self, words: &[Word]) -> bool {
        let parts = words.iter().flat_map(|word| &word.parts);
        let mut names = parts.filter_map(|part| match part {
            Part::Parameter { name, .. } => Some(name),
            _ => None,
        });
        names.any(|name| self.fetched_variables.contains(name))
    }

    pub(super) fn any_fetches(&self, first: usize) -> bool {
        self.found[first..].iter().any(Found::fetches)
    }

    /// Code that a substitution brings from another machine, and files that were fetched.
    pub(super) fn judge_code(&mut self, first: usize, fetched: bool) {
        for at in first..self.found.len() {
            let words = &self.found[at].words;
            let interpreter = is_interpreter(words);
            let nameless = words[0].as_literal().is_none();
            let was_fetched = |word: &Arg| {
                word.as_literal()
                    .is_some_and(|word| self.fetched.iter().any(|file| file == plain_name(word)))
            };
            let runs_file =
                was_fetched(&words[0]) || (interpreter && words[1..].iter().any(was_fetched));
            if runs_file || ((interpreter || nameless) && fetched) {
                self.found[at].run_unseen(true);
            }
        }
    }

    /// What is redirected into an interpreter is code that it runs.
    pub(super) fn read_texts(&mut self, redirects: &[Redirect], own: usize) {
        let into = |redirect: &&Redirect| {
            let kinds = [RedirectKind::Text, RedirectKind::Read, RedirectKind::ReadWrite];
            kinds.contains(&redirect.kind)
        };
        let interprets = |found: &Found| command::interprets_stdin(&found.words);
        if !self.found[own..].iter().any(interprets) {
            return;
        }
        let shell = self.found[own..].iter().any(|found| super::danger::is_shell(&found.words));
        for redirect in redirects.iter().filter(into) {
            let here = redirect.here.as_ref().and_then(|here| here.get());
            let text = here.unwrap_or(&redirect.target).literal().unwrap_or_default();
            let fetched = redirect.kind != RedirectKind::Text
                && (text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/"));
            for found in self.found[own..].iter_mut().filter(|found| interprets(found)) {
                found.run_unseen(fetched);
            }
            self.refuse("an interpreter runs what it reads");
            if redirect.kind == RedirectKind::Text && shell {
                super::danger::scan_into(&text, None, &mut self.found);
            }
        }
    }
}

impl Found {
    /// It brings data from another machine.
    pub(super) fn fetches(&self) -> bool {
        let word = |at: usize| self.words.get(at).and_then(command::Arg::as_literal);
        let redirected = word(0) == Some(">")
            && word(1)
                .is_some_and(|path| path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/"));
        redirected || command::fetches(&self.words)
    }

    /// It runs code that nobody has seen.
    pub(super) fn run_unseen(&mut self, fetched: bool) {
        if fetched {
            self.risk = Risk::Forbidden;
            "runs code that was just brought from another machine".clone_into(&mut self.reason);
        } else {
            self.risk = self.risk.max(Risk::Dangerous);
            "runs whatever it reads".clone_into(&mut self.reason);
        }
        self.hint = Some("save the code to a file and read it first".to_owned());
    }
}

/// It runs a text that is known only when it runs.
pub(super) fn runs_unseen_text(words: &[Arg]) -> bool {
    is_interpreter(words) && words[1..].iter().any(|word| word.as_literal().is_none())
}

fn is_interpreter(words: &[Arg]) -> bool {
    let name = words.first().and_then(Arg::as_literal).unwrap_or_default();
    INTERPRETERS.contains(&name.rsplit('/').next().unwrap_or_default())
}

/// The files that a command puts into what it brings: those of its options, and those that are
/// called like the end of an address.
pub(super) fn fetched_into(words: &[Arg]) -> Vec<String> {
    let words: Vec<&str> = words.iter().filter_map(Arg::as_literal).collect();
    let after_option = words.windows(2).filter(|pair| {
        matches!(pair[0], "-O" | "-o" | "--output" | "--output-document" | "-OutFile")
    });
    let joined = words.iter().filter_map(|word| {
        let options = ["--output=", "--output-document=", "of="];
        let value = options.iter().find_map(|option| word.strip_prefix(option));
        value.or(word.strip_prefix("-o").filter(|value| !value.is_empty()))
    });
    let addresses = words.iter().filter(|word| word.contains("://"));
    let ends = addresses.filter_map(|word| word.split(['?', '#']).next()?.rsplit('/').next());
    let names = after_option.map(|pair| pair[1]).chain(joined).chain(ends);
    names.map(plain_name).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A name without what does not matter in it.
pub(super) fn plain_name(name: &str) -> &str {
    name.trim_start_matches("./")
}
