//! What a parser of the whole grammar finds is found here too.
//!
//! brush-parser reads all of bash. Every simple command that it finds in a line of the suites
//! must be among those that the analysis names, by proof or by detection.

mod support;

use dogu_policy::analysis::{Place, analyse};
use serde_json::Value;
use support::suite::{everyday, hostile};

/// Deeper brackets double its time with each level, and deeper words can end the process.
fn is_tame(line: &str) -> bool {
    let brackets = line.matches(['(', '{', '`']).count() + line.matches("if ").count();
    line.len() < 600 && brackets < 9
}

fn commands_of(line: &str) -> Option<Vec<String>> {
    let options = brush_parser::ParserOptions::default();
    let tokens = brush_parser::tokenize_str(line).ok()?;
    let program = brush_parser::parse_tokens(&tokens, &options).ok()?;
    let mut names = Vec::new();
    collect(&serde_json::to_value(program).ok()?, &mut names);
    Some(names)
}

/// The name of every simple command, wherever it is.
fn collect(tree: &Value, names: &mut Vec<String>) {
    match tree {
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        Value::Object(fields) => {
            let name = fields.get("word_or_name").and_then(|word| word["value"].as_str());
            names.extend(name.map(str::to_owned));
            fields.values().for_each(|value| collect(value, names));
        }
        _ => {}
    }
}

/// Without quotes, escapes and expansions a name is what it says.
fn is_plain(name: &str) -> bool {
    // After `!` it takes `time` for a program, which bash does not.
    name != "time" && name.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
}

#[test]
fn no_command_of_the_whole_grammar_is_missed() {
    let place = Place { cwd: "/work/project", home: Some("/home/u") };
    let (mut looked_at, mut missed) = (0, Vec::new());
    let lines = hostile().into_iter().map(|case| case.line).chain(everyday());
    for line in lines.filter(|line| is_tame(line)) {
        let Some(names) = commands_of(&line) else { continue };
        let found = analyse(&line, place).commands;
        for name in names.into_iter().filter(|name| is_plain(name)) {
            looked_at += 1;
            let known = found
                .iter()
                .any(|found| found.words.first().and_then(|word| word.as_literal()) == Some(&name));
            if !known {
                missed.push(format!("{name} in {line:?}"));
            }
        }
    }
    assert!(looked_at > 1_500, "only {looked_at}");
    assert!(missed.is_empty(), "{} of {looked_at}:\n{}", missed.len(), missed.join("\n"));
}
