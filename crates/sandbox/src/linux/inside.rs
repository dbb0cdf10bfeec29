//! The process that becomes the program: takes rights away from itself, then starts it.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use super::apart;
use super::fault::{At, Step};
use super::job::{Job, Program, Walls};
use super::limits;
use super::sys::confine::Instruction;
use super::sys::process::Forked;
use super::sys::{Errno, Sys, confine, files, notify, process, signals};
use crate::report::{Failure, Report, Reports, Stage};

/// What was prepared for it by the first process.
#[derive(Default)]
pub(crate) struct Rights {
    /// Where it may write, by Landlock.
    pub(crate) rules: Option<OwnedFd>,
}

/// A program that was started.
pub(crate) struct Started {
    pub(crate) pid: i32,
    /// Where its calls wait, if they are watched over.
    pub(crate) listener: Option<OwnedFd>,
}

/// All that an exec needs, made beforehand.
pub(super) struct Ready<'a> {
    job: &'a Job,
    rights: &'a Rights,
    stdio: [OwnedFd; 3],
    argv: Vec<*const libc::c_char>,
    env: Vec<*const libc::c_char>,
}

/// Starts the program.
pub(crate) fn start(job: &Job, rights: &Rights) -> Step<Started> {
    // Above the three numbers that they are to get, so that none overwrites another.
    let copy = |file: &OwnedFd| files::copy_above(file.as_raw_fd(), 3).at(Stage::Descriptors);
    let [input, output, errors] = &job.stdio;
    let ready = Ready {
        job,
        rights,
        stdio: [copy(input)?, copy(output)?, copy(errors)?],
        argv: process::pointers(&job.argv),
        env: process::pointers(&job.env),
    };
    if job.apart.is_some() {
        return apart::start(&ready);
    }
    match job.walls.as_ref().and_then(|walls| walls.closed.as_ref()) {
        None => start_at_once(&ready),
        Some(_) => start_watched(&ready),
    }
}

pub(super) fn start_at_once(ready: &Ready<'_>) -> Step<Started> {
    let mut failure = None;
    let pid = process::start_in_this_memory(&mut || {
        failure = become_program(ready, &confine::filter).err();
    })
    .at(Stage::Start)?;
    match failure {
        None => Ok(Started { pid, listener: None }),
        Some(failure) => {
            process::wait(pid, true);
            Err(failure)
        }
    }
}

/// The new process has memory of its own, because this one must not stand still: it fetches the
/// descriptor at which calls wait before the first of them.
fn start_watched(ready: &Ready<'_>) -> Step<Started> {
    let (told, telling) = files::pipe().at(Stage::Watch)?;
    let (go, going) = files::pipe().at(Stage::Watch)?;
    let (pid, handle) = match process::fork(0).at(Stage::Start)? {
        Forked::Child => {
            let listen = |filter: &[Instruction]| {
                // The first process is opaque, and this copy of it must be looked into.
                process::be_transparent()?;
                let listener = notify::filter_and_listen(filter)?;
                files::write(telling.as_raw_fd(), &listener.to_ne_bytes())?;
                files::read_some(go.as_raw_fd()).map(|_| ())
            };
            if let Err(failure) = become_program(ready, &listen) {
                let _ = files::write(telling.as_raw_fd(), &Report::Failed(failure).encode());
            }
            process::exit(127);
        }
        Forked::Parent(pid, handle) => (pid, handle),
    };
    drop(telling);
    let started = fetch_listener(&told, &going, handle.as_fd());
    if started.is_err() {
        let _ = process::kill(pid, libc::SIGKILL);
        process::wait(pid, true);
    }
    started.map(|listener| Started { pid, listener: Some(listener) })
}

fn fetch_listener(told: &OwnedFd, going: &OwnedFd, process: BorrowedFd<'_>) -> Step<OwnedFd> {
    let number = files::read_some(told.as_raw_fd()).at(Stage::Watch)?;
    let Some(number) = number.as_slice().try_into().ok().map(i32::from_ne_bytes) else {
        return Err(failure_in(&number));
    };
    let listener = notify::descriptor_of(process, number).at(Stage::Watch)?;
    files::write(going.as_raw_fd(), b"!").at(Stage::Watch)?;
    // Its end is that of the process's descriptors: the program has been started.
    match files::read_some(told.as_raw_fd()).at(Stage::Watch)?.as_slice() {
        [] => Ok(listener),
        failure => Err(failure_in(failure)),
    }
}

pub(super) fn failure_in(told: &[u8]) -> Failure {
    let found = Reports::default().push(told).into_iter().find_map(|report| match report {
        Report::Failed(failure) => Some(failure),
        _ => None,
    });
    found.unwrap_or(Failure { stage: Stage::Start, errno: libc::ECHILD, path: None })
}

/// `filter` puts the process under its filter of system calls.
fn become_program(ready: &Ready<'_>, filter: &dyn Fn(&[Instruction]) -> Sys<()>) -> Step {
    let Ready { job, rights, stdio, argv, env } = ready;
    process::new_session().at(Stage::Session)?;
    if !job.numbered_apart() {
        process::at_parents_end(libc::SIGKILL).at(Stage::Parent)?;
    }
    for (file, number) in stdio.iter().zip(0..) {
        files::copy_to(file.as_raw_fd(), number).at(Stage::Descriptors)?;
    }
    if job.terminal {
        process::take_terminal().at(Stage::Terminal)?;
    }
    files::close_on_exec_from(3).at(Stage::Descriptors)?;
    process::change_folder(&job.cwd).at_path(Stage::Folder, &job.cwd)?;
    signals::reset().at(Stage::Session)?;
    if let Some(walls) = &job.walls {
        give_up_rights(walls, rights, filter)?;
    }
    execute(&job.program, argv, env)
}

fn give_up_rights(
    walls: &Walls,
    rights: &Rights,
    apply_filter: &dyn Fn(&[Instruction]) -> Sys<()>,
) -> Step {
    limits::apply(&walls.limits, walls.machine.namespaces).at(Stage::Limits)?;
    drop_capabilities(walls).at(Stage::Capabilities)?;
    confine::no_new_privileges().at(Stage::Capabilities)?;
    if let Some(rules) = &rights.rules {
        confine::obey(rules.as_fd()).at(Stage::Landlock)?;
    }
    if let Some(ports) = &walls.ports {
        confine::obey(ports.as_fd().as_fd()).at(Stage::Landlock)?;
    }
    if let Some(filter) = &walls.filter {
        let stage = if walls.closed.is_some() { Stage::Watch } else { Stage::Seccomp };
        apply_filter(filter).at(stage)?;
    }
    Ok(())
}

fn drop_capabilities(walls: &Walls) -> Sys<()> {
    match confine::drop_capabilities() {
        // Outside of a namespace a plain user has no say over this, and no capability either.
        Err(Errno(libc::EPERM)) if !walls.machine.namespaces => confine::set_no_capabilities(),
        dropped => dropped,
    }
}

/// Comes back only with a failure.
fn execute(program: &Program, argv: &[*const libc::c_char], env: &[*const libc::c_char]) -> Step {
    let Program::Start(candidates) = program else { process::exit(0) };
    let mut failure = Failure { stage: Stage::Program, errno: libc::ENOENT, path: None };
    for candidate in candidates {
        let errno = process::execute(candidate, argv, env);
        let now = Err::<(), _>(errno).at_path(Stage::Program, candidate);
        // That a file may not be started says more than that another does not exist.
        if let Err(now) = now
            && (failure.path.is_none() || failure.errno == libc::ENOENT)
        {
            failure = now;
        }
    }
    Err(failure)
}
