//! DOCX: paragraphs, headings, lists, tables and notes, with marks where pages begin.

use std::collections::HashMap;

use dogu_tool::CancelFlag;

use super::super::document::Document;
use super::xml::{self, Element, Met};
use super::zip::{Archive, Problem};

/// How deep lists are shown.
const MAX_LIST_LEVEL: usize = 8;
/// How deep tables may be in each other; each copies what is in it.
const MAX_TABLES: usize = 8;

/// The text of a document and of its notes.
pub(super) fn document(archive: &Archive<'_>, cancel: &CancelFlag) -> Result<Document, Problem> {
    let mut writer = Writer { headings: headings(archive, cancel)?, ..Writer::default() };
    xml::read(archive, "word/document.xml", cancel, |met| writer.meet(met))?;
    writer.end_paragraph();
    for (name, title) in [
        ("word/footnotes.xml", "Footnotes"),
        ("word/endnotes.xml", "Endnotes"),
        ("word/comments.xml", "Comments"),
    ] {
        if archive.has(name) {
            (writer.note_title, writer.in_notes) = (Some(title), true);
            xml::read(archive, name, cancel, |met| writer.meet(met))?;
            writer.end_paragraph();
        }
    }
    Ok(writer.document)
}

/// The levels of styles that are headings. Ids are in the language of the author, names are not.
fn headings(archive: &Archive<'_>, cancel: &CancelFlag) -> Result<HashMap<String, usize>, Problem> {
    let mut headings = HashMap::new();
    let mut style = String::new();
    xml::read(archive, "word/styles.xml", cancel, |met| {
        let Met::Open(element) = met else { return };
        match element.name {
            "style" => style = element.get("styleId").unwrap_or_default(),
            "name" => {
                let name = element.get("val").unwrap_or_default().to_ascii_lowercase();
                let level = match name.strip_prefix("heading ") {
                    Some(level) => level.parse().ok(),
                    None => (name == "title").then_some(1),
                };
                headings.extend(level.map(|level| (style.clone(), level)));
            }
            "outlineLvl" => {
                let level = element.get("val").and_then(|level| level.parse::<usize>().ok());
                if let Some(level) = level.filter(|level| *level < 9) {
                    headings.entry(style.clone()).or_insert(level + 1);
                }
            }
            _ => {}
        }
    })?;
    Ok(headings)
}

#[derive(Default)]
struct Writer {
    document: Document,
    headings: HashMap<String, usize>,
    paragraph: Paragraph,
    /// The rows of tables that are open; one in a cell of another is shown in that cell.
    tables: Vec<Vec<String>>,
    /// Tables that are so deep in others that their rows are those of the last one.
    flattened: usize,
    /// Text is read only where it is text of the document.
    in_text: bool,
    page: usize,
    /// Something was shown since the last page began.
    on_page: bool,
    in_notes: bool,
    /// The title of notes, until the first is met.
    note_title: Option<&'static str>,
}

#[derive(Default)]
struct Paragraph {
    text: String,
    heading: Option<usize>,
    list: Option<usize>,
}

impl Writer {
    fn meet(&mut self, met: Met<'_>) {
        match met {
            Met::Open(element) => self.open(element),
            Met::Close(name) => self.close(name),
            Met::Text(text) if self.in_text => self.paragraph.text.push_str(text),
            Met::Text(_) => {}
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name {
            "t" => self.in_text = true,
            "tab" if !self.paragraph.text.is_empty() => self.paragraph.text.push('\t'),
            "br" if element.get("type").as_deref() == Some("page") => self.begin_page(),
            "lastRenderedPageBreak" => self.begin_page(),
            "br" | "cr" => self.paragraph.text.push('\n'),
            "noBreakHyphen" => self.paragraph.text.push('-'),
            "pStyle" => {
                let style = element.get("val").unwrap_or_default();
                self.paragraph.heading = self.headings.get(&style).copied();
            }
            "numPr" => self.paragraph.list = Some(0),
            "ilvl" => {
                let level = element.get("val").and_then(|level| level.parse().ok());
                self.paragraph.list = level.map(|level: usize| level.min(MAX_LIST_LEVEL));
            }
            "footnoteReference" | "endnoteReference" => {
                let id = element.get("id").unwrap_or_default();
                self.paragraph.text.push_str(&format!("[^{id}]"));
            }
            "footnote" | "endnote" | "comment" => {
                let id = element.get("id").unwrap_or_default();
                self.paragraph.text = format!("[^{id}] ");
            }
            "drawing" | "pict" => self.paragraph.text.push_str("[picture]"),
            "tbl" if self.tables.len() == MAX_TABLES => self.flattened += 1,
            "tbl" => {
                self.end_paragraph();
                self.tables.push(Vec::new());
            }
            "tc" => self.tables.last_mut().into_iter().for_each(|row| row.push(String::new())),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" => self.end_paragraph(),
            "tr" => self.end_row(),
            "tbl" if self.flattened > 0 => self.flattened -= 1,
            "tbl" => {
                self.end_row();
                self.tables.pop();
            }
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let Paragraph { text, heading, list } = std::mem::take(&mut self.paragraph);
        let text = text.trim_end();
        // Notes that only separate others have no text behind their id.
        if text.is_empty() || (self.in_notes && !text.contains(' ')) {
            return;
        }
        if let Some(cell) = self.tables.last_mut().and_then(|row| row.last_mut()) {
            cell.push_str(if cell.is_empty() { "" } else { " / " });
            cell.push_str(&text.replace(['\n', '\t'], " ").replace('|', "\\|"));
            return;
        }
        if let Some(title) = self.note_title.take() {
            self.line(&format!("# {title}"));
        }
        match (heading, list) {
            (Some(level), _) => {
                let signs = "#".repeat(level.clamp(1, 6));
                self.line(&format!("{signs} {}", text.replace('\n', " ")));
            }
            (None, Some(level)) => {
                let indent = "  ".repeat(level);
                self.line(&format!("{indent}- {}", text.replace('\n', " ")));
            }
            (None, None) => text.lines().for_each(|line| self.line(line)),
        }
    }

    fn end_row(&mut self) {
        self.end_paragraph();
        let Some(row) = self.tables.last_mut().map(std::mem::take) else { return };
        if row.is_empty() {
            return;
        }
        let line = format!("| {} |", row.join(" | "));
        let outer = self.tables.len().checked_sub(2).and_then(|at| self.tables.get_mut(at));
        match outer.and_then(|row| row.last_mut()) {
            Some(cell) => cell.push_str(&line),
            None => self.line(&line),
        }
    }

    fn line(&mut self, line: &str) {
        self.on_page = true;
        if self.page == 0 {
            self.page = 1;
            self.document.begin("1", "page 1");
        }
        self.document.line(line);
    }

    /// Breaks are written by the author, and by the program where it last broke the text; both
    /// may stand for one.
    fn begin_page(&mut self) {
        let open = self.tables.is_empty() && !self.paragraph.text.trim().is_empty();
        if open {
            // The paragraph goes on behind the mark, in its style.
            let (heading, list) = (self.paragraph.heading, self.paragraph.list);
            self.end_paragraph();
            self.paragraph = Paragraph { heading, list, ..Paragraph::default() };
        }
        if self.on_page && self.tables.is_empty() {
            self.page += 1;
            self.on_page = false;
            self.document.begin(self.page.to_string(), &format!("page {}", self.page));
        }
    }
}
