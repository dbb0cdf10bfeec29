//! Hearing from a server of 2026-07-28 that its tools changed: one of an older era says so by
//! itself.

use std::sync::Arc;
use std::time::Duration;

use dogu_runtime::mcp::Era;
use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ServerNotification, SubscriptionFilter};
use rmcp::service::{Peer, ServiceError};

use super::heard::Heard;

/// How long it waits before it listens again, at first and at most.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// Listens as long as the session lasts. A stream that ended is opened again, ever more slowly,
/// and what may have been missed meanwhile is asked for.
pub(crate) async fn listen(peer: Peer<RoleClient>, era: Era, heard: Arc<Heard>) {
    if era != Era::Modern {
        return;
    }
    let mut pause = PAUSE;
    loop {
        let ended = once(&peer, &heard).await;
        if peer.is_transport_closed() || ended.is_err_and(|error| is_for_good(&error)) {
            return;
        }
        tokio::time::sleep(pause).await;
        pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        heard.list_changed.notify_one();
    }
}

async fn once(peer: &Peer<RoleClient>, heard: &Heard) -> Result<(), ServiceError> {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut stream = peer.listen(filter).await?;
    while let Some(told) = stream.next().await? {
        if matches!(told, ServerNotification::ToolListChangedNotification(_)) {
            heard.list_changed.notify_one();
        }
    }
    Ok(())
}

/// A server that does not know the request will not know it later.
fn is_for_good(error: &ServiceError) -> bool {
    match error {
        ServiceError::McpError(error) => error.code == ErrorCode::METHOD_NOT_FOUND,
        ServiceError::TransportClosed => true,
        _ => false,
    }
}
