//! Options that stand before a subcommand: `git -C DIR status`, `cargo +nightly test`.

use super::verdict::by_table;
use super::{Access, Arg, Effects, FileUse, leading};
use crate::risk::Risk;

/// Judges a command with such options; nothing for all others.
pub(super) fn judge(program: &str, args: &[Arg]) -> Option<Effects> {
    let first = args.first()?.as_literal()?;
    match program {
        "git" => git(first, args),
        "cargo" => cargo(first, args),
        "tar" | "bsdtar" | "gtar" => old_tar(program, first, args),
        _ => None,
    }
}

/// Options of git before the subcommand that change nothing.
const QUIET: &[&str] =
    &["--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs"];

fn git(first: &str, args: &[Arg]) -> Option<Effects> {
    let quiet =
        args.iter().take_while(|arg| arg.as_literal().is_some_and(|word| QUIET.contains(&word)));
    let quiet = quiet.count();
    if quiet > 0 {
        let rest = args.get(quiet..).unwrap_or_default();
        let next = rest.first().and_then(Arg::as_literal);
        return Some(
            next.and_then(|next| git(next, rest)).unwrap_or_else(|| by_table("git", rest)),
        );
    }
    match first {
        "-C" => Some(elsewhere(args)),
        _ if first.starts_with('-') && !matches!(first, "--version" | "-v") => {
            let mut effects = by_table("git", leading::split_git(args).rest);
            if effects.risk <= Risk::Unknown {
                effects = Effects::of(
                    Risk::Unknown,
                    format!("is not known to be harmless with `{first}`"),
                );
            }
            Some(effects)
        }
        _ => None,
    }
}

/// Git in another folder: the files are there, and so is the configuration, which can name
/// programs to run.
fn elsewhere(args: &[Arg]) -> Effects {
    let folder = args.get(1);
    let rest = args.get(2..).unwrap_or_default();
    let quiet =
        rest.iter().take_while(|arg| arg.as_literal().is_some_and(|word| QUIET.contains(&word)));
    let mut effects = by_table("git", rest.get(quiet.count()..).unwrap_or_default());
    let Some(Arg::Literal(folder)) = folder else {
        effects.risk = effects.risk.max(Risk::Unknown);
        effects.reason = "runs in a folder that is known only when it runs".into();
        return effects;
    };
    for file in &mut effects.files {
        file.path = moved(folder, &file.path);
    }
    effects.files.push(FileUse { access: Access::Read, path: Arg::literal(folder) });
    effects.steered_by = &[];
    if effects.risk < Risk::Caution {
        effects.risk = Risk::Caution;
        effects.reason = "runs in another folder, whose settings may name programs".into();
    }
    effects
}

fn moved(folder: &str, path: &Arg) -> Arg {
    match path {
        Arg::Literal(text) if text.starts_with('/') => path.clone(),
        Arg::Literal(text) => Arg::literal(format!("{}/{text}", folder.trim_end_matches('/'))),
        _ => Arg::unknown(),
    }
}

/// `tar tzf FILE`: letters without a `-`. Where more than one of them takes a word, their order
/// matters, and it is left alone.
fn old_tar(program: &str, first: &str, args: &[Arg]) -> Option<Effects> {
    let letters = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !letters || first.contains(['C', 'b', 'T', 'X', 'I', 'K', 'N', 'V', 'g', 'L', 'H', 'F']) {
        return None;
    }
    let file = if first.contains('f') { "f" } else { "" };
    let mut words = vec![Arg::literal(format!("-{}{file}", first.replace('f', "")))];
    words.extend(args.iter().skip(1).cloned());
    Some(by_table(program, &words))
}

fn cargo(first: &str, args: &[Arg]) -> Option<Effects> {
    let quiet = ["-q", "--quiet", "-v", "--verbose", "--offline", "--locked", "--frozen"];
    let toolchain = first.starts_with('+');
    if !toolchain && !quiet.contains(&first) || args.len() < 2 {
        return None;
    }
    // Options before a subcommand mean the same as after it.
    let mut rest = args[1..].to_vec();
    if !toolchain {
        let at = rest.iter().position(|arg| arg.as_literal() == Some("--")).unwrap_or(rest.len());
        rest.insert(at, args[0].clone());
    }
    let mut effects = by_table("cargo", &rest);
    if toolchain && effects.risk < Risk::Caution {
        effects.risk = Risk::Caution;
        effects.reason = "may fetch the toolchain that it names".into();
    }
    Some(effects)
}
