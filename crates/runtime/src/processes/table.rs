//! The commands of each caller: those that run, and the last ones that ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dogu_tool::{Keep, Principal, Process as _, ToolError};

use super::outputs::unknown;
use super::running::Running;

/// How many commands of one caller may run at once.
const MAX_RUNNING: usize = 64;
/// How many of them may outlive their calls.
const MAX_KEPT: usize = 32;
/// How many commands that ended are remembered for each caller.
const MAX_ENDED: usize = 64;
/// How long a command that outlives its call may run.
const MAX_AGE: Duration = Duration::from_hours(24);
/// How long an old one may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// The commands, by caller.
#[derive(Debug, Default)]
pub(super) struct Table {
    commands: Mutex<HashMap<Principal, Vec<Arc<Running>>>>,
}

impl Table {
    fn lock(&self) -> MutexGuard<'_, HashMap<Principal, Vec<Arc<Running>>>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses one more where there are enough.
    pub(super) fn check_room(&self, who: &Principal, keep: &Keep) -> Result<(), ToolError> {
        self.stop_old();
        let all = self.lock();
        let own = all.get(who).map(Vec::as_slice).unwrap_or_default();
        let running: Vec<_> = own.iter().filter(|command| !command.has_ended()).collect();
        let kept = running.iter().filter(|command| command.is_kept()).count();
        if *keep != Keep::No && kept >= MAX_KEPT {
            return Err(full(kept, "processes are kept"));
        }
        if running.len() >= MAX_RUNNING {
            return Err(full(running.len(), "commands run"));
        }
        if let Keep::Yes(Some(name)) = keep
            && running.iter().any(|command| command.is_named(name))
        {
            return Err(ToolError::invalid(format!("A process named `{name}` already runs."))
                .suggest("Choose another name, or stop that one first with process_stop."));
        }
        Ok(())
    }

    pub(super) fn add(&self, who: &Principal, running: &Arc<Running>) {
        let mut all = self.lock();
        let own = all.entry(who.clone()).or_default();
        own.push(Arc::clone(running));
        let ended = own.iter().filter(|command| command.has_ended()).count();
        let mut surplus = ended.saturating_sub(MAX_ENDED);
        own.retain(|command| {
            let goes = surplus > 0 && command.has_ended();
            surplus -= usize::from(goes);
            !goes
        });
    }

    /// Those of a caller that outlive their calls, oldest first.
    pub(super) fn kept(&self, who: &Principal) -> Vec<Arc<Running>> {
        self.stop_old();
        let all = self.lock();
        let own = all.get(who).into_iter().flatten();
        own.filter(|command| command.is_kept()).cloned().collect()
    }

    /// Whether anything runs that was meant to outlive its call.
    pub(super) fn keeps_any(&self) -> bool {
        self.lock().values().flatten().any(|command| command.is_kept() && !command.has_ended())
    }

    /// A caller's command, by its id or by the name that the newest one has.
    pub(super) fn find(&self, who: &Principal, id: &str) -> Result<Arc<Running>, ToolError> {
        let all = self.lock();
        let own = all.get(who).map(Vec::as_slice).unwrap_or_default();
        let by_id = own.iter().find(|command| command.id() == id);
        let by_name = || own.iter().rev().find(|command| command.is_named(id));
        by_id.or_else(by_name).cloned().ok_or_else(|| unknown(id))
    }

    fn stop_old(&self) {
        for command in self.lock().values().flatten() {
            if command.is_kept() && !command.has_ended() && command.ran() > MAX_AGE {
                command.stop(GRACE);
            }
        }
    }
}

fn full(count: usize, what: &str) -> ToolError {
    ToolError::failed(format!("{count} {what} already, which is the limit."))
        .suggest("Stop some of them with process_stop; process_list shows them.")
}
