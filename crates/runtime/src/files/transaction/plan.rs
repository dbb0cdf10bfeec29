//! What is to be done for each change, after a look at what is there.

use std::io;

use dogu_tool::{ToolError, Written};

use super::draft::{Job, Keeps, same_mount};
use super::look::{self, Folders, Old, Place};
use super::note::{state_of, state_to_be};
use super::temporary::{Fill, Takes};
use super::wanted::{Rights, Wanted, Wish};
use super::{How, words};
use crate::files::grant::Spot;
use crate::files::roots::Roots;
use crate::journal::{ChangedFile, FileState};

/// What is to be done, what the journal will know of it, and what will be answered.
#[derive(Default)]
pub(super) struct Planned<'a> {
    pub(super) jobs: Vec<Job<'a>>,
    pub(super) files: Vec<ChangedFile>,
    pub(super) answers: Vec<Written>,
    folders: Folders,
}

impl<'a> Planned<'a> {
    /// Looks at what a change is of, and refuses it or adds it.
    pub(super) fn add(
        &mut self,
        roots: &Roots,
        change: &'a Wanted<'_>,
        how: &How<'_>,
    ) -> Result<(), ToolError> {
        let spot = &change.spot;
        let may_create = how.create_folders && !matches!(change.becomes, Wish::Nothing);
        let place = Place::open(roots, &mut self.folders, spot, may_create)?;
        let mut old = place.look(spot.asked)?;
        if let Wish::MovedFrom(from) = &change.becomes {
            if old.is_some() {
                return Err(words::already_exists(spot.asked));
            }
            return self.add_move(roots, change, (from, place), how);
        }
        look::check(spot.asked, change.expects, old.as_mut())?;
        let before = state(spot, old.as_mut(), how)?;
        let mut keeps = Keeps { old: kept(before.as_ref(), old.as_ref()), new: None };
        let mut after = None;
        self.answers.push(written(old.as_ref()));
        // Not one descriptor for each file of a large change.
        if let Some(old) = &mut old {
            old.file = None;
        }
        let mut job = match &change.becomes {
            Wish::Content(content, rights) => {
                if let Some(old) = &old {
                    place.require_writable(spot.asked, &old.stat)?;
                }
                if let Some(keep) = how.keep {
                    let (state, hash) = state_to_be(content, keep.journal.file_bytes());
                    keeps.new = state.kept.then_some(hash);
                    after = Some(state);
                }
                let takes = takes(roots, rights, old.as_ref())?;
                Job::content(spot.asked, &spot.real, place, old, Fill::Bytes(content), takes)
            }
            Wish::Nothing | Wish::MovedFrom(_) => {
                let old = old.ok_or_else(|| words::not_found(spot.asked))?;
                Job::removal(spot.asked, &spot.real, place, old)
            }
        }
        .map_err(|error| words::not_written(spot.asked, error))?;
        job.keeps = keeps;
        self.jobs.push(job);
        let path = spot.real.clone();
        self.files.push(ChangedFile { path, moved_from: None, before, after });
        Ok(())
    }

    fn add_move(
        &mut self,
        roots: &Roots,
        change: &'a Wanted<'_>,
        (from, place): (&'a Spot<'_>, Place),
        how: &How<'_>,
    ) -> Result<(), ToolError> {
        let spot = &change.spot;
        let source = Place::open(roots, &mut self.folders, from, false)?;
        let mut moved = source.look(from.asked)?;
        look::check(from.asked, change.expects, moved.as_mut())?;
        // It is all there afterwards, so that nothing of it needs to be kept.
        let state = state(from, moved.as_mut(), how)?.map(|at| FileState { kept: false, ..at });
        let mut moved = moved.ok_or_else(|| words::not_found(from.asked))?;
        self.answers.push(written(None));
        self.files.push(ChangedFile {
            path: spot.real.clone(),
            moved_from: Some(from.real.clone()),
            before: state.clone(),
            after: state,
        });
        let unnamed = |error: io::Error| words::not_written(spot.asked, error);
        if same_mount(&source, &place).map_err(unnamed)? {
            let from = (from.real.as_path(), &source);
            moved.file = None;
            self.jobs.push(Job::renaming(spot.asked, &spot.real, place, from, moved));
            return Ok(());
        }
        // A copy there, and the file here goes.
        let Some(copy) = moved.file.take() else {
            return Err(ToolError::failed(format!(
                "{} cannot be read, and is on another file system; nothing was moved",
                words::shown(from.asked)
            )));
        };
        let (fill, takes) = (Fill::Copy(copy), Takes::Of(moved.stat));
        let put = Job::content(spot.asked, &spot.real, place, None, fill, takes);
        self.jobs.push(put.map_err(unnamed)?);
        self.jobs.push(Job::removal(from.asked, &from.real, source, moved).map_err(unnamed)?);
        Ok(())
    }
}

fn state(
    spot: &Spot<'_>,
    old: Option<&mut Old>,
    how: &How<'_>,
) -> Result<Option<FileState>, ToolError> {
    let Some(old) = old else { return Ok(None) };
    let largest = how.keep.map(|keep| keep.journal.file_bytes());
    state_of(old, largest)
        .map_err(|error| ToolError::io("read", words::shown(spot.asked).as_ref(), error))
}

fn kept(state: Option<&FileState>, old: Option<&Old>) -> Option<blake3::Hash> {
    state.filter(|state| state.kept).and(old?.hash)
}

fn takes(roots: &Roots, rights: &Rights<'_>, old: Option<&Old>) -> Result<Takes, ToolError> {
    match rights {
        Rights::Like(like) if old.is_none() => {
            let found =
                Place::open(roots, &mut Folders::default(), like, false)?.look(like.asked)?;
            Ok(Takes::Of(found.ok_or_else(|| words::not_found(like.asked))?.stat))
        }
        Rights::Mode(mode) => Ok(Takes::Mode(*mode)),
        Rights::New | Rights::Like(_) => Ok(Takes::Default),
    }
}

fn written(old: Option<&Old>) -> Written {
    Written { created: old.is_none(), old_size: old.map(Old::size), journal: None }
}
