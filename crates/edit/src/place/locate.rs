//! Looks for one piece after the other.

use std::cell::OnceCell;

use super::build::{build, says_ends};
use super::choose::Hints;
use super::failure::{Problem, short};
use super::hunk::Hunk;
use super::ladder::Effort;
use super::scope::{contains, nearest, scopes};
use super::splice::Splice;
use super::{Piece, Placed};
use crate::lines::{BOM, Ends, Finder, Lines, has_lone_cr};
use crate::{Level, Repair};

/// So many pieces may fail before the rest is not looked for any more.
const MAX_FAILURES: usize = 20;

/// What became of a piece, and what it changes.
pub(super) type Found = (Placed, Option<Splice>);

/// Looks for pieces in one text, in the order in which they were sent.
pub(super) struct Locator<'a> {
    pub(super) content: &'a str,
    piece: Piece,
    pub(super) literal: Finder<'a>,
    /// The text has carriage returns or a byte order mark.
    is_odd: bool,
    loose: OnceCell<Finder<'a>>,
    lone_cr: OnceCell<Option<Finder<'a>>>,
    /// Where the piece before ended, in bytes.
    after: usize,
    /// How many lines from where it was said to be the piece before was.
    pub(super) drift: isize,
    /// Which of its equals the piece is, and how many there are.
    twin: (usize, usize),
    failures: usize,
    pub(super) effort: Effort,
}

impl<'a> Locator<'a> {
    pub(super) fn new(content: &'a str, piece: Piece) -> Self {
        Self {
            content,
            piece,
            literal: Finder::new(Lines::new(content, Ends::Literal)),
            is_odd: content.contains('\r') || content.starts_with(BOM),
            loose: OnceCell::new(),
            lone_cr: OnceCell::new(),
            after: 0,
            drift: 0,
            twin: (0, 1),
            failures: 0,
            effort: Effort::default(),
        }
    }

    /// Where a piece belongs and what it changes; no change if it has already been made.
    pub(super) fn locate(&mut self, hunk: &Hunk, twin: (usize, usize)) -> Result<Found, Problem> {
        self.twin = twin;
        if self.failures >= MAX_FAILURES {
            return Err(Problem::NotTried);
        }
        let found = if hunk.old().next().is_none() {
            self.insertion(hunk)
        } else {
            self.by_lines(hunk).and_then(|found| match found {
                Some(found) => Ok(found),
                None => self.by_ladder(hunk),
            })
        };
        self.failures += usize::from(found.is_err());
        found
    }

    fn loose(&self) -> &Finder<'a> {
        self.loose.get_or_init(|| Finder::new(Lines::new(self.content, Ends::Loose)))
    }

    fn lone_cr(&self) -> Option<&Finder<'a>> {
        let make = || Finder::new(Lines::new(self.content, Ends::LoneCr));
        self.lone_cr.get_or_init(|| has_lone_cr(self.content).then(make)).as_ref()
    }

    /// As whole lines: byte for byte, then whatever the line ends are.
    fn by_lines(&mut self, hunk: &Hunk) -> Result<Option<Found>, Problem> {
        let shorter = hunk.without_empty_tail();
        for hunk in std::iter::once(hunk).chain(&shorter) {
            if let Some((found, at, end)) = self.as_they_are(hunk)? {
                self.passed(hunk, at, end);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// What was found, its first line, and the byte where it ends.
    fn as_they_are(&self, hunk: &Hunk) -> Result<Option<(Found, usize, usize)>, Problem> {
        let literal: Vec<_> = hunk.old().map(|line| line.text.as_str()).collect();
        let bare: Vec<_> =
            literal.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let is_odd = self.is_odd || bare != literal;
        for ends in [Ends::Literal, Ends::Loose, Ends::LoneCr] {
            let (finder, wanted, level) = match ends {
                Ends::Literal => (Some(&self.literal), &literal, Level::Exact),
                Ends::Loose => (is_odd.then(|| self.loose()), &bare, Level::Crlf),
                Ends::LoneCr => (self.lone_cr(), &bare, Level::Crlf),
            };
            let Some(finder) = finder else { continue };
            let places = finder.find(wanted);
            if places.is_empty() {
                continue;
            }
            let lines = &finder.lines;
            let at = self.choose(lines, hunk, wanted.len(), places)?;
            // Both have the same lines; which ends there are, only one tells.
            let adopts_ends = ends == Ends::Literal && self.is_odd && !says_ends(hunk);
            let splice = build(if adopts_ends { &self.loose().lines } else { lines }, hunk, at);
            let line = lines.at(splice.span.start) + 1;
            let done = Placed::Applied { line, level, repair: Repair::None };
            return Ok(Some(((done, Some(splice)), at, lines.start(at + wanted.len()))));
        }
        Ok(None)
    }

    fn choose(
        &self,
        lines: &Lines<'_>,
        hunk: &Hunk,
        height: usize,
        mut places: Vec<usize>,
    ) -> Result<usize, Problem> {
        if !hunk.headers.is_empty() {
            let scopes = scopes(lines, &hunk.headers).map_err(|header| no_header(lines, header))?;
            let first = scopes.first().map_or(0, |scope| scope.start);
            let inside: Vec<_> =
                places.iter().copied().filter(|place| contains(&scopes, *place)).collect();
            let behind = places.iter().copied().filter(|place| *place >= first).collect();
            let left = if inside.is_empty() { behind } else { inside };
            if left.is_empty() {
                return Err(outside(hunk, places.first().map_or(1, |place| place + 1)));
            }
            places = left;
        }
        let hints = self.hints(lines, hunk, height);
        hints.choose(places).map_err(|left| {
            let lines = left.into_iter().map(|line| line + 1).collect();
            Problem::Ambiguous { lines }
        })
    }

    fn hints<'b>(&self, lines: &'b Lines<'b>, hunk: &'b Hunk, height: usize) -> Hints<'b> {
        let after = self.after_line(lines);
        Hints { lines, hunk, height, after, drift: self.drift, twin: self.twin }
    }

    /// Hunks are in order; blocks need not be.
    pub(super) fn after_line(&self, lines: &Lines<'_>) -> usize {
        match self.piece {
            Piece::Hunk => lines.at(self.after),
            Piece::Block => 0,
        }
    }

    pub(super) fn passed(&mut self, hunk: &Hunk, at: usize, end: usize) {
        self.after = end;
        if let (Some(start), Piece::Hunk) = (hunk.start, self.piece) {
            self.drift = (at + 1).cast_signed().saturating_sub_unsigned(start);
        }
    }

    /// New lines with nothing beside them: behind the header, at the line that is told, or at the
    /// end.
    fn insertion(&mut self, hunk: &Hunk) -> Result<Found, Problem> {
        if self.piece == Piece::Block && !self.content.is_empty() {
            return Err(Problem::NoSearch);
        }
        let lines = match self.lone_cr() {
            Some(finder) if !self.content.contains('\n') => &finder.lines,
            _ if self.is_odd => &self.loose().lines,
            _ => &self.literal.lines,
        };
        let at = match hunk.start {
            _ if hunk.end_of_file => lines.len(),
            _ if !hunk.headers.is_empty() => self.behind_header(lines, hunk)?,
            Some(line) if line > lines.len() => {
                return Err(Problem::PastEnd { lines: lines.len() });
            }
            Some(line) => line,
            None => lines.len(),
        };
        let splice = build(lines, hunk, at);
        let line = at.min(lines.len().saturating_sub(1)) + 1;
        self.after = splice.span.end;
        Ok((Placed::Applied { line, level: Level::Exact, repair: Repair::None }, Some(splice)))
    }

    fn behind_header(&self, lines: &Lines<'_>, hunk: &Hunk) -> Result<usize, Problem> {
        let scopes = scopes(lines, &hunk.headers).map_err(|header| no_header(lines, header))?;
        let places = scopes.iter().map(|scope| scope.start).collect();
        self.hints(lines, hunk, 1).choose(places).map(|line| line + 1).map_err(|left| {
            Problem::Ambiguous { lines: left.into_iter().map(|line| line + 1).collect() }
        })
    }
}

pub(super) fn no_header(lines: &Lines<'_>, header: &str) -> Problem {
    let nearest = nearest(lines, header).map(|at| (at + 1, short(lines.body(at)).to_owned()));
    Problem::NoHeader { header: header.to_owned(), nearest }
}

pub(super) fn outside(hunk: &Hunk, line: usize) -> Problem {
    Problem::OutsideHeader { header: hunk.headers.last().cloned().unwrap_or_default(), line }
}
