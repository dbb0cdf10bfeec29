//! Random numbers that are the same on every machine: `SplitMix64`.

/// A stream of numbers that its seed decides.
pub(crate) struct Random(u64);

impl Random {
    /// The stream of one case: neighbours have nothing in common.
    pub(crate) fn of(seed: u64, index: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E6D_62D0_6F6A_9A9B) ^ index.rotate_left(32));
        random.next();
        random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or_default()
    }

    pub(crate) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of them; none of nothing.
    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        if from.is_empty() { None } else { Some(&from[self.below(from.len())]) }
    }
}
