//! What the shell does itself: changing folders, setting variables, reading lines.

use super::files::MAX_FILES;
use super::walk::{Listed, Listing, Walk};
use super::{Found, UsedFile};
use crate::command::{Access, Arg};
use crate::risk::Risk;
use crate::shell::expand::{State, Value};
use crate::shell::simple::is_name;
use crate::shell::variables::{harmless_to_programs, obeyed};

/// Builtins after which nothing later in a line means what it says.
const CHANGES_MEANING: [&str; 27] = [
    "alias",
    "unalias",
    "hash",
    "enable",
    "source",
    ".",
    "trap",
    "exec",
    "shopt",
    "bind",
    "complete",
    "compgen",
    "compopt",
    "declare",
    "typeset",
    "local",
    "readonly",
    "let",
    "mapfile",
    "readarray",
    "fc",
    "history",
    "getopts",
    "popd",
    "builtin",
    "caller",
    "suspend",
];

/// Longer names of folders are no names of folders.
const MAX_FOLDER_BYTES: usize = 4096;

impl Walk {
    /// Handles a builtin that changes what later commands mean; false for all else.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        words: &[Arg],
        state: &mut State,
        input: &Listing,
    ) -> bool {
        match name {
            "cd" => self.cd(words, state),
            "pushd" => {
                self.refuse("`pushd` keeps folders that are not followed");
                self.cd(words, state);
            }
            "read" => self.read(words, state, input),
            "export" => self.export(words, state),
            "unset" => self.unset(words, state),
            "set" => self.set(words),
            _ => {
                if CHANGES_MEANING.contains(&name) {
                    self.refuse(format!("`{name}` can change what later commands do"));
                }
                if evaluates(name, words) {
                    self.refuse(format!("`{name}` evaluates what it is given"));
                }
                return false;
            }
        }
        true
    }

    fn keep_builtin(&mut self, words: &[Arg], reason: &str) {
        self.found.push(Found {
            words: words.to_vec(),
            risk: Risk::Safe,
            reason: reason.to_owned(),
            hint: None,
            wrapper: false,
        });
    }

    /// Whoever wipes the traces has something to hide.
    pub(super) fn hides_history(&mut self) {
        self.found.push(Found {
            words: vec![Arg::literal("HISTFILE")],
            risk: Risk::Forbidden,
            reason: "keeps what is done out of the history".to_owned(),
            hint: None,
            wrapper: false,
        });
    }

    fn cd(&mut self, words: &[Arg], state: &mut State) {
        self.keep_builtin(words, "changes the folder of what follows");
        let rest: Vec<&Arg> =
            words[1..].iter().filter(|word| word.as_literal() != Some("--")).collect();
        let target = match rest.as_slice() {
            [] => state.home.as_deref().map(str::to_owned),
            [Arg::Literal(path)] if !path.starts_with('-') && !path.is_empty() => {
                Some(path.clone())
            }
            _ => None,
        };
        let Some(target) = target else {
            self.refuse("where `cd` goes is known only when it runs");
            return;
        };
        self.enter(&target, state);
    }

    /// Goes into a folder, from every one that it can be in.
    pub(super) fn enter(&mut self, target: &str, state: &mut State) {
        state.folders = state.folders.iter().map(|folder| folder_from(folder, target)).collect();
        if state.folders.iter().any(|folder| folder.len() > MAX_FOLDER_BYTES) {
            self.refuse("the name of its folder is too long");
            state.folders = vec!["/".to_owned()];
        }
        for folder in &state.folders {
            if !self.folders.contains(folder) {
                self.folders.push(folder.clone());
            }
            let used = UsedFile {
                access: Access::Read,
                named: target.to_owned(),
                redirected: false,
                place: super::FilePlace::At(folder.clone()),
            };
            if self.files.len() < MAX_FILES && !self.files.contains(&used) {
                self.files.push(used);
            }
        }
    }

    fn read(&mut self, words: &[Arg], state: &mut State, input: &Listing) {
        self.keep_builtin(words, "reads a line");
        let mut names = Vec::new();
        let mut whole_lines = true;
        let mut values = words[1..].iter();
        while let Some(word) = values.next() {
            match word.as_literal() {
                Some("-r" | "-s") => {}
                Some("-p" | "-rp") => {
                    values.next();
                }
                Some("-d" | "-n" | "-t" | "-N" | "-rd" | "-rn") => {
                    whole_lines = false;
                    values.next();
                }
                Some(name) if is_name(name) => names.push(name),
                _ => {
                    self.refuse("what `read` sets is known only when it runs");
                    return;
                }
            }
        }
        if names.is_empty() {
            names.push("REPLY");
        }
        for name in &names {
            if let Some(why) = obeyed(name) {
                self.refuse(format!("it sets {name}, which {why}"));
            }
            let value = match (input, names.len()) {
                (Some(Listed::Below(below, _)), 1) if whole_lines => {
                    Value::Listed { below: below.clone(), exact: false }
                }
                _ => Value::Unknown,
            };
            state.set((*name).to_owned(), vec![value]);
        }
    }

    fn export(&mut self, words: &[Arg], state: &mut State) {
        self.keep_builtin(words, "gives variables to what follows");
        if words.len() == 1 {
            self.refuse("`export` alone shows every variable");
        }
        for word in &words[1..] {
            if is_history(&word.to_string()) {
                self.hides_history();
            }
            let pair = word.as_literal().map(|word| word.split_once('=').unwrap_or((word, "")));
            let (name, value) = pair.unwrap_or_default();
            let gives = word.as_literal().is_some_and(|word| word.contains('='));
            if harmless_to_programs(name, value) && gives {
                state.set(name.to_owned(), vec![Value::Text(value.to_owned())]);
            } else if !harmless_to_programs(name, value) || state.variables.contains_key(name) {
                self.refuse("it exports a variable that programs may obey");
            }
        }
    }

    fn unset(&mut self, words: &[Arg], state: &mut State) {
        self.keep_builtin(words, "forgets variables");
        for word in &words[1..] {
            if is_history(&word.to_string()) {
                self.hides_history();
            }
            match word.as_literal().filter(|name| is_name(name) && obeyed(name).is_none()) {
                Some(name) => {
                    state.set(name.to_owned(), vec![Value::Unknown]);
                }
                None => self.refuse("it unsets what programs may obey"),
            }
        }
    }

    /// Only the options that stop a script at its first error, or show what it does.
    fn set(&mut self, words: &[Arg]) {
        self.keep_builtin(words, "sets options of the shell");
        if words.len() == 1 {
            self.refuse("`set` alone shows every variable");
        }
        let mut rest = words[1..].iter();
        while let Some(word) = rest.next() {
            let known = match word.as_literal() {
                Some("-o" | "+o" | "-eo" | "-euo" | "-ueo" | "-euxo" | "-exo" | "-uo" | "-xo") => {
                    matches!(
                        rest.next().and_then(Arg::as_literal),
                        Some("pipefail" | "errexit" | "nounset" | "xtrace")
                    )
                }
                Some(flags) => flags.strip_prefix(['-', '+']).is_some_and(|flags| {
                    !flags.is_empty() && flags.chars().all(|flag| "euxf".contains(flag))
                }),
                None => false,
            };
            if !known {
                self.refuse("`set` can change what later commands do");
                return;
            }
        }
    }
}

/// A variable that says where the shell keeps its history, and of what; perhaps with a value.
pub(super) fn is_history(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    ["HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE"].contains(&name)
}

/// A test whose operand may be code, or a name that may hold some.
fn evaluates(name: &str, words: &[Arg]) -> bool {
    let flagged = |flags: &[&str]| {
        words.iter().any(|word| word.as_literal().is_some_and(|word| flags.contains(&word)))
    };
    match name {
        "test" | "[" => flagged(&["-v", "-R"]),
        "printf" => {
            words.get(1).is_some_and(|word| word.may_be_option() && word.as_literal() != Some("--"))
        }
        "wait" => words.iter().skip(1).any(Arg::may_be_option),
        _ => false,
    }
}

/// Where `cd target` leads from `folder`; as bash does it, `..` takes the last name away.
pub(super) fn folder_from(folder: &str, target: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let start = if target.starts_with('/') { "" } else { folder };
    for name in start.split('/').chain(target.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::folder_from;

    #[test]
    fn folders_as_cd_finds_them() {
        assert_eq!(folder_from("/a/b", "c"), "/a/b/c");
        assert_eq!(folder_from("/a/b", ".."), "/a");
        assert_eq!(folder_from("/a/b", "../../../.."), "/");
        assert_eq!(folder_from("/a/b", "/x/./y"), "/x/y");
        assert_eq!(folder_from("/a/b", "c/.."), "/a/b");
    }
}
