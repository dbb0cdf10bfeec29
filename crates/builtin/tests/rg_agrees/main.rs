//! `grep` finds what ripgrep finds: every combination is searched for by both, in the same real
//! tree, and the lines are compared.
//!
//! What differs on purpose, and is taken into account here:
//! - files that may hold secrets are left out of a walk; `tree.rs` proves that nothing else is;
//! - a glob does not bring back what git ignores;
//! - a line of more than 500 bytes is cut around its match, and the end of a line (`\r\n`) is
//!   never shown;
//! - a file that is binary from some place on gets a note, where rg prints a warning;
//! - a page has 80,000 bytes at the most, so the pages of a call are put together first.

#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod combinations;
mod ours;
mod rg;
mod tree;

use combinations::Combination;
use ours::Answer;
use rg::Expected;
use tree::Tree;

/// Pages of one call that are put together.
const MAX_PAGES: usize = 2;

#[test]
#[ignore = "needs ripgrep"]
fn f18_every_combination_of_options_finds_the_lines_that_rg_finds() {
    let tree = Tree::new();
    let combinations = combinations::all();
    assert!(combinations.len() >= 200, "{} combinations", combinations.len());
    let mut problems = 0;
    let (mut matching, mut lines) = (0, 0);
    for combination in &combinations {
        let expected = rg::search(&tree, combination);
        matching += usize::from(!expected.entries.is_empty());
        lines += expected.entries.len();
        if let Err(problem) = compare(&tree, combination, &expected) {
            eprintln!("{combination:?}\n{problem}\n");
            problems += 1;
        }
    }
    assert_eq!(problems, 0, "of {} differ", combinations.len());
    // A comparison of nothing with nothing would agree, too.
    assert!(matching >= 200, "only {matching} find something");
    assert!(lines > 100_000, "only {lines} lines");
}

#[test]
#[ignore = "needs ripgrep"]
fn f18_the_files_that_are_searched_are_those_of_rg() {
    let tree = Tree::new();
    let files = rg::files(&tree, &[]).len();
    let answer = ours::search(&tree, &serde_json::json!({"pattern": "^", "output_mode": "count"}));
    let (searched, binary) = (answer.searched(), answer.binary());
    assert!(files > 1_000 && binary > 1, "{}", answer.text);
    assert_eq!(searched + binary, files, "{}", answer.text);
}

/// What differs, if anything.
fn compare(tree: &Tree, combination: &Combination, expected: &Expected) -> Result<(), String> {
    let mut offset = combination.offset;
    let mut seen = 0;
    let last = match combination.limit {
        0 => expected.entries.len(),
        limit => (offset + limit).min(expected.entries.len()),
    };
    for _ in 0..MAX_PAGES {
        let limit = if combination.limit == 0 { 0 } else { combination.limit - seen };
        let answer = ours::search(tree, &combination.input(offset, limit));
        check_totals(&answer, combination, expected)?;
        let page = expected.page(offset, last, answer.entries.len());
        same(&answer.entries, &page)?;
        let shown = answer.entries.iter().filter(|entry| *entry != "--").count();
        (offset, seen) = (offset + shown, seen + shown);
        if offset >= last {
            return Ok(());
        }
        if shown == 0 {
            return Err(format!("nothing after {offset} of {last}: {}", answer.text));
        }
    }
    Ok(())
}

fn check_totals(
    answer: &Answer,
    combination: &Combination,
    expected: &Expected,
) -> Result<(), String> {
    let (entries, files) = (answer.total(combination), answer.files());
    if (entries, files) == (expected.entries.len(), expected.files()) {
        return Ok(());
    }
    let wanted = (expected.entries.len(), expected.files());
    Err(format!("{:?} entries and files instead of {wanted:?}: {}", (entries, files), answer.text))
}

fn same(ours: &[String], theirs: &[String]) -> Result<(), String> {
    for (at, (our, their)) in ours.iter().zip(theirs).enumerate() {
        if our != their && !is_cut_of(our, their) {
            return Err(format!("entry {at}:\n ours   {our:?}\n theirs {their:?}"));
        }
    }
    if ours.len() == theirs.len() {
        return Ok(());
    }
    Err(format!("{} entries instead of {}", ours.len(), theirs.len()))
}

/// A long line, of which we show a part.
fn is_cut_of(our: &str, their: &str) -> bool {
    let mut parts = our.split('…').filter(|part| !part.is_empty());
    let mut from = 0;
    their.len() > 500
        && our.contains('…')
        && parts.all(|part| match their[from..].find(part) {
            Some(at) => {
                from += at + part.len();
                true
            }
            None => false,
        })
}
