//! What ripgrep answers.

use std::collections::BTreeSet;
use std::process::Command;

use crate::combinations::{Case, Combination, Mode};
use crate::tree::Tree;

/// Everything that rg found.
pub(crate) struct Expected {
    pub(crate) entries: Vec<Entry>,
}

/// A line, a file or a count, as we would show it.
pub(crate) struct Entry {
    path: String,
    text: String,
    /// A rule stands between it and the one before.
    apart: bool,
}

impl Expected {
    /// How many files are among the entries.
    pub(crate) fn files(&self) -> usize {
        self.entries.iter().map(|entry| &entry.path).collect::<BTreeSet<_>>().len()
    }

    /// The entries of a page, with the rules between them; as many lines as we showed.
    pub(crate) fn page(&self, from: usize, to: usize, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for (at, entry) in self.entries[from.min(to)..to].iter().enumerate() {
            if at > 0 && entry.apart {
                lines.push("--".to_owned());
            }
            lines.push(entry.text.clone());
        }
        lines.truncate(most);
        lines
    }
}

/// rg with the policy of our walk: dot files too, but no store of git; what git ignores left out.
fn command(tree: &Tree) -> Command {
    let mut command = Command::new("rg");
    command.current_dir(tree.root()).args(["--no-config", "--color=never", "--hidden"]);
    command.arg("--sort=path");
    command
}

fn leave_out(command: &mut Command, tree: &Tree) {
    command.args(["-g", "!.git"]);
    for name in tree.secret.iter().chain(&tree.ignored) {
        command.arg("-g").arg(format!("!/{}", globset_escaped(name)));
    }
}

fn globset_escaped(name: &str) -> String {
    name.chars()
        .flat_map(|c| if "[]{}*?\\!".contains(c) { vec!['\\', c] } else { vec![c] })
        .collect()
}

fn output(command: &mut Command) -> String {
    let done = command.output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    // 1 means that nothing was found, 2 with these words that no file passed the filters.
    let fine = match done.status.code() {
        Some(0 | 1) => errors.is_empty(),
        Some(2) => errors.starts_with("No files were searched"),
        _ => false,
    };
    assert!(fine, "{command:?}: {errors}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// The files that rg would search.
pub(crate) fn files(tree: &Tree, flags: &[&str]) -> Vec<String> {
    let mut command = command(tree);
    leave_out(command.arg("--files").args(flags), tree);
    output(&mut command).lines().map(str::to_owned).collect()
}

/// The files in which rg finds anything at all, secrets too.
pub(crate) fn names(tree: &Tree) -> Vec<String> {
    let mut command = command(tree);
    leave_out(command.args(["-l", "^|\\z"]), tree);
    output(&mut command).lines().map(str::to_owned).collect()
}

/// Searches as a combination says.
pub(crate) fn search(tree: &Tree, combination: &Combination) -> Expected {
    let mut command = command(tree);
    command.args(["--null", "--with-filename", "--no-heading"]);
    match combination.mode {
        Mode::Files => command.arg("--files-with-matches"),
        Mode::Count => command.arg("--count"),
        Mode::Content => command.arg("--line-number"),
    };
    flags(&mut command, combination);
    for (name, value) in [("--glob", combination.glob), ("--type", combination.file_type)] {
        command.args(value.map(|value| format!("{name}={value}")));
    }
    leave_out(&mut command, tree);
    let text = output(command.arg("-e").arg(combination.pattern));
    Expected { entries: entries(&text, combination.mode) }
}

fn flags(command: &mut Command, combination: &Combination) {
    match combination.case {
        Case::Sensitive => command.arg("--case-sensitive"),
        Case::Insensitive => command.arg("--ignore-case"),
        Case::Smart => command.arg("--smart-case"),
    };
    for (flag, on) in [
        ("--fixed-strings", combination.fixed),
        ("--word-regexp", combination.word),
        ("--invert-match", combination.invert),
    ] {
        command.args(on.then_some(flag));
    }
    if combination.multi_line {
        command.args(["--multiline", "--multiline-dotall"]);
    }
    command.arg(format!("--before-context={}", combination.before));
    command.arg(format!("--after-context={}", combination.after));
}

fn entries(text: &str, mode: Mode) -> Vec<Entry> {
    if mode == Mode::Files {
        let names = text.split('\0').filter(|name| !name.is_empty());
        return names
            .map(|name| Entry { path: name.to_owned(), text: name.to_owned(), apart: false })
            .collect();
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut apart = false;
    for line in text.split_terminator('\n') {
        if line == "--" {
            apart = true;
            continue;
        }
        let Some((path, rest)) = line.split_once('\0') else {
            assert!(line.contains("WARNING: stopped searching binary file"), "{line:?}");
            continue;
        };
        let rest = rest.strip_suffix('\r').unwrap_or(rest);
        let mark = rest.chars().find(|c| !c.is_ascii_digit()).filter(|_| mode == Mode::Content);
        let text = format!("{path}{}{rest}", mark.unwrap_or(':'));
        entries.push(Entry { path: path.to_owned(), text, apart });
        apart = false;
    }
    entries
}
