//! How fast the parsers read: `cargo bench -p dogu-protocol`.
//!
//! A call that writes a file of 1 MB comes in pieces of 16 bytes, as models stream it. Every
//! figure is a median, and that of a ratio is one of ratios: what is compared was done in turns,
//! because machines are noisy. A megabyte is one of the file's text, and the time goes from the
//! first piece to the drop of the call that ended.
//!
//! For the record: the parsers of Roo Code, fed in the same way, need 16.9 s for 200 KB of native
//! arguments and 6.4 s for 50 KB of XML, because they read all again at each piece.
//!
//! `-- CELL` reports cells of one name only, such as `openai`. `-- once CELL KIND SIZE` does the
//! work of one cell once, and with `prepare` in the place of `once` all but the work:
//! `scripts/bench-protocol-growth` counts the instructions between the two.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for people who measure")]

mod bare;
mod cells;
mod texts;
mod wires;

use std::time::Instant;

use cells::{Cell, PROVIDERS};
use dogu_protocol::Provider;
use texts::Kind;
use wires::Wire;

const MB: usize = 1 << 20;
const ROUNDS: usize = 21;

/// Seconds of each of these, done in turns, round by round.
fn rounds<const N: usize>(work: [&dyn Fn(); N]) -> Vec<[f64; N]> {
    let timed = |work: &dyn Fn()| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    // The first round only warms up.
    (0..=ROUNDS).map(|_| work.map(timed)).skip(1).collect()
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Millions of bytes a second.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn rate(bytes: usize, seconds: f64) -> f64 {
    bytes as f64 / 1e6 / seconds
}

fn report_rate(name: &str, kind: Kind, target: &str, cell: &Cell) {
    let times = rounds([&|| cell.run()]);
    let rate = rate(cell.bytes, median(times.iter().map(|[time]| *time)));
    println!("{name:38} {:12} {rate:6.0} MB/s  {target}", kind.name());
}

fn report_wire(name: &str, provider: Provider, kind: Kind) {
    let content = kind.text(MB);
    let Wire { documents, chunks } = Wire::of(provider, &content);
    let wire = chunks.iter().map(String::len).sum();
    let cell = cells::wire(provider, chunks, content.len());
    let (by_value, by_type) = (|| bare::values(&documents), || bare::typed(provider, &documents));
    let times = rounds([&|| cell.run(), &by_value, &by_type]);
    let own = median(times.iter().map(|[own, ..]| *own));
    println!(
        "{name:38} {:12} {:6.0} MB/s  {:4.0} MB/s of wire, {:.2} × Value, {:.2} × typed",
        kind.name(),
        rate(cell.bytes, own),
        rate(wire, own),
        median(times.iter().map(|[own, values, _]| own / values)),
        median(times.iter().map(|[own, _, typed]| own / typed)),
    );
}

/// A name, what it should reach, and how to make it.
type Rate = (&'static str, &'static str, fn(Kind) -> Cell);

/// Reports all cells, or those of this name.
fn report(only: Option<&str>) {
    let wanted = |name: &str| only.is_none_or(|only| name.starts_with(only));
    let rates: [Rate; 5] = [
        ("native, 16 bytes", "(target 100)", |kind| cells::native(kind, MB)),
        ("xml, 16 bytes", "(target 100)", |kind| cells::xml(kind, MB)),
        ("partial-json, looked at each 16 bytes", "", |kind| cells::partial_json(kind, MB)),
        ("repair of a trailing comma", "", |kind| cells::repaired(kind, MB)),
        ("prose, 10 MB without calls, 4 KB", "", |kind| cells::prose(kind, 10 * MB)),
    ];
    for (name, target, cell) in rates.iter().filter(|(name, ..)| wanted(name)) {
        for kind in Kind::ALL {
            report_rate(name, kind, target, &cell(kind));
        }
    }
    println!("one document for each 16 bytes, beside serde_json alone (target 1.5 ×)");
    for (name, provider) in PROVIDERS.iter().filter(|(name, _)| wanted(name)) {
        for kind in Kind::ALL {
            report_wire(name, *provider, kind);
        }
    }
}

/// One cell alone, for who counts instructions.
fn one(cell: &str, kind: &str, size: &str, with_work: bool) {
    let kind = Kind::ALL.into_iter().find(|known| known.name().starts_with(kind)).unwrap();
    let cell = cells::named(cell, kind, size.parse().unwrap()).unwrap();
    if with_work {
        cell.run();
    }
}

fn main() {
    // Cargo adds a flag of its own.
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["once", cell, kind, size] => one(cell, kind, size, true),
        ["prepare", cell, kind, size] => one(cell, kind, size, false),
        [only] => report(Some(only)),
        _ => report(None),
    }
}
