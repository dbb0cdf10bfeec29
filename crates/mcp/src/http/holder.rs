//! One holder of a token: a service of their own, so that the sessions and calls of one do not
//! exist for another.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dogu_runtime::Runtime;
use dogu_tool::Origin;
use rmcp::model::ServerConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::{Ends, LAST_BYTES};
use crate::ask::seal::Seal;
use crate::call::Caller;
use crate::error::ServeError;
use crate::handler::Handler;
use crate::message::MAX_MESSAGE_BYTES;
use crate::options::ServeOptions;
use crate::tokens::Accepted;

/// How long a session of the first era lives without a sign of life: longer than any call, a
/// person's answer included.
const SESSION_IDLE: Duration = Duration::from_hours(1);

/// How many sessions of the first era a holder may have. A client that opens one after the other
/// and ends none loses those that it has not used for longest.
const MAX_SESSIONS: usize = 256;

type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// Somebody who may come in.
pub(super) struct Holder {
    pub(super) token: Accepted,
    pub(super) service: Service,
    sessions: Arc<LocalSessionManager>,
    caller: Arc<Caller>,
    ends: Ends,
    is_gone: AtomicBool,
    /// The ids of sessions, the one that was used last at the end.
    used: Mutex<VecDeque<String>>,
}

impl Holder {
    /// Whether the token was taken away meanwhile.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::SeqCst)
    }

    /// Takes note that a session was used.
    pub(super) fn uses(&self, session: &str) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        // What is no session here, or no longer one that counts, stays none.
        if let Some(known) = used.iter().position(|id| id == session).and_then(|at| used.remove(at))
        {
            used.push_back(known);
        }
    }

    /// Takes note of a new session, and ends another where there are too many.
    pub(super) async fn begins(&self, session: &str) {
        let oldest = {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.push_back(session.to_owned());
            if used.len() > MAX_SESSIONS { used.pop_front() } else { None }
        };
        let Some(oldest) = oldest else { return };
        let oldest = self.sessions.sessions.write().await.remove(oldest.as_str());
        if let Some(session) = oldest {
            // One that is over needs no end.
            let _ = session.close().await;
        }
    }

    /// Ends all that the holder has here: calls, questions, sessions and streams.
    pub(super) fn end(self: Arc<Self>) {
        self.is_gone.store(true, Ordering::SeqCst);
        self.ends.closing.cancel();
        self.caller.cancel_parked();
        tokio::spawn(async move {
            tokio::time::sleep(LAST_BYTES).await;
            let sessions = std::mem::take(&mut *self.sessions.sessions.write().await);
            for session in sessions.into_values() {
                // One that is over needs no end.
                let _ = session.close().await;
            }
            self.ends.streams.cancel();
        });
    }
}

/// Makes holders.
pub(super) struct Making {
    runtime: Runtime,
    options: Arc<ServeOptions>,
    seal: Arc<Seal>,
    server: Arc<ServerConfig>,
    http: StreamableHttpServerConfig,
    ends: Ends,
}

impl Making {
    pub(super) fn new(
        runtime: Runtime,
        addr: SocketAddr,
        options: &ServeOptions,
        ends: Ends,
    ) -> Result<Self, ServeError> {
        Ok(Self {
            runtime,
            server: Arc::new(options.config()),
            http: config(addr, options),
            options: Arc::new(options.clone()),
            seal: Arc::new(Seal::new()?),
            ends,
        })
    }

    /// Pages that the server could have sent itself may call too.
    pub(super) fn with_own_origins(mut self, addr: SocketAddr) -> Self {
        let own = [format!("http://{addr}"), format!("http://localhost:{}", addr.port())];
        self.http = self.http.with_allowed_origins(own);
        self
    }

    /// A holder, as the origin of their calls says who it is.
    pub(super) fn holder(
        &self,
        token: Accepted,
        origin: Origin,
    ) -> Result<Arc<Holder>, ServeError> {
        let ends = self.ends.child();
        let (options, seal) = (Arc::clone(&self.options), Arc::clone(&self.seal));
        let closing = ends.closing.clone();
        let caller = Caller::new(self.runtime.clone(), origin, options, seal, closing)?;
        let caller = Arc::new(caller);
        let handler = {
            let (caller, server) = (Arc::clone(&caller), Arc::clone(&self.server));
            move || Ok(Handler::new(Arc::clone(&caller), Arc::clone(&server)))
        };
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_IDLE);
        let sessions = Arc::new(sessions);
        let http = self.http.clone().with_cancellation_token(ends.streams.clone());
        let service = Service::new(handler, Arc::clone(&sessions), http);
        let is_gone = AtomicBool::new(false);
        let used = Mutex::default();
        Ok(Arc::new(Holder { token, service, sessions, caller, ends, is_gone, used }))
    }
}

fn config(addr: SocketAddr, options: &ServeOptions) -> StreamableHttpServerConfig {
    let bound = match addr.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_allowed_origins(options.allowed_origins.clone())
        .enforce_origin_validation();
    let hosts = config.allowed_hosts.iter().cloned().chain([bound]);
    let hosts: Vec<String> = hosts.chain(options.allowed_hosts.iter().cloned()).collect();
    config.with_allowed_hosts(hosts)
}
