//! Who may come in. Each holder of a token has a service of their own, so that the sessions and
//! calls of one do not exist for another.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use dogu_runtime::Runtime;
use dogu_tool::Principal;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::{Ends, body};
use crate::ask::seal::Seal;
use crate::call::Caller;
use crate::error::ServeError;
use crate::handler::Handler;
use crate::message::MAX_MESSAGE_BYTES;
use crate::options::ServeOptions;
use crate::tokens::Tokens;

/// How long a session of the first era lives without a sign of life: longer than any call, a
/// person's answer included.
const SESSION_IDLE: Duration = Duration::from_hours(1);

type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// The services, by token.
pub(crate) struct Gate {
    holders: Vec<(blake3::Hash, Service)>,
    /// Nobody needs a token.
    anyone: bool,
}

impl Gate {
    pub(crate) fn new(
        runtime: &Runtime,
        addr: SocketAddr,
        tokens: Option<&Tokens>,
        options: &ServeOptions,
        ends: &Ends,
    ) -> Result<Self, ServeError> {
        let mut http = config(addr, options, ends);
        if tokens.is_none() {
            http = http.with_allowed_origins(own_origins(addr));
        }
        let server = Arc::new(options.config());
        let (options, seal) = (Arc::new(options.clone()), Arc::new(Seal::new()?));
        let mut holders = Vec::new();
        let known = tokens.map_or_else(Vec::new, Tokens::holders);
        let anyone = tokens.is_none().then(|| (blake3::hash(b""), Principal::process("anyone")));
        for (hash, principal) in known.into_iter().chain(anyone) {
            let (options, seal) = (Arc::clone(&options), Arc::clone(&seal));
            let closing = ends.closing.clone();
            let caller = Caller::new(runtime.clone(), principal, options, seal, closing)?;
            let (caller, server) = (Arc::new(caller), Arc::clone(&server));
            let handler = move || Ok(Handler::new(Arc::clone(&caller), Arc::clone(&server)));
            let mut sessions = LocalSessionManager::default();
            sessions.session_config.keep_alive = Some(SESSION_IDLE);
            holders.push((hash, Service::new(handler, Arc::new(sessions), http.clone())));
        }
        Ok(Self { holders, anyone: tokens.is_none() })
    }

    /// The service of whoever sent these headers. Digests are compared, in constant time and all
    /// of them, so that the time tells nothing about a token.
    fn service(&self, headers: &HeaderMap) -> Option<&Service> {
        let token = if self.anyone { &[] } else { bearer(headers)? };
        let hash = blake3::hash(token);
        let mut found = None;
        for (known, service) in &self.holders {
            if *known == hash {
                found = Some(service);
            }
        }
        found
    }
}

fn config(addr: SocketAddr, options: &ServeOptions, ends: &Ends) -> StreamableHttpServerConfig {
    let bound = match addr.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let config = StreamableHttpServerConfig::default()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_cancellation_token(ends.streams.clone())
        .with_allowed_origins(options.allowed_origins.clone())
        .enforce_origin_validation();
    let hosts = config.allowed_hosts.iter().cloned().chain([bound]);
    let hosts: Vec<String> = hosts.chain(options.allowed_hosts.iter().cloned()).collect();
    config.with_allowed_hosts(hosts)
}

/// The origins of pages that the server could have sent itself.
fn own_origins(addr: SocketAddr) -> [String; 2] {
    [format!("http://{addr}"), format!("http://localhost:{}", addr.port())]
}

/// The token of a request that has exactly one.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim().as_bytes())
}

/// The door: the token first, everything else after it.
pub(crate) async fn enter(State(gate): State<Arc<Gate>>, request: Request) -> Response {
    let Some(service) = gate.service(request.headers()) else { return unauthorized() };
    let request = if request.method() == Method::POST {
        match body::checked(request).await {
            Ok(request) => request,
            Err(response) => return response,
        }
    } else {
        request
    };
    let ends_session = request.method() == Method::DELETE;
    let mut response = service.handle(request).await.map(Body::new);
    // rmcp says 202, which the official Python client takes for a failure.
    if ends_session && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

fn unauthorized() -> Response {
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"dogu\"")];
    let words = "A token is needed: Authorization: Bearer <token>\n";
    (StatusCode::UNAUTHORIZED, challenge, words).into_response()
}
