//! A reader for the little XML that stands inside a parameter: elements and text, no
//! attributes, no comments, no CDATA.

/// An element and what is between its tags.
#[derive(Debug, PartialEq)]
pub(super) struct Element<'t> {
    pub(super) name: &'t str,
    pub(super) inner: &'t str,
}

/// The elements of a text that has nothing else but white space.
pub(super) fn elements(text: &str) -> Result<Vec<Element<'_>>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (element, after) = first_element(rest)?;
        found.push(element);
        rest = after.trim_start();
    }
    Ok(found)
}

/// An element ends at the first end tag of its name, so none may hold another of its own name.
fn first_element(text: &str) -> Result<(Element<'_>, &str), String> {
    let expected = || format!("Expected an element such as <file>, not {:?}", beginning(text));
    let (name, content) = text.strip_prefix('<').and_then(tag).ok_or_else(expected)?;
    for (at, _) in content.match_indices("</") {
        if let Some((end, after)) = tag(&content[at + 2..])
            && end == name
        {
            return Ok((Element { name, inner: &content[..at] }, after));
        }
    }
    Err(format!("<{name}> is not closed"))
}

/// The name up to `>`, with white space around it, and what follows. The first character that
/// cannot be in a tag ends the search, so that a text full of `</` is not read again and again.
fn tag(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !in_name(c) && !c.is_whitespace())?;
    let after = text[end..].strip_prefix('>')?;
    let name = text[..end].trim();
    (!name.is_empty() && name.chars().all(in_name)).then_some((name, after))
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}

/// `text` with XML's five named entities read; `&amp;` last, so that nothing is read twice.
pub(super) fn unescape(text: &str) -> String {
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}
