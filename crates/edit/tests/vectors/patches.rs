//! Patches in the form `*** Begin Patch`.

use std::collections::BTreeMap;

use dogu_edit::patch::{FileChange, Hunk, Mark, Patch, apply_update, parse};
use serde_json::{Value, json};

use crate::rows::{Comparison, Difference, Verdict, same};

pub(crate) const ALL: [Comparison; 4] = [
    Comparison { file: "patch/codex-scenarios.json", compare: scenario, different: &SCENARIOS },
    Comparison { file: "patch/codex-updates.json", compare: update, different: &UPDATES },
    Comparison { file: "patch/roo-apply.json", compare: chunks, different: &[] },
    Comparison { file: "patch/roo-parser.json", compare: parsed, different: &PARSER },
];

const OWN_END: &str =
    "the line that is replaced keeps its own line ending; theirs takes the one most used";

const SCENARIOS: [(&str, &str); 2] = [
    (
        "015_failure_after_partial_success_leaves_changes",
        "a patch is applied as a whole or not at all; theirs leaves what came before the failure",
    ),
    ("024_preserves_mixed_line_endings", OWN_END),
];

const UPDATES: [(&str, &str); 1] =
    [("test_apply_patch_cli_preserves_untouched_mixed_line_endings", OWN_END)];

const PARSER: [(&str, &str); 1] = [(
    "apply_patch_parser-0004",
    "a patch without a change is an error that says so; theirs parses it and refuses it later",
)];

/// Files by their path.
type Tree = BTreeMap<String, String>;

/// What a patch makes of files: all of it or nothing.
fn patched(before: &Tree, patch: &str) -> Result<Tree, String> {
    let patch = parse(patch).map_err(|error| error.to_string())?;
    let mut tree = before.clone();
    for file in &patch.files {
        let missing = || format!("{} is missing", file.path);
        match &file.change {
            FileChange::Add { content } => {
                tree.insert(file.path.clone(), content.clone());
            }
            FileChange::Delete => {
                tree.remove(&file.path).ok_or_else(missing)?;
            }
            FileChange::Update { hunks, move_to } => {
                let content = tree.remove(&file.path).ok_or_else(missing)?;
                let text = updated(&content, hunks)?;
                tree.insert(move_to.clone().unwrap_or_else(|| file.path.clone()), text);
            }
        }
    }
    Ok(tree)
}

fn updated(content: &str, hunks: &[Hunk]) -> Result<String, String> {
    apply_update(content, hunks).map(|updated| updated.text).map_err(|failures| {
        failures.iter().map(ToString::to_string).collect::<Vec<String>>().join("; ")
    })
}

fn tree_of(value: &Value) -> Tree {
    let files = value.as_object().unwrap().iter();
    files.map(|(path, file)| (path.clone(), file["text"].as_str().unwrap().to_owned())).collect()
}

fn scenario(row: &Value) -> Verdict {
    let before = tree_of(&row["input"]);
    let result = patched(&before, row["patch"].as_str().unwrap());
    let after = result.clone().unwrap_or(before);
    if tree_of(&row["expected"]) != after {
        let expected = &row["expected"];
        return Err(Difference::Other(format!("expected {expected}\n     got {result:?}")));
    }
    let applied = row["reference_status"] == "applied";
    same(&format!("applied: {applied}"), &format!("applied: {}", result.is_ok()))
}

fn update(row: &Value) -> Verdict {
    let path = row["file"].as_str().unwrap();
    let before = Tree::from([(path.to_owned(), row["before"].as_str().unwrap().to_owned())]);
    let after = patched(&before, row["patch"].as_str().unwrap()).map_err(Difference::Other)?;
    same(row["after"].as_str().unwrap(), &after[path])
}

/// Chunks that were parsed before, written as a patch again.
fn chunks(row: &Value) -> Verdict {
    let [content, path] = [0, 1].map(|at| row["args"][at].as_str().unwrap());
    let mut written = format!("*** Begin Patch\n*** Update File: {path}\n");
    for chunk in row["args"][2].as_array().unwrap() {
        let header = chunk["changeContext"].as_str();
        written.push_str(&header.map_or("@@\n".to_owned(), |line| format!("@@ {line}\n")));
        for (sign, lines) in [('-', "oldLines"), ('+', "newLines")] {
            for line in chunk[lines].as_array().unwrap() {
                written.push_str(&format!("{sign}{}\n", line.as_str().unwrap()));
            }
        }
        written.push_str(if chunk["isEndOfFile"] == true { "*** End of File\n" } else { "" });
    }
    written.push_str("*** End Patch\n");
    let before = Tree::from([(path.to_owned(), content.to_owned())]);
    let answer = patched(&before, &written);
    match (row["result"].as_str(), answer) {
        (Some(expected), Ok(after)) => same(expected, &after[path]),
        (None, Err(_)) => Ok(()),
        (expected, answer) => {
            Err(Difference::Other(format!("expected {expected:?}\n     got {answer:?}")))
        }
    }
}

/// What a patch says, in the shape of the rows.
fn shape(patch: &Patch) -> Value {
    let files = patch.files.iter().map(|file| match &file.change {
        FileChange::Add { content } => {
            json!({"type": "AddFile", "path": file.path, "contents": content})
        }
        FileChange::Delete => json!({"type": "DeleteFile", "path": file.path}),
        FileChange::Update { hunks, move_to } => json!({
            "type": "UpdateFile",
            "path": file.path,
            "movePath": move_to,
            "chunks": hunks.iter().map(chunk).collect::<Vec<Value>>(),
        }),
    });
    files.collect()
}

fn chunk(hunk: &Hunk) -> Value {
    let side = |gone: Mark| -> Vec<&str> {
        let lines = hunk.lines.iter().filter(|line| line.mark != gone);
        lines.map(|line| line.text.as_str()).collect()
    };
    json!({
        "changeContext": hunk.headers.first(),
        "oldLines": side(Mark::Added),
        "newLines": side(Mark::Removed),
        "isEndOfFile": hunk.end_of_file,
    })
}

fn parsed(row: &Value) -> Verdict {
    let answer = parse(row["args"][0].as_str().unwrap());
    match (row.get("result"), answer) {
        (Some(expected), Ok(patch)) => {
            same(&expected["hunks"].to_string(), &shape(&patch).to_string())
        }
        (None, Err(_)) => Ok(()),
        (expected, answer) => {
            Err(Difference::Other(format!("expected {expected:?}\n     got {answer:?}")))
        }
    }
}
