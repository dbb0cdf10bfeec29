//! Windows of the file with nearly the lines of old.

use std::collections::HashMap;
use std::ops::Range;

use crate::ladder::next_char;
use crate::view::View;

/// Places that are looked at closely; a block whose every line is this common is no anchor.
const MOST_WINDOWS: usize = 20_000;
const LEAST_EQUAL: usize = 20;

/// The lines of a view.
pub(super) struct Lines<'v> {
    pub(super) view: &'v View,
    pub(super) ranges: Vec<Range<usize>>,
}

impl<'v> Lines<'v> {
    pub(super) fn new(view: &'v View) -> Self {
        let mut ranges = Vec::new();
        let mut from = 0;
        for at in memchr::memchr_iter(b'\n', &view.bytes) {
            ranges.push(from..at);
            from = at + 1;
        }
        if from < view.len() {
            ranges.push(from..view.len());
        }
        Self { view, ranges }
    }

    pub(super) fn get(&self, index: usize) -> &'v [u8] {
        &self.view.bytes[self.ranges[index].clone()]
    }

    /// The bytes of the original text of a line, without the space around.
    pub(super) fn origin(&self, index: usize, text: &str) -> Range<usize> {
        let range = &self.ranges[index];
        let last = self.view.origin(range.end - 1);
        self.view.origin(range.start)..last + next_char(text, last).map_or(0, char::len_utf8)
    }
}

/// A place that nearly is old.
pub(super) struct Window {
    pub(super) start: usize,
    pub(super) different: Vec<usize>,
}

/// How many lines may differ at all.
fn most_different(count: usize) -> usize {
    (count * 2 / 5).max(1)
}

/// The windows of the file with enough equal lines. In each of them one of the rarest lines of
/// old must stand, so only the places of those are looked at.
pub(super) fn windows(old: &Lines<'_>, file: &Lines<'_>) -> Vec<Window> {
    let count = old.ranges.len();
    if file.ranges.len() < count {
        return Vec::new();
    }
    let mut stands: HashMap<&[u8], Vec<usize>> =
        (0..count).map(|index| (old.get(index), Vec::new())).collect();
    for index in 0..file.ranges.len() {
        if let Some(found) = stands.get_mut(file.get(index)) {
            found.push(index);
        }
    }
    let allowed = most_different(count);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|index| stands[old.get(*index)].len());
    let mut starts: Vec<usize> = Vec::new();
    for index in order.into_iter().take(allowed + 1) {
        let found = stands[old.get(index)].iter();
        starts.extend(found.filter_map(|at| at.checked_sub(index)).take(MOST_WINDOWS + 1));
        if starts.len() > MOST_WINDOWS {
            return Vec::new();
        }
    }
    starts.sort_unstable();
    starts.dedup();
    starts.retain(|start| start + count <= file.ranges.len());
    starts.into_iter().filter_map(|start| window(old, file, start, allowed)).collect()
}

fn window(old: &Lines<'_>, file: &Lines<'_>, start: usize, allowed: usize) -> Option<Window> {
    let count = old.ranges.len();
    let mut different = Vec::new();
    let mut equal = 0;
    for index in 0..count {
        if old.get(index) == file.get(start + index) {
            equal += old.get(index).len();
        } else {
            different.push(index);
            if different.len() > allowed {
                return None;
            }
        }
    }
    let anchored = !different.contains(&0) || !different.contains(&(count - 1));
    (anchored && equal >= LEAST_EQUAL && !different.is_empty())
        .then_some(Window { start, different })
}
