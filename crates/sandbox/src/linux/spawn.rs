//! Starting a command.

use std::cell::Cell;
use std::os::fd::OwnedFd;

use super::init;
use super::job::Job;
use super::placeholder::Placeholders;
use super::sys::process::{self, Forked};
use super::sys::{Sys, files, signals};
use crate::{Command, Machine, SpawnError, Spawned};

thread_local! {
    /// The user and group as they are outside: in a new user namespace they have no number yet.
    pub(crate) static OUTSIDE_IDS: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
}

/// Starts a command.
///
/// The process that calls this has one thread, and stays: when it ends, the command is killed. It
/// collects the command's first process, [`Spawned::pid`], when that has ended.
///
/// Nothing runs without a wall that [`Machine`] says is there: a step that fails is reported as
/// [`Report::Failed`](crate::Report::Failed).
pub fn spawn(command: Command, machine: &Machine) -> Result<Spawned, SpawnError> {
    let mut kept = Placeholders::default();
    let started = Job::new(command, machine, &mut kept)
        .and_then(|job| start(&job).map_err(|errno| SpawnError::System(errno.into())));
    match started {
        Ok((pid, pidfd, reports)) => Ok(Spawned { pid, pidfd, reports, kept }),
        Err(error) => {
            kept.remove();
            Err(error)
        }
    }
}

/// Makes the first process of a job: its number, its descriptor, and what it tells.
pub(crate) fn start(job: &Job) -> Sys<(i32, OwnedFd, OwnedFd)> {
    let (reports, telling) = files::pipe()?;
    OUTSIDE_IDS.set(process::ids());
    // A signal that comes before it waits for signals must not get lost.
    let before = signals::hold();
    let forked = process::fork(job.namespaces());
    if let Ok(Forked::Child) = forked {
        init::run(job, &telling);
    }
    signals::restore(&before);
    match forked? {
        Forked::Parent(pid, pidfd) => Ok((pid, pidfd, reports)),
        Forked::Child => process::exit(2),
    }
}
