//! The file for what does not fit into memory.
//!
//! It holds the raw bytes from the beginning up to a cap, so that a person can read it. When the
//! log is closed there follow a mark where something is missing, the end of the output, and a
//! table that says which bytes were of which stream ([`Footer`]). A file without its table, whose
//! process was killed, is read as standard output.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use encoding_rs::Encoding;

use crate::amount::{LeftOut, line_ends};
use crate::kept::{Kept, Prefix};
use crate::log::Count;
use crate::runs::Runs;

const MAGIC: u64 = u64::from_le_bytes(*b"dogu-out");
const FIELDS: usize = 16;
const FOOTER_BYTES: usize = FIELDS * 8;
/// What a foreign file may make us read into memory.
const MAX_TABLE: u64 = 64 * 1024 * 1024;

/// The file while the process runs.
pub(crate) struct Spill {
    file: Arc<File>,
    length: u64,
    cap: u64,
    /// Why nothing more is written.
    pub(crate) trouble: Option<String>,
}

impl Spill {
    pub(crate) fn new(file: File, cap: u64) -> Self {
        Self { file: Arc::new(file), length: 0, cap, trouble: None }
    }

    pub(crate) fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// How many bytes of the output are in the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Writes what the cap allows; returns how much that was. An error ends it, and is kept.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> usize {
        if self.trouble.is_some() {
            return 0;
        }
        let room = usize::try_from(self.cap - self.length).unwrap_or(usize::MAX);
        let mut written = 0;
        while written < bytes.len().min(room) {
            let rest = &bytes[written..bytes.len().min(room)];
            match self.file.write_at(rest, self.length) {
                Ok(0) => self.fail(&Error::from(ErrorKind::WriteZero)),
                Ok(size) => {
                    written += size;
                    self.length += size as u64;
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => self.fail(&error),
            }
            break;
        }
        written
    }

    fn fail(&mut self, error: &Error) {
        self.trouble = Some(format!("the spill file ends early: {error}"));
    }

    /// Appends the end of the output and the table.
    pub(crate) fn close(&mut self, kept: &Kept) {
        let mut gap = kept.gap;
        let mut order = kept.order.clone();
        if order.total() > self.length {
            // The file ended before the head in memory did.
            let Prefix::Memory(head) = &kept.prefix else { return };
            let lost = head.get(usize::try_from(self.length).unwrap_or(0)..).unwrap_or_default();
            gap.add(LeftOut { bytes: lost.len() as u64, lines: line_ends(lost) });
            order = order.slice(0, self.length);
        }
        let mark = if gap.is_none() { String::new() } else { format!("\n{}\n", gap.mark()) };
        let mut end = mark.clone().into_bytes();
        end.extend_from_slice(&kept.tail);
        let orders = [order.to_bytes(), kept.tail_order.to_bytes()];
        for order in &orders {
            end.extend_from_slice(order);
        }
        let footer = Footer {
            counts: kept.counts,
            gap,
            prefix: self.length,
            mark: mark.len() as u64,
            tail: kept.tail.len() as u64,
            orders: orders.map(|order| order.len() as u64),
            known: kept.known,
        };
        end.extend(footer.to_bytes());
        if let Err(error) = self.file.write_all_at(&end, self.length) {
            self.fail(&error);
            // What is there stays readable; if this fails, too, some of the end is shown twice.
            let _ = self.file.set_len(self.length);
        }
    }
}

/// The last bytes of a closed file.
struct Footer {
    counts: [Count; 2],
    gap: LeftOut,
    prefix: u64,
    mark: u64,
    tail: u64,
    orders: [u64; 2],
    known: [Option<&'static Encoding>; 2],
}

impl Footer {
    fn to_bytes(&self) -> impl Iterator<Item = u8> {
        let [out, err] = self.counts;
        let [out_name, err_name] = self.known.map(name_to_fields);
        let fields: [u64; FIELDS] = [
            out.bytes,
            out.lines,
            err.bytes,
            err.lines,
            self.gap.bytes,
            self.gap.lines,
            self.prefix,
            self.mark,
            self.tail,
            self.orders[0],
            self.orders[1],
            out_name[0],
            out_name[1],
            err_name[0],
            err_name[1],
            MAGIC,
        ];
        fields.into_iter().flat_map(u64::to_le_bytes)
    }

    /// None where a file of this length has another end.
    fn from_bytes(bytes: &[u8; FOOTER_BYTES], length: u64) -> Option<Self> {
        let mut fields = [0; FIELDS];
        for (field, bytes) in fields.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *field = u64::from_le_bytes(*bytes);
        }
        let count = |at: usize| Count { bytes: fields[at], lines: fields[at + 1] };
        let footer = Self {
            counts: [count(0), count(2)],
            gap: LeftOut { bytes: fields[4], lines: fields[5] },
            prefix: fields[6],
            mark: fields[7],
            tail: fields[8],
            orders: [fields[9], fields[10]],
            known: [
                fields_to_name([fields[11], fields[12]]),
                fields_to_name([fields[13], fields[14]]),
            ],
        };
        (fields[15] == MAGIC && footer.fits(length)).then_some(footer)
    }

    fn fits(&self, length: u64) -> bool {
        let parts = [self.prefix, self.mark, self.tail, self.orders[0], self.orders[1]];
        let sum = |parts: &[u64]| parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(*part));
        let file = sum(&parts).and_then(|sum| sum.checked_add(FOOTER_BYTES as u64));
        let printed = sum(&[self.prefix, self.gap.bytes, self.tail]);
        file == Some(length)
            && printed.is_some()
            && printed == sum(&[self.counts[0].bytes, self.counts[1].bytes])
            && parts[1..].iter().all(|part| *part <= MAX_TABLE)
    }
}

/// The name of an encoding in sixteen bytes, which is more than any has.
fn name_to_fields(encoding: Option<&'static Encoding>) -> [u64; 2] {
    let mut bytes = [0; 16];
    let name = encoding.map_or("", Encoding::name).as_bytes();
    let length = name.len().min(bytes.len());
    bytes[..length].copy_from_slice(&name[..length]);
    let (first, second) = bytes.split_at(8);
    [first, second]
        .map(|half| half.iter().rev().fold(0, |field, byte| field << 8 | u64::from(*byte)))
}

fn fields_to_name(fields: [u64; 2]) -> Option<&'static Encoding> {
    let bytes: Vec<u8> = fields.into_iter().flat_map(u64::to_le_bytes).collect();
    Encoding::for_label(bytes.split(|byte| *byte == 0).next().unwrap_or_default())
}

/// What a file holds, closed or not.
pub(crate) fn open(file: File) -> Result<Kept> {
    let length = file.metadata()?.len();
    let footer = read_footer(&file, length)?;
    let kept = match footer {
        Some(footer) => with_table(&file, &footer)?,
        None => None,
    };
    let file = Arc::new(file);
    Ok(match kept {
        Some(mut kept) => {
            kept.prefix = Prefix::File { file, begin: 0, length: kept.order.total() };
            kept
        }
        None => without_table(file, length),
    })
}

fn read_footer(file: &File, length: u64) -> Result<Option<Footer>> {
    let Some(at) = length.checked_sub(FOOTER_BYTES as u64) else { return Ok(None) };
    let mut bytes = [0; FOOTER_BYTES];
    file.read_exact_at(&mut bytes, at)?;
    Ok(Footer::from_bytes(&bytes, length))
}

/// All but the prefix; none where the table does not fit.
fn with_table(file: &File, footer: &Footer) -> Result<Option<Kept>> {
    let mut at = footer.prefix + footer.mark;
    let mut part = |length: u64| -> Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        file.read_exact_at(&mut bytes, at)?;
        at += length;
        Ok(bytes)
    };
    let tail = part(footer.tail)?;
    let order = Runs::from_bytes(&part(footer.orders[0])?, footer.prefix);
    let tail_order = Runs::from_bytes(&part(footer.orders[1])?, footer.tail);
    let (Some(order), Some(tail_order)) = (order, tail_order) else { return Ok(None) };
    let Footer { counts, gap, known, .. } = *footer;
    Ok(Some(Kept { counts, order, gap, tail, tail_order, known, ..Kept::default() }))
}

fn without_table(file: Arc<File>, length: u64) -> Kept {
    // Its lines are not counted: that would read all of it.
    let counts = [Count { bytes: length, lines: 0 }, Count::default()];
    let prefix = Prefix::File { file, begin: 0, length };
    let trouble = Some("the process was not seen to its end".to_owned());
    Kept { counts, prefix, order: Runs::single(length), trouble, ..Kept::default() }
}
