//! Orders out, answers and output in. What comes in is read by one thread, `worker`.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dogu_output::Stream;
use dogu_sandbox::Machine;
use rustix::event::{EventfdFlags, eventfd};
use tokio::sync::watch;

use super::child::Shared;
use super::worker::Worker;
use crate::wire::{Order, Wire, frame};

/// What those who give orders share with the thread that reads.
pub(super) struct Reactor {
    /// Orders go out here; the thread reads from the same socket.
    socket: Mutex<OwnedFd>,
    pub(super) wake: OwnedFd,
    arrived: Mutex<Vec<Watched>>,
    pub(super) machine: watch::Sender<Option<Machine>>,
    pub(super) alive: AtomicBool,
    supervisor_pid: u32,
}

/// A command whose output is read.
pub(super) struct Watched {
    pub(super) shared: Arc<Shared>,
    pub(super) sources: Vec<Source>,
}

/// An end of a pipe or of a terminal.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) descriptor: OwnedFd,
    pub(super) stream: Stream,
}

impl Reactor {
    /// Starts the thread.
    pub(super) fn begin(socket: OwnedFd, process: std::process::Child) -> io::Result<Arc<Self>> {
        let reads = rustix::io::fcntl_dupfd_cloexec(&socket, 0)?;
        let reactor = Arc::new(Self {
            socket: Mutex::new(socket),
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            arrived: Mutex::default(),
            machine: watch::Sender::new(None),
            alive: AtomicBool::new(true),
            supervisor_pid: process.id(),
        });
        let worker = Worker::new(Arc::clone(&reactor), Wire::new(reads));
        std::thread::Builder::new()
            .name("dogu-processes".to_owned())
            .spawn(move || worker.work(process))?;
        Ok(reactor)
    }

    pub(super) fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    pub(super) fn supervisor_pid(&self) -> u32 {
        self.supervisor_pid
    }

    pub(super) fn machine(&self) -> Option<Machine> {
        self.machine.borrow().clone()
    }

    pub(super) async fn wait_for_machine(&self) -> io::Result<Machine> {
        let mut answer = self.machine.subscribe();
        loop {
            if let Some(machine) = answer.borrow_and_update().clone() {
                return Ok(machine);
            }
            if !self.is_alive() || answer.changed().await.is_err() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
        }
    }

    /// Sends an order that is an order and nothing else.
    pub(super) fn order(&self, order: &Order) -> io::Result<()> {
        self.send(&frame(order, &[])?, &[])
    }

    /// Sends a frame with its descriptors.
    pub(super) fn send(&self, frame: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        Wire::send(&socket, frame, descriptors)
    }

    /// Tells the supervisor to end, with all that it started.
    pub(super) fn shut_down(&self) {
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = rustix::net::shutdown(&*socket, rustix::net::Shutdown::Write);
    }

    /// Reads what a command will write. False where nobody is left to do so.
    pub(super) fn watch(&self, watched: Watched) -> bool {
        self.inbox().push(watched);
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
        self.is_alive()
    }

    pub(super) fn inbox(&self) -> MutexGuard<'_, Vec<Watched>> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
