//! Which level hits, and how often; then the merge, or the refusal.

mod align;
mod already;
mod bounds;
mod literal;
mod settle;
mod shared;

use std::ops::Range;

use crate::elision::Reading;
use crate::grade::grade;
use crate::leads::leads;
use crate::merge::{Conflict, Merge, Patch};
use crate::refusal::{self, Reason, Refusal};
use crate::remarks::remarks;
use crate::repair::{self, Pair};
use crate::spans::Source;
use crate::tokens::Tokens;
use crate::view::{Sight, View};
use crate::{Count, Edit, Level, Outcome, Repair, elision, flow, fuzzy};
pub(crate) use align::{aligned, find_unseen, next_char};
use literal::{literal, stands_around};
use settle::settle;
use shared::{missing, own_remarks, shared_remarks};

/// Beyond this many bytes only exact text is looked for: views take several times the memory.
pub(crate) const MOST_VIEWED: usize = 48 << 20;
/// More places than these are counted for nobody.
const MOST_PLACES: usize = 10_000;
/// Comments of old that may not stand where the rest of it does.
const MOST_MISSING: usize = 1;
/// A text shorter than this says nothing when it stands in the file.
const TELLING: usize = 12;

/// Where the old text stands at one level.
#[derive(Debug)]
pub(crate) struct Hits {
    pub(crate) level: Level,
    /// The patches of each place, and the byte where it begins.
    pub(crate) places: Vec<(usize, Vec<Patch>)>,
    pub(crate) repair: Repair,
}

/// What a look at some levels ended with.
pub(crate) enum Look {
    /// Not here.
    Nothing,
    Found(Hits),
    Already(usize),
}

/// One pair on its way down the ladder.
pub(crate) struct Climb<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    pub(crate) edit: &'a Edit<'a>,
    pub(crate) repair: Repair,
    pub(crate) old_view: View,
    /// Whether typographic characters were written plainly.
    plain: bool,
}

pub(crate) fn apply(content: &str, edit: &Edit<'_>) -> Result<Outcome, Refusal> {
    let (old, new) = (edit.old.replace("\r\n", "\n"), edit.new.replace("\r\n", "\n"));
    refusal::check_input(&old, &new)?;
    elision::check_new(&old, &new, content)?;
    let source = Source::new(content);
    let exact = Pair { old, new, repair: Repair::None, plain: false };
    if content.len() > MOST_VIEWED || exact.old.len() > MOST_VIEWED {
        return apply_exactly(&source, &exact, edit);
    }
    if let Some(found) = literal(&source, &exact, edit) {
        if let Some(line) = stands_around(&source, &exact, &found) {
            return Ok(Outcome::AlreadyApplied { line });
        }
        return settle(&source, edit, &exact.old, found);
    }
    let pairs = repair::pairs(exact, content);
    let climbs: Vec<Climb<'_>> = pairs.iter().map(|pair| Climb::new(&source, pair, edit)).collect();
    let mut put_off = None;
    for step in [Climb::strict, Climb::reflowed, Climb::past_gaps, Climb::deep, Climb::flowing] {
        let mut already = None;
        for climb in &climbs {
            match step(climb) {
                Ok(Look::Nothing) => {}
                // Another reading of old may stand there: new can be a part of it.
                Ok(Look::Already(line)) => already = already.or(Some(line)),
                Ok(Look::Found(hits)) => {
                    return settle(&source, edit, climb.old, climb.with_rivals(hits));
                }
                // Another reading or a later level may still fit.
                Err(refusal)
                    if matches!(refusal.reason, Reason::UnpairedElision | Reason::Conflict) =>
                {
                    put_off = put_off.or(Some(refusal));
                }
                Err(refusal) => return Err(refusal),
            }
        }
        if let Some(line) = already {
            return Ok(Outcome::AlreadyApplied { line });
        }
    }
    let last = climbs.last().map_or(edit.old, |climb| climb.old);
    Err(put_off.unwrap_or_else(|| refusal::not_found(&source, edit, last)))
}

fn apply_exactly(source: &Source<'_>, pair: &Pair, edit: &Edit<'_>) -> Result<Outcome, Refusal> {
    match literal(source, pair, edit) {
        Some(hits) => settle(source, edit, &pair.old, hits),
        None => Err(refusal::too_large(edit)),
    }
}

impl<'a> Climb<'a> {
    fn new(source: &'a Source<'a>, pair: &'a Pair, edit: &'a Edit<'a>) -> Self {
        let old_view = View::new(&pair.old, Sight::Plain, &[]);
        Self {
            source,
            old: &pair.old,
            new: &pair.new,
            edit,
            repair: pair.repair,
            old_view,
            plain: pair.plain,
        }
    }

    /// The same for a part of the texts.
    pub(crate) fn of_part<'b>(&'b self, old: &'b str, new: &'b str) -> Climb<'b> {
        let old_view = View::new(old, Sight::Plain, &[]);
        Climb {
            source: self.source,
            old,
            new,
            edit: self.edit,
            repair: self.repair,
            old_view,
            plain: self.plain,
        }
    }

    /// The hits, with the places that are as near in another way: where old stands without a
    /// comment or with other line breaks here, and with another word there, it cannot be told
    /// which is meant.
    fn with_rivals(&self, mut hits: Hits) -> Hits {
        let loose = matches!(hits.level, Level::Comments | Level::Tokens);
        if let [(_, patches)] = &hits.places[..]
            && let [Patch { range, .. }] = &patches[..]
            && loose
        {
            let near = fuzzy::near_places(self).into_iter();
            let others: Vec<_> =
                near.filter(|place| place.end <= range.start || place.start >= range.end).collect();
            hits.places.extend(others.into_iter().map(|place| (place.start, Vec::new())));
        }
        hits
    }

    /// Everything that ignores white space or typography only.
    fn strict(&self) -> Result<Look, Refusal> {
        if self.old_view.len() == 0 {
            return Ok(Look::Nothing);
        }
        let file = self.source.plain();
        let found = file.find(&self.old_view.bytes, MOST_PLACES);
        let graded = self.best(&self.bounded(file, &self.old_view, found));
        let Some((level, hits)) = graded else {
            return Ok(self.already().map_or(Look::Nothing, Look::Already));
        };
        if let Some(line) = self.already_around(level, &hits) {
            return Ok(Look::Already(line));
        }
        let (old, new) = (Tokens::new(self.old, &[]), Tokens::new(self.new, &[]));
        let places = self.merged(&old, &new, file, &self.old_view, &hits, &[])?;
        let level = if self.plain { level.max(Level::Unicode) } else { level };
        Ok(Look::Found(Hits { level, places, repair: self.repair }))
    }

    /// The hits of the strictest level that has any.
    fn best(&self, hits: &[(usize, bool)]) -> Option<(Level, Vec<usize>)> {
        let file = self.source.plain();
        let rank = |level: Level| if level == Level::Crlf { Level::Exact } else { level };
        let graded: Vec<(Level, usize)> = hits
            .iter()
            .map(|(hit, bounded)| {
                (grade(self.old, &self.old_view, self.source, file, *hit), *hit, *bounded)
            })
            .filter(|(level, _, bounded)| *bounded || rank(*level) == Level::Exact)
            .map(|(level, hit, _)| (level, hit))
            .collect();
        let best = graded.iter().map(|(level, _)| rank(*level)).min()?;
        let chosen = graded.iter().filter(|(level, _)| rank(*level) == best);
        let level = chosen.clone().map(|(level, _)| *level).max()?;
        Some((level, chosen.map(|(_, hit)| *hit).collect()))
    }

    /// Comments and elisions looked past.
    fn past_gaps(&self) -> Result<Look, Refusal> {
        if let Look::Found(hits) = self.past_remarks()? {
            return Ok(Look::Found(hits));
        }
        elision::look(self, Reading::Strict)
    }

    fn past_remarks(&self) -> Result<Look, Refusal> {
        let (in_old, in_new) = shared_remarks(self.old, self.new);
        let (in_file, file) = self.source.bare();
        if in_old.is_empty() && in_file.is_empty() {
            return Ok(Look::Nothing);
        }
        let own = own_remarks(self.old, &in_old);
        let skipped: Vec<Range<usize>>;
        let with_own: View;
        let (in_file, file) = if own.is_empty() {
            (in_file, file)
        } else {
            // What the edit is about must be seen in the file too.
            let is_own =
                |range: &Range<usize>| own.contains(&self.source.text[range.clone()].trim());
            skipped = in_file.iter().filter(|range| !is_own(range)).cloned().collect();
            with_own = View::new(self.source.text, Sight::Plain, &skipped);
            (&skipped[..], &with_own)
        };
        let old_view = View::new(self.old, Sight::Plain, &in_old);
        let edge = |gap: &str| !gap.trim().is_empty();
        let old = Tokens::new(self.old, &in_old);
        // A comment at an edge has nothing beyond it that would hold it in place.
        let code = View::new(self.old, Sight::Plain, &remarks(self.old));
        if code.len() < TELLING || edge(old.gap(0)) || edge(old.gap(old.len())) {
            return Ok(Look::Nothing);
        }
        let found = file.find(&old_view.bytes, MOST_PLACES);
        let mut hits = self.only_bounded(file, &old_view, found);
        hits.retain(|hit| self.has_remarks(&in_old, file, &old_view, *hit));
        if hits.is_empty() {
            return Ok(Look::Nothing);
        }
        let new = Tokens::new(self.new, &in_new);
        let places = self.merged(&old, &new, file, &old_view, &hits, in_file)?;
        Ok(Look::Found(Hits { level: Level::Comments, places, repair: self.repair }))
    }

    /// Whether a place has these comments of old, but for one that stands nowhere: one that stands
    /// elsewhere is of that place.
    fn has_remarks(&self, in_old: &[Range<usize>], file: &View, old: &View, hit: usize) -> bool {
        let place = file.origin(hit)..file.origin(hit + old.len() - 1);
        let missing = missing(self.old, in_old, &self.source.text[place]);
        let stands = |remark: &&str| {
            let mut all = self.source.bare().0.iter();
            all.any(|range| self.source.text[range.clone()].trim() == *remark)
        };
        missing.len() <= MOST_MISSING && !missing.iter().any(stands)
    }

    /// Other line breaks. Where every token is there, no comment needs to be looked past and no
    /// line to be only similar, so this is asked before that.
    fn reflowed(&self) -> Result<Look, Refusal> {
        let old_view = View::new(self.old, Sight::Loose, &[]);
        let found = self.loosely(&[], &[], &old_view, self.source.loose())?;
        let of_lines = leads(self.old);
        if of_lines.is_empty() || matches!(found, Look::Found(_)) {
            return Ok(found);
        }
        let old_view = View::new(self.old, Sight::Loose, &of_lines);
        self.loosely(&[], &[], &old_view, self.source.flowing())
    }

    /// A few differences.
    fn deep(&self) -> Result<Look, Refusal> {
        for look in [fuzzy::look(self)?, elision::look(self, Reading::Similar)?] {
            if let Look::Found(hits) = look {
                return Ok(Look::Found(hits));
            }
        }
        let (in_old, in_new) = shared_remarks(self.old, self.new);
        let (in_file, _) = self.source.bare();
        if in_old.is_empty() && in_file.is_empty() {
            return Ok(Look::Nothing);
        }
        let old_view = View::new(self.old, Sight::Loose, &in_old);
        self.loosely(&in_old, &in_new, &old_view, self.source.loose_bare())
    }

    /// Other line breaks and another word.
    fn flowing(&self) -> Result<Look, Refusal> {
        match flow::look(self)? {
            Look::Nothing => elision::look(self, Reading::CutOff),
            found => Ok(found),
        }
    }

    fn loosely(
        &self,
        in_old: &[Range<usize>],
        in_new: &[Range<usize>],
        old_view: &View,
        file: &View,
    ) -> Result<Look, Refusal> {
        let (old, new) = (Tokens::new(self.old, in_old), Tokens::new(self.new, in_new));
        let edge = |gap: &str| !gap.trim().is_empty();
        if old_view.len() < 20 || edge(old.gap(0)) || edge(old.gap(old.len())) {
            return Ok(Look::Nothing);
        }
        let found = file.find(&old_view.bytes, MOST_PLACES);
        let mut hits = self.only_bounded(file, old_view, found);
        hits.retain(|hit| {
            self.marks_fit(file, old_view, *hit) && self.has_remarks(in_old, file, old_view, *hit)
        });
        if hits.is_empty() {
            return Ok(Look::Nothing);
        }
        let bare = std::ptr::eq(file, self.source.loose_bare());
        let remarks = if bare { self.source.bare().0 } else { &[] };
        let places = self.merged(&old, &new, file, old_view, &hits, remarks)?;
        Ok(Look::Found(Hits { level: Level::Tokens, places, repair: self.repair }))
    }

    /// Merges at each hit. Several hits of which one will be asked for are only located.
    fn merged(
        &self,
        old: &Tokens<'_>,
        new: &Tokens<'_>,
        file: &View,
        old_view: &View,
        hits: &[usize],
        remarks: &[Range<usize>],
    ) -> Result<Vec<(usize, Vec<Patch>)>, Refusal> {
        let mut out = Vec::new();
        let mut done = 0;
        for hit in hits {
            let start = file.origin(*hit);
            if self.edit.count != Count::One && start < done {
                continue;
            }
            if hits.len() > 1 && self.edit.count == Count::One && self.edit.line.is_none() {
                out.push((start, Vec::new()));
                continue;
            }
            let places = aligned(old, old_view, self.source.text, file, *hit);
            let merge =
                Merge { source: self.source, old, new, places: &places, remarks, end: None };
            let patch = merge.run().map_err(|conflict| self.conflict(conflict))?;
            done = patch.range.end;
            out.push((start, vec![patch]));
        }
        Ok(out)
    }

    pub(crate) fn conflict(&self, conflict: Conflict) -> Refusal {
        refusal::conflict(self.source, self.edit, conflict.0)
    }
}
