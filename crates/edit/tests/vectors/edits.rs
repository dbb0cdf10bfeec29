//! One text replaced by another.

use dogu_edit::{Count, Edit, Outcome, apply};
use serde_json::Value;

use crate::rows::{Comparison, Difference, Verdict, same};

pub(crate) const ALL: [Comparison; 6] = [
    Comparison { file: "edit/aider.json", compare: row_of_texts, different: &AIDER },
    Comparison { file: "edit/opencode.json", compare: row_of_texts, different: &OPENCODE },
    Comparison { file: "edit/gemini.json", compare: row_of_texts, different: &GEMINI },
    Comparison { file: "edit/public-bug-regressions.json", compare: row_of_texts, different: &[] },
    Comparison {
        file: "edit/continue-find-and-replace.json",
        compare: row_of_arguments,
        different: &[],
    },
    Comparison {
        file: "edit/continue-multi-edit.json",
        compare: row_of_several,
        different: &CONTINUE_MULTI,
    },
];

const LOST_INDENT: &str = "theirs loses the file's indentation; here it stays";
const OWN_SPACES: &str = "theirs loses the file's spaces within the line; here they stay";
const EMPTY_OLD: &str =
    "an empty text stands nowhere and everywhere; writing a file is another tool";

const AIDER: [(&str, &str); 1] =
    [("aider/13", "theirs takes the first of several matches; here they are named and refused")];

const OPENCODE: [(&str, &str); 5] = [
    ("opencode-2025/8", OWN_SPACES),
    ("opencode-2025/10", LOST_INDENT),
    ("opencode-2025/11", LOST_INDENT),
    ("opencode-2025/27", LOST_INDENT),
    ("opencode-2025/31", LOST_INDENT),
];

const GEMINI: [(&str, &str); 3] = [
    ("gemini/13", "theirs takes every line to the first one's indentation; here each has its own"),
    ("gemini/15", OWN_SPACES),
    (
        "gemini/24",
        "the old text's own indents contradict one another; the new line that is as deep as one \
         of them goes where that one is",
    ),
];

const CONTINUE_MULTI: [(&str, &str); 2] = [("call 12", EMPTY_OLD), ("call 13", EMPTY_OLD)];

/// What became of a content: the text, or why nothing was done.
type Answer = Result<String, String>;

fn ask(content: &str, old: &str, new: &str, all: bool) -> Answer {
    let count = if all { Count::All } else { Count::One };
    match apply(content, &Edit { old, new, count, line: None }) {
        Ok(Outcome::Applied(applied)) => Ok(applied.text),
        Ok(Outcome::AlreadyApplied { line }) => Err(format!("already applied at line {line}")),
        Err(refusal) => Err(refusal.to_string()),
    }
}

fn refused(answer: &Answer) -> Verdict {
    match answer {
        Err(_) => Ok(()),
        Ok(text) => Err(Difference::Other(format!("expected an error\n     got {text:?}"))),
    }
}

fn applied(expected: &str, content: &str, answer: &Answer) -> Verdict {
    match answer {
        Ok(text) => same(expected, text),
        // Nothing done is nothing done, whether it is called an error or not.
        Err(_) if expected == content => Ok(()),
        Err(reason) => {
            Err(Difference::Other(format!("expected {expected:?}\n     got refused: {reason}")))
        }
    }
}

/// `{content, old, new, replaceAll}` and `expected`, `expected_any` or `error`.
fn row_of_texts(row: &Value) -> Verdict {
    // A file that is not there, and helpers that are asked alone.
    let (Some(content), Some(old)) = (row["content"].as_str(), row["old"].as_str()) else {
        return Err(Difference::NotAsked);
    };
    let answer = ask(content, old, row["new"].as_str().unwrap(), row["replaceAll"] == true);
    if row.get("error").is_some() {
        return refused(&answer);
    }
    if let Some(any) = row["expected_any"].as_array() {
        let fits =
            |expected: &&Value| applied(expected.as_str().unwrap(), content, &answer).is_ok();
        return match any.iter().find(fits) {
            Some(_) => Ok(()),
            None => applied(any[0].as_str().unwrap(), content, &answer),
        };
    }
    applied(row["expected"].as_str().unwrap(), content, &answer)
}

/// `args: [content, old, new, replaceAll]`.
fn row_of_arguments(row: &Value) -> Verdict {
    let text = |at: usize| row["args"][at].as_str().unwrap();
    let answer = ask(text(0), text(1), text(2), row["args"][3] == true);
    if row["throws"] == true {
        return refused(&answer);
    }
    applied(row["expected"].as_str().unwrap(), text(0), &answer)
}

/// `args: [content, edits]`, one after the other.
fn row_of_several(row: &Value) -> Verdict {
    if row["fn"] == "validateMultiEdit" {
        let edit = &row["args"][0]["edits"][0];
        let (Some(old), Some(new)) = (edit["old_string"].as_str(), edit["new_string"].as_str())
        else {
            return Err(Difference::NotAsked);
        };
        return refused(&ask(old, old, new, false));
    }
    let content = row["args"][0].as_str().unwrap();
    let mut answer = Ok(content.to_owned());
    for edit in row["args"][1].as_array().unwrap() {
        let text = |name: &str| edit[name].as_str().unwrap();
        answer = answer.and_then(|content| {
            ask(&content, text("old_string"), text("new_string"), edit["replace_all"] == true)
        });
    }
    if row["throws"] == true {
        return refused(&answer);
    }
    applied(row["expected"].as_str().unwrap(), content, &answer)
}
