//! What works here, by trying it.

use std::ffi::CString;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use super::job::{Job, Program, Walls};
use super::placeholder::Placeholders;
use super::spawn;
use super::sys::{Errno, confine, files, process};
use crate::report::{Failure, Report, Reports, Stage};
use crate::{Apart, Confinement, Machine, SpawnError};

/// The first kernel in which each PID namespace has its own bound of numbers. Before it, root in a
/// namespace would change the machine's.
const OWN_PROCESS_NUMBERS: (u32, u32) = (6, 14);

/// Tries everything for real in processes that are killed at the deadline, and gives what works.
/// What hangs is not there. Like [`spawn`](crate::spawn()) it needs a process with one thread.
pub fn probe(deadline: Duration) -> Machine {
    let end = Instant::now() + deadline;
    let mut machine = Machine {
        namespaces: true,
        network_namespaces: true,
        own_processes_view: true,
        own_terminals: true,
        landlock: confine::landlock_version(),
        seccomp: cfg!(any(target_arch = "x86_64", target_arch = "aarch64")),
        watched_connections: cfg!(any(target_arch = "x86_64", target_arch = "aarch64")),
        overlays: true,
        process_limit: process::ids().0 != 0 || kernel() >= OWN_PROCESS_NUMBERS,
    };
    // Each round takes at least one thing away.
    while machine != nothing() {
        match attempt(&machine, end) {
            Attempt::Works => break,
            failed => machine = lessened(machine, &failed),
        }
    }
    machine
}

fn nothing() -> Machine {
    Machine::default().without_namespaces()
}

/// How an attempt ended.
enum Attempt {
    Works,
    Failed(Failure),
    NotStarted,
    Hung,
}

/// The machine without what an attempt failed at.
fn lessened(machine: Machine, failed: &Attempt) -> Machine {
    let stage = match failed {
        Attempt::Failed(failure) => Some(failure.stage),
        _ => None,
    };
    let terminals = match failed {
        Attempt::Failed(failure) => failure.path.as_deref() == Some("/dev/pts".as_ref()),
        _ => false,
    };
    match stage {
        Some(Stage::Landlock) if machine.landlock > 0 => machine.without_landlock(),
        Some(Stage::Watch) if machine.watched_connections => machine.without_watched_connections(),
        Some(Stage::Seccomp) if machine.seccomp => machine.without_seccomp(),
        Some(Stage::Overlay) if machine.overlays => machine.without_overlays(),
        Some(Stage::Processes) if machine.own_processes_view => {
            machine.without_own_processes_view()
        }
        Some(Stage::Devices) if terminals && machine.own_terminals => {
            Machine { own_terminals: false, ..machine }
        }
        None | Some(Stage::Network) if machine.network_namespaces => {
            machine.without_network_namespaces()
        }
        _ if machine.namespaces => machine.without_namespaces(),
        _ => nothing(),
    }
}

fn attempt(machine: &Machine, end: Instant) -> Attempt {
    let Ok(mut job) = empty_job() else { return Attempt::NotStarted };
    let Ok(walls) = all_walls(machine) else { return Attempt::NotStarted };
    job.walls = Some(walls);
    attempt_job(&job, end)
}

/// Whether a command can have numbers of its own in this way.
pub(crate) fn works_apart(apart: Apart, end: Instant) -> bool {
    let Ok(mut job) = empty_job() else { return false };
    job.apart = Some(apart);
    matches!(attempt_job(&job, end), Attempt::Works)
}

fn attempt_job(job: &Job, end: Instant) -> Attempt {
    // A quick answer after the end is none either.
    if Instant::now() >= end {
        return Attempt::Hung;
    }
    let Ok((pid, _pidfd, reports)) = spawn::start(job) else { return Attempt::NotStarted };
    let outcome = outcome(reports, end);
    let _ = process::kill(pid, libc::SIGKILL);
    process::wait(pid, true);
    outcome
}

/// The walls of a command that may do nothing.
fn all_walls(machine: &Machine) -> Result<Walls, SpawnError> {
    let confinement = Confinement::default();
    let mut walls = Walls::new(&confinement, machine, &mut Placeholders::default())?;
    walls.plan.tries_overlay = true;
    Ok(walls)
}

/// A command that does nothing.
fn empty_job() -> Result<Job, Errno> {
    let null = || files::open(c"/dev/null", libc::O_RDWR);
    Ok(Job {
        program: Program::Nothing,
        argv: Vec::new(),
        env: Vec::new(),
        cwd: CString::from(c"/"),
        stdio: [null()?, null()?, null()?],
        terminal: false,
        walls: None,
        apart: None,
    })
}

fn outcome(reports: OwnedFd, end: Instant) -> Attempt {
    let mut pipe = std::fs::File::from(reports);
    let mut reader = Reports::default();
    let mut buffer = [0; 512];
    while files::readable_until(pipe.as_raw_fd(), end) {
        let Ok(count) = pipe.read(&mut buffer) else { return Attempt::Hung };
        if count == 0 {
            return Attempt::NotStarted;
        }
        for report in reader.push(&buffer[..count]) {
            match report {
                Report::Running => {}
                Report::Failed(failure) => return Attempt::Failed(failure),
                Report::Ended { exit_code: Some(0), .. } => return Attempt::Works,
                Report::Ended { .. } => return Attempt::NotStarted,
            }
        }
    }
    Attempt::Hung
}

/// The kernel's version.
fn kernel() -> (u32, u32) {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    version(&release)
}

fn version(release: &str) -> (u32, u32) {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().ok());
    let mut next = || numbers.next().flatten().unwrap_or(0);
    (next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(version("6.18.44-fc-v445\n"), (6, 18));
        assert_eq!(version("5.4"), (5, 4));
        assert_eq!(version("strange"), (0, 0));
        assert!(version("6.9.1") < OWN_PROCESS_NUMBERS);
    }

    #[test]
    fn each_failure_takes_something_away() {
        let mut machine = Machine {
            namespaces: true,
            network_namespaces: true,
            own_processes_view: true,
            own_terminals: true,
            landlock: 7,
            seccomp: true,
            watched_connections: true,
            overlays: true,
            process_limit: true,
        };
        let mut rounds = 0;
        while machine != nothing() {
            let before = machine.clone();
            machine = lessened(machine, &Attempt::Hung);
            assert_ne!(machine, before);
            rounds += 1;
        }
        assert!(rounds <= 4);
    }
}
