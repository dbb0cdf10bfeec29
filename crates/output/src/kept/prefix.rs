//! The beginning of an output, in memory or in the spill file.

use std::fs::File;
use std::io::Result;
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::amount::line_ends;

/// How much of a file is read at once.
const CHUNK: usize = 64 * 1024;

/// The first bytes of an output.
#[derive(Clone)]
pub(crate) enum Prefix {
    Memory(Vec<u8>),
    File { file: Arc<File>, begin: u64, length: u64 },
}

impl Default for Prefix {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl Prefix {
    pub(super) fn skip(&mut self, bytes: u64) {
        match self {
            Self::Memory(head) => {
                let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(head.len());
                head.drain(..bytes);
            }
            Self::File { begin, length, .. } => {
                *begin += bytes.min(*length);
                *length -= bytes.min(*length);
            }
        }
    }

    pub(super) fn shorten(&mut self, left: u64) {
        match self {
            Self::Memory(head) => head.truncate(usize::try_from(left).unwrap_or(usize::MAX)),
            Self::File { length, .. } => *length = left.min(*length),
        }
    }

    /// Passes everything on. Continues with how many bytes could not be read.
    pub(super) fn visit(
        &self,
        each: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        match self {
            Self::Memory(head) => {
                each(head)?;
                ControlFlow::Continue(0)
            }
            Self::File { file, begin, length } => {
                let mut chunk = vec![0; CHUNK];
                let mut rest = *length;
                while rest > 0 {
                    let want = usize::try_from(rest).unwrap_or(CHUNK).min(CHUNK);
                    let at = begin + (length - rest);
                    let Ok(got @ 1..) = read_some(file, &mut chunk[..want], at) else { break };
                    each(&chunk[..got])?;
                    rest -= got as u64;
                }
                ControlFlow::Continue(rest)
            }
        }
    }

    /// A part; what cannot be read is blank, so that all lengths stay right.
    pub(super) fn read(&self, from: u64, to: u64) -> Vec<u8> {
        let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        match self {
            Self::Memory(head) => {
                head[index(from).min(head.len())..index(to).min(head.len())].to_vec()
            }
            Self::File { file, begin, .. } => {
                let mut bytes = vec![b'\n'; index(to - from)];
                let mut filled = 0;
                while filled < bytes.len() {
                    let at = begin + from + filled as u64;
                    let Ok(got @ 1..) = read_some(file, &mut bytes[filled..], at) else { break };
                    filled += got;
                }
                bytes
            }
        }
    }

    pub(super) fn line_ends(&self, mut from: u64, to: u64) -> u64 {
        let mut lines = 0;
        while from < to {
            let until = to.min(from + CHUNK as u64);
            lines += line_ends(&self.read(from, until));
            from = until;
        }
        lines
    }
}

fn read_some(file: &File, into: &mut [u8], at: u64) -> Result<usize> {
    loop {
        match file.read_at(into, at) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
