//! What a process that died left behind is finished, or taken back.

use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use dogu_tool::ToolError;
use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;

use super::intent::{Intent, Stage};
use super::{Journal, now, store};
use crate::files::transaction::{Act, Held, Standing, Step, Stripes, is_temporary};
use crate::files::{FOLDER, Roots};

/// How long an intent waits for a folder that is not there, such as that of another machine or of
/// a disk that is not mounted.
const WAITS_FOR_FOLDERS: Duration = Duration::from_hours(24);

/// What became of what others had begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Changes that were finished.
    pub finished: usize,
    /// Changes that did not happen, and left nothing.
    pub taken_back: usize,
    /// Changes that cannot be told yet: somebody works on these files, or they are not there.
    pub left: usize,
}

enum Outcome {
    Finished,
    TakenBack,
    Left,
}

impl Recovered {
    fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Finished => self.finished += 1,
            Outcome::TakenBack => self.taken_back += 1,
            Outcome::Left => self.left += 1,
        }
    }
}

impl Journal {
    /// Finishes or takes back what processes that died had begun. Costs a look into a folder where
    /// there is nothing.
    pub fn recover(&self) -> io::Result<Recovered> {
        let mut recovered = Recovered::default();
        for id in store::ids(&self.begun())? {
            let Some(intent) = self.readable(&id)? else { continue };
            // Whoever works on it has its locks.
            let Ok(held) = intent.stripes().take(Some(&self.state), Duration::ZERO) else {
                recovered.left += 1;
                continue;
            };
            // It may be done, or further, since it was read.
            if let Some(intent) = self.read_intent(&id)? {
                recovered.count(&self.settle(intent)?);
            }
            drop(held);
        }
        Ok(recovered)
    }

    /// Takes locks, and recovers whatever needs them: its owner is dead.
    pub(crate) fn hold(
        &self,
        mut stripes: Stripes,
        patience: Duration,
    ) -> Result<Held, crate::files::transaction::NotHeld> {
        loop {
            let held = stripes.take(Some(&self.state), patience)?;
            let dead = self.begun_with(&stripes).unwrap_or_default();
            let needed = dead.iter().fold(stripes.clone(), |all, one| all.and(&one.stripes()));
            if !stripes.cover(&needed) {
                // Locks are taken in their order or not at all.
                stripes = needed;
                continue;
            }
            for intent in dead {
                if let Err(error) = self.settle(intent) {
                    tracing::warn!(%error, "an interrupted change could not be recovered");
                }
            }
            return Ok(held);
        }
    }

    fn begun_with(&self, stripes: &Stripes) -> io::Result<Vec<Intent>> {
        let ids = store::ids(&self.begun())?;
        let read = |id: &String| self.read_intent(id).ok().flatten();
        Ok(ids.iter().filter_map(read).filter(|intent| intent.stripes().meet(stripes)).collect())
    }

    /// An intent as it is written down. One that cannot be read was cut by the end of the machine
    /// before anything was decided.
    fn readable(&self, id: &str) -> io::Result<Option<Intent>> {
        let intent = self.read_intent(id)?;
        if intent.is_none() && is_old(id) {
            let _ = self.drop_intent(id);
        }
        Ok(intent)
    }

    /// Brings an intent to its end. The caller has its locks.
    fn settle(&self, mut intent: Intent) -> io::Result<Outcome> {
        let roots = Roots::open(&[]).map_err(io::Error::other)?;
        let opened: Vec<_> = intent.steps.iter().map(|step| open(&roots, step)).collect();
        if intent.stage == Stage::Begun {
            opened.iter().flatten().for_each(Act::clean);
            return self.take_back(&roots, &intent);
        }
        let Ok(acts) = opened.into_iter().collect::<Result<Vec<_>, _>>() else {
            if !is_old(&intent.entry.id) {
                return Ok(Outcome::Left);
            }
            intent.entry.conflicts = intent.steps.iter().map(|step| step.path.clone()).collect();
            self.write_intent(&intent, false)?;
            self.finish_intent(&intent.entry.id)?;
            return Ok(Outcome::Finished);
        };
        if intent.stage == Stage::Committed && forward(&acts)? {
            acts.iter().for_each(Act::sync_folders);
            acts.iter().for_each(Act::clean);
            self.finish_intent(&intent.entry.id)?;
            return Ok(Outcome::Finished);
        }
        intent.stage = Stage::Back;
        self.write_intent(&intent, true)?;
        self.back(&roots, &acts, intent)
    }

    /// Takes back what was done, as far as nobody changed it since.
    fn back(&self, roots: &Roots, acts: &[Act], mut intent: Intent) -> io::Result<Outcome> {
        let mut kept = Vec::new();
        for act in acts.iter().rev() {
            if act.standing()? == Standing::After && act.take_back().is_err() {
                kept.push(act.step.path.clone());
            }
        }
        acts.iter().for_each(Act::sync_folders);
        acts.iter().for_each(Act::clean);
        if kept.is_empty() {
            return self.take_back(roots, &intent);
        }
        let entry = &mut intent.entry;
        entry.files.retain(|file| file.paths().any(|path| kept.iter().any(|kept| kept == path)));
        entry.conflicts = intent.steps.iter().map(|step| step.path.clone()).collect();
        entry.conflicts.retain(|path| !kept.contains(path));
        self.write_intent(&intent, false)?;
        self.finish_intent(&intent.entry.id)?;
        Ok(Outcome::Finished)
    }

    /// Nothing happened: the folders that were made for it go, where nothing is in them.
    fn take_back(&self, roots: &Roots, intent: &Intent) -> io::Result<Outcome> {
        for folder in intent.entry.folders.iter().rev() {
            remove_empty(roots, folder);
        }
        self.drop_intent(&intent.entry.id)?;
        Ok(Outcome::TakenBack)
    }
}

/// Does what is not done yet; false where that is not possible for all.
fn forward(acts: &[Act]) -> Result<bool, Errno> {
    let standings = acts.iter().map(Act::standing).collect::<Result<Vec<_>, _>>()?;
    let none_is_before = !standings.contains(&Standing::Before);
    let possible = standings.iter().all(|standing| match standing {
        Standing::Before | Standing::After => true,
        // All were done and cleaned up, and the file changed afterwards.
        Standing::Either => none_is_before,
        Standing::Astray => false,
    });
    if !possible {
        return Ok(false);
    }
    let mut todo = acts.iter().zip(standings).filter(|(_, at)| *at == Standing::Before);
    Ok(todo.all(|(act, _)| act.apply().is_ok()))
}

/// The folders of a step, by their real paths and without links.
fn open(roots: &Roots, step: &Step) -> Result<Act, ToolError> {
    if !step.temporary.is_empty() && !is_temporary(&step.temporary) {
        return Err(ToolError::failed("no name of a temporary file"));
    }
    let folder = |path: &Path| -> Result<_, ToolError> {
        let folder = path.parent().unwrap_or(path);
        let opened = roots.open_real(folder, FOLDER);
        opened.map(Rc::new).map_err(|errno| ToolError::io("open", folder, errno.into()))
    };
    Ok(Act {
        step: step.clone(),
        folder: folder(&step.path)?,
        from: step.from.as_deref().map(folder).transpose()?,
        plain: false,
    })
}

/// Removes a folder where nothing is in it.
pub(super) fn remove_empty(roots: &Roots, folder: &Path) {
    let (Some(holder), Some(name)) = (folder.parent(), folder.file_name()) else { return };
    if let Ok(holder) = roots.open_real(holder, FOLDER) {
        let _ = unlinkat(&holder, name, AtFlags::REMOVEDIR);
    }
}

/// Whether an id is older than anyone waits.
fn is_old(id: &str) -> bool {
    let at: u64 = id.get(..13).and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let wait = u64::try_from(WAITS_FOR_FOLDERS.as_millis()).unwrap_or(u64::MAX);
    now().saturating_sub(at) > wait
}
