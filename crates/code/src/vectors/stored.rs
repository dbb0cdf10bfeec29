//! Vectors as bytes. What cannot be read is made again, so any doubt is an error.

use std::collections::HashMap;

use super::{Quantised, Spot, Vectors};
use crate::bytes::{checksum, u32_at, u64_at};
use crate::index::Damaged;

/// How the bytes begin; the number is that of the form.
const MAGIC: &[u8; 8] = b"dogu-v01";
const SPOT: usize = 4 + 16;

impl Vectors {
    /// The bytes to keep; none where nothing is new since they were last asked for.
    pub fn to_keep(&mut self) -> Option<Vec<u8>> {
        if !std::mem::take(&mut self.is_new) {
            return None;
        }
        let dimensions = self.dimensions().unwrap_or(0);
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0; 8]);
        for count in [self.model.len(), dimensions, self.files.len(), self.texts.len()] {
            put_count(&mut bytes, count)?;
        }
        bytes.extend(self.model.as_bytes());
        for (file, spots) in &self.files {
            bytes.extend(file.to_le_bytes());
            put_count(&mut bytes, spots.len())?;
            for spot in spots {
                bytes.extend(spot.first_line.to_le_bytes());
                bytes.extend(spot.text.to_le_bytes());
            }
        }
        for (text, vector) in &self.texts {
            bytes.extend(text.to_le_bytes());
            bytes.extend(vector.values().iter().map(|value| value.to_le_bytes()[0]));
        }
        let sum = checksum(&bytes[16..]).to_le_bytes();
        bytes[8..16].copy_from_slice(&sum);
        Some(bytes)
    }

    /// The vectors that were kept as bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, Damaged> {
        read(bytes).ok_or(Damaged)
    }
}

fn put_count(bytes: &mut Vec<u8>, count: usize) -> Option<()> {
    bytes.extend(u32::try_from(count).ok()?.to_le_bytes());
    Some(())
}

fn read(bytes: &[u8]) -> Option<Vectors> {
    let body = bytes.strip_prefix(MAGIC)?.get(8..)?;
    if u64_at(bytes, 8)? != checksum(body) {
        return None;
    }
    let mut rest = Rest(body);
    let (model, dimensions) = (rest.count()?, rest.count()?);
    let (files, texts) = (rest.count()?, rest.count()?);
    let model = std::str::from_utf8(rest.take(model)?).ok()?.to_owned();
    let mut vectors = Vectors::new(model);
    vectors.files = rest.files(files)?;
    vectors.texts = rest.texts(texts, dimensions)?;
    rest.0.is_empty().then_some(vectors)
}

/// What is not yet read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn count(&mut self) -> Option<usize> {
        u32_at(self.take(4)?, 0).map(|count| count as usize)
    }

    fn hash(&mut self) -> Option<u128> {
        Some(u128::from_le_bytes(self.take(16)?.try_into().ok()?))
    }

    fn files(&mut self, count: usize) -> Option<HashMap<u128, Vec<Spot>>> {
        let mut files = HashMap::new();
        for _ in 0..count {
            let file = self.hash()?;
            let spots = self.count()?.checked_mul(SPOT)?;
            let spots = self.take(spots)?.chunks_exact(SPOT).map(|one| {
                let mut one = Rest(one);
                Some(Spot { first_line: u32_at(one.take(4)?, 0)?, text: one.hash()? })
            });
            files.insert(file, spots.collect::<Option<_>>()?);
        }
        Some(files)
    }

    fn texts(&mut self, count: usize, dimensions: usize) -> Option<HashMap<u128, Quantised>> {
        let mut texts = HashMap::new();
        for _ in 0..count {
            let text = self.hash()?;
            let values = self.take(dimensions)?.iter().map(|byte| byte.cast_signed());
            texts.insert(text, Quantised::from_values(values.collect())?);
        }
        Some(texts)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn some() -> Vectors {
        let mut vectors = Vectors::new("http://localhost/v1 words-3");
        vectors.put(1, Quantised::of(&[1.0, -0.5, 0.25]).unwrap());
        vectors.put(2, Quantised::of(&[0.0, -0.5, 0.25]).unwrap());
        vectors.note(10, vec![Spot { first_line: 1, text: 1 }, Spot { first_line: 7, text: 2 }]);
        vectors.note(11, Vec::new());
        vectors
    }

    #[test]
    fn what_is_kept_is_read_again_and_kept_once() {
        let mut vectors = some();
        let bytes = vectors.to_keep().unwrap();
        assert_eq!(Vectors::read(&bytes), Ok(vectors.clone()));
        assert_eq!(vectors.to_keep(), None);
    }

    proptest! {
        #[test]
        fn damaged_bytes_are_an_error(at in 0_usize..200, change in 1_u8.., cut in 0_usize..200) {
            let bytes = some().to_keep().unwrap();
            let mut changed = bytes.clone();
            let at = at % bytes.len();
            changed[at] ^= change;
            prop_assert_eq!(Vectors::read(&changed), Err(Damaged));
            prop_assert_eq!(Vectors::read(&bytes[..cut % bytes.len()]), Err(Damaged));
        }

        #[test]
        fn any_body_with_a_right_sum_is_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(checksum(&body).to_le_bytes());
            bytes.extend(body);
            let _ = Vectors::read(&bytes);
        }
    }
}
