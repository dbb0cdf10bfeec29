//! Which names a pattern may mean, told by three bytes of them.
//!
//! Nearly every name is plain, and is known to be so before it is compared with anything. Two
//! bytes would not do: `.tfvars` ends as every source of Rust.

/// How names of patterns begin and end.
pub(super) struct Ends {
    /// The last three bytes of names that may match.
    tails: Triples,
    /// The first three bytes, for patterns with any ending.
    heads: Triples,
}

impl Ends {
    pub(super) fn of(names: impl Iterator<Item = &'static str>) -> Self {
        let mut ends = Self { tails: Triples::default(), heads: Triples::default() };
        for name in names {
            let bytes = name.as_bytes();
            let literal = |part: &[u8]| !part.contains(&b'*');
            match (bytes.last_chunk(), bytes.first_chunk()) {
                (Some(tail), _) if literal(tail) => ends.tails.add(*tail),
                (_, Some(head)) if literal(head) => ends.heads.add(*head),
                (None, _) if literal(bytes) => ends.tails.add(tail_of(bytes)),
                // So open that any name may be meant.
                _ => ends.tails.add_all(),
            }
        }
        ends
    }

    /// A folded name may be one of them.
    pub(super) fn may_have(&self, folded: &[u8]) -> bool {
        // What is meant by its head has three bytes at least.
        self.tails.has(tail_of(folded))
            || folded.first_chunk().is_some_and(|head| self.heads.has(*head))
    }
}

/// The last three bytes; in front of fewer, bytes that no name has.
fn tail_of(name: &[u8]) -> [u8; 3] {
    match *name {
        [.., first, second, third] => [first, second, third],
        [second, third] => [0, second, third],
        [third] => [0, 0, third],
        [] => [0; 3],
    }
}

/// A set of three bytes each, which may take in some that nobody added.
struct Triples(Box<[u64]>);

impl Default for Triples {
    fn default() -> Self {
        Self(vec![0; 65_536 / 64].into())
    }
}

impl Triples {
    fn place([first, second, third]: [u8; 3]) -> (usize, u64) {
        let spread = u16::from(first).wrapping_mul(0x2f1d);
        let number = usize::from(u16::from_be_bytes([second, third]) ^ spread);
        (number / 64, 1 << (number % 64))
    }

    fn add(&mut self, triple: [u8; 3]) {
        let (word, bit) = Self::place(triple);
        self.0[word] |= bit;
    }

    fn add_all(&mut self) {
        self.0.fill(u64::MAX);
    }

    fn has(&self, triple: [u8; 3]) -> bool {
        let (word, bit) = Self::place(triple);
        self.0[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_length_are_told() {
        let ends = Ends::of(["a", "bc", "def", "*.pem", ".env.*"].into_iter());
        for name in ["a", "bc", "def", "x.pem", ".pem", ".env.x", ".env."] {
            assert!(ends.may_have(name.as_bytes()), "{name}");
        }
        for name in ["", "b", "xa", "cb", "xbc", "deg", "main.rs", "env"] {
            assert!(!ends.may_have(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn a_pattern_that_is_too_open_lets_every_name_through() {
        for pattern in ["*", "*a", "ab*", "*ab*"] {
            let ends = Ends::of(std::iter::once(pattern));
            for name in ["", "a", "ab", "abc", "main.rs"] {
                assert!(ends.may_have(name.as_bytes()), "{pattern} {name}");
            }
        }
    }
}
