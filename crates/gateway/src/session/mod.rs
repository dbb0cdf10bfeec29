//! One open session with a server.

mod call;
mod connect;
mod handler;
mod heard;
mod interfaces;
mod listen;
mod rights;

use std::sync::Arc;

use dogu_process::Child;
use dogu_runtime::mcp::{Era, McpServer};
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ListToolsRequest,
    PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult,
    ServerResult,
};
use rmcp::service::{Peer, RunningService};
use serde_json::Value;

pub(crate) use call::{CallError, Patience};
pub use connect::ConnectError;
use connect::{Connected, connect, how_ended};
pub(crate) use connect::{Surroundings, said_on_stderr};
pub(crate) use handler::Handler;
pub(crate) use heard::Heard;
pub(crate) use listen::listen;

use crate::result::Answer;
use crate::wire::Program;

/// How many pages of a list are asked for.
const MAX_PAGES: usize = 100;
/// How many tools of a server are looked at.
pub(crate) const MAX_TOOLS: usize = 1_000;
/// How many bytes its list may have, all pages together.
const MAX_LIST_BYTES: usize = 32 * 1024 * 1024;
/// How often a call may be sent again with what the server asked for.
const MAX_ROUNDS: usize = 8;

/// A session. Dropping it ends the program behind it.
pub(crate) struct Session {
    service: RunningService<RoleClient, Handler>,
    handler: Handler,
    program: Option<Program>,
    pub(crate) era: Era,
}

/// The tools of a server as it lists them.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) tools: Vec<Value>,
    /// For how long the server says that the list holds.
    pub(crate) ttl_ms: Option<u64>,
    /// Not all of them are here.
    pub(crate) cut: bool,
}

impl Listed {
    /// A list holds as long as the first of its pages that does not any more.
    fn hold(&mut self, ttl_ms: Option<u64>) {
        self.ttl_ms = self.ttl_ms.into_iter().chain(ttl_ms).min();
    }

    /// About how long it is, by its texts, which are all that can be long.
    fn bytes(&self) -> usize {
        self.tools.iter().map(|tool| tool.to_string().len()).sum()
    }
}

impl Session {
    /// Opens one.
    pub(crate) async fn open(
        server: &McpServer,
        known: Option<Era>,
        handler: Handler,
        around: &Surroundings,
    ) -> Result<Self, ConnectError> {
        let Connected { service, program, era } = connect(server, known, &handler, around).await?;
        Ok(Self { service, handler, program, era })
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    pub(crate) fn heard(&self) -> &Arc<Heard> {
        &self.handler.heard
    }

    pub(crate) fn child(&self) -> Option<&Child> {
        self.program.as_ref().map(|program| &program.child)
    }

    /// Ends it, whoever still holds it: calls that are under way are told that it is gone.
    pub(crate) fn end(&self) {
        self.service.cancellation_token().cancel();
        if let Some(program) = &self.program {
            program.leave();
        }
    }

    /// Nothing can be asked here any more.
    pub(crate) fn is_over(&self) -> bool {
        self.service.is_closed()
            || self.peer().is_transport_closed()
            || self.child().is_some_and(|child| child.end().is_some())
    }

    /// Its program does not read what it is sent.
    fn is_deaf(&self) -> bool {
        self.program.as_ref().is_some_and(Program::does_not_read)
    }

    /// What is known of how it ended, for a message.
    pub(crate) async fn last_words(&self) -> String {
        let Some(child) = self.child() else { return String::new() };
        let moment = std::time::Duration::from_millis(200);
        let _ = tokio::time::timeout(moment, child.ended()).await;
        format!("{}{}", how_ended(child), said_on_stderr(Some(child)))
    }

    /// The server's name and version as it gives them, for people.
    pub(crate) fn says_it_is(&self) -> Option<String> {
        let info = self.peer().peer_info()?;
        let about = info.server_info.as_ref()?;
        Some(crate::clean::line(&format!("{} {}", about.name, about.version), 100))
    }

    /// The version of the protocol that is spoken.
    pub(crate) fn protocol(&self) -> Option<String> {
        self.peer().peer_info().map(|info| info.protocol_version.to_string())
    }

    /// Asks for all tools. A tool that is not described as it should be does not cost the others.
    pub(crate) async fn tools(&self, patience: &Patience<'_>) -> Result<Listed, CallError> {
        let mut listed = Listed::default();
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let page = |cursor| PaginatedRequestParams::default().with_cursor(Some(cursor));
            let request = ListToolsRequest {
                params: cursor.clone().map(page),
                ..ListToolsRequest::default()
            };
            let answered = self.request(ClientRequest::ListToolsRequest(request), patience).await?;
            let next = match answered {
                ServerResult::ListToolsResult(page) => {
                    listed.hold(page.ttl_ms);
                    let tools =
                        page.tools.iter().filter_map(|tool| serde_json::to_value(tool).ok());
                    listed.tools.extend(tools);
                    page.next_cursor
                }
                other => {
                    let page = serde_json::to_value(&other).unwrap_or_default();
                    let Some(tools) = page["tools"].as_array() else {
                        return Err(CallError::Unreadable("its list of tools is none"));
                    };
                    listed.hold(page["ttlMs"].as_u64());
                    listed.tools.extend(tools.iter().cloned());
                    page["nextCursor"].as_str().map(str::to_owned)
                }
            };
            if listed.tools.len() > MAX_TOOLS || listed.bytes() > MAX_LIST_BYTES {
                listed.tools.truncate(MAX_TOOLS);
                listed.cut = true;
                return Ok(listed);
            }
            // A cursor that leads to itself would never end.
            if next.is_none() || next == cursor {
                return Ok(listed);
            }
            cursor = next;
        }
        listed.cut = true;
        Ok(listed)
    }

    /// Calls a tool, and answers what the server asks meanwhile.
    pub(crate) async fn call(
        &self,
        mut params: CallToolRequestParams,
        patience: &Patience<'_>,
    ) -> Result<Answer, CallError> {
        let _here = self.heard().begin(patience.call);
        for _ in 0..MAX_ROUNDS {
            let request = CallToolRequest::new(params.clone());
            match self.request(ClientRequest::CallToolRequest(request), patience).await? {
                ServerResult::CallToolResult(result) => return Ok(Answer::of(result)),
                ServerResult::InputRequiredResult(wanted) => {
                    params.input_responses =
                        Some(self.inputs(wanted.input_requests, patience.call).await?);
                    params.request_state = wanted.request_state;
                }
                other => {
                    let answer = serde_json::to_value(&other).unwrap_or_default();
                    return Answer::read(&answer)
                        .ok_or(CallError::Unreadable("its answer is no result of a tool"));
                }
            }
        }
        Err(CallError::Unreadable("it asks for more and more input"))
    }

    /// Reads a resource.
    pub(crate) async fn read(
        &self,
        uri: &str,
        patience: &Patience<'_>,
    ) -> Result<ReadResourceResult, CallError> {
        let _here = self.heard().begin(patience.call);
        let mut params = ReadResourceRequestParams::new(uri);
        for _ in 0..MAX_ROUNDS {
            let request = ReadResourceRequest::new(params.clone());
            match self.request(ClientRequest::ReadResourceRequest(request), patience).await? {
                ServerResult::ReadResourceResult(result) => return Ok(result),
                ServerResult::InputRequiredResult(wanted) => {
                    params.input_responses =
                        Some(self.inputs(wanted.input_requests, patience.call).await?);
                    params.request_state = wanted.request_state;
                }
                _ => break,
            }
        }
        Err(CallError::Unreadable("its answer is no resource"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.handler.heard.over.notify_one();
        // The session's own end may wait for its last words.
        if let Some(program) = &self.program {
            program.leave();
        }
    }
}
