//! What git runs or writes beyond what its words show.

use super::hidden::has_long;
use super::{Arg, leading};

const PROGRAM: &str = "runs a program that an option names";
const SETTINGS: &str = "changes settings that can name programs";
const WRITES: &str = "writes a file that an option names";
const UNCLEAR: &str = "has a word that may be any option";

/// Says what it is, by the words after git's name.
pub(super) fn look(args: &[Arg]) -> Option<&'static str> {
    let split = leading::split_git(args);
    if !split.known {
        return Some(UNCLEAR);
    }
    if let Some(why) = split.options.iter().find_map(|(option, value)| before(option, *value)) {
        return Some(why);
    }
    let (first, rest) = split.rest.split_first()?;
    let Some(name) = first.as_literal() else { return Some(UNCLEAR) };
    always(name, rest).or_else(|| with_options(name, rest))
}

/// Options before the subcommand that change nothing of what runs.
const QUIET: &[&str] = &[
    "--no-pager",
    "-P",
    "--no-optional-locks",
    "--no-replace-objects",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-advice",
    "--no-lazy-fetch",
    "--bare",
    "--version",
    "-v",
    "--help",
    "-h",
    "--exec-path",
    "--html-path",
    "--man-path",
    "--info-path",
    "--namespace",
    "-C",
];

fn before(option: &str, value: Option<&Arg>) -> Option<&'static str> {
    let name = option.split('=').next().unwrap_or(option);
    if option == "-c" {
        let harmless = value.and_then(Arg::as_literal).is_some_and(is_harmless_setting);
        return (!harmless).then_some(SETTINGS);
    }
    let known = QUIET.contains(&option) || name == "--namespace";
    (!known).then_some("runs with programs or settings of another place")
}

/// Settings that name no program.
const HARMLESS: &[&str] = &[
    "core.quotepath",
    "core.autocrlf",
    "core.abbrev",
    "init.defaultbranch",
    "user.name",
    "user.email",
    "pull.rebase",
    "push.default",
    "merge.conflictstyle",
    "diff.renames",
    "log.date",
    "log.decorate",
    "log.showsignature",
];

/// Settings that name no program if they have one of these values.
const HARMLESS_SO: &[&str] = &[
    "core.pager=cat",
    "core.pager=",
    "commit.gpgsign=false",
    "tag.gpgsign=false",
    "core.fsmonitor=false",
    "core.hookspath=/dev/null",
    "core.editor=true",
    "core.editor=:",
];

fn is_harmless_setting(setting: &str) -> bool {
    let setting = setting.to_ascii_lowercase();
    let name = setting.split('=').next().unwrap_or_default();
    HARMLESS.contains(&name)
        || HARMLESS_SO.contains(&setting.as_str())
        || ["color.", "advice."].iter().any(|start| name.starts_with(start))
}

/// Subcommands that run something else whatever their options are.
fn always(name: &str, rest: &[Arg]) -> Option<&'static str> {
    let second = rest.first().map(|arg| arg.as_literal().unwrap_or("?"));
    let runs = match name {
        "difftool" | "mergetool" | "filter-branch" | "filter-repo" | "instaweb" | "web--browse"
        | "daemon" | "shell" | "send-email" | "remote-ext" => true,
        "bisect" | "hook" => matches!(second, Some("run" | "?")),
        "submodule" => rest.iter().any(|arg| matches!(arg.as_literal(), Some("foreach") | None)),
        _ => false,
    };
    if runs {
        return Some("runs programs that its words do not show");
    }
    match name {
        "config" => config(rest),
        "bundle" if matches!(second, Some("create" | "?")) => Some(WRITES),
        _ => None,
    }
}

fn config(args: &[Arg]) -> Option<&'static str> {
    let looks =
        ["--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "get", "list"];
    let mut operands = Vec::new();
    for arg in args {
        match arg.as_literal() {
            Some(word) if looks.contains(&word) && operands.is_empty() => return None,
            Some("-f" | "--file" | "-e" | "--edit" | "edit") => return Some(SETTINGS),
            Some(word) if word.starts_with("--file=") => return Some(SETTINGS),
            Some(word) if word.starts_with('-') => {}
            Some("set") if operands.is_empty() => {}
            Some(word) => operands.push(word),
            None => operands.push("?"),
        }
    }
    let (name, values) = operands.split_first()?;
    let harmless = || is_harmless_setting(&format!("{name}={}", values.first().unwrap_or(&"")));
    (!values.is_empty() && !harmless()).then_some(SETTINGS)
}

/// Options of a subcommand that run or write more.
struct More {
    long: &'static [&'static str],
    letters: &'static str,
    valued: &'static str,
    why: &'static str,
}

fn more(name: &str) -> Option<More> {
    let transport = &["--upload-pack", "--receive-pack", "--exec"][..];
    let (long, letters, valued, why) = match name {
        "diff" | "log" | "show" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files"
        | "stash" | "reflog" | "range-diff" | "shortlog" => {
            (&["--output", "--ext-diff"][..], "", "", WRITES)
        }
        "format-patch" => (&["--output", "--output-directory", "--ext-diff"][..], "o", "v", WRITES),
        "archive" => (&["--output", "--exec", "--remote"][..], "o", "", WRITES),
        "fast-export" => (&["--export-marks"][..], "", "", WRITES),
        "grep" => (&["--open-files-in-pager", "--ext-grep"][..], "O", "efABCm", PROGRAM),
        "rebase" => (&["--exec"][..], "x", "sXC", PROGRAM),
        "clone" => (
            &["--upload-pack", "--config", "--template", "--separate-git-dir"][..],
            "uc",
            "obj",
            PROGRAM,
        ),
        "init" => (&["--template", "--separate-git-dir"][..], "", "", PROGRAM),
        "fetch" | "pull" | "push" | "ls-remote" | "fetch-pack" | "send-pack" | "remote" => {
            (transport, "", "", PROGRAM)
        }
        _ => return None,
    };
    Some(More { long, letters, valued, why })
}

fn with_options(name: &str, args: &[Arg]) -> Option<&'static str> {
    let more = more(name)?;
    for arg in args {
        let Some(word) = arg.as_literal() else {
            if arg.may_be_option() {
                return Some(UNCLEAR);
            }
            continue;
        };
        if word == "--" {
            return None;
        }
        if has_long(more.long, word) || more.letter(word) {
            return Some(more.why);
        }
    }
    None
}

impl More {
    fn letter(&self, word: &str) -> bool {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        let before = |letter: &char| !self.valued.contains(*letter);
        letters.is_some_and(|letters| {
            letters.chars().take_while(before).any(|letter| self.letters.contains(letter))
        })
    }
}
