//! Step 3: rules, and the answers of those that match.

use dogu_tool::Verdict;

use crate::engine::decision::Answer;
use crate::engine::files::Guard;
use crate::engine::{ReasonKind, Unit};
use crate::risk::Risk;
use crate::rule::{Match, Pattern, Rule, Surroundings};

/// The answer of the most specific rule, the strictest of equally specific ones. What only may
/// match asks, and never allows.
pub(crate) fn answer<'a>(
    rules: impl Iterator<Item = &'a Rule>,
    unit: &Unit<'_>,
    guard: &Guard,
    around: &Surroundings<'_>,
) -> Option<Answer> {
    let (rule, verdict) = rules
        .filter_map(|rule| Some((rule, verdict_on(rule, unit, guard, around)?)))
        .max_by_key(|(rule, verdict)| (rule.specificity(), *verdict))?;
    Some(because(rule, verdict, ReasonKind::Rule))
}

/// What one rule says of a unit.
pub(crate) fn verdict_on(
    rule: &Rule,
    unit: &Unit<'_>,
    guard: &Guard,
    around: &Surroundings<'_>,
) -> Option<Verdict> {
    match rule.matches(unit, around) {
        Match::No => None,
        Match::Maybe => (rule.verdict != Verdict::Allow).then_some(Verdict::Ask),
        Match::Yes if rule.verdict == Verdict::Allow => {
            may_allow(rule, unit, guard).then_some(Verdict::Allow)
        }
        Match::Yes => Some(rule.verdict),
    }
}

/// A rule or a grant is enough for what this unit needs.
fn may_allow(rule: &Rule, unit: &Unit<'_>, guard: &Guard) -> bool {
    if matches!(rule.pattern, Pattern::Tool(_)) {
        return blanket_reaches(unit, guard);
    }
    match guard {
        Guard::Refused(_) | Guard::Once(_) => false,
        Guard::Exact(_) => rule.is_exact(),
        Guard::Named(_) | Guard::Free | Guard::Stream => true,
    }
}

/// What approves a tool as such approves ordinary files, and commands that are not dangerous.
pub(crate) fn blanket_reaches(unit: &Unit<'_>, guard: &Guard) -> bool {
    let mild = !matches!(unit, Unit::Command(found) if found.risk >= Risk::Dangerous);
    mild && matches!(guard, Guard::Free | Guard::Stream)
}

/// The most specific rule about the tool as such, where that one forbids it.
pub(crate) fn forbids_tool<'a>(
    rules: impl Iterator<Item = &'a Rule>,
    around: &Surroundings<'_>,
) -> Option<Answer> {
    let rule = rules
        .filter(|rule| rule.matches_call(around))
        .max_by_key(|rule| (rule.specificity(), rule.verdict))?;
    (rule.verdict == Verdict::Deny).then(|| because(rule, Verdict::Deny, ReasonKind::Rule))
}

/// An answer that names its rule.
pub(crate) fn because(rule: &Rule, verdict: Verdict, kind: ReasonKind) -> Answer {
    let what = if kind == ReasonKind::Grant { "the standing answer" } else { "the rule" };
    let says = match (rule.verdict, verdict) {
        (Verdict::Allow, _) => "allows it",
        (Verdict::Ask, _) => "asks",
        (Verdict::Deny, Verdict::Ask) => "may forbid it: not all of it is known",
        (Verdict::Deny, _) => "forbids it",
    };
    let text = format!("{what} {} {says}", rule.named());
    Answer { verdict, reason: super::Reason::new(kind, text) }
}
