//! Bytes to text, as they come: a character that is cut in two waits for its rest.

/// Decodes UTF-8. What is none becomes U+FFFD, and is said.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The beginning of a character, at most three bytes.
    held: Vec<u8>,
}

/// Takes a text, and whether it stands for bytes that were no text.
type Texts<'t> = &'t mut dyn FnMut(&str, bool);

impl Decoder {
    pub(super) fn feed(&mut self, bytes: &[u8], texts: Texts<'_>) {
        if self.held.is_empty() {
            return self.decode(bytes, texts);
        }
        let mut joined = std::mem::take(&mut self.held);
        joined.extend_from_slice(bytes);
        self.decode(&joined, texts);
    }

    pub(super) fn finish(&mut self, texts: Texts<'_>) {
        if !std::mem::take(&mut self.held).is_empty() {
            texts("\u{fffd}", true);
        }
    }

    fn decode(&mut self, bytes: &[u8], texts: Texts<'_>) {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            if !chunk.valid().is_empty() {
                texts(chunk.valid(), false);
            }
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            if chunks.peek().is_none() && may_go_on(invalid) {
                self.held.extend_from_slice(invalid);
            } else {
                texts("\u{fffd}", true);
            }
        }
    }
}

/// Whether more bytes could make a character of these.
fn may_go_on(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> String {
        let (mut decoder, mut text) = (Decoder::default(), String::new());
        for chunk in chunks {
            decoder.feed(chunk, &mut |piece, _| text.push_str(piece));
        }
        decoder.finish(&mut |piece, _| text.push_str(piece));
        text
    }

    proptest! {
        #[test]
        fn any_bytes_cut_anywhere_decode_as_in_one_piece(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0xe0_u8..=0xf4, 0x80_u8..0xc0], 0..40),
            size in 1_usize..5,
        ) {
            prop_assert_eq!(decoded(bytes.chunks(size)), String::from_utf8_lossy(&bytes));
        }
    }
}
