//! Small documents, made byte by byte.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

/// A ZIP archive of these files, packed.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        let packed = encoder.finish().unwrap();
        let four = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        let two = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
        // Version, flags, method, time, date, then the sum, which nobody here looks at.
        let mut common = Vec::new();
        common.extend([20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        common.extend(four(packed.len()));
        common.extend(four(content.len()));
        common.extend(two(name.len()));
        common.extend(two(0));
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(four(bytes.len()));
        directory.extend(name.as_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(packed);
    }
    let start = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let size = u32::try_from(directory.len()).unwrap().to_le_bytes();
    let count = u16::try_from(files.len()).unwrap().to_le_bytes();
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].concat());
    bytes.extend([size, start].concat());
    bytes.extend([0, 0]);
    bytes
}

/// A Word document with this body.
pub(crate) fn docx(body: &str) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>"
    );
    let styles = "<w:styles xmlns:w=\"w\"><w:style w:styleId=\"berschrift2\"><w:name w:val=\"heading 2\"/></w:style></w:styles>";
    let notes = "<w:footnotes xmlns:w=\"w\"><w:footnote w:id=\"-1\"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:id=\"1\"><w:p><w:r><w:t>a note [sic]</w:t></w:r></w:p></w:footnote></w:footnotes>";
    zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", document.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("word/footnotes.xml", notes.as_bytes()),
    ])
}

/// A workbook with a sheet of this XML, and an empty hidden one.
pub(crate) fn xlsx(rows: &str) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    zip(&[
        (
            "xl/workbook.xml",
            b"<workbook xmlns:r=\"r\"><sheets><sheet name=\"Sales &amp; more\" sheetId=\"1\" r:id=\"rId7\"/><sheet name=\"Old\" sheetId=\"2\" state=\"hidden\" r:id=\"rId8\"/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            b"<Relationships><Relationship Id=\"rId7\" Target=\"worksheets/first.xml\"/><Relationship Id=\"rId8\" Target=\"/xl/worksheets/second.xml\"/></Relationships>",
        ),
        ("xl/worksheets/first.xml", sheet.as_bytes()),
        ("xl/worksheets/second.xml", b"<worksheet><sheetData/></worksheet>"),
        (
            "xl/sharedStrings.xml",
            b"<sst><si><t>name</t></si><si><r><t>two </t></r><r><t>runs</t></r><rPh><t>reading</t></rPh></si></sst>",
        ),
        (
            "xl/styles.xml",
            b"<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts><cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>",
        ),
    ])
}

/// How the content of a page is packed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Packed {
    Plain,
    Flate,
    /// As some programs write it: letters around what is packed.
    HexFlate,
}

/// A PDF with these contents of pages, in Helvetica and a font that maps its own codes.
pub(crate) fn pdf(pages: &[&str], packed: Packed) -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> = Vec::new();
    let kids: String = (0..pages.len()).map(|n| format!("{} 0 R ", 6 + 2 * n)).collect();
    objects.push(b"<< /Type /Catalog /Pages 2 0 R >>".to_vec());
    objects.push(format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()).into());
    objects.push(
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_vec(),
    );
    objects
        .push(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>".to_vec());
    let map = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <41> <AE00> <42> <00660069> endbfchar endcmap end end";
    objects.push(stream("", map));
    for (n, page) in pages.iter().enumerate() {
        objects.push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>", 7 + 2 * n).into());
        let content = page.as_bytes();
        objects.push(match packed {
            Packed::Plain => stream("", content),
            Packed::Flate => stream("/Filter /FlateDecode", &zlib(content)),
            Packed::HexFlate => {
                let hex: String = zlib(content).iter().map(|byte| format!("{byte:02x}")).collect();
                stream("/Filter [/ASCIIHexDecode /FlateDecode]", format!("{hex}>").as_bytes())
            }
        });
    }
    assembled(&objects)
}

/// A PDF of these objects, the first of which is its root.
pub(crate) fn assembled(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = String::new();
    for (n, object) in objects.iter().enumerate() {
        places.push_str(&format!("{:010} 00000 n \n", bytes.len()));
        bytes.extend(format!("{} 0 obj\n", n + 1).as_bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let (start, count) = (bytes.len(), objects.len() + 1);
    bytes.extend(format!("xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").as_bytes());
    bytes
}

/// A stream object.
pub(crate) fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {dictionary} /Length {} >>\nstream\n", data.len()).into_bytes();
    object.extend(data);
    object.extend(b"\nendstream");
    object
}

pub(crate) fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A picture without much in it.
pub(crate) fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let colour = |x: u32, y: u32| {
        let channel = |number: u32| u8::try_from(number % 256).unwrap();
        Rgb([channel(x), channel(y), channel(x / 16 + y / 16)])
    };
    let image = DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, colour));
    // Icons must have transparency.
    let image = if format == ImageFormat::Ico { image.into_rgba8().into() } else { image };
    let mut bytes = Vec::new();
    image.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

/// A notebook of the fourth format.
pub(crate) fn notebook() -> String {
    serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": {"language_info": {"name": "python"}, "other": [1, {"a": null}]},
        "cells": [
            {"id": "a1-b2", "cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "words"], "attachments": {"pic.png": {"image/png": "AAAA"}}},
            {"id": "c3", "cell_type": "code", "metadata": {}, "execution_count": 7, "source": "print(1)\nplot()", "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["0%\r100%\n", "\u{1b}[31mred\u{1b}[0m\n"]},
                {"output_type": "display_data", "metadata": {}, "data": {"image/png": "QUFB".repeat(1_000), "text/plain": ["<Figure>"], "application/json": {"a": [1]}}},
                {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["line one", "line two"]},
            ]},
            {"cell_type": "code", "metadata": {}, "execution_count": null, "source": [], "outputs": [
                {"output_type": "stream", "name": "stdout", "text": (0..500).map(|n| format!("{n}\n")).collect::<Vec<_>>()},
            ]},
        ],
    })
    .to_string()
}
