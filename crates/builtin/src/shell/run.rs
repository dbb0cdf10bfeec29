//! A command to its end, or to what ends it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_tool::{CancelFlag, Ctx, Process, ProcessEnd, ToolError, Waits};

/// How long a command may run where nothing is said.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);
/// How long it may run at most.
pub(super) const MAX_TIMEOUT: Duration = Duration::from_mins(10);
/// How long the call may take in all: the command's time and what it takes to end it.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(10 * 60 + 20);
/// How long a command that was asked to end may take.
pub(super) const GRACE: Duration = Duration::from_secs(3);
/// How long a command is silent before it is looked at whether it waits for somebody.
const SILENCE: Duration = Duration::from_secs(4);
/// How long one that reads from a terminal must be silent: the other end may be a test's.
const TERMINAL_SILENCE: Duration = Duration::from_secs(12);
/// How long it must rest, too.
const REST: Duration = Duration::from_secs(1);
/// How much earlier than the call's own deadline a command is ended, to tell of it.
const MARGIN: Duration = Duration::from_secs(1);

/// Why a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// By itself.
    Done,
    /// Its time was over; it may have waited for somebody.
    TimedOut(Option<Waits>),
    /// It waited for somebody.
    Waited(Waits),
}

/// How long a command may run: what was asked for, within bounds; and what to say of that.
pub(super) fn timeout(asked: Option<Duration>, ctx: &Ctx) -> (Duration, Option<String>) {
    let asked = asked.filter(|asked| !asked.is_zero()).unwrap_or(DEFAULT_TIMEOUT);
    let left = ctx.deadline().map(|at| at.saturating_duration_since(Instant::now()));
    let most = left.map_or(MAX_TIMEOUT, |left| left.saturating_sub(MARGIN)).min(MAX_TIMEOUT);
    if asked <= most {
        return (asked, None);
    }
    let note = format!(
        "The time-out of {} was cut to {}; start what runs longer with `background: true` or process_start.",
        seconds(asked),
        seconds(most)
    );
    (most, Some(note))
}

pub(super) fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        return format!("{} ms", time.as_millis());
    }
    let tenths = (time.as_secs_f64() * 10.0).round() / 10.0;
    format!("{tenths} s")
}

/// Waits for the end of a command, and brings it about where it does not come.
pub(super) async fn to_its_end(
    process: &Arc<dyn Process>,
    time: Duration,
    cancel: &CancelFlag,
) -> Result<(ProcessEnd, Why), ToolError> {
    tokio::select! {
        end = process.ended() => Ok((end, Why::Done)),
        () = tokio::time::sleep(time) => {
            let waits = process.waits();
            Ok((stopped(process).await, Why::TimedOut(waits)))
        }
        waits = waits_for_a_person(process) => Ok((stopped(process).await, Why::Waited(waits))),
        () = cancel.canceled() => {
            // The call is answered at once; what is left of the command ends meanwhile.
            process.stop(GRACE);
            Err(ToolError::canceled())
        }
    }
}

async fn stopped(process: &Arc<dyn Process>) -> ProcessEnd {
    process.stop(GRACE);
    process.ended().await
}

/// Comes back when a silent command waits for somebody who is not there.
async fn waits_for_a_person(process: &Arc<dyn Process>) -> Waits {
    loop {
        let silent = || process.log().last_output().elapsed();
        tokio::time::sleep(SILENCE.saturating_sub(silent()).max(Duration::from_millis(500))).await;
        let waits = if silent() >= SILENCE { process.waits() } else { None };
        match waits {
            Some(Waits::Stopped) => return Waits::Stopped,
            Some(Waits::AtTerminal) if silent() >= TERMINAL_SILENCE => {
                let computed = process.computed();
                tokio::time::sleep(REST).await;
                if process.computed() == computed && silent() >= TERMINAL_SILENCE {
                    return Waits::AtTerminal;
                }
            }
            _ => {}
        }
    }
}
