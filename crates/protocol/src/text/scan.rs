//! The outline of a JSON object while it arrives: its own keys and where their values are.

use memchr::memchr2;

/// A call has fewer keys; what has more is not looked at, so that nobody can make it slow.
const MAX_MEMBERS: usize = 64;

/// A member of the outermost object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// The key, as it is spelt between its quotes.
    pub(super) key: String,
    /// Where its value begins, once a byte of it has been seen.
    pub(super) from: Option<usize>,
    /// Where its value ends, once it is over.
    pub(super) to: Option<usize>,
}

/// Follows an object without building it. Each byte is looked at once.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one text")]
#[derive(Debug, Default)]
pub(super) struct Outline {
    at: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Where the current string of the outermost object began, behind its quote.
    string_from: usize,
    key: Option<String>,
    pub(super) members: Vec<Member>,
    /// Where the object ends, behind its brace.
    pub(super) end: Option<usize>,
    /// The outermost value is a list.
    pub(super) is_list: bool,
    /// It is neither an object nor a list.
    pub(super) is_other: bool,
    /// Something else stands where a quoted key of the object must.
    pub(super) is_broken: bool,
}

impl Outline {
    /// Whether the text so far ends inside a string.
    pub(super) fn in_string(&self) -> bool {
        self.in_string
    }

    /// Looks at what is new in `text`, which is all of it so far.
    pub(super) fn follow(&mut self, text: &str) {
        let bytes = text.as_bytes();
        while self.at < bytes.len() && self.end.is_none() && !self.is_other {
            if self.in_string {
                self.follow_string(text);
            } else {
                self.follow_byte(text, bytes[self.at]);
                self.at += 1;
            }
        }
    }

    fn follow_string(&mut self, text: &str) {
        if self.escaped {
            self.escaped = false;
            self.at += 1;
            return;
        }
        let Some(found) = memchr2(b'"', b'\\', &text.as_bytes()[self.at..]) else {
            self.at = text.len();
            return;
        };
        let at = self.at + found;
        self.at = at + 1;
        if text.as_bytes()[at] == b'\\' {
            self.escaped = true;
            return;
        }
        self.in_string = false;
        let awaits_value = self.members.last().is_some_and(|member| member.to.is_none());
        if self.depth == 1 && !self.is_list && !awaits_value {
            self.key = text.get(self.string_from..at).map(str::to_owned);
        }
    }

    fn follow_byte(&mut self, text: &str, byte: u8) {
        let was_blank = byte.is_ascii_whitespace();
        if self.depth == 0 {
            match byte {
                b'{' => self.depth = 1,
                b'[' => (self.depth, self.is_list) = (1, true),
                _ => self.is_other = !was_blank,
            }
            return;
        }
        if self.depth == 1 && !was_blank && !matches!(byte, b',' | b'}') {
            self.is_broken |= !self.is_list && self.awaits_key() && byte != b'"';
            self.begin_value();
        }
        match byte {
            b'"' => (self.in_string, self.string_from) = (true, self.at + 1),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.close(),
            b':' if self.depth == 1 => self.begin_member(),
            b',' if self.depth == 1 => self.end_value(text),
            _ => {}
        }
    }

    /// Whether nothing but a key, or the end of the object, can follow.
    fn awaits_key(&self) -> bool {
        self.key.is_none() && self.members.last().is_none_or(|member| member.to.is_some())
    }

    fn begin_member(&mut self) {
        let key = self.key.take().filter(|_| self.members.len() < MAX_MEMBERS);
        if let Some(key) = key {
            self.members.push(Member { key, from: None, to: None });
        }
    }

    fn begin_value(&mut self) {
        let at = self.at;
        if let Some(member) = self.members.last_mut().filter(|member| member.from.is_none()) {
            member.from = Some(at);
        }
    }

    fn close(&mut self) {
        self.depth -= 1;
        match self.depth {
            0 => {
                self.end_member(self.at);
                self.end = Some(self.at + 1);
            }
            1 => self.end_member(self.at + 1),
            _ => {}
        }
    }

    fn end_value(&mut self, text: &str) {
        let from = self.members.last().and_then(|member| member.from).unwrap_or(self.at);
        let blanks =
            text.get(from..self.at).map_or(0, |value| value.len() - value.trim_end().len());
        self.end_member(self.at - blanks);
    }

    fn end_member(&mut self, at: usize) {
        if let Some(member) = self.members.last_mut().filter(|member| member.to.is_none()) {
            member.to = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Outline {
        let mut outline = Outline::default();
        for (at, c) in text.char_indices() {
            outline.follow(&text[..at + c.len_utf8()]);
        }
        outline
    }

    #[test]
    fn keys_and_values_are_found_as_they_come() {
        let text = r#" {"name": "a\"b", "x": {"name": [1, "}"]} , "n":1} rest"#;
        let outline = outline(text);
        let members: Vec<(&str, &str)> = outline
            .members
            .iter()
            .map(|m| (m.key.as_str(), &text[m.from.unwrap()..m.to.unwrap()]))
            .collect();
        assert_eq!(members, [("name", r#""a\"b""#), ("x", r#"{"name": [1, "}"]}"#), ("n", "1")]);
        assert_eq!(&text[outline.end.unwrap()..], " rest");
    }

    #[test]
    fn lists_and_other_things() {
        assert!(outline(" [{\"name\": 1}]").is_list);
        assert!(outline(" x{").is_other);
        assert_eq!(outline("[[1],{\"a\":\"]\"}] x").end, Some(15));
        assert_eq!(outline("{\"a\":1").members[0].to, None);
    }
}
