//! The program at the other end, and how it is left: its input is closed, it may end by itself,
//! it is asked to, it is killed. Nobody waits for that.

use std::time::Duration;

use dogu_process::{Child, Parting};

use super::writer::Writing;

/// How long a program has to end by itself, and then after it was asked to.
pub(crate) const PARTING: Parting =
    Parting { by_itself: Duration::from_secs(1), grace: Duration::from_millis(500) };
/// How long what was still to be said to it may take.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// How long a program may leave unread what is sent to it, where it does not answer either.
const READS_WITHIN: Duration = Duration::from_millis(500);

/// A program that is spoken with.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) child: Child,
    writing: Writing,
}

impl Program {
    pub(super) fn new(child: Child, writing: Writing) -> Self {
        Self { child, writing }
    }

    /// Nobody needs it any more. To say so twice changes nothing.
    pub(crate) fn leave(&self) {
        let writing = self.writing.clone();
        match tokio::runtime::Handle::try_current() {
            Ok(tokio) => drop(tokio.spawn(async move {
                tokio::time::sleep(LAST_WORDS).await;
                writing.abort();
            })),
            Err(_) => writing.abort(),
        }
        self.child.let_go();
    }

    /// It has not taken what was sent to it for a while: no later message would reach it either.
    pub(crate) fn does_not_read(&self) -> bool {
        self.writing.stuck_for() > READS_WITHIN
    }

    /// Waits until it is gone.
    pub(crate) async fn gone(&self) {
        // A moment longer than it has: one that hangs in the kernel is not waited for.
        let time = PARTING.by_itself + PARTING.grace + Duration::from_secs(1);
        let _ = tokio::time::timeout(time, self.child.ended()).await;
    }
}
