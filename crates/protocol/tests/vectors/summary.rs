//! `docs/VECTORS.md` says what the comparisons come to.

use std::path::Path;

use crate::rows::{Comparison, Count};
use crate::{
    continue_args, continue_deltas, continue_json, continue_text, roo_native, roo_schema, roo_xml,
};

/// The files, in the order of the document.
pub(crate) const ALL: [&Comparison; 7] = [
    &roo_xml::COMPARISON,
    &roo_native::COMPARISON,
    &roo_schema::COMPARISON,
    &continue_text::COMPARISON,
    &continue_deltas::COMPARISON,
    &continue_args::COMPARISON,
    &continue_json::COMPARISON,
];

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/VECTORS.md");
    std::fs::read_to_string(path).unwrap()
}

/// The rows of the table `file | rows | agree | differ`.
fn table(document: &str) -> Vec<(String, Count)> {
    let rows = document.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [file, rows, agree, differ] = cells.as_slice() else { return None };
        let number = |cell: &str| cell.parse().ok();
        let count = Count { rows: number(rows)?, agree: number(agree)?, differ: number(differ)? };
        Some((file.trim_matches('`').to_owned(), count))
    });
    rows.collect()
}

/// The differences that the document tells of a file: the row's name in each line of its list.
fn told<'d>(document: &'d str, file: &str) -> Vec<&'d str> {
    let lines = document.lines().skip_while(|line| *line != format!("### `{file}`")).skip(1);
    let section = lines.take_while(|line| !line.starts_with('#'));
    section
        .filter_map(|line| line.strip_prefix("- `")?.split_once('`'))
        .map(|(row, _)| row)
        .collect()
}

#[test]
fn the_document_states_the_numbers() {
    let counted: Option<Vec<(String, Count)>> =
        ALL.iter().map(|all| Some((all.file.to_owned(), all.check()?))).collect();
    if let Some(counted) = counted {
        assert_eq!(table(&document()), counted);
    }
}

/// This needs no vectors: the table and the lists are checked against the tables of the tests.
#[test]
fn the_document_tells_each_difference() {
    let document = document();
    let stated = table(&document);
    assert_eq!(stated.len(), ALL.len());
    for (comparison, (file, count)) in ALL.iter().zip(stated) {
        let known: Vec<&str> = comparison.different.iter().map(|(row, _)| *row).collect();
        assert_eq!(file, comparison.file);
        assert_eq!(told(&document, &file), known, "{file}");
        assert_eq!((count.differ, count.rows), (known.len(), count.agree + known.len()), "{file}");
    }
}
