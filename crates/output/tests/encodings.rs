//! Other encodings than UTF-8, and what is no text.

use dogu_output::{Log, Plain, Stream, plain};

/// Korean, Japanese, Chinese and western text as programs print it.
const KOREAN: &str =
    "컴파일 오류: 파일을 찾을 수 없습니다\n빌드가 실패했습니다. 다시 시도하십시오.\n";
const JAPANESE: &str =
    "エラー: ファイルが見つかりません\nビルドに失敗しました。もう一度お試しください。\n";
const CHINESE: &str = "错误：找不到文件\n编译失败，请检查您的设置然后重试。\n";
const GERMAN: &str =
    "Fehler: Datei nicht gefunden, bitte prüfen Sie die Größe\nÜbersetzung läuft nicht\n";

fn fed_in(bytes: &[u8], chunk: usize) -> (String, Option<&'static str>) {
    let mut plain = Plain::new();
    let mut text = String::new();
    bytes.chunks(chunk).for_each(|chunk| plain.feed(chunk, &mut text));
    plain.finish(&mut text);
    (text, plain.encoding())
}

#[test]
fn older_encodings_are_recognised() {
    for (encoding, text) in [
        (encoding_rs::EUC_KR, KOREAN),
        (encoding_rs::SHIFT_JIS, JAPANESE),
        (encoding_rs::EUC_JP, JAPANESE),
        (encoding_rs::GBK, CHINESE),
        (encoding_rs::WINDOWS_1252, GERMAN),
    ] {
        let (bytes, _, _) = encoding.encode(text);
        for chunk in [1, 2, 3, 7, 4096] {
            let (seen, name) = fed_in(&bytes, chunk);
            assert_eq!(seen, text, "{}", encoding.name());
            assert_eq!(name, Some(encoding.name()));
        }
        // Longer than a block, so that characters are cut between blocks; colours and returns work.
        let long = format!("\u{1b}[31m{text}\u{1b}[0m10%\r20%\r").repeat(600);
        let (bytes, _, _) = encoding.encode(&long);
        let (seen, _) = fed_in(&bytes, 1000);
        assert_eq!(seen.matches(text.lines().next().unwrap()).count(), 600, "{}", encoding.name());
        assert!(!seen.contains('\u{fffd}') && !seen.contains('\u{1b}'));
    }
}

#[test]
fn wide_characters_are_recognised_with_and_without_a_mark() {
    let text = format!("Windows Subsystem for Linux\r\n{KOREAN}");
    let expected = text.replace("\r\n", "\n");
    let units: Vec<u16> = text.repeat(200).encode_utf16().collect();
    for (mark, bytes) in [
        (vec![], units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>()),
        (vec![0xff, 0xfe], units.iter().flat_map(|unit| unit.to_le_bytes()).collect()),
        (vec![], units.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
        (vec![0xfe, 0xff], units.iter().flat_map(|unit| unit.to_be_bytes()).collect()),
    ] {
        let bytes = [mark, bytes].concat();
        for chunk in [1, 3, 5000] {
            let (seen, name) = fed_in(&bytes, chunk);
            assert_eq!(seen, expected.repeat(200));
            assert!(name.unwrap().starts_with("UTF-16"));
        }
    }
}

#[test]
fn utf8_with_broken_bytes_stays_utf8() {
    assert_eq!(plain("한글 \u{feff}".as_bytes()), "한글 \u{feff}");
    assert_eq!(plain(b"\xef\xbb\xbfmarked\n"), "marked\n");
    assert_eq!(
        plain(b"caf\xc3\xa9 \xff na\xc3\xafve \xc3\xa9\xc3\xa9\n"),
        "café \u{fffd} naïve éé\n"
    );
    assert_eq!(plain(b"one wild byte: \xff.\n"), "one wild byte: \u{fffd}.\n");
    assert_eq!(plain("한".as_bytes().get(..2).unwrap()), "\u{fffd}");
}

#[test]
fn names_that_nul_ends_are_text() {
    let (seen, _) = fed_in(b"src/a file\0src/another file\0", 5);
    assert_eq!(seen, "src/a filesrc/another file");
}

/// Bytes without any order, the same each time.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(next).collect()
}

#[test]
fn binary_output_is_said_to_be_binary() {
    for chunk in [1, 777, 1 << 20] {
        let mut plain = Plain::new();
        let mut text = String::new();
        noise(1_000_000).chunks(chunk).for_each(|chunk| plain.feed(chunk, &mut text));
        plain.finish(&mut text);
        assert_eq!(text, "[binary output: 1.0 MB not shown]\n");
        assert_eq!(plain.binary(), 1_000_000);
    }
    assert_eq!(plain(&[0; 4096]), "[binary output: 4.1 KB not shown]\n");
}

#[test]
fn text_around_binary_output_is_shown() {
    let printed = [b"before\n".repeat(2000).as_slice(), &noise(50_000), b"\x82done\n"].concat();
    let text = plain(&printed);
    assert!(text.starts_with(&"before\n".repeat(2000)), "{text}");
    assert!(text.contains("[binary output: ") && text.ends_with(" not shown]\ndone\n"), "{text}");
    let printed = [noise(50_000).as_slice(), &b"after\n".repeat(2000)].concat();
    let text = plain(&printed);
    assert!(text.starts_with("[binary output: ") && text.ends_with("after\nafter\n"), "{text}");
}

#[test]
fn a_flood_of_noise_is_one_line_with_its_size() {
    let log = Log::new();
    let noise = noise(1 << 20);
    for _ in 0..50 {
        log.push(Stream::Out, &noise);
    }
    log.close();
    let shown = log.result(30_000);
    assert_eq!(shown.text, "[binary output: 52.4 MB not shown]\n");
    assert_eq!(shown.stdout, shown.text);
    assert_eq!((shown.stderr.as_str(), shown.binary), ("", 50 << 20));
}

#[test]
fn an_encoding_is_known_in_the_middle_of_a_stream() {
    let log = Log::new();
    let (bytes, _, _) = encoding_rs::EUC_KR.encode(KOREAN);
    log.push(Stream::Out, &bytes);
    let cursor = log.since(0, 10_000).cursor;
    let (word, _, _) = encoding_rs::EUC_KR.encode("프로그램");
    log.push(Stream::Out, &word);
    assert_eq!(log.since(cursor, 10_000).text, "프로그램");
    log.push(Stream::Err, "오류".as_bytes());
    log.push(Stream::Out, &word);
    let shown = log.result(10_000);
    assert_eq!(shown.text, format!("{KOREAN}프로그램오류프로그램"));
    assert_eq!(shown.encoding, Some("EUC-KR"));
}

#[test]
fn cut_characters_of_other_encodings_come_the_next_time() {
    let wide: Vec<u8> = KOREAN.repeat(3).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (korean, _, _) = encoding_rs::EUC_KR.encode(KOREAN);
    let (japanese, _, _) = encoding_rs::SHIFT_JIS.encode(JAPANESE);
    for (bytes, expected) in [
        (wide, KOREAN.repeat(3)),
        (korean.repeat(3), KOREAN.repeat(3)),
        (japanese.repeat(3), JAPANESE.repeat(3)),
    ] {
        let log = Log::new();
        let (first, rest) = bytes.split_at(bytes.len() / 3);
        log.push(Stream::Out, first);
        let mut seen = log.since(0, 10_000);
        let mut text = seen.text;
        for chunk in rest.chunks(3) {
            log.push(Stream::Out, chunk);
            seen = log.since(seen.cursor, 10_000);
            text.push_str(&seen.text);
        }
        assert_eq!(text, expected);
    }
}
