//! Changing files: all that is asked for, or nothing.
//!
//! No file is opened to be written. Each new content goes to a file of its own beside the one
//! that it replaces, complete and on the disk; then they change places, and the old one goes.
//!
//! 1. `wanted`: every path was found in the grants; none is named twice.
//! 2. `locks`: nobody else who asks for them changes these files meanwhile.
//! 3. `plan`, `look`: what is there is what the changes expect, and can be changed.
//! 4. `note`: the journal knows what is about to happen, and keeps what was there.
//! 5. `draft`: the new contents are written beside the files. Whatever fails until here leaves
//!    nothing behind, and if the process ends the next start removes what it left. Then the
//!    journal is told that it will happen: from here on the next start would finish it.
//! 6. `act`: the steps, one rename each. What comes out of each is looked at: where somebody
//!    replaced a file at the last moment, all goes back. `standing` sees from the disk how far
//!    a step got.

mod act;
mod draft;
mod locks;
mod look;
mod note;
mod plan;
mod standing;
mod step;
mod temporary;
mod wanted;

use std::path::PathBuf;

use dogu_tool::{ToolError, Written};

pub(crate) use self::act::Act;
use self::draft::{Draft, Job};
use self::locks::PATIENCE;
pub(crate) use self::locks::{Held, NotHeld, Stripes};
pub(crate) use self::note::Keep;
use self::note::Noted;
use self::plan::Planned;
pub(crate) use self::standing::Standing;
pub(crate) use self::step::Step;
pub(crate) use self::temporary::is_name as is_temporary;
pub(crate) use self::wanted::{Rights, Wanted, Wish};
pub(crate) use super::grant::Spot;
use super::roots::Roots;
use super::words;

/// How files are changed.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    /// Make the folders on the way.
    pub(crate) create_folders: bool,
    /// Wait until the content is on the disk before it takes the name.
    pub(crate) durable: bool,
    /// Where it is written down.
    pub(crate) keep: Option<Keep<'a>>,
}

/// Makes all changes, or none of them.
pub(crate) fn run<'a>(
    roots: &Roots,
    wanted: &'a [Wanted<'_>],
    how: How<'a>,
) -> Result<Vec<Written>, ToolError> {
    let paths = wanted::distinct(wanted)?;
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let held = hold(&paths, how.keep)?;
    let mut planned = Planned::default();
    for change in wanted {
        planned.add(roots, change, &how)?;
    }
    refuse_same_file(&planned.jobs)?;
    let mut draft = Draft::new(planned.jobs, roots.is_stepwise());
    if let Some(keep) = how.keep {
        let noted = Noted::begin(keep, roots, planned.files)?;
        for answer in &mut planned.answers {
            answer.journal = Some(noted.intent.entry.id.clone());
        }
        draft.note(noted, how.durable)?;
    }
    draft.make_folders(roots)?;
    draft.write_temporaries(how.durable)?;
    draft.require_unchanged()?;
    draft.commit(how.durable)?;
    if let Err((done, error)) = draft.apply() {
        return Err(draft.take_back(done, error));
    }
    draft.finish(how.durable);
    drop(held);
    if let Some(keep) = how.keep {
        keep.journal.sweep_if_due();
    }
    Ok(planned.answers)
}

fn hold(paths: &[PathBuf], keep: Option<Keep<'_>>) -> Result<Held, ToolError> {
    let stripes = Stripes::of(paths.iter().map(PathBuf::as_path));
    let held = match keep {
        Some(keep) => keep.journal.hold(stripes, PATIENCE),
        None => stripes.take(None, PATIENCE),
    };
    held.map_err(|why| match why {
        NotHeld::Busy => words::busy(&paths[0]),
        NotHeld::Io(path, error) => ToolError::io("lock", &path, error),
    })
}

/// Refuses two names for one file, where a file system does not tell letters apart: the second
/// change would be of what the first one made. Hard links are files of their own here.
fn refuse_same_file(jobs: &[Job<'_>]) -> Result<(), ToolError> {
    let mut seen = std::collections::HashSet::new();
    for job in jobs {
        let Some(old) = job.old.as_ref().filter(|old| old.stat.st_nlink == 1) else { continue };
        if !seen.insert((old.stat.st_dev, old.stat.st_ino)) {
            return Err(ToolError::failed(format!(
                "{} is another name of a file that is changed too; nothing was written",
                words::shown(job.asked)
            )));
        }
    }
    Ok(())
}
