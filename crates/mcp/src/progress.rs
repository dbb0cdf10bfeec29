//! Progress and log of one call, for a client that asked for them.

use std::time::Duration;

use dogu_runtime::{Event, EventKind, Heard, Listener};
use dogu_tool::CallStatus;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};

use crate::compat::{self, WantedLevel as Level};

/// The whole, where a tool says which part of it is done.
const WHOLE: f64 = 100.0;
/// The protocol wants every number to be greater than the one before.
const LEAST_STEP: f64 = 0.01;
/// How long a client that does not read may delay the answer.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Forwards what happens to one call.
pub(crate) struct Told {
    pub(crate) listener: Listener,
    pub(crate) peer: Peer<RoleServer>,
    /// By which the client knows the progress it asked for.
    pub(crate) token: Option<ProgressToken>,
    /// From which level on it wants to see the log.
    pub(crate) level: Option<Level>,
    pub(crate) call: std::sync::Arc<str>,
    pub(crate) scale: Scale,
}

impl Told {
    /// Forwards until the runtime is gone. Dropping the future loses nothing but the notification
    /// that is being written.
    pub(crate) async fn forward(&mut self) {
        while let Some(heard) = self.listener.next().await {
            self.tell(&heard).await;
        }
    }

    /// Forwards what was said before the call ended; after that nothing may follow.
    pub(crate) async fn finish(&mut self) {
        let rest = async {
            while let Some(heard) = self.listener.try_next() {
                self.tell(&heard).await;
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, rest).await;
    }

    async fn tell(&mut self, heard: &Heard) {
        let Heard::Event(event) = heard else { return };
        if event.call_id != self.call {
            return;
        }
        if let Some(message) = self.level.and_then(|level| compat::message(&event.kind, level)) {
            return compat::tell(&self.peer, message).await;
        }
        if let (Some(token), Some((text, fraction))) = (&self.token, words(event)) {
            let (progress, total) = self.scale.step(fraction);
            let mut param = ProgressNotificationParam::new(token.clone(), progress);
            param.total = total;
            param.message = Some(text).filter(|text| !text.is_empty());
            // A client that is gone misses it; its call goes on.
            let _ = self.peer.notify_progress(param).await;
        }
    }
}

fn words(event: &Event) -> Option<(String, Option<f32>)> {
    match &event.kind {
        EventKind::Progress { text, fraction } => Some((text.clone(), *fraction)),
        EventKind::Status { to: CallStatus::Waiting, .. } => {
            Some(("waiting for approval".to_owned(), None))
        }
        EventKind::Status { .. } | EventKind::Log { .. } | EventKind::Cause { .. } => None,
    }
}

/// Numbers that only grow, whatever the tool says.
#[derive(Debug, Default)]
pub(crate) struct Scale {
    last: f64,
    of_whole: bool,
}

impl Scale {
    fn step(&mut self, fraction: Option<f32>) -> (f64, Option<f64>) {
        self.of_whole |= fraction.is_some();
        let least = self.last + if self.of_whole { LEAST_STEP } else { 1.0 };
        let said = fraction.map_or(0.0, |fraction| f64::from(fraction) * WHOLE);
        self.last = said.max(least);
        (self.last, self.of_whole.then_some(WHOLE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_even_where_the_tool_goes_back() {
        let mut scale = Scale::default();
        let mut last = 0.0;
        for fraction in [None, None, Some(0.0), Some(0.5), Some(0.25), None, Some(1.0), Some(1.0)] {
            let (progress, total) = scale.step(fraction);
            assert!(progress > last, "{progress} after {last}");
            assert_eq!(total.is_some(), scale.of_whole);
            last = progress;
        }
    }
}
