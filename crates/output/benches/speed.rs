//! How fast output is taken and reduced: `cargo bench -p dogu-output`.
//!
//! Pushes of 1 GB in 64 KB chunks, with and without a spill file, beside copying the same chunk
//! as often and no more; then 64 MB of coloured output, of a progress bar and of other texts as a person
//! would see them, and reads of a full spill file. Figures are medians of [`REPEATS`] runs.

#![expect(clippy::print_stdout, reason = "a program for people who measure")]
#![expect(clippy::unwrap_used, reason = "what is missing ends it")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use dogu_output::regex::Regex;
use dogu_output::{Kept, Limits, Log, Plain, Stream};

const REPEATS: usize = 5;
const CHUNK: usize = 64 * 1024;
const GIGABYTE: usize = 1 << 30;
const TEXT: usize = 64 << 20;

fn main() {
    let text = cargo_like();
    pushes(&text);
    reductions(&text);
    hostile();
    reads(&text);
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..REPEATS)
        .map(|_| {
            let begin = Instant::now();
            work();
            begin.elapsed()
        })
        .collect();
    times.sort();
    times[REPEATS / 2]
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn report(name: &str, bytes: usize, time: Duration) {
    let speed = bytes as f64 / time.as_secs_f64() / 1e6;
    println!("{name:<44} {:>9.1} ms {speed:>9.0} MB/s", time.as_secs_f64() * 1e3);
}

fn pushes(text: &[u8]) {
    // One buffer, as a thread has one to read pipes into.
    let buffer = text[..CHUNK].to_vec();
    let chunks = || std::iter::repeat_n(black_box(buffer.as_slice()), GIGABYTE / CHUNK);
    let mut into = vec![0; CHUNK];
    let copy = median(|| {
        for chunk in chunks() {
            // In pieces that are copied fast wherever they lie; see `ring.rs`.
            for (into, from) in into.chunks_mut(2048).zip(chunk.chunks(2048)) {
                into.copy_from_slice(from);
            }
            black_box(&mut into);
        }
    });
    report("copy of 1 GB", GIGABYTE, copy);
    let push = |log: Log| chunks().for_each(|chunk| log.push(Stream::Out, chunk));
    report("push of 1 GB", GIGABYTE, median(|| push(Log::new())));
    let spilled = median(|| push(Log::with_spill(tempfile::tempfile().unwrap())));
    report("push of 1 GB, 64 MB spilled", GIGABYTE, spilled);
    let limits = Limits { spill: 1 << 40, ..Limits::default() };
    let all = median(|| push(Log::with(limits, Some(tempfile::tempfile().unwrap()))));
    report("push of 1 GB, all spilled", GIGABYTE, all);
}

fn reductions(text: &[u8]) {
    let bar: Vec<u8> = (0..TEXT / 60)
        .flat_map(|number| {
            format!("\r{:>3}%|{:<40}| {number:>9}/s", number % 101, "#".repeat(number % 41))
                .into_bytes()
        })
        .collect();
    let logs =
        b"2026-11-16 12:00:00 INFO a line of a log without any colours at all\n".repeat(TEXT / 68);
    let korean = "빌드가 실패했습니다. 다시 시도하십시오.\n".as_bytes().repeat(TEXT / 57);
    for (name, bytes) in [
        ("coloured output as plain text", text),
        ("a progress bar as plain text", &bar),
        ("a log without colours as plain text", &logs),
        ("Korean as plain text", &korean),
    ] {
        reduce(name, bytes);
    }
}

fn reduce(name: &str, bytes: &[u8]) {
    let time = median(|| {
        let mut plain = Plain::new();
        let mut text = String::new();
        for chunk in bytes.chunks(CHUNK) {
            plain.feed(chunk, &mut text);
            black_box(&text);
            text.clear();
        }
        plain.finish(&mut text);
        black_box(&text);
    });
    report(name, bytes.len(), time);
}

/// Short sequences that move much, on a line that is as long as can be.
fn hostile() {
    const BYTES: usize = 4 << 20;
    let noise: Vec<u8> =
        (0..BYTES as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    reduce("noise as plain text", &noise);
    for (name, line, sequence) in [
        ("blanks put in, one at a time", 500, "\x1b[G\x1b[@"),
        ("columns taken out and written again", 500, "\x1b[G\x1b[P\x1b[999Gx"),
        ("many columns blanked", 16_000, "\x1b[G\x1b[9999X"),
        ("a long line written over with wide letters", 16_000, "\r한글"),
        ("screens cleared and addressed", 10, "\x1b[64Hx\x1b[2J"),
        ("titles without an end", 10, "\x1b]"),
    ] {
        let printed = "한".repeat(line / 2) + &sequence.repeat(BYTES / sequence.len());
        reduce(name, printed.as_bytes());
    }
}

fn reads(text: &[u8]) {
    let file = tempfile::tempfile().unwrap();
    let log = Log::with_spill(file.try_clone().unwrap());
    text.chunks(CHUNK).for_each(|chunk| log.push(Stream::Out, chunk));
    log.close();
    let kept = || Kept::open(file.try_clone().unwrap()).unwrap();
    let pattern = Regex::new("no such crate").unwrap();
    let time = |name: &str, work: &mut dyn FnMut()| {
        println!("{name:<44} {:>9.1} ms", median(work).as_secs_f64() * 1e3);
    };
    time("result of a 64 MB spill file", &mut || drop(black_box(kept().result(30_000))));
    time("tail of a 64 MB spill file", &mut || drop(black_box(kept().tail(100, 30_000))));
    time("last page of a 64 MB spill file", &mut || drop(black_box(kept().page(u64::MAX, 9, 9))));
    time("search of a 64 MB spill file", &mut || {
        drop(black_box(kept().search(&pattern, 2, 10, 30_000)));
    });
    time("errors of a 64 MB spill file", &mut || drop(black_box(kept().errors_only(50, 30_000))));
}

/// Lines as cargo prints them to a terminal.
fn cargo_like() -> Vec<u8> {
    let mut text = Vec::with_capacity(TEXT + 4096);
    let mut number = 0_u64;
    while text.len() < TEXT {
        number += 1;
        let line = format!(
            "\x1b[1m\x1b[32m   Compiling\x1b[0m some-crate-{number} v0.{}.{}\n\
             \x1b[1m\x1b[36m    Building\x1b[0m [=====>          ] {number}/99999: some-crate\r\x1b[K\
             \x1b[1m\x1b[33mwarning\x1b[0m\x1b[1m: unused variable: `x{number}`\x1b[0m\n \
             \x1b[1m\x1b[34m--> \x1b[0msrc/lib.rs:{}:9\n",
            number % 10,
            number % 7,
            number % 1000,
        );
        text.extend_from_slice(line.as_bytes());
    }
    text
}
