//! Searching one open file, in bounded memory.

use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::sync::Mutex;
use std::sync::PoisonError;

use dogu_tool::CancelFlag;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use super::input::OutputMode;
use super::kept::FileHits;
use super::query::{MAX_FILE_SIZE, Query};
use super::sink::FileSink;

/// Files that are smaller are read into one buffer, which serves all files of a thread.
const BUFFER_BYTES: usize = 256 * 1024;
/// How far ripgrep reads at once: a NUL byte in its first read makes a file binary before any
/// line of it is searched.
const FIRST_READ_BYTES: usize = 64 * 1024;
/// How long a line may be that is searched, in a walk and in a file that the call names.
const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;
const MAX_NAMED_LINE_BYTES: usize = 64 * 1024 * 1024;
/// Files that are larger and must be in memory as a whole are searched one at a time.
const BIG_BYTES: u64 = 4 * 1024 * 1024;

/// How the search of a file ended.
#[derive(Debug)]
pub(super) enum Outcome {
    /// All of it was searched.
    Searched,
    /// It has a NUL byte; what came before it was searched, or nothing.
    Binary,
    /// The file that the call names has a NUL byte, and matches after it.
    MatchesInBinary,
    /// It is larger than the call allows.
    TooLarge,
    /// It has a line, or as a whole it is, longer than the memory that there is for it.
    LongLine,
    /// It could not be read.
    Unreadable(io::Error),
    /// The call was canceled.
    Canceled,
}

/// Searches files one after the other; each thread has one.
pub(super) struct FileSearcher<'a> {
    matcher: RegexMatcher,
    mode: OutputMode,
    spans_lines: bool,
    /// The call names the file: it is searched whatever it is.
    named: bool,
    max_file_size: u64,
    /// Counts lines.
    numbering: Searchers,
    /// Does not, because nothing of the file will be shown.
    counting: Searchers,
    buffer: Vec<u8>,
    cancel: &'a CancelFlag,
    /// Held while a big file is in memory.
    big: &'a Mutex<()>,
}

/// The same search for texts in memory that have no NUL byte, and for readers.
struct Searchers {
    whole: Searcher,
    stream: Searcher,
}

impl Searchers {
    fn new(query: &Query, named: bool, numbers: bool) -> Self {
        let line = if named { MAX_NAMED_LINE_BYTES } else { MAX_LINE_BYTES };
        let most = usize::try_from(query.max_file_size.min(MAX_FILE_SIZE)).unwrap_or(line);
        let mut builder = SearcherBuilder::new();
        builder
            .line_number(numbers)
            .invert_match(query.invert)
            .multi_line(query.multi_line)
            .before_context(query.before)
            .after_context(query.after)
            .heap_limit(Some(if query.multi_line { most.max(1) } else { line }));
        let whole = builder.binary_detection(BinaryDetection::none()).build();
        let stream = if named { BinaryDetection::convert(0) } else { BinaryDetection::quit(0) };
        Self { whole, stream: builder.binary_detection(stream).build() }
    }
}

impl<'a> FileSearcher<'a> {
    pub(super) fn new(
        query: &Query,
        matcher: &RegexMatcher,
        named: bool,
        cancel: &'a CancelFlag,
        big: &'a Mutex<()>,
    ) -> Self {
        let numbering = Searchers::new(query, named, query.mode == OutputMode::Content);
        Self {
            spans_lines: numbering.whole.multi_line_with_matcher(matcher) && !query.invert,
            matcher: matcher.clone(),
            mode: query.mode,
            named,
            max_file_size: query.max_file_size,
            counting: Searchers::new(query, named, false),
            numbering,
            buffer: vec![0; BUFFER_BYTES],
            cancel,
            big,
        }
    }

    /// Searches a file from its beginning, which was so large when it was opened; of its lines
    /// the first `keep` are kept.
    pub(super) fn search(
        &mut self,
        mut file: &File,
        size: u64,
        keep: u64,
        hits: &mut FileHits,
    ) -> Outcome {
        if !self.named && size > self.max_file_size {
            return Outcome::TooLarge;
        }
        if size >= BUFFER_BYTES as u64 {
            return self.search_stream(file, 0, size, keep, hits);
        }
        let length = match fill(&mut file, &mut self.buffer, size) {
            Ok(length) => length,
            Err(error) => return Outcome::Unreadable(error),
        };
        let start = &self.buffer[..length];
        if self.named || length == self.buffer.len() || is_utf16(start) {
            let size = size.max(length as u64);
            return self.search_stream(file, length, size, keep, hits);
        }
        match memchr::memchr(0, start) {
            Some(at) if at < FIRST_READ_BYTES => Outcome::Binary,
            Some(_) => self.search_stream(file, length, length as u64, keep, hits),
            None => self.search_whole(length, keep, hits),
        }
    }

    fn search_whole(&mut self, length: usize, keep: u64, hits: &mut FileHits) -> Outcome {
        let searchers = if keep == 0 { &mut self.counting } else { &mut self.numbering };
        let mut sink = sink(&self.matcher, self.mode, self.spans_lines, keep, hits);
        let searched =
            searchers.whole.search_slice(&self.matcher, &self.buffer[..length], &mut sink);
        searched.map_or_else(Outcome::Unreadable, |()| Outcome::Searched)
    }

    fn search_stream(
        &mut self,
        file: &File,
        length: usize,
        size: u64,
        keep: u64,
        hits: &mut FileHits,
    ) -> Outcome {
        // What is appended meanwhile is not waited for: a file that grows must end somewhere.
        let rest = file.take(size.saturating_sub(length as u64));
        let start = Cursor::new(&self.buffer[..length]);
        let mut reader =
            Cancelable { inner: start.chain(rest), cancel: self.cancel, failed: false };
        let mut sink = sink(&self.matcher, self.mode, self.spans_lines, keep, hits);
        let searchers = if keep == 0 { &mut self.counting } else { &mut self.numbering };
        let searched = if self.spans_lines && size > BIG_BYTES {
            // Its buffer goes with it.
            let _alone = self.big.lock().unwrap_or_else(PoisonError::into_inner);
            searchers.stream.clone().search_reader(&self.matcher, &mut reader, &mut sink)
        } else {
            searchers.stream.search_reader(&self.matcher, &mut reader, &mut sink)
        };
        match searched {
            Ok(()) if sink.matches_in_binary => Outcome::MatchesInBinary,
            Ok(()) if sink.binary_at.is_some() && !self.named => Outcome::Binary,
            Ok(()) => Outcome::Searched,
            Err(_) if self.cancel.is_canceled() => Outcome::Canceled,
            Err(error) if reader.failed => Outcome::Unreadable(error),
            // Nothing but the limit of memory is left.
            Err(_) => Outcome::LongLine,
        }
    }
}

fn sink<'a>(
    matcher: &'a RegexMatcher,
    mode: OutputMode,
    spans_lines: bool,
    keep: u64,
    hits: &'a mut FileHits,
) -> FileSink<'a> {
    FileSink {
        matcher,
        mode,
        spans_lines,
        keep,
        hits,
        binary_at: None,
        matches_in_binary: false,
        new_group: true,
    }
}

/// Reads until the buffer is full or the file ends. Most files are read at once: when that was
/// as much as there was, the system is not asked whether there is more.
fn fill(file: &mut &File, buffer: &mut [u8], size: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if length as u64 == size {
            break;
        }
    }
    Ok(length)
}

/// Whether a text begins as UTF-16 does; half of its bytes may be NUL.
fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff")
}

/// A reader that fails once the call is canceled, and knows whether it was it that failed.
struct Cancelable<'a, R> {
    inner: R,
    cancel: &'a CancelFlag,
    failed: bool,
}

impl<R: Read> Read for Cancelable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_canceled() {
            // Not `Interrupted`, after which readers try again.
            self.failed = true;
            return Err(io::Error::other("canceled"));
        }
        let read = self.inner.read(buffer);
        self.failed |= read.as_ref().is_err_and(|error| error.kind() != ErrorKind::Interrupted);
        read
    }
}
