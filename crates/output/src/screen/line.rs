//! One line of the screen: text as long as it only grows, cells once it is written over.

use unicode_width::UnicodeWidthChar;

const TAB: usize = 8;
/// Columns are moved only in lines up to this width, and no more are blanked at once. Lines that
/// people edit are no longer, and each such sequence takes time for all that it moves.
const MAX_EDITED: usize = 512;

/// What stands in one column: a character with its marks, or nothing where a wider one reaches.
#[derive(Clone, Copy)]
struct Cell {
    length: u8,
    bytes: [u8; 15],
}

impl Cell {
    const BLANK: Self = Self { length: 1, bytes: [b' ', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] };
    const REACHED: Self = Self { length: 0, bytes: [0; 15] };

    fn of(letter: char) -> Self {
        let mut cell = Self::REACHED;
        cell.add(letter);
        cell
    }

    /// Adds a mark to the character; what has no room is dropped.
    fn add(&mut self, letter: char) {
        let from = usize::from(self.length);
        let to = from + letter.len_utf8();
        if let Some(room) = self.bytes.get_mut(from..to) {
            letter.encode_utf8(room);
            self.length = u8::try_from(to).unwrap_or(self.length);
        }
    }

    fn push_to(&self, text: &mut String) {
        let bytes = &self.bytes[..usize::from(self.length)];
        text.push_str(std::str::from_utf8(bytes).unwrap_or(" "));
    }
}

/// A line. Columns count from 0; a wide character takes two, a tab up to eight.
#[derive(Default)]
pub(super) struct Line {
    text: String,
    /// Used instead of the text once the line was written over in a way that bytes cannot do.
    cells: Option<Vec<Cell>>,
    width: usize,
    /// Some characters do not take one byte and one column each.
    uneven: bool,
    /// Something of it came from standard error.
    pub(super) from_err: bool,
    /// It was ended by a newline, not by being too long.
    pub(super) ended: bool,
}

/// How many columns a character takes; none for a control character.
pub(super) fn columns(letter: char) -> Option<usize> {
    match letter {
        ' '..='~' => Some(1),
        // By far the most of what is wide; the table takes longer.
        '\u{4e00}'..='\u{9fff}' | '가'..='힣' => Some(2),
        _ => letter.width(),
    }
}

impl Line {
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.cells.as_ref().is_none_or(Vec::is_empty)
    }

    /// Bytes that it takes as text.
    pub(super) fn size(&self) -> usize {
        self.text.len()
    }

    /// Empties it, for use as another line.
    pub(super) fn reset(&mut self) {
        self.clear();
        self.from_err = false;
        self.ended = false;
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.cells = None;
        self.width = 0;
        self.uneven = false;
    }

    /// Makes the text ready, with its newline.
    pub(super) fn render(&mut self) -> &str {
        if let Some(cells) = self.cells.take() {
            self.text.clear();
            for cell in &cells {
                cell.push_to(&mut self.text);
            }
        }
        if self.ended {
            self.text.push('\n');
        }
        &self.text
    }

    /// Writes printable ASCII at a column.
    pub(super) fn put_ascii(&mut self, column: usize, text: &str) {
        self.pad(column);
        if self.cells.is_none() {
            if column == self.width {
                self.text.push_str(text);
                self.width += text.len();
                return;
            }
            if column == 0 && text.len() >= self.width {
                self.clear();
                self.text.push_str(text);
                self.width = text.len();
                return;
            }
            if !self.uneven {
                let end = self.width.min(column + text.len());
                self.text.replace_range(column..end, text);
                self.width = self.text.len();
                return;
            }
        }
        let cells = self.celled();
        let end = column + text.len();
        split_at(cells, column);
        split_at(cells, end);
        cells.resize(cells.len().max(end), Cell::BLANK);
        for (cell, letter) in cells[column..end].iter_mut().zip(text.chars()) {
            *cell = Cell::of(letter);
        }
        self.width = cells.len();
    }

    /// Appends text if the column is the line's end. Returns how many columns it took; none where
    /// it cannot be done so simply.
    pub(super) fn append(&mut self, column: usize, text: &str) -> Option<usize> {
        if column != self.width || self.cells.is_some() {
            return None;
        }
        let wide = text.chars().try_fold(0, |sum, letter| Some(sum + columns(letter)?))?;
        self.text.push_str(text);
        self.width += wide;
        self.uneven = true;
        Some(wide)
    }

    /// Writes a character of one or two columns.
    pub(super) fn put(&mut self, column: usize, letter: char, wide: usize) {
        self.pad(column);
        if column == self.width && self.cells.is_none() {
            self.text.push(letter);
            self.width += wide;
            self.uneven = true;
            return;
        }
        let cells = self.celled();
        split_at(cells, column);
        split_at(cells, column + wide);
        cells.resize(cells.len().max(column + wide), Cell::BLANK);
        cells[column] = Cell::of(letter);
        cells[column + 1..column + wide].fill(Cell::REACHED);
        self.width = cells.len();
    }

    /// Adds a mark, which takes no column, to the character before the column.
    pub(super) fn add_mark(&mut self, column: usize, mark: char) {
        if self.cells.is_none() && column >= self.width {
            self.text.push(mark);
            self.uneven = true;
            return;
        }
        let end = column.min(self.width);
        let before = &mut self.celled()[..end];
        if let Some(cell) = before.iter_mut().rfind(|cell| cell.length > 0) {
            cell.add(mark);
        }
    }

    /// A tab: written at the end, passed over elsewhere. Returns the column after it.
    pub(super) fn tab(&mut self, column: usize) -> usize {
        let next = (column / TAB + 1) * TAB;
        if column >= self.width {
            self.pad(column);
            if let Some(cells) = &mut self.cells {
                cells.push(Cell::of('\t'));
                cells.resize(next, Cell::REACHED);
            } else {
                self.text.push('\t');
                self.uneven = true;
            }
            self.width = next;
        }
        next
    }

    /// Erases from a column to the end.
    pub(super) fn erase_from(&mut self, column: usize) {
        if column >= self.width {
            return;
        }
        if column == 0 {
            self.clear();
        } else if self.cells.is_none() && !self.uneven {
            self.text.truncate(column);
            self.width = column;
        } else {
            let cells = self.celled();
            split_at(cells, column);
            cells.truncate(column);
            self.width = column;
        }
    }

    /// Blanks some columns.
    pub(super) fn blank(&mut self, from: usize, count: usize) {
        let to = self.width.min(from.saturating_add(count.min(MAX_EDITED)));
        if from >= to {
            return;
        }
        let cells = self.celled();
        split_at(cells, from);
        split_at(cells, to);
        cells[from..to].fill(Cell::BLANK);
    }

    /// Takes some columns out; what follows moves to the left.
    pub(super) fn delete(&mut self, from: usize, count: usize) {
        let to = self.width.min(from.saturating_add(count));
        if from >= to || self.width > MAX_EDITED {
            return;
        }
        let cells = self.celled();
        split_at(cells, from);
        split_at(cells, to);
        cells.drain(from..to);
        self.width = cells.len();
    }

    /// Puts blank columns in; what follows moves to the right.
    pub(super) fn insert(&mut self, at: usize, count: usize) {
        if at >= self.width || self.width > MAX_EDITED {
            return;
        }
        let cells = self.celled();
        split_at(cells, at);
        cells.splice(at..at, std::iter::repeat_n(Cell::BLANK, count));
        self.width = cells.len();
    }

    fn pad(&mut self, column: usize) {
        if column <= self.width {
            return;
        }
        if let Some(cells) = &mut self.cells {
            cells.resize(column, Cell::BLANK);
        } else {
            self.text.extend(std::iter::repeat_n(' ', column - self.width));
        }
        self.width = column;
    }

    fn celled(&mut self) -> &mut Vec<Cell> {
        let text = &self.text;
        self.cells.get_or_insert_with(|| cells_of(text))
    }
}

fn cells_of(text: &str) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::with_capacity(text.len());
    for letter in text.chars() {
        let wide = match letter {
            '\t' => TAB - cells.len() % TAB,
            _ => columns(letter).unwrap_or(0),
        };
        if wide > 0 {
            cells.push(Cell::of(letter));
            cells.resize(cells.len() + wide - 1, Cell::REACHED);
        } else if let Some(cell) = cells.iter_mut().rfind(|cell| cell.length > 0) {
            cell.add(letter);
        }
    }
    cells
}

/// Makes the border before a column one between characters: what reaches over it becomes blank.
fn split_at(cells: &mut [Cell], column: usize) {
    if cells.get(column).is_none_or(|cell| cell.length > 0) {
        return;
    }
    let begin = cells[..column].iter().rposition(|cell| cell.length > 0).unwrap_or(0);
    let reached = cells[column..].iter().take_while(|cell| cell.length == 0).count();
    cells[begin..column + reached].fill(Cell::BLANK);
}
