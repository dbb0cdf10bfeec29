//! Which format a message has, from its beginning.

use memchr::memchr2;

use crate::json::JsonFramer;
use crate::native::Provider;

/// What may stand before the first document of server-sent events.
const MAX_PREAMBLE: usize = 64 * 1024;
/// Nobody begins a provider's message with more blanks than this.
const MAX_BLANKS: usize = 4 * 1024;
/// The fields of server-sent events. An empty one is a comment.
const FIELDS: [&str; 5] = ["data", "event", "id", "retry", ""];
/// Whitespace, and the mark that some programs begin a text with.
const BLANKS: [char; 5] = ['\u{feff}', ' ', '\t', '\r', '\n'];

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Text,
    Native(Provider),
}

/// Holds a message back until its format is known. Each byte is looked at once.
#[derive(Debug, Default)]
pub(super) struct Sniffer {
    held: String,
    kind: Kind,
}

/// What the message looks like so far.
#[derive(Debug, Default)]
enum Kind {
    #[default]
    Unknown,
    /// JSON that begins here.
    Json { from: usize, framer: JsonFramer, framed: usize },
    /// Server-sent events, with the line that begins here looked at up to there.
    Events { line: usize, looked: usize },
}

impl Sniffer {
    /// Takes more; where the format is now known, gives it with all that was held back.
    pub(super) fn feed(&mut self, text: &str) -> Option<(Found, String)> {
        self.held.push_str(text);
        let found = self.look(false)?;
        Some((found, std::mem::take(&mut self.held)))
    }

    /// There is no more.
    pub(super) fn finish(&mut self) -> (Found, String) {
        let found = self.look(true).unwrap_or(Found::Text);
        (found, std::mem::take(&mut self.held))
    }

    fn look(&mut self, ended: bool) -> Option<Found> {
        if let Kind::Unknown = self.kind
            && let Some(found) = self.begin()
        {
            return Some(found);
        }
        match &mut self.kind {
            Kind::Unknown => None,
            Kind::Json { from, framer, framed } => {
                let end = framer.push(&self.held[*framed..]).map(|end| *framed + end);
                *framed = self.held.len();
                end.map(|end| of_document(&self.held[*from..end]))
            }
            Kind::Events { line, looked } => look_at_lines(&self.held, line, looked, ended),
        }
    }

    /// Tells from the first characters what to look for.
    fn begin(&mut self) -> Option<Found> {
        let text = self.held.trim_start_matches(BLANKS);
        let from = self.held.len() - text.len();
        if from > MAX_BLANKS {
            return Some(Found::Text);
        }
        match text.as_bytes().first()? {
            b'{' => self.begin_json(from, &['"', '}'], 0),
            // A list of documents: its first one tells.
            b'[' => self.begin_json(from, &['{'], 1),
            _ => self.begin_events(from),
        }
    }

    fn begin_json(&mut self, from: usize, second: &[char], skip: usize) -> Option<Found> {
        let behind = self.held[from + 1..].trim_start_matches(BLANKS);
        let blanks = self.held.len() - from - 1 - behind.len();
        let first = behind.chars().next().or((blanks > MAX_BLANKS).then_some(' '))?;
        if !second.contains(&first) {
            return Some(Found::Text);
        }
        let from = from + skip;
        self.kind = Kind::Json { from, framer: JsonFramer::new(), framed: from };
        None
    }

    fn begin_events(&mut self, from: usize) -> Option<Found> {
        match is_field(&self.held[from..]) {
            Some(true) => self.kind = Kind::Events { line: from, looked: from },
            Some(false) => return Some(Found::Text),
            None => {}
        }
        None
    }
}

/// Whether a line begins as a field of server-sent events; `None` where it is too short to tell.
fn is_field(line: &str) -> Option<bool> {
    if FIELDS.iter().any(|field| line.strip_prefix(field).is_some_and(|rest| rest.starts_with(':')))
    {
        return Some(true);
    }
    let may_be = FIELDS.iter().any(|field| field.starts_with(line));
    if may_be { None } else { Some(false) }
}

/// Goes on through whole lines until one holds a document.
fn look_at_lines(held: &str, line: &mut usize, looked: &mut usize, ended: bool) -> Option<Found> {
    loop {
        let end = memchr2(b'\n', b'\r', &held.as_bytes()[*looked..]).map(|at| *looked + at);
        *looked = end.unwrap_or(held.len());
        let end = match end {
            Some(end) => end,
            None if ended => held.len(),
            None => return None,
        };
        let content = held[*line..end].trim();
        if let Some(data) = content.strip_prefix("data:") {
            return Some(of_data(data.trim()));
        }
        let is_foreign = !content.is_empty() && is_field(content) != Some(true);
        if is_foreign || end > MAX_PREAMBLE || end == held.len() {
            return Some(Found::Text);
        }
        (*line, *looked) = (end + 1, end + 1);
    }
}

fn of_data(data: &str) -> Found {
    if data == "[DONE]" { Found::Native(Provider::OpenAi) } else { of_document(data) }
}

fn of_document(document: &str) -> Found {
    Provider::detect(document).map_or(Found::Text, Found::Native)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniffed(text: &str) -> (Found, String) {
        let mut sniffer = Sniffer::default();
        for (at, c) in text.char_indices() {
            if let Some((found, held)) = sniffer.feed(&text[at..at + c.len_utf8()]) {
                return (found, held);
            }
        }
        sniffer.finish()
    }

    fn found(text: &str) -> Found {
        let (found, held) = sniffed(text);
        assert!(text.starts_with(&held), "{text}");
        let whole = Sniffer::default().feed(text).unwrap_or_else(|| {
            let mut sniffer = Sniffer::default();
            let _ = sniffer.feed(text);
            sniffer.finish()
        });
        assert_eq!(whole.0, found, "{text}");
        found
    }

    #[test]
    fn formats_are_told_by_their_beginning() {
        let native = Found::Native;
        for (text, format) in [
            ("Hello", Found::Text),
            ("", Found::Text),
            ("data", Found::Text),
            ("data: about users", Found::Text),
            (":) hello\nyou", Found::Text),
            ("{ I think", Found::Text),
            ("[TOOL_CALLS] [{}]", Found::Text),
            ("[1, 2]", Found::Text),
            ("{\"name\": \"read_file\", \"arguments\": {}}", Found::Text),
            ("<read_file>", Found::Text),
            ("id: 1\nretry: 5\n\n", Found::Text),
            ("data: {\"choices\": []}\n\n", native(Provider::OpenAi)),
            ("\n: hi\n\ndata: {\"choices\": []}", native(Provider::OpenAi)),
            ("data: [DONE]\n", native(Provider::OpenAi)),
            (
                "event: message_start\ndata: {\"type\": \"message_start\", \"message\": {}}\n",
                native(Provider::Anthropic),
            ),
            ("{\"candidates\": []}", native(Provider::Gemini)),
            ("[{\"candidates\": []},\n{", native(Provider::Gemini)),
            ("{\"object\": \"response\", \"output\": []}", native(Provider::Responses)),
            (
                "{\n  \"type\": \"function\", \"function\": {\"name\": \"a\"}}",
                native(Provider::OpenAi),
            ),
        ] {
            assert_eq!(found(text), format, "{text}");
        }
    }
}
