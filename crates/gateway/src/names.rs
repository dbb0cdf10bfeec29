//! What tools of other servers are called here: `server__tool`, and back.

use std::collections::BTreeMap;

use dogu_tool::{MAX_NAME_LEN, NAME_SEPARATOR, ToolName};

/// How many hexadecimal digits of a hash make a name that could not stay as it was.
const HASH_DIGITS: usize = 8;
/// The same where even those are taken.
const LONG_HASH_DIGITS: usize = 16;
/// How much of a name the server's part may take where not all of both fits.
const MAX_SERVER_PART: usize = 24;

/// The names of one server's tools. Each goes in once and comes back as it was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// What a tool is called here → which one of the server's list it is.
    given: BTreeMap<ToolName, usize>,
}

impl Names {
    /// Names all tools of a list, in its order. `taken` are names of others.
    pub(crate) fn of<'a>(
        server: &str,
        tools: impl IntoIterator<Item = &'a str>,
        taken: impl Fn(&ToolName) -> bool,
    ) -> Self {
        let tools: Vec<&str> = tools.into_iter().collect();
        let mut names = Self::default();
        // Whoever has a plain name keeps it, whatever the order.
        let plain = |tool: &str| ToolName::declared(server, tool).ok();
        for (at, tool) in tools.iter().enumerate() {
            if let Some(name) = plain(tool).filter(|name| names.is_free(name, &taken)) {
                names.given.insert(name, at);
            }
        }
        for (at, tool) in tools.iter().enumerate() {
            let has_one = names.given.values().any(|given| *given == at);
            if !has_one && let Some(name) = names.hashed(server, tool, at, &taken) {
                names.given.insert(name, at);
            }
        }
        names
    }

    /// The tools by what they are called here.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&ToolName, usize)> {
        self.given.iter().map(|(name, at)| (name, *at))
    }

    fn is_free(&self, name: &ToolName, taken: &impl Fn(&ToolName) -> bool) -> bool {
        !self.given.contains_key(name) && !taken(name)
    }

    /// A name with a hash of what the tool is really called. The second of two with one name has
    /// its number in the hash.
    fn hashed(
        &self,
        server: &str,
        tool: &str,
        at: usize,
        taken: &impl Fn(&ToolName) -> bool,
    ) -> Option<ToolName> {
        let alone = hash(server, tool, None);
        let numbered = hash(server, tool, Some(at));
        let candidates = [
            (&alone, HASH_DIGITS),
            (&alone, LONG_HASH_DIGITS),
            (&numbered, HASH_DIGITS),
            (&numbered, LONG_HASH_DIGITS),
        ];
        let named = candidates.map(|(hash, digits)| joined(server, tool, &hash[..digits]));
        named.into_iter().flatten().find(|name| self.is_free(name, taken))
    }
}

fn hash(server: &str, tool: &str, number: Option<usize>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [server, tool] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    if let Some(number) = number {
        hasher.update(&(number as u64).to_le_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn joined(server: &str, tool: &str, hash: &str) -> Option<ToolName> {
    let room = MAX_NAME_LEN - NAME_SEPARATOR.len() - 1 - hash.len();
    let (mut server, mut tool) = (plain(server, "server"), plain(tool, "tool"));
    if server.len() + tool.len() > room {
        server.truncate(MAX_SERVER_PART.max(room.saturating_sub(tool.len())));
        let server_part = server.trim_end_matches('_').len();
        server.truncate(server_part);
        tool.truncate(room - server.len());
    }
    let tool = tool.trim_end_matches('_');
    ToolName::declared(&server, &format!("{tool}_{hash}")).ok()
}

/// Only what a name may have, without `__` and without `_` at its ends.
fn plain(text: &str, otherwise: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '-' {
            plain.push(c);
        } else if !plain.is_empty() && !plain.ends_with('_') {
            plain.push('_');
        }
    }
    let plain = plain.trim_end_matches('_');
    if plain.is_empty() { otherwise.to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(server: &str, tools: &[&str]) -> Vec<String> {
        let names = Names::of(server, tools.iter().copied(), |_| false);
        let mut found: Vec<(usize, String)> =
            names.iter().map(|(name, at)| (at, name.to_string())).collect();
        found.sort();
        found.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn m6_plain_names_stay_and_others_get_a_hash() {
        assert_eq!(
            named("github", &["get_issue", "list-prs"]),
            ["github__get_issue", "github__list-prs"]
        );
        let odd = named("my server", &["get.issue"]);
        assert_eq!(odd.len(), 1);
        assert!(odd[0].starts_with("my_server__get_issue_"), "{odd:?}");
        assert_eq!(odd, named("my server", &["get.issue"]), "the same every time");
        let double = named("s", &["a__b"]);
        assert!(double[0].starts_with("s__a_b_"), "{double:?}");
        let emoji = named("🛠️", &["🔨", "도구"]);
        assert!(emoji.iter().all(|name| name.starts_with("server__tool_")), "{emoji:?}");
        assert_ne!(emoji[0], emoji[1]);
    }

    #[test]
    fn m6_long_names_fit_and_differ() {
        let long = "x".repeat(100);
        let longer = "x".repeat(101);
        let names = named(&"s".repeat(80), &[&long, &longer]);
        assert_ne!(names[0], names[1]);
        assert!(names.iter().all(|name| name.len() <= MAX_NAME_LEN), "{names:?}");
    }

    #[test]
    fn m6_no_tool_is_lost_to_another_of_its_name() {
        // `a.b` and `a_b` look alike once they are plain; the last two are the same.
        let names = named("s", &["a.b", "a_b", "a b", "same", "same"]);
        assert_eq!(names.len(), 5);
        assert_eq!(names[1], "s__a_b");
        assert_eq!(names[3], "s__same");
        assert!(names[4].starts_with("s__same_"));
        let taken = Names::of("s", ["x"], |name| name.as_str() == "s__x");
        assert!(taken.iter().next().unwrap().0.as_str().starts_with("s__x_"));
    }

    proptest! {
        #[test]
        fn m6_every_tool_has_a_name_of_its_own(
            server in ".{1,70}", tools in prop::collection::vec("[a-z_.é]{0,70}", 0..12)
        ) {
            let names = Names::of(&server, tools.iter().map(String::as_str), |_| false);
            let mut found: Vec<usize> = names.iter().map(|(_, at)| at).collect();
            found.sort_unstable();
            prop_assert_eq!(found, (0..tools.len()).collect::<Vec<_>>());
            for (name, _) in names.iter() {
                prop_assert!(name.split().is_some());
            }
        }
    }
}
