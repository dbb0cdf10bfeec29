//! Pipelines that print names of files: `find src -name '*.rs' | sort`, `git ls-files`.
//!
//! Whoever reads their output names files that nobody wrote down, but it is known where they are.

use super::walk::{Listed, Listing};
use crate::command::Arg;
use crate::shell::ast::{Command, Kind, Redirect, RedirectKind, Script, Word};
use crate::shell::expand::{self, State};

/// What a script prints, if it is names of files.
pub(super) fn of_script(script: &Script, state: &State) -> Listing {
    match script.items.as_slice() {
        [item] if !item.background => of(&item.pipeline, state),
        _ => None,
    }
}

/// What the last of these commands prints, if it is names of files.
pub(super) fn of(pipeline: &[Command], state: &State) -> Listing {
    let (first, filters) = pipeline.split_first()?;
    if !may_list(first) {
        return None;
    }
    let listing = lister(&words(first, state)?)?;
    let keeps_names =
        |command: &Command| words(command, state).is_some_and(|words| filters_lines(&words));
    filters.iter().all(keeps_names).then_some(listing)
}

/// It is one of those that print names; most are not, which is quickly seen.
fn may_list(command: &Command) -> bool {
    let Kind::Simple { words, .. } = &command.kind else { return false };
    let name = words.first().and_then(Word::literal);
    let listers = ["find", "git", "ls", "rg", "grep", "echo", "printf"];
    name.is_some_and(|name| listers.contains(&name.as_str()))
}

fn words(command: &Command, state: &State) -> Option<Vec<String>> {
    let Kind::Simple { assignments, words } = &command.kind else { return None };
    // Errors may go elsewhere, but its input and output must be the pipes'.
    let errors = |redirect: &Redirect| {
        redirect.kind == RedirectKind::Write && redirect.descriptor.as_deref() == Some("2")
    };
    if !command.redirects.iter().all(errors) {
        return None;
    }
    let mut ways = expand::arguments(words, state).ok()?;
    if !assignments.is_empty() || ways.len() != 1 {
        return None;
    }
    // Wildcards are fine as they are: what they match is below where they stand.
    let text = |arg: Arg| match arg {
        Arg::Literal(text) => Some(text),
        Arg::Glob(pattern) if !pattern.starts_with(['/', '~']) && !pattern.contains("..") => {
            Some(".".to_owned())
        }
        _ => None,
    };
    ways.pop()?.into_iter().map(text).collect()
}

fn lister(words: &[String]) -> Listing {
    let (name, rest) = words.split_first()?;
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    match name.as_str() {
        "find" => find(&rest),
        "git" => git(&rest),
        "ls" => plain_names(&rest),
        "rg" => ripgrep(&rest),
        "grep" => grep(&rest),
        "echo" => echo(&rest),
        "printf" => rest
            .split_first()
            .filter(|(format, _)| **format == "%s\\n")
            .and_then(|(_, rest)| echo(rest)),
        _ => None,
    }
}

fn is_option(word: &str) -> bool {
    word.starts_with('-')
}

fn operands<'a>(words: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    words.iter().copied().filter(|word| !is_option(word))
}

/// Words that are printed as they are, and read again as the same words.
fn echo(rest: &[&str]) -> Listing {
    let plain = |word: &&str| {
        !is_option(word)
            && !word.is_empty()
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c))
    };
    let words = || rest.iter().map(|word| (*word).to_owned()).collect();
    (!rest.is_empty() && rest.iter().all(plain)).then(|| Listed::Words(words()))
}

/// Only options that neither take a value nor print anything but names.
fn only(words: &[&str], known: &[&str]) -> bool {
    words.iter().all(|word| !is_option(word) || known.contains(word))
}

fn ripgrep(rest: &[&str]) -> Listing {
    if !only(
        rest,
        &["--files", "-l", "--files-with-matches", "-i", "-w", "-F", "-S", "-s", "--hidden"],
    ) {
        return None;
    }
    if rest.contains(&"--files") {
        return Some(below(operands(rest), ""));
    }
    let lists = rest.contains(&"-l") || rest.contains(&"--files-with-matches");
    lists.then(|| below(operands(rest).skip(1), ""))
}

fn grep(rest: &[&str]) -> Listing {
    let known = |word: &&str| match word.strip_prefix("--") {
        Some(long) => {
            long == "files-with-matches"
                || ["include=", "exclude=", "exclude-dir="]
                    .iter()
                    .any(|option| long.starts_with(option))
        }
        None => !is_option(word) || word[1..].chars().all(|flag| "rRlniwEFsxI".contains(flag)),
    };
    let lists = rest.iter().any(|word| {
        *word == "--files-with-matches"
            || is_option(word) && !word.starts_with("--") && word.contains('l')
    });
    (lists && rest.iter().all(known)).then(|| below(operands(rest).skip(1), ""))
}

fn find(rest: &[&str]) -> Listing {
    const OTHER_OUTPUT: [&str; 9] =
        ["-printf", "-ls", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fls", "-delete"];
    if rest.iter().any(|word| OTHER_OUTPUT.iter().any(|other| word.starts_with(other))) {
        return None;
    }
    let starts = rest.iter().copied().take_while(|word| !word.starts_with(['-', '(', '!', ')']));
    let exact = rest.contains(&"-print0");
    match below(starts, ".") {
        Listed::Below(folders, _) => Some(Listed::Below(folders, exact)),
        words @ Listed::Words(_) => Some(words),
    }
}

fn git(rest: &[&str]) -> Listing {
    const PLAIN: [&str; 14] = [
        "-m",
        "-o",
        "-c",
        "-d",
        "-z",
        "--others",
        "--exclude-standard",
        "--cached",
        "--modified",
        "--deleted",
        "--name-only",
        "--staged",
        "-l",
        "--diff-filter=d",
    ];
    let (subcommand, options) = rest.split_first()?;
    let names = match *subcommand {
        "ls-files" => true,
        "diff" => options.contains(&"--name-only"),
        "grep" => options.contains(&"-l"),
        _ => false,
    };
    let stays = !rest.iter().any(|word| word.contains(".."));
    (names && stays && only(options, &PLAIN)).then(here)
}

/// `ls` prints names alone, unless it is told a file.
fn plain_names(rest: &[&str]) -> Listing {
    let plain = |word: &&str| match word.strip_prefix('-') {
        Some(flags) => flags.chars().all(|flag| "1AtrS".contains(flag)),
        None => !word.starts_with(['/', '~']) && !word.contains(".."),
    };
    rest.iter().all(plain).then(here)
}

/// Names in this folder, as they are: one may begin with `-`.
fn here() -> Listed {
    Listed::Below(vec![String::new()], false)
}

/// Names below these folders, or below `default` if there are none.
fn below<'a>(names: impl Iterator<Item = &'a str>, default: &str) -> Listed {
    let mut below: Vec<String> = names.map(str::to_owned).collect();
    if below.is_empty() {
        below.push(default.to_owned());
    }
    Listed::Below(below, false)
}

/// It prints some of the lines that it reads, as they are.
fn filters_lines(words: &[String]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let options = rest.iter().filter(|word| word.starts_with('-') && word.len() > 1);
    match name.as_str() {
        "grep" | "egrep" | "fgrep" => {
            // Only a pattern: with a file it would print that file's lines.
            let operands = rest.iter().filter(|word| !word.starts_with('-')).count();
            operands == 1
                && options.clone().all(|word| word[1..].chars().all(|flag| "viEFwx".contains(flag)))
        }
        "head" | "tail" => counts(rest),
        "sort" => rest.iter().all(|word| matches!(word.as_str(), "-u" | "-r" | "-n" | "-V")),
        "uniq" | "tac" | "cat" => rest.is_empty(),
        _ => false,
    }
}

/// Nothing but how many lines: a number alone would be a file.
fn counts(words: &[String]) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match words {
        [] => true,
        [option, number] if option == "-n" => digits(number),
        [option] => {
            option.strip_prefix('-').is_some_and(|rest| digits(rest.trim_start_matches('n')))
        }
        _ => false,
    }
}
