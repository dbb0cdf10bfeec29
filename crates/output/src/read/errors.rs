//! Lines that tell of errors.

use std::collections::VecDeque;
use std::sync::LazyLock;

use regex::Regex;

use crate::kept::Kept;
use crate::log::Log;
use crate::read::lines::{Event, Lines, clip};
use crate::read::search::{Found, FoundLine};

/// Words that programs say of what went wrong, also as the end of a name (`ValueError`). Warnings
/// are none: in a build they would hide the errors.
const WORDS: &str = r"(?i)(?:errors?|exceptions?|\bfail(?:ed|ures?|s)?|\bfatal|\bpanic(?:ked)?|\btraceback|\babort(?:ed)?|\bsegmentation fault|\bcore dumped|\bassertion|\bpermission denied|\bno such file|\bcommand not found|\bundefined reference|\bunhandled|\bout of memory|\bkilled)\b";
/// What stands before such a word when nothing went wrong.
const NONE_BEFORE: &str = r"(?i)(?:\b0|\bno|\bwithout(?: any)?)\s+$";

static ERROR: LazyLock<Option<(Regex, Regex)>> =
    LazyLock::new(|| Some((Regex::new(WORDS).ok()?, Regex::new(NONE_BEFORE).ok()?)));

/// Whether a line of standard output tells of an error: it has one of the words, and not only
/// as `0 errors`, `no failures`.
pub(crate) fn tells_of_error(line: &str) -> bool {
    let Some((words, none_before)) = &*ERROR else { return false };
    words.find_iter(line).any(|word| {
        let before = &line[line.floor_char_boundary(word.start().saturating_sub(16))..word.start()];
        !none_before.is_match(before)
    })
}

impl Kept {
    /// All lines of standard error, and those of standard output that tell of an error: a word
    /// like error, failed, panic, exception or traceback (warnings do not count, nor does
    /// `0 errors`). The last `limit` of them, at most about `cap` bytes.
    pub fn errors_only(&self, limit: usize, cap: usize) -> Found {
        let (mut matches, mut size) = (0, 0);
        let mut last: VecDeque<FoundLine> = VecDeque::new();
        let mut lines = Lines::new(|event| {
            let Event::Line(line) = event else { return true };
            let blank = line.text.trim().is_empty();
            if line.goes_on || blank || !(line.from_err || tells_of_error(line.text)) {
                return true;
            }
            matches += 1;
            let text = clip(line.text);
            size += text.len();
            last.push_back(FoundLine { number: line.number, text, matched: true });
            while last.len() > limit || (size > cap && last.len() > 1) {
                size -= last.pop_front().map_or(0, |line| line.text.len());
            }
            true
        });
        self.show(None, &mut lines);
        lines.finish();
        drop(lines);
        Found { more: matches > last.len() as u64, lines: last.into(), matches }
    }
}

impl Log {
    /// See [`Kept::errors_only`].
    pub fn errors_only(&self, limit: usize, cap: usize) -> Found {
        self.snapshot().errors_only(limit, cap)
    }
}

#[cfg(test)]
mod tests {
    use super::tells_of_error;

    #[test]
    fn errors_are_told_from_good_news() {
        for line in [
            "error[E0308]: mismatched types",
            "ValueError: bad",
            "java.lang.NullPointerException: null",
            "test a::b ... FAILED",
            "thread 'main' panicked at src/main.rs:1",
            "Traceback (most recent call last):",
            "2 errors, 0 warnings",
            "0 errors, but 1 failure",
            "sh: 1: foo: command not found",
            "npm ERR! code: Error",
        ] {
            assert!(tells_of_error(line), "{line}");
        }
        for line in [
            "test result: ok. 10 passed; 0 failed; 0 ignored",
            "no errors found",
            "warning: unused variable",
            "Compiling error_handling v0.1.0",
            "without any errors",
            "all good",
            "",
        ] {
            assert!(!tells_of_error(line), "{line}");
        }
    }
}
