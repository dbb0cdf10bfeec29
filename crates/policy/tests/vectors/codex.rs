//! Codex: commands that it runs unasked, commands that it warns of, and scripts that it can
//! take apart.

use dogu_tool::Verdict;
use serde_json::Value;

use crate::rows::{Comparison, Outcome, Wanted, name_of};
use crate::support::decision::{Workspace, decide};
use crate::support::facts::analysis_of;

pub(crate) const SAFE: Comparison = Comparison {
    file: "commands/codex-safe.json",
    about: "The words of a command in; whether it runs unasked out. The words are quoted into a line. What Codex does not call safe may ask or be refused here. Rows about machines without the tools of GNU are not asked. The file has two states of Codex's list: one with git, and a later one without.",
    name: |row| format!("{}: {}", row["snapshot"].as_str().unwrap(), argv_name(row)),
    compare: compare_safe,
    allowed: &[
        (
            "Codex reads no subshells; here what is inside of one is judged as if it stood alone",
            &["allowlist-with-git: bash -lc '(ls)'"],
        ),
        (
            "Codex took git off its list because the settings of a repository can start programs. Here each use of git is judged by its options, no call writes the settings below `.git` unasked, and a folder that is a bare repository with settings of its own asks in a workspace that nobody has trusted",
            &[
                "allowlist-last: git status --short",
                "allowlist-last: git log -p -1",
                "allowlist-last: git branch",
                "allowlist-last: git branch --show-current",
                "allowlist-last: bash -lc 'git status'",
            ],
        ),
    ],
    asked: &[],
    stricter: &[],
    otherwise: &[],
};

pub(crate) const DANGEROUS: Comparison = Comparison {
    file: "commands/codex-dangerous.json",
    about: "The words of a command in; whether Codex warns of it out. What it warns of may ask or be refused here; what it does not warn of may ask or be allowed, since no warning is no yes.",
    name: argv_name,
    compare: compare_dangerous,
    allowed: &[],
    asked: &[],
    stricter: &[],
    otherwise: &[],
};

pub(crate) const WORDS: Comparison = Comparison {
    file: "commands/codex-bash-words.json",
    about: "A script in; its commands word by word out, or nothing where Codex does not take it apart and so asks. The words must be the same here. A script that Codex does not take apart may ask or be refused here; where it is allowed, it was understood.",
    name: |row| name_of(row["script"].as_str().unwrap()),
    compare: compare_words,
    allowed: &[
        (
            "the value is the home folder, or is printed as text whatever it is",
            &["echo \"$HOME\"", "echo \"hi $USER\""],
        ),
        ("what is inside is judged too, and only looks", &["(ls)", "echo $(pwd)", "echo `pwd`"]),
        (
            "no expansion happens in these words in bash, and what is printed harms nobody",
            &["echo HEAD~1", "echo HEAD^", "echo =sh"],
        ),
    ],
    asked: &[],
    stricter: &[],
    otherwise: &[],
};

fn argv_name(row: &Value) -> String {
    name_of(&line_of(row))
}

/// The words of a row as a line that bash splits into the same words.
fn line_of(row: &Value) -> String {
    let words = row["argv"].as_array().unwrap().iter().map(|word| quoted(word.as_str().unwrap()));
    words.collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn ours(line: &str) -> Verdict {
    decide(line, &[], Workspace::Plain)
}

fn compare_safe(row: &Value) -> Outcome {
    // Where the tools of GNU are missing, dogu has no other table.
    if row["platform"] == "not-linux" {
        return Outcome::NotAsked;
    }
    let safe = row["safe"].as_bool().unwrap();
    let wanted = if safe { Wanted::Exactly(Verdict::Allow) } else { Wanted::NotAllow };
    wanted.outcome(ours(&line_of(row)))
}

/// No warning is no yes.
fn compare_dangerous(row: &Value) -> Outcome {
    let wanted = if row["verdict"] == "none" { Wanted::NotDeny } else { Wanted::NotAllow };
    wanted.outcome(ours(&line_of(row)))
}

/// A script that Codex does not take apart is not run unasked; the words of the others must be
/// found here too.
fn compare_words(row: &Value) -> Outcome {
    let line = row["script"].as_str().unwrap();
    if row["commands"].is_null() {
        return Wanted::NotAllow.outcome(ours(line));
    }
    let theirs: Vec<Vec<String>> = serde_json::from_value(row["commands"].clone()).unwrap();
    let analysis = analysis_of(line);
    let ours: Vec<Vec<String>> = analysis
        .commands
        .iter()
        .map(|found| found.words.iter().map(ToString::to_string).collect())
        .collect();
    let same = analysis.understood.is_ok() && ours == theirs;
    if same { Outcome::Agree } else { Outcome::Otherwise }
}

#[test]
fn codex_rows_agree_or_differ_for_a_reason() {
    for comparison in [&SAFE, &DANGEROUS, &WORDS] {
        comparison.check();
    }
}

#[test]
fn words_are_quoted_as_bash_wants_it() {
    let row = serde_json::json!({"argv": ["echo", "", "a b", "it's", "$x", "-n"]});
    assert_eq!(line_of(&row), r"echo '' 'a b' 'it'\''s' '$x' -n");
    let words: Vec<String> =
        analysis_of(&line_of(&row)).commands[0].words.iter().map(ToString::to_string).collect();
    assert_eq!(words, ["echo", "", "a b", "it's", "$x", "-n"]);
}
