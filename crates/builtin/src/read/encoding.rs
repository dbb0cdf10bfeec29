//! How the bytes of a file stand for text: told by a byte order mark, or guessed from a sample.

use std::borrow::Cow;
use std::io::{Read, Result, Seek, SeekFrom};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// How much of a file is looked at.
pub(super) const SAMPLE_BYTES: usize = 64 * 1024;
/// A NUL in so much of the beginning makes a file binary. Later ones do not: a log that lost
/// some of its pages in a crash still is a log.
const NUL_BYTES: usize = 8 * 1024;
/// How far the first byte that is not ASCII is looked for.
const MAX_ASCII_BYTES: u64 = 16 * 1024 * 1024;
/// How much of a sample may be control characters in a text, in percent.
const MAX_CONTROL_PERCENT: usize = 2;

/// How a text is written in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// UTF-8, ASCII included; with or without a byte order mark.
    Utf8 { marked: bool },
    /// Units of two or four bytes.
    Wide(Wide),
    /// One of the older encodings, guessed. In all of them a newline is one byte, and no other
    /// character has that byte.
    Legacy(&'static Encoding),
}

/// UTF-16 and UTF-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wide {
    four: bool,
    big: bool,
    marked: bool,
}

/// How a file is written, judging by a sample, which may be all of it; none where it is binary.
pub(super) fn detect(sample: &[u8], whole: bool) -> Option<Coding> {
    if let Some(coding) = marked(sample) {
        return Some(coding);
    }
    let (sample, whole) = match memchr::memchr(0, sample) {
        Some(at) if at < NUL_BYTES => return unmarked_wide(sample, whole).map(Coding::Wide),
        Some(at) => (&sample[..at], true),
        None => (sample, whole),
    };
    if memchr::memchr(0x1b, sample).is_some() && sample.is_ascii() {
        let japanese = legacy(sample, whole).filter(|guess| *guess == encoding_rs::ISO_2022_JP);
        return Some(japanese.map_or(Coding::Utf8 { marked: false }, Coding::Legacy));
    }
    if is_utf8(sample, whole) {
        let text = !sample.is_ascii() || is_text(sample);
        return text.then_some(Coding::Utf8 { marked: false });
    }
    if !is_text(sample) {
        return None;
    }
    Some(legacy(sample, whole).map_or(Coding::Utf8 { marked: false }, Coding::Legacy))
}

/// A sample of a file that says more than its beginning does, where that is all ASCII.
pub(super) fn later_sample(mut file: impl Read + Seek, size: u64) -> Result<Option<Vec<u8>>> {
    let mut block = vec![0; SAMPLE_BYTES];
    let mut read = SAMPLE_BYTES as u64;
    file.seek(SeekFrom::Start(read))?;
    while read < size.min(MAX_ASCII_BYTES) {
        let got = file.read(&mut block)?;
        if got == 0 {
            break;
        }
        if let Some(at) = block[..got].iter().position(|byte| !byte.is_ascii()) {
            // From a few bytes before it, which tell what kind of letters are around.
            file.seek(SeekFrom::Start(read + at.saturating_sub(64) as u64))?;
            let got = fill(&mut file, &mut block)?;
            block.truncate(got);
            return Ok(Some(block));
        }
        read += got as u64;
    }
    Ok(None)
}

/// Reads until the buffer is full or the file ends.
pub(super) fn fill(mut file: impl Read, into: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < into.len() {
        match file.read(&mut into[filled..]) {
            Ok(0) => break,
            Ok(size) => filled += size,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn marked(sample: &[u8]) -> Option<Coding> {
    let wide = |four, big| Some(Coding::Wide(Wide { four, big, marked: true }));
    match sample {
        [0xef, 0xbb, 0xbf, ..] => Some(Coding::Utf8 { marked: true }),
        [0xff, 0xfe, 0, 0, ..] if sample.len().is_multiple_of(4) => wide(true, false),
        [0, 0, 0xfe, 0xff, ..] => wide(true, true),
        [0xff, 0xfe, ..] => wide(false, false),
        [0xfe, 0xff, ..] => wide(false, true),
        _ => None,
    }
}

/// Wide units without a mark: their zero bytes stand on one side only, and what they spell is
/// text without control characters.
fn unmarked_wide(sample: &[u8], whole: bool) -> Option<Wide> {
    let candidates = [(true, false), (true, true), (false, false), (false, true)];
    let wide = |(four, big)| Wide { four, big, marked: false };
    candidates.into_iter().map(wide).find(|wide| {
        let unit = if wide.four { 4 } else { 2 };
        let (text, _, errors) = wide.decode(sample, false);
        let fits = !whole || sample.len().is_multiple_of(unit);
        fits && !errors
            && text.contains(|letter: char| letter.is_ascii())
            && !text.contains(strange)
    })
}

/// A character that no text has, but for files that steer terminals.
fn strange(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\x0c' | '\x1b'))
        || matches!(letter, '\u{fffe}' | '\u{ffff}' | '\u{e000}'..='\u{f8ff}')
}

/// Few control characters.
fn is_text(sample: &[u8]) -> bool {
    let control = |byte: &u8| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    // Counted in bytes first, of which a step takes many.
    let counted = |piece: &[u8]| {
        usize::from(piece.iter().fold(0, |count, byte| count + u8::from(control(byte))))
    };
    let controls: usize = sample.chunks(usize::from(u8::MAX)).map(counted).sum();
    controls * 100 <= sample.len() * MAX_CONTROL_PERCENT || controls < 4
}

/// UTF-8, even if some bytes are broken: far more characters of several bytes are whole than
/// not, which no other encoding has.
fn is_utf8(sample: &[u8], whole: bool) -> bool {
    // Nearly every text: told many times as fast as what is broken can be counted.
    if simdutf8::basic::from_utf8(sample).is_ok() {
        return true;
    }
    let (mut letters, mut broken) = (0_usize, 0_usize);
    for chunk in sample.utf8_chunks() {
        letters += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    // A sample may end inside of a character.
    let cut = std::str::from_utf8(sample).is_err_and(|error| error.error_len().is_none());
    if cut && !whole {
        broken -= 1;
    }
    broken == 0 || letters > 2 * broken
}

fn legacy(sample: &[u8], whole: bool) -> Option<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, whole);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let (text, errors) = guess.decode_without_bom_handling(sample);
    // A sample may end inside of a character, nowhere else.
    let broken = errors && text.matches('\u{fffd}').count() > usize::from(!whole);
    (!broken && is_worded(sample, guess)).then_some(guess)
}

/// The last guess of all is taken only where the bytes stand beside letters: a single wild byte
/// in a text of ASCII is a broken character, not a letter of another encoding.
fn is_worded(sample: &[u8], guess: &'static Encoding) -> bool {
    if guess != encoding_rs::WINDOWS_1252 {
        return true;
    }
    let letter =
        |at: Option<usize>| at.and_then(|at| sample.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let mut wild = (0..sample.len()).filter(|at| !sample[*at].is_ascii());
    wild.any(|at| letter(at.checked_sub(1)) || letter(at.checked_add(1)))
}

impl Coding {
    /// A line as text, and whether some of it could not be decoded.
    pub(super) fn decode(self, line: &[u8]) -> (Cow<'_, str>, bool) {
        if let Self::Legacy(encoding) = self {
            return encoding.decode_without_bom_handling(line);
        }
        match std::str::from_utf8(line) {
            Ok(text) => (text.into(), false),
            Err(_) => (String::from_utf8_lossy(line), true),
        }
    }

    /// A whole content as text, with its coding; none where it is binary, or where the text would
    /// not give the same bytes again. A byte order mark is the first character of the text.
    pub(crate) fn whole(bytes: Vec<u8>) -> Option<(String, Self)> {
        let bytes = match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => {
                let marked = text.starts_with('\u{feff}');
                return Some((text, Self::Utf8 { marked }));
            }
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        let coding = detect(&bytes, true)?;
        let (text, broken) = match coding {
            Self::Utf8 { .. } => return None,
            Self::Wide(wide) => {
                let (text, _, broken) = wide.decode(&bytes, true);
                (text, broken)
            }
            Self::Legacy(encoding) => {
                let (text, broken) = encoding.decode_without_bom_handling(&bytes);
                (text.into_owned(), broken)
            }
        };
        let same = !broken && coding.encode(&text).is_ok_and(|again| again == bytes);
        same.then_some((text, coding))
    }

    /// The bytes of a text; the first character that the encoding does not have.
    pub(crate) fn encode(self, text: &str) -> std::result::Result<Vec<u8>, char> {
        match self {
            Self::Utf8 { .. } => Ok(text.as_bytes().to_vec()),
            Self::Wide(wide) => Ok(wide.encode(text)),
            Self::Legacy(encoding) => {
                let mut encoder = encoding.new_encoder();
                let room = encoder.max_buffer_length_from_utf8_without_replacement(text.len());
                let mut bytes = Vec::with_capacity(room.unwrap_or(text.len()));
                let (result, _) =
                    encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true);
                match result {
                    encoding_rs::EncoderResult::Unmappable(letter) => Err(letter),
                    _ => Ok(bytes),
                }
            }
        }
    }

    /// The encoding's usual name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 { .. } => "UTF-8",
            Self::Wide(wide) => wide.name(),
            Self::Legacy(encoding) => encoding.name(),
        }
    }

    /// What is to be said of it; nothing of plain UTF-8.
    pub(super) fn note(self) -> Option<String> {
        match self {
            Self::Utf8 { marked: false } => None,
            Self::Utf8 { marked: true } => {
                Some("(the file begins with a UTF-8 byte order mark)".to_owned())
            }
            Self::Wide(Wide { marked: true, .. }) => {
                Some(format!("(decoded from {}, which a byte order mark tells)", self.name()))
            }
            _ => Some(format!("(decoded from {})", self.name())),
        }
    }
}

impl Wide {
    fn name(self) -> &'static str {
        match (self.four, self.big) {
            (false, false) => "UTF-16LE",
            (false, true) => "UTF-16BE",
            (true, false) => "UTF-32LE",
            (true, true) => "UTF-32BE",
        }
    }

    fn encode(self, text: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(text.len() * 2);
        if self.four {
            for letter in text.chars().map(u32::from) {
                bytes.extend(if self.big { letter.to_be_bytes() } else { letter.to_le_bytes() });
            }
        } else {
            for unit in text.encode_utf16() {
                bytes.extend(if self.big { unit.to_be_bytes() } else { unit.to_le_bytes() });
            }
        }
        bytes
    }

    /// The text of whole characters, how many bytes they took, and whether any was broken.
    /// What is not whole yet is left, but at the end of the file.
    pub(super) fn decode(self, bytes: &[u8], last: bool) -> (String, usize, bool) {
        let (text, used, errors) =
            if self.four { self.decode_four(bytes) } else { self.decode_two(bytes, last) };
        if last && used < bytes.len() {
            return (text + "\u{fffd}", bytes.len(), true);
        }
        (text, used, errors)
    }

    fn decode_two(self, bytes: &[u8], last: bool) -> (String, usize, bool) {
        let unit = |pair: &[u8; 2]| {
            if self.big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) }
        };
        let mut units: Vec<u16> = bytes.as_chunks().0.iter().map(unit).collect();
        if !last && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            units.pop();
        }
        let used = units.len() * 2;
        let (text, errors) = collected(char::decode_utf16(units).map(std::result::Result::ok));
        (text, used, errors)
    }

    fn decode_four(self, bytes: &[u8]) -> (String, usize, bool) {
        let letter = |unit: &[u8; 4]| {
            char::from_u32(if self.big {
                u32::from_be_bytes(*unit)
            } else {
                u32::from_le_bytes(*unit)
            })
        };
        let units = bytes.as_chunks::<4>().0;
        let (text, errors) = collected(units.iter().map(letter));
        (text, units.len() * 4, errors)
    }
}

fn collected(letters: impl Iterator<Item = Option<char>>) -> (String, bool) {
    let mut errors = false;
    let text = letters.map(|letter| {
        errors |= letter.is_none();
        letter.unwrap_or('\u{fffd}')
    });
    let text = text.collect();
    (text, errors)
}
