//! A line of `.gitignore`, as git reads it, in the words of the crate that matches it.
//!
//! That crate takes braces for alternatives, which to git are letters like any other; in classes
//! it knows neither escapes nor names; what it negates may be a slash; and it cuts white space at
//! the end of a line that git keeps. What it would read as git does is handed on as it is.

use std::borrow::Cow;

/// How many letters a class can speak of. To git it is one byte of a name that a class matches, so
/// that no letter of several bytes can be meant by it.
const ASCII: usize = 128;

/// The line to match by; none where it can match nothing.
pub(super) fn translate(line: &str) -> Option<Cow<'_, str>> {
    let line = without_spaces(line);
    let pattern = line.strip_prefix('!').unwrap_or(line);
    if pattern.bytes().all(|byte| byte == b'/') || line.starts_with('#') {
        return None;
    }
    let kept_end = line.ends_with(|last: char| last.is_whitespace());
    if !kept_end && !line.contains(['{', '}', '[', '\\']) {
        return Some(Cow::Borrowed(line));
    }
    rewritten(line).map(Cow::Owned)
}

/// Without the spaces at its end, but for those after a backslash.
fn without_spaces(line: &str) -> &str {
    let mut end = 0;
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        end = match letter {
            ' ' => end,
            '\\' => match letters.next() {
                Some((next, escaped)) => next + escaped.len_utf8(),
                None => line.len(),
            },
            _ => at + letter.len_utf8(),
        };
    }
    &line[..end]
}

fn rewritten(line: &str) -> Option<String> {
    let (sign, pattern) = match line.strip_prefix('!') {
        Some(pattern) => ("!", pattern),
        None => ("", line),
    };
    let (body, end) = match pattern.strip_suffix('/') {
        Some(body) => (body, "/"),
        None => (pattern, ""),
    };
    // Said here, because a slash in a class that is written below says nothing of where it begins.
    let anywhere = if body.contains('/') { "" } else { "**/" };
    Some(format!("{sign}{anywhere}{}{end}", rewritten_body(body)?))
}

fn rewritten_body(body: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = body;
    while let Some(letter) = rest.chars().next() {
        let after = &rest[letter.len_utf8()..];
        match letter {
            '\\' => {
                let escaped = after.chars().next()?;
                out.extend(['\\', escaped]);
                rest = &after[escaped.len_utf8()..];
            }
            '[' => {
                let (class, end) = class(rest)?;
                out.push_str(&class);
                rest = &rest[end..];
            }
            '{' | '}' => {
                out.extend(['\\', letter]);
                rest = after;
            }
            // In a class it is no white space at the end of a line.
            _ if after.is_empty() && letter.is_whitespace() => {
                out.extend(['[', letter, ']']);
                rest = after;
            }
            _ => {
                out.push(letter);
                rest = after;
            }
        }
    }
    Some(out)
}

/// The class at the beginning of a text, and where it ends; none where it can match nothing.
fn class(text: &str) -> Option<(String, usize)> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 1 };
    let negated = reader.peek().is_some_and(|byte| matches!(byte, b'!' | b'^'));
    reader.at += usize::from(negated);
    let mut members = [false; ASCII];
    let end = reader.members(&mut members)?;
    // No class matches a slash.
    members[usize::from(b'/')] = negated;
    Some((written(negated, &members)?, end))
}

/// Reads a class byte by byte, as git does.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// The next byte, or the one after a backslash.
    fn literal(&mut self) -> Option<u8> {
        match self.next()? {
            b'\\' => self.next(),
            byte => Some(byte),
        }
    }

    /// Marks what belongs to the class; gives where it ends.
    fn members(&mut self, members: &mut [bool; ASCII]) -> Option<usize> {
        // What a range would begin with.
        let mut before = None;
        let mut first = true;
        loop {
            let byte = self.next()?;
            let more = self.peek();
            match byte {
                b']' if !first => return Some(self.at),
                b'-' if before.is_some() && more.is_some_and(|more| more != b']') => {
                    let (low, high) = (before.take()?, self.literal()?);
                    (low..=high).for_each(|byte| mark(members, byte));
                }
                b'[' if more == Some(b':') && self.name_end().is_some() => {
                    let end = self.name_end()?;
                    let is_member = named(&self.bytes[self.at + 1..end])?;
                    (0..=127).filter(is_member).for_each(|byte| mark(members, byte));
                    self.at = end + 2;
                    before = None;
                }
                _ => {
                    self.at -= 1;
                    let byte = self.literal()?;
                    mark(members, byte);
                    before = Some(byte);
                }
            }
            first = false;
        }
    }

    /// Where the `:]` is that ends a name.
    fn name_end(&self) -> Option<usize> {
        let close = self.at + self.bytes[self.at..].iter().position(|byte| *byte == b']')?;
        let colon = close.checked_sub(1)?;
        (colon > self.at && self.bytes[colon] == b':').then_some(colon)
    }
}

fn mark(members: &mut [bool; ASCII], byte: u8) {
    if let Some(member) = members.get_mut(usize::from(byte)) {
        *member = true;
    }
}

/// What a name such as `alpha` stands for.
fn named(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| byte.is_ascii_graphic() || *byte == b' ',
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| byte.is_ascii_whitespace() || *byte == 0x0b,
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

/// A class with these members; none where it has none. Letters that mean something to a class
/// stand where they do not.
fn written(negated: bool, members: &[bool; ASCII]) -> Option<String> {
    let has = |byte: u8| members[usize::from(byte)];
    let plain = |byte: &u8| has(*byte) && !matches!(byte, 0 | b']' | b'-' | b'!' | b'^');
    let mut inner = String::new();
    if has(b']') {
        inner.push(']');
    }
    let plain: Vec<u8> = (0..=127).filter(plain).collect();
    for run in plain.chunk_by(|low, high| low + 1 == *high) {
        match run {
            [low, .., high] => inner.extend([char::from(*low), '-', char::from(*high)]),
            one => inner.extend(one.iter().copied().map(char::from)),
        }
    }
    // A sign that comes first would negate.
    let leading_dash = inner.is_empty() && !negated && has(b'-');
    if leading_dash {
        inner.push('-');
    }
    let signs: Vec<char> = [b'!', b'^'].into_iter().filter(|b| has(*b)).map(char::from).collect();
    if inner.is_empty() && !negated {
        return match signs[..] {
            [] => None,
            [sign] => Some(format!("\\{sign}")),
            _ => Some("{\\!,\\^}".to_owned()),
        };
    }
    inner.extend(signs);
    if has(b'-') && !leading_dash {
        inner.push('-');
    }
    Some(format!("[{}{inner}]", if negated { "!" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_as_they_are_matched() {
        for (line, expected) in [
            ("*.rs", Some("*.rs")),
            ("foo  ", Some("foo")),
            ("foo\\  ", Some("**/foo\\ ")),
            ("foo\t", Some("**/foo[\t]")),
            ("# no", None),
            ("   ", None),
            ("!", None),
            ("//", None),
            ("a\\", None),
            ("a\\/", None),
            ("\\!a", Some("**/\\!a")),
            ("!{a", Some("!**/\\{a")),
            ("/{a", Some("/\\{a")),
            ("a{b,c}/", Some("**/a\\{b,c\\}/")),
            ("[abc]", Some("**/[a-c]")),
            ("x/[!a]", Some("x/[!/a]")),
            ("[^]a-]", Some("**/[!]/a-]")),
            ("[\\]\\-x]", Some("**/[]x-]")),
            ("[+-0]", Some("**/[+-,.0-]")),
            ("[[:digit:]_]", Some("**/[0-9_]")),
            ("[[:nope:]]", None),
            ("[[:a]", Some("**/[:[a]")),
            ("[!-]", Some("**/[!/-]")),
            ("[\\!]", Some("**/\\!")),
            ("[\\!^]", Some("**/{\\!,\\^}")),
            ("[-^]", Some("**/[-^]")),
            ("[a", None),
            ("[/]", None),
            ("[z-a]", Some("**/[z]")),
            ("[é]", None),
            ("[aé]", Some("**/[a]")),
            ("[!é]", Some("**/[!/]")),
            ("[\\]é[a-c]", Some("**/[][a-c]")),
        ] {
            assert_eq!(translate(line).as_deref(), expected, "{line}");
        }
    }
}
