//! Nothing that a model can write panics, overflows a stack, or is allowed for its size.

mod support;

use dogu_policy::analysis::MAX_LINE_BYTES;
use dogu_tool::Verdict;
use proptest::prelude::*;
use support::decision::{Workspace, decide};

/// What tokio gives its threads.
const STACK: usize = 2 * 1024 * 1024;
/// So deep are deep lines, as far as they fit.
const LEVELS: usize = 10_000;

/// Pieces of lines, whole and broken.
const PIECES: &[&str] = &[
    "ls",
    "echo",
    "git",
    "find . -exec",
    "xargs",
    "env",
    "sudo",
    "bash -c",
    "eval",
    "rm -rf",
    "cd",
    "test",
    "[",
    "[[",
    "]]",
    "]",
    "((",
    "))",
    "(",
    ")",
    "{",
    "}",
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "x",
    "in",
    "do",
    "done",
    "while",
    "until",
    "case",
    "esac",
    "select",
    "function",
    "f()",
    "time",
    "!",
    "coproc",
    "&&",
    "||",
    "|",
    "|&",
    ";",
    ";;",
    ";&",
    "&",
    "\n",
    ">",
    ">>",
    "<",
    "<>",
    ">&",
    "&>",
    ">|",
    "<<EOF",
    "<<-'E'",
    "<<<",
    "EOF",
    "<(",
    ">(",
    "$(",
    "`",
    "\\`",
    "\"",
    "'",
    "$'",
    "$\"",
    "\\",
    "\\\n",
    "$x",
    "${x",
    "${x:-",
    "${x@P}",
    "${!x}",
    "${#x}",
    "${x[",
    "$((",
    "$[",
    "$",
    "x=",
    "x+=",
    "x=(",
    "PATH=/x",
    "~",
    "~u",
    "*",
    "?",
    "[a-",
    "{a,b}",
    "{1..9}",
    "{a..z..2}",
    "=",
    "-",
    "--",
    "-n",
    "1",
    "2>&1",
    "#",
    " ",
    "  ",
    "\t",
    "\r",
    "\u{3000}",
    "é",
    "\0",
    "a/b",
    "../..",
    "/etc/passwd",
    ".env",
    "{}",
    "\\;",
    "+",
];

/// What is opened once for each level.
const OPENERS: &[&str] = &[
    "$(",
    "(",
    "{ ",
    "if ",
    "if a; then ",
    "`",
    "\"$(",
    "${x:-",
    "[[ ( ",
    "((",
    "$((",
    "! ",
    "while ",
    "for x in a; do ",
    "case a in a) ",
    "<(",
    "a=(",
    "f() { ",
    "function f ",
    "env ",
    "sudo ",
    "xargs ",
    "bash -c '",
    "eval ",
    "time ",
    "${x[",
    "\"${x:-",
    "{a,",
    "[ ! ",
    "[[ ! ",
    "$[",
    "coproc ",
    "a|",
    "a&&",
    "a;",
    "<<E ",
    "$'",
    "\\",
    "find . -exec ",
    "-",
    "timeout 1 ",
    "select x in a; do ",
    "until ",
    "\"`",
    "\\`",
    "nice ",
];

fn verdict(line: &str) -> Verdict {
    decide(line, &["echo".to_owned(), "git".to_owned()], Workspace::WithSecrets)
}

/// Runs this with as little stack as a thread of tokio has.
fn with_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let thread = thread.unwrap_or_else(|error| panic!("no thread: {error}"));
    assert!(thread.join().is_ok(), "it panicked");
}

/// As many levels as there should be and as fit into a line that is looked at.
fn deep(opener: &str) -> String {
    opener.repeat(LEVELS.min(MAX_LINE_BYTES / opener.len()))
}

/// What closes what an opener opens, as far as one can tell.
fn closer(opener: &str) -> &'static str {
    match opener {
        "$(" | "(" | "<(" | "a=(" | "[[ ( " => ")",
        "\"$(" => ")\"",
        "((" | "$((" => "))",
        "${x:-" | "{a," => "}",
        "\"${x:-" => "}\"",
        "{ " | "f() { " => "; }",
        "`" => "`",
        "if a; then " => "; fi",
        "for x in a; do " | "select x in a; do " => "; done",
        "case a in a) " => ";; esac",
        _ => "",
    }
}

#[test]
fn deep_lines_overflow_no_stack() {
    with_small_stack(|| {
        for opener in OPENERS {
            let verdict = verdict(&deep(opener));
            assert_ne!(verdict, Verdict::Allow, "{opener} without an end");
        }
    });
}

#[test]
fn deep_lines_that_are_closed_overflow_no_stack() {
    with_small_stack(|| {
        for opener in OPENERS {
            let closer = closer(opener);
            let levels = LEVELS.min((MAX_LINE_BYTES - 8) / (opener.len() + closer.len()));
            // The verdict is anybody's: a thousand times `! ` in a row may well be understood.
            let _ = verdict(&format!("{}ls{}", opener.repeat(levels), closer.repeat(levels)));
        }
    });
}

#[test]
fn mixed_deep_lines_overflow_no_stack() {
    with_small_stack(|| {
        for first in OPENERS {
            for second in OPENERS {
                let pair = format!("{first}{second}");
                let _ = verdict(&pair.repeat(100.min(MAX_LINE_BYTES / pair.len())));
            }
        }
    });
}

#[test]
fn a_line_that_is_too_long_is_not_allowed() {
    let fits = format!("echo {}", "a".repeat(MAX_LINE_BYTES - 5));
    assert_eq!((fits.len(), verdict(&fits)), (MAX_LINE_BYTES, Verdict::Allow));
    assert_ne!(verdict(&format!("{fits}a")), Verdict::Allow);
    assert_ne!(verdict(&format!("ls{}", " ".repeat(MAX_LINE_BYTES))), Verdict::Allow);
    assert_ne!(verdict(&format!("ls #{}", "\n".repeat(MAX_LINE_BYTES))), Verdict::Allow);
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{0,3}",
        1 => "[ -~]{0,5}",
    ];
    let blank = prop::sample::select(&["", " ", " "][..]);
    prop::collection::vec((piece, blank), 0..40)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, blank)| piece + blank).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn no_text_panics(line in any::<String>()) {
        let _ = verdict(&line);
    }

    #[test]
    fn no_soup_panics(line in soup()) {
        let _ = verdict(&line);
    }

    #[test]
    fn no_cut_soup_panics(line in soup(), at in any::<prop::sample::Index>()) {
        let cut = (0..=at.index(line.len() + 1)).rev().find(|cut| line.is_char_boundary(*cut));
        let _ = verdict(&line[..cut.unwrap_or(0)]);
    }

    #[test]
    fn no_long_soup_is_allowed(line in soup(), times in 1_usize..200) {
        let line = line.repeat(times * 100);
        prop_assume!(line.len() > MAX_LINE_BYTES && line.len() < MAX_LINE_BYTES * 20);
        prop_assert_ne!(verdict(&line), Verdict::Allow);
    }

    /// The same line is decided the same, and a rule more never refuses.
    #[test]
    fn rules_that_allow_only_loosen(line in soup()) {
        let without = decide(&line, &[], Workspace::Plain);
        let with = decide(&line, &["ls".to_owned(), "rm".to_owned()], Workspace::Plain);
        prop_assert!(with <= without, "{:?} became {:?}", without, with);
    }
}
