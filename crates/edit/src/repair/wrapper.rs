//! Fences, tags and quotes around the whole text.

/// The pair without what is around it, outermost first.
pub(super) fn unwrapped(old: &str, new: &str, content: &str) -> Vec<(String, String)> {
    let kinds: [fn(&str) -> Option<&str>; 3] = [fenced, tagged, quoted];
    let mut out = Vec::new();
    for kind in kinds {
        if let Some(inner) = kind(old) {
            out.push((inner.to_owned(), kind(new).unwrap_or(new).to_owned()));
        }
    }
    // What stands around a fence is talk only where the file has no fences itself.
    let no_fences = !content.contains("```") && !content.contains("~~~");
    if let Some(inner) = within_talk(old).filter(|_| out.is_empty() && no_fences) {
        let of_new = within_talk(new).or_else(|| fenced(new)).unwrap_or(new);
        out.push((inner.to_owned(), of_new.to_owned()));
    }
    out
}

/// The lines that are fences: where each begins and ends.
fn fences(text: &str) -> Vec<(usize, usize)> {
    let Some(mark) = ["```", "~~~"].into_iter().find(|mark| text.contains(mark)) else {
        return Vec::new();
    };
    let mut bounds = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with(mark) {
            bounds.push((at, at + line.len()));
        }
        at += line.len();
    }
    bounds
}

/// What is inside of a code fence, also where one of its ends is missing.
fn fenced(text: &str) -> Option<&str> {
    let bounds = fences(text);
    let (first, last) = (bounds.first()?, bounds.last()?);
    let opens = text[..first.0].trim().is_empty();
    let closes = text[last.1..].trim().is_empty();
    let end = |inner: &str| inner.len() - usize::from(inner.ends_with('\n'));
    if bounds.len() == 1 {
        return if opens {
            Some(&text[first.1..])
        } else {
            closes.then(|| &text[..end(&text[..first.0])])
        };
    }
    let inner = &text[first.1..last.0];
    (opens && closes).then(|| &inner[..end(inner)])
}

/// What is inside of the only code fence of a text, whatever is said around it.
fn within_talk(text: &str) -> Option<&str> {
    let bounds = fences(text);
    let [first, last] = bounds[..] else { return None };
    let inner = &text[first.1..last.0];
    Some(inner.strip_suffix('\n').unwrap_or(inner))
}

/// What is inside of a tag or a `CDATA` section.
fn tagged(text: &str) -> Option<&str> {
    let trimmed = text.trim();
    if let Some(inner) = trimmed.strip_prefix("<![CDATA[") {
        return inner.strip_suffix("]]>").map(without_edges);
    }
    let (tag, inner) = trimmed.strip_prefix('<')?.split_once('>')?;
    let name = tag.split_whitespace().next()?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'));
    let inner = inner.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    let inner = inner
        .trim()
        .strip_prefix("<![CDATA[")
        .and_then(|inner| inner.strip_suffix("]]>"))
        .unwrap_or(inner);
    plain.then(|| without_edges(inner))
}

fn without_edges(inner: &str) -> &str {
    let inner = inner.strip_prefix('\n').unwrap_or(inner);
    inner.strip_suffix('\n').unwrap_or(inner)
}

/// What is inside of quotes.
fn quoted(text: &str) -> Option<&str> {
    let trimmed = text.trim();
    ["\"\"\"", "'''", "`", "\"", "'", "**"].into_iter().find_map(|mark| {
        let inner = trimmed.strip_prefix(mark)?.strip_suffix(mark)?;
        // A quote within that is not escaped is another one's: these two are no pair.
        let pair = inner.match_indices(mark).all(|(at, _)| inner[..at].ends_with('\\'));
        (!inner.trim().is_empty() && pair).then(|| without_edges(inner))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_come_off() {
        assert_eq!(fenced("```rust title=x\na\n  b\n```\n"), Some("a\n  b"));
        assert_eq!(within_talk("Here:\n~~~\na\n~~~ done\nbye"), Some("a"));
        assert_eq!(fenced("a\n```\nb"), None);
        assert_eq!(fenced("```py\na\n"), Some("a\n"));
        assert_eq!(fenced("a\n```"), Some("a"));
        assert_eq!(fenced("a"), None);
        assert_eq!(tagged("<old_string>\na\n</old_string>"), Some("a"));
        assert_eq!(tagged("<![CDATA[a]]>"), Some("a"));
        assert_eq!(tagged("<x><![CDATA[\na\n]]></x>"), Some("a"));
        assert_eq!(tagged("<a>b"), None);
        assert_eq!(quoted("`a b`"), Some("a b"));
        assert_eq!(quoted("\""), None);
    }
}
