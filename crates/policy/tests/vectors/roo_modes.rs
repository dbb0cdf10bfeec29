//! Roo Code: which tools its modes have, and which files they may edit.

use dogu_policy::mode::{Mode, Modes, TouchedPath, group_of};
use serde_json::Value;

use crate::rows::{Comparison, Outcome};

const NO_CONTENT_YET: &str =
    "a write is judged by its path, whether or not its content or diff has arrived yet";
const NO_PATH: &str = "an edit that names no path is refused";

pub(crate) const FILES: Comparison = Comparison {
    file: "modes/roo-file-regex.json",
    about: "The arguments of a call in a mode in; a yes, or the refusal in its very words out.",
    name,
    compare,
    allowed: &[],
    asked: &[],
    stricter: &[
        (NO_CONTENT_YET, &["mode_file_regex-0009", "mode_file_regex-0010", "mode_file_regex-0011"]),
        (NO_PATH, &["mode_file_regex-0050", "mode_file_regex-0052", "mode_file_regex-0053"]),
    ],
    otherwise: &[],
};

pub(crate) const TOOLS: Comparison = Comparison {
    file: "modes/roo-tools.json",
    about: "The same question, about tools. A switch that Roo Code's settings turn off is a \
            tool's policy here, which is asked before the mode.",
    name,
    compare,
    allowed: &[],
    asked: &[],
    stricter: &[(
        NO_PATH,
        &[
            "mode_tools-0004",
            "mode_tools-0027",
            "mode_tools-0032",
            "mode_tools-0039",
            "mode_tools-0042",
            "mode_tools-0051",
            "mode_tools-0056",
        ],
    )],
    otherwise: &[],
};

fn name(row: &Value) -> String {
    row["id"].as_str().unwrap().to_owned()
}

fn compare(row: &Value) -> Outcome {
    let allowed = row["error"].is_null() && row["result"] != Value::Bool(false);
    match (allowed, decide(row)) {
        (true, Ok(())) => Outcome::Agree,
        (true, Err(_)) => Outcome::Stricter,
        (false, Ok(())) => Outcome::Allowed,
        (false, Err(error)) if row["error"].as_str().is_none_or(|said| said == error) => {
            Outcome::Agree
        }
        (false, Err(_)) => Outcome::Otherwise,
    }
}

#[test]
fn roo_mode_rows_agree_or_differ_for_a_reason() {
    FILES.check();
    TOOLS.check();
}

/// Decides a row as its own system would be asked.
fn decide(row: &Value) -> Result<(), String> {
    let args = row["args"].as_array().unwrap();
    let tool = args[0].as_str().unwrap();
    let custom: Vec<Mode> = args[2]
        .as_array()
        .unwrap()
        .iter()
        .map(|mode| serde_json::from_value(mode.clone()).unwrap())
        .collect();
    let modes = Modes::new(custom, Vec::new(), false);
    let mode = modes.get(args[1].as_str().unwrap()).ok_or("there is no such mode")?;
    // A switch that is off is a policy's `allowed: false`, which comes before the mode.
    if args.get(3).is_some_and(|switches| switches.get(tool) == Some(&Value::Bool(false))) {
        return Err(format!("Tool \"{tool}\" is not allowed in {} mode.", mode.slug));
    }
    let group = group_of(tool)?;
    let input = args.get(4).cloned().unwrap_or(Value::Null);
    let patched = input["patch"]
        .as_str()
        .and_then(|patch| patch.lines().find_map(|line| line.strip_prefix("*** Update File: ")));
    let path = input["path"].as_str().or(input["file_path"].as_str()).or(patched);
    let paths: Vec<_> =
        path.map(|path| TouchedPath { path: Some(path), written: true }).into_iter().collect();
    mode.check_named(tool, group, &paths).map_err(|error| error.to_string())
}
