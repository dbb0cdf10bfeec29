//! The memory that reading takes at the most, whatever the file: live bytes are counted. A binary
//! of its own, for its allocator, with one test, so that nothing else is counted.

#![expect(unsafe_code, reason = "an allocator that counts cannot be written without")]
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]
#![expect(clippy::print_stdout, reason = "the figures are worth reading")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "../../runtime/tests/counting/mod.rs"]
mod counting;
#[path = "tools/fixtures.rs"]
#[expect(dead_code, reason = "others need the rest")]
mod fixtures;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;

use counting::{LIVE, PEAK};
use dogu_runtime::RuntimeContext;
use dogu_tool::{ToolResult, typed};
use serde_json::{Value, json};

/// What any call may take.
const MAX_BYTES: isize = 200 << 20;
/// What reading lines may take: blocks, and what is shown.
const MAX_TEXT_BYTES: isize = 4 << 20;

/// What a call answers, and the bytes that it took at the most.
fn read(folder: &Path, input: Value) -> (String, isize) {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let tool = typed(dogu_builtin::read::ReadFile);
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let answer = tokio.block_on(RuntimeContext::bare(folder, &tool, input));
    let most = PEAK.load(Ordering::Relaxed) - before;
    let text = match answer {
        Ok(output) => ToolResult::ok("c", "read_file", output).to_text(),
        Err(error) => error.info().message.clone(),
    };
    (text, most)
}

/// Ten gigabytes, almost all of which are a hole: lines, a line of 512 MB, lines.
fn write_sparse(folder: &Path) {
    let file = File::create(folder.join("sparse")).unwrap();
    let lines: String = (1..=1_000).map(|n| format!("line {n}\n")).collect();
    file.write_all_at(lines.as_bytes(), 0).unwrap();
    file.write_all_at(b"\nafter the hole\nand on\n", 512 << 20).unwrap();
    file.set_len(10 << 30).unwrap();
}

fn check(folder: &Path, input: &Value, expected: &str, most: isize) {
    let (text, took) = read(folder, input.clone());
    println!("{:>9} KB  {input}", took / 1024);
    let shown: String = text.chars().take(400).collect();
    assert!(text.contains(expected), "{input}: {shown}");
    assert!(took < most, "{input} took {took} bytes");
}

#[test]
fn f1_every_file_is_read_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_sparse(folder);
    for (input, expected) in [
        (json!({"offset": 500, "limit": 3}), "   500\tline 500\n"),
        (json!({"offset": 1_001, "limit": 1}), "[... line of 536862020 bytes cut]"),
        (json!({"offset": 1_002, "limit": 2}), "  1002\tafter the hole\n  1003\tand on\n"),
    ] {
        let mut input = input;
        input["path"] = json!("sparse");
        check(folder, &input, expected, MAX_TEXT_BYTES);
    }
    for (name, content, expected) in hostile() {
        std::fs::write(folder.join(name), content).unwrap();
        check(folder, &json!({"path": name}), expected, MAX_BYTES);
    }
}

/// Files that are small and claim to be large, or that take a lot of room when they are parsed.
fn hostile() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let spaces = vec![b' '; 128 << 20];
    let packed = fixtures::zlib(&spaces);
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_vec(),
        fixtures::stream("/Filter /FlateDecode", &packed),
    ];
    let bomb = fixtures::assembled(&objects);
    objects[3] = fixtures::stream(
        "/Type /ObjStm /Filter [/FlateDecode /FlateDecode]",
        &fixtures::zlib(&packed),
    );
    let nested = fixtures::assembled(&objects);
    let cell = format!("{{\"cell_type\": \"code\", \"outputs\": [{}{{}}]}},", "{},".repeat(19));
    let many = cell.repeat(11_000);
    let texts = |count| {
        format!("{{\"nbformat\": 4, \"cells\": [{{\"source\": [{}\"\"]}}]}}", "\"\",".repeat(count))
    };
    let names = "<c><v>1</v></c>".repeat(3_000_000);
    vec![
        ("bomb.pdf", bomb, "unpacks to more than 24 MB"),
        ("nested.pdf", nested, "unpacks to more than 24 MB"),
        (
            "bomb.docx",
            fixtures::zip(&[("word/document.xml", &spaces)]),
            "unpacks to more than 48.0 MB",
        ),
        ("wide.xlsx", fixtures::xlsx(&format!("<row>{names}</row>")), "values right of column"),
        ("many.ipynb", format!("{{\"nbformat\": 4, \"cells\": [{many}{{}}]}}").into(), "cell 1:"),
        ("texts.ipynb", texts(1_900_000).into(), "notebook of 1 cell"),
        ("more.ipynb", texts(15_000_000).into(), "not as a notebook: it has 2 objects and"),
        (
            "photo.png",
            fixtures::picture(5_000, 4_000, image::ImageFormat::Png),
            "PNG image, 5000x4000",
        ),
    ]
}

#[test]
#[ignore = "writes a gigabyte"]
fn f1_a_gigabyte_of_lines_is_read_near_its_end_in_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = BufWriter::new(File::create(folder.path().join("f")).unwrap());
    for n in 1..=16_000_000 {
        writeln!(file, "{n:>10} {:>52}", "a line of sixty-four bytes, with its end").unwrap();
    }
    file.into_inner().unwrap();
    let input = json!({"path": "f", "offset": 15_999_000, "limit": 2});
    check(folder.path(), &input, "15999000\t  15999000 ", MAX_TEXT_BYTES);
    let input = json!({"path": "f", "offset": -2});
    check(folder.path(), &input, "16000000\t  16000000 ", MAX_TEXT_BYTES);
}
