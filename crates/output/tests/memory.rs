//! Memory does not grow with what is printed. One test: it reads the process's own peak.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dogu_output::{Log, Plain, Stream};

fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn gigabytes_take_megabytes() {
    const CHUNK: usize = 1 << 20;
    const MAX: u64 = 32 << 20;
    let before = peak();
    let yes = b"y\n".repeat(CHUNK / 2);
    let log = Log::with_spill(tempfile::tempfile().unwrap());
    for number in 0..10_000 {
        // Ten gigabytes.
        let stream = if number % 2 == 0 { Stream::Out } else { Stream::Err };
        log.push(stream, &yes);
    }
    log.close();
    let shown = log.result(30_000);
    assert!(shown.text.len() <= 30_000);
    assert_eq!(shown.left_out.bytes + shown.text.matches("y\n").count() as u64 * 2, 10_000 << 20);
    assert!(peak() - before < MAX, "{}", peak() - before);

    // One line of 500 MB, and 500 MB of one progress bar.
    for piece in [b"x".repeat(CHUNK), b"\r\x1b[Kprogress".repeat(CHUNK / 12)] {
        let mut plain = Plain::new();
        let (mut text, mut length) = (String::new(), 0);
        for _ in 0..500 {
            plain.feed(&piece, &mut text);
            length += text.len();
            text.clear();
        }
        plain.finish(&mut text);
        length += text.len();
        assert!(length == 500 << 20 || text == "progress");
    }
    let log = Log::with_spill(tempfile::tempfile().unwrap());
    let line = b"x".repeat(CHUNK);
    (0..500).for_each(|_| log.push(Stream::Out, &line));
    let shown = log.result(30_000);
    assert!(shown.text.len() <= 30_000 && shown.text.len() > 25_000, "{}", shown.text.len());
    assert_eq!(log.tail(5, 10_000).lines, 1);
    assert!(peak() - before < MAX, "{}", peak() - before);
}
