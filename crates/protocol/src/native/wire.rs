//! From the wire's text, cut anywhere, to its documents.
//!
//! What a unit of the wire is, its first character says: a `{` opens a JSON document, over as
//! many lines as it takes; a `[` opens a list of documents; anything else is a line of
//! server-sent events. So a stream needs no announcement, and after a unit that makes no sense
//! the next one is read as if nothing had happened.
//!
//! Each byte is looked at once. A document that lies whole in a chunk is passed on from there;
//! only one that is still open is copied.

use std::mem;

use memchr::memchr2;

use crate::json::{JsonFramer, Scan};

/// One find on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// The text of one document, or what stood in the place of one.
    Document(&'a str),
    /// The wire said that nothing more comes: `[DONE]`, or the end of a list of documents.
    Done,
}

/// Receives what was found.
pub(super) type Pieces<'p> = &'p mut dyn FnMut(Piece<'_>);

/// A buffer that once held a large document is not kept at that size.
const KEPT_CAPACITY: usize = 1 << 20;

#[derive(Clone, Copy, Debug, Default)]
enum Unit {
    /// At the beginning of a unit.
    #[default]
    Between,
    /// In a line.
    Line,
    /// In a document that is not in an event.
    Value,
}

/// The framing of one stream.
#[derive(Debug, Default)]
pub(super) struct Wire {
    unit: Unit,
    /// What came of the unit that is still open.
    open: String,
    frame: JsonFramer,
    in_list: bool,
    /// A line ended with CR: an LF that follows belongs to it.
    after_cr: bool,
    event: EventData,
}

impl Wire {
    /// Takes the next chunk.
    pub(super) fn feed(&mut self, chunk: &str, out: Pieces<'_>) {
        let mut rest = chunk;
        while !rest.is_empty() {
            rest = match self.unit {
                Unit::Between => self.between(rest, out),
                Unit::Line => self.line(rest, out),
                Unit::Value => self.value(rest, out),
            };
        }
    }

    /// Gives what the end of the stream left open.
    pub(super) fn finish(&mut self, out: Pieces<'_>) {
        let open = mem::take(&mut self.open);
        match mem::take(&mut self.unit) {
            Unit::Line => self.take_line(&open, "", out),
            Unit::Value => out(Piece::Document(&open)),
            Unit::Between => {}
        }
        self.event.dispatch(out);
    }

    fn between<'c>(&mut self, rest: &'c str, out: Pieces<'_>) -> &'c str {
        let after_cr = mem::take(&mut self.after_cr);
        match rest.as_bytes()[0] {
            b'\n' if after_cr => {}
            b'\r' | b'\n' => return self.blank_line(rest, out),
            b' ' | b'\t' => {}
            b',' if self.in_list => {}
            b']' if self.in_list => {
                self.in_list = false;
                out(Piece::Done);
            }
            b'[' if !self.in_list => self.in_list = true,
            b'{' | b'[' => {
                self.unit = Unit::Value;
                self.frame = JsonFramer::strict();
                return rest;
            }
            _ if rest.starts_with('\u{feff}') => return &rest['\u{feff}'.len_utf8()..],
            _ => {
                self.unit = Unit::Line;
                return rest;
            }
        }
        &rest[1..]
    }

    fn blank_line<'c>(&mut self, rest: &'c str, out: Pieces<'_>) -> &'c str {
        self.event.dispatch(out);
        self.after_line_end(rest)
    }

    /// `rest` begins with a line end; returns what follows it.
    fn after_line_end<'c>(&mut self, rest: &'c str) -> &'c str {
        let next = &rest[1..];
        if !rest.starts_with('\r') {
            return next;
        }
        self.after_cr = next.is_empty();
        next.strip_prefix('\n').unwrap_or(next)
    }

    fn line<'c>(&mut self, rest: &'c str, out: Pieces<'_>) -> &'c str {
        let Some(end) = memchr2(b'\r', b'\n', rest.as_bytes()) else {
            self.open.push_str(rest);
            return "";
        };
        self.unit = Unit::Between;
        let next = self.after_line_end(&rest[end..]);
        if self.open.is_empty() {
            self.take_line(&rest[..end], next, out);
        } else {
            let line = self.complete(&rest[..end]);
            self.take_line(&line, next, out);
            self.recycle(line);
        }
        next
    }

    fn value<'c>(&mut self, rest: &'c str, out: Pieces<'_>) -> &'c str {
        let (Scan::Closed(end) | Scan::Broken(end)) = self.frame.scan(rest) else {
            self.open.push_str(rest);
            return "";
        };
        self.unit = Unit::Between;
        if self.open.is_empty() {
            out(Piece::Document(&rest[..end]));
        } else {
            let document = self.complete(&rest[..end]);
            out(Piece::Document(&document));
            self.recycle(document);
        }
        &rest[end..]
    }

    /// What was open with its last part.
    fn complete(&mut self, last: &str) -> String {
        let mut whole = mem::take(&mut self.open);
        whole.push_str(last);
        whole
    }

    fn recycle(&mut self, mut buffer: String) {
        if buffer.capacity() <= KEPT_CAPACITY {
            buffer.clear();
            self.open = buffer;
        }
    }

    /// A line, and what of the chunk follows it.
    fn take_line(&mut self, line: &str, next: &str, out: Pieces<'_>) {
        if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            return self.event.line(value, next.starts_with(['\r', '\n']), out);
        }
        if line == "DONE]" && self.in_list {
            self.in_list = false;
            out(Piece::Done);
        } else if !is_other_field(line) {
            out(Piece::Document(line));
        }
    }
}

/// Whether a line is a field that says nothing: the documents say themselves what they are, and a
/// line that begins with a colon is a comment.
fn is_other_field(line: &str) -> bool {
    let is = |field: &&str| line.strip_prefix(*field).is_some_and(|rest| rest.starts_with(':'));
    ["event", "", "id", "retry"].iter().any(is)
}

/// The `data` lines of the event that is still open.
#[derive(Debug, Default)]
struct EventData {
    text: String,
    frame: JsonFramer,
    /// The lines so far are the beginning of a JSON document.
    plausible: bool,
}

impl EventData {
    /// Takes one more line. An event ends with a blank line, but one whose data is a whole
    /// document already is not kept waiting: some servers leave the blank lines out.
    fn line(&mut self, value: &str, blank_line_follows: bool, out: Pieces<'_>) {
        if value.starts_with('[') && value.trim_end() == "[DONE]" {
            self.dispatch(out);
            out(Piece::Done);
        } else if !self.text.is_empty() {
            self.join(value, out);
        } else if blank_line_follows {
            pass(value, out);
        } else {
            self.first(value, out);
        }
    }

    fn first(&mut self, value: &str, out: Pieces<'_>) {
        self.frame = JsonFramer::strict();
        self.plausible = true;
        if self.closes(value) {
            pass(value, out);
        } else {
            self.text.push_str(value);
        }
    }

    fn join(&mut self, value: &str, out: Pieces<'_>) {
        self.plausible = self.plausible && self.frame.scan("\n") == Scan::Open;
        self.text.push('\n');
        self.text.push_str(value);
        if self.closes(value) {
            self.dispatch(out);
        }
    }

    /// Whether this line ends the document.
    fn closes(&mut self, value: &str) -> bool {
        if !self.plausible {
            return false;
        }
        match self.frame.scan(value) {
            Scan::Open => false,
            Scan::Closed(end) if value[end..].trim().is_empty() => true,
            Scan::Closed(_) | Scan::Broken(_) => {
                self.plausible = false;
                false
            }
        }
    }

    fn dispatch(&mut self, out: Pieces<'_>) {
        let mut text = mem::take(&mut self.text);
        pass(&text, out);
        if text.capacity() <= KEPT_CAPACITY {
            text.clear();
            self.text = text;
        }
    }
}

fn pass(document: &str, out: Pieces<'_>) {
    if document.starts_with('{') || !document.trim_start().is_empty() {
        out(Piece::Document(document));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(wire: &str, chunk: usize) -> Vec<String> {
        let mut found = Vec::new();
        let mut take = |piece: Piece<'_>| {
            found.push(match piece {
                Piece::Document(text) => text.to_owned(),
                Piece::Done => "DONE".to_owned(),
            });
        };
        let mut framing = Wire::default();
        let letters: Vec<char> = wire.chars().collect();
        for part in letters.chunks(chunk) {
            framing.feed(&part.iter().collect::<String>(), &mut take);
        }
        framing.finish(&mut take);
        found
    }

    #[track_caller]
    fn check(wire: &str, expected: &[&str]) {
        for chunk in [1, 2, 3, 5, 7, 1000] {
            assert_eq!(pieces(wire, chunk), expected, "{wire:?} in chunks of {chunk}");
        }
    }

    #[test]
    fn events_with_every_line_end() {
        for end in ["\n", "\r", "\r\n"] {
            let wire = ": hello\nevent: x\nid: 1\ndata: {\"a\":1}\n\nretry: 5\ndata:{\"b\":2}\n\ndata: [DONE]\n\n";
            check(&wire.replace('\n', end), &["{\"a\":1}", "{\"b\":2}", "DONE"]);
        }
    }

    #[test]
    fn data_over_several_lines_is_joined() {
        for end in ["\n", "\r", "\r\n"] {
            let wire = "data: {\ndata: \"a\":\ndata: 1}\n\ndata: {}\n\n".replace('\n', end);
            check(&wire, &["{\n\"a\":\n1}", "{}"]);
        }
    }

    #[test]
    fn blank_lines_may_be_missing() {
        check(
            "data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]",
            &["{\"a\":1}", "{\"b\":2}", "DONE"],
        );
        check("data: {\"a\":1}\n\ndata: {\"b\":", &["{\"a\":1}", "{\"b\":"]);
    }

    #[test]
    fn json_lines_pretty_documents_and_lists() {
        check("{\"a\":1}\n{\"b\":2}\r\n\n{}", &["{\"a\":1}", "{\"b\":2}", "{}"]);
        check("\u{feff}{\n  \"a\": [\n    1\n  ]\n}\n", &["{\n  \"a\": [\n    1\n  ]\n}"]);
        check("[{\"a\":1},\r\n{\"b\":[2]}\n]\n", &["{\"a\":1}", "{\"b\":[2]}", "DONE"]);
        check("[DONE]\n", &["DONE"]);
    }

    #[test]
    fn what_makes_no_sense_is_one_piece() {
        check("Bad Gateway\n{\"a\":1}\n", &["Bad Gateway", "{\"a\":1}"]);
        check("{\"a\n{\"a\":1}\n", &["{\"a", "{\"a\":1}"]);
        check("data: oops\n\ndata: {}\n\n", &["oops", "{}"]);
        check("data: {} x\n\ndata: {}\n\n", &["{} x", "{}"]);
    }

    #[test]
    fn a_document_of_one_chunk_is_not_copied() {
        let wire = "data: {\"a\":1}\n\n{\"b\":2}\ndata: {}\n";
        let borrowed = |piece: &str| wire.as_bytes().as_ptr_range().contains(&piece.as_ptr());
        let mut documents = 0;
        Wire::default().feed(wire, &mut |piece| {
            let Piece::Document(text) = piece else { return };
            assert!(borrowed(text), "{text}");
            documents += 1;
        });
        assert_eq!(documents, 3);
    }
}
