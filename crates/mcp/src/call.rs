//! One `tools/call`: a step of its own with a single call in it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use dogu_runtime::{Catalog, Dispatch, Runtime};
use dogu_tool::{Origin, Principal, ToolCall, ToolError, ToolResult};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::calls::{Calls, Entered};
use crate::error::ServeError;
use crate::progress::{Progress, Scale};

/// Makes the calls of one principal.
pub(crate) struct Caller {
    pub(crate) runtime: Runtime,
    origin: Arc<Origin>,
    prefix: String,
    next: AtomicU64,
    /// Set when the server ends and no longer waits for anyone.
    pub(crate) closing: CancellationToken,
    /// How many streams of announcements the handler has open.
    pub(crate) listening: AtomicUsize,
}

impl Caller {
    pub(crate) fn new(
        runtime: Runtime,
        principal: Principal,
        closing: CancellationToken,
    ) -> Result<Self, ServeError> {
        let mut unique = [0_u8; 4];
        getrandom::fill(&mut unique).map_err(|error| ServeError::Random(error.into()))?;
        let prefix = format!("mcp-{:08x}", u32::from_be_bytes(unique));
        let origin = Arc::new(Origin::of(principal));
        let listening = AtomicUsize::new(0);
        Ok(Self { runtime, origin, prefix, next: AtomicU64::new(1), closing, listening })
    }

    pub(crate) fn principal(&self) -> &Principal {
        &self.origin.principal
    }

    /// What the caller is shown; in the newest era whatever it found before.
    pub(crate) fn offered(&self, is_modern: bool) -> Catalog {
        if is_modern { self.runtime.catalog() } else { self.runtime.catalog_for(self.principal()) }
    }

    /// Ids are unique in the record, which outlives the process and the client's own numbers.
    fn next_id(&self) -> Arc<str> {
        format!("{}-{}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed)).into()
    }

    /// Makes a call and waits for its result.
    pub(crate) async fn call(
        &self,
        name: &str,
        input: Value,
        calls: &Calls,
        context: &RequestContext<RoleServer>,
    ) -> ToolResult {
        let entered = calls.enter(context.id.clone(), self.next_id());
        // A cancellation that came before the call was written down would otherwise be lost.
        if context.ct.is_cancelled() {
            return canceled(&entered, name);
        }
        let progress = self.progress(&entered, context);
        let call = ToolCall::new(&*entered.call, name, input);
        let dispatch = self.runtime.step(Arc::clone(&self.origin)).dispatch(call);
        self.wait(dispatch, &entered, name, progress).await
    }

    /// Listens before the call begins, so that nothing is missed.
    fn progress(
        &self,
        entered: &Entered,
        context: &RequestContext<RoleServer>,
    ) -> Option<Progress> {
        Some(Progress {
            token: context.meta.get_progress_token()?,
            listener: self.runtime.listen(self.principal()),
            peer: context.peer.clone(),
            call: Arc::clone(&entered.call),
            scale: Scale::default(),
        })
    }

    async fn wait(
        &self,
        dispatch: Dispatch,
        entered: &Entered,
        name: &str,
        mut progress: Option<Progress>,
    ) -> ToolResult {
        let mut dispatch = pin!(dispatch);
        let mut asked = false;
        let result = {
            let mut forwarding = pin!(async {
                if let Some(progress) = &mut progress {
                    progress.forward().await;
                }
                std::future::pending::<()>().await;
            });
            loop {
                tokio::select! {
                    // The dispatch first: a call exists, and can be canceled, from its first poll on.
                    biased;
                    result = &mut dispatch => break result,
                    () = entered.cancel.cancelled(), if !asked => {
                        asked = true;
                        self.runtime.cancel(self.principal(), &entered.call);
                    }
                    () = self.closing.cancelled() => {
                        self.runtime.cancel(self.principal(), &entered.call);
                        return canceled(entered, name);
                    }
                    () = &mut forwarding => {}
                }
            }
        };
        if let Some(progress) = &mut progress {
            progress.finish().await;
        }
        result
    }
}

fn canceled(entered: &Entered, name: &str) -> ToolResult {
    ToolResult::error(&*entered.call, name, ToolError::canceled().into_info(usize::MAX).0)
}
