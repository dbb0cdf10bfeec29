//! `find`: where it looks, what it asks of files, and what it does with them.

use super::fit::{Misfit, is_one};
use super::verdict::unfit;
use super::{Access, Arg, Effects, FileUse, Inner};
use crate::risk::Risk;

/// Tests and actions without a value that only look.
const PLAIN: &[&str] = &[
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-true",
    "-false",
    "-empty",
    "-executable",
    "-readable",
    "-writable",
    "-nouser",
    "-nogroup",
    "-depth",
    "-d",
    "-daystart",
    "-follow",
    "-mount",
    "-xdev",
    "-x",
    "-noleaf",
    "-warn",
    "-nowarn",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "!",
    "(",
    ")",
    ",",
    "-E",
    "-X",
    "-help",
    "--help",
    "-version",
    "--version",
];

/// Tests with one value that only look.
const VALUED: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-lname",
    "-ilname",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-fstype",
    "-maxdepth",
    "-mindepth",
    "-size",
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-mmin",
    "-mtime",
    "-used",
    "-inum",
    "-links",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-context",
    "-printf",
];

/// Tests whose value is a file that is looked at.
const FILES: &[&str] = &["-newer", "-anewer", "-cnewer", "-samefile"];

/// Actions that write a file, and how many words they have after it.
const WRITING: &[(&str, usize)] = &[("-fprint", 0), ("-fprint0", 0), ("-fls", 0), ("-fprintf", 1)];

/// Judges `find` by the words after its name.
pub(super) fn judge(args: &[Arg]) -> Effects {
    let mut search =
        Search { effects: Effects::of(Risk::Safe, "looks for files"), places: Vec::new() };
    let mut rest = search.starting_points(args);
    while let Some((word, after)) = rest.split_first() {
        match search.expression(word, after) {
            Ok(used) => rest = after.get(used..).unwrap_or_default(),
            Err(misfit) => {
                search.unclear(&misfit, args);
                break;
            }
        }
    }
    search.finish()
}

struct Search {
    effects: Effects,
    places: Vec<Arg>,
}

impl Search {
    /// Takes the folders to look in, and gives what comes after them.
    fn starting_points<'a>(&mut self, args: &'a [Arg]) -> &'a [Arg] {
        let links = |arg: &Arg| matches!(arg.as_literal(), Some("-H" | "-L" | "-P"));
        let begin = args.iter().take_while(|arg| links(arg)).count();
        let begins = |arg: &Arg| match arg.as_literal() {
            Some(word) => word.starts_with('-') || matches!(word, "!" | "(" | ")" | ","),
            None => arg.may_be_option(),
        };
        let args = args.get(begin..).unwrap_or_default();
        let end = args.iter().position(begins).unwrap_or(args.len());
        self.places = args.iter().take(end).cloned().collect();
        if self.places.is_empty() {
            self.places.push(Arg::literal("."));
        }
        args.get(end..).unwrap_or_default()
    }

    /// Reads one test or action; gives how many words it takes after its name.
    fn expression(&mut self, arg: &Arg, after: &[Arg]) -> Result<usize, Misfit> {
        let Some(word) = arg.as_literal() else {
            return Err(Misfit::MayBeOption(arg.clone()));
        };
        if PLAIN.contains(&word) || word.starts_with("-O") && word.len() == 3 {
            return Ok(0);
        }
        if VALUED.contains(&word) {
            return one_value(word, after).map(|_| 1);
        }
        if FILES.contains(&word) || word.starts_with("-newer") && word.len() == 8 {
            let path = one_value(word, after)?.clone();
            self.effects.files.push(FileUse { access: Access::Read, path });
            return Ok(1);
        }
        if let Some((_, more)) = WRITING.iter().find(|(name, _)| *name == word) {
            let path = one_value(word, after)?.clone();
            self.effects.files.push(FileUse { access: Access::Write, path });
            self.raise(Risk::Caution, "writes what it finds into a file");
            return Ok(1 + more);
        }
        self.action(word, after)
    }

    fn action(&mut self, word: &str, after: &[Arg]) -> Result<usize, Misfit> {
        match word {
            "-delete" => {
                for path in self.places.clone() {
                    self.effects.files.push(FileUse { access: Access::Delete, path });
                }
                self.raise(Risk::Dangerous, "deletes what it finds");
                Ok(0)
            }
            "-exec" => self.command(word, after),
            "-execdir" => {
                // Names in the command mean other files in each folder.
                self.raise(Risk::Unknown, "runs a command in one folder after the other");
                self.effects.hint = Some("use -exec".into());
                self.command(word, after)
            }
            "-ok" | "-okdir" => {
                self.raise(Risk::Interactive, "asks before each command");
                self.effects.hint = Some("use -exec".into());
                self.command(word, after)
            }
            _ => Err(Misfit::Option(word.to_owned())),
        }
    }

    fn command(&mut self, word: &str, after: &[Arg]) -> Result<usize, Misfit> {
        let Some(end) = end_of_command(after) else {
            self.effects.inner.push(Inner::Command(self.filled(after)));
            return Err(Misfit::Option(format!("{word} without `;`")));
        };
        let command = self.filled(after.get(..end).unwrap_or_default());
        self.effects.inner.push(Inner::Command(command));
        Ok(end + 1)
    }

    /// The command with the names of files in the places for them.
    fn filled(&self, command: &[Arg]) -> Vec<Arg> {
        let folders: Option<Vec<_>> = self.places.iter().map(Arg::as_literal).collect();
        let found = match folders {
            Some(folders) => {
                Arg::Listed { below: folders.into_iter().map(unmistakable).collect(), exact: true }
            }
            None => Arg::unknown(),
        };
        let fill = |arg: &Arg| match arg {
            Arg::Literal(text) if text == "{}" => found.clone(),
            Arg::Literal(text) if text.contains("{}") => {
                let starts = text.split("{}").next().unwrap_or("").to_owned();
                Arg::Unknown { starts, one: true }
            }
            arg => arg.clone(),
        };
        command.iter().map(fill).collect()
    }

    fn raise(&mut self, risk: Risk, reason: &'static str) {
        if risk > self.effects.risk {
            self.effects.risk = risk;
            self.effects.reason = reason.into();
        }
    }

    /// Something is not known; danger after it still counts.
    fn unclear(&mut self, misfit: &Misfit, args: &[Arg]) {
        let unclear = unfit(misfit);
        if unclear.risk > self.effects.risk {
            self.effects.risk = unclear.risk;
            self.effects.reason = unclear.reason;
            self.effects.hint = self.effects.hint.take().or(unclear.hint);
        }
        if args.iter().any(|arg| arg.as_literal() == Some("-delete")) {
            self.raise(Risk::Dangerous, "deletes what it finds");
        }
        let is_exec =
            |arg: &Arg| matches!(arg.as_literal(), Some("-exec" | "-execdir" | "-ok" | "-okdir"));
        if self.effects.inner.is_empty()
            && let Some(at) = args.iter().position(is_exec)
        {
            let command = self.filled(args.get(at + 1..).unwrap_or_default());
            self.effects.inner.push(Inner::Command(command));
        }
    }

    fn finish(mut self) -> Effects {
        // Names are all that it prints: the folders are listed, no file in them is read.
        for path in self.places {
            self.effects.files.push(FileUse { access: Access::Read, path });
        }
        self.effects
    }
}

/// Names that are found begin with the folder as it was written, so none can be an option.
fn unmistakable(folder: &str) -> String {
    if folder.starts_with(['/', '.', '~']) { folder.to_owned() } else { format!("./{folder}") }
}

fn one_value<'a>(word: &str, after: &'a [Arg]) -> Result<&'a Arg, Misfit> {
    match after.first() {
        Some(arg) if is_one(arg) || cannot_be_test(arg) => Ok(arg),
        Some(arg) => Err(Misfit::NotKnown(arg.clone())),
        None => Err(Misfit::Option(word.to_owned())),
    }
}

/// Names that a pattern such as `*.rs` is replaced by: all end alike, as no test does.
fn cannot_be_test(arg: &Arg) -> bool {
    let Arg::Glob(pattern) = arg else { return false };
    let end = pattern.rsplit(['*', '?', ']', '\\']).next().unwrap_or("");
    let ending = end.strip_prefix('.').unwrap_or("");
    !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Where the command of an action ends: at `;`, or at `+` after `{}`.
fn end_of_command(after: &[Arg]) -> Option<usize> {
    (0..after.len()).find(|at| match after[*at].as_literal() {
        Some(";") => true,
        Some("+") => {
            at.checked_sub(1).is_some_and(|before| after[before].as_literal() == Some("{}"))
        }
        _ => false,
    })
}
