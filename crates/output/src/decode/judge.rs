//! What a block of bytes is: UTF-8, text in an older encoding, or no text at all.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How much of a text may be control characters, in percent.
const MAX_CONTROL_PERCENT: usize = 2;
/// So few control characters make nothing binary.
const FEW_CONTROLS: usize = 4;
/// How much may be NUL where it ends names.
const MAX_NAME_NUL_PERCENT: usize = 30;
/// How much of a text may be NUL (wide characters among others).
const MAX_NUL_PERCENT: usize = 60;

/// What a block is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Utf8,
    Coded(&'static Encoding),
    Binary,
}

/// Judges a block that is not simply UTF-8 without NUL. `whole` says that nothing follows it, so
/// that its last character cannot be a cut one.
pub(super) fn judge(block: &[u8], whole: bool) -> Verdict {
    if memchr::memchr(0, block).is_some() {
        return with_nul(block, whole);
    }
    if is_utf8(block, whole) && few_controls(block) {
        return Verdict::Utf8;
    }
    if !few_controls(block) {
        return Verdict::Binary;
    }
    legacy(block, whole).map_or(Verdict::Utf8, Verdict::Coded)
}

/// A byte order mark of UTF-16, with which a stream may begin.
pub(super) fn marked(block: &[u8]) -> Option<&'static Encoding> {
    match block {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => None,
    }
}

fn with_nul(block: &[u8], whole: bool) -> Verdict {
    let nuls = memchr::memchr_iter(0, block).count();
    let others = controls(block) - nuls;
    // Names that NUL ends. Wide characters have more NULs, or are no UTF-8.
    let valid = std::str::from_utf8(&block[..block.len() - cut_end(block)]).is_ok();
    if valid && others == 0 && nuls * 100 <= block.len() * MAX_NAME_NUL_PERCENT {
        return Verdict::Utf8;
    }
    if let Some(wide) = [UTF_16LE, UTF_16BE].into_iter().find(|wide| spells(block, wide, whole)) {
        return Verdict::Coded(wide);
    }
    let text = nuls * 100 <= block.len() * MAX_NUL_PERCENT
        && is_utf8(block, whole)
        && others < FEW_CONTROLS;
    if text { Verdict::Utf8 } else { Verdict::Binary }
}

/// Whether the block is text of two bytes a unit: no errors but at a cut end, ASCII among it, and
/// nothing that no text has.
fn spells(block: &[u8], wide: &'static Encoding, whole: bool) -> bool {
    let even = block.len() & !1;
    if whole && even != block.len() {
        return false;
    }
    let (text, errors) = wide.decode_without_bom_handling(&block[..even]);
    let cut = usize::from(!whole);
    let broken = errors && text.matches('\u{fffd}').count() > cut;
    !broken && text.contains(|letter: char| letter.is_ascii()) && !text.contains(strange)
}

/// A character that no text has, but for what steers terminals.
fn strange(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\x07'..='\x0d' | '\x1b'))
        || matches!(letter, '\u{fffe}' | '\u{ffff}' | '\u{e000}'..='\u{f8ff}')
}

fn controls(block: &[u8]) -> usize {
    let control = |byte: &&u8| matches!(byte, 0..=6 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    block.iter().filter(control).count()
}

fn few_controls(block: &[u8]) -> bool {
    let controls = controls(block);
    controls < FEW_CONTROLS || controls * 100 <= block.len() * MAX_CONTROL_PERCENT
}

/// UTF-8, even if some bytes are broken: far more characters of several bytes are whole than not,
/// which no other encoding has.
fn is_utf8(block: &[u8], whole: bool) -> bool {
    let (mut letters, mut broken) = (0_usize, 0_usize);
    for chunk in block.utf8_chunks() {
        letters += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    // Two bytes of three or more are no accident, even where nothing follows.
    if cut_end(block) > usize::from(whole) {
        broken = broken.saturating_sub(1);
    }
    broken == 0 || letters > 2 * broken
}

fn legacy(block: &[u8], whole: bool) -> Option<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(block, whole);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let (text, errors) = guess.decode_without_bom_handling(block);
    let broken = errors && text.matches('\u{fffd}').count() > usize::from(!whole);
    (!broken && is_worded(block, guess)).then_some(guess)
}

/// The guess of last resort counts only where its letters stand beside others: a single wild byte
/// among ASCII is a broken character.
fn is_worded(block: &[u8], guess: &'static Encoding) -> bool {
    let letter =
        |at: Option<usize>| at.and_then(|at| block.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let mut wild = (0..block.len()).filter(|at| !block[*at].is_ascii());
    guess != WINDOWS_1252 || wild.any(|at| letter(at.checked_sub(1)) || letter(at.checked_add(1)))
}

/// How many bytes at the end are the beginning of a UTF-8 character that goes on.
pub(crate) fn cut_end(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    let Some(lead) = bytes[from..].iter().rposition(|byte| *byte >= 0xc0) else { return 0 };
    let end = &bytes[from + lead..];
    let cut = std::str::from_utf8(end).is_err_and(|error| error.error_len().is_none());
    if cut { end.len() } else { 0 }
}

/// The same for an encoding, which is UTF-8 where there is none.
pub(crate) fn cut_end_of(bytes: &[u8], encoding: Option<&'static Encoding>) -> usize {
    let Some(encoding) = encoding else { return cut_end(bytes) };
    // No character of several bytes has one of these, so that one begins behind them.
    let begin = bytes.iter().rposition(|byte| *byte < 0x30).map_or(0, |at| at + 1);
    let end = &bytes[begin..];
    let whole = |cut: &usize| {
        !encoding.decode_without_bom_handling(&end[..end.len().saturating_sub(*cut)]).1
    };
    (0..=end.len().min(3)).find(whole).unwrap_or(0)
}

/// Whether an encoding has units of two bytes.
pub(crate) fn is_wide(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// The lines of text that a binary block begins with, and the text that it ends with: where the
/// one ends, and where the other begins.
pub(super) fn text_around(block: &[u8], last: bool) -> (usize, usize) {
    const MIN_BYTES: usize = 32;
    const MIN_LINE: usize = 3;
    let (first, behind) = no_text(&block[..block.len() - cut_end(block)]);
    let lead = memchr::memrchr(b'\n', &block[..first]).map_or(0, |at| at + 1);
    let lead = if lead < MIN_LINE { 0 } else { lead };
    let end = &block[behind..];
    let enough = end.len() >= MIN_BYTES || (last && end.len() >= MIN_LINE && end.ends_with(b"\n"));
    (lead, if enough { behind } else { block.len() })
}

/// Where the first byte is that no text has, and what follows the last one.
fn no_text(block: &[u8]) -> (usize, usize) {
    let bad = |byte: u8| byte.is_ascii_control() && !matches!(byte, 0x07..=0x0d | 0x1b);
    let (mut at, mut first, mut behind) = (0, None, 0);
    for chunk in block.utf8_chunks() {
        let valid = chunk.valid();
        if let Some(bad) = valid.bytes().position(bad) {
            first = first.or(Some(at + bad));
        }
        if let Some(bad) = valid.bytes().rposition(bad) {
            behind = at + bad + 1;
        }
        at += valid.len();
        if !chunk.invalid().is_empty() {
            first = first.or(Some(at));
            at += chunk.invalid().len();
            behind = at;
        }
    }
    (first.unwrap_or(at), behind)
}
