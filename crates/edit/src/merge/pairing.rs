//! Which tokens of new are tokens of old: whole lines first, words within changed lines then.

use std::collections::HashMap;
use std::ops::Range;

use super::gap::Gap;
use crate::fuzzy::similarity;
use crate::lcs;
use crate::tokens::Tokens;

/// For each token of new the token of old that it is, and the other way round.
#[derive(Debug)]
pub(crate) struct Pairing {
    pub(crate) old_of: Vec<Option<usize>>,
    pub(crate) new_of: Vec<Option<usize>>,
    /// For a token of new that took an old one's place: whose place.
    pub(crate) instead: Vec<Option<usize>>,
    /// For each token of old, whether its whole line stands in new.
    pub(crate) line_kept: Vec<bool>,
}

impl Pairing {
    pub(crate) fn new(old: &Tokens<'_>, new: &Tokens<'_>) -> Self {
        let mut pairing = Self {
            old_of: vec![None; new.len()],
            new_of: vec![None; old.len()],
            instead: vec![None; new.len()],
            line_kept: vec![false; old.len()],
        };
        pairing.match_lines(old, new);
        pairing.fill_places();
        pairing
    }

    /// The old token whose surroundings a new token has.
    pub(crate) fn source(&self, index: usize) -> Option<usize> {
        self.old_of[index].or(self.instead[index])
    }

    fn match_lines(&mut self, old: &Tokens<'_>, new: &Tokens<'_>) {
        let (old_lines, new_lines) = (lines(old), lines(new));
        let mut ids = HashMap::new();
        let mut keys = |tokens: &Tokens<'_>, lines: &[Range<usize>]| -> Vec<usize> {
            let text = |line: &Range<usize>| {
                tokens.text[tokens.ranges[line.start].start..tokens.ranges[line.end - 1].end]
                    .to_owned()
            };
            lines
                .iter()
                .map(|line| {
                    let next = ids.len();
                    *ids.entry(text(line)).or_insert(next)
                })
                .collect()
        };
        let (old_keys, new_keys) = (keys(old, &old_lines), keys(new, &new_lines));
        let indents = |tokens: &Tokens<'_>, lines: &[Range<usize>]| -> Vec<String> {
            lines.iter().map(|line| Gap::first(tokens.gap(line.start)).indent.to_owned()).collect()
        };
        let (old_indents, new_indents) = (indents(old, &old_lines), indents(new, &new_lines));
        let mut done = (0, 0);
        for (a, b) in line_pairs((&old_keys, &old_indents), (&new_keys, &new_indents)) {
            let (in_old, in_new) = (old_lines[a].clone(), new_lines[b].clone());
            self.match_changed(old, new, done.0..in_old.start, done.1..in_new.start);
            for (i, j) in in_old.clone().zip(in_new.clone()) {
                self.join(i, j);
                self.line_kept[i] = true;
            }
            done = (in_old.end, in_new.end);
        }
        self.match_changed(old, new, done.0..old.len(), done.1..new.len());
    }

    /// Pairs changed lines that are similar, so that a line does not share words with another
    /// one by chance.
    fn match_changed(
        &mut self,
        old: &Tokens<'_>,
        new: &Tokens<'_>,
        a: Range<usize>,
        b: Range<usize>,
    ) {
        const MOST_COMPARED: usize = 64;
        let within = |lines: Vec<Range<usize>>, range: &Range<usize>| -> Vec<Range<usize>> {
            lines
                .into_iter()
                .filter(|line| line.start >= range.start && line.end <= range.end)
                .collect()
        };
        let (in_old, in_new) = (within(lines(old), &a), within(lines(new), &b));
        let single = in_old.len() <= 1 && in_new.len() <= 1;
        if single
            || in_old.is_empty()
            || in_new.is_empty()
            || in_old.len() * in_new.len() > MOST_COMPARED
        {
            self.match_tokens(old, new, a, b);
            return;
        }
        let text = |tokens: &Tokens<'_>, line: &Range<usize>| {
            tokens.text[tokens.ranges[line.start].start..tokens.ranges[line.end - 1].end].to_owned()
        };
        let score = |i: usize, j: usize| {
            similarity(text(old, &in_old[i]).as_bytes(), text(new, &in_new[j]).as_bytes())
        };
        for (i, j) in best_pairs(in_old.len(), in_new.len(), score) {
            self.match_tokens(old, new, in_old[i].clone(), in_new[j].clone());
        }
    }

    fn match_tokens(
        &mut self,
        old: &Tokens<'_>,
        new: &Tokens<'_>,
        a: Range<usize>,
        b: Range<usize>,
    ) {
        let words = |tokens: &Tokens<'_>, range: Range<usize>| -> Vec<String> {
            range.map(|index| tokens.get(index).to_owned()).collect()
        };
        for (i, j) in lcs::pairs(&words(old, a.clone()), &words(new, b.clone())) {
            self.join(a.start + i, b.start + j);
        }
    }

    fn join(&mut self, in_old: usize, in_new: usize) {
        self.old_of[in_new] = Some(in_old);
        self.new_of[in_old] = Some(in_new);
    }

    /// Where a stretch of old gave way to a stretch of new, its ends take over the places.
    fn fill_places(&mut self) {
        let (mut old_from, mut new_from) = (0, 0);
        for j in 0..=self.old_of.len() {
            let i = if j == self.old_of.len() { Some(self.new_of.len()) } else { self.old_of[j] };
            let Some(i) = i else { continue };
            self.take_places(old_from..i, new_from..j);
            (old_from, new_from) = (i + 1, j + 1);
        }
    }

    fn take_places(&mut self, old: Range<usize>, new: Range<usize>) {
        if old.is_empty() || new.is_empty() {
            return;
        }
        if old.len() == new.len() {
            for (i, j) in old.zip(new) {
                self.instead[j] = Some(i);
            }
        } else {
            self.instead[new.start] = Some(old.start);
            if old.len() > 1 && new.len() > 1 {
                self.instead[new.end - 1] = Some(old.end - 1);
            }
        }
    }
}

/// Equal lines, in order. One with the same indent counts for more than one without: a bracket
/// that closes something else is not the same line.
fn line_pairs(old: (&[usize], &[String]), new: (&[usize], &[String])) -> Vec<(usize, usize)> {
    let score = |i: usize, j: usize| match (old.0[i] == new.0[j], old.1[i] == new.1[j]) {
        (true, true) => 3,
        (true, false) => 1,
        _ => 0,
    };
    lcs::weighted(old.0.len(), new.0.len(), score).unwrap_or_else(|| lcs::pairs(old.0, new.0))
}

/// The pairs, in order, whose similarities have the largest sum.
fn best_pairs(
    rows: usize,
    columns: usize,
    score: impl Fn(usize, usize) -> f64,
) -> Vec<(usize, usize)> {
    const LEAST: f64 = 0.5;
    let scores: Vec<Vec<f64>> =
        (0..rows).map(|i| (0..columns).map(|j| score(i, j)).collect()).collect();
    let mut best = vec![vec![0.0_f64; columns + 1]; rows + 1];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let paired =
                if scores[i][j] >= LEAST { best[i + 1][j + 1] + scores[i][j] } else { 0.0 };
            best[i][j] = paired.max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < rows && j < columns {
        if best[i + 1][j] >= best[i][j] {
            i += 1;
        } else if best[i][j + 1] >= best[i][j] {
            j += 1;
        } else {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        }
    }
    out
}

/// The token ranges of the lines that have any.
pub(crate) fn lines(tokens: &Tokens<'_>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for index in 0..tokens.len() {
        match out.last_mut() {
            Some(line) if !tokens.gap(index).contains('\n') => line.end = index + 1,
            _ => out.push(index..index + 1),
        }
    }
    out
}
