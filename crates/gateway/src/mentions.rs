//! Descriptions that speak of tools of others: a server that tells a model how to use another
//! server's tools wants something that it should not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{PoisonError, RwLock};

/// Names shorter than this are words of every language.
const MIN_LENGTH: usize = 6;
/// How many are named.
const MAX_NAMED: usize = 3;

/// All names that a description should not speak of, by whose they are.
#[derive(Debug, Default)]
pub(crate) struct Mentions(RwLock<BTreeMap<String, BTreeSet<String>>>);

impl Mentions {
    /// Sets the names of an owner: a server, or an empty text for dogu itself.
    pub(crate) fn set(&self, owner: &str, names: impl IntoIterator<Item = String>) {
        // A single plain word says nothing: `search` is in every second description.
        let telling = |name: &String| {
            name.len() >= MIN_LENGTH && name.contains(|c: char| !c.is_ascii_lowercase())
        };
        let names = names.into_iter().filter(telling).collect();
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(owner.to_owned(), names);
    }

    /// The names of others in a description, a few of them.
    pub(crate) fn others_in(&self, description: &str, owner: &str) -> Vec<String> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let own = all.get(owner);
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
        let words: BTreeSet<&str> = description
            .split(|c| !is_part(c))
            .map(|word| word.trim_matches(['.', '-', '/']))
            .collect();
        let mut found = BTreeSet::new();
        for (other, names) in all.iter().filter(|(other, _)| *other != owner) {
            for word in words.iter().filter(|word| names.contains(**word)) {
                if own.is_none_or(|own| !own.contains(*word)) {
                    found.insert(match other.as_str() {
                        "" => format!("`{word}` of dogu"),
                        other => format!("`{word}` of the server {other}"),
                    });
                }
            }
        }
        found.into_iter().take(MAX_NAMED).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_others_are_found() {
        let mentions = Mentions::default();
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        mentions.set("", names(&["read_file", "grep"]));
        mentions.set("mail", names(&["send_mail", "search", "mail__send_mail"]));
        mentions.set("own", names(&["own_tool", "send_mail2"]));
        let found = |text: &str| mentions.others_in(text, "own");
        assert_eq!(found("Use own_tool, then search."), [""; 0]);
        assert_eq!(found("Before this, call send_mail."), ["`send_mail` of the server mail"]);
        assert_eq!(found("First (read_file) then mail__send_mail!").len(), 2);
        assert_eq!(found("send_mail2 and xsend_mail"), [""; 0]);
    }
}
