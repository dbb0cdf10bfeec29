//! `test` and `[`: questions about files, texts and numbers.

use super::fit::{Misfit, is_one};
use super::verdict::unfit;
use super::{Access, Arg, Effects, FileUse};
use crate::risk::Risk;

/// Questions about one file.
const FILE_TESTS: &str = "abcdefghkLNOGprSsuwx";
/// Comparisons of numbers; bash evaluates what stands there as arithmetic in some places.
const NUMBERS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
/// Comparisons of texts and files.
const BINARY: &[&str] = &["=", "==", "!=", "<", ">", "-nt", "-ot", "-ef"];
/// Comparisons of files.
const TWO_FILES: &[&str] = &["-nt", "-ot", "-ef"];

/// Judges `test` or `[` by the words after its name.
pub(super) fn judge(program: &str, args: &[Arg]) -> Effects {
    let args = match (program, args.split_last()) {
        ("[", Some((last, rest))) if last.as_literal() == Some("]") => rest,
        ("[", _) => return Effects::of(Risk::Unknown, "has no `]`"),
        _ => args,
    };
    if let Some(arg) = misplaced(args) {
        return unfit(&Misfit::NotKnown(arg.clone()));
    }
    let mut effects = Effects::of(Risk::Safe, "compares texts, numbers and files");
    for at in 0..args.len() {
        match look(args, at) {
            Ok(files) => effects.files.extend(files),
            Err(misfit) => return unfit(&misfit),
        }
    }
    effects
}

/// A word that is known only when it runs and may be read as an operator, with which the word
/// after it can be evaluated. It may be none where an operator that is known stands beside it.
fn misplaced(args: &[Arg]) -> Option<&Arg> {
    const CLEAR: usize = 4;
    let unknown = |arg: &&Arg| arg.as_literal().is_none();
    if args.len() > CLEAR {
        return args.iter().find(unknown);
    }
    let word = |at: Option<usize>| at.and_then(|at| args.get(at)).and_then(Arg::as_literal);
    (0..args.len())
        .filter(|at| args[*at].as_literal().is_none())
        .map(|at| (at, &args[at]))
        .find_map(|(at, arg)| {
            let unary = word(at.checked_sub(1))
                .is_some_and(|word| matches!(word, "-n" | "-z") || is_file_test(word));
            let between = |at: Option<usize>| word(at).is_some_and(|word| BINARY.contains(&word));
            let beside = between(at.checked_sub(1)) || between(Some(at + 1));
            let fine = is_one(arg) && (args.len() == 1 || unary || beside);
            (!fine).then_some(arg)
        })
}

fn is_file_test(word: &str) -> bool {
    let letter = word.strip_prefix('-').filter(|letter| letter.len() == 1);
    letter.is_some_and(|letter| FILE_TESTS.contains(letter))
}

/// Looks at one word as the operator that it may be, whatever it is in its place: an operand
/// that looks like one makes it stricter, never milder.
fn look(args: &[Arg], at: usize) -> Result<Vec<FileUse>, Misfit> {
    let Some(word) = args[at].as_literal() else { return Ok(Vec::new()) };
    let next = args.get(at + 1);
    let before = at.checked_sub(1).and_then(|before| args.get(before));
    if NUMBERS.contains(&word) {
        for arg in [before, next].into_iter().flatten() {
            number(arg)?;
        }
    }
    if let (true, Some(arg)) = (matches!(word, "-v" | "-R" | "-t"), next) {
        plain_name(arg)?;
    }
    if TWO_FILES.contains(&word) {
        return Ok([before, next].into_iter().flatten().map(read).collect());
    }
    Ok(next.filter(|_| is_file_test(word)).map(read).into_iter().collect())
}

fn read(arg: &Arg) -> FileUse {
    FileUse { access: Access::Read, path: arg.clone() }
}

fn number(arg: &Arg) -> Result<(), Misfit> {
    let digits =
        |text: &str| text.trim_start_matches(['-', '+']).bytes().all(|byte| byte.is_ascii_digit());
    match arg.as_literal() {
        Some(text) if digits(text) => Ok(()),
        _ => Err(Misfit::NotKnown(arg.clone())),
    }
}

/// An index in a name is evaluated, and can run commands.
fn plain_name(arg: &Arg) -> Result<(), Misfit> {
    match arg.as_literal() {
        Some(text) if !text.contains('[') => Ok(()),
        _ => Err(Misfit::NotKnown(arg.clone())),
    }
}
