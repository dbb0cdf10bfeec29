//! The process that becomes the program: takes rights away from itself, then starts it.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;

use super::apart;
use super::fault::{At, Step};
use super::job::{Job, Program, Walls};
use super::limits;
use super::sys::{Errno, Sys, confine, files, notify, process, signals};
use crate::report::{Failure, Stage};

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
    start_at_once(&ready)
}

pub(super) fn start_at_once(ready: &Ready<'_>) -> Step<Started> {
    // The new process has this one's memory and descriptors, so what it gets is here, too.
    let (mut failure, mut listener) = (None, None);
    let pid = process::start_in_this_memory(&mut || {
        failure = become_program(ready, &mut listener).err();
    })
    .at(Stage::Start)?;
    match failure {
        None => Ok(Started { pid, listener }),
        Some(failure) => {
            process::wait(pid, true);
            Err(failure)
        }
    }
}

/// `listener` gets where the program's calls wait, if they are watched over.
fn become_program(ready: &Ready<'_>, listener: &mut Option<OwnedFd>) -> Step {
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
        give_up_rights(walls, rights, listener)?;
    }
    execute(&job.program, argv, env)
}

fn give_up_rights(walls: &Walls, rights: &Rights, listener: &mut Option<OwnedFd>) -> Step {
    limits::apply(&walls.limits, walls.machine.namespaces).at(Stage::Limits)?;
    drop_capabilities(walls).at(Stage::Capabilities)?;
    confine::no_new_privileges().at(Stage::Capabilities)?;
    if let Some(rules) = &rights.rules {
        confine::obey(rules.as_fd()).at(Stage::Landlock)?;
    }
    if let Some(ports) = &walls.ports {
        confine::obey(ports.as_fd().as_fd()).at(Stage::Landlock)?;
    }
    match &walls.filter {
        Some(filter) if walls.reach.is_some() => {
            *listener = Some(notify::filter_and_listen(filter).at(Stage::Watch)?);
        }
        Some(filter) => confine::filter(filter).at(Stage::Seccomp)?,
        None => {}
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
    // Where it was looked for in many folders, the last of them says nothing.
    if failure.errno == libc::ENOENT && candidates.len() > 1 {
        failure.path = failure.path.and_then(|path| Some(PathBuf::from(path.file_name()?)));
    }
    Err(failure)
}
