//! A thread of a walk.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use dogu_tool::{FileKind, Onward, Visitor};
use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, fstat, statat};
use rustix::io::Errno;

use super::super::roots::refuse_procfs;
use super::super::{kind_of, kind_of_stat};
use super::entry::{Entry, Opening};
use super::folder::{Folder, Identity, open_folder};
use super::found::Found;
use super::listing::Lister;
use super::names::Names;
use super::plan::{Candidate, Plan, Verdict};
use super::queue::{EndOnPanic, Task, Visit};
use super::tally::Tally;

/// How many entries are visited between two looks at what others need.
const SLICE: usize = 64;
/// A tree with fewer entries is done before another thread would have started.
const ALONE_UNTIL: usize = 64;

/// A thread of a walk.
pub(super) struct Worker<'a> {
    plan: &'a Plan<'a>,
    visitor: Box<dyn Visitor + 'a>,
    lister: Lister,
    opening: Opening<'a>,
    /// What is to be done; the last first.
    work: Vec<Task>,
    /// The path at hand, from `/`.
    path: Vec<u8>,
    seen: usize,
    tally: Tally,
}

impl<'a> Worker<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, visitor: Box<dyn Visitor + 'a>) -> Self {
        Self {
            plan,
            visitor,
            lister: Lister::new(),
            opening: plan.opening(),
            work: Vec::new(),
            path: Vec::new(),
            seen: 0,
            tally: Tally::default(),
        }
    }

    /// Lists the start; what is in it is the first work.
    pub(super) fn start(&mut self, fd: OwnedFd) -> Result<(), Errno> {
        self.plan.queue.join();
        let identity = Identity::of(&fstat(&fd)?);
        let (names, more, found) = self.list(fd.as_fd())?;
        let rules = self.plan.rules_of_start(found, fd.as_fd());
        let fd = Arc::new(fd);
        let folder = Folder::new(None, identity, rules, Arc::clone(&fd));
        self.push(folder, fd, names, more);
        Ok(())
    }

    /// Works until all is done. `help` starts the other threads, once that is worth it.
    pub(super) fn run(mut self, help: impl FnOnce()) -> Tally {
        let plan = self.plan;
        let _guard = EndOnPanic(&plan.queue);
        let mut help = Some(help);
        while let Some(task) = self.work.pop().or_else(|| plan.queue.take()) {
            self.one(task);
            if plan.is_over() {
                plan.queue.end();
                break;
            }
            if self.seen >= ALONE_UNTIL
                && !self.work.is_empty()
                && let Some(help) = help.take()
            {
                help();
            }
            self.share();
        }
        self.tally
    }

    fn one(&mut self, task: Task) {
        match task {
            Task::Visit(visit) => self.visit_some(visit),
            Task::Enter { folder, mut names } => {
                let Some(name) = names.pop() else { return };
                if !names.is_empty() {
                    self.work.push(Task::Enter { folder: Arc::clone(&folder), names });
                }
                if let Some((name, _, _)) = name.at(0)
                    && let Err(errno) = self.enter(&folder, name)
                {
                    self.note_unreadable(errno);
                }
            }
            Task::List { folder, fd } => {
                let mut names = Names::default();
                match self.lister.next_piece(fd.as_fd(), &mut names) {
                    Ok(more) => self.push(folder, fd, names, more),
                    Err(errno) => {
                        self.set_path(&folder);
                        self.note_unreadable(errno);
                    }
                }
            }
        }
    }

    /// Gives work to those who have none.
    fn share(&mut self) {
        while self.plan.queue.is_hungry() {
            let spare = match self.work.len() {
                0 => return,
                1 => self.work.first_mut().and_then(Task::split),
                _ => Some(self.work.remove(0)),
            };
            let Some(task) = spare else { return };
            self.plan.queue.give(task);
        }
    }

    /// The first names of a folder, whether there are more, and which ignore files it has.
    fn list(&mut self, fd: BorrowedFd<'_>) -> Result<(Names, bool, Found), Errno> {
        let mut names = Names::default();
        let more = self.lister.next_piece(fd, &mut names)?;
        let found = if more { Found::by_asking(fd) } else { Found::among(&names) };
        Ok((names, more, found))
    }

    /// Names of a folder become work.
    fn push(&mut self, folder: Arc<Folder>, fd: Arc<OwnedFd>, names: Names, more: bool) {
        if more {
            self.work.push(Task::List { folder: Arc::clone(&folder), fd });
        }
        if !names.is_empty() {
            self.work.push(Task::Visit(Visit::new(folder, names)));
        }
    }

    /// Enters a folder; its names become work. After an error the path is that of the folder.
    fn enter(&mut self, above: &Arc<Folder>, name: &CStr) -> Result<(), Errno> {
        self.set_path(above);
        self.path.extend_from_slice(name.to_bytes());
        let fd = open_folder(above.descriptor(&self.plan.held)?.as_fd(), name)?;
        let stat = fstat(&fd)?;
        if stat.st_dev != above.identity.device {
            refuse_procfs(&fd)?;
        }
        if self.plan.is_known_secret(&stat) {
            return Ok(());
        }
        let (names, more, found) = self.list(fd.as_fd())?;
        let path = Path::new(OsStr::from_bytes(&self.path));
        let rules = self.plan.rules_below(&above.rules, found, fd.as_fd(), path);
        let fd = Arc::new(fd);
        let above = Some((Arc::clone(above), name));
        let folder = Folder::new(above, Identity::of(&stat), rules, Arc::clone(&fd));
        self.push(folder, fd, names, more);
        Ok(())
    }

    /// Makes the path that of a folder, with a `/` after it.
    fn set_path(&mut self, folder: &Folder) {
        self.path.clear();
        self.path.extend_from_slice(&self.plan.base);
        folder.write_path(&mut self.path);
    }

    /// Visits some names; what is left of them goes back to the work.
    fn visit_some(&mut self, mut visit: Visit) {
        self.set_path(&visit.folder);
        let fd = match visit.folder.descriptor(&self.plan.held) {
            Ok(fd) => fd,
            Err(errno) => return self.note_unreadable(errno),
        };
        let start = self.path.len();
        for _ in 0..SLICE {
            let Some((name, kind, next)) = visit.names.at(visit.from) else { break };
            self.path.truncate(start);
            self.path.extend_from_slice(name.to_bytes());
            if self.visit(&visit.folder, fd.as_fd(), name, kind) {
                visit.inner.push(name, FileType::Directory);
            }
            visit.from = next;
            if self.plan.is_over() {
                return;
            }
        }
        if visit.names.at(visit.from).is_some() {
            self.work.push(Task::Visit(visit));
        } else if !visit.inner.is_empty() {
            self.plan.held.add(&visit.folder);
            self.work.push(Task::Enter { folder: visit.folder, names: visit.inner });
        }
    }

    /// Visits the entry at the path; says whether it is to be entered.
    fn visit(&mut self, folder: &Folder, fd: BorrowedFd<'_>, name: &CStr, kind: FileType) -> bool {
        let Some(kind) = known_kind(fd, name, kind) else { return false };
        let is_folder = kind == FileKind::Folder;
        let candidate = Candidate { name, path: &self.path, folder: is_folder };
        let left_out = match self.plan.judge(&folder.rules, &candidate) {
            Verdict::Shown => None,
            Verdict::Hidden => return false,
            Verdict::LeftOut(why) => {
                self.tally.left_out(why);
                if !self.plan.options.show_left_out {
                    return false;
                }
                Some(why)
            }
        };
        let entry = Entry {
            opening: &self.opening,
            folder: fd,
            device: folder.identity.device,
            name,
            path: &self.path,
            base: self.plan.base.len(),
            kind,
            left_out,
        };
        self.seen += 1;
        match self.visitor.visit(&entry) {
            Onward::Go => is_folder && left_out.is_none() && self.may_go_below(folder),
            Onward::Skip => false,
            Onward::Stop => {
                self.tally.stopped();
                self.plan.queue.end();
                false
            }
        }
    }

    fn may_go_below(&self, folder: &Folder) -> bool {
        self.plan.options.max_depth.is_none_or(|most| folder.depth + 1 < most)
    }

    /// The folder at the path could not be read.
    fn note_unreadable(&mut self, errno: Errno) {
        // What was removed since its name was read is not there to be read.
        if errno != Errno::NOENT {
            let path = self.path.get(self.plan.base.len()..).unwrap_or_default();
            self.tally.unreadable(Path::new(OsStr::from_bytes(path)), errno);
        }
    }
}

/// What an entry is, where the folder does not say; nothing if it is gone.
fn known_kind(fd: BorrowedFd<'_>, name: &CStr, kind: FileType) -> Option<FileKind> {
    if kind != FileType::Unknown {
        return Some(kind_of(kind));
    }
    match statat(fd, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Some(kind_of_stat(&stat)),
        Err(Errno::NOENT) => None,
        Err(_) => Some(FileKind::Other),
    }
}
