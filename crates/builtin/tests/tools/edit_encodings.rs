//! Edits of files that are not plain UTF-8 keep every byte that they do not change.

use serde_json::json;

use crate::support::Folder;

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    format!("\u{feff}{text}").encode_utf16().flat_map(unit).collect()
}

fn edited(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let folder = Folder::new();
    folder.write("f", bytes);
    let input = json!({"path": "f", "old_string": old, "new_string": new});
    folder.text("edit_file", input);
    std::fs::read(folder.path("f")).unwrap()
}

#[test]
fn utf_16_stays_utf_16_with_its_mark() {
    for big in [false, true] {
        let before = utf16("한 줄\r\nzwei\r\n", big);
        assert_eq!(edited(&before, "zwei", "zwö"), utf16("한 줄\r\nzwö\r\n", big));
    }
}

#[test]
fn a_byte_order_mark_and_mixed_line_ends_stay() {
    let before = "\u{feff}one\r\ntwo\nthree\r\nfour";
    let after = edited(before.as_bytes(), "two\nthree", "2\nthree");
    assert_eq!(String::from_utf8(after).unwrap(), "\u{feff}one\r\n2\nthree\r\nfour");
}

#[test]
fn an_older_encoding_is_written_again_and_what_it_cannot_say_is_refused() {
    let text = "caf\u{e9} cr\u{e8}me br\u{fb}l\u{e9}e, gar\u{e7}on d\u{e9}j\u{e0} vu\n".repeat(4);
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(&text);
    let changed = edited(&[&latin[..], b"end\n"].concat(), "end", "fin \u{e9}t\u{e9}");
    assert_eq!(changed, [&latin[..], b"fin \xe9t\xe9\n"].concat());
    let folder = Folder::new();
    folder.write("f", [&latin[..], b"end\n"].concat());
    let input = json!({"path": "f", "old_string": "end", "new_string": "끝"});
    let error = folder.error("edit_file", input);
    assert!(error.contains("windows-1252, which has no '끝'"), "{error}");
    assert_eq!(std::fs::read(folder.path("f")).unwrap(), [&latin[..], b"end\n"].concat());
}
