//! SEARCH/REPLACE blocks.

use dogu_edit::blocks::{apply, parse};
use serde_json::Value;

use crate::rows::{Comparison, Difference, Verdict, same};

pub(crate) const ALL: [Comparison; 1] = [Comparison {
    file: "edit/roo-multi-search-replace.json",
    compare: row_of_blocks,
    different: &ROO,
}];

const ROO: [(&str, &str); 2] = [
    (
        "multi_search_replace-0031",
        "theirs writes the indent of a line that nobody changed anew; here the file's stays",
    ),
    (
        "multi_search_replace-0038",
        "theirs takes the middle one of several matches; here they are named and refused",
    ),
];

/// `diff` and whether its markers are right, or also `original` and what becomes of it.
fn row_of_blocks(row: &Value) -> Verdict {
    let parsed = parse(row["diff"].as_str().unwrap()).map_err(|error| error.to_string());
    let answer = match row["original"].as_str() {
        None => parsed.map(|_| String::new()),
        Some(original) => parsed.and_then(|blocks| {
            apply(original, &blocks).map(|applied| applied.text).map_err(|failures| {
                failures.iter().map(ToString::to_string).collect::<Vec<String>>().join("; ")
            })
        }),
    };
    match (row["success"] == true, answer) {
        (true, Ok(text)) => same(row["expected"].as_str().unwrap_or_default(), &text),
        (false, Err(_)) => Ok(()),
        (true, Err(reason)) => {
            Err(Difference::Other(format!("expected success\n     got refused: {reason}")))
        }
        (false, Ok(text)) => {
            Err(Difference::Other(format!("expected an error\n     got {text:?}")))
        }
    }
}
