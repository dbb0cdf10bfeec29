//! HTML entities for plain characters.

/// The entities that an encoder makes of plain text.
const PLAIN: [(&str, char); 12] = [
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&apos;", '\''),
    ("&#39;", '\''),
    ("&#x27;", '\''),
    ("&#34;", '"'),
    ("&#x22;", '"'),
    ("&#60;", '<'),
    ("&#62;", '>'),
    ("&#38;", '&'),
    ("&amp;", '&'),
];

/// The pair without entities, if they are not the file's own.
pub(super) fn decoded(old: &str, new: &str, content: &str) -> Vec<(String, String)> {
    let used: Vec<&str> =
        PLAIN.iter().map(|(entity, _)| *entity).filter(|entity| old.contains(entity)).collect();
    if used.is_empty() {
        return Vec::new();
    }
    let foreign = used
        .iter()
        .all(|entity| memchr::memmem::find(content.as_bytes(), entity.as_bytes()).is_none());
    if !foreign && !is_encoded(old) {
        return Vec::new();
    }
    let of_new = if foreign || is_encoded(new) { decode(new) } else { new.to_owned() };
    vec![(decode(old), of_new)]
}

/// Whether everything that has an entity is written as one.
fn is_encoded(text: &str) -> bool {
    let stray =
        |(at, _): (usize, &str)| !PLAIN.iter().any(|(entity, _)| text[at..].starts_with(entity));
    !text.contains(['<', '>']) && !text.match_indices('&').any(stray)
}

fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = PLAIN.iter().find(|(entity, _)| rest.starts_with(entity));
        let (length, plain) = found.map_or((1, '&'), |(entity, plain)| (entity.len(), *plain));
        out.push(plain);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(decode("a &lt; b &amp;amp; c & d"), "a < b &amp; c & d");
    }

    #[test]
    fn the_files_own_entities_stay() {
        assert!(decoded("<b>&lt;</b>", "", "x &lt; y").is_empty());
        assert_eq!(
            decoded("a &lt; b", "a &gt; b", "a < b"),
            [("a < b".to_owned(), "a > b".to_owned())]
        );
    }
}
