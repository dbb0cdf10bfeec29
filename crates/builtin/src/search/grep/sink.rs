//! What the searcher finds in one file, as it finds it.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::input::OutputMode;
use super::kept::{FileHits, Line, MAX_KEPT_BYTES};
use super::line;

/// How far past a match its surroundings can matter to the pattern.
const LOOK_AHEAD: usize = 128;

/// Takes what is found in one file.
pub(super) struct FileSink<'a> {
    pub(super) matcher: &'a RegexMatcher,
    pub(super) mode: OutputMode,
    /// Matches span lines, so a block of lines may hold several.
    pub(super) spans_lines: bool,
    /// How many lines of output are kept.
    pub(super) keep: u64,
    pub(super) hits: &'a mut FileHits,
    /// Where the first NUL byte is.
    pub(super) binary_at: Option<u64>,
    /// A line of what follows the NUL byte matches; it is not shown.
    pub(super) matches_in_binary: bool,
    pub(super) new_group: bool,
}

impl FileSink<'_> {
    fn count(&self, found: &SinkMatch<'_>) -> u64 {
        if !self.spans_lines {
            return 1;
        }
        let range = found.bytes_range_in_buffer();
        let buffer = found.buffer();
        let seen = &buffer[..buffer.len().min(range.end.saturating_add(LOOK_AHEAD))];
        let mut count = 0;
        // This matcher's error type has no values.
        let _ = self.matcher.find_iter_at(seen, range.start, |found| {
            let inside = found.start() < range.end;
            count += u64::from(inside);
            inside
        });
        count.max(1)
    }

    fn push(&mut self, text: &[u8], number: Option<u64>, is_match: bool) {
        self.hits.entries += 1;
        let new_group = std::mem::take(&mut self.new_group);
        if self.hits.lines.len() as u64 >= self.keep || self.hits.text.len() > MAX_KEPT_BYTES {
            return;
        }
        let text = line::without_end(text);
        let place = if is_match && line::is_long(text) { self.place_in(text) } else { None };
        let shown = line::show(text, place);
        shown.push_to(&mut self.hits.text);
        self.hits.lines.push(Line {
            number: number.unwrap_or(0),
            is_match,
            new_group,
            cut: shown.cut_start || shown.cut_end,
            replaced: shown.replaced,
            end: self.hits.text.len(),
        });
    }

    fn place_in(&self, text: &[u8]) -> Option<std::ops::Range<usize>> {
        self.matcher.find(text).ok().flatten().map(|found| found.start()..found.end())
    }
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        match self.mode {
            OutputMode::FilesWithMatches => {
                self.hits.matches = 1;
                return Ok(false);
            }
            OutputMode::Count => self.hits.matches += self.count(found),
            OutputMode::Content => {
                if self.binary_at.is_some() && searcher.binary_detection().convert_byte().is_some()
                {
                    self.matches_in_binary = true;
                    return Ok(false);
                }
                self.hits.matches += self.count(found);
                let mut number = found.line_number();
                for text in found.lines() {
                    self.push(text, number, true);
                    number = number.map(|number| number + 1);
                }
            }
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.binary_at.is_none() {
            self.push(context.bytes(), context.line_number(), false);
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.new_group = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, offset: u64) -> io::Result<bool> {
        self.binary_at.get_or_insert(offset);
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.binary_at = self.binary_at.or(finish.binary_byte_offset());
        Ok(())
    }
}
