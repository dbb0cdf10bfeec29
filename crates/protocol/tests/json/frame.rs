//! `JsonFramer`: where a value ends, against serde's own streaming reader.

use dogu_protocol::json::JsonFramer;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Deserializer, Value};

use crate::values::{any_value, junk, pieces, written};

/// Where serde says that the values end.
fn ends_by_serde(text: &str) -> Vec<usize> {
    let mut stream = Deserializer::from_str(text).into_iter::<Value>();
    let mut ends = Vec::new();
    while let Some(value) = stream.next() {
        value.unwrap();
        ends.push(stream.byte_offset());
    }
    ends
}

/// Where the framer says so, with the text in pieces.
fn ends_by_framer(pieces: &[&str]) -> Vec<usize> {
    let (mut framer, mut ends, mut read) = (JsonFramer::new(), Vec::new(), 0);
    for piece in pieces {
        let mut rest = *piece;
        while let Some(end) = framer.push(rest) {
            read += end;
            ends.push(read);
            rest = &rest[end..];
            framer.reset();
        }
        read += rest.len();
    }
    if framer.is_open() {
        ends.push(read);
    }
    ends
}

proptest! {
    #[test]
    fn values_end_where_serde_says(
        values in prop::collection::vec((any_value(), any::<u8>()), 0..5),
        blanks in "[ \n\t]{1,3}",
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let texts: Vec<_> = values.iter().map(|(value, way)| written(value, *way)).collect();
        let text = texts.join(&blanks);
        prop_assert_eq!(ends_by_framer(&pieces(&text, &cuts)), ends_by_serde(&text));
    }

    #[test]
    fn containers_need_nothing_between_them(
        values in prop::collection::vec(any_value(), 0..5),
        cuts in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let text: String = values.iter().map(|value| format!("[{value}]")).collect();
        prop_assert_eq!(ends_by_framer(&pieces(&text, &cuts)), ends_by_serde(&text));
    }

    #[test]
    fn junk_ends_at_a_character_and_the_same_however_it_came(text in junk(), cut in any::<Index>()) {
        let parts = pieces(&text, &[cut]);
        let mut framer = JsonFramer::new();
        let whole = framer.push(&text);
        prop_assert!(whole.is_none_or(|end| text.is_char_boundary(end)));
        framer.reset();
        let first = framer.push(parts[0]);
        let in_two = first.or_else(|| framer.push(parts[1]).map(|end| end + parts[0].len()));
        prop_assert_eq!(whole, in_two);
    }
}
