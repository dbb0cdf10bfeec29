//! A word without its ending: *returns*, *returned*, *returning* → *return*.
//!
//! Few rules, in the manner of Porter's: what they make is not always a word, but the same for
//! the forms of one word. Only ASCII; all else stays.

/// No longer word is looked at.
pub(super) const MAX_BYTES: usize = 40;

/// Plurals that no rule gets.
const IRREGULAR: [(&[u8], &[u8]); 12] = [
    (b"indices", b"index"),
    (b"indexes", b"index"),
    (b"vertices", b"vertex"),
    (b"matrices", b"matrix"),
    (b"children", b"child"),
    (b"data", b"data"),
    (b"written", b"write"),
    (b"read", b"read"),
    (b"found", b"find"),
    (b"sent", b"send"),
    (b"built", b"build"),
    (b"dying", b"die"),
];

/// Endings that are taken away, the longest first, and what must be left of the word.
const ENDINGS: [(&[u8], usize); 19] = [
    (b"ization", 3),
    (b"isation", 3),
    (b"ations", 4),
    (b"ation", 4),
    (b"ements", 4),
    (b"ement", 4),
    (b"ities", 4),
    (b"ment", 4),
    (b"ness", 4),
    (b"able", 4),
    (b"ible", 4),
    (b"ator", 4),
    (b"ally", 4),
    (b"ize", 4),
    (b"ise", 4),
    (b"ion", 4),
    (b"ive", 4),
    (b"ate", 4),
    (b"iz", 4),
];

/// The word without its ending. `buffer` is where it is put if it is not a part of `word`.
pub fn stem<'a>(word: &'a [u8], buffer: &'a mut [u8; MAX_BYTES]) -> &'a [u8] {
    if word.len() < 4 || word.len() > MAX_BYTES || !word.is_ascii() {
        return word;
    }
    if let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return base;
    }
    buffer[..word.len()].copy_from_slice(word);
    let mut len = without_plural(buffer, word.len());
    len = without_tense(buffer, len);
    len = without_suffix(buffer, len);
    if len > 3 && buffer[len - 1] == b'e' {
        len -= 1;
    }
    if len > 2 && buffer[len - 1] == b'y' {
        buffer[len - 1] = b'i';
    }
    &buffer[..len]
}

fn without_plural(word: &mut [u8], len: usize) -> usize {
    let text = &word[..len];
    if text.ends_with(b"ies") && len > 4 {
        word[len - 3] = b'y';
        return len - 2;
    }
    let hissing: [&[u8]; 5] = [b"sses", b"xes", b"ches", b"shes", b"zes"];
    if hissing.iter().any(|end| text.ends_with(end)) {
        return len - 2;
    }
    let stays: [&[u8]; 3] = [b"ss", b"us", b"is"];
    if text.ends_with(b"s") && !stays.iter().any(|end| text.ends_with(end)) {
        return len - 1;
    }
    len
}

fn without_tense(word: &mut [u8], len: usize) -> usize {
    let text = &word[..len];
    if text.ends_with(b"ied") && len > 4 {
        word[len - 3] = b'y';
        return len - 2;
    }
    let cut = if text.ends_with(b"ing") {
        3
    } else if (text.ends_with(b"ed") && !text.ends_with(b"eed"))
        || (len > 5 && (text.ends_with(b"er") || text.ends_with(b"or")))
    {
        2
    } else {
        return len;
    };
    let left = len - cut;
    if left < 3 || !text[..left].iter().any(|byte| b"aeiouy".contains(byte)) {
        return len;
    }
    let doubled = text[left - 1] == text[left - 2] && !b"lsz".contains(&text[left - 1]);
    if doubled && left > 3 { left - 1 } else { left }
}

fn without_suffix(word: &mut [u8], len: usize) -> usize {
    let text = &word[..len];
    for (ending, left) in ENDINGS {
        if len >= left + ending.len() && text.ends_with(ending) {
            return len - ending.len();
        }
    }
    if len > 5 && text.ends_with(b"ly") {
        return len - 2;
    }
    // What is left of *-ation* and *-ate* when *-ing* and *-ed* are gone.
    if len > 5 && text.ends_with(b"at") { len - 2 } else { len }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stemmed(word: &str) -> String {
        let mut buffer = [0; MAX_BYTES];
        String::from_utf8_lossy(stem(word.as_bytes(), &mut buffer)).into_owned()
    }

    #[test]
    fn the_forms_of_a_word_are_one() {
        for forms in [
            &["return", "returns", "returned", "returning"][..],
            &["index", "indices", "indexes", "indexed", "indexing"],
            &["parse", "parses", "parsed", "parsing", "parser"],
            &["iterate", "iterates", "iterator", "iteration", "iterating"],
            &["create", "creates", "created", "creating", "creation"],
            &["query", "queries", "queried"],
            &["match", "matches", "matching", "matcher"],
            &["run", "running", "runs"],
            &["connect", "connection", "connected", "connections"],
            &["config", "configs"],
            &["split", "splits", "splitting", "splitter"],
            &["serialize", "serializer", "serialization"],
        ] {
            let first = stemmed(forms[0]);
            for form in forms {
                assert_eq!(stemmed(form), first, "{form}");
            }
        }
    }

    #[test]
    fn other_words_stay_apart() {
        for (one, other) in [("this", "thing"), ("string", "str"), ("bus", "bu"), ("need", "ne")] {
            assert_ne!(stemmed(one), stemmed(other));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_stem(word in proptest::collection::vec(any::<u8>(), 1..60)) {
            let mut buffer = [0; MAX_BYTES];
            prop_assert!(!stem(&word, &mut buffer).is_empty());
        }
    }
}
