//! Where most of old's words stand, in order, whatever is between them.

use std::collections::HashMap;
use std::ops::Range;

/// So many words side by side are looked up together.
const GRAM: usize = 3;
/// So many words more or less may stand in between.
const SLACK: isize = 32;
/// More places of old's words than these tell nothing.
const MOST_VOTES: usize = 100_000;

/// A place of some words of old: where they are in the file, and where in old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Vote {
    in_file: usize,
    in_old: usize,
}

/// All the places of old's words.
#[derive(Debug)]
pub(super) struct Votes {
    all: Vec<Vote>,
    old_len: usize,
    file_len: usize,
}

impl Votes {
    pub(super) fn new(old: &[u64], file: &[u64]) -> Option<Self> {
        let mut grams: HashMap<&[u64], Vec<usize>> = HashMap::new();
        for (at, gram) in old.windows(GRAM).enumerate() {
            grams.entry(gram).or_default().push(at);
        }
        let mut votes = Vec::new();
        for (in_file, gram) in file.windows(GRAM).enumerate() {
            let found = grams.get(gram).into_iter().flatten();
            votes.extend(found.map(|in_old| Vote { in_file, in_old: *in_old }));
            if votes.len() > MOST_VOTES {
                return None;
            }
        }
        Some(Self { all: votes, old_len: old.len(), file_len: file.len() })
    }

    /// The words of the file among which old stands, if most of it does.
    pub(super) fn region(&self) -> Option<Range<usize>> {
        let (count, bucket) = self.best(|_| true)?;
        if count * 2 < self.old_len.saturating_sub(GRAM - 1) {
            return None;
        }
        let inside = self.all.iter().filter(|vote| (0..2).contains(&(vote.bucket() - bucket)));
        let margin = 8;
        let from = inside.clone().map(|vote| vote.in_file.saturating_sub(vote.in_old)).min()?;
        let to = inside.map(|vote| vote.in_file + self.old_len - vote.in_old).max()?;
        Some(from.saturating_sub(margin)..(to + margin).min(self.file_len))
    }

    /// How many of old's words stand together within these words of the file, and how many in
    /// the best place that has none of them.
    pub(super) fn shares(&self, place: &Range<usize>) -> (usize, usize) {
        let inside = |vote: &Vote| place.contains(&vote.in_file);
        let outside = |vote: &Vote| vote.in_file + GRAM <= place.start || vote.in_file >= place.end;
        let count = |best: Option<(usize, isize)>| best.map_or(0, |(count, _)| count);
        (count(self.best(inside)), count(self.best(outside)))
    }

    /// The most words of old that stand about as far from one another as in old, and where.
    fn best(&self, keep: impl Fn(&Vote) -> bool) -> Option<(usize, isize)> {
        let mut buckets: HashMap<isize, Vec<usize>> = HashMap::new();
        for vote in self.all.iter().filter(|vote| keep(vote)) {
            buckets.entry(vote.bucket()).or_default().push(vote.in_old);
        }
        let together = |bucket: isize| {
            let mut seen: Vec<usize> = [bucket, bucket + 1]
                .iter()
                .filter_map(|bucket| buckets.get(bucket))
                .flatten()
                .copied()
                .collect();
            seen.sort_unstable();
            seen.dedup();
            seen.len()
        };
        let all = buckets.keys().flat_map(|bucket| [bucket - 1, *bucket]);
        all.map(|bucket| (together(bucket), bucket)).max()
    }
}

impl Vote {
    /// Votes for about the same place have the same number, or the next one.
    fn bucket(&self) -> isize {
        (self.in_file.cast_signed() - self.in_old.cast_signed()).div_euclid(SLACK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_with_most_words() {
        let old: Vec<u64> = (100..120).collect();
        let mut file: Vec<u64> = (0..90).collect();
        file.extend(&old[..12]);
        file.push(7);
        file.extend(&old[13..]);
        file.extend(500..600);
        let votes = Votes::new(&old, &file).unwrap();
        assert_eq!(votes.region(), Some(82..118));
        assert_eq!(votes.shares(&(90..110)), (15, 0));
        file.extend(&old[..15]);
        assert_eq!(Votes::new(&old, &file).unwrap().shares(&(90..110)), (15, 13));
        assert!(Votes::new(&old, &[1, 2, 3]).unwrap().region().is_none());
    }

    #[test]
    fn words_that_stand_everywhere_tell_nothing() {
        assert!(Votes::new(&[1; 1_000], &[1; 1_000]).is_none());
    }
}
