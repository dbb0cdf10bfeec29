//! The lines of a text file, numbered as `cat -n` prints them, and the call that reads on.

use std::io::Result;

use dogu_tool::CancelFlag;

use super::encoding::Coding;
use super::lines::{Line, Lines};
use super::oddities::Oddities;
use super::part::{Slice, Slices, Start, Style, after, call_for};
use super::source::{Origin, Source};
use super::{KEPT_BYTES, MAX_LINE_CHARS, MAX_LINES};

/// How far the rest of a file is read to say how many lines it has.
const MAX_COUNT_BYTES: u64 = super::source::MAX_HASHED_BYTES;

/// A file that is known to be text, or what was made of one that is not.
#[derive(Clone, Copy)]
pub(super) struct TextFile<'a> {
    pub(super) origin: Origin<'a>,
    pub(super) coding: Coding,
    /// As the call names it.
    pub(super) path: &'a str,
    /// How many bytes of text may be shown.
    pub(super) budget: usize,
    pub(super) cancel: &'a CancelFlag,
}

/// What was shown, and the hash of the whole file where all of it was read.
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) hash: Option<[u8; 32]>,
}

impl<'a> TextFile<'a> {
    /// The lines of the file from its beginning.
    pub(super) fn lines(&self) -> Result<Lines<'a, Source<'a>>> {
        let source = Source::start(self.origin, self.coding)?;
        Ok(Lines::new(source, self.cancel))
    }

    /// Shows lines by their numbers.
    pub(super) fn show(&self, wanted: &Slices) -> Result<Shown> {
        let (slices, how) = self.resolve(wanted)?;
        let mut lines = self.lines()?;
        let mut view = View::new(self.coding, self.budget);
        let mut number = 0;
        let mut ended = false;
        for slice in &slices {
            ended = view.take(&mut lines, *slice, &mut number)?;
            if ended || view.is_full() {
                break;
            }
        }
        let total = if ended {
            Some(number)
        } else {
            lines.count(MAX_COUNT_BYTES)?.map(|rest| number + rest)
        };
        view.replaced |= lines.inner().had_errors();
        let hash = lines.inner().hash();
        Ok(Shown { text: view.report(self.path, &slices, how, total), hash })
    }

    /// The ranges that are wanted; those from the end need the lines counted first.
    fn resolve(&self, wanted: &Slices) -> Result<(Vec<Slice>, How)> {
        let (start, limit) = match wanted {
            Slices::Listed { slices, style } => {
                return Ok((slices.clone(), How { style: *style, closed: true }));
            }
            Slices::Counted { start, limit } => (start, limit),
        };
        let first = match start {
            Start::Line(first) => *first,
            Start::FromEnd(back) => {
                let total = self.lines()?.count(u64::MAX)?.unwrap_or(0);
                total.saturating_sub(*back) + 1
            }
        };
        let last = limit.map_or(u64::MAX, |limit| first.saturating_add(limit - 1));
        Ok((vec![Slice { first, last }], How { style: Style::Range, closed: false }))
    }
}

/// How lines were asked for.
#[derive(Clone, Copy)]
struct How {
    style: Style,
    /// The last line was named: what is after it is not missed.
    closed: bool,
}

/// Lines as they are shown.
pub(super) struct View {
    coding: Coding,
    budget: usize,
    text: String,
    shown: usize,
    last: u64,
    /// The ranges that are shown, for words.
    ranges: Vec<Slice>,
    full: bool,
    replaced: bool,
    oddities: Oddities,
}

impl View {
    pub(super) fn new(coding: Coding, budget: usize) -> Self {
        Self {
            coding,
            budget,
            text: String::new(),
            shown: 0,
            last: 0,
            ranges: Vec::new(),
            full: false,
            replaced: false,
            oddities: Oddities::default(),
        }
    }

    fn is_full(&self) -> bool {
        self.full || self.shown >= MAX_LINES
    }

    /// Shows a range; `number` is the line that was passed last. True at the end of the file.
    fn take(
        &mut self,
        lines: &mut Lines<'_, Source<'_>>,
        slice: Slice,
        number: &mut u64,
    ) -> Result<bool> {
        let before = slice.first - 1 - *number;
        let skipped = lines.skip(before)?;
        *number += skipped;
        if skipped < before {
            return Ok(true);
        }
        while *number < slice.last && !self.is_full() {
            let Some(line) = lines.next(KEPT_BYTES)? else { return Ok(true) };
            *number += 1;
            self.show(*number, &line);
        }
        Ok(false)
    }

    /// Adds a line, unless there is no room for it. One line is shown in any case.
    pub(super) fn show(&mut self, number: u64, line: &Line) {
        let (text, replaced) = self.coding.decode(&line.start);
        let marked = number == 1 && self.coding == (Coding::Utf8 { marked: true });
        let text = text.strip_prefix('\u{feff}').filter(|_| marked).unwrap_or(&text);
        let end = text.char_indices().nth(MAX_LINE_CHARS).map(|(at, _)| at);
        let kept = &text[..end.unwrap_or(text.len())];
        if self.shown > 0 && self.text.len() + kept.len() > self.budget {
            self.full = true;
            return;
        }
        self.text.push_str(&format!("{number:6}\t{kept}"));
        if end.is_some() || line.is_longer_than_kept() {
            self.text.push_str(&format!(" [... line of {} bytes cut]", line.length));
        }
        self.text.push('\n');
        // What was not kept of a long line may have cut its last character in two, which is not
        // among those shown: only these are looked at.
        self.replaced |= replaced && kept.contains('\u{fffd}');
        self.oddities.look(number, kept);
        self.shown += 1;
        self.note_shown(number);
    }

    fn note_shown(&mut self, number: u64) {
        self.last = number;
        match self.ranges.last_mut() {
            Some(range) if range.last + 1 == number => range.last = number,
            _ => self.ranges.push(Slice { first: number, last: number }),
        }
    }

    /// The lines, and what was left out with the call that reads on.
    fn report(self, path: &str, slices: &[Slice], how: How, total: Option<u64>) -> String {
        if total == Some(0) {
            return format!("({path} is empty)");
        }
        let first = slices.first().map_or(1, |slice| slice.first);
        if self.shown == 0 {
            let total = total.unwrap_or(0);
            let lines = if total == 1 { "line" } else { "lines" };
            return format!("({path} has {total} {lines}; line {first} is past its end)");
        }
        let rest = if how.closed {
            after(slices, self.last)
        } else {
            vec![Slice { first: self.last + 1, last: u64::MAX }]
        };
        let missing = rest.iter().any(|slice| total.is_none_or(|total| slice.first <= total));
        let ends = total == Some(self.last);
        let place = self.place(total);
        let mut text = self.finish();
        if missing {
            let next = call_for(path, &rest, how.style);
            text.push_str(&format!("({place}; read on with {next})\n"));
        } else if how.closed && !ends {
            text.push_str(&format!("({place})\n"));
        }
        text
    }

    /// `lines 1-20 of 300`.
    pub(super) fn place(&self, total: Option<u64>) -> String {
        let of = total.map_or("more".to_owned(), |total| total.to_string());
        let ranges: Vec<String> =
            self.ranges.iter().map(|range| format!("{}-{}", range.first, range.last)).collect();
        format!("lines {} of {of}", ranges.join(", "))
    }

    /// The lines with the notes on them.
    pub(super) fn finish(self) -> String {
        let mut text = self.text;
        let broken = self
            .replaced
            .then(|| format!("(bytes that are not {} are shown as \u{fffd})", self.coding.name()));
        for note in [self.coding.note(), broken, self.oddities.note()].into_iter().flatten() {
            text.push_str(&note);
            text.push('\n');
        }
        text
    }
}
