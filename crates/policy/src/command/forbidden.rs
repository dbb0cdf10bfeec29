//! What nobody wants to run. Looked for in whatever words are known: the others do not matter.

use super::files::{is_everything, is_raw_device, is_shell_history, is_vital};
use super::fit::has;
use super::{Access, Arg, Effects, FileUse};
use crate::risk::Risk;

/// Judges a command that is forbidden; nothing for all others.
pub(super) fn look(program: &str, args: &[Arg]) -> Option<Effects> {
    reason(program, args).map(|reason| Effects::of(Risk::Forbidden, reason))
}

/// A command whose name is not known, with words that only make sense for a deletion.
pub(super) fn nameless(args: &[Arg]) -> Option<Effects> {
    let forced = has(args, "-f") || has(args, "--force");
    (is_recursive(args) && forced && args.iter().any(is_vital)).then(|| Effects {
        files: args.iter().filter(|arg| is_vital(arg)).map(delete).collect(),
        ..Effects::of(Risk::Forbidden, "deletes a folder of the system or a home")
    })
}

fn delete(arg: &Arg) -> FileUse {
    FileUse { access: Access::Delete, path: arg.clone() }
}

fn is_recursive(args: &[Arg]) -> bool {
    let spelled = |word: &str| word.len() > 4 && "--recursive".starts_with(word);
    let letters =
        |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R']);
    literals(args).any(|word| letters(word) || spelled(word))
}

fn literals(args: &[Arg]) -> impl Iterator<Item = &str> {
    args.iter().filter_map(Arg::as_literal)
}

fn reason(program: &str, args: &[Arg]) -> Option<&'static str> {
    match program {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" => deletion(args),
        "mv" => moving(args),
        "dd" => disk_copy(args),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => rights(args),
        "find" => finding(args),
        "kill" => everybody(args),
        "tee" | "cp" | "truncate" | "install" | "ln" => overwriting(program, args),
        "history" => (has(args, "-c") || has(args, "-w")).then_some("wipes the shell's history"),
        "init" | "telinit" => literals(args)
            .any(|word| matches!(word, "0" | "6" | "1"))
            .then_some("stops the machine"),
        "shutdown" | "reboot" | "halt" | "poweroff" => Some("stops the machine"),
        "systemctl" => ["poweroff", "reboot", "halt", "kexec", "suspend", "hibernate"]
            .iter()
            .any(|word| literals(args).any(|arg| arg == *word))
            .then_some("stops the machine"),
        "wipefs" => Some("erases a file system"),
        "fdisk" | "sfdisk" | "parted" | "gdisk" | "sgdisk" | "cfdisk" => partitioning(args),
        _ => file_system(program),
    }
}

fn file_system(program: &str) -> Option<&'static str> {
    let makes = program == "mkswap" || program == "mkfs" || program.starts_with("mkfs.");
    (makes || program == "mke2fs" || program == "blkdiscard").then_some("makes a new file system")
}

fn deletion(args: &[Arg]) -> Option<&'static str> {
    if literals(args).any(|word| word.starts_with("--no-pres")) {
        return Some("is told to delete even the root folder");
    }
    if args.iter().any(is_vital) {
        return Some("deletes a folder of the system or a home");
    }
    literals(args).any(is_shell_history).then_some("deletes the shell's history")
}

fn moving(args: &[Arg]) -> Option<&'static str> {
    let (target, sources) = args.split_last()?;
    if sources.iter().any(is_vital) {
        return Some("moves a folder of the system or a home away");
    }
    let lost = target.as_literal() == Some("/dev/null");
    (lost || sources.iter().filter_map(Arg::as_literal).any(is_shell_history))
        .then_some("makes files disappear")
}

fn disk_copy(args: &[Arg]) -> Option<&'static str> {
    literals(args)
        .filter_map(|word| word.strip_prefix("of="))
        .any(is_raw_device)
        .then_some("writes over a device")
}

fn rights(args: &[Arg]) -> Option<&'static str> {
    let everything = args.iter().any(is_everything);
    (everything || is_recursive(args) && args.iter().any(is_vital))
        .then_some("changes the rights of a folder of the system or a home")
}

fn finding(args: &[Arg]) -> Option<&'static str> {
    let places = args
        .iter()
        .take_while(|arg| !arg.as_literal().is_some_and(|word| word.starts_with(['-', '(', '!'])));
    let vital = places.into_iter().any(is_vital);
    let deletes = literals(args).any(|word| {
        matches!(super::verdict::program(word), Some("-delete" | "rm" | "shred" | "unlink"))
    });
    (vital && deletes).then_some("deletes in a folder of the system or a home")
}

fn everybody(args: &[Arg]) -> Option<&'static str> {
    let last = literals(args).last()?;
    (last == "-1" && args.len() > 1).then_some("kills every process")
}

fn overwriting(program: &str, args: &[Arg]) -> Option<&'static str> {
    // Copying FROM a device is another matter, so only the last word counts there.
    let last = args.len().saturating_sub(1);
    let from = if matches!(program, "tee" | "truncate") { 0 } else { last };
    let targets = || literals(args.get(from..).unwrap_or_default());
    if targets().any(is_raw_device) {
        return Some("writes over a device");
    }
    (program == "truncate" && targets().any(is_shell_history))
        .then_some("wipes the shell's history")
}

fn partitioning(args: &[Arg]) -> Option<&'static str> {
    let looks = ["-l", "--list", "-x", "-d", "--dump", "-p", "print"];
    let only_looks = literals(args).any(|word| looks.contains(&word));
    (!only_looks && literals(args).any(is_raw_device)).then_some("changes the parts of a disk")
}
