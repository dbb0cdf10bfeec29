//! The supervisor: a small process with one thread that starts all children of dogu.
//!
//! dogu itself is large and has many threads: to fork there is slow, and between fork and exec
//! hardly anything may be done. Here both are harmless. When the socket to dogu closes, whatever
//! the reason, everything that was started here is killed.
//!
//! - `mod`: the loop over the socket and the reports of the children.
//! - `child`: one command.
//! - `strays`: processes that nobody is left to answer for.

mod child;
mod strays;

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use dogu_sandbox::{Command, Machine, probe, spawn};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal};

use self::child::{Child, News};
use crate::wire::{Answer, Order, Start, Wire, texts};

/// How long the kernel is asked what it offers, where nobody asked before a command came.
const PROBE_WITHIN: Duration = Duration::from_secs(3);

/// Serves orders until the other end of `socket` is closed.
pub fn supervise(socket: OwnedFd) -> io::Result<()> {
    strays::adopt()?;
    // Keys at the terminal are dogu's: it says what becomes of its children.
    let _ = rustix::process::setsid();
    let mut supervisor =
        Supervisor { wire: Wire::new(socket), machine: None, children: BTreeMap::new() };
    let served = supervisor.serve();
    supervisor.end_all();
    served
}

/// Serves orders at the standard input, which is a socket.
pub fn supervise_stdin() -> io::Result<()> {
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    // Nothing that is started here may find the socket.
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    let nothing = rustix::fs::open("/dev/null", flags, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    supervise(socket)
}

struct Supervisor {
    wire: Wire,
    machine: Option<Machine>,
    children: BTreeMap<u64, Child>,
}

impl Supervisor {
    fn serve(&mut self) -> io::Result<()> {
        loop {
            let ready = self.wait()?;
            if ready.hung_up {
                return Ok(());
            }
            if ready.orders {
                if !self.wire.receive()? {
                    return Ok(());
                }
                self.obey_all()?;
            }
            if ready.answers {
                self.wire.flush()?;
            }
            for id in ready.children {
                self.hear(id)?;
            }
            self.kill_overdue();
        }
    }

    /// Waits for an order, for news of a child, or until a child has had its time.
    fn wait(&self) -> io::Result<Ready> {
        let mut flags = PollFlags::IN;
        flags.set(PollFlags::OUT, self.wire.has_unsent());
        let mut watched = vec![PollFd::new(&self.wire, flags)];
        for child in self.children.values() {
            watched.push(PollFd::new(child, PollFlags::IN));
        }
        match poll(&mut watched, self.next_deadline().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let wire = watched[0].revents();
        let with_news = self.children.keys().zip(&watched[1..]);
        Ok(Ready {
            hung_up: wire.contains(PollFlags::ERR),
            orders: wire.intersects(PollFlags::IN | PollFlags::HUP),
            answers: wire.contains(PollFlags::OUT),
            children: with_news
                .filter(|(_, polled)| !polled.revents().is_empty())
                .map(|(id, _)| *id)
                .collect(),
        })
    }

    fn next_deadline(&self) -> Option<Timespec> {
        let next = self.children.values().filter_map(|child| child.kill_at).min()?;
        let left = next.saturating_duration_since(Instant::now());
        // Rounded up, so that the deadline has passed when this comes back.
        Timespec::try_from(left + Duration::from_millis(1)).ok()
    }

    fn obey_all(&mut self) -> io::Result<()> {
        while let Some(frame) = self.wire.next::<Order>()? {
            match frame.header {
                Order::Probe { within_ms } => {
                    let machine = self.machine(Duration::from_millis(within_ms)).clone();
                    self.wire.queue(&Answer::Machine(Box::new(machine)))?;
                }
                Order::Start(start) => self.start(&start, &frame.bytes)?,
                Order::Signal { id, signal } => {
                    if let (Some(child), Some(signal)) =
                        (self.children.get(&id), Signal::from_named_raw(signal))
                    {
                        child.signal(signal);
                    }
                }
                Order::KillAfter { id, after_ms } => {
                    if let Some(child) = self.children.get_mut(&id) {
                        child.kill_after(Duration::from_millis(after_ms));
                    }
                }
                Order::Stop { id, grace_ms } => {
                    if let Some(child) = self.children.get_mut(&id) {
                        child.stop(Duration::from_millis(grace_ms));
                    }
                }
            }
        }
        Ok(())
    }

    fn machine(&mut self, within: Duration) -> &Machine {
        self.machine.get_or_insert_with(|| probe(within))
    }

    fn start(&mut self, start: &Start, bytes: &[u8]) -> io::Result<()> {
        let id = start.id;
        let Some(command) = self.command(start, bytes) else {
            let what = "understand the order".to_owned();
            return self.wire.queue(&Answer::Failed { id, what });
        };
        self.machine(PROBE_WITHIN);
        let Some(machine) = &self.machine else { return Ok(()) };
        match spawn(command, machine) {
            Ok(spawned) => {
                self.children.insert(id, Child::new(spawned));
                Ok(())
            }
            Err(error) => {
                let what = format!("start it: {error}");
                self.wire.queue(&Answer::Failed { id, what })
            }
        }
    }

    fn command(&mut self, start: &Start, bytes: &[u8]) -> Option<Command> {
        let stdio = self.wire.take_descriptors()?;
        let mut argv = texts(bytes);
        let cwd = argv.pop()?;
        if start.words == 0 || start.words > argv.len() {
            return None;
        }
        let env = argv.split_off(start.words);
        let confinement = start.confinement.clone();
        Some(Command { argv, env, cwd, stdio, terminal: start.terminal, confinement })
    }

    /// Reads what a child reports; at its end it is buried and dogu is told.
    fn hear(&mut self, id: u64) -> io::Result<()> {
        let Some(child) = self.children.get_mut(&id) else { return Ok(()) };
        let news = child.hear();
        if let Some(pid) = child.begins() {
            self.wire.queue(&Answer::Started { id, pid })?;
        }
        let answer = match news {
            News::Nothing => return Ok(()),
            News::Failed(what) => Answer::Failed { id, what },
            News::Ended { exit_code, signal } => Answer::Ended { id, exit_code, signal },
        };
        if let Some(child) = self.children.remove(&id) {
            child.bury();
        }
        self.kill_strays();
        self.wire.queue(&answer)
    }

    fn kill_overdue(&mut self) {
        let now = Instant::now();
        for child in self.children.values_mut() {
            if child.kill_at.is_some_and(|at| at <= now) {
                child.kill_at = None;
                child.kill();
            }
        }
    }

    fn kill_strays(&self) {
        let known: Vec<Pid> = self.children.values().filter_map(Child::pid).collect();
        strays::kill_all_but(&known);
    }

    fn end_all(&mut self) {
        for child in self.children.values() {
            child.kill();
        }
        for (_, child) in std::mem::take(&mut self.children) {
            child.bury();
        }
        strays::kill_all_but(&[]);
    }
}

/// What there is to do.
struct Ready {
    hung_up: bool,
    orders: bool,
    answers: bool,
    children: Vec<u64>,
}
