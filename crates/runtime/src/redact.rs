//! Redaction: secrets are taken out of what the model sees and of what is written down.
//!
//! Redact **before** cutting. A secret that was cut in half has no form any more and would
//! pass; the one exception is a private key block, which is redacted without its end too.
//!
//! How a text is looked at: one pass for the literals without which no pattern can match. A text without any of them, or without a match, is returned as it is.
//! Otherwise the expressions of the literals that were seen run, each in linear time, their
//! findings are merged, and every finding becomes a mark such as `⟦redacted github-token⟧`.
//!
//! ```
//! use dogu_runtime::redact::{Level, Redactor};
//!
//! let redactor = Redactor::with_known([("DEPLOY_KEY", "correct horse")]);
//! let text = redactor.redact("it is correct horse", Level::Result);
//! assert_eq!(text, "it is ⟦redacted DEPLOY_KEY⟧");
//! ```

mod known;
mod names;
mod near;
mod patterns;
mod triggers;
mod value;

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use regex::Regex;

pub use known::known_from_env;
use near::Near;
pub use patterns::{PATTERNS, Pattern};
use triggers::Triggers;

/// How every mark begins.
pub const MARK_PREFIX: &str = dogu_tool::text::REDACTION_MARK;
/// How every mark ends.
pub const MARK_SUFFIX: &str = "⟧";

/// A replacement can give what follows it a new beginning, so a changed text is looked at
/// again. More rounds than this happen to no text that was not made for it.
const MAX_ROUNDS: usize = 8;

/// In a shorter text, to look for where triggers can be costs more than it saves.
const LONG: usize = 256;

/// How much is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For what the model sees: known values and forms that are certain, because a guess
    /// would corrupt the source code that it is working on.
    Result,
    /// For what is written down: also what merely looks like a secret, such as `password=…`.
    Record,
}

/// Replaces secrets by marks. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    known: Option<Arc<known::Known>>,
}

/// A part of a text that is to be replaced.
#[derive(Clone, Copy)]
struct Found<'a> {
    start: usize,
    end: usize,
    /// Where two overlap, the lower rank names the mark.
    rank: usize,
    name: &'a str,
}

impl Redactor {
    /// Knows the forms in [`PATTERNS`] and no values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Also knows these values, each with the name that its mark shows. Values of fewer than
    /// eight bytes are ignored: they would be found in ordinary words.
    pub fn with_known<N, S>(values: impl IntoIterator<Item = (N, S)>) -> Self
    where
        N: Into<String>,
        S: Into<String>,
    {
        let values = values.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self { known: known::Known::new(values).map(Arc::new) }
    }

    /// How many bytes the longest value has that it knows: whoever looks at a part of a text must
    /// not cut one of them in two.
    pub(crate) fn longest_known(&self) -> usize {
        self.known.as_ref().map_or(0, |known| known.longest)
    }

    /// The text without its secrets; borrowed if there were none.
    pub fn redact<'t>(&self, text: &'t str, level: Level) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..MAX_ROUNDS {
            match self.round(&text, level) {
                Some(changed) => text = Cow::Owned(changed),
                None => break,
            }
        }
        text
    }

    fn round(&self, text: &str, level: Level) -> Option<String> {
        let mut found: Vec<Found> = Vec::new();
        if let Some(known) = &self.known {
            found.extend(known.find(text));
        }
        let seen = MATCHERS.seen(text, level);
        if seen != 0 {
            let seen = MATCHERS.list.iter().filter(|matcher| seen & matcher.bit() != 0);
            seen.for_each(|matcher| matcher.find(text, &mut found));
        }
        (!found.is_empty()).then(|| replace(text, found))
    }
}

/// The mark for a name.
fn mark(name: &str) -> String {
    format!("{MARK_PREFIX}{name}{MARK_SUFFIX}")
}

fn replace(text: &str, mut found: Vec<Found<'_>>) -> String {
    found.sort_by_key(|found| (found.start, found.end));
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for part in merge(&found) {
        out.push_str(&text[copied..part.start]);
        out.push_str(MARK_PREFIX);
        out.push_str(part.name);
        out.push_str(MARK_SUFFIX);
        copied = part.end;
    }
    out.push_str(&text[copied..]);
    out
}

/// Joins what overlaps in a list that is sorted by its starts.
fn merge<'a>(sorted: &[Found<'a>]) -> Vec<Found<'a>> {
    let mut merged: Vec<Found<'a>> = Vec::with_capacity(sorted.len());
    for next in sorted {
        match merged.last_mut() {
            Some(last) if next.start < last.end => {
                last.end = last.end.max(next.end);
                if next.rank < last.rank {
                    (last.rank, last.name) = (next.rank, next.name);
                }
            }
            _ => merged.push(*next),
        }
    }
    merged
}

/// The patterns, ready to run. Shared by the process: they are the same for every redactor.
static MATCHERS: LazyLock<Matchers> = LazyLock::new(Matchers::new);

/// Says where triggers of the certain patterns can be; none where that is no gain. Made with the
/// first long text, as most processes make one call.
static NEAR_CERTAIN: LazyLock<Option<Near>> = LazyLock::new(|| near(Level::Result));
/// Says where those of all patterns can be.
static NEAR: LazyLock<Option<Near>> = LazyLock::new(|| near(Level::Record));

fn near(level: Level) -> Option<Near> {
    let patterns = PATTERNS.iter().filter(|pattern| pattern.level <= level);
    Near::new(patterns.flat_map(|pattern| pattern.triggers).copied())
}

struct Matchers {
    /// Finds triggers, each with the bits of the patterns that it can start; none if it could not
    /// be built, and then every expression runs.
    triggers: Option<Triggers>,
    /// The bits of the certain patterns.
    certain: u128,
    list: Vec<Matcher>,
}

struct Matcher {
    index: usize,
    pattern: &'static Pattern,
    /// Compiled when its trigger is first seen: most are never needed.
    regex: LazyLock<Option<Regex>, Box<dyn Fn() -> Option<Regex> + Send + Sync>>,
}

impl Matchers {
    fn new() -> Self {
        let mut words: Vec<&str> = Vec::new();
        let mut starts: Vec<u128> = Vec::new();
        for (index, pattern) in PATTERNS.iter().enumerate() {
            for trigger in pattern.triggers {
                let at = words.iter().position(|word| word == trigger).unwrap_or_else(|| {
                    words.push(trigger);
                    starts.push(0);
                    words.len() - 1
                });
                starts[at] |= 1 << index;
            }
        }
        let triggers = Triggers::new(&words, &starts);
        let list: Vec<_> =
            PATTERNS.iter().enumerate().map(|(i, pattern)| Matcher::new(i, pattern)).collect();
        let certain = list.iter().filter(|matcher| matcher.pattern.level == Level::Result);
        let certain = certain.fold(0, |bits, matcher| bits | matcher.bit());
        Self { triggers, certain, list }
    }

    /// The bits of the patterns of this level that may match.
    fn seen(&self, text: &str, level: Level) -> u128 {
        let (wanted, near) = match level {
            Level::Result => (self.certain, &NEAR_CERTAIN),
            Level::Record => (u128::MAX, &NEAR),
        };
        let Some(triggers) = &self.triggers else { return wanted };
        let near = if text.len() < LONG { None } else { near.as_ref() };
        let seen = match near {
            Some(near) => triggers.seen_near(near, text.as_bytes()),
            None => triggers.seen(text.as_bytes()),
        };
        seen & wanted
    }
}

impl Matcher {
    fn new(index: usize, pattern: &'static Pattern) -> Self {
        let compile = move || Regex::new(pattern.regex).ok();
        Self { index, pattern, regex: LazyLock::new(Box::new(compile)) }
    }

    fn bit(&self) -> u128 {
        1 << self.index
    }

    fn find<'t>(&self, text: &'t str, found: &mut Vec<Found<'t>>) {
        let Some(regex) = &*self.regex else { return };
        // Known values have rank 0.
        let (rank, name) = (self.index + 1, self.pattern.name);
        if regex.captures_len() == 1 {
            let parts = regex.find_iter(text).map(|m| (m.start(), m.end()));
            found.extend(parts.map(|(start, end)| Found { start, end, rank, name }));
            return;
        }
        for captures in regex.captures_iter(text) {
            if let Some(part) = captures.iter().skip(1).flatten().next() {
                found.push(Found { start: part.start(), end: part.end(), rank, name });
            }
        }
    }
}

#[cfg(test)]
mod tests;
