//! The truth about the suites: what is allowed runs in a real bash, and does nothing that the
//! analysis did not name.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "../support/mod.rs"]
mod support;

mod sandbox;
mod soup;
mod trace;

use std::fmt::Write as _;

use sandbox::{Run, run};
use support::decision::{Expected, PROJECT, allowed};
use support::suite::{everyday, hostile};

/// Files that everybody may open for writing.
const FREE: [&str; 2] = ["/dev/null", "/dev/tty"];
/// Where bash keeps a here-document that is too long for a pipe.
const HERE_DOCUMENTS: &str = "/tmp/sh-thd";

/// So many random lines are made, and of the allowed ones so many run.
const SOUP: usize = 60_000;
const SOUP_RUN: usize = 400;

/// What a line did that it was not expected to do.
fn surprises(run: &Run, expected: &Expected) -> Vec<String> {
    let seen = &run.observed;
    let programs =
        seen.programs.difference(&expected.programs).map(|name| format!("starts {name}"));
    let writes = seen.writes.iter().filter(|path| !may_write(path, expected));
    let writes = writes.map(|path| format!("writes {path}"));
    let network = seen.network.iter().map(|peer| format!("speaks to {peer}"));
    let untraced = (!seen.traced).then(|| "was not traced".to_owned());
    let stopped = (run.status == 137).then(|| "did not end".to_owned());
    programs.chain(writes).chain(network).chain(untraced).chain(stopped).collect()
}

fn may_write(path: &str, expected: &Expected) -> bool {
    FREE.contains(&path) || path.starts_with(HERE_DOCUMENTS) || expected.writes.contains(path)
}

/// All lines that did what they should not, each with what that was.
fn report(runs: &[Run], expected: &[Expected]) -> String {
    let told = |(run, expected): (&Run, &Expected)| -> Vec<String> {
        let surprises = surprises(run, expected);
        surprises.iter().map(|surprise| format!("  {:?} {surprise}\n", run.line)).collect()
    };
    runs.iter().zip(expected).flat_map(told).collect()
}

#[test]
#[ignore = "needs what scripts/setup-sandbox installs; make test runs it"]
fn what_is_allowed_does_what_the_analysis_says() {
    let lines = everyday().into_iter().chain(hostile().into_iter().map(|case| case.line));
    // A line with a NUL byte cannot be handed to a shell.
    let lines = lines.filter(|line| !line.contains('\0'));
    let (lines, expected): (Vec<String>, Vec<Expected>) =
        lines.filter_map(|line| allowed(&line).map(|expected| (line, expected))).unzip();
    assert!(lines.len() >= 300, "only {} lines are allowed", lines.len());
    let text = report(&run(&lines), &expected);
    assert!(text.is_empty(), "allowed lines did more than they said:\n{text}");
}

/// Lines nobody wrote: pieces of the grammar in any order, around a command that writes.
#[test]
#[ignore = "needs what scripts/setup-sandbox installs; make test runs it"]
fn what_is_allowed_of_random_lines_does_what_the_analysis_says() {
    let (lines, expected): (Vec<String>, Vec<Expected>) = soup::lines(SOUP)
        .filter_map(|line| allowed(&line).map(|expected| (line, expected)))
        .take(SOUP_RUN)
        .unzip();
    assert!(lines.len() >= SOUP_RUN, "only {} random lines are allowed", lines.len());
    let text = report(&run(&lines), &expected);
    assert!(text.is_empty(), "allowed lines did more than they said:\n{text}");
}

/// Whatever is decided about them: the suite asks for lines that work, and only look.
#[test]
#[ignore = "needs what scripts/setup-sandbox installs; make test runs it"]
fn everyday_lines_work_and_only_look() {
    let runs = run(&everyday());
    let any_program =
        |run: &Run| Expected { programs: run.observed.programs.clone(), ..Expected::default() };
    let expected: Vec<Expected> = runs.iter().map(any_program).collect();
    let mut text = report(&runs, &expected);
    for run in runs.iter().filter(|run| run.status > 1 || run.stderr.contains("not found")) {
        writeln!(text, "  {:?} ends with {}: {}", run.line, run.status, run.stderr).unwrap();
    }
    assert!(text.is_empty(), "everyday lines that fail, or do more than look:\n{text}");
}

/// The harness itself: whatever happens behind a line is seen.
#[test]
#[ignore = "needs what scripts/setup-sandbox installs; make test runs it"]
fn what_was_not_named_is_reported() {
    let cases = [
        ("sh -c 'touch zz'", "starts sh"),
        ("sh -c 'touch zz'", "starts touch"),
        ("sh -c 'touch zz'", "writes /tmp/project/zz"),
        ("(cd src && echo a >> new.rs)", "writes /tmp/project/src/new.rs"),
        ("mv notes.txt other.txt", "writes /tmp/project/notes.txt"),
        ("rm LICENSE", "writes /tmp/project/LICENSE"),
        ("ln -s a b", "writes /tmp/project/b"),
        ("chmod +x README.md", "writes /tmp/project/README.md"),
        ("echo a > /etc/zz", "writes /etc/zz"),
        ("mkdir made", "writes made"),
        ("truncate -s 0 README.md", "writes /tmp/project/README.md"),
        ("echo a > /dev/tcp/127.0.0.1/9", "speaks to connect("),
        ("test -v 'a[$(/usr/bin/id)]'", "starts id"),
        ("( sleep 0.3; touch late ) & exit", "writes /tmp/project/late"),
    ];
    let lines: Vec<String> = cases.iter().map(|(line, _)| (*line).to_owned()).collect();
    let named = Expected { programs: ["ls".to_owned()].into(), ..Expected::default() };
    for (run, (line, surprise)) in run(&lines).iter().zip(cases) {
        let found = surprises(run, &named);
        assert!(found.iter().any(|text| text.starts_with(surprise)), "{line}: {found:?}");
    }
}

#[test]
#[ignore = "needs what scripts/setup-sandbox installs; make test runs it"]
fn what_was_named_is_not_reported() {
    let lines = ["ls > out.txt", "ls 2>/dev/null", "ls -l src"].map(str::to_owned);
    let writes = [format!("{PROJECT}/out.txt")].into();
    let named = Expected { programs: ["ls".to_owned()].into(), writes };
    for run in run(&lines) {
        assert_eq!(surprises(&run, &named), Vec::<String>::new(), "{}", run.line);
    }
}
