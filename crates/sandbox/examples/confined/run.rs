//! What it does on Linux.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a helper of tests: its answer is its output"
)]

use std::ffi::CString;
use std::fs::File;
use std::io::{PipeReader, Read, pipe};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use dogu_sandbox::{
    Command, Confinement, Machine, Report, Reports, SpawnError, Spawned, probe, probe_apart, spawn,
    spawn_apart,
};
use serde::{Deserialize, Serialize};

/// What to run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    argv: Vec<String>,
    #[serde(default)]
    env: Vec<String>,
    cwd: String,
    confinement: Option<Confinement>,
    /// The machine to pretend; probed if it is not given.
    machine: Option<Machine>,
    /// How long probing may take, in milliseconds.
    probe: Option<u64>,
    /// Signals to send, each when the output has this word, after this many milliseconds.
    #[serde(default)]
    signals: Vec<(String, u64, i32)>,
    /// How often to run it.
    #[serde(default)]
    times: Option<usize>,
    /// Whether to give it a terminal instead of pipes.
    #[serde(default)]
    terminal: bool,
    /// The user to become first.
    user: Option<u32>,
    /// Whether what is left when the first process was killed is ended here, as a supervisor does.
    #[serde(default)]
    left_may_be: bool,
    /// Whether it is to have numbers of its own.
    apart: Option<Numbers>,
    /// Whether this process is to have a terminal that controls it, whose output is reported.
    #[serde(default)]
    under_terminal: bool,
}

/// Numbers of its own, instead of a confinement or beside it, which is an error.
#[derive(Deserialize)]
struct Numbers {
    confined: bool,
}

/// What became of it.
#[derive(Serialize)]
struct Answer {
    machine: Machine,
    reports: Vec<String>,
    output: String,
    placeholders: usize,
    descriptors: (usize, usize),
    terminal_output: String,
    left: usize,
}

pub(crate) fn main() {
    let wish = std::env::args().nth(1).unwrap();
    // A command may have to know the process that it is to attack.
    let wish = wish.replace("\\\"SUPERVISOR\\\"", &std::process::id().to_string());
    let wish: Wish = serde_json::from_str(&wish).unwrap();
    let own_terminal = wish.under_terminal.then(controlling_terminal);
    if let Some(user) = wish.user {
        become_user(user);
    }
    adopt_orphans();
    let machine = wish
        .machine
        .clone()
        .unwrap_or_else(|| probe(Duration::from_millis(wish.probe.unwrap_or(5000))));
    let mut answer = run(&wish, &machine);
    let before = descriptors();
    for _ in 1..wish.times.unwrap_or(1) {
        answer = run(&wish, &machine);
    }
    answer.descriptors = (before, descriptors());
    while wish.left_may_be && children_left().inspect(|pid| send(*pid, libc::SIGKILL)).count() > 0 {
        collect(-1);
    }
    answer.left = children_left().count();
    answer.terminal_output = own_terminal.as_ref().map(written_to).unwrap_or_default();
    println!("{}", serde_json::to_string(&answer).unwrap());
    // Closing the terminal earlier would hang up on this process.
    std::mem::forget(own_terminal);
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn run(wish: &Wish, machine: &Machine) -> Answer {
    let text = |text: &String| CString::new(text.as_str()).unwrap();
    let (output, stdio) = if wish.terminal { terminal() } else { pipes() };
    let command = Command {
        argv: wish.argv.iter().map(text).collect(),
        env: wish.env.iter().map(text).collect(),
        cwd: text(&wish.cwd),
        stdio,
        terminal: wish.terminal,
        confinement: wish.confinement.clone(),
    };
    let mut answer = Answer {
        machine: machine.clone(),
        reports: Vec::new(),
        output: String::new(),
        placeholders: 0,
        descriptors: (0, 0),
        terminal_output: String::new(),
        left: 0,
    };
    let spawned = match start(wish, command, machine) {
        Ok(spawned) => spawned,
        Err(error) => {
            answer.reports.push(format!("not started: {error}"));
            return answer;
        }
    };
    answer.placeholders = spawned.kept.len();
    attend(wish, spawned.pid, output, File::from(spawned.reports), &mut answer);
    collect(spawned.pid);
    spawned.kept.remove();
    answer
}

fn start(wish: &Wish, command: Command, machine: &Machine) -> Result<Spawned, SpawnError> {
    let Some(Numbers { confined }) = wish.apart else { return spawn(command, machine) };
    let how = probe_apart(Duration::from_secs(5)).expect("no numbers of its own here");
    let confinement = command.confinement.filter(|_| confined);
    spawn_apart(Command { confinement, ..command }, how)
}

/// Reads what the command writes and what is reported until both are at their end.
fn attend(wish: &Wish, pid: i32, output: OwnedFd, mut reports: File, answer: &mut Answer) {
    let mut output = Some(File::from(output));
    let mut reader = Reports::default();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let mut signals = wish.signals.clone();
    let mut due: Vec<(Instant, i32)> = Vec::new();
    let mut reporting = true;
    while reporting || output.is_some() {
        let mut polls = vec![poll(&reports, reporting)];
        polls.extend(output.as_ref().map(|output| poll(output, true)));
        wait_for(&mut polls);
        if polls[0].revents != 0 && reporting {
            match reports.read(&mut buffer) {
                Ok(0) => reporting = false,
                Ok(count) => {
                    let found = reader.push(&buffer[..count]);
                    answer.reports.extend(found.iter().map(said));
                }
                Err(_) => {}
            }
        }
        if polls.len() > 1 && polls[1].revents != 0 {
            // A terminal whose other side is closed gives an error instead of an end.
            match output.as_mut().unwrap().read(&mut buffer) {
                Ok(0) | Err(_) => output = None,
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            }
        }
        if !reporting && wish.left_may_be {
            children_left().for_each(|pid| send(pid, libc::SIGKILL));
        }
        let seen = String::from_utf8_lossy(&bytes).into_owned();
        signals.retain(|(word, after, signal)| {
            let now = seen.contains(word.as_str());
            if now {
                due.push((Instant::now() + Duration::from_millis(*after), *signal));
            }
            !now
        });
        due.retain(|(at, signal)| {
            let now = Instant::now() >= *at;
            if now {
                send(pid, *signal);
            }
            !now
        });
    }
    answer.output = String::from_utf8_lossy(&bytes).into_owned();
}

/// What stands on a terminal.
fn written_to(master: &OwnedFd) -> String {
    let mut polls = [poll(master, true)];
    wait_for(&mut polls);
    let mut buffer = [0; 4096];
    let count = if polls[0].revents & libc::POLLIN == 0 {
        0
    } else {
        File::from(master.try_clone().unwrap()).read(&mut buffer).unwrap_or(0)
    };
    String::from_utf8_lossy(&buffer[..count]).into_owned()
}

/// Children of this process, which adopts orphans: whatever a command has left.
fn children_left() -> impl Iterator<Item = i32> {
    let own = std::process::id();
    let list = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap();
    let pids: Vec<i32> = list.split_ascii_whitespace().map(|pid| pid.parse().unwrap()).collect();
    pids.into_iter()
}

fn said(report: &Report) -> String {
    match report {
        Report::Running => "running".into(),
        Report::Failed(failure) => format!("failed: {failure}"),
        Report::Ended { exit_code: Some(code), .. } => format!("exit {code}"),
        Report::Ended { signal, .. } => format!("signal {}", signal.unwrap_or(0)),
    }
}

fn pipes() -> (OwnedFd, [OwnedFd; 3]) {
    let (input, _): (PipeReader, _) = pipe().unwrap();
    let (output, writer) = pipe().unwrap();
    let errors = writer.try_clone().unwrap();
    (output.into(), [input.into(), writer.into(), errors.into()])
}

fn poll(file: &impl AsRawFd, wanted: bool) -> libc::pollfd {
    let fd = if wanted { file.as_raw_fd() } else { -1 };
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

#[expect(unsafe_code, reason = "calls that the standard library does not have")]
mod calls {
    use std::os::fd::{FromRawFd, OwnedFd};

    pub(super) fn wait_for(polls: &mut [libc::pollfd]) {
        // SAFETY: pointer and length are of one slice.
        unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, 20) };
    }

    pub(super) fn send(pid: i32, signal: i32) {
        // SAFETY: numbers only.
        unsafe { libc::kill(pid, signal) };
    }

    pub(super) fn collect(pid: i32) {
        // SAFETY: no status is asked for.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
    }

    pub(super) fn adopt_orphans() {
        // SAFETY: numbers only.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    }

    pub(super) fn become_user(user: u32) {
        // SAFETY: numbers, and an empty list; then a number again.
        unsafe {
            libc::setgroups(0, std::ptr::null());
            libc::setresgid(user, user, user);
            libc::setresuid(user, user, user);
            libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0);
        }
    }

    /// Puts this process into a session with a terminal of its own; gives the terminal's master.
    pub(super) fn controlling_terminal() -> OwnedFd {
        let (master, [slave, ..]) = terminal();
        // SAFETY: numbers only; the slave stays open as long as this process.
        unsafe {
            libc::setsid();
            let slave = std::os::fd::IntoRawFd::into_raw_fd(slave);
            assert_eq!(libc::ioctl(slave, libc::TIOCSCTTY, 0), 0);
        }
        master
    }

    /// A terminal: its master, and its slave three times.
    pub(super) fn terminal() -> (OwnedFd, [OwnedFd; 3]) {
        let (mut master, mut slave) = (0, 0);
        let none = std::ptr::null_mut();
        // SAFETY: the call fills both numbers, which nothing else owns.
        let (master, slave) = unsafe {
            assert_eq!(
                libc::openpty(&raw mut master, &raw mut slave, none, none.cast(), none.cast()),
                0
            );
            (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave))
        };
        let copy = || slave.try_clone().unwrap();
        (master, [copy(), copy(), copy()])
    }
}
use calls::{adopt_orphans, become_user, collect, controlling_terminal, send, terminal, wait_for};
