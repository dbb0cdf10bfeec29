//! A few hundred corrupted edits of this repository's own files hold the floors that
//! `cargo bench -p dogu-edit --bench corruptions` measures over thousands.

#[allow(dead_code, reason = "not everything is asked of a case here")]
#[path = "../benches/corruptions/cases/mod.rs"]
mod cases;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use cases::Case;
use cases::corpus::{Corpus, repository};
use cases::judge::{Fault, Verdict, ask, judge};
use cases::kinds::{Class, KINDS, Origin};

const SEED: u64 = 1;
const ROUNDS: usize = 4;
/// In percent. The floor itself is 99, but the files are those of the repository, and every change
/// of them makes other cases: of a few hundred, chance alone takes some.
const MIN_GOOD: usize = 96;
/// One in a thousand is the floor; more than two of a few hundred are more than chance.
const MAX_WRONG: usize = 2;

/// The cases, made once for all tests.
static ALL: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let folders = ["crates", "docs", "scripts"].map(|name| repository().join(name));
    let corpus = Corpus::of(&folders);
    (0..cases::round() * ROUNDS).filter_map(|id| cases::case(&corpus, SEED, id)).collect()
});

/// How many of a class came out in a way, of how many.
fn share(cases: &[(&Case, Verdict)], class: Class, way: fn(Verdict) -> bool) -> (usize, usize) {
    let of_class = cases.iter().filter(|(case, _)| case.class == class);
    let ways: Vec<bool> = of_class.map(|(_, verdict)| way(*verdict)).collect();
    (ways.iter().filter(|is| **is).count(), ways.len())
}

#[test]
fn a_few_hundred_corrupted_edits_come_out_well() {
    let cases: Vec<(&Case, Verdict)> =
        ALL.iter().map(|case| (case, judge(case, &ask(case).0))).collect();
    let failed: Vec<String> = cases
        .iter()
        .filter(|(case, verdict)| !verdict.is_good(case.class))
        .map(|(case, verdict)| format!("#{} {} {verdict:?}", case.id, case.kind))
        .collect();
    let (done, to_be_done) = share(&cases, Class::Recoverable, |way| way == Verdict::Right);
    let (kept, to_be_refused) = share(&cases, Class::Refuse, |way| way == Verdict::Refused);
    let wrong = cases.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Wrong(_))).count();
    let told = failed.join("\n");
    assert!(cases.len() >= 300, "only {} cases could be made", cases.len());
    assert!(done * 100 >= to_be_done * MIN_GOOD, "{done} of {to_be_done} are right:\n{told}");
    assert!(
        kept * 100 >= to_be_refused * MIN_GOOD,
        "{kept} of {to_be_refused} are refused:\n{told}"
    );
    assert!(wrong <= MAX_WRONG, "{wrong} are wrong:\n{told}");
}

/// The floors mean nothing where the generator makes no cases of a kind.
#[test]
fn every_kind_is_made_and_says_what_it_should() {
    let mut made: BTreeMap<String, usize> = BTreeMap::new();
    for case in ALL.iter() {
        *made.entry(case.kind.clone()).or_default() += 1;
        assert_eq!(case.accepted.is_empty(), case.class == Class::Refuse, "{}", case.kind);
        assert!(!case.accepted.contains(&case.content), "{}", case.kind);
        assert_ne!(case.old, case.new, "{}", case.kind);
    }
    let rare: Vec<&str> = KINDS
        .iter()
        .filter(|kind| made.get(kind.name).copied().unwrap_or_default() * 2 < ROUNDS)
        .map(|kind| kind.name)
        .collect();
    assert!(rare.is_empty(), "of these there are too few: {rare:?}");
}

#[test]
fn a_seed_decides_the_cases() {
    let corpus = Corpus::of(&[repository().join("crates")]);
    let text = |seed: u64, id: usize| {
        cases::case(&corpus, seed, id)
            .map(|case| format!("{}{}{}", case.content, case.old, case.new))
    };
    assert_eq!(text(1, 5), text(1, 5));
    assert_ne!(text(1, 5), text(2, 5));
}

/// The 38 kinds that peers were measured with are among them, and as many again of our own.
#[test]
fn the_kinds_are_those_that_were_promised() {
    let count = |origin: Origin, class: Class| {
        KINDS.iter().filter(|kind| (kind.origin, kind.class) == (origin, class)).count()
    };
    assert_eq!(count(Origin::Known, Class::Recoverable), 30);
    assert_eq!(count(Origin::Known, Class::Refuse), 8);
    assert!(count(Origin::Own, Class::Recoverable) >= 15);
    assert!(count(Origin::Own, Class::Refuse) >= 5);
}

/// What is wrong about a result is told by what it still has in common with a right one.
#[test]
fn a_wrong_result_is_told_by_its_fault() {
    let before = "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n";
    let right = before.replacen("one()", "two( 1 )", 1);
    let case = Case {
        id: 0,
        kind: String::new(),
        class: Class::Recoverable,
        origin: Origin::Own,
        path: String::new(),
        content: before.to_owned(),
        old: "one();".to_owned(),
        new: "two( 1 );".to_owned(),
        replace_all: false,
        accepted: vec![right.clone()],
        lines: 1..2,
    };
    let verdict = |result: &str| judge(&case, &Ok(result.to_owned()));
    let elsewhere = before.replace("b() {\n    one()", "b() {\n    two( 1 )");
    assert_eq!(verdict(&right), Verdict::Right);
    assert_eq!(verdict(before), Verdict::Refused);
    assert_eq!(verdict(&elsewhere), Verdict::Wrong(Fault::Misplaced));
    assert_eq!(verdict(&right.replace("    two", "two")), Verdict::Wrong(Fault::Indent));
    assert_eq!(verdict(&right.replace("1 );\n", "1 );\r\n")), Verdict::Wrong(Fault::LineEnding));
    assert_eq!(verdict(&right.replace("( 1 )", "(1)")), Verdict::Wrong(Fault::WhiteSpace));
    assert_eq!(verdict(&right.replace("( 1 )", "( 2 )")), Verdict::Wrong(Fault::Garbled));
}
