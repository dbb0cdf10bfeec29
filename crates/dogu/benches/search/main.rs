//! `grep` beside ripgrep and `glob` beside fd, on a tree of more than 20,000 files:
//! `make bench-search`, or `cargo bench -p dogu --bench search -- ROUNDS NAME` for those searches
//! whose name has a word in it.
//!
//! In each round every contestant does the same search once, in turns; a ratio is the median over
//! the rounds of the two times of one round, because the machine is noisy. Before anything is
//! timed it is checked that all of them find equally much; the cache is warm from that.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for people who measure")]

mod contest;
mod peers;
mod tree;

use contest::Contest;
use peers::{Engine, fd, rg};
use serde_json::{Value, json};

const DEFAULT_ROUNDS: usize = 21;
/// At the most so many times as long as the peer.
const CALL_TARGET: f64 = 1.15;
const IN_PROCESS_TARGET: f64 = 1.0;

/// A name, a pattern, and whether it spans lines.
const SEARCHES: [(&str, &str, bool); 4] = [
    ("rare word", "hash_many_avx512", false),
    ("common word", "self", false),
    ("regex with a class", r"[A-Z][a-z]+Error::[a-z_]+\(", false),
    ("multi-line", r"#\[derive\([^)]*\)\]\s*pub struct", true),
];

fn main() {
    let rounds = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(DEFAULT_ROUNDS);
    let wanted = std::env::args().skip(1).rfind(|word| word.chars().all(char::is_alphabetic));
    let wanted = wanted.unwrap_or_default();
    let tree = tree::make();
    let engine = Engine::new(&tree.root);
    println!("{} files, {} MB; medians of {rounds} rounds", tree.files, tree.bytes / 1_000_000);
    println!("{:50} {:>9} {:>9} {:>9} {:>7} {:>7}", "", "peer", "call", "inside", "call", "inside");
    let mut held = true;
    for (name, pattern, multi_line) in SEARCHES {
        for mode in ["files_with_matches", "content"] {
            let contest = Contest {
                name: format!("grep, {name}, {mode}"),
                peer: &|| rg(&tree.root, pattern, multi_line, mode),
                tool: "grep",
                input: search(pattern, multi_line, mode),
            };
            held &= !contest.name.contains(&wanted) || contest.run(&engine, rounds);
        }
    }
    for (name, pattern) in [("all Rust files", "**/*.rs"), ("one name", "**/lib.rs")] {
        let contest = Contest {
            name: format!("glob, {name}"),
            peer: &|| fd(&tree.root, pattern),
            tool: "glob",
            input: json!({"pattern": pattern}),
        };
        held &= !contest.name.contains(&wanted) || contest.run(&engine, rounds);
    }
    println!(
        "targets (`dogu call` at most {CALL_TARGET} of rg or fd, `grep` inside at most {IN_PROCESS_TARGET} of rg): {}",
        if held { "held" } else { "not held" }
    );
}

fn search(pattern: &str, multi_line: bool, mode: &str) -> Value {
    json!({"pattern": pattern, "multiline": multi_line, "output_mode": mode})
}
