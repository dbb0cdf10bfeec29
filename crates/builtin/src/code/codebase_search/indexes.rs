//! The indexes in memory, and where they are kept between processes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use dogu_code::index::Catalog;
use dogu_code::vectors::Vectors;
use dogu_tool::{Ctx, LogLevel, Output, ToolError};

use super::Wanted;
use super::answer::answer;
use super::area::Area;
use super::refresh::{refresh, too_much};

/// How many indexes stay in memory.
const MAX_IN_MEMORY: usize = 4;
/// How long a call waits for another one before it looks whether it is canceled.
const WAIT: Duration = Duration::from_millis(5);

/// What is known of code bases, in memory. Clones share it.
///
/// It holds no text. Whoever asks finds only what a walk of their own call came by, and is shown
/// only what that call may read.
#[derive(Clone, Debug, Default)]
pub struct Indexes(Arc<Mutex<Vec<Known>>>);

/// An index; none before it is asked for the first time.
type Slot = Arc<Mutex<Option<Index>>>;

/// What is known of a folder.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) catalog: Catalog,
    /// What a model made of its pieces; none before it is asked for the first time.
    pub(super) vectors: Option<Vectors>,
}

#[derive(Debug)]
struct Known {
    folder: PathBuf,
    slot: Slot,
}

impl Indexes {
    /// Answers a question from an index that is as the disk is now.
    pub(super) fn search(&self, wanted: &Wanted<'_>, ctx: &Ctx) -> Result<Output, ToolError> {
        let question = super::answer::understood(wanted.query)?;
        let path = ctx.scope().resolve(wanted.path);
        if ctx.files().facts(&path)?.is_none() {
            return Err(ToolError::failed(format!("there is no {}", wanted.path))
                .suggest("list_files shows what is there; `.` is the working folder."));
        }
        let area = Area::new(&path, ctx.scope());
        let slot = self.slot(&area);
        let mut guard = locked(&slot, ctx)?;
        let index = match &mut *guard {
            Some(index) => index,
            none => none.insert(load(&area, ctx)?),
        };
        let refreshed = refresh(&mut index.catalog, &area, ctx);
        let answer = match refreshed {
            Ok(refreshed) => answer(index, &area, &refreshed, wanted, &question, ctx),
            Err(error) => Err(error),
        };
        keep(index, &area, ctx);
        answer
    }

    /// The slot of an area's folder; the one that was asked for longest ago is forgotten.
    fn slot(&self, area: &Area) -> Slot {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match all.iter().position(|known| known.folder == area.folder) {
            Some(at) => all.remove(at),
            None => Known { folder: area.folder.clone(), slot: Slot::default() },
        };
        let slot = Arc::clone(&known.slot);
        all.push(known);
        if all.len() > MAX_IN_MEMORY {
            all.remove(0);
        }
        slot
    }
}

/// Waits for whoever works on the index, but not for longer than the call lives.
fn locked<'a>(slot: &'a Slot, ctx: &Ctx) -> Result<MutexGuard<'a, Option<Index>>, ToolError> {
    let mut waited = false;
    loop {
        match slot.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => {
                // Whoever held it broke off in the middle: what it left is not to be trusted.
                slot.clear_poison();
                let mut guard = poisoned.into_inner();
                *guard = None;
                return Ok(guard);
            }
            Err(TryLockError::WouldBlock) => {
                ctx.cancel().check()?;
                if !std::mem::replace(&mut waited, true) {
                    ctx.progress("waiting for another search that builds the index", None);
                }
                std::thread::sleep(WAIT);
            }
        }
    }
}

/// What was kept, where it can be read; else an index of nothing, which the walk fills.
fn load(area: &Area, ctx: &Ctx) -> Result<Index, ToolError> {
    let cache = ctx.cache().filter(|_| area.in_workspace);
    let catalog = cache.and_then(|cache| {
        let base = cache.get(&area.kept_name("base"))?;
        Catalog::read(base, cache.get(&area.kept_name("delta"))).ok()
    });
    let vectors = (cache.filter(|_| ctx.embeddings().is_some()))
        .and_then(|cache| Vectors::read(&cache.get(&area.kept_name("vectors"))?).ok());
    let catalog = match catalog {
        Some(catalog) => catalog,
        None => Catalog::new().map_err(too_much)?,
    };
    Ok(Index { catalog, vectors })
}

/// Keeps what is new. An index that could not be kept is made again by the next process.
fn keep(index: &mut Index, area: &Area, ctx: &Ctx) {
    let Some(cache) = ctx.cache().filter(|_| area.in_workspace) else { return };
    let Index { catalog, vectors } = index;
    let parts = [
        ("base", catalog.base_to_keep()),
        ("delta", catalog.delta_to_keep()),
        ("vectors", vectors.as_mut().and_then(Vectors::to_keep)),
    ];
    for (name, bytes) in parts {
        let Some(bytes) = bytes else { continue };
        if let Err(error) = cache.put(&area.kept_name(name), &bytes) {
            ctx.log(LogLevel::Warn, &format!("the index of the code could not be kept: {error}"));
        }
    }
}
