//! One sheet, row by row.

use super::super::super::document::Document;
use super::super::xml::{Element, Met};
use super::{Book, format};

/// How many columns of a row are shown.
const MAX_COLUMNS: usize = 256;
/// How many rows of a sheet are shown.
const MAX_ROWS: usize = 100_000;
/// How many characters of a value are shown.
const MAX_VALUE_CHARS: usize = 1_000;

/// Writes the rows of a sheet as they are met.
pub(super) struct Sheet<'a> {
    book: &'a Book,
    document: &'a mut Document,
    row: Row,
    cell: Cell,
    /// What text is being read.
    within: Within,
    rows: usize,
    last: u64,
    widest: usize,
    left_out: LeftOut,
}

#[derive(Default)]
struct Row {
    number: u64,
    values: Vec<String>,
}

#[derive(Default)]
struct Cell {
    column: usize,
    kind: Option<String>,
    style: usize,
    value: String,
    formula: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Value,
    Formula,
}

#[derive(Default)]
struct LeftOut {
    rows: u64,
    columns: u64,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(book: &'a Book, document: &'a mut Document) -> Self {
        Self {
            book,
            document,
            row: Row::default(),
            cell: Cell::default(),
            within: Within::Nothing,
            rows: 0,
            last: 0,
            widest: 0,
            left_out: LeftOut::default(),
        }
    }

    pub(super) fn meet(&mut self, met: Met<'_>) {
        match met {
            Met::Open(element) => self.open(element),
            Met::Close("v" | "t" | "f") => self.within = Within::Nothing,
            Met::Close("c") => self.end_cell(),
            Met::Close("row") => self.end_row(),
            Met::Text(text) => match self.within {
                Within::Value => self.cell.value.push_str(text),
                Within::Formula => self.cell.formula.push_str(text),
                Within::Nothing => {}
            },
            Met::Close(_) => {}
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name {
            "row" => {
                let number = element.get("r").and_then(|number| number.parse().ok());
                let number = number.unwrap_or(self.row.number.saturating_add(1));
                self.row = Row { number, values: Vec::new() };
            }
            "c" => {
                let place = element.get("r");
                let column = place.as_deref().and_then(column).unwrap_or(self.row.values.len());
                let style = element.get("s").and_then(|style| style.parse().ok()).unwrap_or(0);
                self.cell = Cell { column, kind: element.get("t"), style, ..Cell::default() };
            }
            "v" | "t" => self.within = Within::Value,
            "f" => self.within = Within::Formula,
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        let value = self.value(&cell);
        if value.is_empty() {
            return;
        }
        if cell.column >= MAX_COLUMNS {
            self.left_out.columns += 1;
            return;
        }
        while self.row.values.len() <= cell.column {
            self.row.values.push(String::new());
        }
        self.row.values[cell.column] = value;
    }

    fn value(&self, cell: &Cell) -> String {
        let text = match cell.kind.as_deref() {
            Some("s") => {
                let number = cell.value.trim().parse().ok();
                number.and_then(|number| self.book.shared(number)).unwrap_or_default().to_owned()
            }
            Some("b") => if cell.value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            None | Some("n") => self.number(cell),
            _ => cell.value.clone(),
        };
        // What was never computed has only its formula.
        let text = if text.is_empty() && !cell.formula.is_empty() {
            format!("={}", cell.formula)
        } else {
            text
        };
        one_line(&text)
    }

    fn number(&self, cell: &Cell) -> String {
        let value = cell.value.trim();
        if !self.book.formats.is_date(cell.style) {
            return value.to_owned();
        }
        let days = value.parse().ok();
        let date = days.and_then(|days| format::date(days, self.book.from_1904));
        date.unwrap_or_else(|| value.to_owned())
    }

    fn end_row(&mut self) {
        let values = std::mem::take(&mut self.row.values);
        if values.is_empty() {
            return;
        }
        if self.rows == MAX_ROWS || self.document.is_full() {
            self.left_out.rows += 1;
            return;
        }
        if values.len() > self.widest {
            self.widest = values.len();
            let letters: Vec<String> = (0..self.widest).map(letters).collect();
            self.document.line(&format!("row\t{}", letters.join("\t")));
        }
        self.rows += 1;
        self.last = self.row.number;
        self.document.line(&format!("{}\t{}", self.row.number, values.join("\t")));
    }

    /// What was left out.
    pub(super) fn finish(self) {
        let LeftOut { rows, columns } = self.left_out;
        if self.rows == 0 {
            self.document.line("(empty)");
        }
        if rows > 0 {
            self.document.line(&format!("({rows} more rows after row {})", self.last));
        }
        if columns > 0 {
            let last = letters(MAX_COLUMNS - 1);
            self.document.line(&format!("(left out: {columns} values right of column {last})"));
        }
    }
}

/// Ends of lines and tabs would look like those of the table.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for (count, letter) in text.chars().enumerate() {
        if count == MAX_VALUE_CHARS {
            line.push_str("[...]");
            break;
        }
        match letter {
            '\n' => line.push_str("\\n"),
            '\t' => line.push_str("\\t"),
            '\r' => {}
            other => line.push(other),
        }
    }
    line
}

/// The column of `BC12`, from 0.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic);
    let number = letters.fold(0_usize, |number, letter| {
        let digit = usize::from(letter.to_ascii_uppercase() - b'A' + 1);
        number.saturating_mul(26).saturating_add(digit)
    });
    number.checked_sub(1)
}

/// `A`, `Z`, `AA`.
fn letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        let digit = u8::try_from((rest - 1) % 26).unwrap_or(0);
        letters.push(char::from(b'A' + digit));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_letters() {
        for (number, name) in [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (16_383, "XFD")] {
            assert_eq!(
                (letters(number).as_str(), column(&format!("{name}7"))),
                (name, Some(number))
            );
        }
        assert_eq!(column("12"), None);
        assert_eq!(column(&"Z".repeat(99)), Some(usize::MAX - 1));
    }
}
