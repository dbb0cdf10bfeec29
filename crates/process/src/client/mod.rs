//! dogu's side: orders to the supervisor, and what becomes of them.

mod child;
mod launch;
mod reactor;
mod terminal;
mod worker;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dogu_sandbox::Machine;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

pub use self::child::{Child, End};
pub use self::launch::{Input, Launch, Pipes, StartError, TerminalSize};
use self::reactor::Reactor;
use crate::wire::Order;

/// How long the kernel may take to say what it offers.
const PROBE_WITHIN: Duration = Duration::from_secs(3);

/// Who starts programs. Clones share it. The supervising process begins with the first order, and
/// again with the next one after it was lost. When the last clone and the last child are dropped,
/// everything that was started ends.
#[derive(Clone)]
pub struct Supervisor(Arc<Inner>);

struct Inner {
    program: PathBuf,
    arguments: Vec<OsString>,
    reactor: Mutex<Option<Arc<Reactor>>>,
    numbers: AtomicU64,
}

/// Nobody is left to give orders: everything ends.
impl Drop for Inner {
    fn drop(&mut self) {
        let reactor = self.reactor.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(reactor) = reactor {
            reactor.shut_down();
        }
    }
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor").field("program", &self.0.program).finish_non_exhaustive()
    }
}

impl Supervisor {
    /// `program` with these arguments calls [`supervise_stdin`](crate::supervise_stdin).
    pub fn new<Argument: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = Argument>,
    ) -> Self {
        Self(Arc::new(Inner {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            reactor: Mutex::new(None),
            numbers: AtomicU64::new(1),
        }))
    }

    /// What the kernel offers; asked once.
    pub async fn machine(&self) -> io::Result<Machine> {
        let reactor = self.reactor()?;
        if let Some(machine) = reactor.machine() {
            return Ok(machine);
        }
        let within_ms = u64::try_from(PROBE_WITHIN.as_millis()).unwrap_or(u64::MAX);
        reactor.order(&Order::Probe { within_ms })?;
        reactor.wait_for_machine().await
    }

    /// Starts a command. Comes back when it runs, or with why it does not.
    pub async fn start(&self, launch: Launch) -> Result<Child, StartError> {
        let reactor = self.reactor().map_err(StartError::Supervisor)?;
        let id = self.0.numbers.fetch_add(1, Ordering::Relaxed);
        let unclaimed = Unclaimed::new(launch::start(launch, id, &reactor, self)?);
        unclaimed.started().await
    }

    /// Starts a program that is spoken with: its input and output are for the caller, its errors
    /// go to the log. Comes back when it runs, or with why it does not.
    pub async fn start_piped(&self, launch: Launch) -> Result<(Child, Pipes), StartError> {
        let reactor = self.reactor().map_err(StartError::Supervisor)?;
        let id = self.0.numbers.fetch_add(1, Ordering::Relaxed);
        let (child, pipes) = launch::start_piped(launch, id, &reactor, self)?;
        Ok((Unclaimed::new(child).started().await?, pipes))
    }

    /// The process that supervises, while there is one.
    pub fn pid(&self) -> Option<u32> {
        self.lock().as_ref().map(|reactor| reactor.supervisor_pid())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Reactor>>> {
        self.0.reactor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reactor(&self) -> io::Result<Arc<Reactor>> {
        let mut current = self.lock();
        if let Some(reactor) = current.as_ref().filter(|reactor| reactor.is_alive()) {
            return Ok(Arc::clone(reactor));
        }
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        let process = self.spawn(theirs)?;
        let reactor = Reactor::begin(ours, process)?;
        *current = Some(Arc::clone(&reactor));
        Ok(reactor)
    }

    /// Nothing of dogu's environment or streams goes along: secrets are in the one, and the
    /// protocol of whoever called dogu is on the other.
    fn spawn(&self, socket: OwnedFd) -> io::Result<std::process::Child> {
        Command::new(&self.0.program)
            .args(&self.0.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(socket))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    }
}

/// A command whose start is waited for. Whoever stops waiting has nothing to end it with, so it
/// ends.
struct Unclaimed(Option<Child>);

impl Unclaimed {
    fn new(child: Child) -> Self {
        Self(Some(child))
    }

    async fn started(mut self) -> Result<Child, StartError> {
        if let Some(child) = &self.0 {
            child.started().await?;
        }
        self.0.take().ok_or_else(|| StartError::Supervisor(io::ErrorKind::BrokenPipe.into()))
    }
}

impl Drop for Unclaimed {
    fn drop(&mut self) {
        if let Some(child) = &self.0 {
            child.stop(Duration::ZERO);
        }
    }
}
