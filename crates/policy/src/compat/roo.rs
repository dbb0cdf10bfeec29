//! Roo's lists of allowed and denied command prefixes.
//!
//! A prefix is compared with the words of each simple command, so `git` is not `gitfoo`. The
//! longest prefix wins and a tie denies, as with Roo; what denies is found in any case, while
//! what allows must be written just so.

use dogu_tool::Verdict;

use crate::rule::{Pattern, Rule, Wild, WordPattern};

/// The lists as rules. A prefix that is no single command allows nothing; as a denial it holds
/// for the words before its first operator.
pub fn rules<Text: AsRef<str>>(allow: &[Text], deny: &[Text]) -> Vec<Rule> {
    let allowing = allow.iter().filter_map(|prefix| rule(Verdict::Allow, prefix.as_ref()));
    allowing.chain(deny.iter().filter_map(|prefix| rule(Verdict::Deny, prefix.as_ref()))).collect()
}

/// What Roo does with commands that are in neither list, where there is a list of allowed ones:
/// it asks, about harmless ones too. A rule of its own, for those who want just that: without
/// it, what is safe by itself needs no list.
pub fn otherwise_ask<Text: AsRef<str>>(allow: &[Text]) -> Option<Rule> {
    let everything = allow.iter().any(|prefix| prefix.as_ref().trim() == "*");
    (!allow.is_empty() && !everything)
        .then(|| Rule::new(Verdict::Ask, Pattern::Execute(WordPattern::prefix(Vec::new(), false))))
}

fn rule(verdict: Verdict, prefix: &str) -> Option<Rule> {
    let denies = verdict == Verdict::Deny;
    let prefix = prefix.trim();
    if prefix.is_empty() {
        return None;
    }
    if prefix == "*" {
        return Some(Rule::new(verdict, Pattern::Execute(WordPattern::prefix(Vec::new(), denies))));
    }
    // A `*` inside a prefix is a plain character for Roo.
    let escaped = prefix.replace('*', "\\*");
    let words = match WordPattern::parse(&escaped) {
        Ok(words) => words.words().to_vec(),
        Err(_) if denies => plain_words(prefix),
        Err(_) => return None,
    };
    if words.is_empty() {
        return None;
    }
    Some(Rule::new(verdict, Pattern::Execute(WordPattern::prefix(words, denies))))
}

fn plain_words(prefix: &str) -> Vec<Wild> {
    let end = prefix.find([';', '|', '&', '<', '>', '`', '$', '(', '"', '\'', '\\']);
    let simple = &prefix[..end.unwrap_or(prefix.len())];
    simple.split_whitespace().map(Wild::literal).collect()
}
