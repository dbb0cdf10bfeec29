//! YAML of files that nobody may have looked at yet.

use serde::Deserialize;
use serde_saphyr::{Error, Options};

/// How much of a document aliases may repeat. The parser's own limit is a million pieces, which
/// takes a small file a second.
const MAX_REPEATED: usize = 10_000;

/// One document.
pub(crate) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Error> {
    serde_saphyr::from_str_with_options(text, options())
}

/// All documents of a text.
pub(crate) fn parse_all<'a, T: Deserialize<'a>>(text: &'a str) -> Result<Vec<T>, Error> {
    serde_saphyr::from_multiple_with_options(text, options())
}

fn options() -> Options {
    serde_saphyr::options! {
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_REPEATED,
        },
    }
}
