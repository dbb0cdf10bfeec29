//! The lines of a text file, numbered as `cat -n` prints them, and the call that reads on.

use std::io::Result;

use dogu_tool::CancelFlag;

use super::encoding::Coding;
use super::lines::{Line, Lines};
use super::oddities::Oddities;
use super::part::{Slice, Slices, Start, Style, after, call_for};
use super::plain::{Counter, PlainLines};
use super::source::{Origin, Source};
use super::{KEPT_BYTES, MAX_LINE_CHARS, MAX_LINES};

/// How far the rest of a file is read to say how many lines it has.
const MAX_COUNT_BYTES: u64 = super::source::MAX_HASHED_BYTES;
/// How much room is made for a text before its length is known.
const FIRST_ROOM: usize = 32 * 1024;

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
        let mut view = View::new(self.coding, self.budget);
        if let Origin::Plain(text) = self.origin {
            let total = view.take_plain(PlainLines::new(text), &slices);
            return Ok(Shown {
                text: view.report(self.path, &slices, how, Some(total)),
                hash: None,
            });
        }
        let mut lines = self.lines()?;
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

/// Where the text goes on after so many characters, if it does.
fn end_of_chars(text: &str, chars: usize) -> Option<usize> {
    // No text has more characters than bytes, and few lines have so many of them.
    if text.len() <= chars {
        return None;
    }
    text.char_indices().nth(chars).map(|(at, _)| at)
}

/// Bytes that were put together of whole texts.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
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
    /// UTF-8: what it is made of is known to be, and is not asked piece by piece.
    text: Vec<u8>,
    shown: usize,
    last: u64,
    /// The ranges that are shown, for words.
    ranges: Vec<Slice>,
    full: bool,
    replaced: bool,
    /// All of the text is plain.
    plain: bool,
}

impl View {
    pub(super) fn new(coding: Coding, budget: usize) -> Self {
        Self {
            coding,
            budget,
            text: Vec::with_capacity(budget.min(FIRST_ROOM)),
            shown: 0,
            last: 0,
            ranges: Vec::new(),
            full: false,
            replaced: false,
            plain: false,
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

    /// Shows ranges of a plain text; gives the number of its lines.
    fn take_plain(&mut self, mut lines: PlainLines<'_>, slices: &[Slice]) -> u64 {
        self.plain = true;
        let mut number = 0;
        for slice in slices {
            let before = slice.first - 1 - number;
            let skipped = lines.skip(before);
            number += skipped;
            if skipped < before || self.take_plain_range(&mut lines, slice.last, &mut number) {
                return number;
            }
            if self.is_full() {
                break;
            }
        }
        number + lines.count()
    }

    /// Shows lines up to one; `number` is the line that was passed last. True at the end.
    fn take_plain_range(
        &mut self,
        lines: &mut PlainLines<'_>,
        last: u64,
        number: &mut u64,
    ) -> bool {
        let mut counter = Counter::at(*number + 1);
        while *number < last && !self.is_full() {
            let Some(line) = lines.next() else { return true };
            *number += 1;
            let text = line.strip_suffix(b"\n");
            let kept = text.unwrap_or(line);
            if kept.len() > MAX_LINE_CHARS {
                let start = &kept[..kept.len().min(KEPT_BYTES)];
                self.show(*number, &Line::new(start, line.len() as u64, text.is_some()));
            } else if self.has_room_for(kept.len()) {
                self.text.extend_from_slice(counter.letters());
                self.text.extend_from_slice(line);
                if text.is_none() {
                    self.text.push(b'\n');
                }
                self.note_shown(*number);
            }
            counter.advance();
        }
        false
    }

    /// Whether there is room for a line of so many bytes. One is shown in any case.
    fn has_room_for(&mut self, line: usize) -> bool {
        self.full |= self.shown > 0 && self.text.len() + line > self.budget;
        !self.full
    }

    /// Adds a line, unless there is no room for it.
    pub(super) fn show(&mut self, number: u64, line: &Line<'_>) {
        let (text, replaced) = self.coding.decode(&line.start);
        let marked = number == 1 && self.coding == (Coding::Utf8 { marked: true });
        let text = text.strip_prefix('\u{feff}').filter(|_| marked).unwrap_or(&text);
        let end = end_of_chars(text, MAX_LINE_CHARS);
        let kept = &text[..end.unwrap_or(text.len())];
        if !self.has_room_for(kept.len()) {
            return;
        }
        self.text.extend_from_slice(Counter::at(number).letters());
        self.text.extend_from_slice(kept.as_bytes());
        if end.is_some() || line.is_longer_than_kept() {
            let cut = format!(" [... line of {} bytes cut]", line.length);
            self.text.extend_from_slice(cut.as_bytes());
        }
        self.text.push(b'\n');
        // What was not kept of a long line may have cut its last character in two, which is not
        // among those shown: only these are looked at.
        self.replaced |= replaced && kept.contains('\u{fffd}');
        self.note_shown(number);
    }

    #[inline]
    fn note_shown(&mut self, number: u64) {
        self.shown += 1;
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
        let mut text = into_text(self.text);
        let oddities = if self.plain { Oddities::default() } else { Oddities::of(&text) };
        let broken = self
            .replaced
            .then(|| format!("(bytes that are not {} are shown as \u{fffd})", self.coding.name()));
        for note in [self.coding.note(), broken, oddities.note()].into_iter().flatten() {
            text.push_str(&note);
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::super::encoding::detect;
    use super::super::part::Block;
    use super::super::plain::is_plain;
    use super::*;

    /// Letters, ends of lines, what is not UTF-8, what nobody sees, and long lines.
    fn content() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => "[ -~]{0,40}".prop_map(String::into_bytes),
            8 => "\n|\r\n|\r".prop_map(String::into_bytes),
            2 => "[가-힣é\u{200b}\u{1b}]{1,9}".prop_map(String::into_bytes),
            1 => Just(b"\xe9\xff\xc3".to_vec()),
            1 => (1_995_usize..8_010).prop_map(|size| vec![b'x'; size]),
            1 => (500_usize..2_700).prop_map(|count| "글".repeat(count).into_bytes()),
        ];
        let plain = prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat());
        let wide = |bytes: Vec<u8>| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let units = std::iter::once(0xfeff).chain(text.encode_utf16().collect::<Vec<_>>());
            units.flat_map(u16::to_le_bytes).collect()
        };
        let printed = prop_oneof![
            8 => "[\t -~]{0,40}",
            8 => Just("\n".to_owned()),
            1 => (1_995_usize..8_010).prop_map(|size| "x".repeat(size)),
        ];
        let printed = prop::collection::vec(printed, 0..40);
        let printed = printed.prop_map(|pieces| pieces.concat().into_bytes());
        prop_oneof![4 => plain.clone(), 4 => printed, 1 => plain.prop_map(wide)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_held_is_shown_as_what_streams(
            content in content(), first in 1_u64..30, last in 1_u64..60, odd in any::<bool>(),
        ) {
            let content = if odd { &content[..content.len().saturating_sub(1)] } else { &content };
            let Some(coding) = detect(content, true) else { return Ok(()) };
            let mut file = tempfile::tempfile()?;
            file.write_all(content)?;
            let cancel = CancelFlag::new();
            let of = |origin| TextFile { origin, coding, path: "f", budget: 9_000, cancel: &cancel };
            let streams = of(Origin::File(&file, content.len() as u64));
            let held = of(Origin::Held(content));
            let plain = is_plain(content).then(|| of(Origin::Plain(content)));
            let range = Slice { first, last: first.max(last) };
            for slices in [
                Slices::Counted { start: Start::Line(first), limit: None },
                Slices::Counted { start: Start::FromEnd(first), limit: Some(last) },
                Slices::of(vec![range], Style::Range),
            ] {
                let shown = streams.show(&slices)?;
                prop_assert_eq!(&held.show(&slices)?.text, &shown.text);
                if let Some(plain) = plain {
                    prop_assert_eq!(&plain.show(&slices)?.text, &shown.text);
                }
                prop_assert_eq!(shown.hash, Some(*blake3::hash(content).as_bytes()));
            }
            let block =
                Block { anchor: first, max_levels: 0, siblings: true, header: true, most: last };
            prop_assert_eq!(held.show_block(&block)?.text, streams.show_block(&block)?.text);
        }
    }

    #[test]
    fn a_plain_line_is_cut_where_every_other_one_is() {
        let cancel = CancelFlag::new();
        for size in [MAX_LINE_CHARS - 1, MAX_LINE_CHARS, MAX_LINE_CHARS + 1, KEPT_BYTES + 1] {
            let line = "x".repeat(size);
            for content in [line.clone(), format!("{line}\n"), format!("a\n{line}\nb")] {
                let coding = Coding::Utf8 { marked: false };
                let of = |origin| {
                    let file =
                        TextFile { origin, coding, path: "f", budget: 90_000, cancel: &cancel };
                    let slices = Slices::Counted { start: Start::Line(1), limit: None };
                    file.show(&slices).unwrap().text
                };
                let (plain, held) =
                    (Origin::Plain(content.as_bytes()), Origin::Held(content.as_bytes()));
                assert_eq!(of(plain), of(held), "{size}");
            }
        }
    }

    #[test]
    fn only_what_comes_after_so_many_characters_is_cut() {
        for (text, end) in [("", None), ("abc", None), ("abcd", Some(3)), ("글글글", None)] {
            assert_eq!(end_of_chars(text, 3), end, "{text}");
        }
        assert_eq!(end_of_chars("글글글a", 3), Some(9));
    }
}
