//! The longest common subsequence, for texts as short as those that models send.

/// Tables beyond this many cells are not made; what is left counts as changed.
const MOST_CELLS: usize = 4_000_000;

/// Pairs of equal items in both sequences, in order.
pub(crate) fn pairs<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a_rest, b_rest) = (&a[head..], &b[head..]);
    let tail = a_rest.iter().rev().zip(b_rest.iter().rev()).take_while(|(x, y)| x == y).count();
    let mut out: Vec<(usize, usize)> = (0..head).map(|index| (index, index)).collect();
    let (a_mid, b_mid) = (&a_rest[..a_rest.len() - tail], &b_rest[..b_rest.len() - tail]);
    out.extend(middle(a_mid, b_mid).into_iter().map(|(x, y)| (x + head, y + head)));
    out.extend((0..tail).rev().map(|back| (a.len() - 1 - back, b.len() - 1 - back)));
    out
}

fn middle<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    if a.is_empty() || b.is_empty() || a.len().saturating_mul(b.len()) > MOST_CELLS {
        return Vec::new();
    }
    let width = b.len() + 1;
    let mut best = vec![0_u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i * width + j] = if a[i] == b[j] {
                best[(i + 1) * width + j + 1].saturating_add(1)
            } else {
                best[(i + 1) * width + j].max(best[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// Pairs in order whose scores have the largest sum; a score of 0 is no pair. Nothing where the
/// table would be too large.
pub(crate) fn weighted(
    rows: usize,
    columns: usize,
    score: impl Fn(usize, usize) -> u32,
) -> Option<Vec<(usize, usize)>> {
    if rows.saturating_mul(columns) > MOST_CELLS {
        return None;
    }
    let width = columns + 1;
    let mut best = vec![0_u32; (rows + 1) * width];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let paired = match score(i, j) {
                0 => 0,
                score => best[(i + 1) * width + j + 1] + score,
            };
            best[i * width + j] =
                paired.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < rows && j < columns {
        let (here, score) = (best[i * width + j], score(i, j));
        if score > 0 && here == best[(i + 1) * width + j + 1] + score {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_items_in_order() {
        assert_eq!(pairs(b"abcd", b"axcd"), [(0, 0), (2, 2), (3, 3)]);
        assert_eq!(pairs(b"abc", b"bc"), [(1, 0), (2, 1)]);
        assert_eq!(pairs(b"", b"x"), []);
        assert_eq!(pairs(b"xay", b"yax").len(), 1);
    }

    #[test]
    fn heavier_pairs_win() {
        let score = |i: usize, j: usize| [[1, 3], [0, 1]][i][j];
        assert_eq!(weighted(2, 2, score).unwrap(), [(0, 1)]);
        assert_eq!(weighted(2, 2, |i, j| u32::from(i == j)).unwrap(), [(0, 0), (1, 1)]);
        assert!(weighted(usize::MAX, 2, |_, _| 0).is_none());
    }
}
