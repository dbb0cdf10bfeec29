//! Lines that only look around are not asked about.

mod support;

use support::decision::{Verdict, Workspace, decide, why};
use support::suite::{asked, everyday};

/// Of a hundred lines, so many may ask.
const MAY_ASK_OF_HUNDRED: usize = 3;

fn report(stopped: &[&String], all: usize) -> String {
    let rows: Vec<String> =
        stopped.iter().map(|line| format!("  {line:?}: {}", why(line))).collect();
    format!("{} of {all} everyday lines are not allowed\n{}", rows.len(), rows.join("\n"))
}

#[test]
fn few_everyday_lines_ask() {
    let lines = everyday();
    assert!(lines.len() >= 330, "only {} lines", lines.len());
    let allowed = |line: &String| decide(line, &[], Workspace::Plain) == Verdict::Allow;
    let stopped: Vec<&String> = lines.iter().filter(|line| !allowed(line)).collect();
    let text = report(&stopped, lines.len());
    assert!(stopped.len() * 100 <= lines.len() * MAY_ASK_OF_HUNDRED, "{text}");
    // The few that may ask are worth a look too.
    println!("{text}");
}

#[test]
fn what_only_looks_bad_is_not_refused() {
    let refused = |line: &String| decide(line, &[], Workspace::Plain) == Verdict::Deny;
    let refused: Vec<String> = asked().into_iter().filter(refused).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}
