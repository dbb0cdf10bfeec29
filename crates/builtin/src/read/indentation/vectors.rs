//! What Roo Code's reader of blocks was tested with, asked of this one. `docs/VECTORS.md` says
//! how the rows come out.

#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::path::Path;

use serde_json::{Value, json};

use super::{Block, effective_levels, grow, is_blank, level};

/// How many folders up the vectors may lie.
const LEVELS: usize = 6;
const FILE: &str = "misc/roo-indentation-reader.json";
/// The rows that differ on purpose; the document tells why.
const DIFFERENT: [&str; 3] =
    ["indentation_reader-0015", "indentation_reader-0016", "indentation_reader-0021"];

fn rows() -> Option<Vec<Value>> {
    let mut parents = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().take(LEVELS + 1);
    let Some(file) = parents.find_map(|parent| {
        let file = parent.join("shared/vectors").join(FILE);
        file.is_file().then_some(file)
    }) else {
        println!("not run: the vectors were not found");
        return None;
    };
    Some(serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap())
}

/// The lines of a text as a file has them: an end of the last one starts no other.
fn lines(text: &Value) -> Vec<&str> {
    text.as_str().unwrap().lines().collect()
}

fn parsed(text: &Value) -> Value {
    let lines = lines(text);
    let records = lines.iter().enumerate().map(|(n, line)| {
        json!({"lineNumber": n + 1, "content": line, "indentLevel": level(line), "isBlank": is_blank(line)})
    });
    records.collect()
}

fn without_block_start(records: &Value) -> Value {
    let mut records = records.clone();
    for record in records.as_array_mut().unwrap() {
        record.as_object_mut().unwrap().remove("isBlockStart");
    }
    records
}

fn levels(records: &Value) -> Value {
    let records = records.as_array().unwrap();
    let texts: Vec<&str> = records.iter().map(|r| r["content"].as_str().unwrap()).collect();
    json!(effective_levels(&texts))
}

/// The ranges that are shown; none for an anchor that is no line.
fn ranges(text: &Value, options: &Value) -> Value {
    let lines = lines(text);
    let number = |name: &str| options[name].as_u64();
    let anchor = number("anchorLine").unwrap();
    if anchor == 0 || anchor > lines.len() as u64 {
        return json!([]);
    }
    let most = [number("limit"), number("maxLines")].into_iter().flatten().min().unwrap_or(2_000);
    let block = Block {
        anchor,
        max_levels: usize::try_from(number("maxLevels").unwrap_or(0)).unwrap(),
        siblings: options["includeSiblings"].as_bool().unwrap_or(false),
        header: options["includeHeader"].as_bool().unwrap_or(true),
        most,
    };
    let at = usize::try_from(anchor - 1).unwrap();
    let range = grow(&lines, at, &block, usize::try_from(most).unwrap());
    json!([[range.start + 1, range.end]])
}

fn agrees(row: &Value) -> bool {
    let (first, result) = (&row["args"][0], &row["result"]);
    match row["fn"].as_str().unwrap() {
        "parseLines" => parsed(first) == without_block_start(result),
        "computeEffectiveIndents" => levels(first) == *result,
        "readWithIndentation" => ranges(first, &row["args"][1]) == result["includedRanges"],
        _ => false,
    }
}

#[test]
fn blocks_are_those_of_roo_code() {
    for row in rows().unwrap_or_default() {
        let name = row["id"].as_str().unwrap();
        assert_eq!(agrees(&row), !DIFFERENT.contains(&name), "{row:#}");
    }
}

#[test]
fn the_document_states_the_numbers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/VECTORS.md");
    let document = std::fs::read_to_string(path).unwrap();
    for name in DIFFERENT {
        assert!(document.contains(&format!("- `{name}`")), "{name}");
    }
    if let Some(rows) = rows() {
        let differ = DIFFERENT.len();
        let line = format!(
            "`{FILE}`: {} rows, {} agree, {differ} differ",
            rows.len(),
            rows.len() - differ
        );
        assert!(document.contains(&line), "{line}");
    }
}
