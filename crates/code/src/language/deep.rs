//! Room for the parser.
//!
//! The parser is written in C, and some of it calls itself once for each level at which a text
//! nests: a text of nothing but opening brackets would run through the end of an ordinary stack,
//! and that ends the process. A stack that is long enough for any text that is parsed at all
//! costs nothing but addresses, because the system gives memory only to what is used of it.

use std::thread;

/// Texts up to this length, in bytes, cannot nest deeply enough to need more than any thread has.
const SHORT: usize = 2 * 1024;
/// A level takes at most 240 bytes of stack in a build without optimisation, and no text has more
/// levels than bytes.
const STACK: usize = 512 * super::MAX_BYTES;

/// Does work on a text of some length with a stack that is long enough; none where the system
/// gives no thread for it.
pub(crate) fn with_room<T: Send>(length: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    if length <= SHORT {
        return Some(work());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?;
        // A panic goes on where it would have been without the thread.
        Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
