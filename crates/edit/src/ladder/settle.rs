//! Whether there are as many places as asked for, and the text that comes of them.

use super::Hits;
use crate::merge::Patch;
use crate::refusal::{self, Refusal};
use crate::spans::Source;
use crate::{Applied, Count, Edit, Level, Outcome};

/// Checks the number of places and writes the new text.
pub(super) fn settle(
    source: &Source<'_>,
    edit: &Edit<'_>,
    old: &str,
    mut hits: Hits,
) -> Result<Outcome, Refusal> {
    let mut by_line_hint = false;
    match edit.count {
        Count::One if hits.places.len() > 1 => {
            let chosen = nearest_to_hint(source, edit, old, &hits);
            let Some(chosen) = chosen else { return Err(refusal::ambiguous(source, edit, &hits)) };
            hits.places = vec![hits.places.swap_remove(chosen)];
            by_line_hint = true;
        }
        Count::Exactly(wanted) if wanted != hits.places.len() => {
            return Err(refusal::wrong_count(source, edit, &hits, wanted));
        }
        Count::All | Count::Exactly(_)
            if hits.places.len() > 1
                && matches!(hits.level, Level::Elision | Level::FuzzyLines) =>
        {
            return Err(refusal::ambiguous(source, edit, &hits));
        }
        _ => {}
    }
    let patches: Vec<&Patch> = hits.places.iter().flat_map(|(_, patches)| patches).collect();
    let text = written(source.text, &patches);
    if text == source.text {
        let line = patches.first().map_or(1, |patch| source.line(patch.range.start));
        return Ok(Outcome::AlreadyApplied { line });
    }
    let spans = patches.iter().map(|patch| patch.range.clone()).collect();
    Ok(Outcome::Applied(Applied {
        text,
        level: hits.level,
        repair: hits.repair,
        spans,
        by_line_hint,
    }))
}

fn written(content: &str, patches: &[&Patch]) -> String {
    let mut text = String::with_capacity(
        content.len() + patches.iter().map(|patch| patch.text.len()).sum::<usize>(),
    );
    let mut done = 0;
    for patch in patches {
        text.push_str(&content[done..patch.range.start.max(done)]);
        text.push_str(&patch.text);
        done = patch.range.end.max(done);
    }
    text.push_str(&content[done..]);
    text
}

/// The place that the line hint means, if it clearly means one.
fn nearest_to_hint(source: &Source<'_>, edit: &Edit<'_>, old: &str, hits: &Hits) -> Option<usize> {
    let hint = edit.line?;
    let height = old.trim().lines().count().max(1);
    let mut by_distance: Vec<(usize, usize)> = hits
        .places
        .iter()
        .enumerate()
        .map(|(index, (start, _))| {
            let line = source.line(*start);
            let within = hint >= line && hint < line + height;
            let distance = if within { (hint - line).min(1) } else { line.abs_diff(hint) + 1 };
            (distance, index)
        })
        .collect();
    by_distance.sort_unstable();
    let (best, index) = *by_distance.first()?;
    if hits.places[index].1.is_empty() {
        // It means a place where the change cannot be made.
        return None;
    }
    match by_distance.get(1) {
        // A hint that is off by some lines still decides, if the other place is far.
        Some((second, _)) if best <= 1 && *second > best || best <= 20 && *second > best * 3 => {
            Some(index)
        }
        None => Some(index),
        _ => None,
    }
}
