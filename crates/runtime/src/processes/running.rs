//! A command that was started, as tools see it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use dogu_output::Log;
use dogu_process::sandbox::{Machine, Strength};
use dogu_process::{Child, look};
use dogu_tool::{
    BoxFuture, Keep, Process, ProcessChanges, ProcessEnd, ProcessFacts, ProcessInput,
    ProcessRequest, ToolError, Waits,
};
use tokio::sync::Notify;

use super::confine::Held;
use super::refused;
use super::seen::Seen;

/// How long a command may take to read what is sent to it.
const SEND_PATIENCE: Duration = Duration::from_secs(2);

/// A command that was started.
pub(crate) struct Running {
    started: Started,
    written: Arc<Notify>,
    seen: Mutex<Option<Seen>>,
    changes: OnceLock<ProcessChanges>,
}

/// What is known from the start.
pub(super) struct Started {
    pub(super) id: String,
    pub(super) request: ProcessRequest,
    pub(super) child: Child,
    pub(super) held: Held,
    pub(super) machine: Machine,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("id", &self.started.id).finish_non_exhaustive()
    }
}

impl Running {
    pub(super) fn new(started: Started, seen: Seen) -> Self {
        let written = Arc::new(Notify::new());
        let wakes = Arc::clone(&written);
        started.child.log().on_change(Box::new(move || wakes.notify_waiters()));
        Self { started, written, seen: Mutex::new(Some(seen)), changes: OnceLock::new() }
    }

    pub(super) fn id(&self) -> &str {
        &self.started.id
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        matches!(&self.started.request.keep, Keep::Yes(Some(own)) if own == name)
    }

    pub(super) fn is_kept(&self) -> bool {
        self.started.request.keep != Keep::No
    }

    pub(super) fn has_ended(&self) -> bool {
        self.started.child.end().is_some()
    }

    pub(super) fn ran(&self) -> Duration {
        let child = &self.started.child;
        let until = child.end().map_or_else(Instant::now, |end| end.at);
        until.duration_since(child.begun())
    }

    /// Its changes were not yet looked at.
    pub(super) fn is_watched(&self) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*seen, Some(Seen::Watched(_)))
    }

    /// Looks at what it changed, once, after its end.
    async fn look_at_changes(&self) -> Option<ProcessChanges> {
        if !self.has_ended() {
            return None;
        }
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(seen) = seen {
            let looked = tokio::task::spawn_blocking(move || seen.changes()).await.ok()?;
            if let Some(mut changes) = looked {
                changes.steering.extend(self.started.held.unguarded.iter().cloned());
                let _ = self.changes.set(changes);
            }
        }
        self.changes.get().cloned()
    }

    fn sandbox(&self) -> String {
        let profile = self.started.held.profile.as_str();
        match (&self.started.held.confinement, self.started.machine.strength()) {
            (None, _) => "off".to_owned(),
            (Some(_), Strength::Full) => profile.to_owned(),
            (Some(_), Strength::Partial) => format!("{profile} (partial)"),
            (Some(_), Strength::None) => "none on this machine".to_owned(),
        }
    }
}

fn end_of(end: dogu_process::End) -> ProcessEnd {
    ProcessEnd { exit_code: end.exit_code, signal: end.signal }
}

impl Process for Running {
    fn facts(&self) -> ProcessFacts {
        let request = &self.started.request;
        ProcessFacts {
            id: self.started.id.clone(),
            name: match &request.keep {
                Keep::Yes(name) => name.clone(),
                Keep::No => None,
            },
            command: request.command.clone(),
            cwd: request.cwd.clone(),
            ran: self.ran(),
            end: self.started.child.end().map(end_of),
            terminal: request.input == ProcessInput::Terminal,
            sandbox: self.sandbox(),
        }
    }

    fn log(&self) -> &Arc<Log> {
        self.started.child.log()
    }

    fn ended(&self) -> BoxFuture<'_, ProcessEnd> {
        Box::pin(async { end_of(self.started.child.ended().await) })
    }

    fn written(&self, seen: u64) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            loop {
                let woken = self.written.notified();
                tokio::pin!(woken);
                // From here on no change is missed.
                woken.as_mut().enable();
                if self.log().total() > seen || self.log().is_closed() {
                    return;
                }
                woken.await;
            }
        })
    }

    fn send(&self, bytes: &[u8]) -> Result<usize, ToolError> {
        self.started.child.send(bytes, SEND_PATIENCE).map_err(|error| {
            ToolError::failed(format!("The process takes no input: {error}."))
                .suggest("Only a running process that was started by process_start takes input.")
        })
    }

    fn close_input(&self) {
        self.started.child.close_input();
    }

    fn signal(&self, signal: i32) -> Result<(), ToolError> {
        self.started
            .child
            .signal(signal)
            .map_err(|error| ToolError::failed(format!("The signal was not sent: {error}")))
    }

    fn stop(&self, grace: Duration) {
        self.started.child.stop(grace);
    }

    fn ports(&self) -> Vec<u16> {
        self.started.child.pid().map(look::ports).unwrap_or_default()
    }

    fn waits(&self) -> Option<Waits> {
        Some(match look::waits(self.started.child.pid()?)? {
            look::Waits::Stopped => Waits::Stopped,
            look::Waits::AtTerminal => Waits::AtTerminal,
        })
    }

    fn computed(&self) -> u64 {
        self.started.child.pid().map(look::computed).unwrap_or_default()
    }

    fn refusals(&self, written: &str) -> Vec<String> {
        let strength = self.started.machine.strength();
        let confinement = self.started.held.confinement.as_ref();
        confinement
            .filter(|_| strength != Strength::None)
            .map(|confinement| refused::told_by(written, confinement))
            .unwrap_or_default()
    }

    fn changes(&self) -> BoxFuture<'_, Option<ProcessChanges>> {
        Box::pin(self.look_at_changes())
    }
}
