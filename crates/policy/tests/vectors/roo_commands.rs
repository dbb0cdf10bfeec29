//! Roo Code: lists of prefixes that are allowed and denied, and the substitutions that it warns
//! of.

use dogu_policy::compat::roo;
use dogu_policy::engine::{Engine, Layer};
use dogu_tool::Verdict;
use serde_json::Value;

use crate::rows::{Comparison, Outcome, Wanted, name_of};
use crate::support::decision::{Workspace, decision, shell};
use crate::support::facts::judged;

pub(crate) const DECISIONS: Comparison = Comparison {
    file: "commands/roo-decisions.json",
    about: "A line with a list of allowed and a list of denied prefixes in, a decision out; and whether a line has a substitution that Roo Code warns of. The lists are loaded as rules, as a user's would be. What Roo Code warns of may ask or be refused here; no warning is no yes. How Roo Code cuts a line into texts, which prefix matched, and rows without their lists are not asked.",
    name: named_with_lists,
    compare: compare_decision,
    allowed: &[(
        "what is inside is judged too, and only looks; the text is input, not a program",
        &["cat <<<$(whoami)", "sort <<< `pwd`"],
    )],
    asked: &[],
    stricter: &[
        (
            "names of commands and their arguments have upper and lower case",
            &["npm TEST --coverage [+ npm test, npm run, echo; - ]"],
        ),
        (
            "forbidden whatever the lists say",
            &["denied? rm -rf / [+ npm, echo, git; - npm test, git push]"],
        ),
        (
            "words that are only known when it runs may be options, such as one that names another registry",
            &[
                "npm install ${package_name} [+ npm, echo; - npm test]",
                "npm install `echo test` [+ npm, echo; - npm test]",
                "npm install `echo test` [+ npm, echo; - ]",
            ],
        ),
    ],
    otherwise: &[],
};

pub(crate) const PROBES: Comparison = Comparison {
    file: "commands/roo-hostile-probes.json",
    about: "Lines that were made to fool Roo Code, with lists of prefixes, and what it decides. Most of its approvals are holes.",
    name: |row| name_of(row["command"].as_str().unwrap()),
    compare: compare_probe,
    allowed: &[(
        "the user's list allows `git commit`, and a line end in quotes ends no command",
        &["git commit -m \"a\\nb\""],
    )],
    asked: &[],
    stricter: &[
        ("a prefix is whole words, in their own case", &["gitfoo --evil", "GIT STATUS"]),
        (
            "a denied command is found behind a path, a wrapper, in groups, in pipes and behind quotes",
            &[
                "/bin/rm -rf x",
                "sudo rm x",
                "(rm -rf x)",
                "{ rm -rf x; }",
                "find . -exec rm {} ;",
                "find . -exec rm {} \\;",
                "echo a |& rm x",
                "echo 'a\"' ; rm x ; echo '\"b'",
                "time rm x",
                "eval rm x",
            ],
        ),
        (
            "a command inside an expansion is a command",
            &[
                "echo $((1+$(rm x)))",
                "echo ${x:-`rm x`}",
                "echo $[ $(rm x) ]",
                "diff <(a $(rm x)) y",
            ],
        ),
    ],
    otherwise: &[],
};

fn list(row: &Value, key: &str) -> Vec<String> {
    serde_json::from_value(row[key].clone()).unwrap_or_default()
}

/// The line, and the lists if there are any. Whether a line is denied is a question of its own.
fn named_with_lists(row: &Value) -> String {
    let line = row["command"].as_str().map_or_else(|| row["command"].to_string(), name_of);
    let asks_denied = row["kind"] == "isAutoDeniedSingleCommand";
    let line = if asks_denied { format!("denied? {line}") } else { line };
    let (allow, deny) = (list(row, "allow"), list(row, "deny"));
    if allow.is_empty() && deny.is_empty() {
        return line;
    }
    format!("{line} [+ {}; - {}]", allow.join(", "), deny.join(", "))
}

/// The decision on a line, with Roo's lists as rules.
fn with_lists(row: &Value) -> Verdict {
    let (allow, deny) = (list(row, "allow"), list(row, "deny"));
    let mut user = Layer::default();
    user.rules.extend(roo::rules(&allow, &deny));
    user.rules.extend(roo::otherwise_ask(&allow));
    let line = judged(row["command"].as_str().unwrap(), Workspace::Plain);
    decision(&Engine::new(user), &shell(), line).verdict
}

fn decided(text: &str) -> Wanted {
    Wanted::Exactly(match text {
        "auto_approve" => Verdict::Allow,
        "auto_deny" => Verdict::Deny,
        _ => Verdict::Ask,
    })
}

fn compare_decision(row: &Value) -> Outcome {
    let yes = row["expect"] == true;
    let wanted = match row["kind"].as_str().unwrap() {
        "containsDangerousSubstitution" if yes => Wanted::NotAllow,
        "isAutoApprovedSingleCommand" if yes => Wanted::Exactly(Verdict::Allow),
        "isAutoApprovedSingleCommand" => Wanted::NotAllow,
        "isAutoDeniedSingleCommand" if yes => Wanted::Exactly(Verdict::Deny),
        // Neither dangerous nor denied is not a yes.
        "containsDangerousSubstitution" | "isAutoDeniedSingleCommand" => Wanted::NotDeny,
        "getCommandDecision" | "getSingleCommandDecision" => {
            decided(row["expect"].as_str().unwrap())
        }
        _ => return Outcome::NotAsked,
    };
    wanted.outcome(with_lists(row))
}

fn compare_probe(row: &Value) -> Outcome {
    decided(row["roo_head_decision"].as_str().unwrap()).outcome(with_lists(row))
}

#[test]
fn roo_command_rows_agree_or_differ_for_a_reason() {
    DECISIONS.check();
    PROBES.check();
}
