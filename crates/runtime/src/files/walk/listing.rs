//! The names in a folder, a piece at a time.

use rustix::fd::BorrowedFd;
use rustix::io::Errno;

use super::names::Names;

/// How much the kernel is asked for at once.
const BUFFER: usize = 64 * 1024;
/// How many bytes of names make a piece. Whoever has all of a folder knows which ignore files
/// it has; in a larger one they are asked for by name.
const PIECE: usize = 1024 * 1024;

/// Memory to list folders with, one after the other.
pub(super) struct Lister {
    #[cfg(target_os = "linux")]
    buffer: Vec<u8>,
}

#[cfg(target_os = "linux")]
impl Lister {
    pub(super) fn new() -> Self {
        Self { buffer: Vec::with_capacity(BUFFER) }
    }

    /// Adds the next piece of a folder's names; says whether there may be more.
    pub(super) fn next_piece(
        &mut self,
        folder: BorrowedFd<'_>,
        names: &mut Names,
    ) -> Result<bool, Errno> {
        let mut entries = rustix::fs::RawDir::new(folder, self.buffer.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = match entry {
                // The folder was removed meanwhile: there is nothing more in it.
                Err(Errno::NOENT) => return Ok(false),
                other => other?,
            };
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                names.push(entry.file_name(), entry.file_type());
            }
            // What the kernel gave must be used up before the buffer is let go.
            if names.size() >= PIECE && entries.is_buffer_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(not(target_os = "linux"))]
impl Lister {
    pub(super) fn new() -> Self {
        let _ = (BUFFER, PIECE);
        Self {}
    }

    /// Adds a folder's names, all of them: its position cannot be kept between pieces.
    pub(super) fn next_piece(
        &mut self,
        folder: BorrowedFd<'_>,
        names: &mut Names,
    ) -> Result<bool, Errno> {
        for entry in rustix::fs::Dir::read_from(folder)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                names.push(entry.file_name(), entry.file_type());
            }
        }
        Ok(false)
    }
}
