//! A command with numbers of its own and nothing else around it.
//!
//! ```text
//! 1  init     reaps, passes signals on; its end is the end of everything
//! 2  parent   of the program; ends as the program does
//! 3  the program
//! ```
//!
//! Many programs take a parent with the number 1 for the sign that their own has ended, and end
//! themselves. So the program is not a child of the first process.

use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use super::fault::{At, Step};
use super::init::keep_identity;
use super::inside::{self, Ready, Started};
use super::job::Job;
use super::placeholder::Placeholders;
use super::sys::process::{self, Forked, Waited, namespaces};
use super::sys::{files, signals};
use super::{mounts, probe, spawn};
use crate::report::{Failure, Report, Reports, Stage};
use crate::{Apart, Command, SpawnError, Spawned};

impl Apart {
    /// The namespaces that it takes.
    pub(crate) fn namespaces(self) -> u64 {
        match self {
            Self::Outright => namespaces::PID | namespaces::MOUNT,
            Self::AsUser => namespaces::PID | namespaces::MOUNT | namespaces::USER,
        }
    }
}

/// How commands can be held together here, by trying it; `None` where they cannot be. Like
/// [`spawn`](crate::spawn()) it needs a process with one thread.
pub fn probe_apart(deadline: Duration) -> Option<Apart> {
    // In a user namespace root would lose what it may do with the files of others.
    let apart = if process::ids().0 == 0 { Apart::Outright } else { Apart::AsUser };
    probe::works_apart(apart, Instant::now() + deadline).then_some(apart)
}

/// Starts a command whose processes have numbers of their own. It has no confinement: what it was
/// given as one is an error.
///
/// All else is as with [`spawn`](crate::spawn()).
pub fn spawn_apart(command: Command, apart: Apart) -> Result<Spawned, SpawnError> {
    if command.confinement.is_some() {
        let message = "a confinement has numbers of its own already".to_owned();
        return Err(SpawnError::Invalid(message));
    }
    let job = Job::apart(command, apart)?;
    let (pid, pidfd, reports) =
        spawn::start(&job).map_err(|errno| SpawnError::System(errno.into()))?;
    Ok(Spawned { pid, pidfd, reports, kept: Placeholders::default() })
}

/// Makes the first process's world what the command will see.
pub(super) fn set_up(apart: Apart) -> Step {
    if apart == Apart::AsUser {
        keep_identity()?;
    }
    mounts::show_own_processes()
}

/// Starts the program below a process of its own, and gives that one's number.
pub(super) fn start(ready: &Ready<'_>) -> Step<Started> {
    let (told, low) = files::pipe().at(Stage::Start)?;
    // Above the numbers of the program's input and output, which are put in place in the same table.
    let telling = files::copy_above(low.as_raw_fd(), 3).at(Stage::Start)?;
    drop(low);
    let pid = match process::fork(0).at(Stage::Start)? {
        Forked::Child => match inside::start_at_once(ready) {
            Ok(Started { pid, .. }) => be_parent_of(pid),
            Err(failure) => {
                let _ = files::write(telling.as_raw_fd(), &Report::Failed(failure).encode());
                process::exit(127)
            }
        },
        Forked::Parent(pid, _) => pid,
    };
    drop(telling);
    // The other process closes its end when the program was started.
    match files::read_some(told.as_raw_fd()).at(Stage::Start)?.as_slice() {
        [] => Ok(Started { pid, listener: None }),
        told => {
            process::wait(pid, true);
            Err(failure_in(told))
        }
    }
}

fn failure_in(told: &[u8]) -> Failure {
    let found = Reports::default().push(told).into_iter().find_map(|report| match report {
        Report::Failed(failure) => Some(failure),
        _ => None,
    });
    found.unwrap_or(Failure { stage: Stage::Start, errno: libc::ECHILD, path: None })
}

/// Waits for the program, and ends as it did.
fn be_parent_of(program: i32) -> ! {
    files::close_all_but(&[]);
    let Waited::Ended(_, status) = process::wait(program, true) else { process::exit(127) };
    match process::exit_of(status) {
        (Some(code), _) => process::exit(code),
        (None, signal) => {
            // Like the first process it is opaque, so that there is no second dump of memory.
            signals::end_by(signal.unwrap_or(libc::SIGKILL));
            process::exit(127)
        }
    }
}
