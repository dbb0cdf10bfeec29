//! XLSX: sheets as rows of values between tabs, each row with its number and below the letters
//! of its columns, so that a value has the address that it has in the program.

mod format;
mod sheet;

use dogu_tool::CancelFlag;

use super::super::document::Document;
use super::xml::{self, Met};
use super::zip::{Archive, Problem};
use format::Formats;
use sheet::Sheet;

/// How many sheets are shown.
const MAX_SHEETS: usize = 256;
/// How many bytes of shared texts are held.
const MAX_SHARED_BYTES: usize = 32 * 1024 * 1024;
/// How many shared texts are held.
const MAX_SHARED: usize = 1_000_000;

/// What cells refer to.
#[derive(Default)]
struct Book {
    /// All shared texts, one after another, and where each ends: many are short.
    texts: String,
    ends: Vec<usize>,
    formats: Formats,
    /// Days are counted from 1904, as on old Macintoshes.
    from_1904: bool,
}

impl Book {
    fn shared(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).unwrap_or(&0);
        self.texts.get(*start..end)
    }
}

/// All sheets, in the order of the workbook.
pub(super) fn document(archive: &Archive<'_>, cancel: &CancelFlag) -> Result<Document, Problem> {
    let mut book = Book { formats: Formats::read(archive, cancel)?, ..Book::default() };
    let sheets = sheets(archive, cancel, &mut book)?;
    read_shared(archive, cancel, &mut book)?;
    let mut document = Document::default();
    for (name, hidden, path) in sheets {
        let hidden = if hidden { ", hidden" } else { "" };
        document.begin(format!("{name:?}"), &format!("sheet {name:?}{hidden}"));
        let mut sheet = Sheet::new(&book, &mut document);
        xml::read(archive, &path, cancel, |met| sheet.meet(met))?;
        sheet.finish();
        if document.is_full() {
            break;
        }
    }
    Ok(document)
}

/// The name of each sheet, whether it is hidden, and the file that holds it.
fn sheets(
    archive: &Archive<'_>,
    cancel: &CancelFlag,
    book: &mut Book,
) -> Result<Vec<(String, bool, String)>, Problem> {
    let mut targets = Vec::new();
    xml::read(archive, "xl/_rels/workbook.xml.rels", cancel, |met| {
        if let Met::Open(element) = met
            && targets.len() < 10 * MAX_SHEETS
            && let (Some(id), Some(target)) = (element.get("Id"), element.get("Target"))
        {
            targets.push((id, target));
        }
    })?;
    let mut sheets = Vec::new();
    xml::read(archive, "xl/workbook.xml", cancel, |met| {
        let Met::Open(element) = met else { return };
        match element.name {
            "workbookPr" => {
                let value = element.get("date1904");
                book.from_1904 = matches!(value.as_deref(), Some("1" | "true"));
            }
            "sheet" if sheets.len() < MAX_SHEETS => {
                let name = element.get("name").unwrap_or_default();
                let hidden = element.get("state").is_some_and(|state| state != "visible");
                let id = element.get("id").unwrap_or_default();
                let target = targets.iter().find(|(known, _)| *known == id);
                let place = sheets.len() + 1;
                let path = target.map_or_else(
                    || format!("xl/worksheets/sheet{place}.xml"),
                    |(_, target)| match target.strip_prefix('/') {
                        Some(absolute) => absolute.to_owned(),
                        None => format!("xl/{target}"),
                    },
                );
                sheets.push((name, hidden, path));
            }
            _ => {}
        }
    })?;
    Ok(sheets)
}

/// The texts that cells refer to by number.
fn read_shared(archive: &Archive<'_>, cancel: &CancelFlag, book: &mut Book) -> Result<(), Problem> {
    // Readings of characters, beside the text, are no part of it.
    let (mut in_text, mut in_reading) = (false, false);
    xml::read(archive, "xl/sharedStrings.xml", cancel, |met| match met {
        Met::Open(element) => match element.name {
            "t" => in_text = true,
            "rPh" => in_reading = true,
            _ => {}
        },
        Met::Close("t") => in_text = false,
        Met::Close("rPh") => in_reading = false,
        Met::Close("si") if book.ends.len() < MAX_SHARED => book.ends.push(book.texts.len()),
        Met::Text(text)
            if in_text && !in_reading && book.texts.len() + text.len() <= MAX_SHARED_BYTES =>
        {
            book.texts.push_str(text);
        }
        _ => {}
    })
}
