//! How long an edit takes: `cargo bench -p dogu-edit --bench speed`.
//!
//! Files of up to 900 lines: the cases of the corruptions, all kinds of them, and the same by the
//! level at which the engine found the place. A file of 100,000 lines: an edit for each level, and
//! texts that are not there, for which every level is tried. Figures of the large file are medians.
//! It ends with 1 where a limit is passed.

#![expect(clippy::print_stdout, reason = "a program for people who measure")]
#![expect(clippy::unwrap_used, reason = "what is missing ends it")]

#[allow(dead_code, reason = "not everything is asked of a case here")]
#[path = "corruptions/cases/mod.rs"]
mod cases;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cases::corpus::{Corpus, at_hand};
use cases::judge::ask;
use dogu_edit::{Count, Edit, Outcome, apply};

const SEED: u64 = 7;
const ROUNDS: usize = 20;
const LINES: usize = 100_000;
/// The lines of one function of the large file.
const BLOCK: usize = 9;
const REPEATS: usize = 5;

const MAX_HALF: Duration = Duration::from_micros(300);
const MAX_MOST: Duration = Duration::from_millis(5);
const MAX_EXACT: Duration = Duration::from_millis(20);
const MAX_REFUSAL: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let mut within = small();
    within &= large();
    if within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// Prints a figure beside its limit, and says whether it is within.
fn check(name: &str, time: Duration, limit: Duration) -> bool {
    let verdict = if time < limit { "holds" } else { "DOES NOT HOLD" };
    println!("{name:<44} {:>12}  limit {:>12}  {verdict}", milliseconds(time), milliseconds(limit));
    time < limit
}

fn percentile(times: &mut [Duration], part: usize) -> Duration {
    times.sort();
    times[(times.len() - 1) * part / 100]
}

/// The cases of all kinds, each asked a few times, of which the median counts.
fn small() -> bool {
    let corpus = Corpus::of(&at_hand());
    let mut all = Vec::new();
    let mut levels: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for id in 0..cases::round() * ROUNDS {
        let Some(case) = cases::case(&corpus, SEED, id) else { continue };
        let mut times = Vec::new();
        let mut level = String::new();
        for _ in 0..3 {
            let begun = Instant::now();
            let (answer, found) = ask(&case);
            times.push(begun.elapsed());
            level = if answer.is_err() { "refused".to_owned() } else { found };
        }
        let time = percentile(&mut times, 50);
        all.push(time);
        levels.entry(level).or_default().push(time);
    }
    println!("files of up to 900 lines, {} cases", all.len());
    for (level, mut times) in levels {
        let (half, most) = (percentile(&mut times, 50), percentile(&mut times, 99));
        let (half, most) = (milliseconds(half), milliseconds(most));
        println!("  {level:<20} {:>5} cases  p50 {half:>10}  p99 {most:>10}", times.len());
    }
    let half = check("p50 over all", percentile(&mut all, 50), MAX_HALF);
    check("p99 over all", percentile(&mut all, 99), MAX_MOST) && half
}

/// A file of functions that are alike but for their numbers.
fn file() -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.lines().count() < LINES {
        for _ in 0..LINES / 80 {
            text.push_str(&format!(
                "    /// The step with the number {number}, after which others follow.\n\
                 \x20   pub fn step_{number}(&mut self, input: &str) -> Option<usize> {{\n\
                 \x20       let found = self.rest.find(input)?;\n\n\
                 \x20       // What was found counts by its number.\n\
                 \x20       self.total += found * {number};\n\
                 \x20       self.log(\"step {number}\");\n\
                 \x20       Some(found)\n\
                 \x20   }}\n"
            ));
            number += 1;
        }
    }
    text
}

/// The function with a number as the file has it, from its comment to its end.
fn block(content: &str, number: usize) -> String {
    let begin = content.find(&format!("    /// The step with the number {number},")).unwrap();
    content[begin..].split_inclusive('\n').take(BLOCK).collect()
}

/// Texts that have a place in the large file, each found in another way.
fn placed(block: &str) -> Vec<(&'static str, String)> {
    let lines = |form: fn(&str) -> String| -> String {
        block.lines().map(|line| form(line) + "\n").collect()
    };
    vec![
        ("exact", block.to_owned()),
        ("blank edges", format!("\n\n{block}\n\n")),
        ("trailing blanks", lines(|line| format!("{line}  "))),
        ("curly quotes", block.replace('"', "\u{201d}")),
        ("no indent", lines(|line| line.trim_start().to_owned())),
        ("spaces within", block.replace(" = ", "=")),
        ("CRLF", block.replace('\n', "\r\n")),
        ("blank line dropped", block.replace("\n\n", "\n")),
        ("comment dropped", without(block, "// What")),
        ("dots", without(&block.replace("self.log", "// ...\n        self.log"), "self.log")),
        ("a typo", block.replace("Option", "Optoin")),
        ("line wrapped", block.replace(" -> ", "\n            -> ")),
    ]
}

/// A text without the lines that have some words.
fn without(text: &str, words: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.contains(words)).collect()
}

/// Texts that have none: every level has to be tried.
fn absent(block: &str) -> Vec<(&'static str, String)> {
    let other = |form: fn(usize, &str) -> String| -> String {
        block.lines().enumerate().map(|(at, line)| form(at, line) + "\n").collect()
    };
    vec![
        ("one word", "nowhere_to_be_found".to_owned()),
        ("a line", "    let nowhere = self.nothing(to, be, found);\n".to_owned()),
        ("a block of other words", other(|at, _| format!("    nowhere_{at}(to, be, found);"))),
        (
            "right ends, other middle",
            other(|at, line| {
                if (2..6).contains(&at) {
                    format!("        other_{at}(words);")
                } else {
                    line.to_owned()
                }
            }),
        ),
        ("every line a little different", other(|_, line| line.replace('e', "ee"))),
        ("forty lines of it", other(|_, line| line.replace('o', "oo")).repeat(5)),
    ]
}

fn large() -> bool {
    let content = file();
    let number = content.lines().count() / BLOCK * 9 / 10;
    let block = block(&content, number);
    println!("\na file of {} lines, {:.1} MB", content.lines().count(), mega(content.len()));
    let mut within = true;
    for (name, old) in placed(&block) {
        let new = old.replace("Some(found)", "Some(found + 1)");
        let (time, answer) = timed(&content, &old, &new);
        let name = format!("{name}: {answer}");
        if old == block {
            within &= check(&name, time, MAX_EXACT);
        } else {
            println!("{name:<44} {:>12}", milliseconds(time));
        }
    }
    for (name, old) in absent(&block) {
        let (time, answer) = timed(&content, &old, "something = else;\n");
        within &= check(&format!("not there, {name}: {answer}"), time, MAX_REFUSAL);
    }
    within
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// The median time of an edit, and how it came out.
fn timed(content: &str, old: &str, new: &str) -> (Duration, String) {
    let mut times = Vec::new();
    let mut answer = String::new();
    for _ in 0..REPEATS {
        let edit = Edit { old, new, count: Count::One, line: None };
        let begun = Instant::now();
        let outcome = apply(content, &edit);
        times.push(begun.elapsed());
        answer = match outcome {
            Ok(Outcome::Applied(applied)) => applied.level.name().to_owned(),
            Ok(Outcome::AlreadyApplied { .. }) => "already applied".to_owned(),
            Err(_) => "refused".to_owned(),
        };
    }
    (percentile(&mut times, 50), answer)
}
