//! Documents as text: what is made of a file that is no text by itself, with marks of its parts.

use std::io::{ErrorKind, Read as _, Result, Seek as _, SeekFrom};

use super::encoding::Coding;
use super::file::{Reading, Seeing};
use super::part::Part;
use super::source::Origin;
use super::text::TextFile;

/// How large a file may be that is held as a whole.
pub(super) const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// How much text is made of a document.
pub(super) const MAX_MADE_BYTES: usize = 8 * 1024 * 1024;
/// How many parts are listed with the lines where they begin.
const MAX_LISTED: usize = 60;
/// How much is read between two looks at whether the call was canceled.
const BLOCK_BYTES: usize = 1024 * 1024;

/// The text that is made of a document.
#[derive(Debug, Default)]
pub(super) struct Document {
    text: String,
    lines: u64,
    /// What its parts are called, and the lines where they begin.
    parts: Vec<(String, u64)>,
    full: bool,
}

impl Document {
    /// A line that begins a part.
    pub(super) fn begin(&mut self, name: impl Into<String>, mark: &str) {
        if self.full {
            return;
        }
        self.parts.push((name.into(), self.lines + 1));
        self.line(&format!("--- {} ---", mark.replace(is_control, " ")));
    }

    /// Adds lines, as long as there is room.
    pub(super) fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(line));
    }

    /// Adds one line, as long as there is room.
    pub(super) fn line(&mut self, line: &str) {
        if self.text.len() + line.len() >= MAX_MADE_BYTES {
            self.full = true;
        }
        if self.full {
            return;
        }
        // A view of a document steers no terminal and ends no line before its end.
        self.text.extend(line.chars().filter(|letter| *letter == '\t' || !letter.is_control()));
        self.text.push('\n');
        self.lines += 1;
    }

    /// There is no room for more.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// How many parts it has.
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Shows the lines that are wanted; `about` says what the file is, and `kind` what its parts
    /// are called together.
    pub(super) fn show(self, reading: &Reading<'_>, about: &str, kind: &str) -> Result<String> {
        let document = TextFile {
            origin: Origin::Held(self.text.as_bytes()),
            coding: Coding::Utf8 { marked: false },
            path: reading.wanted.path.as_str(),
            budget: reading.budget,
            cancel: reading.ctx.cancel(),
        };
        let shown = match &reading.wanted.part {
            Part::Slices(slices) => document.show(slices),
            Part::Block(block) => document.show_block(block),
        };
        let mut text = if self.text.is_empty() { String::new() } else { shown?.text };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("({about}; lines are numbered in this view, not in the file)\n"));
        if self.full {
            let most = MAX_MADE_BYTES >> 20;
            text.push_str(&format!("(the text of it ends here: a view has {most} MB at most)\n"));
        }
        if self.parts.len() > 1 {
            text.push_str(&format!("({kind} by first line: {})\n", self.listed()));
        }
        Ok(text)
    }

    /// `a 1, b 20`; of many parts some, evenly.
    fn listed(&self) -> String {
        let step = self.parts.len().div_ceil(MAX_LISTED);
        let listed = self.parts.iter().step_by(step);
        let listed: Vec<String> = listed
            .map(|(name, line)| format!("{} {line}", name.replace(is_control, " ")))
            .collect();
        let every = if step > 1 { format!(" (every {step}th)") } else { String::new() };
        listed.join(", ") + &every
    }
}

fn is_control(letter: char) -> bool {
    letter.is_control()
}

/// A file that is held as a whole.
pub(super) struct Whole {
    pub(super) bytes: Vec<u8>,
    pub(super) hash: [u8; 32],
}

impl Whole {
    fn new(bytes: Vec<u8>) -> Self {
        let hash = *blake3::hash(&bytes).as_bytes();
        Self { bytes, hash }
    }

    /// What is shown, with the hash of the file.
    pub(super) fn seen(&self, text: String) -> Seeing {
        Seeing::of_text(text, self.hash)
    }
}

impl Reading<'_> {
    /// All bytes of the file; none where it is too large.
    pub(super) fn whole(&self) -> Result<Option<Whole>> {
        if self.size > MAX_FILE_BYTES {
            return Ok(None);
        }
        if let Some(bytes) = &self.small {
            self.go_on()?;
            return Ok(Some(Whole::new(bytes.clone())));
        }
        let mut file = self.file;
        file.seek(SeekFrom::Start(0))?;
        let room = usize::try_from(self.size).unwrap_or(0);
        let mut bytes = Vec::with_capacity(room + 1);
        let mut left = file.take(MAX_FILE_BYTES + 1);
        loop {
            self.go_on()?;
            let got = (&mut left).take(BLOCK_BYTES as u64).read_to_end(&mut bytes)?;
            if got == 0 {
                break;
            }
        }
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Ok(None);
        }
        Ok(Some(Whole::new(bytes)))
    }

    /// An interruption, where the call was canceled.
    fn go_on(&self) -> Result<()> {
        if self.ctx.cancel().is_canceled() {
            return Err(ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}
