//! Continue: which permission a call has.

use dogu_policy::compat::continue_::{Policy, convert_policies};
use dogu_policy::facts::JudgedAction;
use dogu_policy::rule::Wild;
use dogu_tool::{Action, Group, Verdict};
use serde_json::Value;

use crate::common::{Call, real_line, spec};
use crate::rows::{Comparison, Outcome, Wanted};

pub(crate) const COMPARISON: Comparison = Comparison {
    file: "permissions/continue-checker.json",
    about: "Policies and a call in, its permission out; and whether patterns of tools and of \
            arguments match. The policies are loaded as rules here, as a user's would be. Which \
            policy matched is not asked: here a reason tells it, not a copy of the policy.",
    name: |row| format!("call {}", row["call"]),
    compare,
    allowed: &[("a command that is safe by itself needs no policy", &["call 139"])],
    asked: &[(
        "Continue refuses every `eval`; here its text is read as a line, and asks where that is unknown",
        &["call 136"],
    )],
    stricter: &[
        (
            "nobody knows which argument of an unknown tool is meant, so all of it is excluded",
            &["call 108"],
        ),
        (
            "a tool that is approved as a whole still asks about dangerous commands",
            &["call 117", "call 130", "call 133"],
        ),
    ],
    otherwise: &[("names of arguments have no `?`; paths have", &["call 75"])],
};

fn compare(row: &Value) -> Outcome {
    if row["path"][0] == "matchedPolicy" {
        return Outcome::NotAsked;
    }
    let same = |ours: bool| {
        if Value::Bool(ours) == row["expected"] { Outcome::Agree } else { Outcome::Otherwise }
    };
    match row["fn"].as_str().unwrap() {
        "matchesToolPattern" => same(tool_matches(row)),
        "matchesArguments" => same(arguments_match(row)),
        _ => Wanted::Exactly(match row["expected"].as_str().unwrap() {
            "allow" => Verdict::Allow,
            "exclude" => Verdict::Deny,
            _ => Verdict::Ask,
        })
        .outcome(permission(row)),
    }
}

#[test]
fn continue_checker_rows_agree_or_differ_for_a_reason() {
    COMPARISON.check();
}

/// Wildcards of arguments, compared as theirs are: text by text.
fn arguments_match(row: &Value) -> bool {
    let empty = serde_json::Map::new();
    let given = row["args"][0].as_object().unwrap();
    let wanted = row["args"].get(1).and_then(Value::as_object).unwrap_or(&empty);
    wanted.iter().filter(|(key, _)| *key != "$undefined").all(|(key, pattern)| {
        let Some(pattern) = pattern.as_str() else { return false };
        let wild = Wild::parse(pattern);
        match given.get(key) {
            Some(Value::String(text)) => wild.matches(text),
            Some(value) if !wild.is_literal() => wild.matches(&value.to_string()),
            Some(_) => false,
            None => wild.matches(""),
        }
    })
}

/// A tool's pattern; `Bash(…)` is about the words of its command.
fn tool_matches(row: &Value) -> bool {
    let [name, pattern] = [0, 1].map(|at| row["args"][at].as_str().unwrap());
    let Some(argument) = pattern.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')'))
    else {
        return Wild::parse(pattern).matches(name);
    };
    let Some(command) = row["args"][2]["command"].as_str() else { return false };
    name == "Bash" && Wild::parse(argument).matches(command)
}

/// A call of one of Continue's tools.
fn call_of(name: &str, arguments: &Value) -> Call {
    match (name, arguments["command"].as_str(), arguments["file_path"].as_str()) {
        ("Bash", Some(line), _) => Call::new(spec("bash", Group::Command), vec![real_line(line)]),
        ("Write", _, Some(path)) => Call::write(path.trim_start_matches('/')),
        _ => {
            let action = Action::Custom { name: name.to_owned(), details: arguments.clone() };
            Call::new(spec(name, Group::Modes), vec![JudgedAction::plain(action)])
        }
    }
}

/// The permission of a call, as the engine decides it.
fn permission(row: &Value) -> Verdict {
    let policies: Vec<Policy> = serde_json::from_value(row["args"][1]["policies"].clone()).unwrap();
    let rename = |name: &str| match name {
        "Bash" => Some("bash".to_owned()),
        "Write" => Some("write_file".to_owned()),
        _ => None,
    };
    let call = &row["args"][0];
    let mut call = call_of(call["name"].as_str().unwrap(), &call["arguments"]);
    call.engine.user.rules.extend(convert_policies(&policies, rename).unwrap().rules);
    call.verdict()
}
