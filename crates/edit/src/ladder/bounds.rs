//! Whether a hit begins and ends where old says that something does.

use super::{Climb, next_char};
use crate::fold::{continues_word, is_space};
use crate::remarks::is_remark;
use crate::tokens::Tokens;
use crate::view::View;

impl Climb<'_> {
    /// Whether each hit begins and ends where old says that something does.
    pub(super) fn bounded(
        &self,
        file: &View,
        old_view: &View,
        found: Vec<usize>,
    ) -> Vec<(usize, bool)> {
        let edges = |hit: usize| {
            let start = file.origin(hit);
            let last = file.origin(hit + old_view.len() - 1);
            let end = last + next_char(self.source.text, last).map_or(0, char::len_utf8);
            self.with_unseen_edges(old_view, start, end)
        };
        let checked: Vec<(usize, bool)> = found
            .into_iter()
            .filter(|hit| !self.adds_after_cut_line(edges(*hit).1))
            .map(|hit| {
                let (start, end) = edges(hit);
                (hit, self.fits_before(start) && self.fits_after(end))
            })
            .collect();
        if checked.iter().any(|(_, bounded)| *bounded) {
            return checked;
        }
        let spaced = |hit: usize| {
            let (start, end) = edges(hit);
            self.source.text[..start].ends_with(is_space)
                && self.source.text[end..].starts_with(is_space)
        };
        if !self.old.contains('\n')
            && self.old.starts_with(is_space)
            && self.old.ends_with(is_space)
        {
            return checked.into_iter().map(|(hit, _)| (hit, spaced(hit))).collect();
        }
        if !self.edges_kept() {
            return checked;
        }
        checked.into_iter().map(|(hit, _)| (hit, true)).collect()
    }

    /// A place with what old has at its edges and its view does not show, as far as it is there.
    fn with_unseen_edges(&self, old_view: &View, start: usize, end: usize) -> (usize, usize) {
        let text = self.source.text;
        let last = old_view.origin(old_view.len() - 1);
        let shown = last + next_char(self.old, last).map_or(0, char::len_utf8);
        let head = self.old[..old_view.origin(0)].trim();
        let before = text[..start].trim_end_matches([' ', '\t']);
        let start = if !head.is_empty() && before.ends_with(head) {
            before.len() - head.len()
        } else {
            start
        };
        let tail = self.old[shown..].trim();
        let after = text[end..].trim_start();
        let end = if !tail.is_empty() && after.starts_with(tail) {
            text.len() - after.len() + tail.len()
        } else {
            end
        };
        (start, end)
    }

    pub(super) fn only_bounded(
        &self,
        file: &View,
        old_view: &View,
        found: Vec<usize>,
    ) -> Vec<usize> {
        let bounded = self.bounded(file, old_view, found);
        bounded.into_iter().filter(|(_, bounded)| *bounded).map(|(hit, _)| hit).collect()
    }

    fn fits_before(&self, start: usize) -> bool {
        let Some(before) = self.source.text[..start].chars().next_back() else { return true };
        if self.old.starts_with(is_space) {
            let line = self.source.line_start(start);
            return self.source.text[line..start].trim().is_empty();
        }
        let first = next_char(self.source.text, start);
        let line = self.source.line_start(start);
        if self.begins_with_marks() && !self.source.text[line..start].trim().is_empty() {
            return false;
        }
        !(continues_word(before) && first.is_some_and(continues_word)) || before == '\u{feff}'
    }

    /// Whether the first of several lines has no word: it is a line of its own, not the end of one.
    fn begins_with_marks(&self) -> bool {
        let mut lines = self.old.trim().lines();
        let first = lines.next().unwrap_or_default();
        lines.next().is_some() && !first.chars().any(continues_word)
    }

    /// Whether a mark at an edge of old is at an edge of a line: where lines end elsewhere, it could
    /// be one of what stands beside.
    pub(super) fn marks_fit(&self, file: &View, old_view: &View, hit: usize) -> bool {
        let text = self.source.text;
        let (start, last) = (file.origin(hit), file.origin(hit + old_view.len() - 1));
        let end = last + next_char(text, last).map_or(0, char::len_utf8);
        let before = text[self.source.line_start(start)..start].trim();
        let after = text[end..self.source.line_end(end)].trim();
        let is_mark = |c: Option<char>| c.is_some_and(|c| !continues_word(c));
        let begins = before.is_empty() || !is_mark(next_char(text, start));
        let ends = after.chars().all(|c| !continues_word(c)) || is_remark(after);
        begins && (ends || !is_mark(next_char(text, last)))
    }

    fn fits_after(&self, end: usize) -> bool {
        let Some(after) = next_char(self.source.text, end) else { return true };
        if self.old.ends_with(is_space) {
            let ends_line = self.old.trim_end_matches([' ', '\t']).ends_with('\n');
            let rest = self.source.text[end..self.source.line_end(end)].trim();
            // Several lines of which the last one ends are whole lines.
            return ends_line && (rest.is_empty() || is_remark(rest))
                || is_space(after) && !(ends_line && self.old.trim().contains('\n'));
        }
        let last = self.source.text[..end].chars().next_back();
        !(continues_word(after) && last.is_some_and(continues_word))
    }

    /// Whether old ends in the middle of a line of the file, and new has lines after that one.
    fn adds_after_cut_line(&self, end: usize) -> bool {
        let rest = self.source.text[end..self.source.line_end(end)].trim();
        let (Some(last), Some(last_of_new)) =
            (self.old.lines().next_back(), self.new.trim_end().lines().next_back())
        else {
            return false;
        };
        let cut = !rest.is_empty() && rest != ";" && !is_remark(rest);
        let kept = self.new.lines().any(|line| line.trim() == last.trim());
        self.old.contains('\n') && cut && kept && last.trim() != last_of_new.trim()
    }

    /// Whether an edge that cuts a word does no harm: new has the same piece of it.
    fn edges_kept(&self) -> bool {
        let (old, new) = (Tokens::new(self.old, &[]), Tokens::new(self.new, &[]));
        let several = self.old.trim().contains('\n');
        several
            && !self.old.starts_with(is_space)
            && !self.old.ends_with(is_space)
            && old.len() > 1
            && new.len() > 1
            && old.get(0) == new.get(0)
            && old.get(old.len() - 1) == new.get(new.len() - 1)
    }
}
