//! Calls, who makes them, and the message that they came in.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model asks for: one tool, one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id that the answer must carry.
    pub id: String,
    /// The name that the model used, which may be no tool at all.
    pub name: String,
    /// The arguments, normally an object.
    pub input: Value,
    /// What was repaired when the call was read; its result says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ToolCall {
    /// A call from its three parts.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        Self { id: id.into(), name: name.into(), input, notes: Vec::new() }
    }

    /// Adds what was repaired when the call was read.
    pub fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }
}

/// The role of whoever wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The model.
    Assistant,
}

/// A piece of an assistant message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MessagePart {
    /// Prose.
    Text {
        /// The words.
        text: String,
    },
    /// A tool call, as the model made it.
    ToolCall(ToolCall),
}

/// The assistant message that holds a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Always the assistant: only a model makes tool calls.
    pub role: Role,
    /// Its prose and calls, in order.
    pub content: Vec<MessagePart>,
}

impl Message {
    /// A message with nothing but these calls.
    pub fn of_calls<'a>(calls: impl IntoIterator<Item = &'a ToolCall>) -> Self {
        let content = calls.into_iter().cloned().map(MessagePart::ToolCall).collect();
        Self { role: Role::Assistant, content }
    }

    /// Whether the call with this id is in the message.
    pub fn contains_call(&self, id: &str) -> bool {
        self.content.iter().any(|part| matches!(part, MessagePart::ToolCall(call) if call.id == id))
    }
}

/// Who calls: a process, or the holder of a token, in one session.
///
/// Grants, counters, parked questions and results belong to one principal; to another they
/// do not exist.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    id: Arc<str>,
    session: Arc<str>,
}

impl Principal {
    /// The process itself: stdio and the command line.
    pub fn process(session: impl Into<Arc<str>>) -> Self {
        Self { id: "process".into(), session: session.into() }
    }

    /// The holder of a bearer token, known by a name or a digest of it and never by the token.
    pub fn token(holder: &str, session: impl Into<Arc<str>>) -> Self {
        Self { id: format!("token:{holder}").into(), session: session.into() }
    }

    /// `process` or `token:<holder>`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key of the session.
    pub fn session(&self) -> &str {
        &self.session
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)
    }
}

/// Where a step's calls come from; shared by all of them.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Who calls.
    pub principal: Principal,
    /// The agent's name.
    pub agent_name: String,
    /// Which instance of the agent.
    pub instance_key: String,
    /// The turn that the step belongs to.
    pub turn_id: String,
    /// The trace that the turn belongs to.
    pub trace_id: String,
}

impl Origin {
    /// An origin with nothing known but the principal.
    pub fn of(principal: Principal) -> Self {
        Self {
            principal,
            agent_name: "main".to_owned(),
            instance_key: "main".to_owned(),
            turn_id: String::new(),
            trace_id: String::new(),
        }
    }
}
