//! The one thread that reads: the supervisor's answers, and what all commands write.

use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use dogu_output::Log;
use rustix::event::{PollFd, PollFlags, poll};

use super::child::{End, Stage};
use super::reactor::{Reactor, Source, Watched};
use crate::wire::{Answer, Wire};

/// How much is read at once.
const CHUNK: usize = 128 * 1024;
/// How often one source is read in a row before it is the turn of the others.
const MAX_TURNS: usize = 64;

pub(super) struct Worker {
    reactor: Arc<Reactor>,
    wire: Wire,
    watched: HashMap<u64, Watched>,
    buffer: Vec<u8>,
}

/// What there is to do.
struct Ready {
    answers: bool,
    woken: bool,
    commands: Vec<u64>,
}

impl Worker {
    pub(super) fn new(reactor: Arc<Reactor>, wire: Wire) -> Self {
        Self { reactor, wire, watched: HashMap::new(), buffer: vec![0; CHUNK] }
    }

    /// Works until the supervisor is gone.
    pub(super) fn work(mut self, mut process: std::process::Child) {
        while self.turn().is_ok_and(|goes_on| goes_on) {}
        self.reactor.alive.store(false, Ordering::Release);
        self.reactor.machine.send_modify(|_| {});
        let _ = process.kill();
        let _ = process.wait();
        // Whatever the supervisor had started ended with it.
        self.take_arrived();
        for id in self.watched.keys().copied().collect::<Vec<_>>() {
            self.end(id, Stage::Ended(End { exit_code: None, signal: None, at: Instant::now() }));
        }
    }

    /// Waits for anything, and does it; false when the supervisor is gone.
    fn turn(&mut self) -> io::Result<bool> {
        let ready = self.wait()?;
        if ready.woken {
            let _ = rustix::io::read(&self.reactor.wake, &mut [0_u8; 8]);
            self.take_arrived();
        }
        for id in ready.commands {
            if let Some(watched) = self.watched.get_mut(&id) {
                watched.read(&mut self.buffer, MAX_TURNS);
            }
        }
        if !ready.answers {
            return Ok(true);
        }
        let open = self.wire.receive()?;
        // An answer may have overtaken the word that its command is there.
        self.take_arrived();
        while let Some(frame) = self.wire.next::<Answer>()? {
            self.hear(frame.header);
        }
        Ok(open)
    }

    fn wait(&self) -> io::Result<Ready> {
        let sources: Vec<(u64, &Source)> = self
            .watched
            .iter()
            .flat_map(|(id, watched)| watched.sources.iter().map(|source| (*id, source)))
            .collect();
        let mut polled = vec![
            PollFd::from_borrowed_fd(self.wire.as_fd(), PollFlags::IN),
            PollFd::new(&self.reactor.wake, PollFlags::IN),
        ];
        polled.extend(
            sources.iter().map(|(_, source)| PollFd::new(&source.descriptor, PollFlags::IN)),
        );
        match poll(&mut polled, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
        let with_output = sources.iter().zip(&polled[2..]).filter(|(_, fd)| is_ready(fd));
        let mut commands: Vec<u64> = with_output.map(|((id, _), _)| *id).collect();
        commands.dedup();
        Ok(Ready { answers: is_ready(&polled[0]), woken: is_ready(&polled[1]), commands })
    }

    fn take_arrived(&mut self) {
        for watched in std::mem::take(&mut *self.reactor.inbox()) {
            self.watched.insert(watched.shared.id, watched);
        }
    }

    fn hear(&mut self, answer: Answer) {
        match answer {
            Answer::Machine(machine) => {
                self.reactor.machine.send_replace(Some(*machine));
            }
            Answer::Started { id, pid } => {
                if let Some(watched) = self.watched.get(&id) {
                    watched.shared.stage.send_replace(Stage::Runs { pid });
                }
            }
            Answer::Failed { id, what } => self.end(id, Stage::Failed { what }),
            Answer::Ended { id, exit_code, signal } => {
                let end = End { exit_code, signal, at: Instant::now() };
                self.end(id, Stage::Ended(end));
            }
        }
    }

    /// Reads what is still in the pipes, and tells those who wait. Nobody can write any more, so
    /// what is there is all there is; where somebody still holds a pipe, it is not waited for.
    fn end(&mut self, id: u64, stage: Stage) {
        let Some(mut watched) = self.watched.remove(&id) else { return };
        watched.read(&mut self.buffer, usize::MAX);
        watched.shared.log.close();
        watched.shared.stage.send_replace(stage);
    }
}

impl Watched {
    /// Reads what is there; sources that are at their end are closed.
    fn read(&mut self, buffer: &mut [u8], turns: usize) {
        let log = &self.shared.log;
        self.sources.retain(|source| source.read(log, buffer, turns));
    }
}

impl Source {
    /// False at its end.
    fn read(&self, log: &Log, buffer: &mut [u8], turns: usize) -> bool {
        for _ in 0..turns {
            match rustix::io::read(&self.descriptor, &mut *buffer) {
                // A terminal whose other end is closed says EIO.
                Ok(0) | Err(rustix::io::Errno::IO) => return false,
                Ok(read) => log.push(self.stream, &buffer[..read]),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return true,
                Err(_) => return false,
            }
        }
        true
    }
}
