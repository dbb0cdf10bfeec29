//! The log of a process.

use std::fs::{File, OpenOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dogu_output::regex::Regex;
use dogu_output::{Limits, Log, Stream, Watch};

use Stream::{Err, Out};

fn numbered(from: u64, to: u64) -> Vec<u8> {
    (from..to).flat_map(|number| format!("line {number}\n").into_bytes()).collect()
}

#[test]
fn a_log_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Log>();
    shared::<dogu_output::Kept>();
}

#[test]
fn streams_are_shown_in_order_and_apart() {
    let log = Log::new();
    for number in 0..3 {
        log.push(Out, format!("out {number}\n").as_bytes());
        log.push(Err, format!("err {number}\n").as_bytes());
    }
    let shown = log.result(1000);
    assert_eq!(shown.text, "out 0\nerr 0\nout 1\nerr 1\nout 2\nerr 2\n");
    assert_eq!(shown.stdout, "out 0\nout 1\nout 2\n");
    assert_eq!(shown.stderr, "err 0\nerr 1\nerr 2\n");
    assert!(shown.left_out.is_none() && shown.trouble.is_none());
    assert_eq!((log.count(Out).bytes, log.count(Out).lines), (18, 3));
}

#[test]
fn halves_of_characters_and_colours_on_two_streams_come_together() {
    let log = Log::new();
    let (han, geul) = ("한".as_bytes(), "글".as_bytes());
    log.push(Out, &han[..1]);
    log.push(Err, &geul[..2]);
    log.push(Out, &han[1..]);
    log.push(Err, &geul[2..]);
    log.push(Out, b"\x1b[3");
    log.push(Err, b"!\n");
    log.push(Out, b"1mred\n");
    let shown = log.result(1000);
    assert_eq!((shown.stdout.as_str(), shown.stderr.as_str()), ("한red\n", "글!\n"));
    assert_eq!(shown.text, "한글!\nred\n");
}

#[test]
fn a_long_output_has_its_beginning_and_its_end() {
    for spill in [None, Some(tempfile::tempfile().unwrap())] {
        let log = Log::with(Limits::default(), spill);
        log.push(Err, b"the first error\n");
        log.push(Out, &numbered(0, 3_000_000));
        log.push(Err, b"the last error\n");
        log.close();
        let shown = log.result(2000);
        assert!(shown.text.len() <= 2000);
        assert!(shown.text.starts_with("the first error\nline 0\nline 1\n"), "{}", shown.text);
        assert!(shown.text.ends_with("line 2999999\nthe last error\n"), "{}", shown.text);
        let seen = shown.text.lines().count() as u64 - 1;
        assert_eq!(shown.left_out.lines + seen, 3_000_002);
        assert!(shown.text.contains(&shown.left_out.mark()));
        assert!(shown.stdout.starts_with("line 0\n") && shown.stdout.ends_with("line 2999999\n"));
        assert_eq!(shown.stderr, "the first error\nthe last error\n");
    }
}

#[test]
fn an_error_before_a_flood_is_kept() {
    let log = Log::new();
    log.push(Out, &numbered(0, 100_000));
    log.push(Err, b"something broke\n");
    log.push(Out, &numbered(100_000, 1_000_000));
    assert_eq!(log.result(1000).stderr, "something broke\n");
}

#[test]
fn a_full_disk_loses_nothing_but_the_file() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let log = Log::with_spill(full);
    log.push(Out, &numbered(0, 100));
    log.push(Err, &numbered(100, 200));
    log.close();
    let shown = log.result(100_000);
    assert_eq!(shown.text.as_bytes(), numbered(0, 200));
    assert!(shown.trouble.unwrap().contains("spill file"), "it is said");
    assert!(log.spill_trouble().is_some());
}

#[test]
fn a_file_that_cannot_be_written_loses_nothing_but_the_file() {
    let named = tempfile::NamedTempFile::new().unwrap();
    let log = Log::with_spill(File::open(named.path()).unwrap());
    log.push(Out, &numbered(0, 1_000_000));
    log.close();
    let shown = log.result(1000);
    assert!(shown.text.starts_with("line 0\n") && shown.text.ends_with("line 999999\n"));
    assert!(shown.trouble.is_some() && !shown.left_out.is_none());
}

#[test]
fn what_is_new_is_read_by_a_cursor() {
    let log = Log::new();
    log.push(Out, b"one\ntwo\xed\x95");
    let first = log.since(0, 1000);
    assert_eq!(first.text, "one\ntwo");
    log.push(Out, b"\x9c\x1b[3");
    let second = log.since(first.cursor, 1000);
    assert_eq!(second.text, "한");
    log.push(Out, b"1mred\n");
    log.push(Err, b"err\n");
    let third = log.since(second.cursor, 1000);
    assert_eq!(third.text, "red\nerr\n");
    assert_eq!(log.since(third.cursor, 1000).text, "");
    assert_eq!(log.since(u64::MAX, 1000).cursor, log.total());
    log.push(Out, b"cut \xed\x95");
    log.close();
    assert_eq!(log.since(third.cursor, 1000).text, "cut \u{fffd}");
}

#[test]
fn a_cursor_of_long_ago_gets_both_ends() {
    for spill in [None, Some(tempfile::tempfile().unwrap())] {
        let log = Log::with(Limits::default(), spill);
        log.push(Out, b"before\n");
        let cursor = log.total();
        log.push(Out, &numbered(0, 2_000_000));
        let since = log.since(cursor, 1000);
        assert!(since.text.starts_with("line 0\n") && since.text.ends_with("line 1999999\n"));
        assert_eq!(since.cursor, log.total());
        let shown = since.text.lines().count() as u64 - 1;
        assert_eq!(since.left_out.lines + shown, 2_000_000);
        // A cursor in what was left out.
        let since = log.since(cursor + 2_000_000, 1000);
        assert!(since.text.ends_with("line 1999999\n") && since.text.len() <= 1000);
        assert_eq!(since.cursor, log.total());
    }
}

#[test]
fn the_last_lines() {
    let log = Log::new();
    log.push(Out, &numbered(0, 1_000_000));
    log.push(Err, b"50%\r100%");
    let last = log.tail(3, 1000);
    assert_eq!(last.text, "line 999998\nline 999999\n100%\n");
    assert_eq!((last.lines, last.more), (3, true));
    assert_eq!(log.tail(1000, 20).text, "line 999999\n100%\n");
    let short = Log::new();
    short.push(Out, b"a\nb\n");
    assert_eq!((short.tail(9, 100).text.as_str(), short.tail(9, 100).more), ("a\nb\n", false));
}

#[test]
fn those_who_wait_are_told() {
    let log = Arc::new(Log::new());
    let told = Arc::new(AtomicU64::new(0));
    let telling = Arc::clone(&told);
    log.on_change(Box::new(move || {
        telling.fetch_add(1, Ordering::SeqCst);
    }));
    assert!(!log.wait(0, Duration::ZERO), "nothing came");
    let pushing = Arc::clone(&log);
    let thread = std::thread::spawn(move || {
        pushing.push(Out, b"a");
        pushing.push(Out, b"b");
        pushing.close();
        pushing.push(Out, b"too late");
    });
    assert!(log.wait(0, Duration::from_mins(1)));
    assert!(log.wait(1, Duration::from_mins(1)));
    assert!(log.wait(2, Duration::from_mins(1)), "closed");
    thread.join().unwrap();
    assert_eq!((log.total(), told.load(Ordering::SeqCst)), (2, 3));
    assert!(log.is_closed());
}

#[test]
fn readers_see_whole_lines_while_it_is_written() {
    let log = Arc::new(Log::with_spill(tempfile::tempfile().unwrap()));
    let pushing = Arc::clone(&log);
    let thread = std::thread::spawn(move || {
        for number in 0..40_000 {
            let stream = if number % 3 == 0 { Err } else { Out };
            pushing.push(stream, &numbered(number * 10, number * 10 + 10));
        }
        pushing.close();
    });
    let mut cursor = 0;
    let mut next = 0_u64;
    loop {
        let closed = log.is_closed();
        let since = log.since(cursor, 100_000_000);
        for line in since.text.lines() {
            assert_eq!(line, format!("line {next}"));
            next += 1;
        }
        cursor = since.cursor;
        let _ = (log.result(10_000), log.tail(5, 1000));
        if closed {
            break;
        }
    }
    thread.join().unwrap();
    assert_eq!(next, 400_000);
}

#[test]
fn a_match_is_found_once_and_behind_a_gap() {
    let log = Log::new();
    let mut watch = Watch::new("^ready (\\d+)$").unwrap();
    log.push(Out, b"ready 1\nready 2\n");
    assert_eq!(watch.poll(&log).as_deref(), Some("ready 1"));
    assert_eq!(watch.poll(&log).as_deref(), Some("ready 2"));
    assert_eq!(watch.poll(&log), None);
    log.push(Out, &numbered(0, 1_000_000));
    log.push(Out, b"rea");
    assert_eq!(watch.poll(&log), None);
    log.push(Err, b"other\n");
    log.push(Out, b"dy 3\n");
    assert_eq!(watch.poll(&log).as_deref(), Some("ready 3"));
    // What a progress bar wrote over.
    log.push(Out, b"10%\rready 4\r\x1b[Kgone\n");
    assert_eq!(watch.poll(&log).as_deref(), Some("ready 4"));
    let mut late = Watch::from("ready", log.total()).unwrap();
    assert_eq!(late.poll(&log), None);
    let mut empty = Watch::new("").unwrap();
    assert!(empty.poll(&log).is_some());
    assert!(Watch::new("(").is_err());
}

#[test]
fn a_flood_of_turns_stays_in_order() {
    let limits = Limits { order: 1000, tail_turns: 100, ..Limits::default() };
    for spill in [None, Some(tempfile::tempfile().unwrap())] {
        let log = Log::with(limits, spill);
        for number in 0..10_000 {
            log.push(Out, format!("out {number}\n").as_bytes());
            log.push(Err, format!("err {number}\n").as_bytes());
        }
        log.close();
        let shown = log.result(1_000_000);
        assert!(shown.text.starts_with("out 0\nerr 0\nout 1\n"));
        assert!(shown.text.ends_with("out 9999\nerr 9999\n"));
        let seen = shown.text.lines().filter(|line| !line.starts_with('[')).count() as u64;
        assert_eq!(seen + shown.left_out.lines, 20_000);
        assert!(!shown.stdout.contains("err"));
    }
}

#[test]
fn a_search_says_where() {
    let log = Log::new();
    log.push(Out, b"a\nb\n\x1b[31mneedle\x1b[0m 1\nc\nd\ne\nf\nneedle 2\n");
    let pattern = Regex::new("needle").unwrap();
    let found = log.search(&pattern, 1, 10, 1000);
    assert_eq!(found.text(), "2-b\n3:needle 1\n4-c\n--\n7-f\n8:needle 2\n");
    assert_eq!((found.matches, found.more), (2, false));
    let found = log.search(&pattern, 0, 1, 1000);
    assert_eq!(found.text(), "3:needle 1\n");
    assert_eq!((found.matches, found.more), (2, true));
    assert_eq!(log.search(&pattern, 2, 0, 1000).matches, 2);
}

#[test]
fn a_search_in_a_line_of_megabytes_shows_a_part() {
    let log = Log::with_spill(tempfile::tempfile().unwrap());
    log.push(Out, b"first\n");
    log.push(Out, &b"x".repeat(10_000_000));
    log.push(Out, b" needle ");
    log.push(Out, &b"y".repeat(10_000_000));
    log.push(Out, b"\nlast needle\n");
    let found = log.search(&Regex::new("needle").unwrap(), 1, 10, 100_000);
    let numbers: Vec<u64> =
        found.lines.iter().filter(|line| line.matched).map(|line| line.number).collect();
    assert_eq!(numbers, [2, 3]);
    assert!(found.lines.iter().all(|line| line.text.len() < 5000));
    assert!(
        found.lines.iter().filter(|line| line.matched).all(|line| line.text.contains("needle"))
    );
    let page = log.page(2, 2, 100_000);
    assert!(page.text.len() < 5000 && page.text.ends_with("left out …]\nlast needle\n"));
}

#[test]
fn errors_only() {
    let log = Log::new();
    log.push(Out, b"compiling\nerror: bad thing\nok: 0 errors\n");
    log.push(Err, b"note on stderr\n");
    log.push(Out, b"done\n");
    assert_eq!(log.errors_only(10, 1000).text(), "2:error: bad thing\n4:note on stderr\n");
    let found = log.errors_only(1, 1000);
    assert_eq!((found.text().as_str(), found.matches, found.more), ("4:note on stderr\n", 2, true));
}
