//! A spill file by itself.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs::File;
use std::io::{Read, Seek, Write};

use dogu_output::regex::Regex;
use dogu_output::{Kept, Limits, Log, Stream};
use proptest::prelude::*;

use Stream::{Err, Out};

fn closed(limits: Limits, pushes: &[(Stream, Vec<u8>)]) -> (Log, File) {
    let file = tempfile::tempfile().unwrap();
    let log = Log::with(limits, Some(file.try_clone().unwrap()));
    for (stream, bytes) in pushes {
        log.push(*stream, bytes);
    }
    log.close();
    (log, file)
}

fn lines(from: u64, to: u64) -> Vec<u8> {
    (from..to).flat_map(|number| format!("line {number}\n").into_bytes()).collect()
}

#[test]
fn pages_go_through_all_of_it() {
    let pushes =
        [(Out, lines(1, 50_000)), (Err, lines(50_000, 50_001)), (Out, lines(50_001, 100_001))];
    let (log, file) = closed(Limits::default(), &pushes);
    let kept = Kept::open(file).unwrap();
    let mut first = 1;
    let mut pages = 0;
    loop {
        let page = kept.page(first, 30_000, 1_000_000);
        assert_eq!(page, log.page(first, 30_000, 1_000_000));
        let expected: String =
            (first..first + page.lines).map(|number| format!("line {number}\n")).collect();
        assert_eq!(page.text, expected);
        pages += 1;
        let Some(next) = page.next else { break };
        assert_eq!(next, first + page.lines);
        first = next;
    }
    assert_eq!((pages, kept.page(100_001, 10, 1000).lines), (4, 0));
    let small = kept.page(10, 100, 30);
    assert_eq!((small.text.as_str(), small.next), ("line 10\nline 11\nline 12\n", Some(13)));
    assert_eq!(kept.count(Err).lines, 1);
    let found = kept.search(&Regex::new("^line 9999\\d$").unwrap(), 0, 3, 1000);
    assert_eq!((found.matches, found.lines[0].number), (10, 99_990));
    assert_eq!(kept.errors_only(5, 1000).text(), "50000:line 50000\n");
}

#[test]
fn a_capped_file_has_a_gap_and_the_end() {
    let limits = Limits { head: 1000, tail: 5000, spill: 20_000, ..Limits::default() };
    let pushes =
        [(Out, lines(1, 50_000)), (Err, b"broken\n".to_vec()), (Out, lines(50_000, 50_100))];
    let (log, mut file) = closed(limits, &pushes);
    let shown = log.result(100_000);
    let kept = Kept::open(file.try_clone().unwrap()).unwrap();
    let gap = kept.gap();
    assert!(gap.lines > 40_000);
    let again = kept.result(100_000);
    assert_eq!(again.text, shown.text);
    assert!(again.text.starts_with("line 1\n") && again.text.ends_with("line 50099\n"));
    assert!(again.text.contains(&again.left_out.mark()));
    assert_eq!(again.left_out.bytes, gap.bytes);
    assert_eq!(again.stderr, "broken\n");
    // Behind the gap, lines keep their numbers.
    let kept = Kept::open(file.try_clone().unwrap()).unwrap();
    let found = kept.search(&Regex::new("broken|line 50099").unwrap(), 0, 9, 1000);
    let numbers: Vec<u64> = found.lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, [50_000, 50_100]);
    // A person can read the file.
    file.rewind().unwrap();
    let mut raw = Vec::new();
    file.read_to_end(&mut raw).unwrap();
    let raw = String::from_utf8_lossy(&raw);
    assert!(
        raw.starts_with("line 1\nline 2\n")
            && raw.contains("left out …]\n")
            && raw.contains("line 50099\n")
    );
}

#[test]
fn a_file_without_its_table_is_read_as_output() {
    let file = tempfile::tempfile().unwrap();
    let log = Log::with_spill(file.try_clone().unwrap());
    log.push(Out, b"one\n");
    log.push(Err, b"two\n");
    drop(log);
    let kept = Kept::open(file).unwrap();
    assert!(kept.trouble().is_some());
    let shown = kept.result(1000);
    assert_eq!((shown.text.as_str(), shown.stdout.as_str()), ("one\ntwo\n", "one\ntwo\n"));
    assert_eq!(Kept::open(tempfile::tempfile().unwrap()).unwrap().result(10).text, "");
}

#[test]
fn a_file_that_shrinks_while_it_is_read_says_what_is_missing() {
    let (_log, file) = closed(Limits::default(), &[(Out, lines(1, 100_000))]);
    let kept = Kept::open(file.try_clone().unwrap()).unwrap();
    file.set_len(1000).unwrap();
    let shown = kept.result(10_000);
    assert!(shown.text.starts_with("line 1\n") && shown.left_out.bytes > 0, "{}", shown.text);
}

#[test]
fn output_that_looks_like_a_table_is_output() {
    let (_log, mut file) = closed(Limits::default(), &[(Out, b"abc\n".to_vec())]);
    let mut raw = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut raw).unwrap();
    // A program prints a whole spill file.
    let (_log, file) = closed(Limits::default(), &[(Out, b"first\n".to_vec()), (Out, raw.clone())]);
    let text = Kept::open(file).unwrap().result(1000).text;
    assert!(text.starts_with("first\n") && text.len() > 6, "{text}");
    // A table that is cut, or of another file, is no table.
    for damaged in [&raw[..raw.len() - 1], &raw[1..], &[&b"x"[..], &raw].concat()] {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(damaged).unwrap();
        assert!(Kept::open(file).unwrap().trouble().is_some());
    }
}

#[test]
fn a_search_through_a_full_file_is_bounded() {
    let line =
        b"\x1b[32mok\x1b[0m a line of a log that goes on for a while, as they do\n".repeat(1000);
    let file = tempfile::tempfile().unwrap();
    let log = Log::with_spill(file.try_clone().unwrap());
    for _ in 0..1_500 {
        log.push(Out, &line);
    }
    log.push(Err, b"the needle\n");
    log.close();
    let kept = Kept::open(file).unwrap();
    assert!(!kept.gap().is_none());
    let found = kept.search(&Regex::new("while|needle").unwrap(), 2, 5, 10_000);
    assert!(found.matches > 900_000 && found.more && found.text().len() < 10_500);
    let found = kept.search(&Regex::new("needle").unwrap(), 0, 5, 10_000);
    assert_eq!(found.text(), "1500001:the needle\n");
    assert_eq!(kept.tail(2, 1000).text.lines().last(), Some("the needle"));
}

fn pushes() -> impl Strategy<Value = Vec<(Stream, Vec<u8>)>> {
    let bytes = prop_oneof![
        "[a-z가-힣\n]{1,50}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 1..20),
        Just(b"\x1b[31mred\x1b[0m\r\n".to_vec()),
    ];
    let stream = prop_oneof![Just(Out), Just(Err)];
    prop::collection::vec((stream, bytes), 0..60)
}

proptest! {
    #[test]
    fn a_file_says_what_its_log_said(pushes in pushes(), head in 0..500_usize, tail in 0..500_usize, spill in 0..1500_u64) {
        let limits = Limits { head, tail, spill: spill.max(head as u64), stream_head: 1 << 20, ..Limits::default() };
        let (log, file) = closed(limits, &pushes);
        let kept = Kept::open(file.try_clone().unwrap()).unwrap();
        prop_assert_eq!((kept.count(Out), kept.count(Err)), (log.count(Out), log.count(Err)));
        let total: usize = pushes.iter().map(|(_, bytes)| bytes.len()).sum();
        prop_assert_eq!(kept.gap().bytes > 0, total as u64 > limits.spill.max(head as u64) + tail as u64
            || log.snapshot().gap().bytes > 0);
        prop_assert_eq!(kept.page(1, 1000, 1 << 20), log.page(1, 1000, 1 << 20));
        prop_assert_eq!(kept.result(500).text, log.result(500).text);
    }

    #[test]
    fn foreign_files_are_harmless(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        file.write_all(b"dogu-out").unwrap();
        let _ = Kept::open(file).unwrap().result(1000);
    }
}
