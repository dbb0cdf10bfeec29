//! Who may come in.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use dogu_runtime::Runtime;
use dogu_tool::{Origin, Principal};

use super::holder::{Holder, Making};
use super::{Ends, body};
use crate::error::ServeError;
use crate::options::ServeOptions;
use crate::tokens::{Accepted, Followed, TokenStore};

/// How often a look is taken for tokens that were taken away, so that what their holders have
/// open ends even if nobody sends anything.
const LOOK: Duration = Duration::from_millis(500);

/// The door.
pub(crate) struct Gate {
    making: Making,
    who: Who,
}

/// Who is let in.
enum Who {
    /// Whoever comes.
    Anyone(Arc<Holder>),
    /// Whoever has a token.
    Holders(Mutex<Holders>),
}

/// The holders of tokens, as the store had them at the last look.
struct Holders {
    tokens: Followed,
    known: Vec<Arc<Holder>>,
}

impl Gate {
    /// A door for whoever has a token of the store.
    pub(crate) fn new(
        runtime: &Runtime,
        addr: SocketAddr,
        tokens: TokenStore,
        options: &ServeOptions,
        ends: &Ends,
    ) -> Result<Self, ServeError> {
        let making = Making::new(runtime.clone(), addr, options, ends.clone())?;
        let holders = Holders { tokens: Followed::new(tokens), known: Vec::new() };
        Ok(Self { making, who: Who::Holders(Mutex::new(holders)) })
    }

    /// A door that is open.
    pub(crate) fn open(
        runtime: &Runtime,
        addr: SocketAddr,
        options: &ServeOptions,
        ends: &Ends,
    ) -> Result<Self, ServeError> {
        let making =
            Making::new(runtime.clone(), addr, options, ends.clone())?.with_own_origins(addr);
        let nobody = Accepted { name: String::new(), hash: blake3::hash(b"") };
        let anyone = making.holder(nobody, Origin::of(Principal::process("anyone")))?;
        Ok(Self { making, who: Who::Anyone(anyone) })
    }

    /// Whoever sent these headers. Digests are compared, in constant time and all of them, so
    /// that the time tells nothing about a token.
    fn holder(&self, headers: &HeaderMap) -> Option<Arc<Holder>> {
        let holders = match &self.who {
            Who::Anyone(anyone) => return Some(Arc::clone(anyone)),
            Who::Holders(holders) => holders,
        };
        let hash = blake3::hash(bearer(headers)?);
        let mut holders = holders.lock().unwrap_or_else(PoisonError::into_inner);
        holders.look(&self.making);
        let mut found = None;
        for holder in &holders.known {
            if holder.token.hash == hash {
                found = Some(Arc::clone(holder));
            }
        }
        found
    }

    /// Looks for tokens that were taken away, for ever.
    pub(crate) async fn follow(&self) {
        let Who::Holders(holders) = &self.who else { return std::future::pending().await };
        loop {
            tokio::time::sleep(LOOK).await;
            holders.lock().unwrap_or_else(PoisonError::into_inner).look(&self.making);
        }
    }
}

impl Holders {
    /// Lets in who has a token now, and ends what those have who no longer have one.
    fn look(&mut self, making: &Making) {
        let Some(accepted) = self.tokens.look() else { return };
        let mut before = std::mem::take(&mut self.known);
        for token in accepted {
            if let Some(at) = before.iter().position(|holder| holder.token == token) {
                self.known.push(before.swap_remove(at));
                continue;
            }
            let mut origin = Origin::of(token.principal());
            origin.agent_name.clone_from(&token.name);
            match making.holder(token, origin) {
                Ok(holder) => self.known.push(holder),
                Err(error) => tracing::warn!(target: "dogu", %error, "a token is not let in"),
            }
        }
        before.into_iter().for_each(Holder::end);
    }
}

/// The token of a request that has exactly one.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim().as_bytes())
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get("mcp-session-id").and_then(|id| id.to_str().ok())
}

/// The token first, everything else after it.
pub(crate) async fn enter(State(gate): State<Arc<Gate>>, request: Request) -> Response {
    let Some(holder) = gate.holder(request.headers()) else { return unauthorized() };
    let request = if request.method() == Method::POST {
        match body::checked(request).await {
            Ok(request) => request,
            Err(response) => return response,
        }
    } else {
        request
    };
    // A body can take its time, and the token be taken away meanwhile.
    if holder.is_gone() {
        return unauthorized();
    }
    if let Some(session) = session(request.headers()) {
        holder.uses(session);
    }
    let ends_session = request.method() == Method::DELETE;
    let mut response = holder.service.handle(request).await.map(Body::new);
    if let Some(session) = session(response.headers()) {
        holder.begins(session).await;
    }
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
