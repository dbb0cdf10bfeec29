//! Secrets whose exact value is known.

use std::fmt::Write as _;

use aho_corasick::{AhoCorasick, MatchKind};

use super::{Found, names, patterns::PATTERNS};

/// Shorter values occur in ordinary text.
const SHORTEST: usize = 8;

/// The values of this process's environment variables whose names say that they are secret.
pub fn known_from_env() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| names::secret_variable(name))
        .collect()
}

/// Exact values and the names under which they are marked.
#[derive(Debug)]
pub(super) struct Known {
    values: AhoCorasick,
    names: Vec<String>,
    /// The bytes of the longest value.
    pub(super) longest: usize,
}

impl Known {
    pub(super) fn new(values: impl Iterator<Item = (String, String)>) -> Option<Self> {
        let named: Vec<_> =
            values.map(|(name, value)| (plain_name(&name), value.trim().to_owned())).collect();
        // A value that is part of a mark would be found in every mark again.
        let in_a_mark = |value: &str| {
            let builtin = PATTERNS.iter().map(|pattern| pattern.name);
            builtin
                .chain(named.iter().map(|(name, _)| name.as_str()))
                .any(|name| super::mark(name).contains(value))
        };
        let (marked, spellings): (Vec<_>, Vec<_>) = named
            .iter()
            .filter(|(_, value)| value.len() >= SHORTEST && !in_a_mark(value))
            .flat_map(|(name, value)| forms(value).into_iter().map(move |form| (name, form)))
            .map(|(name, form)| (name.clone(), form))
            .unzip();
        if marked.is_empty() {
            return None;
        }
        let longest = spellings.iter().map(String::len).max().unwrap_or(0);
        // The longest wins, so that no tail of a longer secret stays behind.
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(spellings).ok()?;
        Some(Self { values: automaton, names: marked, longest })
    }

    pub(super) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Found<'a>> {
        self.values.find_iter(text).map(|found| Found {
            start: found.start(),
            end: found.end(),
            rank: 0,
            name: &self.names[found.pattern().as_usize()],
        })
    }
}

/// The value as it is, inside a JSON string, and inside an address.
fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    let json = serde_json::Value::from(value).to_string();
    let percent = percent_encoded(value);
    for form in [json.trim_matches('"').to_owned(), percent] {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

fn percent_encoded(value: &str) -> String {
    value.bytes().fold(String::with_capacity(value.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

/// A name that cannot break the mark.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
    name.chars().take(64).map(plain).collect()
}
