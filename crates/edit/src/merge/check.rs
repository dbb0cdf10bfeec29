//! Where the merge has no right answer: the file and new both changed the same thing.

use std::ops::Range;

use super::gap::{Gap, tail_of};
use super::{Conflict, Merge, Pairing, Place, Site};
use crate::fuzzy::is_slip;
use crate::remarks::remarks;
use crate::tokens::Tokens;

impl Merge<'_> {
    /// Refuses where the file differs from old in what new changes.
    pub(super) fn check(&self, pairing: &Pairing) -> Result<(), Conflict> {
        let mut index = 0;
        while index < self.places.len() {
            let mut end = index + 1;
            if matches!(self.places[index], Place::Other(_)) {
                while end < self.places.len() && self.places[end] == Place::Gone {
                    end += 1;
                }
            }
            let tokens = index..end;
            let fine = match self.places[index] {
                Place::Same(_) => true,
                Place::Gone if self.breaks_elsewhere(pairing, index) => false,
                Place::Gone if self.dropped_by_both(pairing, index) => true,
                Place::Other(_) if self.removed_with_a_slip(pairing, tokens.clone()) => true,
                _ => self.untouched(pairing, tokens.clone()) || self.same_change(pairing, tokens),
            };
            if !fine {
                return Err(Conflict(self.near(index)));
            }
            index = end;
        }
        (1..self.places.len()).try_for_each(|index| self.check_gap(pairing, index))?;
        (1..self.places.len()).try_for_each(|index| self.check_added(pairing, index))
    }

    /// New lines between two lines where the file has lines that old left out could go before or
    /// after those.
    fn check_added(&self, pairing: &Pairing, index: usize) -> Result<(), Conflict> {
        let (Some(before), Some(after)) = (pairing.new_of[index - 1], pairing.new_of[index]) else {
            return Ok(());
        };
        let (base, added) = (Gap::new(self.old.gap(index)), Gap::new(self.new.gap(before + 1)));
        let Some(ours) = self.file_gap(index).map(Gap::new) else { return Ok(()) };
        let follows = Gap::new(self.new.gap(after)).breaks;
        // Only blank lines of the file are between the added ones and what old left out.
        let blank = |line: Option<&str>| line.is_some_and(|line| line.trim().is_empty());
        let apart = base.breaks > 1
            && ((added.breaks, follows) == (1, base.breaks) && blank(ours.middle.lines().next())
                || (added.breaks, follows) == (base.breaks, 1)
                    && blank(ours.middle.lines().next_back()));
        let end = Gap::new(self.new.gap(after)).middle;
        if tail_of(base.middle, end, ours.middle).is_some() {
            return Ok(());
        }
        if apart && !ours.middle.trim().is_empty() {
            return Ok(());
        }
        let beside = [(base.breaks, 1), (1, base.breaks)].contains(&(added.breaks, follows));
        let differs = ours.breaks > base.breaks || ours.breaks < base.breaks && !beside;
        let broken = added.breaks > 0 && base.breaks > 0 && ours.breaks > 0;
        let unsure = after > before + 1 && broken && differs;
        if unsure { Err(Conflict(self.near(index))) } else { Ok(()) }
    }

    /// A line that new removes as a whole and that differs by a slip only: it is that line.
    fn removed_with_a_slip(&self, pairing: &Pairing, tokens: Range<usize>) -> bool {
        let breaks = |index: usize| index == self.old.len() || self.old.gap(index).contains('\n');
        let from =
            (0..=tokens.start).rev().find(|index| *index == 0 || breaks(*index)).unwrap_or(0);
        let to = (tokens.end..=self.old.len()).find(|index| breaks(*index)).unwrap_or(tokens.end);
        let theirs: String = tokens.clone().map(|index| self.old.get(index)).collect();
        let ours =
            self.places[tokens.start].range().map_or("", |range| &self.source.text[range.clone()]);
        pairing.new_of[from..to].iter().all(Option::is_none) && is_slip(&theirs, ours)
    }

    /// Whether old begins a line where the file does not, and new changes something there.
    fn breaks_elsewhere(&self, pairing: &Pairing, index: usize) -> bool {
        let begins = index > 0 && self.old.gap(index).contains('\n');
        let before = index.checked_sub(1).and_then(|before| pairing.new_of[before]);
        begins && (before.is_none() || before.map(|j| j + 1) != pairing.new_of[index])
    }

    /// A mark that the file does not have and new does not want.
    fn dropped_by_both(&self, pairing: &Pairing, index: usize) -> bool {
        pairing.new_of[index].is_none() && !self.old.get(index).chars().any(char::is_alphanumeric)
    }

    /// Whether tokens of old stand in new side by side, with their neighbours in the line.
    fn untouched(&self, pairing: &Pairing, tokens: Range<usize>) -> bool {
        let from = if tokens.start > 0 && !self.old.gap(tokens.start).contains('\n') {
            tokens.start - 1
        } else {
            tokens.start
        };
        let to = if tokens.end < self.old.len() && !self.old.gap(tokens.end).contains('\n') {
            tokens.end + 1
        } else {
            tokens.end
        };
        let found = &pairing.new_of[from..to];
        found.iter().all(Option::is_some)
            && found.windows(2).all(|pair| pair[0].map(|j| j + 1) == pair[1])
            && self.edges_stay(pairing, from, to)
    }

    /// Whether nothing was put before or after these tokens in their lines.
    fn edges_stay(&self, pairing: &Pairing, from: usize, to: usize) -> bool {
        let (Some(first), Some(last)) = (pairing.new_of[from], pairing.new_of[to - 1]) else {
            return false;
        };
        let starts =
            |tokens: &Tokens<'_>, index: usize| index == 0 || tokens.gap(index).contains('\n');
        let ends = |tokens: &Tokens<'_>, index: usize| {
            index == tokens.len() || tokens.gap(index).contains('\n')
        };
        (!starts(self.old, from) || starts(self.new, first))
            && (!ends(self.old, to) || ends(self.new, last + 1))
    }

    /// What the file has in addition may not stand where new changes something.
    fn check_gap(&self, pairing: &Pairing, index: usize) -> Result<(), Conflict> {
        let (Some(ours), Some(range)) = (self.file_gap(index), self.places[index].range()) else {
            return Ok(());
        };
        if ours.trim().is_empty() {
            return Ok(());
        }
        let start = range.start - ours.len();
        if self.remarks.iter().any(|remark| remark.start < range.start && remark.end > start) {
            return Ok(());
        }
        let gap = Gap::new(ours);
        let fine = if gap.breaks > 0 && gap.middle.trim().is_empty() && gap.indent.trim().is_empty()
        {
            // It ends the line before: it stays with that line, or goes with it.
            let known = pairing.new_of[index - 1].is_some();
            known || !gap.trail.chars().any(char::is_alphanumeric)
        } else {
            let (before, after) = (pairing.new_of[index - 1], pairing.new_of[index]);
            before.is_some() && before.map(|j| j + 1) == after
        };
        if fine { Ok(()) } else { Err(Conflict(start)) }
    }

    /// Whether new did to these tokens what the file did.
    fn same_change(&self, pairing: &Pairing, tokens: Range<usize>) -> bool {
        let before = match tokens.start.checked_sub(1) {
            Some(i) => pairing.new_of[i].map(|j| j + 1),
            None => Some(0),
        };
        let after = if tokens.end == self.old.len() {
            Some(self.new.len())
        } else {
            pairing.new_of[tokens.end]
        };
        let (Some(from), Some(to)) = (before, after) else { return false };
        if from > to {
            return false;
        }
        let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let theirs: String = (from..to).map(|j| self.new.get(j)).collect();
        let ours =
            self.places[tokens.start].range().map_or("", |range| &self.source.text[range.clone()]);
        squeezed(&theirs) == squeezed(ours)
    }

    /// A comment that old did not know about must survive, unless its line was removed.
    pub(super) fn check_remarks(&self, site: &Site, text: &str) -> Result<(), Conflict> {
        if !self.remarks.is_empty() {
            // What old and the file say differently must not be said twice.
            let here = &self.source.text[site.start..site.end];
            let twice = remarks(self.old.text).into_iter().map(|range| &self.old.text[range]).find(
                |remark| remark.len() > 4 && !here.contains(*remark) && text.contains(*remark),
            );
            if twice.is_some() {
                return Err(Conflict(site.start));
            }
        }
        for range in self.remarks {
            if range.start < site.start || range.end > site.end {
                continue;
            }
            let remark = &self.source.text[range.clone()];
            let own_line = self.source.text[self.source.line_start(range.start)..range.start]
                .trim()
                .is_empty();
            if own_line && !self.old.text.contains(remark) && !text.contains(remark) {
                return Err(Conflict(range.start));
            }
        }
        Ok(())
    }
}
