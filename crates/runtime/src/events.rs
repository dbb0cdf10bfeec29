//! Events: every step in the life of a call, for whoever listens.
//!
//! A slow listener never blocks a call. It is told how many events it missed, and catches up from
//! the record (`RecordReader::changes_since`), which is not a listener and misses nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use dogu_tool::{CallStatus, ErrorCode, LogLevel, Principal};
use tokio::sync::broadcast;

/// How many events a listener may lag behind before it misses some.
pub const EVENT_BACKLOG: usize = 4_096;

/// Something that happened to a call. Texts are redacted.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its place among all events of this runtime.
    pub sequence: u64,
    /// When it happened.
    pub at: SystemTime,
    /// The call.
    pub call_id: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// Who called.
    pub principal: Principal,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The call went on.
    Status {
        /// From here.
        from: CallStatus,
        /// To here.
        to: CallStatus,
        /// Why it failed, at an end.
        error: Option<ErrorCode>,
        /// How long the call took in all, at an end.
        duration: Option<Duration>,
    },
    /// The work went on.
    Progress {
        /// What is being done.
        text: String,
        /// How far it is, between 0 and 1.
        fraction: Option<f32>,
    },
    /// Why the call failed, as people may know it and the model may not; one for each cause,
    /// outermost first.
    Cause {
        /// What happened.
        text: String,
    },
    /// The tool wrote to its log.
    Log {
        /// How much it matters.
        level: LogLevel,
        /// What it said.
        text: String,
    },
}

impl Event {
    /// Whether this is the end of its call.
    pub fn is_terminal(&self) -> bool {
        matches!(self.kind, EventKind::Status { to, .. } if to.is_terminal())
    }
}

/// What a listener hears.
#[derive(Clone, Debug)]
pub enum Heard {
    /// The next event.
    Event(Arc<Event>),
    /// So many events were missed; the record has what they led to.
    Lagged(u64),
}

/// Hears the events of one principal, or of all.
pub struct Listener {
    events: broadcast::Receiver<Arc<Event>>,
    only: Option<Principal>,
}

impl Listener {
    /// Waits for the next event; `None` when the runtime is gone.
    pub async fn next(&mut self) -> Option<Heard> {
        loop {
            let heard = match self.events.recv().await {
                Ok(event) => Heard::Event(event),
                Err(broadcast::error::RecvError::Lagged(missed)) => Heard::Lagged(missed),
                Err(broadcast::error::RecvError::Closed) => return None,
            };
            if self.concerns(&heard) {
                return Some(heard);
            }
        }
    }

    /// The next event that is already there.
    pub fn try_next(&mut self) -> Option<Heard> {
        loop {
            let heard = match self.events.try_recv() {
                Ok(event) => Heard::Event(event),
                Err(broadcast::error::TryRecvError::Lagged(missed)) => Heard::Lagged(missed),
                Err(_) => return None,
            };
            if self.concerns(&heard) {
                return Some(heard);
            }
        }
    }

    fn concerns(&self, heard: &Heard) -> bool {
        match (heard, &self.only) {
            (Heard::Event(event), Some(only)) => event.principal == *only,
            _ => true,
        }
    }
}

/// Where events go out.
pub(crate) struct Bus {
    events: broadcast::Sender<Arc<Event>>,
    sequence: AtomicU64,
}

impl Default for Bus {
    fn default() -> Self {
        Self { events: broadcast::channel(EVENT_BACKLOG).0, sequence: AtomicU64::new(0) }
    }
}

impl Bus {
    pub(crate) fn listen(&self, only: Option<Principal>) -> Listener {
        Listener { events: self.events.subscribe(), only }
    }

    /// Whether anyone listens: without, nothing needs to be made or redacted.
    pub(crate) fn is_heard(&self) -> bool {
        self.events.receiver_count() > 0
    }

    pub(crate) fn send(
        &self,
        call_id: &Arc<str>,
        tool: &Arc<str>,
        principal: &Principal,
        kind: EventKind,
    ) {
        let sequence = self.sequence.fetch_add(1, Ordering::Relaxed);
        if !self.is_heard() {
            return;
        }
        let event = Event {
            sequence,
            at: SystemTime::now(),
            call_id: Arc::clone(call_id),
            tool: Arc::clone(tool),
            principal: principal.clone(),
            kind,
        };
        // An error means that the last listener has just gone.
        let _ = self.events.send(Arc::new(event));
    }
}
