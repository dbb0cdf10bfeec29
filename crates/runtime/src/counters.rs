//! How often a session called what: execution counts, and the same call over and over.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use dogu_tool::{ErrorCode, Principal, ToolError, ToolName};
use serde_json::Value;

use crate::registry::Entry;
use crate::settings::Settings;

/// How many sessions are counted; beyond it the counts of an arbitrary one are forgotten.
const MAX_SESSIONS: usize = 4_096;

/// Counts of all sessions.
#[derive(Default)]
pub(crate) struct Counters {
    sessions: Mutex<HashMap<Principal, Session>>,
}

#[derive(Default)]
struct Session {
    executions: HashMap<ToolName, u32>,
    last_call: u64,
    in_a_row: u32,
}

impl Counters {
    /// Counts a call, or says which limit it would pass.
    pub(crate) fn admit(
        &self,
        settings: &Settings,
        principal: &Principal,
        entry: &Entry,
        input: &Value,
    ) -> Result<(), ToolError> {
        let tool = &entry.spec().name;
        let identical = settings.limits.identical_calls;
        let executions = settings.tool(tool.as_str()).and_then(|section| section.max_executions);
        if identical == 0 && executions.is_none() {
            return Ok(());
        }
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        make_room(&mut sessions, principal);
        let session = sessions.entry(principal.clone()).or_default();
        if identical > 0 {
            let most = if may_poll(entry) { u32::MAX } else { identical };
            session.count_identical(digest(tool, input), most, tool)?;
        }
        executions.map_or(Ok(()), |most| session.count_execution(tool, most))
    }
}

impl Session {
    fn count_identical(&mut self, call: u64, most: u32, tool: &ToolName) -> Result<(), ToolError> {
        if self.last_call != call {
            (self.last_call, self.in_a_row) = (call, 1);
            return Ok(());
        }
        if self.in_a_row >= most {
            return Err(ToolError::new(
                ErrorCode::Limit,
                format!("The same call of '{tool}' was made {most} times in a row."),
            )
            .suggest(
                "Its answer will not change. Use the result that you have, or do something else.",
            ));
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        Ok(())
    }

    fn count_execution(&mut self, tool: &ToolName, most: u32) -> Result<(), ToolError> {
        let count = self.executions.entry(tool.clone()).or_default();
        if *count >= most {
            return Err(ToolError::new(
                ErrorCode::Limit,
                format!("'{tool}' may be called {most} times in a session, and was."),
            )
            .suggest("Go on without this tool."));
        }
        *count += 1;
        Ok(())
    }
}

fn make_room(sessions: &mut HashMap<Principal, Session>, principal: &Principal) {
    if sessions.len() < MAX_SESSIONS || sessions.contains_key(principal) {
        return;
    }
    if let Some(other) = sessions.keys().next().cloned() {
        sessions.remove(&other);
    }
}

/// Whether the same call over and over is what the tool is for.
fn may_poll(entry: &Entry) -> bool {
    entry.spec().polling && entry.source().is_builtin()
}

fn digest(tool: &ToolName, input: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    tool.hash(&mut hasher);
    // Writing into a hasher cannot fail.
    let _ = serde_json::to_writer(Hashed(&mut hasher), input);
    hasher.finish()
}

/// A hasher that is written to, so that no copy of a large input is made.
struct Hashed<'a>(&'a mut DefaultHasher);

impl std::io::Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
