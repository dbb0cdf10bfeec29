//! What stands between the tokens of the merged text.

use super::gap::{Gap, breaks, same_gap, same_lines, tail_of};
use super::{Conflict, Merge, Pairing, Place, Site};
use crate::indent::Indents;

/// Writes the gaps of the merged text.
pub(super) struct Writer<'w, 'a> {
    pub(super) merge: &'w Merge<'a>,
    pub(super) pairing: &'w Pairing,
    pub(super) site: &'w Site,
    pub(super) indents: &'w Indents,
}

impl Writer<'_, '_> {
    /// What stands before the first token of new.
    pub(super) fn first_gap(&self, out: &mut String) {
        let (theirs, base) = (Gap::first(self.merge.new.gap(0)), Gap::first(self.merge.old.gap(0)));
        let Some(indent) = &self.site.indent else {
            if base.text.is_empty() {
                out.push_str(theirs.text);
            }
            return;
        };
        out.push_str(&self.site.eol.repeat(theirs.breaks.saturating_sub(base.breaks)));
        match self.pairing.source(0) {
            Some(0) if theirs.indent == base.indent => out.push_str(indent),
            // One line whose indent new has right: it is not meant to go deeper still.
            Some(0) if theirs.indent == indent && !self.merge.old.text.trim().contains('\n') => {
                out.push_str(indent);
            }
            Some(i) if i > 0 => {
                let known = Gap::new(self.merge.old.gap(i));
                let ours = self.merge.file_gap(i).filter(|gap| gap.contains('\n'));
                match ours {
                    Some(ours) if known.breaks > 0 && known.indent == theirs.indent => {
                        out.push_str(Gap::new(ours).indent);
                    }
                    _ => out.push_str(&self.indents.ours(theirs.indent, i)),
                }
            }
            _ => out.push_str(&self.indents.ours(theirs.indent, 0)),
        }
    }

    pub(super) fn gap(&self, index: usize, out: &mut String) -> Result<(), Conflict> {
        let theirs = self.merge.new.gap(index);
        let before = self.pairing.source(index - 1);
        let source = self.pairing.source(index).filter(|i| *i > 0);
        let Some(i) = source else {
            self.converted(theirs, before, index, out);
            return Ok(());
        };
        let base = self.merge.old.gap(i);
        let ours = self.merge.file_gap(i);
        let Some(ours) = ours else {
            self.converted(theirs, before, index, out);
            return Ok(());
        };
        let only_space = !ours.contains('\n') && same_gap(base, theirs);
        if base == theirs || only_space {
            if only_space && before.map(|k| k + 1) == Some(i)
                || before.map(|k| k + 1) == Some(i)
                || !theirs.contains('\n')
            {
                out.push_str(ours);
            } else if ours.contains('\n') {
                self.line_end(theirs, before, out);
                let gap = Gap::new(ours);
                out.push_str(self.left_out(before, i));
                out.push_str(gap.middle);
                out.push_str(gap.indent);
            } else {
                self.converted(theirs, before, index, out);
            }
            return Ok(());
        }
        self.changed(i, theirs, before, ours, out)
    }

    /// Lines that old left out before lines that new removes: they were not meant.
    fn left_out(&self, before: Option<usize>, i: usize) -> &str {
        let Some(removed) = before.map(|k| k + 1).filter(|removed| *removed < i) else { return "" };
        let base = Gap::new(self.merge.old.gap(removed));
        let ours = self.merge.file_gap(removed).map(Gap::new);
        match ours {
            Some(ours)
                if base.breaks > 0 && ours.breaks > base.breaks && base.middle.is_empty() =>
            {
                ours.middle
            }
            _ => "",
        }
    }

    /// A gap that new changed and the file has.
    fn changed(
        &self,
        i: usize,
        theirs: &str,
        before: Option<usize>,
        ours: &str,
        out: &mut String,
    ) -> Result<(), Conflict> {
        let base = Gap::new(self.merge.old.gap(i));
        let (new, file) = (Gap::new(theirs), Gap::new(ours));
        let has_text = !ours.trim().is_empty() && !base.text.contains(ours.trim());
        if new.breaks == 0 || base.breaks == 0 || file.breaks == 0 {
            if has_text && new.breaks == 0 {
                return Err(Conflict(self.merge.near(i)));
            }
            self.converted(theirs, before, i, out);
            return Ok(());
        }
        self.line_end(theirs, before, out);
        let removed = before.map(|k| k + 1).filter(|k| *k < i);
        let before_removed =
            removed.filter(|k| same_lines(Gap::new(self.merge.old.gap(*k)).middle, new.middle));
        let kept = before_removed.and_then(|k| self.merge.file_gap(k)).map(Gap::new);
        let around = removed.and_then(|k| self.around_removed(k, i, new.middle));
        if let Some(lines) = around {
            out.push_str(&lines);
        } else if let Some(kept) = kept.filter(|kept| kept.breaks > 0 && !new.middle.is_empty()) {
            out.push_str(kept.middle);
        } else if new.middle == base.middle
            || file.middle != base.middle && same_lines(new.middle, base.middle)
        {
            out.push_str(file.middle);
        } else if let Some(tail) = tail_of(base.middle, new.middle, file.middle) {
            out.push_str(tail);
        } else if !file.middle.trim().is_empty() && !base.middle.contains(file.middle.trim()) {
            return Err(Conflict(self.merge.near(i)));
        } else {
            self.middle(new.middle, file.middle, out);
        }
        if new.indent == base.indent {
            out.push_str(file.indent);
        } else {
            out.push_str(&self.indents.ours(new.indent, i));
        }
        Ok(())
    }

    /// The file's blank lines before and after lines that new removes, where new has both.
    fn around_removed(&self, removed: usize, i: usize, middle: &str) -> Option<String> {
        let known = |k: usize| Gap::new(self.merge.old.gap(k)).middle;
        let ours = |k: usize| self.merge.file_gap(k).map(Gap::new).filter(|gap| gap.breaks > 0);
        let (before, after) = (ours(removed)?.middle, ours(i)?.middle);
        let both = !known(removed).is_empty() && !known(i).is_empty();
        let blank = before.trim().is_empty() && after.trim().is_empty();
        let same = same_lines(&[known(removed), known(i)].concat(), middle);
        (both && blank && same).then(|| [before, after].concat())
    }

    /// A gap that only new knows.
    fn converted(&self, theirs: &str, before: Option<usize>, index: usize, out: &mut String) {
        let gap = Gap::new(theirs);
        if gap.breaks == 0 {
            out.push_str(theirs);
            return;
        }
        self.line_end(theirs, before, out);
        let usual = self.usual(gap.breaks);
        let ours = self.same_middle(gap.middle, before);
        if let Some(ours) = ours.or_else(|| self.moved_middle(gap.middle, index)) {
            out.push_str(ours);
        } else if usual == gap.breaks {
            self.middle(gap.middle, "", out);
        } else {
            out.push_str(&self.site.eol.repeat(usual - 1));
        }
        let near =
            (0..=index.min(self.merge.new.len() - 1)).rev().find_map(|j| self.pairing.source(j));
        out.push_str(&self.indents.ours(gap.indent, near.unwrap_or(0)));
    }

    /// The file's lines for those between a line and the next that old has there too.
    fn same_middle(&self, middle: &str, before: Option<usize>) -> Option<&str> {
        let k = before.map(|k| k + 1).filter(|k| *k < self.merge.old.len())?;
        let known = Gap::new(self.merge.old.gap(k)).middle;
        let ours = self.merge.file_gap(k).map(Gap::new).filter(|ours| ours.breaks > 0)?;
        (!middle.is_empty() && same_lines(known, middle)).then_some(ours.middle)
    }

    /// The file's blank lines for those that stood near in old, between the tokens that new has
    /// before and after: they were moved.
    fn moved_middle(&self, middle: &str, index: usize) -> Option<&str> {
        if middle.is_empty() || !middle.trim().is_empty() {
            return None;
        }
        let count = self.merge.new.len();
        let index = index.min(count);
        let from = (0..index).rev().find_map(|j| self.pairing.source(j))? + 1;
        let to = (index..count).find_map(|j| self.pairing.source(j))?;
        let mut same = (from..=to)
            .filter(|k| same_lines(Gap::new(self.merge.old.gap(*k)).middle, middle))
            .filter_map(|k| self.merge.file_gap(k).map(Gap::new));
        let ours = same.next().filter(|ours| ours.breaks == breaks(middle) + 1)?;
        same.next().is_none().then_some(ours.middle)
    }

    /// How many line breaks the file has where old has this many, if it is always fewer: then
    /// blank lines are the model's habit.
    fn usual(&self, count: usize) -> usize {
        let (old, merge) = (self.merge.old, self.merge);
        let alike = (1..old.len()).filter(|i| breaks(old.gap(*i)) == count);
        let mut ours = alike.map(|i| merge.file_gap(i).map_or(count, breaks));
        let Some(first) = ours.next() else { return count };
        if count > 1 && first > 0 && first < count && ours.all(|other| other == first) {
            first
        } else {
            count
        }
    }

    /// Whole lines of new, blank ones without space; those that the file has there as it has them.
    fn middle(&self, lines: &str, ours: &str, out: &mut String) {
        for line in lines.split_inclusive('\n') {
            let same = |other: &&str| other.trim() == line.trim() && !line.trim().is_empty();
            if let Some(known) = ours.split_inclusive('\n').find(same) {
                out.push_str(known);
                continue;
            }
            out.push_str(line.trim_end());
            out.push_str(self.site.eol);
        }
    }

    /// Ends a line: a line of the file as the file does.
    fn line_end(&self, theirs: &str, before: Option<usize>, out: &mut String) {
        let new = Gap::new(theirs);
        let Some(k) = before else {
            out.push_str(if self.careless() { new.trail.trim_end() } else { new.trail });
            out.push_str(self.site.eol);
            return;
        };
        let old = self.merge.old;
        let base = Gap::new(old.gap(k + 1));
        let (ours, eol) = self.file_tail(k);
        let at_end = k + 1 == old.len();
        let known = if base.breaks > 0 || at_end { base.trail } else { "" };
        // Space that new has at the end of a line is meant only where old's was right.
        let only_space = new.trail.trim().is_empty() && known.trim().is_empty();
        let unknown = !ours.trim().is_empty() || at_end || self.careless();
        let keeps = new.trail == known || only_space && unknown;
        out.push_str(if keeps { ours } else { new.trail });
        out.push_str(eol.unwrap_or(self.site.eol));
    }

    /// Whether old has space at the end of a line where the file has none.
    fn careless(&self) -> bool {
        (1..self.merge.old.len()).any(|i| {
            let base = Gap::new(self.merge.old.gap(i));
            let careless =
                base.breaks > 0 && !base.trail.is_empty() && base.trail.trim().is_empty();
            careless && self.merge.file_gap(i).is_some_and(|ours| Gap::new(ours).trail.is_empty())
        })
    }

    /// What follows a token of old in its line of the file, and how that line ends.
    fn file_tail(&self, k: usize) -> (&str, Option<&'static str>) {
        let source = self.merge.source;
        if k + 1 == self.merge.old.len() {
            return (&source.text[self.site.last..self.site.end], source.eol_at(self.site.end));
        }
        // A token that is gone stands in what the file has for the ones before it.
        let before = self.merge.places[..=k].iter().rev().find_map(Place::range);
        let Some(end) = before.map(|range| range.end) else { return ("", None) };
        match self.merge.file_gap(k + 1).and_then(|gap| gap.find('\n')) {
            Some(_) => {
                let stop = source.line_end(end);
                (&source.text[end..stop], source.eol_at(stop))
            }
            None => ("", None),
        }
    }
}
