//! The form of a sealed file: `dogu-sealed VERSION COUNTER SEAL`, a line's end, the content.

use std::path::Path;

use blake3::Hash;

use super::SealProblem;
use super::vault::Key;

const MAGIC: &str = "dogu-sealed";
const VERSION: &str = "1";

/// The bytes of a sealed file.
pub(super) fn close(key: &Key, label: &str, counter: u64, payload: &[u8]) -> Vec<u8> {
    let seal = seal(key, label, counter, payload).to_hex();
    let mut bytes = format!("{MAGIC} {VERSION} {counter} {seal}\n").into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

/// The counter and the content, if the seal holds. Only the very bytes that [`close`] writes do:
/// another spelling of the same header is a change, too.
pub(super) fn open<'a>(
    key: &Key,
    label: &str,
    bytes: &'a [u8],
    path: &Path,
) -> Result<(u64, &'a [u8]), SealProblem> {
    let changed = || SealProblem::Changed { path: path.to_owned() };
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(changed)?;
    let header = std::str::from_utf8(&bytes[..end]).map_err(|_| changed())?;
    let payload = &bytes[end + 1..];
    let words: Vec<&str> = header.split(' ').collect();
    let [MAGIC, version, counter, written] = words[..] else { return Err(changed()) };
    if version != VERSION {
        return Err(SealProblem::Version { path: path.to_owned() });
    }
    let number: u64 = counter.parse().map_err(|_| changed())?;
    let hash = Hash::from_hex(written).map_err(|_| changed())?;
    let spelt_as_written = number.to_string() == counter && *hash.to_hex() == *written;
    // Equality of hashes takes the same time wherever they differ.
    if spelt_as_written && hash == seal(key, label, number, payload) {
        Ok((number, payload))
    } else {
        Err(changed())
    }
}

/// Everything that is fixed goes in with its length, so that no two contents read the same.
fn seal(key: &Key, label: &str, counter: u64, payload: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new_keyed(key.bytes());
    for part in [VERSION.as_bytes(), label.as_bytes(), &counter.to_le_bytes(), payload] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}
