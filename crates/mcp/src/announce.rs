//! Announcements: the tools have changed.

use std::time::Duration;

use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Changes that come together are announced together: a server behind dogu brings all of its
/// tools at once.
const TOGETHER: Duration = Duration::from_millis(50);

/// Waits for the next change, and for those that come with it; false when there will be none.
async fn changed(changes: &mut watch::Receiver<u64>) -> bool {
    if changes.changed().await.is_err() {
        return false;
    }
    tokio::time::sleep(TOGETHER).await;
    changes.mark_unchanged();
    true
}

/// Announces to a connection of the older eras until it is gone.
pub(crate) async fn to_peer(
    peer: Peer<RoleServer>,
    mut changes: watch::Receiver<u64>,
    gone: CancellationToken,
) {
    let announce = async {
        while changed(&mut changes).await {
            if peer.notify_tool_list_changed().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = gone.cancelled() => {}
        () = announce => {}
    }
}

/// Announces on a stream that a client of 2026-07-28 keeps open, until either side ends it.
pub(crate) async fn to_stream(
    stream: &SubscriptionContext,
    mut changes: watch::Receiver<u64>,
    closing: &CancellationToken,
) {
    let announce = async {
        while changed(&mut changes).await {
            // What the client did not ask for is not sent, which is no reason to end.
            let _ = stream.sink().notify_tool_list_changed().await;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = stream.cancelled() => {}
        () = closing.cancelled() => {}
        () = announce => {}
    }
}
