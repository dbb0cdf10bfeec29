//! `[[ … ]]`, which evaluates some of what it is given.

use super::walk::Walk;
use crate::command::{Access, Arg};
use crate::shell::ast::Word;
use crate::shell::expand::{State, word_ways};

/// Operators whose operands are evaluated as arithmetic.
const NUMBERS: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
/// Operators that look at a file.
const FILES: &str = "abcdefghkprstuwxGLNOS";

impl Walk {
    pub(super) fn test(&mut self, words: &[Word], state: &State) {
        for word in words {
            self.substitutions(word, state);
        }
        for (at, word) in words.iter().enumerate() {
            let operator = word.bare().unwrap_or_default();
            let right = words.get(at + 1);
            if NUMBERS.contains(&operator) {
                let left = at.checked_sub(1).and_then(|left| words.get(left));
                if ![left, right].into_iter().flatten().all(|word| is_number(word, state)) {
                    self.refuse(format!("`{operator}` evaluates what it is given"));
                }
            }
            if matches!(operator, "-v" | "-R") {
                self.refuse(format!("`{operator}` evaluates what it is given"));
            }
            let file = operator
                .strip_prefix('-')
                .is_some_and(|flag| flag.len() == 1 && FILES.contains(flag));
            if let (true, Some(right)) = (file, right) {
                for arg in word_ways(right, state).into_iter().flatten() {
                    self.file(Access::Read, &arg, state);
                }
            }
        }
    }
}

fn is_number(word: &Word, state: &State) -> bool {
    let number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    word_ways(word, state).iter().all(|arg| match arg {
        Some(Arg::Literal(text)) => number(text),
        _ => false,
    })
}
