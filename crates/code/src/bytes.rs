//! Numbers in bytes, and a checksum of bytes. Whatever is read is checked against the end.

/// A number of four bytes at a place.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

/// A number of two bytes at a place.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(two.try_into().ok()?))
}

/// A number of eight bytes at a place.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(eight.try_into().ok()?))
}

/// Adds a number in as few bytes as it needs.
pub(crate) fn put_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(0x80 | (value & 0x7f) as u8);
        value >>= 7;
    }
    #[expect(clippy::cast_possible_truncation, reason = "below 0x80")]
    bytes.push(value as u8);
}

/// Takes a number off the front.
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u32;
    for shift in [0, 7, 14, 21, 28] {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A checksum against damage, not against somebody who means harm: all reads are checked anyway.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut sums = [
        0x243f_6a88_85a3_08d3_u64,
        0x1319_8a2e_0370_7344,
        0xa409_3822_299f_31d0,
        0x082e_fa98_ec4e_6c89,
    ];
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        for (sum, eight) in sums.iter_mut().zip(block.chunks_exact(8)) {
            let value = u64_at(eight, 0).unwrap_or(0);
            *sum = (*sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }
    let mut end = bytes.len() as u64;
    for byte in blocks.remainder() {
        end = (end ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    sums.iter().fold(end, |all, sum| {
        (all ^ sum ^ (sum >> 31)).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(31)
    })
}
