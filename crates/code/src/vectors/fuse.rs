//! One ranking of several.

use std::collections::HashMap;
use std::hash::Hash;

/// How little the first places differ: with a small number the first of one ranking beats what is
/// good in all of them.
const EVENNESS: f32 = 60.0;

/// What is far in front in some of the rankings comes first, with its score: reciprocal rank
/// fusion, which needs no scores that can be compared.
pub fn fuse<T: Copy + Eq + Hash + Ord>(rankings: &[&[T]]) -> Vec<(T, f32)> {
    let mut scores: HashMap<T, f32> = HashMap::new();
    for ranking in rankings {
        let mut place = EVENNESS;
        for one in *ranking {
            place += 1.0;
            *scores.entry(*one).or_default() += 1.0 / place;
        }
    }
    let mut fused: Vec<(T, f32)> = scores.into_iter().collect();
    fused.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_rank_comes_before_what_one_ranks() {
        let fused = fuse(&[&['a', 'b', 'c'], &['d', 'b', 'e']]);
        let order: String = fused.iter().map(|(one, _)| *one).collect();
        assert_eq!(order, "badce");
    }

    #[test]
    fn one_ranking_stays_as_it_is() {
        let order: Vec<i32> = fuse(&[&[3, 1, 2], &[]]).iter().map(|(one, _)| *one).collect();
        assert_eq!(order, [3, 1, 2]);
    }
}
