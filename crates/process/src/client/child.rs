//! A command that was started, for whoever wants to know about it or to end it.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dogu_output::Log;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::sync::watch;

use super::Supervisor;
use super::launch::StartError;
use super::reactor::Reactor;
use crate::wire::Order;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Its exit code; none if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// When.
    pub at: Instant,
}

/// Where a command is in its life.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    Ordered,
    Runs { pid: i32 },
    Failed { what: String },
    Ended(End),
}

/// What the reactor and the holders of a child know together.
pub(super) struct Shared {
    pub(super) id: u64,
    pub(super) log: Arc<Log>,
    pub(super) stage: watch::Sender<Stage>,
    begun: Instant,
}

impl Shared {
    pub(super) fn new(id: u64, log: Arc<Log>) -> Self {
        Self { id, log, stage: watch::Sender::new(Stage::Ordered), begun: Instant::now() }
    }
}

/// A command that was started. Dropping it ends nothing: [`stop`](Self::stop) does.
#[derive(Clone)]
pub struct Child {
    shared: Arc<Shared>,
    reactor: Arc<Reactor>,
    input: Arc<Mutex<Option<OwnedFd>>>,
    /// With the last of these everything would end.
    _supervisor: Supervisor,
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("id", &self.shared.id).finish_non_exhaustive()
    }
}

impl Child {
    pub(super) fn new(
        shared: Arc<Shared>,
        reactor: Arc<Reactor>,
        input: Option<OwnedFd>,
        supervisor: Supervisor,
    ) -> Self {
        let input = Arc::new(Mutex::new(input));
        Self { shared, reactor, input, _supervisor: supervisor }
    }

    /// What it has written so far.
    pub fn log(&self) -> &Arc<Log> {
        &self.shared.log
    }

    /// When it was ordered.
    pub fn begun(&self) -> Instant {
        self.shared.begun
    }

    /// The process above it, while it runs: its namespaces are the command's.
    pub fn pid(&self) -> Option<i32> {
        match *self.shared.stage.borrow() {
            Stage::Runs { pid } => Some(pid),
            _ => None,
        }
    }

    /// How it ended, if it has.
    pub fn end(&self) -> Option<End> {
        end_of(&self.shared.stage.borrow())
    }

    /// Waits for its end: then all its output is in the log, and nothing that it started is left.
    pub async fn ended(&self) -> End {
        let mut stage = self.shared.stage.subscribe();
        let ended = stage.wait_for(|stage| end_of(stage).is_some()).await;
        ended.ok().and_then(|stage| end_of(&stage)).unwrap_or_else(End::lost)
    }

    /// Waits until it runs.
    pub(super) async fn started(&self) -> Result<(), StartError> {
        let mut stage = self.shared.stage.subscribe();
        let left = stage.wait_for(|stage| !matches!(stage, Stage::Ordered)).await;
        match left.as_deref() {
            Ok(Stage::Failed { what }) => Err(StartError::Failed(what.clone())),
            Ok(_) => Ok(()),
            Err(_) => Err(StartError::Supervisor(io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// Ends it with all that it started: politely first, and after `grace` not so.
    pub fn stop(&self, grace: Duration) {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        // A supervisor that cannot be reached has ended everything already.
        let _ = self.reactor.order(&Order::Stop { id: self.shared.id, grace_ms });
    }

    /// Nobody needs it any more: ends it as its [`Parting`](crate::Parting) says, at once where it
    /// has none. Whoever calls this has closed its input.
    pub fn let_go(&self) {
        let _ = self.reactor.order(&Order::LetGo { id: self.shared.id });
    }

    /// Ends it without grace when its time is over, whatever becomes of whoever asked.
    pub fn stop_after(&self, time: Duration) {
        let after_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let _ = self.reactor.order(&Order::KillAfter { id: self.shared.id, after_ms });
    }

    /// Sends a signal to all its processes.
    pub fn signal(&self, signal: i32) -> io::Result<()> {
        self.reactor.order(&Order::Signal { id: self.shared.id, signal })
    }

    /// Writes to its input, waiting at most `patience` for it to read. Says how much was taken.
    pub fn send(&self, bytes: &[u8], patience: Duration) -> io::Result<usize> {
        let input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(input) = input.as_ref() else {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "its input is closed"));
        };
        let until = Instant::now() + patience;
        let mut sent = 0;
        while sent < bytes.len() {
            match rustix::io::write(input, &bytes[sent..]) {
                Ok(taken) => sent += taken,
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Ok(sent);
                    }
                    wait_writable(input, left)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(sent)
    }

    /// Closes its input: a program that reads to the end goes on.
    pub fn close_input(&self) {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// It has an input that can be written to.
    pub fn takes_input(&self) -> bool {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl End {
    /// Nobody is left who could say how.
    fn lost() -> Self {
        Self { exit_code: None, signal: None, at: Instant::now() }
    }
}

fn end_of(stage: &Stage) -> Option<End> {
    match stage {
        Stage::Ended(end) => Some(*end),
        Stage::Failed { .. } => Some(End::lost()),
        Stage::Ordered | Stage::Runs { .. } => None,
    }
}

fn wait_writable(input: &OwnedFd, left: Duration) -> io::Result<()> {
    let timeout = Timespec::try_from(left).ok();
    match poll(&mut [PollFd::new(input, PollFlags::OUT)], timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
