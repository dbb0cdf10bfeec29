//! One connection of a client, and who asks over it.

use std::sync::Arc;

use dogu_runtime::Runtime;
use dogu_tool::Principal;
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, InputRequest, InputRequests, InputResponses, ProtocolVersion,
};
use rmcp::service::{RequestContext, ServiceError};
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ask::want::Want;
use crate::calls::Calls;
use crate::compat;
use crate::progress::{Scale, Told};

/// How many questions a client of the older eras is asked at the same time; the others wait.
const MAX_ASKED: usize = 8;

/// What belongs to one connection.
pub(crate) struct Connection {
    pub(crate) calls: Calls,
    pub(crate) level: compat::Level,
    asking: Semaphore,
    /// Set when the connection is gone.
    pub(crate) gone: CancellationToken,
    _gone: DropGuard,
}

impl Default for Connection {
    fn default() -> Self {
        let gone = CancellationToken::new();
        Self {
            calls: Calls::default(),
            level: compat::Level::default(),
            asking: Semaphore::new(MAX_ASKED),
            _gone: gone.clone().drop_guard(),
            gone,
        }
    }
}

/// Who made a request: what they can do, and how they are reached.
#[derive(Clone)]
pub(crate) struct Requester<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) context: &'a RequestContext<RoleServer>,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) version: ProtocolVersion,
    /// Requests stand for themselves: what the client is to answer comes back with a retry.
    pub(crate) is_modern: bool,
    /// The revision has a way to ask.
    pub(crate) can_ask: bool,
    /// What takes long may be answered with a task.
    pub(crate) tasks: bool,
}

impl<'a> Requester<'a> {
    pub(crate) fn of(connection: &'a Connection, context: &'a RequestContext<RoleServer>) -> Self {
        let version = context.protocol_version().unwrap_or(ProtocolVersion::V_2024_11_05);
        let capabilities = context.client_capabilities().unwrap_or_default();
        let is_modern = version >= ProtocolVersion::V_2026_07_28;
        Self {
            can_ask: version >= ProtocolVersion::V_2025_06_18,
            tasks: is_modern && capabilities.supports_tasks(),
            connection,
            context,
            capabilities,
            version,
            is_modern,
        }
    }

    /// Listens to a call before it begins, so that nothing is missed.
    pub(crate) fn told(
        &self,
        runtime: &Runtime,
        principal: &Principal,
        call: &Arc<str>,
    ) -> Option<Told> {
        let token = self.context.meta.get_progress_token();
        let level = self.connection.level.of(&self.context.meta);
        if token.is_none() && level.is_none() {
            return None;
        }
        Some(Told {
            token,
            level,
            listener: runtime.listen(principal),
            peer: self.context.peer.clone(),
            call: Arc::clone(call),
            scale: Scale::default(),
        })
    }

    /// Asks a client of the older eras with a request of its own. If the connection goes away the
    /// question stays where it is.
    pub(crate) async fn ask(&self, want: Want, runtime: &Runtime, principal: &Principal) {
        let Ok(_turn) = self.connection.asking.acquire().await else { return };
        match self.responses(want.requests()).await {
            Ok(responses) => {
                if let Err(want) = want.answered(&responses, runtime, principal) {
                    want.unasked(
                        "the client's answer does not fit the question",
                        runtime,
                        principal,
                    );
                }
            }
            Err(ServiceError::McpError(error)) => {
                let why = crate::ask::shown::line(&error.message, 200);
                want.unasked(&format!("the client could not ask: {why}"), runtime, principal);
            }
            Err(ServiceError::UnexpectedResponse) => {
                want.unasked("the client's answer does not fit the question", runtime, principal);
            }
            Err(_) => {}
        }
    }

    async fn responses(&self, requests: InputRequests) -> Result<InputResponses, ServiceError> {
        let mut responses = InputResponses::new();
        for (key, request) in requests {
            responses.insert(key, self.send(request).await?);
        }
        Ok(responses)
    }

    async fn send(&self, request: InputRequest) -> Result<serde_json::Value, ServiceError> {
        compat::send(&self.context.peer, request).await
    }
}
