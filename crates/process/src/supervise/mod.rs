//! The supervisor: a small process with one thread that starts all children of dogu.
//!
//! dogu itself is large and has many threads: to fork there is slow, and between fork and exec
//! hardly anything may be done. Here both are harmless. When the socket to dogu closes, whatever
//! the reason, everything that was started here is ended: killed, unless its start has said how it
//! may end by itself. dogu does not wait for that.
//!
//! - `mod`: the loop over the socket and the reports of the children.
//! - `child`: one command.
//! - `strays`: processes that nobody is left to answer for.

mod child;
mod strays;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use dogu_sandbox::{
    Apart, Command, Machine, SpawnError, Spawned, probe, probe_apart, spawn, spawn_apart,
};
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
    let mut supervisor = Supervisor {
        wire: Wire::new(socket),
        machine: None,
        apart: OnceCell::new(),
        children: BTreeMap::new(),
    };
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
    /// How commands that nothing holds are held together, once that was tried.
    apart: OnceCell<Option<Apart>>,
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
            self.do_overdue();
        }
    }

    /// Waits for an order, for news of a child, or until a child has had its time.
    fn wait(&self) -> io::Result<Ready> {
        let mut flags = PollFlags::IN;
        flags.set(PollFlags::OUT, self.wire.has_unsent());
        let mut watched = vec![PollFd::new(&self.wire, flags)];
        watched.extend(self.watched_children());
        self.poll(&mut watched)?;
        let wire = watched[0].revents();
        Ok(Ready {
            hung_up: wire.contains(PollFlags::ERR),
            orders: wire.intersects(PollFlags::IN | PollFlags::HUP),
            answers: wire.contains(PollFlags::OUT),
            children: self.with_news(&watched[1..]),
        })
    }

    /// The same where there are no more orders.
    fn wait_for_children(&self) -> io::Result<Vec<u64>> {
        let mut watched: Vec<_> = self.watched_children().collect();
        self.poll(&mut watched)?;
        Ok(self.with_news(&watched))
    }

    fn watched_children(&self) -> impl Iterator<Item = PollFd<'_>> {
        self.children.values().map(|child| PollFd::new(child, PollFlags::IN))
    }

    fn poll(&self, watched: &mut [PollFd<'_>]) -> io::Result<()> {
        match poll(watched, self.next_deadline().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn with_news(&self, children: &[PollFd<'_>]) -> Vec<u64> {
        let polled = self.children.keys().zip(children);
        polled.filter(|(_, fd)| !fd.revents().is_empty()).map(|(id, _)| *id).collect()
    }

    fn next_deadline(&self) -> Option<Timespec> {
        let next = self.children.values().filter_map(Child::next_deadline).min()?;
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
                Order::LetGo { id } => {
                    if let Some(child) = self.children.get_mut(&id) {
                        child.let_go();
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
        match self.spawn(command, start.apart) {
            Ok(spawned) => {
                self.children.insert(id, Child::new(spawned, start.parting));
                Ok(())
            }
            Err(error) => {
                let what = format!("start it: {error}");
                self.wire.queue(&Answer::Failed { id, what })
            }
        }
    }

    fn spawn(&mut self, command: Command, apart: bool) -> Result<Spawned, SpawnError> {
        if apart && command.confinement.is_none() {
            let how = *self.apart.get_or_init(|| probe_apart(PROBE_WITHIN));
            if let Some(how) = how {
                return spawn_apart(command, how);
            }
        }
        spawn(command, self.machine(PROBE_WITHIN))
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

    /// Tells dogu what a child reports.
    fn hear(&mut self, id: u64) -> io::Result<()> {
        for answer in self.news_of(id) {
            self.wire.queue(&answer)?;
        }
        Ok(())
    }

    /// Reads what a child reports; at its end it is buried.
    fn news_of(&mut self, id: u64) -> Vec<Answer> {
        let Some(child) = self.children.get_mut(&id) else { return Vec::new() };
        let news = child.hear();
        let mut answers: Vec<Answer> =
            child.begins().map(|pid| Answer::Started { id, pid }).into_iter().collect();
        answers.push(match news {
            News::Nothing => return answers,
            News::Failed(what) => Answer::Failed { id, what },
            News::Ended { exit_code, signal } => Answer::Ended { id, exit_code, signal },
        });
        if let Some(child) = self.children.remove(&id) {
            child.bury();
        }
        self.kill_strays();
        answers
    }

    fn do_overdue(&mut self) {
        let now = Instant::now();
        for child in self.children.values_mut() {
            child.do_overdue(now);
        }
    }

    fn kill_strays(&self) {
        let known: Vec<Pid> = self.children.values().filter_map(Child::pid).collect();
        strays::kill_all_but(&known);
    }

    fn end_all(&mut self) {
        for child in self.children.values_mut() {
            child.let_go();
        }
        while !self.children.is_empty()
            && let Ok(ids) = self.wait_for_children()
        {
            for id in ids {
                // Nobody is left to be told.
                self.news_of(id);
            }
            self.do_overdue();
        }
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
