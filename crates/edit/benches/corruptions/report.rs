//! The figures of a run, as a table.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::cases::Case;
use crate::cases::judge::{Fault, Verdict};
use crate::cases::kinds::{Class, Origin};
use crate::cases::language::Language;

/// What must hold.
const MIN_SUCCESS: f64 = 99.0;
const MAX_WRONG: f64 = 0.1;
const MIN_REFUSED: f64 = 99.0;
const MAX_WRONG_OF_KIND: f64 = 1.0;
/// Fewer cases show nothing.
pub(crate) const MIN_CASES: usize = 3_000;

/// So many of the combinations that failed are named, the worst first.
const MAX_PAIRS: usize = 12;

const FAULTS: [(Fault, &str); 5] = [
    (Fault::Misplaced, "place"),
    (Fault::Indent, "indent"),
    (Fault::LineEnding, "end"),
    (Fault::WhiteSpace, "space"),
    (Fault::Garbled, "text"),
];

/// How many cases came out in which way.
#[derive(Clone, Default)]
struct Tally {
    right: usize,
    refused: usize,
    faults: BTreeMap<Fault, usize>,
    exact_right: usize,
    exact_refused: usize,
    all: usize,
}

impl Tally {
    fn add(&mut self, verdict: Verdict, exact: Verdict) {
        self.all += 1;
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Refused => self.refused += 1,
            Verdict::Wrong(fault) => *self.faults.entry(fault).or_default() += 1,
        }
        self.exact_right += usize::from(exact == Verdict::Right);
        self.exact_refused += usize::from(exact == Verdict::Refused);
    }

    fn merge(&mut self, other: &Self) {
        self.right += other.right;
        self.refused += other.refused;
        self.all += other.all;
        self.exact_right += other.exact_right;
        self.exact_refused += other.exact_refused;
        for (fault, count) in &other.faults {
            *self.faults.entry(*fault).or_default() += count;
        }
    }

    fn wrong(&self) -> usize {
        self.faults.values().sum()
    }

    fn share(&self, count: usize) -> f64 {
        if self.all == 0 { 0.0 } else { count as f64 * 100.0 / self.all as f64 }
    }

    fn row(&self, name: &str, class: &str) -> String {
        let faults: Vec<String> = FAULTS
            .iter()
            .filter_map(|(fault, name)| Some(format!("{name} {}", self.faults.get(fault)?)))
            .collect();
        let exact_wrong = self.all - self.exact_right - self.exact_refused;
        format!(
            "{name:<30} {class:<7} {:>5} {:>7.2} {:>7.2} {:>7.2}  {:>5.1}/{:<5.1} {}\n",
            self.all,
            self.share(self.right),
            self.share(self.wrong()),
            self.share(self.refused),
            self.share(self.exact_right),
            self.share(exact_wrong),
            faults.join(", ")
        )
    }
}

/// All figures.
#[derive(Default)]
pub(crate) struct Report {
    kinds: BTreeMap<(Class, Origin, String), Tally>,
    /// Combinations that did not come out right, by their two kinds.
    pairs: BTreeMap<String, Tally>,
    languages: BTreeMap<Language, usize>,
    times: Vec<Duration>,
}

impl Report {
    pub(crate) fn add(&mut self, case: &Case, verdict: Verdict, exact: Verdict, took: Duration) {
        let combined = case.origin == Origin::Combination;
        let name = if combined { "two at once" } else { &case.kind };
        let key = (case.class, case.origin, name.to_owned());
        self.kinds.entry(key).or_default().add(verdict, exact);
        if combined {
            self.pairs.entry(case.kind.clone()).or_default().add(verdict, exact);
        }
        if let Some(language) = Language::of(Path::new(&case.path)) {
            *self.languages.entry(language).or_default() += 1;
        }
        self.times.push(took);
    }

    fn total(&self, keep: impl Fn(Class, Origin) -> bool) -> Tally {
        let mut total = Tally::default();
        for ((class, origin, _), tally) in &self.kinds {
            if keep(*class, *origin) {
                total.merge(tally);
            }
        }
        total
    }

    pub(crate) fn table(&mut self) -> String {
        let mut text = format!(
            "{:<30} {:<7} {:>5} {:>7} {:>7} {:>7}  {:<11} wrong about\n",
            "kind", "answer", "n", "right%", "wrong%", "refus.%", "exact only*"
        );
        for ((class, origin, name), tally) in &self.kinds {
            let own = if *origin == Origin::Own { "\u{b7}" } else { "" };
            text.push_str(&tally.row(&format!("{name}{own}"), word(*class)));
        }
        let mut pairs: Vec<_> =
            self.pairs.iter().filter(|(_, pair)| pair.right < pair.all).collect();
        pairs.sort_by_key(|(_, pair)| std::cmp::Reverse((pair.wrong(), pair.refused)));
        for (name, pair) in pairs.iter().take(MAX_PAIRS) {
            text.push_str(&pair.row(&format!("  {name}"), "do"));
        }
        text.push('\n');
        for (name, total) in self.totals() {
            text.push_str(&total.row(name, ""));
        }
        let languages: Vec<String> =
            self.languages.iter().map(|(name, count)| format!("{name:?} {count}")).collect();
        text.push_str(&format!("\ncases by language: {}\n", languages.join(", ")));
        self.times.sort();
        let [half, most] = [50, 99].map(|part| self.percentile(part).as_secs_f64() * 1e3);
        text.push_str(&format!(
            "\n\u{b7} kinds of our own   * right/wrong % of a peer that takes exact matches only\n\
             time of a case: p50 {half:.3} ms, p99 {most:.3} ms\n"
        ));
        text
    }

    fn percentile(&self, part: usize) -> Duration {
        let last = self.times.len().saturating_sub(1);
        self.times.get(last * part / 100).copied().unwrap_or_default()
    }

    fn totals(&self) -> [(&'static str, Tally); 9] {
        use Class::{Either, Recoverable, Refuse};
        use Origin::{Combination, Known, Own};
        [
            ("known, to be done", self.total(|c, o| (c, o) == (Recoverable, Known))),
            ("own, to be done", self.total(|c, o| (c, o) == (Recoverable, Own))),
            ("two at once", self.total(|_, o| o == Combination)),
            ("all to be done", self.total(|c, _| c == Recoverable)),
            ("known, to be refused", self.total(|c, o| (c, o) == (Refuse, Known))),
            ("own, to be refused", self.total(|c, o| (c, o) == (Refuse, Own))),
            ("all to be refused", self.total(|c, _| c == Refuse)),
            ("either is good", self.total(|c, _| c == Either)),
            ("all", self.total(|_, _| true)),
        ]
    }

    /// What does not hold.
    pub(crate) fn failures(&self) -> Vec<String> {
        let done = self.total(|class, _| class == Class::Recoverable);
        let kept = self.total(|class, _| class == Class::Refuse);
        let all = self.total(|class, _| class != Class::Refuse);
        let mut failures = Vec::new();
        let mut check = |holds: bool, text: String| {
            if !holds {
                failures.push(text);
            }
        };
        let success = done.share(done.right);
        check(success >= MIN_SUCCESS, format!("success is {success:.2} %, not {MIN_SUCCESS} %"));
        let wrong = all.share(all.wrong());
        check(wrong <= MAX_WRONG, format!("{wrong:.2} % are wrong, more than {MAX_WRONG} %"));
        let refused = kept.share(kept.refused);
        check(
            refused >= MIN_REFUSED,
            format!("{refused:.2} % of what must be refused is, not {MIN_REFUSED} %"),
        );
        for ((_, _, name), tally) in &self.kinds {
            let wrong = tally.share(tally.wrong());
            check(wrong <= MAX_WRONG_OF_KIND, format!("{name}: {wrong:.2} % are wrong"));
        }
        failures
    }
}

fn word(class: Class) -> &'static str {
    match class {
        Class::Recoverable => "do",
        Class::Refuse => "refuse",
        Class::Either => "either",
    }
}
