//! Crash output: what a panic says is redacted like everything else.

use crate::redact::{Level, Redactor};

/// Replaces the panic hook: the text of a panic may hold anything that a tool had in hand.
///
/// `print` gets one redacted line, such as `dogu-tool crashed at src/a.rs:7:3: index out of bounds`.
pub fn redact_panics(redactor: Redactor, print: impl Fn(&str) + Send + Sync + 'static) {
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let text = panic.payload_as_str().unwrap_or("no text");
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("a thread");
        let line = format!("{name} crashed at {place}: {text}");
        print(&redactor.redact(&line, Level::Record));
    }));
}
