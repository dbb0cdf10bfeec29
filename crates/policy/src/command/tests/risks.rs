//! The risk of each line.

use super::*;

#[track_caller]
fn all(risk: Risk, lines: &str) {
    assert!(lines.lines().count() > 20);
    let wrong: Vec<_> = lines
        .lines()
        .map(|line| (line, judged(line)))
        .filter(|(_, effects)| effects.risk != risk)
        .map(|(line, effects)| format!("{line}: {} ({})", effects.risk, effects.reason))
        .collect();
    assert!(wrong.is_empty(), "not {risk}:\n{}", wrong.join("\n"));
}

#[test]
fn looking_is_safe() {
    all(Risk::Safe, include_str!("lines/safe.txt"));
}

#[test]
fn ordinary_changes_need_caution() {
    all(Risk::Caution, include_str!("lines/caution.txt"));
}

#[test]
fn what_waits_for_a_person_is_interactive() {
    all(Risk::Interactive, include_str!("lines/interactive.txt"));
}

#[test]
fn what_is_not_known_is_unknown() {
    all(Risk::Unknown, include_str!("lines/unknown.txt"));
}

#[test]
fn destroying_escalating_and_reaching_out_is_dangerous() {
    all(Risk::Dangerous, include_str!("lines/dangerous.txt"));
}

#[test]
fn what_nobody_wants_is_forbidden() {
    all(Risk::Forbidden, include_str!("lines/forbidden.txt"));
}
