//! The words of old and those of a region of the file, paired in order.

use std::ops::Range;

/// Tables beyond this many cells are not made.
const MOST_CELLS: usize = 600_000;
/// What a pair counts, a letter of it, and that it goes on from the pair before.
const PAIR: i32 = 32;
const LETTER: i32 = 16;
const RUN: i32 = 48;
/// Longer words do not count for more.
const MOST_LETTERS: usize = 8;

/// Words of old and the words of the file that stand for them; one of both may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) old: Range<usize>,
    pub(super) file: Range<usize>,
}

/// Pairs of equal words whose count is the largest; nothing where the table would be too large.
pub(super) fn pairs(
    old: &[u64],
    file: &[u64],
    letters: impl Fn(usize) -> usize,
) -> Option<Vec<(usize, usize)>> {
    let (rows, columns) = (old.len(), file.len());
    if rows.saturating_mul(columns) > MOST_CELLS {
        return None;
    }
    let width = columns + 1;
    let mut best = vec![0_i32; (rows + 1) * width];
    let mut paired = vec![0_i32; (rows + 1) * width];
    for i in (0..rows).rev() {
        let short = i32::try_from(letters(i).min(MOST_LETTERS)).unwrap_or(0);
        for j in (0..columns).rev() {
            let (next, here) = ((i + 1) * width + j + 1, i * width + j);
            if old[i] == file[j] {
                let rest = best[next].max(if paired[next] > 0 { paired[next] + RUN } else { 0 });
                paired[here] = PAIR + LETTER * short + rest;
            }
            // Words of the file between those of old count a little, so that old stays together.
            let past = best[here + 1] - i32::from(i > 0);
            best[here] = paired[here].max(best[here + width]).max(past).max(0);
        }
    }
    Some(walk(&best, &paired, rows, columns))
}

fn walk(best: &[i32], paired: &[i32], rows: usize, columns: usize) -> Vec<(usize, usize)> {
    let width = columns + 1;
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    let mut wanted = None;
    while i < rows && j < columns && (wanted.is_some() || best[i * width + j] > 0) {
        let here = i * width + j;
        let score = wanted.take().unwrap_or(best[here]);
        if paired[here] == score {
            out.push((i, j));
            let next = here + width + 1;
            if paired[next] > 0 && paired[next] + RUN > best[next] {
                wanted = Some(paired[next]);
            }
            (i, j) = (i + 1, j + 1);
        } else if best[here + width] == score {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// What is between the pairs, and before the first and after the last of old.
pub(super) fn stretches(pairs: &[(usize, usize)], old_len: usize) -> Vec<Stretch> {
    let mut out = Vec::new();
    let Some((first, last)) = pairs.first().zip(pairs.last()) else { return out };
    let mut done = (0, first.1);
    for (i, j) in pairs.iter().copied().chain([(old_len, last.1 + 1)]) {
        if done.0 < i || done.1 < j {
            out.push(Stretch { old: done.0..i, file: done.1..j });
        }
        done = (i + 1, j + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(old: &[u64], file: &[u64]) -> Vec<(usize, usize)> {
        pairs(old, file, |_| 4).unwrap()
    }

    #[test]
    fn runs_win_over_single_words() {
        assert_eq!(paired(&[1, 2, 3], &[1, 9, 1, 2, 3]), [(0, 2), (1, 3), (2, 4)]);
        assert_eq!(paired(&[1, 2, 3], &[1, 5, 3, 9, 3]), [(0, 0), (2, 2)]);
        assert_eq!(paired(&[1], &[2]), []);
        assert!(pairs(&[1; 1_000], &[1; 1_000], |_| 1).is_none());
    }

    #[test]
    fn what_is_between_pairs() {
        let found = stretches(&[(1, 4), (2, 7)], 4);
        let stretch = |old, file| Stretch { old, file };
        assert_eq!(found, [stretch(0..1, 4..4), stretch(2..2, 5..7), stretch(3..4, 8..8)]);
    }
}
