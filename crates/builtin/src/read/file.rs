//! One file: what it is, what is shown of it, and that it was seen.

use std::fs::File;
use std::io::{Cursor, ErrorKind, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use dogu_tool::{Content, Ctx, FileKind, FileStamp, Output, Seen, ToolError};

use super::document::{MAX_FILE_BYTES, Whole};
use super::encoding::{Coding, SAMPLE_BYTES, detect, fill, later_sample};
use super::input::Wanted;
use super::part::Part;
use super::source::Origin;
use super::text::{Shown, TextFile};
use super::{binary, image, notebook, office, pdf, source};

/// For so long the clock of a file system may stand still, generously.
const TICK_NANOSECONDS: i128 = 50_000_000;
/// A file of at most so many bytes is read once, into memory, and told and shown from there.
const MAX_SMALL_BYTES: u64 = 256 * 1024;
/// How often a file is read that changes meanwhile.
const MAX_TRIES: usize = 3;

/// What the model is shown of a file: words, and at times a picture.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) text: String,
    pub(super) image: Option<Content>,
}

impl From<View> for Output {
    fn from(view: View) -> Self {
        let content = [Content::text(view.text)].into_iter().chain(view.image).collect();
        Self::of(content)
    }
}

/// What is shown of a file, and the hash of all of it where all of it was read.
pub(super) struct Seeing {
    pub(super) view: View,
    pub(super) hash: Option<[u8; 32]>,
}

impl Seeing {
    /// A text that was made of a whole file.
    pub(super) fn of_text(text: String, hash: [u8; 32]) -> Self {
        Self { view: View { text, image: None }, hash: Some(hash) }
    }
}

/// Reads a file that was granted. What it shows has at most `budget` bytes of text.
pub(super) fn read(wanted: &Wanted, budget: usize, ctx: &Ctx) -> Result<View, ToolError> {
    let path = ctx.scope().resolve(&wanted.path);
    let attempt = || {
        let file = ctx.files().open(&path).map_err(|error| if_folder(error, &path, ctx))?;
        let before = stamp(&file, &path)?;
        let size = before.size;
        let small = small(&file, size).map_err(|error| ToolError::io("read", &path, error))?;
        let reading = Reading { file: &file, size, small, path: &path, wanted, budget, ctx };
        let Seeing { view, hash } = reading.see()?;
        let same = before == stamp(&file, &path)? && reading.is_certain(before, hash)?;
        Ok(Attempt { view, seen: Seen { hash, stamp: before }, content: reading.small, same })
    };
    let Attempt { mut view, seen, content, same } = settled(attempt)?;
    if !same {
        view.text.push_str("\n(the file changed while it was read: this may be a mixture)\n");
    }
    ctx.files().remember(&path, seen, content.as_deref())?;
    Ok(view)
}

/// All of a small file; none of a larger one, or of one that has more in it than its size says.
fn small(file: &File, size: u64) -> std::io::Result<Option<Vec<u8>>> {
    let Some(room) = usize::try_from(size).ok().filter(|_| size <= MAX_SMALL_BYTES) else {
        return Ok(None);
    };
    // One byte more: where it stays free, the file ends here.
    let mut bytes = vec![0; room + 1];
    let got = fill(file, &mut bytes)?;
    bytes.truncate(got);
    Ok((got <= room).then_some(bytes))
}

/// One reading of a file.
struct Attempt {
    view: View,
    seen: Seen,
    /// What was seen, where it is small.
    content: Option<Vec<u8>>,
    /// The file is as it was before.
    same: bool,
}

/// Reads until the file stays as it is meanwhile, a few times at most. Large files are read once.
fn settled(mut attempt: impl FnMut() -> Result<Attempt, ToolError>) -> Result<Attempt, ToolError> {
    let mut last = attempt()?;
    for _ in 1..MAX_TRIES {
        if last.same || last.seen.stamp.size > source::MAX_HASHED_BYTES {
            break;
        }
        last = attempt()?;
    }
    if !last.same {
        // Not what is there now, whatever an edit compares.
        last.seen.hash = None;
    }
    Ok(last)
}

fn stamp(file: &File, path: &Path) -> Result<FileStamp, ToolError> {
    let found = file.metadata().map_err(|error| ToolError::io("look at", path, error))?;
    Ok(FileStamp::from(&found))
}

/// A folder cannot be read, and there is a tool for it.
fn if_folder(error: ToolError, path: &Path, ctx: &Ctx) -> ToolError {
    match ctx.files().facts(path) {
        Ok(Some(facts)) if facts.kind == FileKind::Folder => {
            error.suggest("list_files shows what is in a folder.")
        }
        _ => error,
    }
}

/// A file that is open.
pub(super) struct Reading<'a> {
    pub(super) file: &'a File,
    pub(super) size: u64,
    /// All of its bytes, where they are few.
    pub(super) small: Option<Vec<u8>>,
    pub(super) path: &'a Path,
    pub(super) wanted: &'a Wanted,
    pub(super) budget: usize,
    pub(super) ctx: &'a Ctx,
}

impl Reading<'_> {
    /// Whether a stamp says enough. The clock of a file system stands still for some
    /// milliseconds: of two changes in one tick, the second leaves the stamp as it is. What
    /// changed that lately is read again for its hash.
    fn is_certain(&self, stamp: FileStamp, hash: Option<[u8; 32]>) -> Result<bool, ToolError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let age = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX) - stamp.changed;
        if age > TICK_NANOSECONDS {
            return Ok(true);
        }
        let Some(hash) = hash else { return Ok(true) };
        let again =
            source::hash(self.file, self.ctx.cancel()).map_err(|error| self.failed(error))?;
        Ok(again == hash)
    }

    /// Shows the file.
    fn see(&self) -> Result<Seeing, ToolError> {
        if let Some(bytes) = &self.small {
            return self.see_as(&bytes[..bytes.len().min(SAMPLE_BYTES)]);
        }
        let sample = self.sample().map_err(|error| self.failed(error))?;
        self.see_as(&sample)
    }

    /// The first bytes of a file that is not held.
    fn sample(&self) -> std::io::Result<Vec<u8>> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(0))?;
        let mut sample = vec![0; SAMPLE_BYTES];
        let got = fill(file, &mut sample)?;
        sample.truncate(got);
        Ok(sample)
    }

    /// Shows the file as what its first bytes say that it is.
    fn see_as(&self, sample: &[u8]) -> Result<Seeing, ToolError> {
        if image::is_image(sample) {
            return image::view(self, &self.held("image")?);
        }
        if pdf::is_pdf(sample) {
            return pdf::view(self, self.held("PDF document")?);
        }
        if office::is_package(sample)
            && let Some(seeing) = office::view(self, sample)?
        {
            return Ok(seeing);
        }
        if notebook::is_named(self.path) {
            return self.notebook(sample);
        }
        self.text(sample)
    }

    /// A file that must be held as a whole to show anything of it.
    pub(super) fn held(&self, kind: &str) -> Result<Whole, ToolError> {
        let whole = self.whole().map_err(|error| self.failed(error))?;
        whole.ok_or_else(|| {
            let (shown, size) = (self.shown(), binary::size_text(self.size));
            let most = binary::size_text(MAX_FILE_BYTES);
            ToolError::failed(format!(
                "{shown} is too large to be shown: the {kind} has {size}, and {most} are read at most."
            ))
        })
    }

    /// A notebook; as text where it cannot be read as one.
    fn notebook(&self, sample: &[u8]) -> Result<Seeing, ToolError> {
        let whole = self.whole().map_err(|error| self.failed(error))?;
        let problem = match &whole {
            Some(whole) => match notebook::view(self, whole) {
                Ok(seeing) => return seeing.map_err(|error| self.failed(error)),
                Err(problem) => problem,
            },
            None => format!("it is larger than {}", binary::size_text(MAX_FILE_BYTES)),
        };
        drop(whole);
        let mut seeing = self.text(sample)?;
        if !seeing.view.text.ends_with('\n') {
            seeing.view.text.push('\n');
        }
        let note = format!("(shown as text, not as a notebook: {problem})\n");
        seeing.view.text.push_str(&note);
        Ok(seeing)
    }

    fn text(&self, sample: &[u8]) -> Result<Seeing, ToolError> {
        let small = self.small.as_deref();
        let origin = small.map_or(Origin::File(self.file, self.size), Origin::of_held);
        let coding = match origin {
            Origin::Plain(_) => Some(Coding::Utf8 { marked: false }),
            _ => self.coding(sample).map_err(|error| self.failed(error))?,
        };
        let Some(coding) = coding else { return Err(binary::refused(self, sample)) };
        let (path, cancel) = (self.wanted.path.as_str(), self.ctx.cancel());
        let text = TextFile { origin, coding, path, budget: self.budget, cancel };
        let shown = match &self.wanted.part {
            Part::Slices(slices) => text.show(slices),
            Part::Block(block) => text.show_block(block),
        };
        let Shown { text, hash } = shown.map_err(|error| self.failed(error))?;
        let hash = hash.or_else(|| small.map(|bytes| self.hash(bytes)));
        Ok(Seeing { view: View { text, image: None }, hash })
    }

    /// The hash of all of a small file. What was seen before is only compared.
    fn hash(&self, bytes: &[u8]) -> [u8; 32] {
        let seen = self.ctx.files().last_hash(self.path, bytes).ok().flatten();
        seen.unwrap_or_else(|| *blake3::hash(bytes).as_bytes())
    }

    /// How the file is written, judging by its beginning and, where that is all ASCII, by what
    /// comes later; none where it is binary.
    fn coding(&self, sample: &[u8]) -> std::io::Result<Option<Coding>> {
        let whole = sample.len() < SAMPLE_BYTES;
        let coding = detect(sample, whole);
        if whole || coding.is_none() || !sample.is_ascii() {
            return Ok(coding);
        }
        let later = match &self.small {
            Some(bytes) => later_sample(Cursor::new(bytes), self.size)?,
            None => later_sample(self.file, self.size)?,
        };
        // What comes later is binary only if NULs say so, and then the beginning still is text.
        Ok(later.and_then(|later| detect(&later, false)).or(coding))
    }

    /// An error of reading; a canceled call shows as an interruption.
    pub(super) fn failed(&self, error: std::io::Error) -> ToolError {
        if error.kind() == ErrorKind::Interrupted {
            return ToolError::canceled();
        }
        ToolError::io("read", self.path, error)
    }

    /// The path as a person in the working folder would write it.
    pub(super) fn shown(&self) -> String {
        self.ctx.scope().display(self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn attempt(size: u64, same: bool) -> Attempt {
        let stamp = FileStamp { size, ..FileStamp::default() };
        let seen = Seen { hash: Some([1; 32]), stamp };
        Attempt { view: View::default(), seen, content: None, same }
    }

    #[test]
    fn a_small_file_is_held_only_if_it_has_no_more_than_its_size_says() {
        let mut file = tempfile::tempfile().unwrap();
        let content = vec![b'a'; usize::try_from(MAX_SMALL_BYTES).unwrap() + 1];
        file.write_all(&content).unwrap();
        let size = content.len() as u64;
        let held = |size| {
            (&file).seek(SeekFrom::Start(0)).unwrap();
            small(&file, size).unwrap().map(|bytes| bytes.len() as u64)
        };
        assert_eq!((held(size), held(size - 1), held(0)), (None, None, None));
        file.set_len(MAX_SMALL_BYTES).unwrap();
        assert_eq!(held(MAX_SMALL_BYTES), Some(MAX_SMALL_BYTES));
        // It became shorter since it was looked at: what is there is all of it.
        file.set_len(5).unwrap();
        assert_eq!((held(MAX_SMALL_BYTES), held(5), held(4)), (Some(5), Some(5), None));
        file.set_len(0).unwrap();
        assert_eq!(held(0), Some(0));
    }

    #[test]
    fn a_file_that_changes_is_read_again_three_times_at_most() {
        for (changes, size, reads, same) in [
            (0, 10, 1, true),
            (1, 10, 2, true),
            (2, 10, 3, true),
            (9, 10, 3, false),
            (9, source::MAX_HASHED_BYTES + 1, 1, false),
        ] {
            let mut count = 0;
            let last = settled(|| {
                count += 1;
                Ok(attempt(size, count > changes))
            });
            let last = last.unwrap();
            assert_eq!((count, last.same), (reads, same), "{changes} changes of {size} bytes");
            assert_eq!(last.seen.hash.is_some(), same);
        }
    }
}
