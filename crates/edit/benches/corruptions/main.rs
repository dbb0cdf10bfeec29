//! How often the engine is right, wrong, or refuses: `cargo bench -p dogu-edit --bench corruptions`.
//!
//! Real files of at least six languages, a change that somebody wants of each, and the texts for
//! it as models send them: from memory. `-- --seed N` makes other cases, `--cases N` more of them,
//! `--files DIR` takes files of that folder too, `--show KIND` prints cases of it that did not
//! come out well, `--emit FILE` writes all cases as lines of JSON for other engines. It ends with 1
//! where the floors do not hold.

#![expect(clippy::print_stdout, reason = "a program for people who measure")]
#![expect(clippy::unwrap_used, reason = "what is missing ends it")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

mod cases;
mod report;

use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use cases::corpus::{Corpus, at_hand};
use cases::judge::{Answer, Verdict, ask, exact_only, judge};
use cases::{Case, case};
use report::{MIN_CASES, Report};

/// A hundred of each kind, so that one that is wrong is one in a hundred.
const CASES: usize = 9_000;
/// So much of a text is shown, and so many cases of a kind.
const SHOWN: usize = 1_200;
const SHOWN_OF_KIND: usize = 3;

struct Options {
    seed: u64,
    cases: usize,
    files: Vec<PathBuf>,
    show: Vec<String>,
    emit: Option<PathBuf>,
}

fn options() -> Options {
    let mut options =
        Options { seed: 1, cases: CASES, files: Vec::new(), show: Vec::new(), emit: None };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_else(|| panic!("{arg} needs a value"));
        match arg.as_str() {
            "--seed" => options.seed = value().parse().unwrap(),
            "--cases" => options.cases = value().parse().unwrap(),
            "--files" => options.files.push(value().into()),
            "--show" => options.show.push(value()),
            "--emit" => options.emit = Some(value().into()),
            "--bench" => {}
            other => panic!("there is no option {other}"),
        }
    }
    options
}

fn main() -> ExitCode {
    let options = options();
    let corpus = Corpus::of(&[at_hand(), options.files.clone()].concat());
    let sizes: Vec<String> =
        corpus.sizes().iter().map(|(language, count)| format!("{language:?} {count}")).collect();
    println!("seed {}, files: {}", options.seed, sizes.join(", "));
    let mut emit = options.emit.as_ref().map(|path| std::fs::File::create(path).unwrap());
    let mut report = Report::default();
    let mut missing = 0;
    let mut shown: HashMap<String, usize> = HashMap::new();
    for id in 0..options.cases {
        let Some(case) = case(&corpus, options.seed, id) else {
            missing += 1;
            continue;
        };
        if let Some(file) = &mut emit {
            writeln!(file, "{}", line(&case)).unwrap();
        }
        let begun = Instant::now();
        let (answer, level) = ask(&case);
        let took = begun.elapsed();
        let verdict = judge(&case, &answer);
        report.add(&case, verdict, judge(&case, &exact_only(&case)), took);
        let asked = options.show.iter().any(|kind| case.kind.contains(kind.as_str()));
        if asked && !verdict.is_good(case.class) {
            let count = shown.entry(case.kind.clone()).or_insert(0);
            *count += 1;
            if *count <= SHOWN_OF_KIND {
                show(&case, verdict, &answer, &level);
            }
        }
    }
    println!("{}", report.table());
    if missing > 0 {
        println!("{missing} cases could not be made");
    }
    let mut failures = report.failures();
    if options.cases < MIN_CASES {
        failures.push(format!("{} cases are fewer than {MIN_CASES}", options.cases));
    }
    for failure in &failures {
        println!("does not hold: {failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A case for other engines.
fn line(case: &Case) -> String {
    let accepted = if case.accepted.is_empty() { None } else { Some(&case.accepted) };
    serde_json::json!({
        "id": case.id,
        "kind": case.kind,
        "class": format!("{:?}", case.class),
        "origin": format!("{:?}", case.origin),
        "path": case.path,
        "content": case.content,
        "old": case.old,
        "new": case.new,
        "replace_all": case.replace_all,
        "accepted": accepted,
    })
    .to_string()
}

fn show(case: &Case, verdict: Verdict, answer: &Answer, level: &str) {
    let cut = |text: &str| text.chars().take(SHOWN).collect::<String>();
    println!("=== {} #{} {verdict:?} {level} {}", case.kind, case.id, case.path);
    println!("--- old\n{}\n--- new\n{}", cut(&case.old), cut(&case.new));
    let from = case.lines.start.saturating_sub(2);
    let count = case.lines.len() + 6;
    let around = |text: &str| -> String {
        text.split('\n').skip(from).take(count).map(|line| format!("{line:?}\n")).collect()
    };
    println!("--- file, from line {}\n{}", from + 1, around(&case.content));
    if let Some(accepted) = case.accepted.first() {
        println!("--- right\n{}", around(accepted));
    }
    match answer {
        Ok(result) => println!("--- result\n{}", around(result)),
        Err(reason) => println!("--- refused: {}", cut(reason)),
    }
}
