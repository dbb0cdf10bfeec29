//! What a program printed: kept within bounds while it runs, and shown as a person would see it.
//!
//! ```
//! use std::sync::Arc;
//! use dogu_output::{Kept, Log, Stream};
//!
//! let spill = tempfile::tempfile().unwrap();
//! let log = Arc::new(Log::with_spill(spill.try_clone().unwrap()));
//! // The thread that reads the pipes pushes what comes.
//! let pushing = Arc::clone(&log);
//! std::thread::spawn(move || {
//!     pushing.push(Stream::Out, b"step 1\rstep 2\n");
//!     pushing.push(Stream::Err, b"\x1b[1;31merror\x1b[0m: disk on fire\n");
//!     pushing.close();
//! });
//! // Others wait, and read.
//! while !log.is_closed() {
//!     log.wait(log.total(), std::time::Duration::from_secs(10));
//! }
//! assert_eq!(log.result(30_000).text, "step 2\nerror: disk on fire\n");
//!
//! // Later, the spill file alone says the same.
//! let kept = Kept::open(spill).unwrap();
//! assert_eq!(kept.errors_only(10, 10_000).text(), "2:error: disk on fire\n");
//! ```
//!
//! The way of the bytes:
//!
//! ```text
//! push ──► Log: head, tail, ends of each stream, spill file; copied and counted, nothing else
//!            │  Kept      a moment of it, or a closed spill file: beginning, gap, end, in order
//!            │  Decoder   a stream's bytes → text, whatever the encoding; binary is only counted
//!            │  Parser    text → printable text, controls, sequences
//!            │  Screen    the last 64 lines, which can still be rewritten
//!            ▼  Sink      HeadTail (a result), lines (pages, searches), a String
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | `log`, `ring`, `runs` | what is kept in memory, and which stream wrote what |
//! | `spill` | the file, and the table at its end |
//! | `kept`, `read` | what is there at one moment, and the ways to read it |
//! | `watch` | output that matches, found while it comes |
//! | `decode`, `parse`, `screen`, `plain` | bytes of a terminal as a person would see them |
//! | `head_tail`, `amount` | texts within a cap, and how much was left out |

pub use amount::LeftOut;
pub use head_tail::HeadTail;
pub use kept::Kept;
pub use log::{Count, Limits, Log, OnChange, Stream};
pub use plain::{Plain, plain};
pub use read::{Found, FoundLine, LastLines, Page, Shown, Since};
pub use regex;
pub use watch::Watch;

mod amount;
mod decode;
mod head_tail;
mod kept;
mod log;
mod parse;
mod plain;
mod read;
mod ring;
mod runs;
mod screen;
mod spill;
mod watch;
