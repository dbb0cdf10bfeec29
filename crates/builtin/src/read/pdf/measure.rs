//! How much a PDF would unpack to, told from its bytes before anything else reads them.
//!
//! The parser unpacks whatever a document refers to, without bounds. So every stream of a file
//! is unpacked here first, to nowhere and within bounds; data of pictures is blanked instead,
//! which no text comes from. What cannot be measured (unusual names of filters, encryption) is
//! refused.

use std::io::{Read, Write};

use dogu_tool::CancelFlag;
use flate2::read::{DeflateDecoder, ZlibDecoder};

/// How much one stream may unpack to.
const MAX_STREAM_BYTES: usize = 24 * 1024 * 1024;
/// How much all streams may unpack to.
const MAX_TOTAL_BYTES: usize = 72 * 1024 * 1024;
/// How much is known to be before the data of a stream: its dictionary.
const MAX_HEAD_BYTES: usize = 4 * 1024;
/// A stream that is so small is measured by its size, if it must.
const SMALL_BYTES: usize = 4 * 1024;

/// What is said of an encrypted document.
pub(super) const ENCRYPTED: &str =
    "it is encrypted; `qpdf --decrypt in.pdf out.pdf` makes a copy that can be read";

/// Names of filters that unpack, as they are written, and shorter.
const FILTERS: [(&[u8], Filter); 10] = [
    (b"/FlateDecode", Filter::Flate),
    (b"/LZWDecode", Filter::Lzw),
    (b"/RunLengthDecode", Filter::RunLength),
    (b"/ASCII85Decode", Filter::Ascii85),
    (b"/ASCIIHexDecode", Filter::AsciiHex),
    (b"/Fl", Filter::Flate),
    (b"/LZW", Filter::Lzw),
    (b"/RL", Filter::RunLength),
    (b"/A85", Filter::Ascii85),
    (b"/AHx", Filter::AsciiHex),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    Flate,
    Lzw,
    RunLength,
    Ascii85,
    AsciiHex,
}

/// Refuses what would unpack to too much, and blanks the data of pictures.
pub(super) fn check(bytes: &mut [u8], cancel: &CancelFlag) -> Result<(), String> {
    if has_name(bytes, b"Encrypt") {
        return Err(ENCRYPTED.to_owned());
    }
    let mut total = 0;
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&bytes[from..], b"stream") {
        let at = from + found;
        from = at + b"stream".len();
        if bytes[..at].ends_with(b"end") || cancel.is_canceled() {
            continue;
        }
        let head = head(bytes, at);
        if is_picture(head) {
            let end = end_of_data(bytes, from);
            // The words around it stay, whatever the dictionary says of its length.
            bytes[from..end].fill(b' ');
            from = end;
            continue;
        }
        total += unpacked(head, &bytes[from..])?;
        if total > MAX_TOTAL_BYTES {
            return Err(too_large("it", MAX_TOTAL_BYTES));
        }
    }
    Ok(())
}

fn too_large(what: &str, most: usize) -> String {
    format!("{what} unpacks to more than {} MB", most >> 20)
}

/// What is before the data of a stream, from where its object begins.
fn head(bytes: &[u8], stream: usize) -> &[u8] {
    let head = &bytes[stream.saturating_sub(MAX_HEAD_BYTES)..stream];
    let start = memchr::memmem::rfind(head, b"obj").unwrap_or(0);
    &head[start..]
}

fn end_of_data(bytes: &[u8], from: usize) -> usize {
    memchr::memmem::find(&bytes[from..], b"endstream").map_or(bytes.len(), |end| from + end)
}

/// Whether a dictionary is that of a picture. One that says so in another way is measured.
fn is_picture(head: &[u8]) -> bool {
    memchr::memmem::find_iter(head, b"/Subtype").any(|at| {
        let value = head[at + b"/Subtype".len()..].trim_ascii_start();
        let rest = value.strip_prefix(b"/Image");
        rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
    })
}

/// Whether a name occurs, however it is written: `/Encrypt`, `/Encr#79pt`.
fn has_name(bytes: &[u8], name: &[u8]) -> bool {
    let at_name = |at: usize| {
        let mut rest = bytes[at + 1..].iter().copied();
        name.iter().all(|letter| next_letter(&mut rest) == Some(*letter))
    };
    memchr::memchr_iter(b'/', bytes).any(at_name)
}

fn next_letter(rest: &mut (impl Iterator<Item = u8> + Clone)) -> Option<u8> {
    let letter = rest.next()?;
    if letter != b'#' {
        return Some(letter);
    }
    let mut ahead = rest.clone();
    let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
    let (high, low) = (digit(ahead.next())?, digit(ahead.next())?);
    *rest = ahead;
    u8::try_from(high * 16 + low).ok()
}

/// How much a stream unpacks to.
fn unpacked(head: &[u8], data: &[u8]) -> Result<usize, String> {
    let Some(filters) = filters(head) else {
        let length = end_of_data(data, 0);
        let small = length <= SMALL_BYTES;
        return if small { Ok(length) } else { Err("a filter of it is unusual".to_owned()) };
    };
    let data = data.strip_prefix(b"\r").unwrap_or(data);
    let data = data.strip_prefix(b"\n").unwrap_or(data);
    let length = end_of_data(data, 0);
    let mut most = 0;
    let mut made: Option<Vec<u8>> = None;
    for filter in &filters {
        // A deflated stream ends itself: its data may hold the word that ends others.
        let input = match &made {
            Some(made) => made.as_slice(),
            None if *filter == Filter::Flate => data,
            None => &data[..length],
        };
        let output = filter.apply(input)?;
        most = most.max(output.len());
        made = Some(output);
    }
    Ok(most)
}

/// The filters of a stream, in order; none where they cannot be told.
fn filters(head: &[u8]) -> Option<Vec<Filter>> {
    // A reference to them, or a name with escaped letters, of which no program makes use.
    let value = |key: &[u8]| memchr::memmem::find(head, key).map(|at| &head[at + key.len()..]);
    let filter = value(b"/Filter").or_else(|| value(b"/F "));
    if let Some(value) = filter
        && value.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
    {
        return None;
    }
    if memchr::memchr(b'#', head).is_some() {
        return None;
    }
    let mut found: Vec<(usize, Filter)> = Vec::new();
    for (name, filter) in FILTERS {
        for at in memchr::memmem::find_iter(head, name) {
            let known = found.iter().any(|(other, _)| *other == at);
            let whole = !head.get(at + name.len()).is_some_and(u8::is_ascii_alphanumeric);
            if !known && whole {
                found.push((at, filter));
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    Some(found.into_iter().map(|(_, filter)| filter).collect())
}

impl Filter {
    /// Unpacks within bounds; what is broken ends it, as in the parser.
    fn apply(self, input: &[u8]) -> Result<Vec<u8>, String> {
        let limit = MAX_STREAM_BYTES as u64 + 1;
        let mut output = Bounded(Vec::new());
        match self {
            Self::Flate => {
                let zlib = input.first().is_some_and(|first| first & 0x0f == 8);
                // An error is the end, here as in the parser.
                let _ = if zlib {
                    ZlibDecoder::new(input).take(limit).read_to_end(&mut output.0)
                } else {
                    DeflateDecoder::new(input).take(limit).read_to_end(&mut output.0)
                };
            }
            Self::Lzw => {
                let mut decoder =
                    weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
                let _ = decoder.into_stream(&mut output).decode_all(input);
            }
            Self::RunLength => run_length(input, &mut output.0),
            Self::Ascii85 => output.0 = ascii_85(input),
            Self::AsciiHex => output.0 = ascii_hex(input),
        }
        if output.0.len() > MAX_STREAM_BYTES {
            return Err(too_large("a part of it", MAX_STREAM_BYTES));
        }
        Ok(output.0)
    }
}

/// Takes a little more than a stream may have, and then no more.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() > MAX_STREAM_BYTES {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn run_length(mut input: &[u8], output: &mut Vec<u8>) {
    while let [length, rest @ ..] = input
        && output.len() <= MAX_STREAM_BYTES
    {
        match (*length, rest) {
            (128, _) | (129.., []) => return,
            (129.., [byte, rest @ ..]) => {
                output.extend(std::iter::repeat_n(*byte, 257 - usize::from(*length)));
                input = rest;
            }
            (_, rest) => {
                let (copied, rest) = rest.split_at(rest.len().min(usize::from(*length) + 1));
                output.extend_from_slice(copied);
                input = rest;
            }
        }
    }
}

fn ascii_85(input: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(input.len() / 5 * 4);
    let (mut group, mut count) = (0_u32, 0);
    for byte in input {
        match byte {
            b'~' => break,
            b'z' if count == 0 => output.extend([0; 4]),
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    output.extend(group.to_be_bytes());
                    (group, count) = (0, 0);
                }
            }
            _ => {}
        }
    }
    if count > 1 {
        for _ in count..5 {
            group = group.wrapping_mul(85).wrapping_add(84);
        }
        output.extend(&group.to_be_bytes()[..count - 1]);
    }
    output
}

fn ascii_hex(input: &[u8]) -> Vec<u8> {
    let digits = input.iter().take_while(|byte| **byte != b'>');
    let digits: Vec<u8> = digits
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .filter_map(|d| d.try_into().ok())
        .collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair.get(1).unwrap_or(&0)).collect()
}
