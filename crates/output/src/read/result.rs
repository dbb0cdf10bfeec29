//! The answer to a command.

use crate::amount::LeftOut;
use crate::head_tail::HeadTail;
use crate::kept::{Kept, Noticed};
use crate::log::{Log, Stream};

/// Up to so many bytes are all looked at; of more only the beginning and the end. A progress bar
/// may need megabytes for one line.
const MAX_WHOLE: u64 = 8 * 1024 * 1024;

/// What a program printed, as a person would see it, within a cap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Both streams in the order in which they were written.
    pub text: String,
    /// Standard output by itself.
    pub stdout: String,
    /// Standard error by itself.
    pub stderr: String,
    /// What is missing in `text`; marks stand where.
    pub left_out: LeftOut,
    /// Bytes of binary output, of which only the size is told.
    pub binary: u64,
    /// The encoding, where it is not UTF-8.
    pub encoding: Option<&'static str>,
    /// Why the spill file does not hold what it should.
    pub trouble: Option<String>,
}

/// What was printed since a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// Both streams in order, as a person would see them.
    pub text: String,
    /// Where to go on: bytes since the beginning.
    pub cursor: u64,
    /// What is missing in `text`.
    pub left_out: LeftOut,
}

impl Kept {
    /// Everything, each text at most `cap` bytes: beginning and end.
    pub fn result(self, cap: usize) -> Shown {
        let apart = [Stream::Out, Stream::Err].map(|stream| self.stream_shown(stream, cap));
        let trouble = self.trouble.clone();
        let (text, left_out, noticed) = self.ends(MAX_WHOLE).shown(None, cap);
        let [stdout, stderr] = apart;
        let Noticed { binary, encoding } = noticed;
        Shown { text, stdout, stderr, left_out, binary, encoding, trouble }
    }

    fn stream_shown(&self, stream: Stream, cap: usize) -> String {
        if self.count(stream).bytes == 0 {
            return String::new();
        }
        if self.size() > MAX_WHOLE || !self.gap.is_none() {
            if let Some(ends) = self.of_stream(stream) {
                return ends.shown(Some(stream), cap).0;
            }
            if self.order.of(stream) > MAX_WHOLE {
                return self.ends(MAX_WHOLE).shown(Some(stream), cap).0;
            }
        }
        self.shown(Some(stream), cap).0
    }

    fn shown(&self, only: Option<Stream>, cap: usize) -> (String, LeftOut, Noticed) {
        let mut ends = HeadTail::new(cap);
        let noticed = self.show(only, &mut ends);
        let (text, left_out) = ends.finish();
        (text, left_out, noticed)
    }
}

impl Log {
    /// What is kept now.
    pub fn snapshot(&self) -> Kept {
        self.kept(0)
    }

    /// See [`Kept::result`].
    pub fn result(&self, cap: usize) -> Shown {
        self.snapshot().result(cap)
    }

    /// What was printed since a cursor, at most `cap` bytes: beginning and end. A character or
    /// sequence that is not complete yet comes the next time.
    pub fn since(&self, cursor: u64, cap: usize) -> Since {
        let closed = self.is_closed();
        let total = self.total();
        let mut kept = self.kept(cursor.min(total));
        let unfinished = if closed { 0 } else { kept.unfinished() };
        let cursor = cursor.min(total) + kept.size() + kept.gap.bytes - unfinished;
        kept.shorten(unfinished);
        let (text, left_out, _) = kept.ends(MAX_WHOLE).shown(None, cap);
        Since { text, cursor, left_out }
    }
}
