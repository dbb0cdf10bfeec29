//! Where in a text a literal can be. An automaton looks at every byte, one after the other; nearly
//! all of them are far from any literal. So every second pair of bytes is looked up first: of each
//! literal three bytes were chosen, as rare as it has them, and wherever they stand in a text, one
//! of the two pairs in them begins at an even place. Only where a pair is found, with the third
//! byte beside it, does the automaton look.

use std::ops::ControlFlow;

/// What literals are made of, the most common in programs and prose first.
const COMMON: &[u8] = b" etsrnaoildcfupmh:._gbw/ykvx-01zjq24863597~";
/// How many pairs of bytes there are.
const PAIRS: usize = 1 << 16;

/// The pairs that were chosen.
pub(super) struct Pairs {
    /// For each two bytes, where their neighbours are; 0 for none.
    numbers: Box<[u8; PAIRS]>,
    neighbours: Vec<Neighbours>,
    /// For each byte, the bit that it has among neighbours.
    bits: Box<[u64; 256]>,
}

/// Which bytes stand beside a pair, as bits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Neighbours {
    before: u64,
    after: u64,
}

impl Pairs {
    /// Those of literals in lower case; none where there are too many, or one is too short.
    pub(super) fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Self> {
        let mut all: Vec<Neighbours> = vec![Neighbours::default(); PAIRS];
        for word in words {
            match *word.as_bytes() {
                [] | [_] => return None,
                // Whatever comes behind it is the third.
                [first, second] => {
                    (0..=u8::MAX).for_each(|third| add(&mut all, [first, second, third]));
                }
                ref longer => {
                    add(&mut all, *longer.windows(3).min_by_key(|w| commonness(w))?.as_array()?)
                }
            }
        }
        let mut neighbours = vec![Neighbours::default()];
        let mut numbers: Box<[u8; PAIRS]> = vec![0; PAIRS].try_into().ok()?;
        for (number, found) in numbers.iter_mut().zip(&all) {
            let known = neighbours.iter().position(|known| known == found);
            *number = u8::try_from(known.unwrap_or(neighbours.len())).ok()?;
            if known.is_none() {
                neighbours.push(*found);
            }
        }
        let bits = (0..=u8::MAX).map(bit_of).collect::<Vec<_>>().try_into().ok()?;
        Some(Self { numbers, neighbours, bits })
    }

    /// Calls with each place near which a literal can be: one of its bytes stands there.
    #[inline]
    pub(super) fn places(
        &self,
        text: &[u8],
        mut call: impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (index, pair) in text.as_chunks::<2>().0.iter().enumerate() {
            let number = self.numbers[usize::from(u16::from_le_bytes(*pair))];
            if number != 0 && self.is_place(text, index * 2, number) {
                call(index * 2)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn is_place(&self, text: &[u8], at: usize, number: u8) -> bool {
        let bit = |byte: Option<&u8>| byte.map_or(0, |byte| self.bits[usize::from(*byte)]);
        let Neighbours { before, after } = self.neighbours[usize::from(number)];
        let stands_before = at.checked_sub(1).and_then(|at| text.get(at));
        bit(text.get(at + 2)) & after != 0 || bit(stands_before) & before != 0
    }
}

/// Three bytes of a literal, whatever their case.
fn add(all: &mut [Neighbours], [first, second, third]: [u8; 3]) {
    let number = |first, second| usize::from(u16::from_le_bytes([first, second]));
    for middle in cases(second) {
        cases(first).for_each(|first| all[number(first, middle)].after |= bit_of(third));
        cases(third).for_each(|third| all[number(middle, third)].before |= bit_of(first));
    }
}

fn cases(byte: u8) -> impl Iterator<Item = u8> {
    [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()].into_iter()
}

/// Bytes that no literal has share a bit.
fn bit_of(byte: u8) -> u64 {
    let byte = byte.to_ascii_lowercase();
    1 << COMMON.iter().position(|common| *common == byte).unwrap_or(COMMON.len())
}

/// How often three bytes occur, compared with others.
fn commonness(bytes: &[u8]) -> u64 {
    let place = |byte: u8| COMMON.iter().position(|common| *common == byte).unwrap_or(0) as u64;
    let weight = |byte| 1_000_000 / (place(byte) + 1);
    bytes.windows(2).map(|pair| weight(pair[0]) * weight(pair[1])).sum()
}
