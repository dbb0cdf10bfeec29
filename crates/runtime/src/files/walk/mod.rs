//! Walking what a grant covers, on several threads.
//!
//! The start is opened by its judged real path. From there on nothing is opened by a path: each
//! folder from the descriptor of the one above it, by one name and without following a link, and
//! each file from that of its folder. Whoever swaps folders for links meanwhile gets nothing.
//!
//! - `names`, `listing`: the names in a folder, packed, straight from the kernel.
//! - `folder`: the folders, and how many of them are held open.
//! - `found`, `levels`: which ignore files there are, and what they say; `git_line`: how git reads
//!   a line of them.
//! - `plan`: what is the same for the whole walk, and what is left out of it.
//! - `queue`, `worker`: who does what. `tally`: what was left out.
//! - `entry`: what a visitor is shown.

mod entry;
mod folder;
mod found;
mod git_line;
mod levels;
mod listing;
mod names;
mod plan;
mod queue;
mod tally;
mod worker;

use std::ffi::CString;
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt as _;
use std::thread::{self, ScopedJoinHandle};

use dogu_tool::{CancelFlag, FileKind, Onward, ToolError, Visitors, WalkOptions, Walked};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, statat};
use rustix::io::Errno;

use super::beneath::{FOLDER, LISTING};
use super::grant::{self, Spot};
use super::roots::Roots;
use super::{kind_of_stat, words};
use entry::{Entry, Opening};
use plan::Plan;
use tally::Tally;
use worker::Worker;

/// More threads than this only wait for each other.
const MAX_THREADS: usize = 8;

/// Walks what is at a spot. Without `tree` the grant is for a file, or for the names in a
/// folder: nothing is entered or opened.
pub(crate) fn walk(
    roots: &Roots,
    spot: &Spot<'_>,
    tree: bool,
    options: &WalkOptions,
    cancel: &CancelFlag,
    visitors: &Visitors<'_>,
) -> Result<Walked, ToolError> {
    cancel.check()?;
    let plan = Plan::new(roots, spot, tree, options, cancel);
    match roots.open_real(&spot.real, LISTING) {
        Ok(_) if !tree && options.max_depth != Some(1) => Err(grant::not_declared(spot.asked)),
        Ok(fd) => walk_folder(&plan, fd, visitors),
        Err(Errno::NOTDIR) => visit_file(&plan, visitors),
        Err(errno) => Err(words::not_listed(spot.asked, errno, spot.exact)),
    }
}

/// A start that is no folder is visited by itself.
fn visit_file(plan: &Plan<'_>, visitors: &Visitors<'_>) -> Result<Walked, ToolError> {
    let spot = plan.spot;
    let failed = |errno| words::not_listed(spot.asked, errno, spot.exact);
    let (Some(folder), Some(name)) = (spot.real.parent(), spot.real.file_name()) else {
        return Err(failed(Errno::NOTDIR));
    };
    let name = CString::new(name.as_bytes()).map_err(|_| failed(Errno::INVAL))?;
    let fd = plan.roots.open_real(folder, FOLDER).map_err(failed)?;
    let stat = statat(&fd, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
    let kind = kind_of_stat(&stat);
    if matches!(kind, FileKind::Link | FileKind::Folder) {
        return Err(words::changed(spot.asked));
    }
    let path = spot.real.as_os_str().as_bytes();
    let entry = Entry {
        opening: &Opening { names_only: false, ..plan.opening() },
        folder: fd.as_fd(),
        device: stat.st_dev,
        name: &name,
        path,
        base: path.len(),
        kind,
        left_out: None,
    };
    let stopped = visitors().visit(&entry) == Onward::Stop;
    Ok(Walked { stopped, secret: plan.secrets_met(), ..Walked::default() })
}

fn walk_folder(plan: &Plan<'_>, fd: OwnedFd, visitors: &Visitors<'_>) -> Result<Walked, ToolError> {
    let mut first = Worker::new(plan, visitors());
    first.start(fd).map_err(|errno| words::not_listed(plan.spot.asked, errno, plan.spot.exact))?;
    let helpers = helpers(plan.options);
    let tally = thread::scope(|scope| {
        let mut others: Vec<ScopedJoinHandle<'_, Tally>> = Vec::new();
        let mut tally = first.run(|| {
            for _ in 0..helpers {
                plan.queue.join();
                others.push(scope.spawn(|| Worker::new(plan, visitors()).run(|| ())));
            }
        });
        for other in others {
            match other.join() {
                Ok(other) => tally.add(other),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        tally
    });
    plan.cancel.check()?;
    Ok(tally.into_walked(plan.secrets_met()))
}

/// How many threads help the one that calls.
fn helpers(options: &WalkOptions) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS);
    options.threads.map_or_else(cores, NonZeroUsize::get) - 1
}
