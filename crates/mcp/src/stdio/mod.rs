//! MCP over stdin and stdout, or over any other pair of streams: one message a line.

mod escape;
mod lane;
mod lines;
mod pending;
mod text;
mod transport;
mod writer;

use std::io;
use std::sync::Arc;

use dogu_runtime::Runtime;
use dogu_tool::{Origin, Principal};
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::ask::seal::Seal;
use crate::call::Caller;
use crate::error::ServeError;
use crate::handler::Handler;
use crate::options::ServeOptions;
use crate::resources;
use transport::LineTransport;

/// How much a pipe to the client holds: as much as the kernel gives to anybody.
const ROOM_FOR_ANSWERS: usize = 1024 * 1024;

/// Serves the process at the other end of stdin and stdout, until it closes stdin or `shutdown`
/// is over. What is under way then is answered, for at most [`ServeOptions::end_grace`]; a call that
/// waits for a person is canceled at once.
///
/// Nothing else may write to stdout while this runs.
pub async fn serve_stdio(
    runtime: Runtime,
    options: ServeOptions,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), ServeError> {
    // Several answers at once shall fit, so that the client can take them when it likes. What is
    // no pipe, or may not be larger, stays as it is.
    let _ = rustix::pipe::fcntl_setpipe_size(io::stdout(), ROOM_FOR_ANSWERS);
    let (stdin, stdout) = rmcp::transport::io::stdio_pipes();
    serve_streams(runtime, options, stdin, stdout, shutdown).await
}

/// Serves the process at the other end of two streams, as [`serve_stdio`] does.
pub async fn serve_streams<R, W>(
    runtime: Runtime,
    options: ServeOptions,
    read: R,
    write: W,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    resources::register(runtime.registry())?;
    let (closing, stop) = (CancellationToken::new(), CancellationToken::new());
    let (options, seal) = (Arc::new(options), Arc::new(Seal::new()?));
    let config = Arc::new(options.config());
    let origin = Origin::of(Principal::process("stdio"));
    let caller = Arc::new(Caller::new(runtime, origin, options, seal, closing)?);
    let transport = LineTransport::new(read, write, Arc::clone(&caller), stop.clone());
    let handler = Handler::new(caller, config);
    let mut session = std::pin::pin!(session(handler, transport));
    tokio::select! {
        ended = &mut session => ended,
        () = shutdown => {
            stop.cancel();
            session.await
        }
    }
}

async fn session<R, W>(handler: Handler, transport: LineTransport<R, W>) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (handler, lane) = (Arc::new(handler), transport.lane());
    let running = match rmcp::serve_server(Arc::clone(&handler), transport).await {
        Ok(running) => running,
        // Whoever closes before the first request wants nothing, and gets it.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Session(error.to_string())),
    };
    lane.open(handler, running.peer().clone());
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => {
            Err(ServeError::Session(error.to_string()))
        }
        Ok(_) => Ok(()),
    }
}
