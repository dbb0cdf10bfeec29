//! `RuntimeContext`: the context that the pipeline makes, and a bare one for tests of tools.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use dogu_tool::{
    Action, AgentRuntime, BoxFuture, Cache, CancelFlag, Editor, Embeddings, Files, LogLevel,
    Message, Network, NetworkRequest, NetworkResponse, Origin, Output, Principal, Processes,
    Repository, Scope, Tool, ToolCall, ToolContext, ToolError, ToolSpec, Toolbox,
};
use serde_json::Value;

use crate::cache::ToolCache;
use crate::files::{GrantedFiles, Roots};
use crate::flight::Flight;
use crate::found::StepTools;
use crate::gate::Gate;
use crate::journal::ChangedBy;
use crate::processes::{Granted, ProcessService};
use crate::registry::Entry;
use crate::repository::GrantedRepository;
use dogu_policy::facts::JudgedAction;

/// What a runtime hands to every context, where it has it.
#[derive(Clone, Default)]
pub(crate) struct Backends {
    pub(crate) processes: Option<Arc<ProcessService>>,
    pub(crate) network: Option<Arc<dyn Network>>,
    pub(crate) editor: Option<Arc<dyn Editor>>,
    pub(crate) agents: Option<Arc<dyn AgentRuntime>>,
    pub(crate) embeddings: Option<Arc<dyn Embeddings>>,
}

/// Capabilities and facts of one call.
pub struct RuntimeContext {
    scope: Scope,
    files: Arc<GrantedFiles>,
    repository: GrantedRepository,
    grants: Arc<Grants>,
    processes: Granted,
    network: GrantedNetwork,
    cancel: CancelFlag,
    call_id: Arc<str>,
    origin: Arc<Origin>,
    message: Arc<Message>,
    tool: Arc<dyn Tool>,
    settings: Value,
    backends: Backends,
    cache: Option<ToolCache>,
    tools: Option<StepTools>,
    call: Option<(Arc<Flight>, Arc<Entry>)>,
}

impl RuntimeContext {
    /// The context of a call that passed the gate with these actions.
    pub(crate) fn new(
        flight: &Arc<Flight>,
        entry: &Arc<Entry>,
        message: Arc<Message>,
        admitted: Vec<JudgedAction>,
    ) -> Self {
        let runtime = &flight.runtime;
        let name = entry.spec().name.as_str();
        let settings = runtime.settings.tool(name).map(|section| section.settings.clone());
        let grants = Arc::new(Grants::of(admitted.clone()));
        let files = GrantedFiles::new(Arc::clone(&runtime.roots), admitted)
            .called_by(flight.origin.principal.clone(), Arc::clone(&runtime.reads));
        let files = match &runtime.journal {
            Some(journal) => files.journaled(Arc::clone(journal), changed_by(flight, name)),
            None => files,
        };
        let files = Arc::new(files);
        Self {
            scope: runtime.scope.clone(),
            processes: Granted {
                service: runtime.backends.processes.clone(),
                grants: Arc::clone(&grants),
                roots: Arc::clone(&runtime.roots),
                who: flight.origin.principal.clone(),
                journal: (runtime.journal.as_ref())
                    .map(|journal| (Arc::clone(journal), changed_by(flight, name))),
                cancel: flight.cancel.clone(),
                started: Mutex::default(),
            },
            network: GrantedNetwork {
                grants: Arc::clone(&grants),
                network: runtime.backends.network.clone(),
            },
            grants,
            repository: GrantedRepository::new(
                Arc::clone(&files),
                Arc::clone(&runtime.roots),
                runtime.scope.home(),
            ),
            files,
            cancel: flight.cancel.clone(),
            call_id: Arc::clone(&flight.id),
            origin: Arc::clone(&flight.origin),
            message,
            tool: Arc::clone(entry.tool()),
            settings: settings.unwrap_or(Value::Null),
            backends: runtime.backends.clone(),
            cache: (runtime.state.as_ref())
                .map(|state| ToolCache::new(state, name, runtime.roots.real_paths())),
            tools: Some(StepTools {
                catalog: Arc::clone(&flight.catalog),
                found: Arc::clone(&runtime.found),
                who: flight.origin.principal.clone(),
            }),
            call: Some((Arc::clone(flight), Arc::clone(entry))),
        }
    }

    /// Runs a tool without a runtime, for its tests: the input is parsed by the tool, its actions
    /// and those that it requests are admitted without asking, and the files are those of `folder`.
    ///
    /// ```no_run
    /// # async fn test(tool: std::sync::Arc<dyn dogu_tool::Tool>) -> Result<(), dogu_tool::ToolError> {
    /// let folder = std::path::Path::new("fixtures");
    /// let output = dogu_runtime::RuntimeContext::bare(folder, &tool, serde_json::json!({"path": "a.txt"})).await?;
    /// assert!(output.structured.is_none());
    /// # Ok(()) }
    /// ```
    pub async fn bare(
        folder: &Path,
        tool: &Arc<dyn Tool>,
        input: Value,
    ) -> Result<Output, ToolError> {
        let scope = Scope::new(folder);
        let roots = Arc::new(Roots::open(scope.roots())?);
        let plan = tool.prepare(input.clone(), &scope)?;
        plan.actions().iter().try_for_each(Action::check)?;
        let admitted = roots.judge_all(plan.actions())?;
        let call = ToolCall::new("bare", tool.spec().name.as_str(), input);
        let grants = Arc::new(Grants::of(admitted.clone()));
        let files = Arc::new(GrantedFiles::new(Arc::clone(&roots), admitted));
        let who = Principal::process("bare");
        let context = Self {
            processes: Granted {
                service: None,
                grants: Arc::clone(&grants),
                roots: Arc::clone(&roots),
                who: who.clone(),
                journal: None,
                cancel: CancelFlag::new(),
                started: Mutex::default(),
            },
            network: GrantedNetwork { grants: Arc::clone(&grants), network: None },
            grants,
            repository: GrantedRepository::new(Arc::clone(&files), roots, scope.home()),
            scope,
            files,
            cancel: CancelFlag::new(),
            call_id: "bare".into(),
            origin: Arc::new(Origin::of(who)),
            message: Arc::new(Message::of_calls([&call])),
            tool: Arc::clone(tool),
            settings: Value::Null,
            backends: Backends::default(),
            cache: None,
            tools: None,
            call: None,
        };
        plan.run(Arc::new(context)).await
    }

    /// Admits nothing any more: a tool whose call has ended may still be running somewhere.
    pub(crate) fn revoke(&self) {
        self.files.revoke();
        self.grants.revoke();
        self.processes.end();
    }

    async fn request_more(&self, actions: Vec<Action>) -> Result<(), ToolError> {
        let judged = match &self.call {
            Some((flight, entry)) => Gate { flight, entry }.pass_more(&actions).await?,
            // A bare context has no gate: what is asked for is admitted, as what is declared is.
            None => self.files.judge_all(&actions)?,
        };
        self.files.admit(judged.clone());
        self.grants.admit(judged);
        Ok(())
    }
}

/// By whom the journal says that files were changed.
fn changed_by(flight: &Flight, tool: &str) -> ChangedBy {
    let principal = &flight.origin.principal;
    ChangedBy {
        call: Arc::clone(&flight.id),
        tool: tool.into(),
        principal: principal.id().into(),
        session: principal.session().into(),
    }
}

impl ToolContext for RuntimeContext {
    fn scope(&self) -> &Scope {
        &self.scope
    }

    fn files(&self) -> &dyn Files {
        &*self.files
    }

    fn repository(&self) -> &dyn Repository {
        &self.repository
    }

    fn processes(&self) -> &dyn Processes {
        &self.processes
    }

    fn network(&self) -> &dyn Network {
        &self.network
    }

    fn request(&self, actions: Vec<Action>) -> BoxFuture<'_, Result<(), ToolError>> {
        Box::pin(self.request_more(actions))
    }

    fn progress(&self, text: &str, fraction: Option<f32>) {
        if let Some((flight, _)) = &self.call {
            flight.progress(text, fraction);
        }
    }

    fn log(&self, level: LogLevel, text: &str) {
        if let Some((flight, _)) = &self.call {
            flight.log(level, text);
        }
    }

    fn cancel(&self) -> &CancelFlag {
        &self.cancel
    }

    fn deadline(&self) -> Option<Instant> {
        self.call.as_ref().and_then(|(flight, _)| flight.deadline())
    }

    fn call_id(&self) -> &str {
        &self.call_id
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn message(&self) -> &Message {
        &self.message
    }

    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn settings(&self) -> &Value {
        &self.settings
    }

    fn editor(&self) -> Option<&dyn Editor> {
        self.backends.editor.as_deref()
    }

    fn agents(&self) -> Option<&dyn AgentRuntime> {
        self.backends.agents.as_deref()
    }

    fn embeddings(&self) -> Option<&dyn Embeddings> {
        self.backends.embeddings.as_deref()
    }

    fn cache(&self) -> Option<&dyn Cache> {
        self.cache.as_ref().map(|cache| cache as &dyn Cache)
    }

    fn tools(&self) -> Option<&dyn Toolbox> {
        self.tools.as_ref().map(|tools| tools as &dyn Toolbox)
    }
}

/// What processes and network may do for one call.
#[derive(Default)]
pub(crate) struct Grants {
    admitted: RwLock<Vec<JudgedAction>>,
    revoked: AtomicBool,
}

impl Grants {
    fn of(admitted: Vec<JudgedAction>) -> Self {
        Self { admitted: RwLock::new(admitted), revoked: AtomicBool::new(false) }
    }

    fn admit(&self, more: Vec<JudgedAction>) {
        self.admitted.write().unwrap_or_else(PoisonError::into_inner).extend(more);
    }

    fn revoke(&self) {
        self.revoked.store(true, Ordering::Release);
    }

    /// All that was granted.
    pub(crate) fn admitted(&self) -> Vec<JudgedAction> {
        self.admitted.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The action as it was judged, if exactly this one was declared and granted.
    pub(crate) fn find(&self, wanted: &Action) -> Result<JudgedAction, ToolError> {
        if self.revoked.load(Ordering::Acquire) {
            return Err(ToolError::canceled());
        }
        let found = self.admitted().into_iter().find(|judged| judged.action == *wanted);
        found.ok_or_else(|| ToolError::denied(format!("{wanted} was not declared by this call")))
    }
}

/// The network behind the grants of one call.
struct GrantedNetwork {
    grants: Arc<Grants>,
    network: Option<Arc<dyn Network>>,
}

impl Network for GrantedNetwork {
    fn fetch(&self, request: NetworkRequest) -> BoxFuture<'_, Result<NetworkResponse, ToolError>> {
        if let Err(error) = self.grants.find(&Action::Network { url: request.url.clone() }) {
            return Box::pin(async { Err(error) });
        }
        match &self.network {
            Some(network) => network.fetch(request),
            None => Box::pin(async { Err(ToolError::failed("this runtime has no network")) }),
        }
    }
}
