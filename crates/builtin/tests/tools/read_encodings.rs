//! `read_file` and the encodings of text.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GBK, ISO_2022_JP, KOI8_R, SHIFT_JIS, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Folder;

fn read(content: &[u8], mut input: Value) -> String {
    let folder = Folder::new();
    folder.write("f", content);
    input["path"] = json!("f");
    folder.text("read_file", input)
}

const KOREAN: &str = "안녕하세요. 이 파일은 오래된 부호화로 저장되었습니다.\n두 번째 줄입니다.\n";
const JAPANESE: &str = "こんにちは、世界。\nこれは古い文字コードで書かれたファイルです。\n";
const CHINESE: &str = "你好，世界。这是一个用旧编码保存的文件。\n第二行。\n";
const TAIWANESE: &str = "你好，世界。這是一個用舊編碼儲存的檔案。\n第二行在這裡。\n";
const RUSSIAN: &str = "Привет, мир! Этот файл сохранён в старой кодировке.\nВторая строка.\n";
const FRENCH: &str = "Le café coûte très cher à l'été, où l'on mange des gâteaux.\n";
const POLISH: &str = "Zażółć gęślą jaźń. Ten plik został zapisany w starym kodowaniu.\n";
const GREEK: &str = "Καλημέρα κόσμε. Αυτό το αρχείο είναι σε παλιά κωδικοποίηση.\n";

#[test]
fn older_encodings_are_guessed_and_named() {
    for (text, encoding) in [
        (KOREAN, EUC_KR),
        (JAPANESE, SHIFT_JIS),
        (JAPANESE, EUC_JP),
        (JAPANESE, ISO_2022_JP),
        (CHINESE, GBK),
        (TAIWANESE, BIG5),
        (RUSSIAN, WINDOWS_1251),
        (RUSSIAN, KOI8_R),
        (FRENCH, WINDOWS_1252),
        (POLISH, WINDOWS_1250),
        (GREEK, WINDOWS_1253),
    ] {
        let (bytes, used, errors) = encoding.encode(text);
        assert!(!errors && used == encoding);
        let shown = read(&bytes, json!({}));
        let expected: String =
            text.lines().enumerate().map(|(n, line)| format!("{:6}\t{line}\n", n + 1)).collect();
        let name = named(&shown, encoding);
        assert_eq!(shown, format!("{expected}(decoded from {name})\n"));
    }
}

/// Some encodings differ only in characters that the text does not have.
fn named(shown: &str, encoding: &'static Encoding) -> &'static str {
    if encoding == KOI8_R && shown.contains("KOI8-U") { "KOI8-U" } else { encoding.name() }
}

#[test]
fn an_older_encoding_is_found_after_much_ascii() {
    let ascii = "plain text\n".repeat(30_000);
    let (korean, _, _) = EUC_KR.encode(KOREAN);
    let content = [ascii.as_bytes(), &korean].concat();
    let shown = read(&content, json!({"offset": -2}));
    assert!(shown.contains(" 30002\t두 번째 줄입니다.\n(decoded from EUC-KR)\n"), "{shown}");
}

#[test]
fn broken_bytes_in_utf8_are_no_other_encoding() {
    for content in [
        [KOREAN.as_bytes(), b"wild \xb1 byte\n"].concat(),
        [KOREAN.as_bytes(), &KOREAN.as_bytes()[1..]].concat(),
        b"plain \xff ascii\n".to_vec(),
    ] {
        let shown = read(&content, json!({}));
        assert!(shown.ends_with("(bytes that are not UTF-8 are shown as \u{fffd})\n"), "{shown}");
    }
}

#[test]
fn byte_order_marks_are_told_and_not_shown() {
    let shown = read("\u{feff}one\ntwo\n".as_bytes(), json!({}));
    assert_eq!(shown, "     1\tone\n     2\ttwo\n(the file begins with a UTF-8 byte order mark)\n");
    for (big, name) in [(false, "UTF-16LE"), (true, "UTF-16BE")] {
        let shown = read(&utf16("\u{feff}하나\r\n둘 🦀\n", big), json!({}));
        let note = format!("(decoded from {name}, which a byte order mark tells)\n");
        assert_eq!(shown, format!("     1\t하나\n     2\t둘 🦀\n{note}"));
    }
    for (big, name) in [(false, "UTF-32LE"), (true, "UTF-32BE")] {
        let shown = read(&utf32("\u{feff}a\n🦀", big), json!({}));
        let note = format!("(decoded from {name}, which a byte order mark tells)\n");
        assert_eq!(shown, format!("     1\ta\n     2\t🦀\n{note}"));
    }
}

#[test]
fn wide_text_without_a_mark_is_found_and_other_nuls_are_binary() {
    for big in [false, true] {
        for text in ["plain words\nand more\n", "한국어 글자 더\n둘\n"] {
            let shown = read(&utf16(text, big), json!({}));
            assert!(
                shown.contains("     2\t") && shown.contains("(decoded from UTF-16"),
                "{shown}"
            );
        }
    }
    let folder = Folder::new();
    for (content, about) in [
        (&b"text and a\0nul\n"[..], "a NUL in text"),
        (b"\0\0\0\0\0\0\0\0", "nothing but NULs"),
        (b"\x01\0\x02\0\x03\0\x04\0", "small numbers"),
        (b"\x01\x02\x03\x04\x05\x06\x07\x0e", "control characters"),
    ] {
        folder.write("f", content);
        let error = folder.error("read_file", json!({"path": "f"}));
        assert!(error.contains("is a binary file of"), "{about}: {error}");
    }
}

#[test]
fn invisible_characters_are_shown_and_told() {
    let shown = read("a\u{202e}b\x1b[31m\n".as_bytes(), json!({}));
    assert_eq!(
        shown,
        "     1\ta\u{202e}b\x1b[31m\n(invisible characters are shown as they are: U+202E in line 1, U+001B in line 1)\n"
    );
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    text.encode_utf16().flat_map(unit).collect()
}

fn utf32(text: &str, big: bool) -> Vec<u8> {
    let unit = |letter: char| {
        let letter = u32::from(letter);
        if big { letter.to_be_bytes() } else { letter.to_le_bytes() }
    };
    text.chars().flat_map(unit).collect()
}

/// The lines of a result, without numbers and notes.
fn lines_of(shown: &str) -> Vec<String> {
    let lines = shown.split_terminator('\n').filter(|line| !line.starts_with('('));
    lines.map(|line| line.split_once('\t').unwrap().1.to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn wide_text_comes_back_as_it_was(
        text in "([a-z가-힣 🦀]|\n){1,60}\n[a-z ]{1,9}",
        big: bool,
        four: bool,
    ) {
        let marked = format!("\u{feff}{text}");
        let bytes = if four { utf32(&marked, big) } else { utf16(&marked, big) };
        let shown = read(&bytes, json!({}));
        prop_assert_eq!(lines_of(&shown), text.lines().collect::<Vec<_>>());
    }

    #[test]
    fn older_text_comes_back_as_it_was(
        words in prop::collection::vec("[가나다라마바사아자차카타파하][고노도로모보소오조초코토포호][은는이가을를]", 8..40),
        line_every in 1_usize..9,
    ) {
        let text: String = (words.iter().enumerate())
            .map(|(n, word)| format!("{word}{}", if n % line_every == 0 { "\n" } else { " " }))
            .collect();
        let (bytes, _, errors) = EUC_KR.encode(&text);
        prop_assume!(!errors);
        let shown = read(&bytes, json!({}));
        prop_assert!(shown.ends_with("(decoded from EUC-KR)\n"), "{shown}");
        prop_assert_eq!(lines_of(&shown), text.lines().collect::<Vec<_>>());
    }

    #[test]
    fn no_bytes_whatever_make_it_fail_otherwise_than_as_binary(
        content in prop::collection::vec(any::<u8>(), 0..400),
        offset in -9_i64..9,
    ) {
        prop_assume!(offset != 0);
        let folder = Folder::new();
        folder.write("f", &content);
        match folder.run("read_file", json!({"path": "f", "offset": offset})) {
            Ok(_) => {}
            Err(error) => prop_assert!(error.to_string().contains("binary file"), "{error}"),
        }
    }
}
