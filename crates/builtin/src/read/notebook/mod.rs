//! Notebooks: their cells with ids, source and outputs.

mod format;

use super::binary::size_text;
use super::document::{Document, Whole};
use super::file::{Reading, Seeing};
use format::{Cell, Output, Stored};

/// How many lines of one output are shown.
const MAX_OUTPUT_LINES: usize = 60;
/// How many bytes of one output are shown.
const MAX_OUTPUT_BYTES: usize = 8 * 1024;

/// More objects and texts than any notebook has: small in a file, large in memory.
const MAX_OBJECTS: usize = 250_000;
const MAX_TEXTS: usize = 2_000_000;

/// Whether a file is a notebook by its name.
pub(super) fn is_named(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("ipynb"))
}

/// Shows a notebook; where it cannot be read as one, why.
pub(super) fn view(
    reading: &Reading<'_>,
    whole: &Whole,
) -> Result<std::io::Result<Seeing>, String> {
    // A byte order mark is no JSON, but editors write one.
    let json = whole.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&whole.bytes);
    let objects = memchr::memchr_iter(b'{', json).count();
    let texts = memchr::memchr_iter(b'"', json).count() / 2;
    if objects > MAX_OBJECTS || texts > MAX_TEXTS {
        return Err(format!("it has {objects} objects and {texts} texts"));
    }
    let stored: Stored = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let about = about(&stored);
    let text = document(&stored).show(reading, &about, "cells");
    Ok(text.map(|text| whole.seen(text)))
}

fn about(stored: &Stored) -> String {
    let count = cells(stored).count();
    let cells = if count == 1 { "cell" } else { "cells" };
    let language = stored.metadata.language().map(|name| format!(" in {name}"));
    let (major, minor) = (stored.nbformat, stored.nbformat_minor);
    format!("notebook{} of {count} {cells}, nbformat {major}.{minor}", language.unwrap_or_default())
}

fn cells(stored: &Stored) -> impl Iterator<Item = &Cell> {
    let sheets = stored.worksheets.0.iter().flat_map(|sheet| &sheet.cells.0);
    stored.cells.0.iter().chain(sheets)
}

fn document(stored: &Stored) -> Document {
    let mut document = Document::default();
    for (at, cell) in cells(stored).enumerate() {
        add(&mut document, at + 1, cell);
        if document.is_full() {
            break;
        }
    }
    document
}

/// `--- cell 2: id a1b2, code, run 7 ---`, its source, and its outputs.
fn add(document: &mut Document, place: usize, cell: &Cell) {
    // Notebooks before 4.5 have no ids: their cells are known by their places.
    let positional = format!("#{place}");
    let id = if cell.id.0.is_empty() { &positional } else { &cell.id.0 };
    let kind = if cell.kind.0.is_empty() { "cell" } else { &cell.kind.0 };
    let run = cell.execution_count.map(|count| format!(", run {count}")).unwrap_or_default();
    document.begin(id.clone(), &format!("cell {place}: id {id}, {kind}{run}"));
    let source = if cell.source.0.is_empty() { &cell.input.0 } else { &cell.source.0 };
    match cell.level {
        Some(level @ 1..=6) if kind == "heading" => {
            let signs = "######".get(..usize::try_from(level).unwrap_or(1)).unwrap_or("#");
            document.lines(&format!("{signs} {source}"));
        }
        _ => document.lines(source),
    }
    for name in &cell.attachments.0 {
        document.line(&format!("[attachment {name}]"));
    }
    for output in &cell.outputs.0 {
        add_output(document, output);
    }
}

fn add_output(document: &mut Document, output: &Output) {
    let kind = output.kind.0.as_str();
    let name = if output.name.0.is_empty() { kind } else { &output.name.0 };
    document.line(&format!("--- output: {name} ---"));
    match kind {
        "error" | "pyerr" => {
            add_text(document, &format!("{}: {}", output.ename.0, output.evalue.0));
            add_text(document, &output.traceback.0);
        }
        _ => add_forms(document, output),
    }
}

/// The form that reads best, and which others there are.
fn add_forms(document: &mut Document, output: &Output) {
    let old = [
        ("text/plain", &output.text),
        ("text/latex", &output.latex),
        ("text/html", &output.html),
        ("image/svg+xml", &output.svg),
        ("image/png", &output.png),
        ("image/jpeg", &output.jpeg),
    ];
    let old = old.into_iter().filter(|(_, text)| !text.0.is_empty());
    let forms: Vec<(&str, &str)> = (output.data.0.iter())
        .map(|(kind, text)| (kind.as_str(), text.as_str()))
        .chain(old.map(|(kind, text)| (kind, text.0.as_str())))
        .collect();
    let best = ["text/markdown", "text/plain", "text/latex"];
    let best = best.iter().find_map(|kind| forms.iter().position(|(other, _)| other == kind));
    if let Some((_, text)) = best.and_then(|at| forms.get(at)) {
        add_text(document, text);
    }
    for (at, (kind, text)) in forms.iter().enumerate() {
        if Some(at) != best {
            document.line(&match text.len() {
                // Data, which is no text.
                0 => format!("[{kind}]"),
                _ => format!("[{kind}, {}]", size_text(form_size(kind, text))),
            });
        }
    }
}

/// The size of what a form holds; pictures are in base64.
fn form_size(kind: &str, text: &str) -> u64 {
    let size = text.len() as u64;
    if kind.starts_with("image/") && kind != "image/svg+xml" { size / 4 * 3 } else { size }
}

/// The beginning of an output, without what steers a terminal.
fn add_text(document: &mut Document, text: &str) {
    let plain = without_escapes(text);
    let lines: Vec<&str> = plain.lines().map(last_drawn).collect();
    let mut bytes = 0;
    let fits = |line: &&&str| {
        bytes += line.len();
        bytes <= MAX_OUTPUT_BYTES
    };
    let shown = lines.iter().take(MAX_OUTPUT_LINES).take_while(fits).count();
    lines.iter().take(shown).for_each(|line| document.line(line));
    let Some(rest) = lines.get(shown..).filter(|rest| !rest.is_empty()) else { return };
    let size: usize = rest.iter().map(|line| line.len()).sum();
    document.line(&format!("[... {} more lines, {size} bytes]", rest.len()));
}

/// What is seen of a line that was drawn over, as progress bars are.
fn last_drawn(line: &str) -> &str {
    line.trim_end_matches('\r').rsplit('\r').next().unwrap_or(line)
}

/// Without the sequences that colour text: `ESC [ … letter`.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            plain.push(letter);
        } else if letters.clone().next() == Some('[') {
            letters.next();
            let _ = letters.find(|letter| ('@'..='~').contains(letter));
        }
    }
    plain
}
