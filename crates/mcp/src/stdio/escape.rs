//! A text as the inside of a JSON string. Nearly all bytes of nearly all texts stand for themselves,
//! so sixteen are copied at once, and what is wrong of them is written over.

/// How many bytes are looked at together.
const BLOCK: usize = 16;
/// How many bytes the longest escape has.
const LONGEST: usize = 6;
/// For how much of a text room is made at once.
const PIECE: usize = 2048;

/// How each byte is escaped that has to be, filled up with zeros, and how long that is.
static ESCAPES: [([u8; LONGEST], u8); 256] = escapes();

/// How much room a text takes where it has no more escapes than most have.
pub(super) fn most_room(length: usize) -> usize {
    length + length / 8 + PIECE * LONGEST
}

/// Adds a text to a line, just as the serializer writes it.
pub(super) fn escape(text: &[u8], line: &mut Vec<u8>) {
    let mut end = line.len();
    for piece in text.chunks(PIECE) {
        let room = end + piece.len() * LONGEST + BLOCK;
        if line.len() < room {
            line.resize(room, 0);
        }
        end += write(piece, &mut line[end..]);
    }
    line.truncate(end);
}

/// Writes a piece of a text to where there is room for it; how many bytes it takes there.
fn write(text: &[u8], to: &mut [u8]) -> usize {
    let (mut read, mut written) = (0, 0);
    // A block more than is looked at: what follows a special byte is copied as a block too.
    while let Some(blocks) = text[read..].first_chunk::<{ BLOCK * 2 }>() {
        let mut specials = blocks.first_chunk().map_or(0, specials_in);
        let mut plain = 0;
        while specials != 0 {
            let special = specials.trailing_zeros() as usize;
            copy_block(&blocks[plain..], &mut to[written..]);
            written += special - plain;
            written += write_byte(blocks[special], &mut to[written..]);
            plain = special + 1;
            specials &= specials - 1;
        }
        copy_block(&blocks[plain..], &mut to[written..]);
        written += BLOCK - plain;
        read += BLOCK;
    }
    for byte in &text[read..] {
        written += write_byte(*byte, &mut to[written..]);
    }
    written
}

#[inline]
fn copy_block(from: &[u8], to: &mut [u8]) {
    to[..BLOCK].copy_from_slice(&from[..BLOCK]);
}

#[inline]
fn write_byte(byte: u8, to: &mut [u8]) -> usize {
    let (escape, length) = &ESCAPES[usize::from(byte)];
    to[..LONGEST].copy_from_slice(escape);
    usize::from(*length)
}

/// A bit for each byte that has to be escaped, the first is the lowest.
#[cfg(target_arch = "x86_64")]
#[inline]
#[expect(unsafe_code, reason = "what every processor of this kind has is named here all the same")]
fn specials_in(block: &[u8; BLOCK]) -> u32 {
    // SAFETY: SSE2 is a part of x86_64.
    unsafe { specials_in_one_step(block) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn specials_in_one_step(block: &[u8; BLOCK]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_max_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };
    let [low, high] = block.as_chunks::<8>().0 else { return 0 };
    let bytes = _mm_set_epi64x(i64::from_le_bytes(*high), i64::from_le_bytes(*low));
    let last_control = _mm_set1_epi8(0x1f);
    let control = _mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control);
    let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"'.cast_signed()));
    let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\'.cast_signed()));
    _mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash))).cast_unsigned()
}

/// A bit for each byte that has to be escaped, the first is the lowest.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn specials_in(block: &[u8; BLOCK]) -> u32 {
    let special = |byte: u8| u32::from(ESCAPES[usize::from(byte)].1 > 1);
    (0..BLOCK).fold(0, |bits, at| bits | special(block[at]) << at)
}

const fn escapes() -> [([u8; LONGEST], u8); 256] {
    let mut escapes = [([0; LONGEST], 1); 256];
    let mut byte = 0_u8;
    loop {
        escapes[byte as usize] = escape_of(byte);
        if byte == u8::MAX {
            return escapes;
        }
        byte += 1;
    }
}

const fn escape_of(byte: u8) -> ([u8; LONGEST], u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0c => b'f',
        0..0x20 => {
            let (high, low) = (DIGITS[(byte >> 4) as usize], DIGITS[(byte & 15) as usize]);
            return ([b'\\', b'u', b'0', b'0', high, low], 6);
        }
        _ => return ([byte, 0, 0, 0, 0, 0], 1),
    };
    ([b'\\', short, 0, 0, 0, 0], 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(text: &str) {
        let mut line = b"before ".to_vec();
        escape(text.as_bytes(), &mut line);
        line.push(b'"');
        let written = String::from_utf8(line).unwrap();
        assert_eq!(written, format!("before {}", &serde_json::to_string(text).unwrap()[1..]));
    }

    #[test]
    fn every_byte_is_escaped_as_the_serializer_does_it_wherever_it_stands() {
        let all: String = (0..0x100_u32).filter_map(char::from_u32).collect();
        for before in 0..BLOCK * 2 {
            same(&("x".repeat(before) + &all));
        }
        same("");
        same(&"\u{1}".repeat(PIECE * 3 + 1));
        same(&"글".repeat(PIECE));
    }

    proptest! {
        #[test]
        fn a_text_is_written_as_the_serializer_does_it(
            text in "([a-z]{0,40}[\"\\\\\\n\\t\\r\\x00-\\x1f\\x7fé글😀]{0,3}){0,90}",
        ) {
            same(&text);
        }
    }
}
