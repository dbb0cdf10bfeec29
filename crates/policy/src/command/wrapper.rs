//! Commands that start another command, which their last words are.

use super::fit::is_one;
use super::interpreter::is_interpreter;
use super::shells::is_shell;
use super::table::TABLE;
use super::verdict::program;
use super::{Access, Arg, Effects, FileUse, Inner};
use crate::risk::Risk;

/// How the words of a wrapper are read up to the command inside it.
struct Wrapper {
    names: &'static [&'static str],
    risk: Risk,
    reason: &'static str,
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options with a value that is only text.
    values: &'static [&'static str],
    /// Operands that stand before the command.
    operands: usize,
    /// The command runs on another machine or in another root.
    elsewhere: bool,
}

const fn wrapper(names: &'static [&'static str], risk: Risk, reason: &'static str) -> Wrapper {
    Wrapper { names, risk, reason, flags: &[], values: &[], operands: 0, elsewhere: false }
}

const STARTS: &str = "starts another command";
const ESCALATES: &str = "runs another command with other rights";

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        flags: &["-i", "--ignore-environment", "-0", "--null", "-v", "--debug", "-"],
        values: &["-u", "--unset"],
        ..wrapper(&["env"], Risk::Safe, "starts another command with other variables")
    },
    Wrapper {
        flags: &[
            "-A", "-b", "-E", "-e", "-H", "-i", "-K", "-k", "-l", "-N", "-n", "-P", "-S", "-s",
            "-v",
        ],
        values: &[
            "-C", "-D", "-g", "-h", "-p", "-R", "-r", "-T", "-t", "-U", "-u", "--user", "--group",
        ],
        ..wrapper(&["sudo", "gsudo"], Risk::Dangerous, ESCALATES)
    },
    Wrapper {
        flags: &["-L", "-n", "-s"],
        values: &["-C", "-u", "-a"],
        ..wrapper(&["doas"], Risk::Dangerous, ESCALATES)
    },
    Wrapper {
        flags: &["--keep-cwd", "--disable-internal-agent"],
        values: &["--user"],
        ..wrapper(&["pkexec"], Risk::Dangerous, ESCALATES)
    },
    wrapper(&["nohup"], Risk::Caution, "starts another command that outlives the terminal"),
    Wrapper { values: &["-n", "--adjustment"], ..wrapper(&["nice"], Risk::Safe, STARTS) },
    Wrapper {
        flags: &["-t", "--ignore"],
        values: &["-c", "--class", "-n", "--classdata"],
        ..wrapper(&["ionice"], Risk::Safe, STARTS)
    },
    Wrapper {
        flags: &["-b", "-f", "-i", "-o", "-r", "--batch", "--fifo", "--idle", "--other", "--rr"],
        operands: 1,
        ..wrapper(&["chrt"], Risk::Caution, STARTS)
    },
    Wrapper {
        flags: &["-p", "-v", "--portability", "--verbose", "-q", "--quiet"],
        values: &["-f", "--format"],
        ..wrapper(&["time"], Risk::Safe, "measures another command")
    },
    Wrapper {
        flags: &["--foreground", "--preserve-status", "-v", "--verbose", "-p", "-f"],
        values: &["-k", "--kill-after", "-s", "--signal"],
        operands: 1,
        ..wrapper(&["timeout"], Risk::Safe, "starts another command and ends it in time")
    },
    Wrapper {
        values: &["-i", "-o", "-e", "--input", "--output", "--error"],
        ..wrapper(&["stdbuf"], Risk::Safe, STARTS)
    },
    Wrapper {
        flags: &["-c", "--ctty", "-f", "--fork", "-w", "--wait"],
        ..wrapper(&["setsid"], Risk::Caution, "starts another command in a session of its own")
    },
    Wrapper { flags: &["-p"], ..wrapper(&["unbuffer"], Risk::Caution, STARTS) },
    Wrapper { flags: &["-p"], ..wrapper(&["command"], Risk::Safe, STARTS) },
    wrapper(&["builtin"], Risk::Safe, "runs a command of the shell"),
    Wrapper {
        flags: &["-c", "-l"],
        values: &["-a"],
        ..wrapper(&["exec"], Risk::Unknown, "replaces the shell by another command")
    },
    wrapper(&["busybox", "toybox"], Risk::Caution, "runs a small version of another command"),
    Wrapper {
        flags: &[
            "-f", "-ff", "-c", "-C", "-q", "-qq", "-t", "-tt", "-T", "-v", "-y", "-yy", "-i", "-r",
        ],
        values: &["-e", "-s", "-S", "-a"],
        ..wrapper(&["strace", "ltrace"], Risk::Caution, "watches another command")
    },
    Wrapper {
        values: &["-u", "--user", "-g", "--group", "-G", "-s", "--shell"],
        flags: &["-l", "-", "-p", "-m"],
        ..wrapper(&["runuser"], Risk::Dangerous, ESCALATES)
    },
    Wrapper {
        values: &["--userspec", "--groups"],
        flags: &["--skip-chdir"],
        operands: 1,
        elsewhere: true,
        ..wrapper(&["chroot"], Risk::Dangerous, "runs a command in another root")
    },
    Wrapper {
        flags: &["-e", "-n", "-s", "-u", "-x", "--nonblock", "--shared", "--exclusive", "-o", "-F"],
        values: &["-w", "-E", "--timeout"],
        operands: 1,
        ..wrapper(&["flock"], Risk::Caution, "starts another command when a lock is free")
    },
];

/// It is a command that starts another one.
pub(super) fn starts_others(program: &str) -> bool {
    WRAPPERS.iter().any(|wrapper| wrapper.names.contains(&program))
}

/// Judges a command that starts another one; nothing if it is none.
pub(super) fn judge(program: &str, args: &[Arg]) -> Option<Effects> {
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&program))?;
    if let Some(effects) = without_command(program, args) {
        return Some(effects);
    }
    let mut effects = Effects::of(wrapper.risk, wrapper.reason);
    match wrapper.command_at(args) {
        Ok(at) => wrapper.unwrap(program, args, at, &mut effects),
        Err(at) => {
            effects.risk = effects.risk.max(Risk::Unknown);
            effects.reason = match args.get(at) {
                Some(arg) => format!("{}, but what does `{arg}` do?", wrapper.reason).into(),
                None => format!("{}, but names none", wrapper.reason).into(),
            };
            effects.inner = guesses(args.get(at..).unwrap_or_default());
        }
    }
    Some(effects)
}

/// Uses in which no other command is started.
fn without_command(program: &str, args: &[Arg]) -> Option<Effects> {
    let first = args.first().map(Arg::as_literal);
    match (program, first) {
        ("command", Some(Some("-v" | "-V"))) => {
            Some(Effects::of(Risk::Safe, "says where a command is"))
        }
        ("env", None) => {
            Some(Effects::of(Risk::Caution, "shows all variables, and secrets in them"))
        }
        ("sudo" | "doas", None | Some(Some("-i" | "-s"))) if args.len() < 2 => Some(Effects {
            hint: Some("ask the user to do it".into()),
            ..Effects::of(Risk::Interactive, "opens a shell with other rights")
        }),
        (_, Some(Some("--version" | "--help"))) if args.len() == 1 && program != "exec" => {
            Some(Effects::of(Risk::Safe, "tells about itself"))
        }
        _ => None,
    }
}

impl Wrapper {
    /// Where the command begins; or the word that is not understood.
    fn command_at(&self, args: &[Arg]) -> Result<usize, usize> {
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let Some(word) = arg.as_literal().filter(|word| word.starts_with('-')) else { break };
            if word == "--" {
                at += 1;
                break;
            }
            at += self.option(word).ok_or(at)?;
        }
        for _ in 0..self.operands {
            if !args.get(at).is_some_and(is_one) {
                return Err(at);
            }
            at += 1;
        }
        match args.get(at) {
            Some(arg) if arg.as_literal().is_some() || !arg.may_be_option() => Ok(at),
            _ => Err(at),
        }
    }

    /// How many words an option takes.
    fn option(&self, word: &str) -> Option<usize> {
        if self.flags.contains(&word) {
            return Some(1);
        }
        if self.values.contains(&word) {
            return Some(2);
        }
        if let Some((name, _)) = word.split_once('=').filter(|_| word.starts_with("--")) {
            return self.values.contains(&name).then_some(1);
        }
        if self.names.contains(&"nice") && word[1..].bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(1);
        }
        self.letters(word)
    }

    /// Letters that are put together: `-in`, `-n19`.
    fn letters(&self, word: &str) -> Option<usize> {
        if word.starts_with("--") {
            return None;
        }
        for (at, letter) in word.char_indices().skip(1) {
            let name = format!("-{letter}");
            if self.values.contains(&name.as_str()) {
                let last = at + letter.len_utf8() == word.len();
                return Some(if last { 2 } else { 1 });
            }
            if !self.flags.contains(&name.as_str()) {
                return None;
            }
        }
        Some(1)
    }

    fn unwrap(&self, program: &str, args: &[Arg], mut at: usize, effects: &mut Effects) {
        if matches!(program, "env" | "sudo" | "doas") {
            while let Some(name) = args.get(at).and_then(assigned) {
                effects.sets.push(name.to_owned());
                at += 1;
            }
        }
        if program == "flock"
            && let Some(path) = at.checked_sub(1).and_then(|lock| args.get(lock))
        {
            effects.files.push(FileUse { access: Access::Write, path: path.clone() });
        }
        let command = args.get(at..).unwrap_or_default().to_vec();
        if let [option, script, ..] = command.as_slice()
            && matches!(option.as_literal(), Some("-c" | "--command"))
        {
            effects.inner.push(Inner::Script(script.clone()));
            return;
        }
        match (command.is_empty(), self.elsewhere) {
            (true, _) => {
                effects.risk = effects.risk.max(Risk::Caution);
                effects.reason = "shows all variables, and secrets in them".into();
            }
            (false, true) => effects.inner.push(Inner::Elsewhere(command)),
            (false, false) => effects.inner.push(Inner::Command(command)),
        }
    }
}

/// The name that a word such as `A=1` sets.
pub(super) fn assigned(arg: &Arg) -> Option<&str> {
    let text = match arg {
        Arg::Literal(text) | Arg::Glob(text) => text,
        Arg::Unknown { starts, one: true } => starts,
        _ => return None,
    };
    let (name, _) = text.split_once('=')?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let word = !name.is_empty() && name.bytes().all(fits) && !name.as_bytes()[0].is_ascii_digit();
    word.then_some(name)
}

/// The command that may be meant where it cannot be told where one begins: enough to find
/// danger. Only one, so that many of them inside each other stay few.
pub(super) fn guesses(args: &[Arg]) -> Vec<Inner> {
    let known = |arg: &Arg| arg.as_literal().and_then(program).is_some_and(is_known);
    let start = args.iter().position(known);
    start
        .map(|at| Inner::Command(args.get(at..).unwrap_or_default().to_vec()))
        .into_iter()
        .collect()
}

fn is_known(name: &str) -> bool {
    if matches!(name, "." | ":" | "[") {
        return false;
    }
    let other = ["find", "xargs", "eval", "su", "ssh", "export"].contains(&name);
    let wrapper = || WRAPPERS.iter().any(|wrapper| wrapper.names.contains(&name));
    other || TABLE.has(name) || wrapper() || is_shell(name) || is_interpreter(name)
}
