//! Office documents: packages of XML in a ZIP archive. The text of DOCX, the sheets of XLSX.

mod docx;
mod xlsx;
mod xml;
mod zip;

use dogu_tool::ToolError;

use super::binary;
use super::document::Document;
use super::file::{Reading, Seeing};
use zip::{Archive, Problem};

/// How much one file of a package may unpack to.
const MAX_ENTRY_BYTES: usize = 48 * 1024 * 1024;

/// An archive, or the older container, which holds encrypted packages too.
pub(super) fn is_package(sample: &[u8]) -> bool {
    sample.starts_with(b"PK\x03\x04") || is_compound(sample)
}

fn is_compound(sample: &[u8]) -> bool {
    sample.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
}

/// Shows a package; none where it is another kind of archive.
pub(super) fn view(reading: &Reading<'_>, sample: &[u8]) -> Result<Option<Seeing>, ToolError> {
    if is_compound(sample) {
        return Err(compound(reading, sample)?);
    }
    let Some(whole) = reading.whole().map_err(|error| reading.failed(error))? else {
        return Ok(None);
    };
    let Some(archive) = Archive::new(&whole.bytes) else { return Ok(None) };
    let (kind, parts, made) = if archive.has("word/document.xml") {
        ("Word document", "pages", docx::document(&archive, reading.ctx.cancel()))
    } else if archive.has("xl/workbook.xml") {
        ("Excel workbook", "sheets", xlsx::document(&archive, reading.ctx.cancel()))
    } else {
        return other(reading, &archive);
    };
    if reading.ctx.cancel().is_canceled() {
        return Err(ToolError::canceled());
    }
    let document = made.map_err(|problem| unreadable(reading, kind, problem))?;
    let about = format!("{kind}{}", counted(&document, parts));
    let text = document.show(reading, &about, parts).map_err(|error| reading.failed(error))?;
    Ok(Some(whole.seen(text)))
}

fn counted(document: &Document, parts: &str) -> String {
    match document.parts() {
        0 => String::new(),
        1 => format!(", 1 {}", parts.trim_end_matches('s')),
        count => format!(", {count} {parts}"),
    }
}

fn unreadable(reading: &Reading<'_>, kind: &str, problem: Problem) -> ToolError {
    let reason = match problem {
        Problem::Broken => "it is broken".to_owned(),
        Problem::Encrypted => "it is encrypted; save it without a password first".to_owned(),
        Problem::TooLarge => {
            let most = binary::size_text(MAX_ENTRY_BYTES as u64);
            format!("a part of it unpacks to more than {most}")
        }
    };
    let (shown, size) = (reading.shown(), binary::size_text(reading.size));
    ToolError::failed(format!("{shown} ({kind}, {size}) cannot be shown: {reason}."))
}

/// Packages of other programs: named by what they are.
fn other(reading: &Reading<'_>, archive: &Archive<'_>) -> Result<Option<Seeing>, ToolError> {
    let kinds = [
        ("ppt/presentation.xml", "PowerPoint presentation"),
        ("xl/workbook.bin", "binary Excel workbook"),
        ("META-INF/MANIFEST.MF", "Java archive"),
        ("AndroidManifest.xml", "Android package"),
        ("META-INF/container.xml", "EPUB book"),
    ];
    let known = kinds.into_iter().find(|(name, _)| archive.has(name)).map(|(_, kind)| kind);
    let mime = archive.read("mimetype", 200).ok().flatten().unwrap_or_default();
    let open = mime.starts_with(b"application/vnd.oasis.opendocument");
    match known.or(open.then_some("OpenDocument file")) {
        Some(kind) => Err(binary::refused_as(reading, kind)),
        None => Ok(None),
    }
}

/// What is said of the older container.
fn compound(reading: &Reading<'_>, sample: &[u8]) -> Result<ToolError, ToolError> {
    let whole = reading.whole().map_err(|error| reading.failed(error))?;
    let bytes = whole.as_ref().map_or(sample, |whole| &whole.bytes);
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    if memchr::memmem::find(bytes, &name).is_some() {
        return Ok(unreadable(reading, "Office document", Problem::Encrypted));
    }
    let error = binary::refused(reading, sample);
    Ok(error.suggest("Save it in the newer format (DOCX, XLSX), which can be read."))
}
