//! The text of the file that looks most like what was not found.

use std::collections::HashMap;

use crate::refusal::cut;
use crate::spans::Source;

/// Words of old that are looked for.
const MOST_WORDS: usize = 400;
/// Lines that are shown.
const SHOWN: usize = 6;
/// Characters of a line that are shown.
const WIDE: usize = 90;

/// A place and how it differs.
pub(crate) struct Nearest {
    pub(crate) line: usize,
    pub(crate) shown: String,
    pub(crate) difference: Option<String>,
}

/// Counts, line by line, the words that old has too, and takes the best stretch.
pub(crate) fn nearest(source: &Source<'_>, old: &str) -> Option<Nearest> {
    let old_lines: Vec<&str> = old.lines().filter(|line| !line.trim().is_empty()).collect();
    let known: HashMap<&str, u32> = old_lines
        .iter()
        .flat_map(|line| words(line))
        .take(MOST_WORDS)
        .map(|word| (word, weight(word)))
        .collect();
    let height = old_lines.len().min(source.line_count()).max(1);
    let scores: Vec<u32> = source.text.split('\n').map(|line| score(line, &known)).collect();
    let mut sum: u64 = scores.iter().take(height).map(|score| u64::from(*score)).sum();
    let mut best = (sum, 0);
    for end in height..scores.len() {
        sum = sum + u64::from(scores[end]) - u64::from(scores[end - height]);
        if sum > best.0 {
            best = (sum, end + 1 - height);
        }
    }
    let enough = known.values().map(|weight| u64::from(*weight)).sum::<u64>() / 3;
    if best.0 == 0 || best.0 < enough.min(12) {
        return None;
    }
    let skipped = scores[best.1..].iter().take(height).take_while(|score| **score == 0).count();
    let line = best.1 + skipped + 1;
    let shown: Vec<String> = (line..=source.line_count())
        .take(height.min(SHOWN))
        .map(|number| format!("{number}| {}", cut(source.line_text(number), WIDE)))
        .collect();
    Some(Nearest {
        line,
        shown: shown.join("\n"),
        difference: difference(source, &old_lines, line, height),
    })
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 1)
}

fn weight(word: &str) -> u32 {
    u32::try_from(word.len().min(12)).unwrap_or(12)
}

fn score(line: &str, known: &HashMap<&str, u32>) -> u32 {
    const MOST_PER_LINE: usize = 40;
    words(line).take(MOST_PER_LINE).filter_map(|word| known.get(word)).sum()
}

/// The first line of old that is not where it should be.
fn difference(
    source: &Source<'_>,
    old_lines: &[&str],
    line: usize,
    height: usize,
) -> Option<String> {
    let there: Vec<&str> = (line..line + height + 3)
        .map(|number| source.line_text(number).trim())
        .filter(|text| !text.is_empty())
        .collect();
    let (index, theirs) =
        old_lines.iter().enumerate().find(|(_, theirs)| !there.contains(&theirs.trim()))?;
    let ours = there.get(index).copied().unwrap_or("nothing");
    Some(format!(
        "Old has {:?} where the file has {:?}.",
        cut(theirs.trim(), WIDE),
        cut(ours, WIDE)
    ))
}
