//! Whether new stands in the file already.

use super::literal::adds_words;
use super::{Climb, TELLING};
use crate::Level;
use crate::view::{Sight, View};

impl Climb<'_> {
    /// Where new stands, if that says that somebody put it there already.
    pub(super) fn already(&self) -> Option<usize> {
        let new_view = View::new(self.new, Sight::Plain, &[]);
        if new_view.len() < TELLING || !self.old_view.find(&new_view.bytes, 1).is_empty() {
            return None;
        }
        let found = self.source.plain().find(&new_view.bytes, 2);
        match found[..] {
            [hit] => Some(self.source.line(self.source.plain().origin(hit))),
            _ => None,
        }
    }

    /// Whether every hit is a part of new, which stands there already.
    pub(super) fn already_around(&self, level: Level, hits: &[usize]) -> Option<usize> {
        let file = self.source.plain();
        let new_view = View::new(self.new, Sight::Plain, &[]);
        let first = self.source.line(file.origin(*hits.first()?));
        if new_view.bytes == self.old_view.bytes {
            let exact =
                level > Level::Exact && level != Level::Crlf && self.source.text.contains(self.new);
            return exact.then_some(first);
        }
        if !adds_words(&self.old_view.bytes, &new_view.bytes) {
            return None;
        }
        let offsets = new_view.find(&self.old_view.bytes, 8);
        let stands = |hit: usize| {
            offsets.iter().any(|offset| {
                hit.checked_sub(*offset)
                    .and_then(|from| file.bytes.get(from..from + new_view.len()))
                    .is_some_and(|bytes| bytes == new_view.bytes)
            })
        };
        hits.iter().all(|hit| stands(*hit)).then_some(first)
    }
}
