//! Where each token of old stands in the file.

use std::ops::Range;

use crate::merge::Place;
use crate::tokens::Tokens;
use crate::view::View;

/// Where each token of old stands, given that its view begins at byte `hit` of the file's.
pub(crate) fn aligned(
    old: &Tokens<'_>,
    old_view: &View,
    text: &str,
    file: &View,
    hit: usize,
) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(old.len());
    let mut index = 0;
    for range in &old.ranges {
        while index < old_view.len()
            && (old_view.origin(index) < range.start || old_view.bytes[index] == b'\n')
        {
            index += 1;
        }
        let first = index;
        while index < old_view.len()
            && old_view.origin(index) < range.end
            && old_view.bytes[index] != b'\n'
        {
            index += 1;
        }
        if first == index {
            places.push(Place::Gone);
            continue;
        }
        let last = file.origin(hit + index - 1);
        let end = last + next_char(text, last).map_or(0, char::len_utf8);
        let start = file.origin(hit + first);
        // Several tokens can be one character of the file, such as an ellipsis.
        let shared =
            places.iter().rev().find_map(Place::range).is_some_and(|range| start < range.end);
        places.push(if shared { Place::Gone } else { Place::Same(start..end) });
    }
    find_unseen(old, text, &mut places);
    places
}

/// Finds what the view does not show, such as a comma, in the gap where it should be.
pub(crate) fn find_unseen(old: &Tokens<'_>, text: &str, places: &mut [Place]) {
    let mut from = 0;
    while from < places.len() {
        if places[from] != Place::Gone {
            from += 1;
            continue;
        }
        let gone = places[from..].iter().take_while(|place| **place == Place::Gone).count();
        find_run(old, text, places, from..from + gone);
        from += gone;
    }
}

/// Finds unseen tokens one after another in the gap where they should be: from its start, as far
/// as it goes, or else from its end, where the mark that begins a line stands.
fn find_run(old: &Tokens<'_>, text: &str, places: &mut [Place], run: Range<usize>) {
    let before = match run.start.checked_sub(1).map(|index| &places[index]) {
        None => None,
        Some(Place::Same(range)) => Some(range.end),
        Some(_) => return,
    };
    let after = match places.get(run.end) {
        None => None,
        Some(Place::Same(range)) => Some(range.start),
        Some(_) => return,
    };
    let Some(gap) = text.get(before.unwrap_or(0)..after.unwrap_or(text.len())) else { return };
    let from = text.len() - text[before.unwrap_or(0)..].len();
    if before.is_some() {
        let mut at = 0;
        for index in run.clone() {
            let rest = gap[at..].trim_start();
            if !rest.starts_with(old.get(index)) {
                break;
            }
            let start = gap.len() - rest.len();
            at = start + old.get(index).len();
            places[index] = Place::Same(from + start..from + at);
        }
        if places[run.start] != Place::Gone {
            return;
        }
    }
    let mut at = if after.is_some() { gap.len() } else { 0 };
    for index in run.rev() {
        let rest = gap[..at].trim_end();
        if !rest.ends_with(old.get(index)) {
            break;
        }
        at = rest.len() - old.get(index).len();
        places[index] = Place::Same(from + at..from + rest.len());
    }
}

pub(crate) fn next_char(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}
