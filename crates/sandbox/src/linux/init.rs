//! The first process of a command: it builds the walls, starts the program behind them, collects
//! what ends, and takes everything with it when the program ends.

use std::os::fd::{AsFd, AsRawFd, IntoRawFd, OwnedFd, RawFd};

use super::apart;
use super::descendants;
use super::fault::{At, Step};
use super::inside::{self, Rights, Started};
use super::job::{Job, Program, Walls};
use super::sys::process::{self, Waited};
use super::sys::{confine, files, signals};
use super::warden::{self, Warden};
use super::{landlock, limits, mounts};
use crate::report::{Report, Stage};

/// Lives the life of the first process. The signals that it waits for are held back already.
pub(crate) fn run(job: &Job, reports: &OwnedFd) -> ! {
    let reports = above_standard(reports);
    // Nothing of the caller may run in this copy of it.
    let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| live(job, reports)));
    process::exit(code.unwrap_or(2))
}

/// The same pipe under a number that no input or output of a program has: those are put in place
/// in this process's own table.
fn above_standard(reports: &OwnedFd) -> RawFd {
    const FIRST_OTHER: RawFd = 3;
    let number = reports.as_raw_fd();
    if number >= FIRST_OTHER {
        return number;
    }
    files::copy_above(number, FIRST_OTHER).map_or(number, IntoRawFd::into_raw_fd)
}

fn live(job: &Job, reports: RawFd) -> i32 {
    match build(job, reports).and_then(|rights| start(job, &rights)) {
        Ok((pid, mut warden)) => {
            // What it still holds would keep pipes open that the command has closed.
            let watching = warden.iter().flat_map(Warden::descriptors).map(|file| file.as_raw_fd());
            files::close_all_but(&watching.chain([reports]).collect::<Vec<_>>());
            tell(reports, &Report::Running);
            watch(pid, job.numbered_apart(), reports, warden.as_mut());
            0
        }
        Err(failure) => {
            tell(reports, &Report::Failed(failure));
            1
        }
    }
}

/// Starts the program, and what makes its connections where that can be.
fn start(job: &Job, rights: &Rights) -> Step<(i32, Option<Warden>)> {
    let watched = job.walls.as_ref().and_then(|walls| Some((walls, walls.reach.clone()?)));
    if watched.is_some()
        && let Some(rules) = &rights.rules
    {
        // What is done for the command is bound as the command is.
        confine::no_new_privileges().at(Stage::Watch)?;
        confine::obey(rules.as_fd()).at(Stage::Landlock)?;
    }
    if watched.is_some() && matches!(job.program, Program::Nothing) {
        warden::try_out().at(Stage::Watch)?;
    }
    let Started { pid, listener } = inside::start(job, rights)?;
    let Some(((walls, reach), listener)) = watched.zip(listener) else { return Ok((pid, None)) };
    confine::keep_capabilities_over_others().at(Stage::Watch)?;
    let warden = Warden::new(listener, reach, walls.machine.namespaces).at(Stage::Watch)?;
    Ok((pid, Some(warden)))
}

fn tell(reports: RawFd, report: &Report) {
    // Without a reader there is nobody to tell, and this process is about to be killed.
    let _ = files::write(reports, &report.encode());
}

fn build(job: &Job, reports: RawFd) -> Step<Rights> {
    // The end of a namespace's first process ends all of it; without one that takes work.
    let signal = if job.numbered_apart() { libc::SIGKILL } else { signals::ORPHANED };
    process::at_parents_end(signal).at(Stage::Parent)?;
    if files::reader_is_gone(reports) {
        process::exit(1);
    }
    process::set_name(c"dogu-init");
    process::new_group().at(Stage::Session)?;
    if !job.numbered_apart() {
        process::adopt_orphans().at(Stage::Parent)?;
    }
    let rights = match &job.walls {
        Some(walls) => walls_around(walls)?,
        None => Rights::default(),
    };
    if let Some(how) = job.apart {
        apart::set_up(how)?;
    }
    process::be_opaque().at(Stage::Parent)?;
    Ok(rights)
}

fn walls_around(walls: &Walls) -> Step<Rights> {
    let machine = &walls.machine;
    let writable = if machine.namespaces {
        keep_identity()?;
        if walls.own_network {
            process::loopback_up().at(Stage::Network)?;
        }
        if let Some(processes) = walls.limits.processes
            && machine.process_limit
            && process::ids().0 == 0
        {
            limits::bound_process_numbers(processes).at(Stage::Limits)?;
        }
        mounts::set_up(&walls.plan, machine)?
    } else {
        landlock::shared_places(&walls.plan)?
    };
    let rules = match walls.landlock() {
        Some(version) => Some(landlock::rules(&writable, &walls.plan.unread, version)?),
        None => None,
    };
    Ok(Rights { rules })
}

/// Maps the user and group to themselves, and nobody else.
pub(super) fn keep_identity() -> Step {
    let (user, group) = super::spawn::OUTSIDE_IDS.get();
    let map = |id: u32| format!("{id} {id} 1");
    files::put(c"/proc/self/setgroups", b"deny").at(Stage::Identity)?;
    files::put(c"/proc/self/uid_map", map(user).as_bytes()).at(Stage::Identity)?;
    files::put(c"/proc/self/gid_map", map(group).as_bytes()).at(Stage::Identity)
}

/// Collects whatever ends until the command has, passing signals on meanwhile.
fn watch(command: i32, numbered_apart: bool, reports: RawFd, mut warden: Option<&mut Warden>) {
    let above = process::parent();
    loop {
        if let Some(status) = collect(command) {
            if numbered_apart {
                // With this process the rest goes; but a stuck one must not delay the answer.
                let _ = process::kill(-1, libc::SIGKILL);
            } else {
                descendants::end_all();
            }
            let (exit_code, signal) = process::exit_of(status);
            return tell(reports, &Report::Ended { exit_code, signal });
        }
        if let Some(warden) = &mut warden {
            warden.serve_until_signal();
        }
        let (signal, sender) = signals::next();
        if sender != 0 && sender != above {
            continue;
        }
        match signal {
            libc::SIGCHLD => {}
            signals::ORPHANED => return descendants::end_all(),
            signal => pass_on(signal, numbered_apart),
        }
    }
}

/// Collects all that have ended; the status of the command if it is one of them.
fn collect(command: i32) -> Option<i32> {
    let mut found = None;
    while let Waited::Ended(pid, status) = process::wait(-1, false) {
        if pid == command {
            found = Some(status);
        }
    }
    found
}

fn pass_on(signal: i32, numbered_apart: bool) {
    // What is stopped must go on to notice.
    for signal in [signal, libc::SIGCONT] {
        if numbered_apart {
            let _ = process::kill(-1, signal);
        } else {
            descendants::signal_all(signal);
        }
    }
}
