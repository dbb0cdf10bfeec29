//! Which stream wrote which bytes: runs of bytes of one stream, in order.

use crate::log::Stream;

/// Runs in one byte or two each: as streams take turns, only lengths are kept, in groups of seven
/// bits. The first run is of standard output, and empty where standard error began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    done: Vec<u8>,
    stream: Stream,
    /// Bytes of the run that can still grow.
    open: u64,
    total: u64,
}

impl Runs {
    /// Appends bytes of a stream.
    pub(crate) fn push(&mut self, stream: Stream, bytes: u64) {
        if bytes == 0 {
            return;
        }
        if stream != self.stream {
            let open = std::mem::take(&mut self.open);
            encode(open, &mut self.done);
            self.stream = stream;
        }
        self.open += bytes;
        self.total += bytes;
    }

    /// Appends all runs of another.
    pub(crate) fn append(&mut self, other: &Self) {
        for (stream, bytes) in other.iter() {
            self.push(stream, bytes);
        }
    }

    /// How many bytes all runs have.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// How much memory they take.
    pub(crate) fn size(&self) -> usize {
        self.done.len()
    }

    /// The runs in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Stream, u64)> {
        let mut rest = self.done.as_slice();
        let mut stream = Stream::Out;
        let done = std::iter::from_fn(move || {
            let bytes = decode(&mut rest)?;
            let run = (stream, bytes);
            stream = stream.other();
            Some(run)
        });
        done.chain([(self.stream, self.open)]).filter(|(_, bytes)| *bytes > 0)
    }

    /// The runs of a part of the bytes.
    pub(crate) fn slice(&self, from: u64, to: u64) -> Self {
        let mut part = Self::default();
        let mut at = 0;
        for (stream, bytes) in self.iter() {
            let (begin, end) = (at.max(from), (at + bytes).min(to));
            if begin < end {
                part.push(stream, end - begin);
            }
            at += bytes;
            if at >= to {
                break;
            }
        }
        part
    }

    /// How many of the bytes are of a stream.
    pub(crate) fn of(&self, stream: Stream) -> u64 {
        self.iter().filter(|(of, _)| *of == stream).map(|(_, bytes)| bytes).sum()
    }

    /// As bytes for a file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.done.clone();
        encode(self.open, &mut bytes);
        bytes
    }

    /// From a file; none where they do not make up `total` bytes.
    pub(crate) fn from_bytes(mut bytes: &[u8], total: u64) -> Option<Self> {
        let mut runs = Self::default();
        let mut stream = Stream::Out;
        while !bytes.is_empty() {
            let length = decode(&mut bytes)?;
            if length > total.checked_sub(runs.total)? {
                return None;
            }
            runs.push(stream, length);
            stream = stream.other();
        }
        (runs.total == total).then_some(runs)
    }

    /// All of standard output.
    pub(crate) fn single(bytes: u64) -> Self {
        let mut runs = Self::default();
        runs.push(Stream::Out, bytes);
        runs
    }
}

fn encode(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    into.push(number.to_le_bytes()[0]);
}

fn decode(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn streams() -> impl Strategy<Value = Vec<(Stream, u64)>> {
        let stream = prop_oneof![Just(Stream::Out), Just(Stream::Err)];
        prop::collection::vec((stream, 0..300_u64), 0..40)
    }

    proptest! {
        #[test]
        fn runs_are_what_was_pushed_and_come_back_from_bytes(pushed in streams()) {
            let mut runs = Runs::default();
            let mut flat = Vec::new();
            for (stream, bytes) in &pushed {
                runs.push(*stream, *bytes);
                flat.extend(std::iter::repeat_n(*stream, usize::try_from(*bytes).unwrap()));
            }
            let spelled = |runs: &Runs| -> Vec<Stream> {
                let of = |(stream, bytes)| std::iter::repeat_n(stream, usize::try_from(bytes).unwrap());
                runs.iter().flat_map(of).collect()
            };
            prop_assert_eq!(spelled(&runs), flat.clone());
            let again = Runs::from_bytes(&runs.to_bytes(), runs.total()).unwrap();
            prop_assert_eq!(spelled(&again), flat.clone());
            prop_assert!(Runs::from_bytes(&runs.to_bytes(), runs.total() + 1).is_none());
            let (from, to) = (flat.len() / 3, flat.len() / 2);
            prop_assert_eq!(spelled(&runs.slice(from as u64, to as u64)), flat[from..to].to_vec());
        }

        #[test]
        fn foreign_bytes_are_refused_or_harmless(bytes in prop::collection::vec(any::<u8>(), 0..64), total: u64) {
            if let Some(runs) = Runs::from_bytes(&bytes, total) {
                prop_assert_eq!(runs.total(), total);
            }
        }
    }
}
