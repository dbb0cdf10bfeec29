//! Looks for a piece that does not stand there as it was sent.

use std::ops::Range;

use super::Placed;
use super::failure::Problem;
use super::hunk::Hunk;
use super::locate::{Found, Locator, no_header, outside};
use super::scope::scopes;
use super::similar::similarity;
use super::splice::Splice;
use crate::lines::BOM;
use crate::{Count, Edit, Outcome, Reason, Refusal, apply};

/// So many bytes may be searched by the ladder in all; it is slower than a plain search.
const MAX_BYTES: usize = 64 << 20;
/// So many searches by the ladder are made in any case.
const MIN_RUNS: usize = 8;

/// What was searched so far.
#[derive(Debug, Default)]
pub(super) struct Effort {
    runs: usize,
    bytes: usize,
}

impl Effort {
    /// Counts a search; no if it is one too many.
    fn is_allowed(&mut self, bytes: usize) -> bool {
        self.runs += 1;
        self.bytes += bytes;
        self.runs <= MIN_RUNS || self.bytes <= MAX_BYTES
    }
}

impl Locator<'_> {
    /// Through the ladder: first where the piece is expected, then anywhere.
    pub(super) fn by_ladder(&mut self, hunk: &Hunk) -> Result<Found, Problem> {
        let hunk = hunk.without_empty_tail().unwrap_or_else(|| hunk.clone());
        let (old, new) = (Hunk::joined(hunk.old()), Hunk::joined(hunk.new_side()));
        for region in self.regions(&hunk)? {
            if !self.effort.is_allowed(region.len()) {
                return Err(Problem::NotTried);
            }
            let is_all = region.len() == self.content.len();
            match self.ladder(&hunk, &old, &new, &region) {
                Err(Problem::Refused { .. }) if !is_all => {}
                found if is_all => return self.below_header(&hunk, found?),
                found => return found,
            }
        }
        Err(Problem::NotTried)
    }

    /// What was found in the whole text, unless it is above where the header says.
    fn below_header(&self, hunk: &Hunk, found: Found) -> Result<Found, Problem> {
        let lines = &self.literal.lines;
        let scopes = scopes(lines, &hunk.headers).unwrap_or_default();
        let first = scopes.first().map_or(0, |scope| scope.start);
        let (Placed::Applied { line, .. } | Placed::AlreadyApplied { line }) = found.0;
        if line <= first { Err(outside(hunk, line)) } else { Ok(found) }
    }

    /// The parts of the text to be searched, one after the other, in bytes. The last is all of it:
    /// what is then refused is told with the lines of the whole text.
    fn regions(&self, hunk: &Hunk) -> Result<Vec<Range<usize>>, Problem> {
        let lines = &self.literal.lines;
        let all = 0..self.content.len();
        let mut regions = Vec::new();
        if hunk.headers.is_empty() {
            regions.push(lines.start(self.after_line(lines))..all.end);
        } else {
            let scopes = scopes(lines, &hunk.headers).map_err(|header| no_header(lines, header))?;
            if let [scope] = &scopes[..] {
                regions.push(lines.start(scope.start)..lines.start(scope.end));
            }
            let first = scopes.first().map_or(0, |scope| lines.start(scope.start));
            regions.push(first..all.end);
        }
        regions.retain(|region| !region.is_empty() && *region != all);
        regions.push(all);
        Ok(regions)
    }

    fn ladder(
        &mut self,
        hunk: &Hunk,
        old: &str,
        new: &str,
        region: &Range<usize>,
    ) -> Result<Found, Problem> {
        let text = &self.content[region.clone()];
        let lines_before = self.literal.lines.at(region.start);
        let told = hunk.start.map(|line| line.saturating_add_signed(self.drift));
        let line = told.and_then(|line| line.checked_sub(lines_before)).filter(|line| *line > 0);
        let applied = match apply(text, &Edit { old, new, count: Count::One, line }) {
            Ok(Outcome::Applied(applied)) => applied,
            Ok(Outcome::AlreadyApplied { line }) => {
                return Ok((Placed::AlreadyApplied { line: line + lines_before }, None));
            }
            Err(refusal) if refusal.reason == Reason::Ambiguous && lines_before > 0 => {
                let lines = refusal.lines.iter().map(|line| line + lines_before).collect();
                return Err(Problem::Ambiguous { lines });
            }
            Err(refusal) => {
                let similarity = self.similarity(old, &refusal);
                return Err(Problem::Refused { refusal, similarity });
            }
        };
        let splice = Splice::of(text, &applied, region.start);
        let at = self.literal.lines.at(splice.span.start);
        if !self.is_whole_lines(&splice.span) {
            return Err(Problem::PartOfLine { line: at + 1 });
        }
        self.passed(hunk, at, splice.span.end);
        let splice = splice.trimmed(self.content);
        let line = self.literal.lines.at(splice.span.start) + 1;
        let placed = Placed::Applied { line, level: applied.level, repair: applied.repair };
        Ok((placed, Some(splice)))
    }

    /// How like the nearest text is to what was not found, in percent.
    fn similarity(&self, old: &str, refusal: &Refusal) -> Option<u8> {
        let lines = &self.literal.lines;
        let first = refusal.lines.first()?.checked_sub(1)?;
        let there = (first..lines.len()).map(|line| lines.body(line));
        (refusal.reason == Reason::NotFound).then(|| similarity(old.lines(), there))
    }

    /// Nothing but white space stands beside the span on its first and last line.
    fn is_whole_lines(&self, span: &Range<usize>) -> bool {
        let before = self.content[..span.start].rsplit('\n').next().unwrap_or_default();
        let after = &self.content[span.end..];
        let ends = self.content[span.clone()].ends_with('\n');
        let after = if ends { "" } else { after.split('\n').next().unwrap_or_default() };
        before.trim_start_matches(BOM).trim().is_empty() && after.trim().is_empty()
    }
}
