//! What holds whatever is printed, and however it is cut.

use dogu_output::{HeadTail, LeftOut, Log, Plain, Stream, Watch, plain};
use proptest::prelude::*;

/// Pieces of what programs print, so that sequences are often whole and often cut.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known: Vec<&[u8]> = vec![
        b"\r",
        b"\n",
        b"\r\n",
        b"\t",
        b"\x08",
        b"\x0c",
        b"\x1b",
        b"\x1b[",
        b"\x1b[K",
        b"\x1b[2K",
        b"\x1b[1K",
        b"\x1b[A",
        b"\x1b[3A",
        b"\x1b[B",
        b"\x1b[2C",
        b"\x1b[D",
        b"\x1b[5G",
        b"\x1b[H",
        b"\x1b[2;3H",
        b"\x1b[J",
        b"\x1b[1J",
        b"\x1b[2J",
        b"\x1b[31m",
        b"\x1b]0;t\x07",
        b"\x1b]8;;u\x1b\\",
        b"\x1bP",
        b"\x1b\\",
        b"\x1b7",
        b"\x1b8",
        b"\x1bM",
        b"\x1b(B",
        b"\x1b[2P",
        b"\x1b[2@",
        b"\x1b[2X",
        b"\0",
        b"\x7f",
        "한글".as_bytes(),
        "e\u{301}".as_bytes(),
        "█".as_bytes(),
        b"\xed\x95",
        b"\xff",
        b"\xc7\xd1\xb1\xdb",
        b"abc",
        b"word ",
        b"H\0i\0\n\0",
    ];
    prop_oneof![
        8 => prop::sample::select(known).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 1..40),
        1 => "[a-z ]{1,40}".prop_map(String::into_bytes),
        1 => (1..3000_usize).prop_map(|length| vec![b'x'; length]),
    ]
}

/// A control character that is not for the layout of text.
fn steers(letter: char) -> bool {
    letter.is_control() && letter != '\n' && letter != '\t'
}

fn printed() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), 0..120).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn chunks_make_no_difference(bytes in printed(), cuts in prop::collection::vec(1..200_usize, 1..20)) {
        let mut reader = Plain::new();
        let mut text = String::new();
        let mut rest = bytes.as_slice();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (now, later) = rest.split_at((*cut).min(rest.len()));
            reader.feed(now, &mut text);
            rest = later;
        }
        reader.finish(&mut text);
        prop_assert_eq!(text, plain(&bytes));
    }

    #[test]
    fn nothing_that_steers_is_left(bytes in printed()) {
        let text = plain(&bytes);
        prop_assert!(!text.contains(steers), "{:?}", text);
    }

    #[test]
    fn text_without_controls_is_that_text(text in "([\\PC]|[\n\t]){0,400}") {
        prop_assume!(!text.starts_with('\u{feff}') && !text.contains(steers));
        prop_assert_eq!(plain(text.as_bytes()), text);
    }

    #[test]
    fn head_and_tail_keep_to_their_cap(
        pieces in prop::collection::vec("[a-z가-힣\n]{0,60}", 0..60),
        cap in 0..800_usize,
        gap in prop::option::of(0..60_usize),
    ) {
        let mut ends = HeadTail::new(cap);
        let mut all = String::new();
        let missing = LeftOut { bytes: 1000, lines: 10 };
        for (at, piece) in pieces.iter().enumerate() {
            if gap == Some(at) {
                ends.gap(missing);
            }
            ends.push(piece);
            all.push_str(piece);
        }
        let missing = if gap.is_some_and(|at| at < pieces.len()) { missing } else { LeftOut::default() };
        let (text, left_out) = ends.finish();
        prop_assert!(text.len() <= cap, "{} > {}", text.len(), cap);
        if left_out.is_none() {
            prop_assert_eq!(text, all);
            return Ok(());
        }
        prop_assert!(all.len() > cap || missing.bytes > 0);
        let shown = all.len() as u64 + missing.bytes - left_out.bytes;
        if cap < 64 {
            prop_assert_eq!(text.len() as u64, shown);
            return Ok(());
        }
        let mark = left_out.mark();
        let (head, tail) = text.split_once(&mark).unwrap();
        let tail = tail.strip_prefix('\n').unwrap();
        // A newline may have been put before the mark.
        let added = (head.len() + tail.len()) as u64 > shown;
        let head = if added { head.strip_suffix('\n').unwrap() } else { head };
        prop_assert!(all.starts_with(head) && all.ends_with(tail));
        prop_assert_eq!((head.len() + tail.len()) as u64, shown);
        let lines = |text: &str| text.matches('\n').count() as u64;
        prop_assert_eq!(lines(head) + lines(tail) + left_out.lines, lines(&all) + missing.lines);
    }

    #[test]
    fn a_match_is_found_however_it_comes(before in "[a-z\n]{0,3000}", after in "[a-z\n]{0,300}", chunk in 1..500_usize) {
        let printed = format!("{before}\n\x1b[32mReady\x1b[0m: 8080{after}");
        let log = Log::new();
        let mut watch = Watch::new("^Ready: [0-9]+").unwrap();
        let mut found = None;
        for chunk in printed.as_bytes().chunks(chunk) {
            log.push(Stream::Out, chunk);
            found = found.or(watch.poll(&log));
        }
        prop_assert!(found.unwrap().starts_with("Ready: 8"));
    }
}
