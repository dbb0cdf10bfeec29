//! Connections: how many there may be, and how long one may be open without a request. What is
//! done about both is done before anybody is known by a token.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The most connections at the same time; others wait to be accepted.
const MOST: u64 = 4_096;
/// As many there may be in any case.
const LEAST: u64 = 64;
/// How long nothing is accepted after the system could not: most of all for want of descriptors.
const REST: Duration = Duration::from_millis(200);

/// Serves connections until `stop`, and then those that have a request under way.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    head_time: Duration,
    stop: CancellationToken,
) {
    let (room, connections) = (Arc::new(Semaphore::new(most())), TaskTracker::new());
    let accepting = async {
        loop {
            let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (router, stop) = (router.clone(), stop.clone());
                    connections.spawn(connection(stream, router, head_time, stop, permit));
                }
                Err(error) if is_its_own(&error) => {}
                Err(error) => {
                    tracing::warn!(target: "dogu", %error, "a connection could not be accepted");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    };
    tokio::select! {
        () = accepting => {}
        () = stop.cancelled() => {}
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Half of what this process may have open: a call that needs a file must still get one.
fn most() -> usize {
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from((descriptors / 2).clamp(LEAST, MOST)).unwrap_or(usize::MAX)
}

/// Whether it went wrong for the one that came, and for nobody else.
fn is_its_own(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn connection(
    stream: TcpStream,
    router: Router,
    head_time: Duration,
    stop: CancellationToken,
    _room: OwnedSemaphorePermit,
) {
    // An answer is written at once, and what cannot be set costs only time.
    let _ = stream.set_nodelay(true);
    // Nothing else is spoken here; looking for it would wait for the first bytes without end.
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(head_time);
    let service = TowerToHyperService::new(router);
    let mut serving = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        // However it ended, nobody is there to be told.
        _ = serving.as_mut() => return,
        () = stop.cancelled() => serving.as_mut().graceful_shutdown(),
    }
    let _ = serving.await;
}
