//! A vector in a byte a number.

/// The direction of a vector. A piece of code needs no more digits to be told from another.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    values: Box<[i8]>,
    /// Makes its length one.
    scale: f32,
}

impl Quantised {
    /// Of a vector; none where it has no direction.
    pub fn of(vector: &[f32]) -> Option<Self> {
        let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        if !largest.is_normal() || !vector.iter().all(|value| value.is_finite()) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "from -127 to 127")]
        let values = vector.iter().map(|value| (value / largest * 127.0).round() as i8);
        Self::from_values(values.collect())
    }

    pub(super) fn from_values(values: Box<[i8]>) -> Option<Self> {
        let length = product(&values, &values);
        #[expect(clippy::cast_precision_loss, reason = "a length")]
        (length > 0).then(|| Self { scale: 1.0 / (length as f32).sqrt(), values })
    }

    pub(super) fn values(&self) -> &[i8] {
        &self.values
    }

    /// How many numbers it has.
    pub fn dimensions(&self) -> usize {
        self.values.len()
    }

    /// How much two vectors point the same way, from -1 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a similarity")]
    pub fn similarity(&self, other: &Self) -> f32 {
        product(&self.values, &other.values) as f32 * self.scale * other.scale
    }
}

fn product(one: &[i8], other: &[i8]) -> i64 {
    // So few products fit into four bytes, and the processor takes many of those at once.
    const BLOCK: usize = 4096;
    let blocks = one.chunks(BLOCK).zip(other.chunks(BLOCK));
    let sum = |(one, other): (&[i8], &[i8])| {
        let products =
            one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(*other));
        i64::from(products.sum::<i32>())
    };
    blocks.map(sum).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact(one: &[f32], other: &[f32]) -> f32 {
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        product(one, other) / (product(one, one) * product(other, other)).sqrt()
    }

    proptest! {
        #[test]
        fn a_byte_a_number_is_near_enough(
            one in prop::collection::vec(-1.0_f32..1.0, 64),
            other in prop::collection::vec(-1.0_f32..1.0, 64),
        ) {
            let near = Quantised::of(&one).unwrap().similarity(&Quantised::of(&other).unwrap());
            prop_assert!((near - exact(&one, &other)).abs() < 0.02);
        }
    }

    #[test]
    fn what_points_nowhere_is_no_vector() {
        assert_eq!(Quantised::of(&[0.0, 0.0]), None);
        assert_eq!(Quantised::of(&[]), None);
        assert_eq!(Quantised::of(&[1.0, f32::NAN]), None);
        assert_eq!(Quantised::of(&[1.0, f32::INFINITY]), None);
        assert!(Quantised::of(&[1e-30, 0.0]).is_some());
    }

    #[test]
    fn the_longest_vectors_do_not_overflow() {
        let long = Quantised::of(&vec![1.0; 200_000]).unwrap();
        assert!((long.similarity(&long) - 1.0).abs() < 0.001);
    }
}
