//! One command, all of whose words are as known as they can be, and the commands inside it.

use super::Found;
use super::walk::{Listed, Listing, Walk};
use crate::command::{self, Arg, Effects, Inner};
use crate::risk::Risk;
use crate::shell::expand::State;
use crate::shell::variables::harmless_to_programs;

/// How many commands may be inside of each other.
const MAX_WRAPPERS: usize = 8;
/// How many words a command inside of another may have: each level copies them.
pub(super) const MAX_INNER_WORDS: usize = 1_000;

impl Walk {
    /// One command, all of whose words are as known as they can be.
    pub(super) fn run(&mut self, words: Vec<Arg>, state: &mut State, input: &Listing) {
        let Some(name) = self.name_to_run(&words, state) else { return };
        if self.builtin(&name, &words, state, input) {
            return;
        }
        if let Some((folder, rest)) = in_another_folder(&name, &words) {
            let mut there = state.clone();
            self.enter(&folder, &mut there);
            self.depth += 1;
            self.run(rest, &mut there, input);
            self.depth -= 1;
            return;
        }
        let effects = command::judge(&words);
        self.understand(&name, &words, &effects);
        // `xargs` with another file or separator reads other words than those of the pipe.
        let reads_elsewhere = words[1..].iter().any(|word| {
            word.as_literal().is_some_and(|word| {
                ["-a", "-d", "--a", "--d"].iter().any(|option| word.starts_with(option))
            })
        });
        self.keep(words, &effects, state);
        self.sets(&effects.sets);
        self.depth += 1;
        let input = if reads_elsewhere { &None } else { input };
        for inner in effects.inner {
            self.inside(inner, &name, state, input);
        }
        self.depth -= 1;
    }

    /// The name of a command; none if it is not looked at.
    fn name_to_run(&mut self, words: &[Arg], state: &State) -> Option<String> {
        if self.depth >= MAX_WRAPPERS {
            self.refuse(format!("commands are more than {MAX_WRAPPERS} deep inside of each other"));
            return None;
        }
        if self.depth > 0 && words.len() > MAX_INNER_WORDS {
            let text = format!("a command inside of another has more than {MAX_INNER_WORDS} words");
            self.refuse(text);
            return None;
        }
        if self.is_too_much(state) {
            return None;
        }
        let name = words.first().and_then(Arg::as_literal);
        if name.is_none() {
            self.refuse("a command's name is known only when it runs");
        }
        words.first().map(|_| name.unwrap_or_default().to_owned())
    }

    /// Says what of a command is not understood, so that no rule can allow it.
    fn understand(&mut self, name: &str, words: &[Arg], effects: &Effects) {
        let unclear =
            words[1..].iter().any(|word| word.as_literal().is_none() && word.may_be_option());
        if effects.risk >= Risk::Unknown && unclear {
            self.refuse(format!(
                "an argument of `{name}` that is known only when it runs may be an option"
            ));
        }
        let has = |options: &[&str]| {
            let mut words = words.iter().filter_map(Arg::as_literal);
            words.any(|word| options.iter().any(|option| word.starts_with(option)))
        };
        if name == "xargs" && has(&["-I", "-i", "--replace"]) && has(&["-n", "-L", "-l", "--max"]) {
            self.refuse("options of `xargs` undo each other");
        }
        if effects.risk == Risk::Unknown && command::starts_others(words) {
            self.refuse(format!("what `{name}` starts is not clear"));
        }
        if effects.risk > Risk::Safe
            && let Some(why) = command::runs_more(words)
        {
            self.refuse(format!("`{name}` {why}"));
        }
    }

    fn keep(&mut self, words: Vec<Arg>, effects: &Effects, state: &State) {
        let name = words.first().and_then(Arg::as_literal).unwrap_or_default().to_owned();
        let globs: Vec<Arg> =
            words.iter().filter(|word| matches!(word, Arg::Glob(_))).cloned().collect();
        for name in effects.steered_by {
            if !self.steered_by.iter().any(|known| known == name) {
                self.steered_by.push((*name).to_owned());
            }
        }
        self.starts.extend(effects.starts);
        self.found.push(Found {
            words,
            risk: effects.risk,
            reason: effects.reason.clone().into_owned(),
            hint: effects.hint.clone().map(Into::into),
            wrapper: !effects.inner.is_empty(),
        });
        for file in &effects.files {
            self.file(file.access, &file.path, state);
        }
        if effects.risk == Risk::Caution && writes_unnamed(&name) {
            self.file(command::Access::Write, &Arg::unknown(), state);
        }
        // The shell looks at the folders of a pattern, whatever the command does with the names.
        for glob in &globs {
            if !effects.files.iter().any(|file| file.path == *glob) {
                self.file(command::Access::Read, glob, state);
            }
        }
    }

    fn sets(&mut self, names: &[String]) {
        for name in names {
            let (name, value) = name.split_once('=').unwrap_or((name, ""));
            if !harmless_to_programs(name, value) {
                self.refuse(format!("it sets {name} for a program, which may obey it"));
            }
        }
    }

    fn inside(&mut self, inner: Inner, outer: &str, state: &mut State, input: &Listing) {
        match inner {
            // The shell itself runs what is behind `command`.
            Inner::Command(words) if outer == "command" => self.run(words, state, input),
            Inner::Command(words) => {
                let first = self.found.len();
                self.run(words, &mut state.clone(), input);
                if outer == "timeout" {
                    self.found[first..].iter_mut().for_each(Found::ends_in_time);
                }
            }
            Inner::PerInput { command, exact } => {
                let filled =
                    command.into_iter().flat_map(|arg| filled(arg, input, exact)).collect();
                self.run(filled, &mut state.clone(), &None);
            }
            Inner::Script(Arg::Literal(text)) => self.inner_script(&text, outer, state, input),
            Inner::Script(_) => self.refuse("a script is known only when it runs"),
            Inner::Elsewhere(words) => {
                // Another shell puts the words together and reads them again.
                let text: Vec<String> = words.iter().map(ToString::to_string).collect();
                super::danger::scan_into(&text.join(" "), None, &mut self.found);
                let effects = command::judge(&words);
                let place = State { folders: Vec::new(), ..state.clone() };
                self.keep(words, &Effects { files: Vec::new(), ..effects }, &place);
            }
        }
    }

    fn inner_script(&mut self, text: &str, outer: &str, state: &mut State, input: &Listing) {
        if self.depth >= MAX_WRAPPERS {
            self.refuse(format!("commands are more than {MAX_WRAPPERS} deep inside of each other"));
            return;
        }
        match crate::shell::prove(text) {
            Ok(script) if outer == "eval" => self.script(&script, state, input),
            Ok(script) => {
                // Another shell has its own variables, and may be told some by its arguments.
                let mut fresh = state.clone();
                fresh.forget_variables();
                self.script(&script, &mut fresh, input);
            }
            Err(refusal) => {
                self.refuse(refusal);
                super::danger::scan_into(text, state.home.as_deref(), &mut self.found);
            }
        }
    }
}

/// Programs that write files which their words do not name.
fn writes_unnamed(name: &str) -> bool {
    let programs = [
        "tar",
        "bsdtar",
        "unzip",
        "7z",
        "ar",
        "cpio",
        "patch",
        "prettier",
        "black",
        "eslint",
        "ruff",
        "isort",
        "gofmt",
        "rustfmt",
        "autopep8",
        "clang-format",
        "dos2unix",
        "gunzip",
        "unxz",
        "rename",
    ];
    programs.contains(&name.rsplit('/').next().unwrap_or_default())
}

/// `git -C folder status` is `git status` in that folder.
fn in_another_folder(name: &str, words: &[Arg]) -> Option<(String, Vec<Arg>)> {
    let [git, option, Arg::Literal(folder), rest @ ..] = words else { return None };
    // git goes where links lead, and only then up.
    let plain = !folder.is_empty() && !folder.starts_with('-') && !folder.contains("..");
    (name == "git" && option.as_literal() == Some("-C") && plain)
        .then(|| (folder.clone(), [std::slice::from_ref(git), rest].concat()))
}

fn filled(arg: Arg, input: &Listing, exact: bool) -> Vec<Arg> {
    match (arg, input) {
        (Arg::Input, Some(Listed::Below(below, listed_exactly))) => {
            vec![Arg::Listed { below: below.clone(), exact: exact && *listed_exactly }]
        }
        (Arg::Input, Some(Listed::Words(words))) => words.iter().map(Arg::literal).collect(),
        (Arg::Input, None) => vec![Arg::unknown()],
        (arg, _) => vec![arg],
    }
}

impl Found {
    /// It would wait for ever, but somebody ends it.
    fn ends_in_time(&mut self) {
        let name = self.words.first().and_then(Arg::as_literal);
        if self.risk == Risk::Interactive && name == Some("tail") {
            self.risk = Risk::Caution;
        }
    }
}
