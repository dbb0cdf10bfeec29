//! `read_file` of notebooks, PDF and office documents.

use serde_json::{Value, json};

use crate::fixtures::{Packed, assembled, docx, notebook, pdf, stream, xlsx, zip, zlib};
use crate::support::Folder;

fn read(name: &str, content: impl AsRef<[u8]>, mut input: Value) -> String {
    let folder = Folder::new();
    folder.write(name, content);
    input["path"] = json!(name);
    folder.text("read_file", input)
}

fn refused(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.write(name, content);
    folder.error("read_file", json!({"path": name}))
}

/// The lines of a view without their numbers.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_once('\t').map(|(_, line)| line)).collect()
}

#[test]
fn f1_a_notebook_is_shown_by_cells_with_ids() {
    let text = read("n.ipynb", notebook(), json!({"limit": 23}));
    insta::assert_snapshot!(text, @r#"
         1	--- cell 1: id a1-b2, markdown ---
         2	# Title
         3	words
         4	[attachment pic.png]
         5	--- cell 2: id c3, code, run 7 ---
         6	print(1)
         7	plot()
         8	--- output: stdout ---
         9	100%
        10	red
        11	--- output: display_data ---
        12	<Figure>
        13	[image/png, 2.9 KB]
        14	[application/json]
        15	--- output: error ---
        16	ValueError: no
        17	line one
        18	line two
        19	--- cell 3: id #3, code ---
        20	--- output: stdout ---
        21	0
        22	1
        23	2
    (lines 1-23 of 81; read on with {"path":"n.ipynb","offset":24})
    (notebook in python of 3 cells, nbformat 4.5; lines are numbered in this view, not in the file)
    (cells by first line: a1-b2 1, c3 5, #3 19)
    "#);
    let text = read("n.ipynb", notebook(), json!({"offset": 80}));
    insta::assert_snapshot!(text, @r#"
        80	59
        81	[... 440 more lines, 1280 bytes]
    (notebook in python of 3 cells, nbformat 4.5; lines are numbered in this view, not in the file)
    (cells by first line: a1-b2 1, c3 5, #3 19)
    "#);
}

#[test]
fn notebooks_of_the_third_format_have_cells_too() {
    let old = json!({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": ["Head"]},
        {"cell_type": "code", "language": "python", "prompt_number": 3, "input": ["x = 1\n", "x"], "outputs": [
            {"output_type": "pyout", "prompt_number": 3, "text": ["1"], "png": "AAAA"},
            {"output_type": "stream", "stream": "stderr", "text": "warned"},
            {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": []},
        ]},
    ]}]});
    insta::assert_snapshot!(read("old.ipynb", old.to_string(), json!({})), @r#"
         1	--- cell 1: id #1, heading ---
         2	## Head
         3	--- cell 2: id #2, code, run 3 ---
         4	x = 1
         5	x
         6	--- output: pyout ---
         7	1
         8	[image/png, 3 bytes]
         9	--- output: stderr ---
        10	warned
        11	--- output: pyerr ---
        12	E: v
    (notebook of 2 cells, nbformat 3.0; lines are numbered in this view, not in the file)
    (cells by first line: #1 1, #2 3)
    "#);
}

#[test]
fn what_is_no_notebook_is_shown_as_text_and_says_why() {
    let text = read("n.ipynb", "{\"cells\": [\n", json!({}));
    insta::assert_snapshot!(text, @r#"
         1	{"cells": [
    (shown as text, not as a notebook: EOF while parsing a list at line 2 column 0)
    "#);
    let text = read("n.ipynb", "{\"a\": 1}\n", json!({}));
    assert!(
        text.starts_with(
            "     1\t{\"a\": 1}\n(shown as text, not as a notebook: missing field `nbformat`"
        ),
        "{text}"
    );
    let many = format!("{{\"nbformat\": 4, \"cells\": [{}{{}}]}}", "{},".repeat(30_000));
    let text = read("n.ipynb", many, json!({}));
    assert!(text.contains("not as a notebook: a list of more than 20000"), "{text}");
    let deep = format!("{{\"nbformat\": 4, \"cells\": {}", "[".repeat(200_000));
    assert!(read("n.ipynb", deep, json!({})).contains("not as a notebook"));
    assert_eq!(
        read("n.ipynb", "", json!({})),
        "(n.ipynb is empty)\n(shown as text, not as a notebook: EOF while parsing a value at line 1 column 0)\n"
    );
}

#[test]
fn f1_a_pdf_is_shown_by_pages() {
    let first = "BT /F1 12 Tf 50 700 Td (Hello) Tj 40 0 Td (world) Tj -40 -14 Td [(Ke) 20 (rned) -600 (apart)] TJ T* /F2 12 Tf 0 -40 Td (AB) Tj ET";
    let second = "q 1 0 0 1 0 100 cm BT /F1 10 Tf 14 TL 1 0 0 1 50 500 Tm (caf\\351 \\223quoted\\224) ' (x) ' ET Q";
    for packed in [Packed::Plain, Packed::Flate, Packed::HexFlate] {
        let text = read("d.pdf", pdf(&[first, second, ""], packed), json!({}));
        insta::allow_duplicates! { insta::assert_snapshot!(text, @r#"
             1	--- page 1 ---
             2	Hello world
             3	Kerned apart
             4	
             5	글fi
             6	--- page 2 ---
             7	café “quoted”
             8	x
             9	--- page 3 ---
        (PDF document, 3 pages, 1 without text (pictures of text are not read); lines are numbered in this view, not in the file)
        (pages by first line: 1 1, 2 6, 3 9)
        "#); }
    }
    let text = read("named.txt", pdf(&[first], Packed::Plain), json!({"offset": 2, "limit": 1}));
    assert!(text.contains("     2\tHello world\n(lines 2-2 of "), "{text}");
}

#[test]
fn a_pdf_that_is_encrypted_or_broken_is_told() {
    let mut locked = pdf(&["BT ET"], Packed::Plain);
    let at = locked.windows(5).position(|window| window == b"/Root").unwrap();
    locked.splice(at..at, *b"/Encr#79pt 9 0 R ");
    insta::assert_snapshot!(refused("d.pdf", locked), @"d.pdf (PDF document, 1000 bytes) cannot be shown: it is encrypted; `qpdf --decrypt in.pdf out.pdf` makes a copy that can be read.");
    insta::assert_snapshot!(refused("d.pdf", b"%PDF-1.7\n\x00\x01 nothing more"), @"d.pdf (PDF document, 24 bytes) cannot be shown: it is broken.");
}

#[test]
fn a_pdf_that_unpacks_to_too_much_is_refused() {
    let bomb = zlib(&vec![b' '; 32 << 20]);
    assert!(bomb.len() < 200_000);
    let twice = zlib(&zlib(&vec![b' '; 32 << 20]));
    let page = |data: Vec<u8>| {
        assembled(&[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_vec(),
            data,
        ])
    };
    for (filter, data) in [
        ("/Filter /FlateDecode", &bomb),
        ("/Filter[/FlateDecode/FlateDecode]", &twice),
        ("/Filter /Fl#61teDecode", &bomb),
        ("/Filter 9 0 R", &bomb),
        ("/F /Fl", &bomb),
    ] {
        let error = refused("d.pdf", page(stream(filter, data)));
        let told = ["unpacks to more than 24 MB", "a filter of it is unusual"];
        assert!(told.iter().any(|told| error.contains(told)), "{filter}: {error}");
    }
    // Data of a picture is not unpacked: no text comes from it.
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> /Font << /F1 6 0 R >> >> >>".to_vec(),
        stream("", b"/I Do BT /F1 9 Tf (caption) Tj ET"),
        stream("/Subtype /Image /Filter /FlateDecode", &bomb),
    ];
    objects.push(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec());
    let text = read("d.pdf", assembled(&objects), json!({}));
    assert!(text.contains("caption"), "{text}");
}

#[test]
fn a_drawing_that_draws_itself_ends() {
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> /Font << /F1 6 0 R >> >> >>".to_vec(),
        stream("", b"/X Do"),
        stream("/Subtype /Form /Matrix [1 0 0 1 0 -20]", b"BT /F1 9 Tf (again) Tj ET /X Do"),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec(),
    ];
    let text = read("d.pdf", assembled(&objects), json!({}));
    assert_eq!(lines(&text).iter().filter(|line| **line == "again").count(), 12, "{text}");
}

#[test]
fn f1_a_word_document_is_shown_with_headings_lists_and_tables() {
    let p = |properties: &str, text: &str| {
        format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let body = [
        p("<w:pStyle w:val=\"berschrift2\"/>", "A heading"),
        p("", "Fish &amp; chips &#65;</w:t><w:tab/><w:t>tab</w:t><w:br/><w:t>line<w:footnoteReference w:id=\"1\"/>"),
        p("<w:numPr><w:ilvl w:val=\"0\"/></w:numPr>", "one"),
        p("<w:numPr><w:ilvl w:val=\"1\"/></w:numPr>", "below"),
        "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>".into(),
        format!("<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}{}</w:tc></w:tr><w:tr><w:tc/><w:tc>{}</w:tc></w:tr></w:tbl>", p("", "a"), p("", "b|"), p("", "c"), p("", "d")),
        "<w:p><w:r><w:br w:type=\"page\"/><w:lastRenderedPageBreak/><w:t>next page</w:t></w:r></w:p>".into(),
    ];
    insta::assert_snapshot!(read("d.docx", docx(&body.concat()), json!({})), @r#"
         1	--- page 1 ---
         2	## A heading
         3	Fish & chips A	tab
         4	line[^1]
         5	- one
         6	  - below
         7	new
         8	| a | b\| / c |
         9	|  | d |
        10	--- page 2 ---
        11	next page
        12	# Footnotes
        13	[^1] a note [sic]
    (Word document, 2 pages; lines are numbered in this view, not in the file)
    (pages by first line: 1 1, 2 10)
    "#);
}

#[test]
fn f1_a_workbook_is_shown_by_sheets_with_addresses() {
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"s\"><v>1</v></c></row>\
        <row r=\"4\"><c r=\"A4\"><v>1.5</v></c><c r=\"B4\" s=\"1\"><v>45292.5</v></c><c r=\"C4\" t=\"b\"><v>1</v></c><c r=\"D4\" t=\"e\"><v>#REF!</v></c></row>\
        <row r=\"5\"><c r=\"B5\" t=\"inlineStr\"><is><t>two\nlines</t></is></c><c r=\"C5\"><f>SUM(A1:A4)</f></c><c r=\"D5\" t=\"str\"><f>A1</f><v>made</v></c><c r=\"XFD5\"><v>9</v></c></row>";
    insta::assert_snapshot!(read("b.xlsx", xlsx(rows), json!({})), @r#"
         1	--- sheet "Sales & more" ---
         2	row	A	B	C
         3	1	name		two runs
         4	row	A	B	C	D
         5	4	1.5	2024-01-01 12:00:00	TRUE	#REF!
         6	5		two\nlines	=SUM(A1:A4)	made
         7	(left out: 1 values right of column IV)
         8	--- sheet "Old", hidden ---
         9	(empty)
    (Excel workbook, 2 sheets; lines are numbered in this view, not in the file)
    (sheets by first line: "Sales & more" 1, "Old" 8)
    "#);
}

#[test]
fn office_documents_that_cannot_be_shown_are_told() {
    let bomb = zip(&[("word/document.xml", &vec![b' '; 50 << 20])]);
    assert!(bomb.len() < 100_000);
    insta::assert_snapshot!(refused("bomb.docx", bomb), @"bomb.docx (Word document, 49.8 KB) cannot be shown: a part of it unpacks to more than 48.0 MB.");
    let mut locked = docx("");
    let at = locked.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    for at in (at..locked.len() - 4)
        .filter(|at| &locked[*at..*at + 4] == b"PK\x01\x02")
        .collect::<Vec<_>>()
    {
        locked[at + 8] |= 1;
    }
    insta::assert_snapshot!(refused("locked.docx", locked), @"locked.docx (Word document, 717 bytes) cannot be shown: it is encrypted; save it without a password first.");
    let mut sealed = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0".to_vec();
    insta::assert_snapshot!(refused("old.doc", &sealed), @r#"
    old.doc is a binary file (Microsoft Office document before 2007, 10 bytes) and cannot be shown as text.
    Save it in the newer format (DOCX, XLSX), which can be read.
    "#);
    sealed.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    insta::assert_snapshot!(refused("sealed.docx", &sealed), @"sealed.docx (Office document, 42 bytes) cannot be shown: it is encrypted; save it without a password first.");
    let slides = zip(&[("ppt/presentation.xml", b"<p/>")]);
    insta::assert_snapshot!(refused("s.pptx", slides), @"s.pptx is a binary file (PowerPoint presentation, 144 bytes) and cannot be shown as text.");
    insta::assert_snapshot!(refused("plain.zip", zip(&[("a.txt", b"a")])), @"plain.zip is a binary file (ZIP archive, 111 bytes) and cannot be shown as text.");
    let error = refused("broken.docx", &docx("")[..300]);
    assert!(error.contains("is a binary file (ZIP archive, 300 bytes)"), "{error}");
}

#[test]
fn tables_of_text_stay_text() {
    assert_eq!(read("t.csv", "a,b\n1,2\n", json!({})), "     1\ta,b\n     2\t1,2\n");
    assert_eq!(read("t.tsv", "a\tb\n", json!({})), "     1\ta\tb\n");
    assert_eq!(read("i.svg", "<svg/>\n", json!({})), "     1\t<svg/>\n");
}
