//! `docs/VECTORS.md` says what the comparisons come to.
//!
//! Its section about decisions is made from the tables of the tests; what is expected is told
//! whole where it differs, to be put there.

use std::fmt::Write as _;
use std::path::Path;

use crate::rows::{Comparison, Count, Outcome};
use crate::{codex, continue_checker, continue_terminal, roo_commands, roo_modes};

/// The files, in the order of the document.
const ALL: [&Comparison; 9] = [
    &codex::SAFE,
    &codex::DANGEROUS,
    &codex::WORDS,
    &continue_terminal::COMPARISON,
    &roo_commands::DECISIONS,
    &roo_commands::PROBES,
    &continue_checker::COMPARISON,
    &roo_modes::FILES,
    &roo_modes::TOOLS,
];

const TABLE: &str = "\
| file | rows | agree | allowed here | asked here | stricter here | otherwise | not asked |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/VECTORS.md");
    std::fs::read_to_string(path).unwrap()
}

fn table(counts: &[Count]) -> String {
    let mut text = TABLE.to_owned();
    for (comparison, count) in ALL.iter().zip(counts) {
        let Count { rows, agree, allowed, asked, stricter, otherwise, not_asked } = count;
        writeln!(
            text,
            "| `{}` | {rows} | {agree} | {allowed} | {asked} | {stricter} | {otherwise} | {not_asked} |",
            comparison.file
        )
        .unwrap();
    }
    text
}

/// What the document says of a file.
fn section(comparison: &Comparison) -> String {
    let mut text = format!("### `{}`\n\n{}\n", comparison.file, comparison.about);
    for (outcome, table) in comparison.tables() {
        for (at, (reason, names)) in table.iter().enumerate() {
            let before = if at == 0 { format!("\n{}:\n\n", title(outcome)) } else { String::new() };
            let names: Vec<String> = names.iter().map(|name| code(name)).collect();
            writeln!(text, "{before}- {}: {reason}.", names.join(", ")).unwrap();
        }
    }
    text
}

fn title(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allowed => "Allowed here",
        Outcome::Asked => "Asked about here, refused there",
        Outcome::Stricter => "Stricter here",
        Outcome::Agree | Outcome::Otherwise | Outcome::NotAsked => "Otherwise",
    }
}

/// A text as code, whatever backticks are in it.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

#[test]
fn the_document_states_the_numbers_of_the_decisions() {
    let counts: Option<Vec<Count>> = ALL.iter().map(|comparison| comparison.check()).collect();
    if let Some(counts) = counts {
        let wanted = table(&counts);
        assert!(document().contains(&wanted), "docs/VECTORS.md does not have:\n{wanted}");
    }
}

/// This needs no vectors: the lists are checked against the tables of the tests.
#[test]
fn the_document_tells_each_difference_of_the_decisions() {
    let wanted: Vec<String> = ALL.iter().map(|comparison| section(comparison)).collect();
    let wanted = wanted.join("\n");
    assert!(document().contains(&wanted), "docs/VECTORS.md does not have:\n{wanted}");
}

/// Whatever else differs: a line that the authors would not let run unasked does so here only
/// where the tables say why, and these are few.
#[test]
fn few_lines_are_allowed_that_others_ask_about() {
    let commands = ALL.iter().filter(|comparison| comparison.file.starts_with("commands/"));
    let allowed: usize =
        commands.flat_map(|comparison| comparison.allowed).map(|(_, names)| names.len()).sum();
    assert!(allowed <= 25, "{allowed}");
}
