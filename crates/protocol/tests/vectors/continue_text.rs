//! Continue's fenced `tool` blocks, which it reads line by line.
//!
//! A row is one piece of a block and what the line machine said to it, so that most of a block
//! is not in the rows. Each recorded test is rebuilt as one block: what its lost pieces must have
//! said, the pieces of its rows, and the rest of a block.
//!
//! What is compared: a piece to which Continue says nothing makes no event; a name is the name of
//! the call that the piece starts; `}` is the end of the call. Continue writes the arguments in
//! pieces of JSON as it goes, where dogu gives the value once the call is whole, so such a piece
//! must be in the JSON of the call that comes of the block.

use std::sync::Arc;

use dogu_protocol::Tools;
use serde_json::Value;

use crate::events::{Seen, calls, read_text, text_tools};
use crate::rows::{Comparison, Verdict};

pub(crate) const COMPARISON: Comparison =
    Comparison { file: "continue-text-tools.json", compare, different: &DIFFERENT };

const DIFFERENT: [(&str, &str); 2] = [
    ("call 13", "theirs holds a value back until its end; here it is shown as it comes"),
    ("call 32", "a blank line ends their call; here only the closing fence does"),
];

#[test]
fn continue_text_rows_agree_or_differ_for_a_reason() {
    COMPARISON.check();
}

/// What stood before the pieces of a test, and what would have followed. `{}` is what the row
/// expects, without the quotes of a text: where a line was not recorded, that is what it said.
const BLOCKS: [(&str, &str, &str); 8] = [
    ("handles the ```tool\ntool_name the name", "```tool\nTOOL_NAME: {}", "```\n"),
    ("handles case-insensitive tool name line", "```tool\n", "```\n"),
    (
        "begins an argument correctly",
        "```tool\nTOOL_NAME: my_name\nBEGIN_ARG: test_arg",
        "a value\nEND_ARG\n```\n",
    ),
    (
        "handles case-insensitive begin arg",
        "```tool\nTOOL_NAME: my_name\n",
        "a value\nEND_ARG\n```\n",
    ),
    (
        "collects arg value lines",
        "```tool\nTOOL_NAME: my_name\nBEGIN_ARG: test_arg\na line",
        "END_ARG\n```\n",
    ),
    (
        "handles case-insensitive end arg",
        "```tool\nTOOL_NAME: my_name\nBEGIN_ARG: test_arg\n{}\n",
        "```\n",
    ),
    (
        "handles multiple arguments",
        "```tool\nTOOL_NAME: my_name\nBEGIN_ARG: first\nvalue1\nEND_ARG\n\
         BEGIN_ARG: second\n{}\nEND_ARG",
        "```\n",
    ),
    (
        "finalizes on newline after all args processed",
        "```tool\nTOOL_NAME: my_name\nBEGIN_ARG: test_arg\na value\nEND_ARG\n",
        "```\n",
    ),
];

fn compare(row: &Value, rows: &[Value]) -> Verdict {
    let of_test: Vec<&Value> = rows.iter().filter(|other| other["test"] == row["test"]).collect();
    let place = of_test.iter().position(|other| *other == row).unwrap();
    let chunks = chunks(&of_test);
    let events = read_text(&tools(), chunks.iter().map(String::as_str));
    judge(&row["expected"], &events[place + 1], &events.concat())
}

pub(crate) fn tools() -> Arc<Tools> {
    text_tools(&[("my_name", &["test_arg", "first", "second"]), ("test_tool", &["test_arg"])])
}

/// The block of each test.
pub(crate) fn blocks(rows: &[Value]) -> Vec<String> {
    let tests = rows.chunk_by(|row, next| row["test"] == next["test"]);
    tests.map(|of_test| chunks(&of_test.iter().collect::<Vec<_>>()).concat()).collect()
}

/// The start of a test's block, its pieces and its end.
fn chunks(of_test: &[&Value]) -> Vec<String> {
    let (before, after) = around(of_test);
    let mut chunks = vec![before];
    chunks.extend(of_test.iter().map(|row| row["args"][0].as_str().unwrap().to_owned()));
    chunks.push(after.to_owned());
    chunks
}

/// The block around the pieces of a test.
fn around(of_test: &[&Value]) -> (String, &'static str) {
    let test = of_test[0]["test"].as_str().unwrap();
    let (_, before, after) = BLOCKS.iter().find(|(name, _, _)| *name == test).unwrap();
    let function = &of_test.last().unwrap()["expected"]["function"];
    let expected = ["name", "arguments"].map(|key| function[key].as_str().unwrap_or_default());
    (before.replace("{}", expected.concat().trim_matches('"')), after)
}

/// Whether the events of a piece, and all of them, are what the row expects.
fn judge(expected: &Value, events: &[Seen], all: &[Seen]) -> Verdict {
    let agrees = match (expected["function"]["name"].as_str(), json_piece(expected)) {
        (None, _) => events.is_empty(),
        (Some(name), "") => matches!(events, [Seen::Started(0, _, started)] if started == name),
        (_, "}") => matches!(events, [Seen::Ended(..)]),
        (_, piece) => matches!(&*calls(all), [(_, input)] if input.to_string().contains(piece)),
    };
    if agrees {
        Ok(())
    } else {
        Err(format!("expected {expected}\n     got {events:?} of {all:?}"))
    }
}

fn json_piece(expected: &Value) -> &str {
    expected["function"]["arguments"].as_str().unwrap_or_default()
}
