//! What came of a case.

use dogu_edit::{Count, Edit, Outcome};

use super::Case;
use super::kinds::Class;

/// How an edit came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Right,
    /// Nothing was changed.
    Refused,
    Wrong(Fault),
}

/// What is wrong about a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    Misplaced,
    Indent,
    LineEnding,
    WhiteSpace,
    Garbled,
}

impl Verdict {
    /// Whether the answer is one of those that the case allows.
    pub(crate) fn is_good(self, class: Class) -> bool {
        match self {
            Self::Right => class != Class::Refuse,
            Self::Refused => class != Class::Recoverable,
            Self::Wrong(_) => false,
        }
    }
}

/// What an engine answers: the new text, or why there is none.
pub(crate) type Answer = Result<String, String>;

/// The engine that is measured. The second text says at which level it found the place.
pub(crate) fn ask(case: &Case) -> (Answer, String) {
    let count = if case.replace_all { Count::All } else { Count::One };
    let edit = Edit { old: &case.old, new: &case.new, count, line: None };
    match dogu_edit::apply(&case.content, &edit) {
        Ok(Outcome::Applied(applied)) => (Ok(applied.text), applied.level.name().to_owned()),
        Ok(Outcome::AlreadyApplied { line }) => {
            (Err(format!("already applied at line {line}")), String::new())
        }
        Err(refusal) => (Err(refusal.to_string()), String::new()),
    }
}

/// The peer in the same run: the text must stand there once as it is sent.
pub(crate) fn exact_only(case: &Case) -> Answer {
    let found = case.content.matches(&case.old).count();
    if found == 1 || (found > 1 && case.replace_all) {
        return Ok(case.content.replace(&case.old, &case.new));
    }
    Err(format!("stands there {found} times"))
}

pub(crate) fn judge(case: &Case, answer: &Answer) -> Verdict {
    let Ok(result) = answer else { return Verdict::Refused };
    if *result == case.content {
        return Verdict::Refused;
    }
    if case.accepted.contains(result) {
        return Verdict::Right;
    }
    Verdict::Wrong(fault(case, result))
}

fn fault(case: &Case, result: &str) -> Fault {
    if is_misplaced(case, result) {
        return Fault::Misplaced;
    }
    let like = |form: fn(&str) -> String| {
        case.accepted.iter().any(|accepted| form(accepted) == form(result))
    };
    if like(|text| text.replace("\r\n", "\n")) {
        Fault::LineEnding
    } else if like(|text| text.lines().map(|line| format!("{}\n", line.trim_start())).collect()) {
        Fault::Indent
    } else if like(|text| text.split_whitespace().collect()) {
        Fault::WhiteSpace
    } else {
        Fault::Garbled
    }
}

/// Whether no line that changed is one of those that the edit is about.
fn is_misplaced(case: &Case, result: &str) -> bool {
    let before: Vec<&str> = case.content.split('\n').collect();
    let after: Vec<&str> = result.split('\n').collect();
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - same;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest);
    let same_tail = tail.take_while(|(a, b)| a == b).count();
    let end = before.len() - same_tail;
    end < case.lines.start || same > case.lines.end
}
