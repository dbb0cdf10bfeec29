//! The work that threads of a walk hand to each other.
//!
//! Each thread has its own stack of work. Only where another has none does it give some away,
//! from the bottom, where the largest pieces are.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::fd::OwnedFd;

use super::folder::Folder;
use super::names::Names;

/// How often a thread without work looks again before it sleeps.
const LOOKS: usize = 50;

/// Something to do in one folder.
pub(super) enum Task {
    /// Names that nobody has looked at.
    Visit(Visit),
    /// Names of folders to enter.
    Enter { folder: Arc<Folder>, names: Names },
    /// The folder has more names; the descriptor knows where they begin.
    List { folder: Arc<Folder>, fd: Arc<OwnedFd> },
}

/// Names that nobody has looked at, from a byte on.
pub(super) struct Visit {
    pub(super) folder: Arc<Folder>,
    pub(super) names: Names,
    pub(super) from: usize,
    /// Folders among the names before, to enter afterwards.
    pub(super) inner: Names,
}

impl Visit {
    pub(super) fn new(folder: Arc<Folder>, names: Names) -> Self {
        Self { folder, names, from: 0, inner: Names::default() }
    }
}

impl Task {
    /// A part of it for somebody else.
    pub(super) fn split(&mut self) -> Option<Self> {
        match self {
            Self::Visit(visit) => {
                let names = visit.names.split(visit.from)?;
                Some(Self::Visit(Visit::new(Arc::clone(&visit.folder), names)))
            }
            Self::Enter { folder, names } => {
                Some(Self::Enter { names: names.split(0)?, folder: Arc::clone(folder) })
            }
            Self::List { .. } => None,
        }
    }
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// How many threads have nothing to do.
    hungry: AtomicUsize,
    given: AtomicUsize,
    over: AtomicBool,
}

#[derive(Default)]
struct State {
    given: Vec<Task>,
    threads: usize,
    idle: usize,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// There is one more thread.
    pub(super) fn join(&self) {
        self.lock().threads += 1;
    }

    /// Somebody waits for work that was not given yet.
    pub(super) fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > self.given.load(Ordering::Relaxed)
    }

    pub(super) fn give(&self, task: Task) {
        let mut state = self.lock();
        state.given.push(task);
        self.given.store(state.given.len(), Ordering::Relaxed);
        drop(state);
        self.changed.notify_one();
    }

    /// The walk has ended, or must.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Ends the walk on all threads.
    pub(super) fn end(&self) {
        let state = self.lock();
        self.over.store(true, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    /// Work that another thread gave; waits for it. `None` when all is done.
    pub(super) fn take(&self) -> Option<Task> {
        let mut state = self.lock();
        state.idle += 1;
        self.hungry.store(state.idle, Ordering::Relaxed);
        let mut looks = 0;
        loop {
            if let Some(task) = state.given.pop() {
                state.idle -= 1;
                self.given.store(state.given.len(), Ordering::Relaxed);
                self.hungry.store(state.idle, Ordering::Relaxed);
                return (!self.is_over()).then_some(task);
            }
            if self.is_over() || state.idle == state.threads {
                self.over.store(true, Ordering::Relaxed);
                self.changed.notify_all();
                return None;
            }
            if looks < LOOKS {
                // To be woken takes longer than most folders.
                looks += 1;
                drop(state);
                std::thread::yield_now();
                state = self.lock();
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

/// Ends the walk for the others when a thread panics.
pub(super) struct EndOnPanic<'a>(pub(super) &'a Queue);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}
