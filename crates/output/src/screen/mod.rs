//! The lines that can still be rewritten: a screen of [`WINDOW`] lines, as a terminal has one.
//!
//! What scrolls out of it is final and goes to the [`Sink`]. It has no right border that a person
//! would notice: a line breaks only after [`MAX_COLUMNS`], and such a break is not shown.

mod line;
mod sink;
mod steer;

use std::collections::VecDeque;

use line::{Line, columns};
pub(crate) use sink::Sink;
pub(crate) use steer::Steered;

/// How many lines can still be rewritten.
pub(crate) const WINDOW: usize = 64;
/// The most columns of a line; longer ones go on in the next, and only that can be rewritten.
const MAX_COLUMNS: usize = 16 * 1024;
/// The most bytes of a line: marks take no columns.
const MAX_LINE_BYTES: usize = 4 * MAX_COLUMNS;
/// How far the cursor can be moved beyond a line's end. A terminal's border would stop it, too;
/// without one, ten bytes could make a megabyte of blanks.
const MAX_BLANK: usize = 256;

/// How far an erasure goes.
#[derive(Clone, Copy)]
pub(crate) enum Erase {
    ToEnd,
    ToBegin,
    All,
}

/// The window of lines with its cursor.
pub(crate) struct Screen {
    lines: VecDeque<Line>,
    row: usize,
    column: usize,
    /// A saved cursor: its line by number since the beginning, and its column.
    saved: (u64, usize),
    /// How many lines left the window.
    gone: u64,
    /// The window is addressed by rows, as full-screen programs do, and did not scroll since.
    addressed: bool,
    /// What is printed now comes from standard error.
    pub(crate) from_err: bool,
    spare: Vec<Line>,
}

impl Default for Screen {
    fn default() -> Self {
        Self {
            lines: VecDeque::from([Line::default()]),
            row: 0,
            column: 0,
            saved: (0, 0),
            gone: 0,
            addressed: false,
            from_err: false,
            spare: Vec::new(),
        }
    }
}

impl Screen {
    /// Prints text without control characters of one byte.
    pub(crate) fn print(&mut self, text: &str, sink: &mut dyn Sink) {
        if text.is_ascii() {
            self.print_ascii(text, sink);
        } else if !self.append(text) {
            for letter in text.chars() {
                self.print_letter(letter, sink);
            }
        }
    }

    fn print_ascii(&mut self, mut text: &str, sink: &mut dyn Sink) {
        while !text.is_empty() {
            self.wrap_for(1, sink);
            let (now, later) = text.split_at(text.len().min(MAX_COLUMNS - self.column));
            let column = self.column;
            self.line().put_ascii(column, now);
            self.column += now.len();
            text = later;
        }
    }

    /// Appends text at the end of its line, if there is where it goes and it has room.
    fn append(&mut self, text: &str) -> bool {
        let column = self.column;
        let line = self.line();
        let room = line.width() + 2 * text.len() <= MAX_COLUMNS
            && line.size() + text.len() <= MAX_LINE_BYTES;
        let wide = if room { line.append(column, text) } else { None };
        self.column += wide.unwrap_or(0);
        wide.is_some()
    }

    fn print_letter(&mut self, letter: char, sink: &mut dyn Sink) {
        let Some(wide) = columns(letter) else { return };
        self.wrap_for(wide, sink);
        let column = self.column;
        if wide == 0 {
            self.line().add_mark(column, letter);
        } else {
            self.line().put(column, letter, wide);
            self.column += wide;
        }
    }

    /// Goes on in the next line where this one has no room.
    fn wrap_for(&mut self, wide: usize, sink: &mut dyn Sink) {
        let full = self.lines.get(self.row).is_some_and(|line| line.size() >= MAX_LINE_BYTES);
        if self.column + wide > MAX_COLUMNS || full {
            self.next_line(false, sink);
        }
    }

    /// The end of a line.
    pub(crate) fn newline(&mut self, sink: &mut dyn Sink) {
        self.next_line(true, sink);
    }

    fn next_line(&mut self, ended: bool, sink: &mut dyn Sink) {
        self.column = 0;
        if self.row + 1 < self.lines.len() {
            self.row += 1;
            return;
        }
        if let Some(line) = self.lines.back_mut() {
            line.ended = ended;
        }
        self.add_line();
        self.row += 1;
        if self.lines.len() > WINDOW {
            self.addressed = false;
            self.scroll(sink);
        }
    }

    /// A tab.
    pub(crate) fn tab(&mut self, sink: &mut dyn Sink) {
        self.wrap_for(1, sink);
        let column = self.column;
        self.column = self.line().tab(column);
    }

    /// Moves to a column.
    pub(crate) fn go_to_column(&mut self, column: usize) {
        let width = self.lines.get(self.row).map_or(0, Line::width);
        self.column = column.min(width + MAX_BLANK).min(MAX_COLUMNS);
    }

    /// Moves to the right, or to the left.
    pub(crate) fn move_columns(&mut self, by: isize) {
        self.go_to_column(self.column.saturating_add_signed(by));
    }

    /// Moves down, or up, within the window.
    pub(crate) fn move_rows(&mut self, by: isize) {
        self.row = self.row.saturating_add_signed(by).min(self.lines.len() - 1);
        self.go_to_column(self.column);
    }

    /// Moves to a row of the screen, both counted from 0; none leaves the column.
    pub(crate) fn address(&mut self, row: usize, column: Option<usize>, sink: &mut dyn Sink) {
        if !self.addressed {
            // Where the top is, nobody knows. What was printed so far is not written over.
            self.start_anew(sink);
        }
        self.row = row.min(WINDOW - 1);
        while self.lines.len() <= self.row {
            if let Some(line) = self.lines.back_mut() {
                line.ended = true;
            }
            self.add_line();
        }
        self.go_to_column(column.unwrap_or(self.column));
    }

    /// Saves the cursor's place.
    pub(crate) fn save(&mut self) {
        self.saved = (self.gone + self.row as u64, self.column);
    }

    /// Goes back to the saved place, as far as that still is in the window.
    pub(crate) fn restore(&mut self) {
        let row = usize::try_from(self.saved.0.saturating_sub(self.gone)).unwrap_or(0);
        self.row = row.min(self.lines.len() - 1);
        self.go_to_column(self.saved.1);
    }

    /// Erases in the line.
    pub(crate) fn erase_line(&mut self, how: Erase) {
        let column = self.column;
        match how {
            Erase::ToEnd => self.line().erase_from(column),
            Erase::ToBegin => self.line().blank(0, column + 1),
            Erase::All => self.line().clear(),
        }
    }

    /// Erases in the screen.
    pub(crate) fn erase_screen(&mut self, how: Erase, sink: &mut dyn Sink) {
        match how {
            Erase::ToEnd => {
                self.erase_line(Erase::ToEnd);
                self.spare.extend(self.lines.drain(self.row + 1..));
                self.line().ended = false;
            }
            Erase::ToBegin if self.addressed => {
                let row = self.row;
                self.lines.iter_mut().take(row).for_each(Line::clear);
                self.erase_line(Erase::ToBegin);
            }
            Erase::ToBegin => {}
            Erase::All => self.start_anew(sink),
        }
    }

    /// Blanks columns from the cursor on.
    pub(crate) fn blank(&mut self, count: usize) {
        let column = self.column;
        self.line().blank(column, count);
    }

    /// Takes columns out at the cursor.
    pub(crate) fn delete(&mut self, count: usize) {
        let column = self.column;
        self.line().delete(column, count);
    }

    /// Puts blank columns in at the cursor.
    pub(crate) fn insert(&mut self, count: usize) {
        let column = self.column;
        let line = self.line();
        line.insert(column, count.min(MAX_BLANK));
        line.erase_from(MAX_COLUMNS);
    }

    /// The screen is cleared: what stood on it stays readable, without the blank lines around it,
    /// and after a blank line the next begins.
    pub(crate) fn start_anew(&mut self, sink: &mut dyn Sink) {
        while self.lines.len() > 1 && self.lines.back().is_some_and(Line::is_empty) {
            self.spare.extend(self.lines.pop_back());
        }
        while self.addressed && self.lines.len() > 1 && self.lines[0].is_empty() {
            self.spare.extend(self.lines.pop_front());
        }
        let untouched = self.lines.len() == 1 && self.lines[0].is_empty();
        if !untouched {
            if let Some(line) = self.lines.back_mut() {
                line.ended = true;
            }
            self.flush(sink);
            sink.put("\n", false);
        }
        self.row = 0;
        self.column = 0;
        self.addressed = true;
    }

    /// Makes all lines final and begins with an empty one.
    pub(crate) fn flush(&mut self, sink: &mut dyn Sink) {
        while !self.lines.is_empty() {
            self.scroll(sink);
        }
        self.add_line();
        self.row = 0;
        self.column = 0;
        self.addressed = false;
    }

    /// Makes all lines final, and ends the last one if there is something on it. Returns whether
    /// there was.
    pub(crate) fn cut_off(&mut self, sink: &mut dyn Sink) -> bool {
        let last = self.lines.back_mut().filter(|line| !line.is_empty());
        let cut = last.map(|line| line.ended = true).is_some();
        self.flush(sink);
        cut
    }

    /// Moves the first line out of the window.
    fn scroll(&mut self, sink: &mut dyn Sink) {
        let Some(mut line) = self.lines.pop_front() else { return };
        self.row = self.row.saturating_sub(1);
        self.gone += 1;
        let from_err = line.from_err;
        let text = line.render();
        if !text.is_empty() {
            sink.put(text, from_err);
        }
        if self.spare.len() < WINDOW {
            self.spare.push(line);
        }
    }

    fn add_line(&mut self) {
        let mut line = self.spare.pop().unwrap_or_default();
        line.reset();
        self.lines.push_back(line);
    }

    /// The line of the cursor, about to be written.
    fn line(&mut self) -> &mut Line {
        let row = self.row.min(self.lines.len() - 1);
        let line = &mut self.lines[row];
        line.from_err |= self.from_err;
        line
    }
}
