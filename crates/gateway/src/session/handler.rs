//! What a server may ask of dogu and tell it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::{Notify, watch};

use crate::apps;
use crate::clean::line;
use crate::elicit::{self, Elicitor};

/// How many characters of a progress message are shown.
const MAX_PROGRESS: usize = 200;

/// How far a call is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// How often the server has said something.
    pub(crate) reports: u64,
    pub(crate) text: String,
    pub(crate) fraction: Option<f32>,
}

/// What sessions and calls share with the handler.
#[derive(Default)]
pub(crate) struct Heard {
    calls: Mutex<HashMap<ProgressToken, watch::Sender<Progress>>>,
    /// The server's list of tools is another one.
    pub(crate) list_changed: Notify,
    /// The session is over.
    pub(crate) over: Notify,
    /// How many questions of the server wait for a person.
    asking: AtomicUsize,
    /// The calls that are under way, by their ids.
    under_way: Mutex<Vec<String>>,
}

impl Heard {
    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, watch::Sender<Progress>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears about one call, until it is forgotten.
    pub(crate) fn follow(&self, token: &ProgressToken) -> watch::Receiver<Progress> {
        let (sender, receiver) = watch::channel(Progress::default());
        self.calls().insert(token.clone(), sender);
        receiver
    }

    /// Notes a call that is under way until the guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>, call: Option<&str>) -> UnderWay {
        let call = call.map(str::to_owned);
        self.under_way().extend(call.clone());
        UnderWay { heard: Arc::clone(self), call }
    }

    /// The call that a question of the server belongs to: with more than one nobody can tell.
    fn only_call(&self) -> Option<String> {
        match &self.under_way()[..] {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    fn under_way(&self) -> MutexGuard<'_, Vec<String>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears no more about a call.
    pub(crate) fn forget(&self, token: &ProgressToken) {
        self.calls().remove(token);
    }

    /// Whether a person is being asked: the time that takes is not the server's.
    pub(crate) fn is_asking(&self) -> bool {
        self.asking.load(Ordering::SeqCst) > 0
    }
}

/// A call that is under way.
pub(crate) struct UnderWay {
    heard: Arc<Heard>,
    call: Option<String>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Some(call) = &self.call else { return };
        let mut calls = self.heard.under_way();
        if let Some(at) = calls.iter().position(|known| known == call) {
            calls.swap_remove(at);
        }
    }
}

/// The client's side of a session.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) server: Arc<str>,
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    pub(crate) heard: Arc<Heard>,
}

impl Handler {
    /// Asks the person, where there is one.
    pub(crate) async fn elicit(&self, params: &ElicitRequestParams) -> ElicitResult {
        let declined = || ElicitResult::new(ElicitationAction::Decline);
        let Some(elicitor) = &self.elicitor else { return declined() };
        let Some(mut question) = elicit::question(&self.server, params) else {
            return declined();
        };
        question.call = self.heard.only_call();
        let _asking = Asking::begin(&self.heard.asking);
        elicit::answer(elicitor.elicit(&question).await, &question.wants)
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

struct Asking<'a>(&'a AtomicUsize);

impl<'a> Asking<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
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
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.elicit(&params).await)
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let calls = self.heard.calls();
        let Some(call) = calls.get(&params.progress_token) else { return };
        let fraction = params.total.filter(|total| *total > 0.0).map(|total| {
            #[expect(clippy::cast_possible_truncation, reason = "a bar has no finer steps")]
            let fraction = (params.progress / total).clamp(0.0, 1.0) as f32;
            fraction
        });
        let text = params.message.as_deref().map(|text| line(text, MAX_PROGRESS));
        call.send_modify(|progress| {
            progress.reports += 1;
            progress.fraction = fraction;
            progress.text = text.unwrap_or_default();
        });
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard.list_changed.notify_one();
    }
}
