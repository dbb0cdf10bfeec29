//! Where in a text a literal can be. An automaton looks at every byte, one after the other, and
//! nearly all of them are far from any literal. So of each literal three bytes are chosen, as rare
//! as it has them, and 32 places of a text are asked at once whether such bytes stand there.
//!
//! The three bytes of all literals are put into sixteen groups. For each group it is known which
//! lower and which upper halves of a byte occur at each of the three places, so that a place that
//! has none of them is told by looking up halves, for which processors have one instruction. What
//! is left is looked up by all three bytes.

mod groups;

use std::ops::ControlFlow;

use groups::{Group, groups_of};

/// How many bytes of each literal are looked for.
const WIDTH: usize = 3;
/// How many groups are looked up in one step.
const TOGETHER: usize = 8;
/// How many places are looked at in one step.
const STEP: usize = 32;
/// How many bits the table of chosen bytes has, as a power of two.
const TABLE_BITS: u32 = 12;

/// Three bytes of each literal, ready to be looked for.
pub(super) struct Near {
    /// For each place, for both halves of a byte, for the value of that half: the groups that have
    /// it, as bits. Twice, as there are more groups than bits.
    halves: [[[[u8; 16]; 2]; WIDTH]; 2],
    /// Which three bytes were chosen, as bits.
    chosen: [u64; 1 << (TABLE_BITS - 6)],
}

impl Near {
    /// Those of literals in lower case; none where one is too short, or where the processor is not
    /// made for this.
    pub(super) fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Self> {
        if !is_fast_here() {
            return None;
        }
        let groups = groups_of(words)?;
        let mut near = Self { halves: [[[[0; 16]; 2]; WIDTH]; 2], chosen: [0; _] };
        for (number, group) in groups.iter().enumerate() {
            near.add(number, group);
        }
        Some(near)
    }

    fn add(&mut self, number: usize, group: &Group) {
        let (part, bit) = (number / TOGETHER, 1 << (number % TOGETHER));
        for (place, halves) in self.halves[part].iter_mut().enumerate() {
            for (halves, found) in halves.iter_mut().zip(group.halves_at(place)) {
                for (half, groups) in halves.iter_mut().enumerate() {
                    *groups |= if found >> half & 1 == 0 { 0 } else { bit };
                }
            }
        }
        for bytes in group.all_bytes() {
            let bit = bit_of(bytes);
            self.chosen[bit / 64] |= 1 << (bit % 64);
        }
    }

    fn has_chosen(&self, bytes: [u8; WIDTH]) -> bool {
        let bit = bit_of(bytes);
        self.chosen[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// Calls with each place where three chosen bytes begin, up to where the text has fewer bytes
    /// than one step takes: that is given back, and the rest was not looked at.
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "what a processor has is known only where it runs")]
    pub(super) fn places(
        &self,
        text: &[u8],
        call: impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        if text.len() < STEP + WIDTH {
            return ControlFlow::Continue(0);
        }
        // SAFETY: `new` gives none where the processor has no AVX2.
        unsafe { self.places_with_avx2(text, call) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn places(
        &self,
        _: &[u8],
        _: impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        ControlFlow::Continue(0)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn places_with_avx2(
        &self,
        text: &[u8],
        mut call: impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let tables =
            self.halves.map(|part| part.map(|place| place.map(|table| in_both_lanes(table))));
        let mut at = 0;
        while let Some(bytes) = text[at..].first_chunk::<{ STEP + WIDTH - 1 }>() {
            let mut hits = hits(bytes, &tables);
            while hits != 0 {
                let offset = hits.trailing_zeros() as usize;
                if self.has_chosen([bytes[offset], bytes[offset + 1], bytes[offset + 2]]) {
                    match call(at + offset) {
                        ControlFlow::Continue(()) => {}
                        ControlFlow::Break(()) => return ControlFlow::Break(()),
                    }
                }
                hits &= hits - 1;
            }
            at += STEP;
        }
        ControlFlow::Continue(at)
    }
}

#[cfg(target_arch = "x86_64")]
fn is_fast_here() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn is_fast_here() -> bool {
    false
}

/// Which bit three bytes have in the table, whatever their case.
#[inline]
fn bit_of([first, second, third]: [u8; WIDTH]) -> usize {
    let folded = u32::from_le_bytes([first, second, third, 0]) | 0x0020_2020;
    (folded.wrapping_mul(0x9e37_79b1) >> (u32::BITS - TABLE_BITS)) as usize
}

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m256i;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn in_both_lanes(table: [u8; 16]) -> __m256i {
    use std::arch::x86_64::{_mm_set_epi64x, _mm256_broadcastsi128_si256};
    let ([low, high], _) = table.as_chunks::<8>() else { return all_zero() };
    let table = _mm_set_epi64x(i64::from_le_bytes(*high), i64::from_le_bytes(*low));
    _mm256_broadcastsi128_si256(table)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn all_zero() -> __m256i {
    std::arch::x86_64::_mm256_setzero_si256()
}

/// A bit for each of 32 places, where three bytes of one group may begin.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn hits(bytes: &[u8; STEP + WIDTH - 1], tables: &[[[__m256i; 2]; WIDTH]; 2]) -> u32 {
    use std::arch::x86_64::{
        _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_srli_epi16,
    };
    let half = _mm256_set1_epi8(15);
    let mut found = [_mm256_set1_epi8(-1); 2];
    for place in 0..WIDTH {
        let bytes = step_at(bytes, place);
        let low = _mm256_and_si256(bytes, half);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half);
        for (found, tables) in found.iter_mut().zip(tables) {
            let by_low = _mm256_shuffle_epi8(tables[place][0], low);
            let by_high = _mm256_shuffle_epi8(tables[place][1], high);
            *found = _mm256_and_si256(*found, _mm256_and_si256(by_low, by_high));
        }
    }
    let none = _mm256_cmpeq_epi8(_mm256_or_si256(found[0], found[1]), all_zero());
    !_mm256_movemask_epi8(none).cast_unsigned()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn step_at(bytes: &[u8; STEP + WIDTH - 1], from: usize) -> __m256i {
    let ([a, b, c, d], _) = bytes[from..from + STEP].as_chunks::<8>() else { return all_zero() };
    let [a, b, c, d] = [a, b, c, d].map(|bytes| i64::from_le_bytes(*bytes));
    std::arch::x86_64::_mm256_set_epi64x(d, c, b, a)
}
