//! A transaction on its way. Until it is done, dropping it takes back all that it left.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use dogu_tool::ToolError;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::act::{Act, NotDone};
use super::look::{Folders, Old, Place};
use super::note::Noted;
use super::step::{Kind, Mark, Step};
use super::temporary::{self, Fill, Takes};
use crate::files::beneath::READING;
use crate::files::roots::Roots;
use crate::files::words;
use crate::journal::Stage;

/// What is done to one file.
pub(super) struct Job<'a> {
    /// As the tool asked for it, for messages.
    pub(super) asked: &'a Path,
    pub(super) act: Act,
    place: Place,
    pub(super) old: Option<Old>,
    pub(super) fill: Fill<'a>,
    takes: Takes,
    /// What the journal keeps of it.
    pub(super) keeps: Keeps,
}

/// What the journal keeps of a file.
#[derive(Clone, Copy, Default)]
pub(super) struct Keeps {
    /// What was there.
    pub(super) old: Option<blake3::Hash>,
    /// What is there afterwards.
    pub(super) new: Option<blake3::Hash>,
}

impl<'a> Job<'a> {
    /// A file with new content, in place of an old one or of nothing.
    pub(super) fn content(
        asked: &'a Path,
        path: &Path,
        place: Place,
        old: Option<Old>,
        fill: Fill<'a>,
        takes: Takes,
    ) -> std::io::Result<Self> {
        let kind = if old.is_some() { Kind::Swap } else { Kind::Put };
        let takes = old.as_ref().map_or(takes, |old| Takes::Of(old.stat));
        let act = act(kind, path, &place, old.as_ref(), temporary::name()?);
        Ok(Self { asked, act, place, old, fill, takes, keeps: Keeps::default() })
    }

    /// A file that goes.
    pub(super) fn removal(
        asked: &'a Path,
        path: &Path,
        place: Place,
        old: Old,
    ) -> std::io::Result<Self> {
        let act = act(Kind::Take, path, &place, Some(&old), temporary::name()?);
        let (fill, takes) = (Fill::Nothing, Takes::Default);
        Ok(Self { asked, act, place, old: Some(old), fill, takes, keeps: Keeps::default() })
    }

    /// A file that takes another name.
    pub(super) fn renaming(
        asked: &'a Path,
        path: &Path,
        place: Place,
        from: (&Path, &Place),
        old: Old,
    ) -> Self {
        let mut act = act(Kind::Move, path, &place, Some(&old), String::new());
        act.step.from = Some(from.0.to_path_buf());
        act.from = Some(Rc::clone(&from.1.folder));
        act.step.after.clone_from(&act.step.before);
        let (fill, takes) = (Fill::Nothing, Takes::Default);
        Self { asked, act, place, old: Some(old), fill, takes, keeps: Keeps::default() }
    }
}

fn act(kind: Kind, path: &Path, place: &Place, old: Option<&Old>, temporary: String) -> Act {
    let before = old.map(|old| Mark::of(&old.stat).with_hash(old.hash));
    let step = Step { kind, path: path.to_path_buf(), from: None, temporary, before, after: None };
    Act { step, folder: Rc::clone(&place.folder), from: None, plain: false }
}

/// Whether files can be renamed from one folder to the other. The kernel compares the mounts
/// before it looks for the name, which nobody has.
pub(super) fn same_mount(from: &Place, to: &Place) -> std::io::Result<bool> {
    let name = temporary::name()?;
    let tried = renameat(&*from.folder, name.as_str(), &*to.folder, name.as_str());
    Ok(tried != Err(Errno::XDEV))
}

/// A transaction on its way.
pub(super) struct Draft<'a> {
    pub(super) jobs: Vec<Job<'a>>,
    made: Vec<(Rc<OwnedFd>, OsString)>,
    noted: Option<Noted<'a>>,
    done: bool,
}

impl<'a> Draft<'a> {
    pub(super) fn new(mut jobs: Vec<Job<'a>>, plain: bool) -> Self {
        for job in &mut jobs {
            job.act.plain = plain;
        }
        Self { jobs, made: Vec::new(), noted: None, done: false }
    }

    /// The folders that are made on the way, the outermost first.
    pub(super) fn missing_folders(&self) -> Vec<PathBuf> {
        let mut paths: Vec<_> =
            self.jobs.iter().flat_map(|job| job.place.missing_paths()).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Writes down what is about to happen, and keeps what was there and what will be.
    pub(super) fn note(&mut self, mut noted: Noted<'a>, durable: bool) -> Result<(), ToolError> {
        noted.intent.entry.folders = self.missing_folders();
        noted.intent.steps = self.steps();
        noted.write(false)?;
        let noted = self.noted.insert(noted);
        for job in &self.jobs {
            noted.keep(job, durable)?;
        }
        Ok(())
    }

    fn steps(&self) -> Vec<Step> {
        self.jobs.iter().map(|job| job.act.step.clone()).collect()
    }

    /// From here on it will happen, even if this process ends. One file alone changes by a single
    /// rename, so that nothing is mixed if the machine ends before this is on the disk.
    pub(super) fn commit(&mut self, durable: bool) -> Result<(), ToolError> {
        let steps = self.steps();
        let Some(noted) = &mut self.noted else { return Ok(()) };
        noted.intent.steps = steps;
        noted.intent.stage = Stage::Committed;
        noted.write(durable && self.jobs.len() > 1)
    }

    pub(super) fn make_folders(&mut self, roots: &Roots) -> Result<(), ToolError> {
        let mut folders = Folders::default();
        for job in &mut self.jobs {
            let made = |folder: &Rc<OwnedFd>, name: &OsStr| {
                self.made.push((Rc::clone(folder), name.to_owned()));
            };
            job.place.make_folders(roots, &mut folders, made).map_err(|errno| match errno {
                Errno::NOSPC | Errno::DQUOT => words::not_written(job.asked, errno.into()),
                _ => words::not_opened("make the folder of", job.asked, errno, true),
            })?;
            job.act.folder = Rc::clone(&job.place.folder);
        }
        Ok(())
    }

    /// Writes all that is new beside where it goes.
    pub(super) fn write_temporaries(&mut self, durable: bool) -> Result<(), ToolError> {
        for job in &mut self.jobs {
            if matches!(job.fill, Fill::Nothing) {
                continue;
            }
            let (folder, name) = (&job.act.folder, &job.act.step.temporary);
            let mark = temporary::make(folder, name, &mut job.fill, job.takes, durable)
                .map_err(|error| words::not_written(job.asked, error))?;
            job.act.step.after = Some(mark.with_hash(job.keeps.new));
            job.fill = Fill::Nothing;
        }
        Ok(())
    }

    /// Refuses if somebody changed a file since it was looked at.
    pub(super) fn require_unchanged(&self) -> Result<(), ToolError> {
        for job in &self.jobs {
            let unchanged = job.act.is_unchanged();
            if !unchanged.map_err(|errno| words::io("look at", job.asked, errno))? {
                return Err(words::stale(job.asked));
            }
        }
        Ok(())
    }

    /// Does all steps. Where one cannot be done, says which and why; those before it are done.
    pub(super) fn apply(&self) -> Result<(), (usize, ToolError)> {
        for (number, job) in self.jobs.iter().enumerate() {
            job.act.apply().map_err(|why| (number, job.why(why)))?;
        }
        Ok(())
    }

    /// Takes back the first steps, the last one first. What cannot be is said, and known to the
    /// journal as changed.
    pub(super) fn take_back(&mut self, count: usize, error: ToolError) -> ToolError {
        if let Some(noted) = self.noted.as_mut().filter(|_| count > 0) {
            noted.intent.stage = Stage::Back;
            // Without this the next start would finish what was not possible here, if it can.
            let _ = noted.write(true);
        }
        let done = self.jobs[..count].iter().rev();
        let left: Vec<&Job<'_>> = done.filter(|job| job.act.take_back().is_err()).collect();
        if left.is_empty() {
            return error;
        }
        let paths: Vec<_> = left.iter().map(|job| job.act.step.path.clone()).collect();
        let shown: Vec<_> = left.iter().map(|job| words::shown(job.asked)).collect();
        if let Some(noted) = self.noted.take() {
            noted.finish_some(&paths);
        }
        let text = format!("{error}; could not be taken back: {}", shown.join(", "));
        ToolError::new(error.code(), text).because(error)
    }

    /// Removes what the old files became, and keeps all else.
    pub(super) fn finish(mut self, durable: bool) {
        if durable && self.jobs.len() > 1 {
            self.jobs.iter().for_each(|job| job.act.sync_folders());
        }
        self.jobs.iter().for_each(|job| job.act.clean());
        self.done = true;
        if let Some(noted) = self.noted.take() {
            noted.finish();
        }
    }
}

impl Job<'_> {
    /// Opens what is there again, to read it.
    pub(super) fn open_old(&self) -> Result<File, Errno> {
        let flags = READING | OFlags::NOFOLLOW;
        Ok(openat(&*self.place.folder, &self.place.name, flags, Mode::empty())?.into())
    }

    fn why(&self, why: NotDone) -> ToolError {
        match why {
            NotDone::Changed => words::stale(self.asked),
            NotDone::Io(errno) => words::not_written(self.asked, errno.into()),
        }
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        self.jobs.iter().for_each(|job| job.act.clean());
        for (folder, name) in self.made.iter().rev() {
            // Not where somebody put something into it meanwhile.
            let _ = unlinkat(&**folder, name.as_os_str(), AtFlags::REMOVEDIR);
        }
        if let Some(noted) = self.noted.take() {
            noted.forget();
        }
    }
}
