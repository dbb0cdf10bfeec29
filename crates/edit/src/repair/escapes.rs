//! Backslash escapes, as in a string of JSON or of a programming language.

/// The readings of an escaped pair.
pub(super) fn unescaped(old: &str, new: &str) -> Vec<(String, String)> {
    if !old.contains('\\') {
        return Vec::new();
    }
    let one_line = !old.trim().contains('\n');
    let mut readings: Vec<fn(&str) -> String> = Vec::new();
    if one_line {
        readings.extend([everything as fn(&str) -> String, breaks, breaks_outside_quotes]);
    }
    readings.extend([quotes as fn(&str) -> String, indents, backslashes, everything]);
    let mut out: Vec<(String, String)> = Vec::new();
    for reading in readings {
        let read = reading(old);
        if read == old || out.iter().any(|(known, _)| *known == read) {
            continue;
        }
        // A new text over several lines was not escaped where old was one line.
        let plain = one_line && read.trim().contains('\n') && new.trim().contains('\n');
        out.push((read, if plain { new.to_owned() } else { reading(new) }));
    }
    out
}

/// Every escape of JSON.
fn everything(text: &str) -> String {
    translate(text, |next, _| match next {
        'n' => Some("\n"),
        't' => Some("\t"),
        'r' => Some(""),
        '"' => Some("\""),
        '\'' => Some("'"),
        '`' => Some("`"),
        '/' => Some("/"),
        '$' => Some("$"),
        '\\' => Some("\\"),
        _ => None,
    })
}

/// Only line breaks and tabs.
fn breaks(text: &str) -> String {
    translate(text, |next, _| break_of(next))
}

/// Line breaks and tabs that are not in a string of the code itself.
fn breaks_outside_quotes(text: &str) -> String {
    translate(text, |next, quoted| if quoted { None } else { break_of(next) })
}

fn break_of(next: char) -> Option<&'static str> {
    match next {
        'n' => Some("\n"),
        't' => Some("\t"),
        'r' => Some(""),
        _ => None,
    }
}

/// Only quotes.
fn quotes(text: &str) -> String {
    translate(text, |next, _| match next {
        '"' => Some("\""),
        '\'' => Some("'"),
        '`' => Some("`"),
        _ => None,
    })
}

/// Only doubled backslashes.
fn backslashes(text: &str) -> String {
    translate(text, |next, _| (next == '\\').then_some("\\"))
}

/// Tabs at the starts of lines.
fn indents(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let mut rest = line;
        let mut indent = String::new();
        while let Some(shorter) = rest.strip_prefix("\\t") {
            indent.push('\t');
            rest = shorter;
        }
        indent + rest
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Replaces escapes; `plain` gets what follows a backslash and whether it is within quotes.
fn translate(text: &str, plain: impl Fn(char, bool) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            quote = after(quote, c, &text[..at]);
            out.push(c);
            continue;
        }
        let Some((_, next)) = chars.next() else {
            out.push(c);
            break;
        };
        if let Some(read) = plain(next, quote.is_some()) {
            out.push_str(read);
            quote = if read == "\n" { None } else { quote };
        } else if let Some(read) =
            unicode(next, &text[at..]).filter(|_| plain('"', false).is_some())
        {
            out.push(read);
            chars.nth(3);
        } else {
            out.extend([c, next]);
        }
    }
    out
}

/// The quote that is open after a character.
fn after(open: Option<char>, c: char, before: &str) -> Option<char> {
    match open {
        Some(quote) => (quote != c).then_some(quote),
        None if c == '\'' && before.ends_with(char::is_alphanumeric) => None,
        None => matches!(c, '"' | '\'' | '`').then_some(c),
    }
}

/// The character of a `\uXXXX`.
fn unicode(next: char, escape: &str) -> Option<char> {
    let digits = escape.get(2..6).filter(|_| next == 'u')?;
    u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_strings_are_read() {
        assert_eq!(everything(r#"a\n\t\"b\" \\n \u00e9 \d"#), "a\n\t\"b\" \\n \u{e9} \\d");
        assert_eq!(everything("\\"), "\\");
        assert_eq!(everything("\\u00"), "\\u00");
    }

    #[test]
    fn a_break_in_a_string_of_the_code_stays() {
        assert_eq!(breaks_outside_quotes(r#"print("a\n")\nit's\nb"#), "print(\"a\\n\")\nit's\nb");
    }

    #[test]
    fn several_readings_of_one_line() {
        let read: Vec<String> =
            unescaped(r#"a("\n")\nb"#, "").into_iter().map(|(old, _)| old).collect();
        assert_eq!(read, ["a(\"\n\")\nb", "a(\"\\n\")\nb"]);
        assert!(unescaped("plain", "").is_empty());
    }
}
