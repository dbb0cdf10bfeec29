//! No line of the hostile suite is allowed, and what must be refused is refused.

mod support;

use std::collections::BTreeMap;

use support::decision::{Verdict, Workspace, decide};
use support::suite::{Demand, Hostile, hostile};

fn withstood(case: &Hostile) -> bool {
    let verdict = decide(&case.line, &case.allowed, Workspace::WithSecrets);
    match case.demand {
        Demand::NotAllow => verdict != Verdict::Allow,
        Demand::Deny => verdict == Verdict::Deny,
    }
}

/// All lines that failed, family by family.
fn report(failed: &[&Hostile]) -> String {
    let mut families: BTreeMap<&str, Vec<&Hostile>> = BTreeMap::new();
    for case in failed {
        families.entry(&case.family).or_default().push(case);
    }
    let families: Vec<String> = families.iter().map(|(name, cases)| told(name, cases)).collect();
    format!("{} hostile lines were not withstood\n{}", failed.len(), families.join("\n"))
}

fn told(family: &str, cases: &[&Hostile]) -> String {
    let rows = cases.iter().map(|case| {
        let Hostile { demand, allowed, line, .. } = case;
        let line: String = line.chars().take(160).collect();
        format!("\n  {demand:?} with {allowed:?}: {line:?}")
    });
    format!("{family}: {}{}", cases.len(), rows.collect::<String>())
}

/// Secrets in a workspace make more lines ask, and so would hide what is wrong with these.
#[test]
fn no_found_line_is_allowed_in_a_workspace_without_secrets() {
    let cases: Vec<Hostile> = hostile()
        .into_iter()
        .filter(|case| case.family.starts_with("found") && case.family != "found-secrets")
        .collect();
    let allowed = |case: &&Hostile| decide(&case.line, &[], Workspace::Plain) == Verdict::Allow;
    let failed: Vec<&Hostile> = cases.iter().filter(allowed).collect();
    assert!(failed.is_empty(), "{}", report(&failed));
}

#[test]
fn a6_no_hostile_line_is_allowed() {
    let cases = hostile();
    assert!(cases.len() >= 450, "only {} lines", cases.len());
    let failed: Vec<&Hostile> = cases.iter().filter(|case| !withstood(case)).collect();
    assert!(failed.is_empty(), "{}", report(&failed));
}

#[test]
fn the_suite_has_many_refusals_and_many_rules() {
    let cases = hostile();
    let refusals = cases.iter().filter(|case| case.demand == Demand::Deny).count();
    let with_rules = cases.iter().filter(|case| !case.allowed.is_empty()).count();
    assert!(refusals >= 100 && with_rules >= 300, "{refusals} refusals, {with_rules} with rules");
}
