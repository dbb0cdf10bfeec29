//! The runtime: one per process. Built once, shared by everyone who makes calls.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dogu_policy::path::Places;
use dogu_policy::tool_policy::ToolPolicyEvaluator;
use dogu_process::Supervisor;
use dogu_tool::{
    AgentRuntime, Editor, Embeddings, Network, Origin, Principal, Scope, Source, Tool, ToolError,
    ToolResult,
};
use serde_json::Value;

use crate::approval::{Answer, Desk, PermissionDelegate, Question};
use crate::catalog::Catalog;
use crate::contain::{self, Pool, Watchdog};
use crate::context::Backends;
use crate::counters::Counters;
use crate::embeddings::Redacted;
use crate::engine::{EngineError, EngineParts, EnginePolicy};
use crate::events::{Bus, Listener};
use crate::extension::{Extension, ExtensionApi};
use crate::files::Roots;
use crate::flight::Flight;
use crate::found::Found;
use crate::grants::GrantStore;
use crate::journal::{Journal, Recovered};
use crate::middleware::{CallMiddleware, Onions, StepMiddleware, TurnMiddleware};
use crate::policy::Policy;
use crate::processes::{ProcessService, outputs_of};
use crate::reads::ReadLog;
use crate::record::Record;
use crate::redact::Redactor;
use crate::refusals::Refusals;
use crate::registry::{RegisterError, Registry, ToolSet};
use crate::settings::Settings;
use crate::state::{SPILLS, StateDir};

/// How many results wait for a caller that went away and may come back.
const MAX_ORPHANS: usize = 256;

/// The pipeline and everything it needs. Clones share it.
#[derive(Clone)]
pub struct Runtime(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) scope: Scope,
    pub(crate) roots: Arc<Roots>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) onions: Onions,
    pub(crate) policy: Arc<dyn Policy>,
    /// The policy again, where it is the engine of the settings.
    pub(crate) engine: Option<Arc<EnginePolicy>>,
    pub(crate) places: Places,
    pub(crate) delegate: Option<Arc<dyn PermissionDelegate>>,
    pub(crate) settings: Settings,
    pub(crate) state: Option<StateDir>,
    pub(crate) journal: Option<Arc<Journal>>,
    pub(crate) record: Option<Record>,
    pub(crate) redactor: Redactor,
    pub(crate) backends: Backends,
    pub(crate) bus: Bus,
    pub(crate) desk: Desk,
    pub(crate) refusals: Refusals,
    pub(crate) counters: Counters,
    pub(crate) pool: Pool,
    pub(crate) watchdog: Watchdog,
    pub(crate) flights: Flights,
    pub(crate) reads: Arc<ReadLog>,
    pub(crate) found: Arc<Found>,
    /// The catalog of a registry as it was, so that not every request builds it anew.
    offered: Mutex<Option<(Arc<ToolSet>, Arc<Catalog>)>>,
    numbers: AtomicU64,
}

impl Inner {
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }
}

impl Runtime {
    /// Starts to build a runtime for a workspace.
    pub fn builder(scope: Scope) -> RuntimeBuilder {
        RuntimeBuilder {
            scope,
            registry: Arc::new(Registry::new()),
            onions: Onions::default(),
            policy: None,
            parts: EngineParts::default(),
            delegate: None,
            settings: Settings::default(),
            state: None,
            record: None,
            redactor: Redactor::new(),
            backends: Backends::default(),
            supervisor: None,
        }
    }

    /// All that can run.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.0.registry
    }

    /// The working folder and the roots.
    pub fn scope(&self) -> &Scope {
        &self.0.scope
    }

    /// What is set.
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The state folder, where there is one.
    pub fn state(&self) -> Option<&StateDir> {
        self.0.state.as_ref()
    }

    /// The record, where there is one.
    pub fn record(&self) -> Option<&Record> {
        self.0.record.as_ref()
    }

    /// What takes secrets out of texts.
    pub fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    /// What a step offers before its middleware: all tools that are not hidden, enabled, and in a
    /// group of the mode that was chosen. Where they are more than the settings let a model be
    /// shown, most are to be searched for; it does not depend on what anybody found.
    pub fn catalog(&self) -> Catalog {
        Catalog::clone(&self.offered())
    }

    /// The same, with what this principal found listed too.
    pub fn catalog_for(&self, principal: &Principal) -> Catalog {
        let mut catalog = self.catalog();
        if catalog.is_focused() {
            catalog.list_found(&self.0.found.of(principal), &self.0.settings.catalog);
        }
        catalog
    }

    /// Grows whenever other tools are shown to this principal than before.
    pub fn shown_version(&self, principal: &Principal) -> u64 {
        self.0.found.version(principal)
    }

    /// For a caller whose every request is a step: nothing is copied that is the same for all.
    pub(crate) fn shared_catalog(&self, principal: &Principal) -> Arc<Catalog> {
        let offered = self.offered();
        if !offered.is_focused() || self.0.found.of(principal).is_empty() {
            return offered;
        }
        Arc::new(self.catalog_for(principal))
    }

    /// For a caller who builds each list anew: it calls what it found by its name.
    pub(crate) fn step_catalog(&self, principal: &Principal) -> Catalog {
        let mut catalog = self.catalog_for(principal);
        catalog.unlist(dogu_tool::CALL_TOOL);
        catalog
    }

    /// The same as [`catalog`](Self::catalog), shared: nothing is copied until the tools change.
    pub fn offered(&self) -> Arc<Catalog> {
        let set = self.0.registry.snapshot();
        let mut offered = self.0.offered.lock().unwrap_or_else(PoisonError::into_inner);
        match &*offered {
            Some((of, catalog)) if Arc::ptr_eq(of, &set) => Arc::clone(catalog),
            _ => {
                let catalog = Arc::new(self.build_catalog(&set));
                *offered = Some((set, Arc::clone(&catalog)));
                catalog
            }
        }
    }

    fn build_catalog(&self, set: &ToolSet) -> Catalog {
        let mut catalog = Catalog::of(set);
        let disabled = |name: &str| self.0.settings.tool(name).is_some_and(|tool| !tool.enabled);
        catalog.retain(|spec| !disabled(spec.name.as_str()));
        if let Some(mode) = self.0.engine.as_ref().and_then(|engine| engine.mode()) {
            catalog.retain(|spec| mode.allows_group(spec.group));
        }
        catalog.focus(&self.0.settings.catalog);
        catalog
    }

    /// Hears what happens to the calls of one principal.
    pub fn listen(&self, principal: &Principal) -> Listener {
        self.0.bus.listen(Some(principal.clone()))
    }

    /// Hears what happens to all calls: for whoever owns the process.
    pub fn listen_to_all(&self) -> Listener {
        self.0.bus.listen(None)
    }

    /// Tells listeners what a call will do that the model is still writing.
    pub fn partial(&self, origin: &Origin, call_id: &str, name: &str, partial_input: &Value) {
        let set = self.0.registry.snapshot();
        let Some(entry) = set.get(name) else { return };
        let shown = crate::contain::guarded(|| Ok(entry.tool().partial(partial_input)));
        if let Ok(Some(text)) = shown {
            let redacted = self.0.redactor.redact(&text, crate::redact::Level::Record).into_owned();
            let kind = crate::events::EventKind::Progress { text: redacted, fraction: None };
            self.0.bus.send(&call_id.into(), &name.into(), &origin.principal, kind);
        }
    }

    /// The questions that wait for a principal's answer, oldest first.
    pub fn pending(&self, principal: &Principal) -> Vec<Question> {
        self.0.desk.pending(principal)
    }

    /// Answers a question; false where this principal has no such question.
    pub fn answer(&self, principal: &Principal, question_id: &str, answer: Answer) -> bool {
        self.0.desk.answer(principal, question_id, answer)
    }

    /// Cancels a call; false where this principal has no such call under way.
    pub fn cancel(&self, principal: &Principal, call_id: &str) -> bool {
        let found = self.0.flights.find(principal, call_id);
        found.is_some_and(|flight| {
            flight.stop_for_caller();
            true
        })
    }

    /// Comes back to a call: waits for its result. `None` where this principal has no such call,
    /// or where its result went to whoever made it.
    pub async fn attach(&self, principal: &Principal, call_id: &str) -> Option<ToolResult> {
        let flight = self.0.flights.find_or_orphan(principal, call_id)?;
        flight.keep_answer();
        flight.wait().await
    }

    /// Begins some work, most of all a call, on a thread where it may block; once it waits for
    /// something, tokio goes on with it.
    pub fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        contain::begin(&self.0.pool, false, work);
    }

    /// Begins some work like [`begin`](Self::begin), where nobody has to hear of its first call
    /// before that has ended: if the tool waits for nothing, the call runs from its first line to
    /// its last without changing threads, which is most of what a quick call costs.
    ///
    /// Where the tool blocks that thread, the call can still be canceled and is over in time, but
    /// whoever waits for `work` has to [`attach`](Self::attach) to hear of it.
    pub fn begin_alone(&self, work: impl Future<Output = ()> + Send + 'static) {
        contain::begin(&self.0.pool, true, work);
    }

    /// How many calls are under way.
    pub fn in_flight(&self) -> usize {
        self.0.flights.lock().under_way.len()
    }

    /// What starts commands, where anything does.
    pub fn processes(&self) -> Option<&Arc<ProcessService>> {
        self.0.backends.processes.as_ref()
    }

    /// How many deadlines are watched; as many as tools run.
    pub fn deadlines(&self) -> usize {
        self.0.watchdog.watching()
    }
}

/// The calls that are under way, and those whose callers went away.
#[derive(Default)]
pub(crate) struct Flights(Mutex<FlightTable>);

#[derive(Default)]
pub(crate) struct FlightTable {
    under_way: HashMap<u64, Arc<Flight>>,
    orphans: VecDeque<Arc<Flight>>,
}

impl Flights {
    fn lock(&self) -> MutexGuard<'_, FlightTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, flight: &Arc<Flight>) {
        self.lock().under_way.insert(flight.number, Arc::clone(flight));
    }

    pub(crate) fn remove(&self, flight: &Flight) {
        self.lock().under_way.remove(&flight.number);
    }

    /// Remembers a call whose caller went away, with its result, until others push it out.
    pub(crate) fn orphan(&self, flight: &Arc<Flight>) {
        let mut table = self.lock();
        if table.orphans.len() >= MAX_ORPHANS {
            table.orphans.pop_front();
        }
        table.orphans.push_back(Arc::clone(flight));
    }

    /// The same for a call that ends although its caller cannot go on.
    pub(crate) fn orphan_number(&self, number: u64) {
        let found = self.lock().under_way.get(&number).cloned();
        if let Some(flight) = found {
            self.orphan(&flight);
        }
    }

    fn find(&self, principal: &Principal, call_id: &str) -> Option<Arc<Flight>> {
        let table = self.lock();
        let own = table.under_way.values().filter(|flight| belongs(flight, principal, call_id));
        own.max_by_key(|flight| flight.number).cloned()
    }

    fn find_or_orphan(&self, principal: &Principal, call_id: &str) -> Option<Arc<Flight>> {
        self.find(principal, call_id).or_else(|| {
            let table = self.lock();
            let mut newest_first = table.orphans.iter().rev();
            newest_first.find(|flight| belongs(flight, principal, call_id)).cloned()
        })
    }
}

fn belongs(flight: &Flight, principal: &Principal, call_id: &str) -> bool {
    flight.origin.principal == *principal && *flight.id == *call_id
}

/// Why a runtime could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A tool was refused.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// A workspace folder cannot be used.
    #[error("the workspace cannot be used")]
    Workspace(#[source] ToolError),
    /// The settings cannot decide anything.
    #[error("the permissions cannot be used")]
    Permissions(#[from] EngineError),
}

/// Builds a [`Runtime`].
pub struct RuntimeBuilder {
    scope: Scope,
    registry: Arc<Registry>,
    onions: Onions,
    policy: Option<Arc<dyn Policy>>,
    parts: EngineParts,
    delegate: Option<Arc<dyn PermissionDelegate>>,
    settings: Settings,
    state: Option<StateDir>,
    record: Option<Record>,
    redactor: Redactor,
    backends: Backends,
    supervisor: Option<Supervisor>,
}

impl RuntimeBuilder {
    /// Adds a tool.
    pub fn tool(self, source: Source, tool: Arc<dyn Tool>) -> Result<Self, RegisterError> {
        self.registry.register(source, tool)?;
        Ok(self)
    }

    /// Adds several tools of one source.
    pub fn tools(
        self,
        source: &Source,
        tools: impl IntoIterator<Item = Arc<dyn Tool>>,
    ) -> Result<Self, RegisterError> {
        tools.into_iter().try_for_each(|tool| self.registry.register(source.clone(), tool))?;
        Ok(self)
    }

    /// Adds an extension.
    pub fn extension(mut self, extension: &dyn Extension) -> Result<Self, RegisterError> {
        let mut api = ExtensionApi {
            name: extension.name(),
            registry: &self.registry,
            onions: &mut self.onions,
        };
        extension.setup(&mut api)?;
        Ok(self)
    }

    /// Wraps every call.
    pub fn around_calls(mut self, name: &str, priority: i32, layer: Arc<CallMiddleware>) -> Self {
        self.onions.call.add(name, priority, layer);
        self
    }

    /// Wraps every step.
    pub fn around_steps(mut self, name: &str, priority: i32, layer: Arc<StepMiddleware>) -> Self {
        self.onions.step.add(name, priority, layer);
        self
    }

    /// Wraps every turn.
    pub fn around_turns(mut self, name: &str, priority: i32, layer: Arc<TurnMiddleware>) -> Self {
        self.onions.turn.add(name, priority, layer);
        self
    }

    /// Says whether the user has trusted the workspace, so that what comes with it counts.
    pub fn trusted(mut self, trusted: bool) -> Self {
        self.parts.trusted = trusted;
        self
    }

    /// Sets where standing answers are kept.
    pub fn grants(mut self, grants: Arc<GrantStore>) -> Self {
        self.parts.grants = Some(grants);
        self
    }

    /// Adds a folder of dogu's own, which no call may look into.
    pub fn private(mut self, folder: PathBuf) -> Self {
        self.parts.places.private.push(folder);
        self
    }

    /// Looks at the arguments of a tool's calls; it can only tighten.
    pub fn evaluator(
        mut self,
        tool: impl Into<String>,
        evaluator: Arc<dyn ToolPolicyEvaluator>,
    ) -> Self {
        self.parts.evaluators.insert(tool.into(), evaluator);
        self
    }

    /// Flags a tool of an MCP server as always allowed, as far as the settings approve of such.
    pub fn always_allow(mut self, server: impl Into<String>, tool: impl Into<String>) -> Self {
        self.parts.always_allow.insert((server.into(), tool.into()));
        self
    }

    /// Sets who decides, instead of the engine of the settings.
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Sets who asks a person; without one, what would ask is refused.
    pub fn delegate(mut self, delegate: Arc<dyn PermissionDelegate>) -> Self {
        self.delegate = Some(delegate);
        self
    }

    /// Sets the settings.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets the state folder, where long results are spilled to.
    pub fn state(mut self, state: StateDir) -> Self {
        self.state = Some(state);
        self
    }

    /// Sets the record of calls.
    pub fn record(mut self, record: Record) -> Self {
        self.record = Some(record);
        self
    }

    /// Sets what takes secrets out of texts.
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets who starts programs; without one no call can.
    pub fn supervisor(mut self, supervisor: Supervisor) -> Self {
        self.supervisor = Some(supervisor);
        self
    }

    /// Sets what talks to other machines.
    pub fn network(mut self, network: Arc<dyn Network>) -> Self {
        self.backends.network = Some(network);
        self
    }

    /// Sets the user's editor.
    pub fn editor(mut self, editor: Arc<dyn Editor>) -> Self {
        self.backends.editor = Some(editor);
        self
    }

    /// Sets what knows other agents.
    pub fn agents(mut self, agents: Arc<dyn AgentRuntime>) -> Self {
        self.backends.agents = Some(agents);
        self
    }

    /// Sets the model that turns texts into vectors. It must be the user's own choice: texts go
    /// there without asking, with secrets taken out as far as they are known.
    pub fn embeddings(mut self, embeddings: Arc<dyn Embeddings>) -> Self {
        self.backends.embeddings = Some(embeddings);
        self
    }

    /// Builds it.
    pub fn build(mut self) -> Result<Runtime, BuildError> {
        let mut roots = Roots::open(self.scope.roots()).map_err(BuildError::Workspace)?;
        if let Some(state) = &self.state {
            roots = roots.keeping_out_of(state);
        }
        self.parts.roots = self.scope.roots().iter().map(|root| real(root)).collect();
        self.parts.places.home = self.scope.home().map(real);
        for (name, server) in self.settings.mcp_servers.iter().filter(|(_, s)| !s.disabled) {
            let flagged = server.always_allow.iter().map(|tool| (name.clone(), tool.clone()));
            self.parts.always_allow.extend(flagged);
        }
        if let Some(state) = &self.state {
            self.parts.places.private.push(real(state.path()));
            self.parts.places.shown.push(real(&state.path().join(SPILLS)));
        }
        if let Some(inner) = self.backends.embeddings.take() {
            let redactor = self.redactor.clone();
            self.backends.embeddings = Some(Arc::new(Redacted { inner, redactor }));
        }
        let scope = self.scope.with_shell(self.settings.shell.kind());
        self.backends.processes = self.supervisor.take().map(|supervisor| {
            let outputs = outputs_of(self.state.as_ref());
            Arc::new(ProcessService::new(supervisor, &self.settings, outputs))
        });
        let places = self.parts.places.clone();
        let roots = roots.with_places(places.clone());
        let (policy, engine): (Arc<dyn Policy>, _) = if let Some(policy) = self.policy {
            (policy, None)
        } else {
            let engine = Arc::new(EnginePolicy::new(&self.settings, self.parts)?);
            (Arc::clone(&engine) as _, Some(engine))
        };
        Ok(Runtime(Arc::new(Inner {
            scope,
            roots: Arc::new(roots),
            registry: self.registry,
            onions: self.onions,
            policy,
            engine,
            places,
            delegate: self.delegate,
            settings: self.settings,
            journal: self.state.as_ref().map(journal),
            state: self.state,
            record: self.record,
            redactor: self.redactor,
            backends: self.backends,
            bus: Bus::default(),
            desk: Desk::default(),
            refusals: Refusals::default(),
            counters: Counters::default(),
            pool: Pool::default(),
            watchdog: Watchdog::default(),
            flights: Flights::default(),
            reads: Arc::default(),
            found: Arc::default(),
            offered: Mutex::default(),
            numbers: AtomicU64::new(1),
        })))
    }
}

/// The journal of a state folder, with what was interrupted brought to its end.
fn journal(state: &StateDir) -> Arc<Journal> {
    let journal = Journal::new(state.clone());
    match journal.recover() {
        Ok(recovered) if recovered != Recovered::default() => {
            tracing::info!(?recovered, "changes of files were interrupted");
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "interrupted changes could not be recovered"),
    }
    Arc::new(journal)
}

/// The real path, or the path itself where there is nothing yet.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
