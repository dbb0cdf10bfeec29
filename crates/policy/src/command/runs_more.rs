//! Options by which a program runs others, or writes where nobody looks.
//!
//! A rule that allows a program means what its words show. `git diff --output=F` and
//! `tar --to-command=X` do more than that, so no rule for `git` or `tar` is about them.

use super::hidden::has_long;
use super::verdict::judge;
use super::{Arg, export, git_runs, hidden};
use crate::risk::Risk;

/// Says what a command runs or writes that its words do not show; nothing if it does not.
pub fn runs_more(words: &[Arg]) -> Option<&'static str> {
    let (first, args) = words.split_first()?;
    // Whatever folder it is in: this only ever makes things stricter.
    let name = first.as_literal()?.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    // The tables know every option of what is safe.
    if judge(words).risk == Risk::Safe {
        return None;
    }
    match name {
        "git" => git_runs::look(args),
        "ssh" | "scp" | "sftp" => remote(name, args),
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => awk(args),
        "sed" | "gsed" => (judge(words).risk > Risk::Caution)
            .then_some("has a script that may run commands or write files"),
        "make" | "gmake" => variables(args).or_else(|| hidden::look(name, args)),
        "vim" | "vi" | "nvim" | "view" | "ex" | "vimdiff" if has_plus(args) => {
            Some("runs commands of the editor")
        }
        _ => hidden::look(name, args),
    }
}

fn literals(args: &[Arg]) -> impl Iterator<Item = &str> {
    args.iter().filter_map(Arg::as_literal)
}

fn has_plus(args: &[Arg]) -> bool {
    literals(args).any(|word| word.starts_with('+'))
}

/// Variables of a makefile that say what runs.
fn variables(args: &[Arg]) -> Option<&'static str> {
    let steers = |word: &str| {
        let name = word.split('=').next().unwrap_or(word).trim_end_matches([':', '+', '?', '!']);
        name != word && (export::steers(name) || name.starts_with('.') || name == "MAKE")
    };
    literals(args).any(steers).then_some("sets a variable that says which programs run")
}

/// Options of ssh's settings that name no program and no file.
const HARMLESS: &[&str] = &[
    "addressfamily",
    "batchmode",
    "compression",
    "connectionattempts",
    "connecttimeout",
    "identitiesonly",
    "loglevel",
    "numberofpasswordprompts",
    "passwordauthentication",
    "port",
    "preferredauthentications",
    "pubkeyauthentication",
    "requesttty",
    "serveralivecountmax",
    "serveraliveinterval",
    "stricthostkeychecking",
    "user",
];

/// The words of ssh up to the command on the other machine.
fn remote(name: &str, args: &[Arg]) -> Option<&'static str> {
    let why = "may run a program to connect";
    let valued = "bBcDEeFIiJLlmOoPpQRSWwX";
    let mut rest = args.iter();
    let mut operands = 0;
    while let Some(arg) = rest.next() {
        let Some(word) = arg.as_literal() else {
            if arg.may_be_option() {
                return Some(why);
            }
            operands += 1;
            continue;
        };
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            operands += 1;
            // What follows the machine is for the machine.
            if name == "ssh" && operands > 1 {
                return None;
            }
            continue;
        };
        if letters == "-" {
            return None;
        }
        let Some(at) = letters.find(|letter| valued.contains(letter)) else { continue };
        let attached = &letters[at + 1..];
        let value = if attached.is_empty() {
            rest.next().map(|arg| arg.as_literal().unwrap_or("?"))
        } else {
            Some(attached)
        };
        let runs = match &letters[at..=at] {
            "o" => !is_harmless(value.unwrap_or("?")),
            "F" | "I" | "E" => true,
            "S" | "D" => name != "ssh",
            _ => false,
        };
        if runs {
            return Some(why);
        }
    }
    None
}

fn is_harmless(setting: &str) -> bool {
    let name = setting.trim_start().split(['=', ' ', '\t']).next().unwrap_or_default();
    HARMLESS.contains(&name.to_ascii_lowercase().as_str())
}

/// A program of awk that is not known to only look, and has what it needs to do more.
fn awk(args: &[Arg]) -> Option<&'static str> {
    let why = "has a program that may run commands or write files";
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(word) = arg.as_literal() else { return Some(why) };
        match word {
            "-F" | "-v" | "--field-separator" | "--assign" => drop(rest.next()),
            "--" => {}
            _ if loads(word) => return Some(why),
            _ if word.len() > 1 && word.starts_with('-') => {}
            // What follows the program are names of files.
            program => return reaches(program).then_some(why),
        }
    }
    None
}

/// An option with which the program is in a file, or has parts that are.
fn loads(word: &str) -> bool {
    let letters = ["-f", "-E", "-i", "-l"];
    letters.iter().any(|letter| word.starts_with(letter))
        || has_long(&["--file", "--exec", "--include", "--load"], word)
}

fn reaches(program: &str) -> bool {
    let plain = program.replace("||", "");
    let signs = plain.contains(['|', '@', '>', '`']) || plain.contains("\\\n");
    signs || program.contains("system") || program.contains("getline")
}
