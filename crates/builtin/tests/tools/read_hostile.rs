//! `read_file` of files that are not what they say, and of files that change.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicBool, Ordering};

use image::ImageFormat;
use proptest::prelude::*;
use serde_json::json;

use crate::fixtures::{Packed, docx, notebook, pdf, picture, xlsx};
use crate::support::Folder;

/// How often a file is read while somebody writes it.
const READS: usize = 20;

/// A file gets one answer: words that are not empty, or an error that names it.
fn answered(folder: &Folder, name: &str, content: &[u8]) -> Result<(), TestCaseError> {
    folder.write(name, content);
    match folder.run("read_file", json!({"path": name, "limit": 50})) {
        Ok(output) => prop_assert!(!output.content.is_empty()),
        Err(error) => prop_assert!(error.info().message.contains(name), "{error:?}"),
    }
    Ok(())
}

/// One of each kind, that can be read.
fn documents() -> Vec<(&'static str, Vec<u8>)> {
    let page = "BT /F1 12 Tf 50 700 Td (Hello) Tj [(wor) 20 (ld)] TJ /F2 9 Tf (AB) ' ET";
    let body =
        "<w:p><w:r><w:t>text</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>";
    vec![
        ("a.pdf", pdf(&[page, page], Packed::Flate)),
        ("b.pdf", pdf(&[page], Packed::Plain)),
        ("c.pdf", pdf(&[page], Packed::HexFlate)),
        ("d.docx", docx(body)),
        (
            "e.xlsx",
            xlsx("<row r=\"1\"><c r=\"B1\" s=\"1\"><v>45292</v></c><c t=\"s\"><v>1</v></c></row>"),
        ),
        ("f.ipynb", notebook().into_bytes()),
        ("g.png", picture(30, 20, ImageFormat::Png)),
        ("h.jpg", picture(30, 20, ImageFormat::Jpeg)),
        ("i.gif", picture(30, 20, ImageFormat::Gif)),
        ("j.webp", picture(30, 20, ImageFormat::WebP)),
        ("k.bmp", picture(30, 20, ImageFormat::Bmp)),
        ("l.ico", picture(30, 20, ImageFormat::Ico)),
    ]
}

/// Something done to the bytes of a document.
#[derive(Clone, Debug)]
enum Change {
    Set(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Remove(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize),
    Swap(prop::sample::Index, prop::sample::Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        1 => at().prop_map(Change::Cut),
        2 => (at(), 1..40_usize).prop_map(|(at, size)| Change::Remove(at, size)),
        2 => (at(), 1..200_usize).prop_map(|(at, size)| Change::Repeat(at, size)),
        2 => (at(), at(), 1..20_usize).prop_map(|(a, b, size)| Change::Swap(a, b, size)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len();
        let end = |start: usize, size: usize| (start + size).min(length);
        match change {
            Change::Set(at, byte) => bytes[at.index(length)] = *byte,
            Change::Cut(at) => bytes.truncate(at.index(length)),
            Change::Remove(at, size) => {
                let start = at.index(length);
                bytes.drain(start..end(start, *size));
            }
            Change::Repeat(at, size) => {
                let start = at.index(length);
                let piece = bytes[start..end(start, *size)].to_vec();
                bytes.splice(start..start, piece);
            }
            Change::Swap(a, b, size) => {
                for step in 0..*size {
                    let (a, b) =
                        ((a.index(length) + step) % length, (b.index(length) + step) % length);
                    bytes.swap(a, b);
                }
            }
        }
    }
    bytes
}

#[test]
fn documents_that_are_cut_anywhere_get_an_answer() {
    let folder = Folder::new();
    for (name, content) in documents() {
        for part in 0..24 {
            answered(&folder, name, &content[..content.len() * part / 24]).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_documents_get_an_answer(
        which in 0..12_usize,
        changes in prop::collection::vec(change(), 1..12),
    ) {
        let (name, content) = documents().swap_remove(which);
        answered(&Folder::new(), name, &changed(content, &changes))?;
    }

    #[test]
    fn random_bytes_get_an_answer_whatever_they_are_called(
        head in prop::sample::select(vec![
            &b""[..], b"%PDF-1.7\n", b"PK\x03\x04", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a",
            b"RIFF\0\0\0\0WEBPVP8 ", b"RIFF\0\0\0\0WEBPVP8L", b"BM", b"\0\0\x01\0", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        ]),
        name in prop::sample::select(vec!["a.pdf", "a.docx", "a.xlsx", "a.png", "a.ipynb", "a"]),
        bytes in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        answered(&Folder::new(), name, &[head, &bytes].concat())?;
    }

    #[test]
    fn random_drawing_gets_an_answer(
        steps in prop::collection::vec(prop::sample::select(vec![
            "BT", "ET", "q", "Q", "/F1 12 Tf", "/F2 1e38 Tf", "/F9 0 Tf", "(a(b)\\)", "(Hello) Tj", "[(a) -9999999999 (b)] TJ",
            "1 0 0 1 5 5 Tm", "0 0 0 0 0 0 cm", "1e300 0 0 1e300 0 0 cm", "T*", "<414", "<4142> Tj", "(x) '", "1 2 (y) \"",
            "-1 Tz", "/X Do", "BI /W 1 ID x EI", "[", "]", "<<", ">>", "/", "99999999999999999999 Tc", "NaN TL",
        ]), 0..60),
    ) {
        let page = steps.join(" ");
        answered(&Folder::new(), "a.pdf", &pdf(&[&page], Packed::Flate))?;
    }
}

/// Tells a writer to stop, also when the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A version of a file: more than one block, so that a change can fall between two reads.
fn version(number: u32) -> String {
    format!("{number:059}\n").repeat(9_000)
}

#[test]
fn a_file_that_is_overwritten_while_it_is_read_is_never_shown_as_a_mixture() {
    let folder = Folder::new();
    folder.write("f", version(0));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&done);
        scope.spawn(|| {
            let file = OpenOptions::new().write(true).open(folder.path("f")).unwrap();
            for number in (1..).take_while(|_| !done.load(Ordering::Relaxed)) {
                file.write_all_at(version(number).as_bytes(), 0).unwrap();
            }
        });
        for _ in 0..READS {
            let ranges = json!([[1, 3], [4_500, 4_503], [8_990, 8_993]]);
            let files = json!([{"path": "f", "line_ranges": ranges}]);
            let text = folder.text("read_file", json!({"files": files}));
            if text.contains("(the file changed while it was read: this may be a mixture)") {
                continue;
            }
            let lines = text.lines().filter_map(|line| line.split_once('\t')?.1.parse().ok());
            let versions: Vec<u32> = lines.collect();
            // While one is written over another, its beginning is newer than its end: that is
            // what the file is. The other way round it never was.
            assert!(versions.is_sorted_by(|earlier, later| earlier >= later), "{versions:?}");
            assert!(versions[0] - versions[versions.len() - 1] <= 1, "{versions:?}");
        }
    });
}

#[test]
fn a_file_that_shrinks_or_vanishes_while_it_is_read_is_told() {
    let folder = Folder::new();
    let long = "a line of text\n".repeat(30_000);
    folder.write("f", &long);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&done);
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                File::create(folder.path("f")).unwrap().set_len(0).unwrap();
                std::fs::remove_file(folder.path("f")).unwrap();
                folder.write("f", &long);
            }
        });
        for _ in 0..READS {
            match folder.run("read_file", json!({"path": "f", "offset": 29_990})) {
                Ok(output) => {
                    let text = dogu_tool::ToolResult::ok("c", "read_file", output).to_text();
                    let lines = text.lines().filter(|line| line.ends_with("\ta line of text"));
                    let told = ["(f is empty)", " is past its end)", "may be a mixture)"];
                    // Whoever reads while it is written sees as much as was written.
                    let some = lines.count() > 0;
                    assert!(some || told.iter().any(|told| text.contains(told)), "{text}");
                }
                Err(error) => assert!(error.info().message.contains("file not found"), "{error:?}"),
            }
        }
    });
}
