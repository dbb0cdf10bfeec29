//! Shells: a text or a file that they run, and the commands of the shell that do the same.

use super::{Access, Arg, Effects, FileUse, Inner};
use crate::risk::Risk;

/// Shells that read nothing but the script when they are given one.
const QUIET: &[&str] = &["sh", "bash", "dash", "ash", "ksh", "mksh", "rbash"];
/// Shells that first read files of the user.
const CHATTY: &[&str] =
    &["zsh", "fish", "csh", "tcsh", "pwsh", "powershell", "nu", "elvish", "xonsh"];

/// It is a shell.
pub(super) fn is_shell(program: &str) -> bool {
    QUIET.contains(&program) || CHATTY.contains(&program)
}

/// Judges a shell, or a command that runs text as one does; nothing for all others.
pub(super) fn judge(program: &str, args: &[Arg]) -> Option<Effects> {
    match program {
        "eval" => Some(eval(args)),
        "su" => Some(other_user(args)),
        "script" => Some(recorded(args)),
        "watch" => Some(watched(args)),
        "trap" => Some(trapped(args)),
        program if is_shell(program) => Some(shell(program, args)),
        _ => None,
    }
}

/// What the first words of a shell ask for.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct Asked {
    script: bool,
    stdin: bool,
    login: bool,
    prompt: bool,
    version: bool,
    unclear: bool,
    operand: usize,
}

fn asked(args: &[Arg]) -> Asked {
    let mut asked = Asked::default();
    while let Some(arg) = args.get(asked.operand) {
        let Some(word) = arg.as_literal() else {
            asked.unclear |= arg.may_be_option();
            break;
        };
        match word {
            "--" | "-" => {
                asked.operand += 1;
                break;
            }
            "--version" | "--help" => asked.version = true,
            "--login" => asked.login = true,
            "--norc" | "--noprofile" | "--posix" | "--no-config" => {}
            _ if word.starts_with("--") => asked.unclear = true,
            _ if word.starts_with(['-', '+']) && word.len() > 1 => letters(word, &mut asked),
            _ => break,
        }
        asked.operand += 1;
    }
    asked
}

fn letters(word: &str, asked: &mut Asked) {
    for letter in word.chars().skip(1) {
        match letter {
            'c' => asked.script |= word.starts_with('-'),
            's' => asked.stdin = true,
            'l' => asked.login = true,
            'i' => asked.prompt = true,
            'e' | 'u' | 'x' | 'v' | 'n' | 'f' | 'p' | 'B' | 'E' | 'h' | 'm' => {}
            // These take the next word.
            'o' | 'O' => asked.operand += 1,
            _ => asked.unclear = true,
        }
    }
}

fn shell(program: &str, args: &[Arg]) -> Effects {
    let asked = asked(args);
    let operand = args.get(asked.operand);
    let mut effects = match operand {
        _ if asked.version && args.len() == 1 => Effects::of(Risk::Safe, "tells about itself"),
        Some(script) if asked.script => Effects {
            inner: vec![Inner::Script(script.clone())],
            ..Effects::of(chatter(program, &asked), "runs a script")
        },
        Some(file) if !asked.stdin => Effects {
            files: vec![FileUse { access: Access::Read, path: file.clone() }],
            ..Effects::of(Risk::Caution, "runs a script of the project")
        },
        _ if !asked.stdin => Effects {
            hint: Some("give it the commands with -c".into()),
            ..Effects::of(Risk::Interactive, "waits for commands at a terminal")
        },
        _ => Effects::of(Risk::Unknown, "runs whatever it reads"),
    };
    if asked.unclear || asked.prompt && asked.script {
        effects.risk = effects.risk.max(Risk::Unknown);
        effects.reason = "runs a script, with options that are not known".into();
        effects.inner.extend(
            args.iter()
                .filter(|arg| arg.as_literal().is_some_and(|word| word.contains(' ')))
                .take(2)
                .cloned()
                .map(Inner::Script),
        );
    }
    let special = operand
        .and_then(Arg::as_literal)
        .is_some_and(|word| word.starts_with("/dev/") || word.starts_with("/proc/"));
    if special && !asked.script {
        effects.risk = effects.risk.max(Risk::Unknown);
        effects.reason = "runs whatever it reads".into();
    }
    effects
}

fn chatter(program: &str, asked: &Asked) -> Risk {
    if asked.login || CHATTY.contains(&program) { Risk::Caution } else { Risk::Safe }
}

/// The words as one text, if all are known.
fn joined(args: &[Arg]) -> Arg {
    let words: Option<Vec<_>> = args.iter().map(Arg::as_literal).collect();
    words.map_or_else(Arg::unknown, |words| Arg::literal(words.join(" ")))
}

fn eval(args: &[Arg]) -> Effects {
    Effects {
        inner: vec![Inner::Script(joined(args))],
        ..Effects::of(Risk::Dangerous, "runs text that was put together")
    }
}

fn trapped(args: &[Arg]) -> Effects {
    let action = args.iter().find(|arg| arg.as_literal() != Some("--"));
    Effects {
        inner: action.cloned().map(Inner::Script).into_iter().collect(),
        ..Effects::of(Risk::Dangerous, "runs text later")
    }
}

fn other_user(args: &[Arg]) -> Effects {
    let Some(script) = value_of(args, &["-c", "--command"]) else {
        return Effects {
            hint: Some("ask the user to do it".into()),
            ..Effects::of(Risk::Interactive, "opens a shell of another user")
        };
    };
    Effects {
        inner: vec![Inner::Script(script)],
        ..Effects::of(Risk::Dangerous, "becomes another user")
    }
}

fn recorded(args: &[Arg]) -> Effects {
    let script = value_of(args, &["-c", "--command", "-qc", "-qec", "-ec"]);
    Effects {
        inner: script.map(Inner::Script).into_iter().collect(),
        ..Effects::of(Risk::Unknown, "records a session into a file")
    }
}

fn watched(args: &[Arg]) -> Effects {
    let mut at = 0;
    while let Some(word) =
        args.get(at).and_then(Arg::as_literal).filter(|word| word.starts_with('-'))
    {
        at += if matches!(word, "-n" | "--interval" | "-q") { 2 } else { 1 };
    }
    Effects {
        hint: Some("run the command once, without watch".into()),
        inner: vec![Inner::Script(joined(args.get(at..).unwrap_or_default()))],
        ..Effects::of(Risk::Interactive, "repeats a command until it is stopped")
    }
}

fn value_of(args: &[Arg], names: &[&str]) -> Option<Arg> {
    let at =
        args.iter().position(|arg| arg.as_literal().is_some_and(|word| names.contains(&word)))?;
    args.get(at + 1).cloned()
}
