//! One command, as the supervisor sees it: the process above it, and what that reports.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use dogu_sandbox::{LONGEST, Report, Reports, Spawned};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, pidfd_send_signal, waitpid};

use crate::wire::Parting;

/// A command that was started.
pub(super) struct Child {
    spawned: Spawned,
    /// How it ended, once that was said.
    ended: Option<(Option<i32>, Option<i32>)>,
    failed: Option<String>,
    /// Its program was started, and nobody was told yet.
    begins: bool,
    reports: Reports,
    parting: Option<Parting>,
    /// When it is asked to end.
    term_at: Option<Instant>,
    /// When it is killed.
    kill_at: Option<Instant>,
}

/// What a child has to say.
pub(super) enum News {
    /// Nothing that matters to anybody.
    Nothing,
    /// It never ran.
    Failed(String),
    /// It is gone, and all that it started.
    Ended { exit_code: Option<i32>, signal: Option<i32> },
}

impl Child {
    pub(super) fn new(spawned: Spawned, parting: Option<Parting>) -> Self {
        Self {
            spawned,
            ended: None,
            failed: None,
            begins: false,
            reports: Reports::default(),
            parting,
            term_at: None,
            kill_at: None,
        }
    }

    pub(super) fn pid(&self) -> Option<Pid> {
        Pid::from_raw(self.spawned.pid)
    }

    /// The process above the command, once: when its program was started.
    pub(super) fn begins(&mut self) -> Option<i32> {
        std::mem::take(&mut self.begins).then_some(self.spawned.pid)
    }

    /// Sends a signal to the process above the command, which passes it on to all.
    pub(super) fn signal(&self, signal: Signal) {
        // It may be gone already, which is as well.
        let _ = pidfd_send_signal(&self.spawned.pidfd, signal);
    }

    pub(super) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Ends it: at once where it has no time, else after it was asked to.
    pub(super) fn stop(&mut self, grace: Duration) {
        if grace.is_zero() {
            return self.kill();
        }
        self.signal(Signal::TERM);
        self.kill_after(grace);
    }

    /// Nobody needs it any more: it may end by itself, then it is asked to, then killed.
    pub(super) fn let_go(&mut self) {
        let Some(Parting { by_itself, grace }) = self.parting else { return self.kill() };
        let at = Instant::now().checked_add(by_itself);
        self.term_at = self.term_at.into_iter().chain(at).min();
        self.kill_after(by_itself.saturating_add(grace));
    }

    /// When something is to be done to it.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.term_at.into_iter().chain(self.kill_at).min()
    }

    /// Does what is due.
    pub(super) fn do_overdue(&mut self, now: Instant) {
        if self.term_at.take_if(|at| *at <= now).is_some() {
            self.signal(Signal::TERM);
        }
        if self.kill_at.take_if(|at| *at <= now).is_some() {
            self.kill();
        }
    }

    /// Whoever asks again cannot make it longer.
    pub(super) fn kill_after(&mut self, time: Duration) {
        let at = Instant::now().checked_add(time);
        self.kill_at = self.kill_at.into_iter().chain(at).min();
    }

    /// Reads the reports. The end of them is the end of the process above the command.
    pub(super) fn hear(&mut self) -> News {
        let mut bytes = [0; LONGEST];
        loop {
            match rustix::io::read(&self.spawned.reports, &mut bytes) {
                Ok(0) => return self.last_news(),
                Ok(read) => self.take(&bytes[..read]),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return News::Nothing,
                Err(_) => return self.last_news(),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        for report in self.reports.push(bytes) {
            match report {
                Report::Running => self.begins = true,
                Report::Failed(failure) => self.failed = Some(failure.to_string()),
                Report::Ended { exit_code, signal } => self.ended = Some((exit_code, signal)),
            }
        }
    }

    fn last_news(&mut self) -> News {
        if let Some(what) = self.failed.take() {
            return News::Failed(what);
        }
        let killed = (None, Some(Signal::KILL.as_raw()));
        let (exit_code, signal) = self.ended.take().unwrap_or(killed);
        News::Ended { exit_code, signal }
    }

    /// Waits for its end, which is near, and takes away what was there only for it.
    pub(super) fn bury(self) {
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, Signal::KILL);
            while let Err(rustix::io::Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
        }
        self.spawned.kept.remove();
    }
}

impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.spawned.reports.as_fd()
    }
}
