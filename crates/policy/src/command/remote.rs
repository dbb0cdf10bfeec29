//! Commands that run another command on another machine or in a container.

use super::{Arg, Effects, Inner};
use crate::risk::Risk;

/// Options of `ssh` that take the next word.
const SSH_VALUES: &[&str] = &[
    "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p",
    "-Q", "-R", "-S", "-W", "-w",
];

/// Options of `docker run` and `docker exec` that take the next word.
const CONTAINER_VALUES: &[&str] = &[
    "-v",
    "--volume",
    "-e",
    "--env",
    "--env-file",
    "-p",
    "--publish",
    "--name",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "--network",
    "--net",
    "--entrypoint",
    "--mount",
    "-m",
    "--memory",
    "--cpus",
    "-h",
    "--hostname",
    "-l",
    "--label",
    "--platform",
    "--add-host",
    "--device",
    "--gpus",
    "--ipc",
    "--pid",
    "--restart",
    "--shm-size",
    "--ulimit",
    "--cap-add",
    "--cap-drop",
    "--security-opt",
    "--tmpfs",
    "--detach-keys",
    "--volumes-from",
    "--link",
    "--pull",
];

/// Judges such a command; nothing for its other uses.
pub(super) fn judge(program: &str, args: &[Arg]) -> Option<Effects> {
    let subcommand = args.first().and_then(Arg::as_literal);
    let rest = args.get(1..).unwrap_or_default();
    match (program, subcommand) {
        ("ssh", _) => Some(secure_shell(args)),
        ("docker" | "podman", Some("exec" | "run")) => Some(container(rest)),
        ("kubectl" | "oc", Some("exec")) => Some(pod(rest)),
        _ => None,
    }
}

/// The words after options and the name of a machine or image.
fn after_target<'a>(args: &'a [Arg], valued: &[&str]) -> &'a [Arg] {
    let mut at = 0;
    while let Some(word) =
        args.get(at).and_then(Arg::as_literal).filter(|word| word.starts_with('-'))
    {
        at += if valued.contains(&word) { 2 } else { 1 };
    }
    args.get(at + 1..).unwrap_or_default()
}

fn there(command: &[Arg]) -> Vec<Inner> {
    if command.is_empty() { Vec::new() } else { vec![Inner::Elsewhere(command.to_vec())] }
}

fn secure_shell(args: &[Arg]) -> Effects {
    if matches!(args, [only] if only.as_literal() == Some("-V")) {
        return Effects::of(Risk::Safe, "tells its version");
    }
    let command = after_target(args, SSH_VALUES);
    // Some of its options start a program here, which is worse than a prompt.
    let starts = args.iter().any(|arg| match arg {
        Arg::Literal(word) => {
            word.starts_with("-o") || word.starts_with("-F") || word.contains("Command")
        }
        arg => arg.may_be_option(),
    });
    if command.is_empty() && !starts {
        return Effects {
            hint: Some("give the command after the host".into()),
            ..Effects::of(Risk::Interactive, "opens a shell on another machine")
        };
    }
    Effects {
        inner: there(command),
        ..Effects::of(Risk::Dangerous, "runs a command on another machine")
    }
}

fn container(args: &[Arg]) -> Effects {
    let mut effects = Effects::of(Risk::Dangerous, "runs a command in a container");
    effects.inner = there(after_target(args, CONTAINER_VALUES));
    at_terminal(args, &mut effects);
    effects
}

fn pod(args: &[Arg]) -> Effects {
    let at = args.iter().position(|arg| arg.as_literal() == Some("--"));
    let command = at.and_then(|at| args.get(at + 1..)).unwrap_or_default();
    let mut effects = Effects::of(Risk::Dangerous, "runs a command in a container");
    effects.inner = there(command);
    at_terminal(&args[..at.unwrap_or(args.len())], &mut effects);
    effects
}

/// With a terminal of its own it waits for a person.
fn at_terminal(args: &[Arg], effects: &mut Effects) {
    let terminal = ["-it", "-ti", "-t", "-tty", "--tty"];
    if args.iter().any(|arg| arg.as_literal().is_some_and(|word| terminal.contains(&word))) {
        effects.risk = Risk::Interactive;
        effects.reason = "opens a terminal in a container".into();
        effects.hint = Some("leave out -it: there is nobody at the terminal".into());
    }
}
