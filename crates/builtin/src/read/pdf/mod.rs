//! PDF: the text of pages, in the order in which they draw it, with marks.
//!
//! 1. `measure` looks at the bytes first: what would unpack to too much is refused, and data of
//!    pictures, which nobody asks for, is blanked.
//! 2. `hayro-syntax` finds pages and objects.
//! 3. `page` follows what a page draws, and `line` puts the letters together to lines.

mod line;
mod measure;
mod page;

use std::panic::{AssertUnwindSafe, catch_unwind};

use dogu_tool::{CancelFlag, ToolError};
use hayro_font::FontCache;
use hayro_syntax::{LoadPdfError, Pdf};

use super::binary::size_text;
use super::document::{Document, Whole};
use super::file::{Reading, Seeing};
use page::PageText;

/// How far into a file it may say that it is a PDF: some programs write a few lines before.
const MAX_HEAD_BYTES: usize = 1_024;
/// How many pages are read.
const MAX_PAGES: usize = 5_000;
/// How much all pages may draw, so that a page that is drawn a thousand times ends.
const MAX_STEPS: u64 = 60_000_000;

/// Whether a file is a PDF by its first bytes.
pub(super) fn is_pdf(sample: &[u8]) -> bool {
    let head = &sample[..sample.len().min(MAX_HEAD_BYTES)];
    let Some(at) = memchr::memmem::find(head, b"%PDF-") else { return false };
    let digit = head.get(at + 5).is_some_and(u8::is_ascii_digit);
    // Words about the format are no document, but at the beginning.
    digit && (at == 0 || memchr::memchr(0, sample).is_some() || std::str::from_utf8(head).is_err())
}

/// Shows the text of the pages.
pub(super) fn view(reading: &Reading<'_>, whole: Whole) -> Result<Seeing, ToolError> {
    let failed = |problem: &str| {
        let (shown, size) = (reading.shown(), size_text(reading.size));
        ToolError::failed(format!("{shown} (PDF document, {size}) cannot be shown: {problem}."))
    };
    let Whole { bytes, hash } = whole;
    let cancel = reading.ctx.cancel();
    // A bug of a parser ends its own call only: nothing that it holds is used afterwards.
    let made = catch_unwind(AssertUnwindSafe(|| document(bytes, cancel)));
    let made = made.unwrap_or_else(|_| Err("it is broken".to_owned()));
    cancel.check()?;
    let (document, about) = made.map_err(|problem| failed(&problem))?;
    let text = document.show(reading, &about, "pages").map_err(|error| reading.failed(error))?;
    Ok(Seeing::of_text(text, hash))
}

/// The text of all pages, and what is to be said of the document.
fn document(mut bytes: Vec<u8>, cancel: &CancelFlag) -> Result<(Document, String), String> {
    measure::check(&mut bytes, cancel)?;
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(_) => measure::ENCRYPTED.to_owned(),
        LoadPdfError::Invalid => "it is broken".to_owned(),
    })?;
    let count = pdf.pages().len();
    let fonts = FontCache::new();
    let mut document = Document::default();
    let mut steps = MAX_STEPS;
    let (mut unknown, mut empty) = (0, 0);
    for (at, page) in pdf.pages().iter().enumerate().take(MAX_PAGES) {
        if document.is_full() || steps == 0 || cancel.is_canceled() {
            break;
        }
        let mut text = PageText::new(&fonts, cancel, &mut steps);
        // Pages that are broken leave the others as they are.
        let drawn = catch_unwind(AssertUnwindSafe(|| text.draw(page)));
        let number = at + 1;
        document.begin(number.to_string(), &format!("page {number}"));
        unknown += text.unknown();
        let lines = text.finish();
        empty += usize::from(lines.is_empty());
        for line in &lines {
            document.line(line);
        }
        if drawn.is_err() {
            document.line("(the rest of this page is broken)");
        }
    }
    let read = document.parts();
    let mut about = format!("PDF document, {count} {}", if count == 1 { "page" } else { "pages" });
    if read < count {
        about.push_str(&format!(", the first {read} of them read"));
    }
    if empty > 0 {
        about.push_str(&format!(", {empty} without text (pictures of text are not read)"));
    }
    if unknown > 0 {
        about.push_str(&format!(", {unknown} letters unknown and shown as \u{fffd}"));
    }
    Ok((document, about))
}
