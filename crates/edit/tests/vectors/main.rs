//! What other agents' edits and patches were tested with, asked of dogu's.
//!
//! The recorded rows are not part of the project: where they are not found, nothing is checked,
//! and the test says so. Each comparison has a table of the rows that differ on purpose and why; a
//! row that differs without a reason fails, and so does a reason that is no longer needed. Rows
//! that ask something else than this crate answers (a file that is missing, the types of a tool's
//! arguments) are counted apart.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod blocks;
mod edits;
mod patches;
mod rows;

use rows::Count;

/// The table of agreement: `cargo test -p dogu-edit --test vectors -- --nocapture`.
#[test]
fn all_files_agree_or_differ_for_a_reason() {
    println!("{:<38} {:>5} {:>6} {:>7} {:>10}", "file", "rows", "agree", "differ", "not asked");
    let mut faults = Vec::new();
    for comparison in edits::ALL.iter().chain(&blocks::ALL).chain(&patches::ALL) {
        let file = comparison.file;
        let Some((count, found)) = comparison.check() else {
            println!("{file:<38} not run: the vectors were not found");
            continue;
        };
        let Count { rows, agree, differ, not_asked } = count;
        println!("{file:<38} {rows:>5} {agree:>6} {differ:>7} {not_asked:>10}");
        faults.extend(found);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
