//! How fast lines are decided: `cargo bench -p dogu-policy --bench decisions`.
//!
//! Two parts. Distinct lines of about 100 characters go through the analysis and an engine with
//! twenty rules, on one core and without a disk: at least 20,000 decisions a second are wanted.
//! Then lines of 64 KB, of every shape that could be more than linear: each must be decided in
//! less than 100 ms. Figures are medians of rounds that are done in turns, because machines are
//! noisy.

#![expect(clippy::print_stdout, reason = "a program for people who measure")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use dogu_policy::analysis::MAX_LINE_BYTES;
use dogu_policy::engine::Engine;
use dogu_tool::ToolSpec;
use support::decision::{Workspace, decision, engine_allowing, shell};
use support::facts::{analysis_of, judged};

const LINES: usize = 2_000;
const ROUNDS: usize = 11;

const RULES: [&str; 20] = [
    "cargo", "npm", "make", "git", "pytest", "go", "rustc", "node", "echo", "touch", "mkdir", "cp",
    "mv", "sed", "awk", "tsc", "eslint", "prettier", "ruff", "mypy",
];

/// Pieces that are repeated up to 64 KB.
const NASTY: &[&str] = &[
    "$(",
    "(",
    "{ ",
    "if a; then ",
    "`",
    "\"$(",
    "${x:-",
    "[[ ( ",
    "((",
    "! ",
    "f() { ",
    "a",
    "a ",
    "'",
    "\"\"",
    "'' ",
    "* ",
    "*",
    "[",
    "? ",
    "a;",
    "a|",
    "a&&",
    "a&",
    "a=b;",
    "cd x;",
    "cd ..;",
    "{a,b}",
    "{a,b} ",
    "{1..9}",
    "x=$x$x;",
    "x+=a;",
    "cat <<E\nE\n",
    "echo $x;",
    "cat a;",
    "echo a>b;",
    "env ",
    "sudo ",
    "xargs ",
    "nice ",
    "bash -c '",
    "eval ",
    "find . -exec ",
    "if a;then b;fi;",
    "for i in a b;do c $i;done;",
    "case a in b) c;; esac;",
    "curl a -o b;",
    "if a;then cd x;fi;",
    "if a;then v=x;else v=y;fi;cat $v;",
    "\\\n",
    "#\n",
];

/// Lines that nobody wrote twice.
fn lines() -> Vec<String> {
    let one = |n: usize| match n % 4 {
        0 => format!(
            "cd crates/c{n} && cargo test --lib -- module_{n} 2>&1 | tail -n {n} | grep -v 'test result: ok'"
        ),
        1 => format!(
            "git log --oneline -n {n} -- src/module_{n}.rs | head -20; git diff HEAD~{n} --stat -- docs/page_{n}.md"
        ),
        2 => format!(
            "for f in src/a{n}.rs src/b{n}.rs; do echo \"== $f\"; sed -n '1,{n}p' \"$f\"; done | sort -u | wc -l"
        ),
        _ => format!(
            "grep -rn \"fn name_{n}\" --include='*.rs' src tests | awk '{{print $1}}' | sort | uniq -c | tail -{n}"
        ),
    };
    (0..LINES).map(one).collect()
}

/// Three to six loops in each other, of sixteen values each.
fn loops(depth: usize) -> String {
    let values: Vec<String> = (0..16).map(|n| format!("v{n}")).collect();
    let open: String =
        (0..depth).map(|d| format!("for x{d} in {}; do ", values.join(" "))).collect();
    let all: String = (0..depth).map(|d| format!("$x{d}")).collect();
    format!("{open}cd {all}; cat {all} {all}{}", "; done".repeat(depth))
}

fn run(engine: &Engine, spec: &ToolSpec, line: &str) {
    std::hint::black_box(decision(engine, spec, judged(line, Workspace::Plain)));
}

/// What a parser of the whole grammar needs for tokens, commands and words.
fn parse_with_brush(line: &str) {
    let options = brush_parser::ParserOptions::default();
    if let Ok(tokens) = brush_parser::tokenize_str(line) {
        for token in &tokens {
            let _ = std::hint::black_box(brush_parser::word::parse(token.to_str(), &options));
        }
        let _ = std::hint::black_box(brush_parser::parse_tokens(&tokens, &options));
    }
}

fn timed(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn report_rate(engine: &Engine, spec: &ToolSpec) {
    let lines = lines();
    let bytes = lines.iter().map(String::len).sum::<usize>() / lines.len();
    let rounds = (0..=ROUNDS).map(|_| {
        let all = timed(|| lines.iter().for_each(|line| run(engine, spec, line)));
        let analysis = timed(|| {
            for line in &lines {
                std::hint::black_box(analysis_of(line));
            }
        });
        let peer = timed(|| lines.iter().for_each(|line| parse_with_brush(line)));
        (all, (analysis, peer))
    });
    // The first round only warms up.
    let (all, others): (Vec<f64>, Vec<(f64, f64)>) = rounds.skip(1).unzip();
    let (analysis, peer): (Vec<f64>, Vec<f64>) = others.into_iter().unzip();
    let rate = |seconds: f64| LINES as f64 / seconds;
    println!("distinct lines of {bytes} bytes, {} rules", RULES.len());
    println!("  decisions {:8.0} a second (target 20000)", rate(median(all)));
    let (analysis, peer) = (median(analysis), median(peer));
    println!("  analyses  {:8.0} a second", rate(analysis));
    println!(
        "  brush-parser, which only parses: {:.0} a second; an analysis takes {:.2} times its time",
        rate(peer),
        analysis / peer
    );
}

fn report_worst(engine: &Engine, spec: &ToolSpec, name: &str, line: &str) {
    let times = (0..5).map(|_| timed(|| run(engine, spec, line))).collect();
    let milliseconds = median(times) * 1e3;
    let mark = if milliseconds >= 100.0 { "  TOO SLOW" } else { "" };
    println!("  {milliseconds:8.1} ms  {:6} bytes  {name:?}{mark}", line.len());
}

fn main() {
    let names = RULES.map(str::to_owned);
    let (engine, spec) = (engine_allowing(&names), shell());
    report_rate(&engine, &spec);
    println!("64 KB of one piece (target below 100 ms)");
    for piece in NASTY {
        let line = piece.repeat(MAX_LINE_BYTES / piece.len());
        report_worst(&engine, &spec, piece, &line);
    }
    for depth in 3..=6 {
        report_worst(&engine, &spec, &format!("{depth} loops of 16 values"), &loops(depth));
    }
}
