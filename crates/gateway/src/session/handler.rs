//! What a server may ask of dogu and tell it.

use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProtocolVersion, UrlElicitationCapability,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};

use super::heard::Heard;
use crate::apps;
use crate::clean::line;
use crate::elicit::{self, Elicitor};

/// How many characters of a progress message are shown.
const MAX_PROGRESS: usize = 200;

/// The client's side of a session.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) server: Arc<str>,
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    pub(crate) heard: Arc<Heard>,
}

impl Handler {
    /// Asks the person about a call, where there is one, as long as the call goes on.
    pub(crate) async fn elicit(
        &self,
        params: &ElicitRequestParams,
        call: Option<String>,
    ) -> ElicitResult {
        let declined = || ElicitResult::new(ElicitationAction::Decline);
        let Some(elicitor) = &self.elicitor else { return declined() };
        let Some(mut question) = elicit::question(&self.server, params) else {
            return declined();
        };
        let Some(_asking) = self.heard.ask(call.as_deref()) else {
            tracing::warn!(target: "dogu", server = %self.server, "it asks too much, and is declined");
            return declined();
        };
        question.call = call;
        tokio::select! {
            reply = elicitor.elicit(&question) => elicit::answer(reply, &question.wants),
            () = self.heard.end_of(question.call.as_deref()) => {
                ElicitResult::new(ElicitationAction::Cancel)
            }
        }
    }

    fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::default();
        if self.elicitor.is_some() {
            let asks = ElicitationCapability::new()
                .with_form(FormElicitationCapability::default())
                .with_url(UrlElicitationCapability::default());
            capabilities.elicitation = Some(asks);
        }
        capabilities.extensions = Some([apps::declared()].into_iter().collect());
        capabilities
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let dogu = Implementation::new("dogu", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(self.capabilities(), dogu)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        // Over HTTP it comes on the stream of a request; on a pipe nothing says whose it is.
        let call = match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => self.heard.call_of(id).await,
            Some(InboundStreamOrigin::Unassociated) | None => self.heard.only_call(),
        };
        tokio::select! {
            result = self.elicit(&params, call) => Ok(result),
            // The server does not want to know it any more.
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let fraction = params.total.filter(|total| *total > 0.0).map(|total| {
            #[expect(clippy::cast_possible_truncation, reason = "a bar has no finer steps")]
            let fraction = (params.progress / total).clamp(0.0, 1.0) as f32;
            fraction
        });
        let text = params.message.as_deref().map(|text| line(text, MAX_PROGRESS));
        self.heard.tell(&params.progress_token, |progress| {
            progress.reports += 1;
            progress.fraction = fraction;
            progress.text = text.unwrap_or_default();
        });
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard.list_changed.notify_one();
    }
}
