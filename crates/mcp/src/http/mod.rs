//! MCP over HTTP, at `/mcp`, for whoever has a token.

mod accept;
mod body;
mod gate;
mod holder;
mod pages;

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{any, get};
use dogu_runtime::Runtime;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::error::ServeError;
use crate::options::ServeOptions;
use crate::resources;
use crate::tokens::TokenStore;
use gate::Gate;

/// How long calls may go on after the server was told to end.
const END_GRACE: Duration = Duration::from_secs(5);
/// How often the end of the calls under way is looked for.
const IDLE_CHECK: Duration = Duration::from_millis(20);
/// How long the last answers may take to leave.
const LAST_BYTES: Duration = Duration::from_millis(200);

/// An HTTP server that is bound and not serving yet.
pub struct HttpServer {
    listener: TcpListener,
    addr: SocketAddr,
    gate: Arc<Gate>,
    runtime: Runtime,
    ends: Ends,
    head_time: Duration,
}

/// What ends when the server does.
#[derive(Clone, Default)]
pub(crate) struct Ends {
    /// Calls are no longer waited for, and streams of announcements end.
    pub(crate) closing: CancellationToken,
    /// All other streams end.
    pub(crate) streams: CancellationToken,
}

impl Ends {
    /// What ends with all of this, or before.
    fn child(&self) -> Self {
        Self { closing: self.closing.child_token(), streams: self.streams.child_token() }
    }
}

impl HttpServer {
    /// Listens on exactly this address, for whoever has a token of the store at the moment of
    /// each request. An address that other machines can reach is refused unless the options allow
    /// it.
    pub async fn bind(
        runtime: Runtime,
        addr: SocketAddr,
        tokens: TokenStore,
        options: ServeOptions,
    ) -> Result<Self, ServeError> {
        Self::bind_with(runtime, addr, options, |runtime, addr, options, ends| {
            Gate::new(runtime, addr, tokens, options, ends)
        })
        .await
    }

    /// Listens on loopback for whoever comes, without a token: for tests of the protocol, whose
    /// clients know none. Never for tools that do anything.
    #[doc(hidden)]
    pub async fn bind_to_anyone(
        runtime: Runtime,
        addr: SocketAddr,
        options: ServeOptions,
    ) -> Result<Self, ServeError> {
        let options = ServeOptions { allow_remote: false, ..options };
        Self::bind_with(runtime, addr, options, Gate::open).await
    }

    async fn bind_with(
        runtime: Runtime,
        addr: SocketAddr,
        options: ServeOptions,
        gate: impl FnOnce(&Runtime, SocketAddr, &ServeOptions, &Ends) -> Result<Gate, ServeError>,
    ) -> Result<Self, ServeError> {
        if !addr.ip().is_loopback() && !options.allow_remote {
            return Err(ServeError::Remote { addr });
        }
        let failed = |source| ServeError::Bind { addr, source };
        let listener = TcpListener::bind(addr).await.map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        resources::register(runtime.registry())?;
        let ends = Ends::default();
        let gate = Arc::new(gate(&runtime, addr, &options, &ends)?);
        Ok(Self { listener, addr, gate, runtime, ends, head_time: options.head_time })
    }

    /// Where it listens, with the port that it got.
    pub fn local_addr(&self) -> SocketAddr {
        self.addr
    }

    /// Serves until `shutdown` is over. What is under way then is answered, for at most five
    /// seconds; a call that waits for a person keeps waiting only that long.
    pub async fn serve(
        self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let Self { listener, gate, runtime, ends, head_time, .. } = self;
        let stop = CancellationToken::new();
        let router = Router::new()
            .route("/", get(pages::root))
            .route("/healthz", get(pages::healthz))
            .route("/mcp", any(gate::enter))
            .with_state(Arc::clone(&gate));
        let mut serving = pin!(accept::serve(listener, router, head_time, stop.clone()));
        let end = async {
            shutdown.await;
            stop.cancel();
            settle(&runtime, &ends).await;
        };
        tokio::select! {
            () = &mut serving => return Ok(()),
            () = end => {}
            () = gate.follow() => {}
        }
        // Connections that are kept open without a request do not hold the server up.
        let _ = tokio::time::timeout(LAST_BYTES, serving).await;
        Ok(())
    }
}

/// Lets calls come to their end, and their answers leave.
async fn settle(runtime: &Runtime, ends: &Ends) {
    let idle = async {
        while runtime.in_flight() > 0 {
            tokio::time::sleep(IDLE_CHECK).await;
        }
    };
    let _ = tokio::time::timeout(END_GRACE, idle).await;
    ends.closing.cancel();
    tokio::time::sleep(LAST_BYTES).await;
    ends.streams.cancel();
}
