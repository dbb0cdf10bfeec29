//! The judgement of one command.

use super::fit::{Fit, Misfit, fit};
use super::table::{Entry, TABLE};
use super::{
    Arg, Effects, export, find, forbidden, interpreter, remote, shells, subcommand, test_command,
    wrapper, xargs,
};
use crate::risk::Risk;

/// Folders of programs that belong to the system: a path into them is as good as a name.
const SYSTEM_FOLDERS: &[&str] =
    &["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin"];

/// Judges a command by its words; the first is its name.
pub fn judge(words: &[Arg]) -> Effects {
    let Some((first, args)) = words.split_first() else {
        return Effects::of(Risk::Unknown, "has no name");
    };
    let Some(name) = first.as_literal() else {
        return forbidden::nameless(args).unwrap_or_else(|| {
            Effects::of(Risk::Unknown, "has a name that is known only when it runs")
        });
    };
    match program(name) {
        Some(program) => judge_program(program, args),
        None => Effects::of(Risk::Unknown, "runs a file of its own"),
    }
}

/// The name of the program that a name or path of the system's folders means.
pub(super) fn program(name: &str) -> Option<&str> {
    match name.rsplit_once('/') {
        // The tables have names of two words: `'git status'` is no `git`.
        None => (!name.is_empty() && !name.starts_with('~') && !name.contains(' ')).then_some(name),
        Some((folder, base)) => {
            let known = SYSTEM_FOLDERS.contains(&folder) && !base.is_empty();
            (known && !base.contains(' ')).then_some(base)
        }
    }
}

fn judge_program(program: &str, args: &[Arg]) -> Effects {
    forbidden::look(program, args)
        .or_else(|| wrapper::judge(program, args))
        .or_else(|| special(program, args))
        .or_else(|| subcommand::judge(program, args))
        .unwrap_or_else(|| with_guess(program, args))
}

/// Programs that start another one, in ways that are too many to follow.
const STARTERS: &[&str] = &[
    "taskset",
    "numactl",
    "prlimit",
    "unshare",
    "nsenter",
    "setpriv",
    "capsh",
    "bwrap",
    "firejail",
    "proot",
    "fakeroot",
    "systemd-run",
    "systemd-nspawn",
    "start-stop-daemon",
    "setarch",
    "parallel",
    "entr",
    "nodemon",
    "watchexec",
    "sg",
    "runas",
    "psexec",
    "expect",
    "fd",
    "fdfind",
    "npx",
    "pnpx",
    "bunx",
    "uvx",
    "tmux",
    "screen",
    "xvfb-run",
    "caffeinate",
    "hyperfine",
    "proxychains",
    "torsocks",
    "cpulimit",
    "direnv",
    "gdb",
    "at",
    "batch",
];

/// Package managers that start other programs, and the subcommands with which they do.
const RUNNERS: &[(&str, &[&str])] = &[
    ("uv", &["run", "tool"]),
    ("poetry", &["run"]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("pipx", &["run"]),
    ("hatch", &["run"]),
    ("bundle", &["exec"]),
    ("npm", &["exec", "x"]),
    ("pnpm", &["exec", "dlx"]),
    ("yarn", &["exec", "dlx"]),
    ("bun", &["x"]),
    ("rustup", &["run"]),
    ("mise", &["exec", "x"]),
    ("docker", &["compose"]),
    ("coverage", &["run"]),
    ("cmake", &["-E"]),
];

/// It starts another command, which has to be understood before anything is.
pub fn starts_others(words: &[Arg]) -> bool {
    let name = words.first().and_then(Arg::as_literal).and_then(program);
    let Some(name) = name else { return false };
    let first = words.get(1).and_then(Arg::as_literal).unwrap_or_default();
    wrapper::starts_others(name)
        || STARTERS.contains(&name)
        || ["find", "xargs"].contains(&name)
        || RUNNERS.iter().any(|(runner, words)| *runner == name && words.contains(&first))
}

/// Judges by the tables, and guesses the command inside of one that starts others.
fn with_guess(program: &str, args: &[Arg]) -> Effects {
    let mut effects = by_table(program, args);
    let first = args.first().and_then(Arg::as_literal).unwrap_or_default();
    let runs = RUNNERS.iter().any(|(name, words)| *name == program && words.contains(&first));
    if runs || STARTERS.contains(&program) {
        effects.inner = wrapper::guesses(args.get(usize::from(runs)..).unwrap_or_default());
    }
    effects
}

fn special(program: &str, args: &[Arg]) -> Option<Effects> {
    match program {
        "find" => Some(find::judge(args)),
        "test" | "[" => Some(test_command::judge(program, args)),
        "xargs" => Some(xargs::judge(args)),
        "export" => Some(export::judge(args)),
        "ssh" | "docker" | "podman" | "kubectl" | "oc" => remote::judge(program, args),
        _ => shells::judge(program, args).or_else(|| interpreter::judge(program, args)),
    }
}

/// Judges by the tables: the longest name that is there counts.
pub(super) fn by_table(program: &str, args: &[Arg]) -> Effects {
    let mut name = program.to_owned();
    let mut found = TABLE.of(program).map(|entries| (entries.collect::<Vec<_>>(), 0));
    for (index, arg) in args.iter().take(2).enumerate() {
        let Some(word) = arg.as_literal() else { break };
        name = format!("{name} {word}");
        if let Some(entries) = TABLE.of(&name) {
            found = Some((entries.collect(), index + 1));
        }
    }
    match found {
        Some((entries, used)) => first_fit(&entries, args.get(used..).unwrap_or_default()),
        None => Effects::of(Risk::Unknown, "is not a known command"),
    }
}

fn first_fit(entries: &[&Entry], args: &[Arg]) -> Effects {
    let mut misfit = Misfit::OtherUse;
    for entry in entries {
        match fit(entry, args) {
            Ok(fit) => return effects(entry, fit),
            // The first complaint is about the mildest use, and so the most telling one.
            Err(other) if misfit == Misfit::OtherUse => misfit = other,
            Err(_) => {}
        }
    }
    unfit(&misfit)
}

fn effects(entry: &Entry, fit: Fit) -> Effects {
    Effects {
        hint: entry.hint.map(Into::into),
        files: fit.files,
        starts: entry.starts,
        steered_by: entry.steered_by,
        ..Effects::of(entry.risk, entry.reason)
    }
}

/// A known command in a use that is not.
pub(super) fn unfit(misfit: &Misfit) -> Effects {
    let reason = match misfit {
        Misfit::Option(option) => format!("is not known to be harmless with `{option}`"),
        Misfit::MayBeOption(arg) => {
            format!(
                "has an argument, `{arg}`, that is known only when it runs and may be an option"
            )
        }
        Misfit::NotKnown(arg) => {
            format!("has an argument, `{arg}`, that is known only when it runs")
        }
        Misfit::Operands => "has other operands than it is known with".to_owned(),
        Misfit::OtherUse => "is not known in this use".to_owned(),
        Misfit::Code(what) => format!("has a program text that {what}"),
    };
    let mut effects = Effects::of(Risk::Unknown, reason);
    if let Misfit::MayBeOption(Arg::Glob(pattern)) = misfit {
        effects.hint = Some(format!("write `./{pattern}`, which cannot be an option").into());
    }
    effects
}
