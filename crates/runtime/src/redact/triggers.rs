//! Which of the literals occur in a text, whatever their case.
//!
//! An automaton goes from byte to byte, and each step waits for the table that the step before
//! looked into. So a long text is walked in several segments at once, one step of each in turn:
//! none of them waits for another. Whether anything was found is asked after a few steps of all
//! of them, and only then where.
//!
//! Some of the literals can be looked for without the others, and then most of a text is passed
//! over: see [`Near`].

use std::ops::ControlFlow;

use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, StartKind};

use super::near::Near;

/// How many segments are walked at once: with more, their states do not fit into registers.
const LANES: usize = 4;
/// How many steps are taken before it is asked whether anything was found.
const STRETCH: usize = 32;
/// Shorter segments are not worth the steps over their borders.
const SHORTEST_SEGMENT: usize = 64;

/// Where there are more places to look at, all of a text is: it may have been made for that.
const BYTES_OF_A_PLACE: usize = 16;

/// How many entries the table has: as many as an index of 16 bits reaches, so that no step has to
/// ask whether it is inside.
const ENTRIES: usize = 1 << 16;
/// Literals end in the state that a step leads to.
const FOUND: u32 = 1 << 16;

/// The literals, ready to be looked for.
pub(super) struct Triggers {
    /// For each byte, the kind of it: bytes of one kind lead everywhere to the same state.
    kinds: [u8; 256],
    /// For each state, a row with where each kind of byte leads: the place of the next row, and
    /// whether literals end there.
    table: Box<[u32; ENTRIES]>,
    /// How long a row is, in bits.
    row: u32,
    /// For each state, the bits of the literals that end in it.
    bits: Vec<u128>,
    /// How far a literal that begins in a segment can reach into the next one.
    reach: usize,
}

impl Triggers {
    /// Literals, each with its bits; none if there are too many of them.
    pub(super) fn new(words: &[&str], bits: &[u128]) -> Option<Self> {
        let automaton = DFA::builder()
            .ascii_case_insensitive(true)
            .start_kind(StartKind::Unanchored)
            .prefilter(false)
            .build(words)
            .ok()?;
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
        Made::of(&automaton, words)?.triggers(&automaton, bits, longest.saturating_sub(1))
    }

    /// The bits of all literals that occur.
    pub(super) fn seen(&self, text: &[u8]) -> u128 {
        let size = text.len() / LANES;
        if size < SHORTEST_SEGMENT {
            return self.walk(0, text);
        }
        let (mut seen, states) = self.walk_segments(text, size);
        for (lane, state) in states.into_iter().enumerate() {
            let border = (lane + 1) * size;
            let end = if lane + 1 == LANES { text.len() } else { border + self.reach };
            seen |= self.walk(state, &text[border..end.min(text.len())]);
        }
        seen
    }

    /// Walks the segments of `size` bytes that the text begins with; what is seen in them, and
    /// the states at their ends.
    fn walk_segments(&self, text: &[u8], size: usize) -> (u128, [u32; LANES]) {
        let mut segments: [&[u8]; LANES] = std::array::from_fn(|lane| &text[lane * size..][..size]);
        let mut states = [0; LANES];
        let mut seen = 0;
        while !segments[0].is_empty() {
            let length = segments[0].len().min(STRETCH);
            let stretch = segments.map(|segment| &segment[..length]);
            let (found, ends) = self.walk_stretch(stretch, states);
            if found & FOUND != 0 {
                let lanes = states.into_iter().zip(stretch);
                seen |= lanes.fold(0, |seen, (state, bytes)| seen | self.walk(state, bytes));
            }
            states = ends;
            segments = segments.map(|segment| &segment[length..]);
        }
        (seen, states)
    }

    /// Takes a few steps in all segments; all that was met on the way, put together, and the
    /// states at the end.
    #[inline]
    fn walk_stretch(&self, bytes: [&[u8]; LANES], states: [u32; LANES]) -> (u32, [u32; LANES]) {
        let [first, second, third, fourth] = bytes;
        let [mut a, mut b, mut c, mut d] = states;
        let mut met = 0;
        for (((one, two), three), four) in first.iter().zip(second).zip(third).zip(fourth) {
            (a, b) = (self.step(a, *one), self.step(b, *two));
            (c, d) = (self.step(c, *three), self.step(d, *four));
            met |= a | b | c | d;
        }
        (met, [a, b, c, d])
    }

    /// Where a byte leads.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is the place of the row")]
    fn step(&self, state: u32, byte: u8) -> u32 {
        let kind = u16::from(self.kinds[usize::from(byte)]);
        self.table[usize::from((state as u16).wrapping_add(kind))]
    }

    /// The same, where only literals count of which three bytes were chosen.
    pub(super) fn seen_near(&self, near: &Near, text: &[u8]) -> u128 {
        let mut seen = 0;
        let mut places = text.len() / BYTES_OF_A_PLACE + 1;
        let looked = near.places(text, |at| {
            let start = at.saturating_sub(self.reach);
            let end = text.len().min(at + self.reach + 1);
            seen |= self.walk(0, &text[start..end]);
            places -= 1;
            if places == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match looked {
            // What begins before the rest may end in it.
            ControlFlow::Continue(rest) => {
                seen | self.walk(0, &text[rest.saturating_sub(self.reach)..])
            }
            ControlFlow::Break(()) => self.seen(text),
        }
    }

    fn walk(&self, mut state: u32, text: &[u8]) -> u128 {
        let mut seen = 0;
        for byte in text {
            state = self.step(state, *byte);
            if state & FOUND != 0 {
                seen |= self.bits[((state & !FOUND) >> self.row) as usize];
            }
        }
        seen
    }
}

/// The states of an automaton in the order in which they were met, and the kinds of bytes.
struct Made {
    states: Vec<StateID>,
    /// For each state, by its number, its place among them.
    places: Vec<Option<u32>>,
    kinds: [u8; 256],
    /// One byte of each kind.
    samples: Vec<u8>,
}

impl Made {
    fn of(automaton: &DFA, words: &[&str]) -> Option<Self> {
        let (kinds, samples) = kinds_in(words)?;
        let start = automaton.start_state(Anchored::No).ok()?;
        let mut made = Self { states: Vec::new(), places: Vec::new(), kinds, samples };
        made.meet(start);
        let mut at = 0;
        while let Some(state) = made.states.get(at).copied() {
            for kind in 0..made.samples.len() {
                made.meet(automaton.next_state(Anchored::No, state, made.samples[kind]));
            }
            at += 1;
        }
        Some(made)
    }

    fn meet(&mut self, state: StateID) {
        let number = state.as_usize();
        if number >= self.places.len() {
            self.places.resize(number + 1, None);
        }
        if self.places[number].is_none() {
            self.places[number] = u32::try_from(self.states.len()).ok();
            self.states.push(state);
        }
    }

    fn triggers(&self, automaton: &DFA, bits: &[u128], reach: usize) -> Option<Triggers> {
        let row = self.samples.len().next_power_of_two().trailing_zeros();
        if self.states.len() << row > ENTRIES {
            return None;
        }
        let mut table: Box<[u32; ENTRIES]> = vec![0; ENTRIES].try_into().ok()?;
        for (index, state) in self.states.iter().enumerate() {
            for (kind, byte) in self.samples.iter().enumerate() {
                let next = automaton.next_state(Anchored::No, *state, *byte);
                let found = if automaton.is_match(next) { FOUND } else { 0 };
                table[(index << row) + kind] = self.places[next.as_usize()]? << row | found;
            }
        }
        let ending = |state: &StateID| ending(automaton, *state, bits);
        let bits = self.states.iter().map(ending).collect();
        Some(Triggers { kinds: self.kinds, table, row, bits, reach })
    }
}

/// The kinds of bytes, and one of each: all that no literal has are of one kind.
fn kinds_in(words: &[&str]) -> Option<([u8; 256], Vec<u8>)> {
    let mut letters: Vec<u8> = words.iter().flat_map(|word| word.bytes()).collect();
    letters.iter_mut().for_each(u8::make_ascii_lowercase);
    letters.sort_unstable();
    letters.dedup();
    let none = (0..=u8::MAX).find(|byte| !letters.contains(&byte.to_ascii_lowercase()))?;
    let samples: Vec<u8> = [none].into_iter().chain(letters).collect();
    let mut kinds = [0; 256];
    for byte in 0..=u8::MAX {
        let kind = samples.iter().position(|sample| *sample == byte.to_ascii_lowercase());
        kinds[usize::from(byte)] = u8::try_from(kind.unwrap_or(0)).ok()?;
    }
    Some((kinds, samples))
}

/// The bits of the literals that end in a state.
fn ending(automaton: &DFA, state: StateID, bits: &[u128]) -> u128 {
    let count = if automaton.is_match(state) { automaton.match_len(state) } else { 0 };
    let literal = |index| automaton.match_pattern(state, index).as_usize();
    (0..count).fold(0, |all, index| all | bits[literal(index)])
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::super::patterns::PATTERNS;
    use super::*;

    /// The literals of the table, as far as there are bits for each of them.
    fn words() -> Vec<&'static str> {
        let mut words: Vec<_> = PATTERNS.iter().flat_map(|pattern| pattern.triggers).collect();
        words.sort_unstable();
        words.dedup();
        words.into_iter().copied().take(128).collect()
    }

    static TRIGGERS: LazyLock<Triggers> = LazyLock::new(|| {
        let words = words();
        let bits: Vec<u128> = (0..words.len()).map(|index| 1 << index).collect();
        Triggers::new(&words, &bits).unwrap()
    });

    fn naive(text: &str) -> u128 {
        let text = text.to_ascii_lowercase();
        let found = words().into_iter().enumerate().filter(|(_, word)| text.contains(word));
        found.fold(0, |bits, (index, _)| bits | 1 << index)
    }

    /// Noise, whole literals in any case, and pieces of them, which overlap where they meet.
    fn text() -> impl Strategy<Value = String> {
        let word = prop::sample::select(words());
        let piece = prop_oneof![
            4 => "[ a-zA-Z0-9=_:/é글-]{0,30}",
            2 => word.clone().prop_map(str::to_owned),
            1 => word.clone().prop_map(str::to_ascii_uppercase),
            3 => (word, any::<prop::sample::Index>(), any::<bool>()).prop_map(|(word, at, head)| {
                let (before, after) = word.split_at(at.index(word.len()));
                if head { before } else { after }.to_owned()
            }),
        ];
        prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
    }

    static NEAR: LazyLock<Option<Near>> = LazyLock::new(|| Near::new(words()));

    proptest! {
        #[test]
        fn all_literals_of_a_text_are_seen_and_no_others(text in text()) {
            prop_assert_eq!(TRIGGERS.seen(text.as_bytes()), naive(&text));
            prop_assert_eq!(seen_near(&text), naive(&text));
        }
    }

    /// Where the processor is not made for it, nothing is asked near anything.
    fn seen_near(text: &str) -> u128 {
        let near = |near| TRIGGERS.seen_near(near, text.as_bytes());
        NEAR.as_ref().map_or_else(|| naive(text), near)
    }

    #[test]
    fn every_literal_is_found_wherever_it_stands_and_whatever_its_case() {
        for word in words() {
            for (before, after) in (0..70).map(|before| (before, 0)).chain([(0, 70), (40, 40)]) {
                for word in [word.to_owned(), word.to_ascii_uppercase()] {
                    let text = [&".".repeat(before), &*word, &"\u{7f}".repeat(after)].concat();
                    assert_eq!(seen_near(&text), naive(&text), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_text_that_is_all_places_is_looked_at_once() {
        let text = "ske".repeat(10_000) + "akia";
        assert_eq!(seen_near(&text), naive(&text));
        let Some(near) = &*NEAR else { return };
        let mut places = 0;
        let looked = near.places(text.as_bytes(), |_| {
            places += 1;
            if places == 9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!((looked, places), (ControlFlow::Break(()), 9));
    }

    #[test]
    fn few_places_of_ordinary_text_are_looked_at() {
        let Some(near) = &*NEAR else { return };
        let text = include_str!("triggers.rs").split("#[cfg(test)]").next().unwrap();
        let mut places = 0;
        let _ = near.places(text.as_bytes(), |_| {
            places += 1;
            ControlFlow::Continue(())
        });
        assert!(places < text.len() / 40, "{places} of {}", text.len());
    }

    #[test]
    fn a_literal_is_seen_wherever_it_stands_among_the_segments() {
        let word = words().into_iter().max_by_key(|word| word.len()).unwrap();
        for size in [word.len(), LANES * SHORTEST_SEGMENT - 1, LANES * SHORTEST_SEGMENT, 397] {
            for at in 0..=size - word.len() {
                let text = [&".".repeat(at), word, &".".repeat(size - word.len() - at)].concat();
                assert_eq!(TRIGGERS.seen(text.as_bytes()), naive(&text), "at {at} of {size}");
                let cut = &text[..at + word.len() - 1];
                assert_eq!(TRIGGERS.seen(cut.as_bytes()), naive(cut), "cut at {at} of {size}");
            }
        }
    }

    #[test]
    fn the_literals_of_the_table_fit() {
        let all: Vec<_> = PATTERNS.iter().flat_map(|pattern| pattern.triggers).copied().collect();
        let bits = vec![1; all.len()];
        assert!(Triggers::new(&all, &bits).is_some(), "else every expression runs on every text");
    }
}
