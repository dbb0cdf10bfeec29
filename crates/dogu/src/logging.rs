//! What dogu says about itself: to stderr, redacted, warnings only unless `DOGU_LOG` asks for more.

use std::io::Write;

use dogu_runtime::redact::{Level, Redactor};
use tracing::Metadata;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::problem::warn;

/// Starts logging, and redacts crash output.
pub(crate) fn start(redactor: &Redactor) {
    dogu_runtime::redact_panics(redactor.clone(), warn);
    let asked = std::env::var("DOGU_LOG").ok();
    let level = asked.as_deref().map_or(Ok(LevelFilter::WARN), str::parse);
    if level.is_err() {
        warn("DOGU_LOG must be off, error, warn, info, debug or trace; warn is used");
    }
    tracing_subscriber::fmt()
        .with_max_level(level.unwrap_or(LevelFilter::WARN))
        .with_writer(RedactedStderr { redactor: redactor.clone(), all: asked.is_some() })
        .with_ansi(false)
        .with_target(false)
        .without_time()
        .init();
}

/// Other crates log too, and know nothing of secrets.
struct RedactedStderr {
    redactor: Redactor,
    /// What a library says of a server that is gone, dogu says itself; unless somebody asks.
    all: bool,
}

/// The library that says it.
const TALKATIVE: &str = "rmcp";

impl<'a> MakeWriter<'a> for RedactedStderr {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line { redactor: &self.redactor, bytes: Vec::new(), heard: true }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Line<'a> {
        let heard = self.all || !about.target().starts_with(TALKATIVE);
        Line { heard, redactor: &self.redactor, bytes: Vec::new() }
    }
}

/// One event: written as a whole, so that no secret is cut in two.
struct Line<'a> {
    redactor: &'a Redactor,
    bytes: Vec<u8>,
    heard: bool,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        if !self.heard {
            return;
        }
        let text = String::from_utf8_lossy(&self.bytes);
        let text = self.redactor.redact(&text, Level::Record);
        let safe = crate::show::escaped(text.trim_start());
        let safe = match safe.split_once(' ') {
            Some(("WARN", rest)) => format!("warning: {}", rest.trim_start()),
            Some(("ERROR", rest)) => format!("error: {}", rest.trim_start()),
            _ => safe.into_owned(),
        };
        let _ = std::io::stderr().write_all(safe.as_bytes());
    }
}
