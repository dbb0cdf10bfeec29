//! From files and flags to a runtime.

mod brought;
mod delegate;
mod embeddings;
mod gateway;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use dogu_gateway::{Elicitor, Gateway};
use dogu_runtime::grants::GrantStore;
use dogu_runtime::process::Supervisor;
use dogu_runtime::record::{Record, RecordOptions};
use dogu_runtime::redact::{Redactor, known_from_env};
use dogu_runtime::trust::{Standing, Trust};
use dogu_runtime::{
    Audit, Runtime, RuntimeBuilder, SealProblem, Settings, Source, StateDir, Unattended,
};
use dogu_tool::Scope;

use crate::args::Workspace;
use crate::problem::{Problem, warn};
use crate::prompt::{Approver, Otherwise};
use crate::sandbox;
use brought::Brought;
pub(crate) use brought::{Asking, described, project_files};
pub(crate) use gateway::{SERVERS, warn_unusable};

/// What commands need to make calls.
pub(crate) struct Setup {
    pub(crate) runtime: Runtime,
    pub(crate) state: Option<StateDir>,
    pub(crate) gateway: Gateway,
    /// What the workspace brings counts.
    pub(crate) trusted: bool,
}

/// Builds the runtime of a workspace, as [`build`] does, for whoever has clients that servers' questions can be shown to.
pub(crate) fn build_for_clients(
    workspace: &Workspace,
    approver: Approver,
    elicitor: Arc<dyn Elicitor>,
) -> Result<Setup, Problem> {
    build(workspace, Approver { elicitor: Some(elicitor), ..approver })
}

/// Builds the runtime of a workspace with the built-in tools and those of its servers.
pub(crate) fn build(workspace: &Workspace, approver: Approver) -> Result<Setup, Problem> {
    let redactor = Redactor::with_known(known_from_env());
    let opened = StateDir::default_path().and_then(StateDir::open);
    let asking = if approver.is_person { Asking::Person } else { Asking::Warning };
    let begun = begun(workspace, &redactor, opened.as_ref().ok(), asking)?;
    let audit = begun.choice.settings.audit;
    if let Err(error) = &opened {
        warn_unrecorded(error, audit);
    }
    let state = opened.ok();
    let mut builder = recorded(begun.builder, state.as_ref(), redactor, audit);
    let supervisor = if sandbox::is_inside() { None } else { Some(supervisor()?) };
    if let Some(supervisor) = &supervisor {
        builder = builder.supervisor(supervisor.clone());
    }
    let mut choice = begun.choice;
    if approver.otherwise == Otherwise::Refused {
        choice.settings.unattended = Unattended::Refuse;
    }
    let elicitor = approver.elicitor.clone();
    if let Some(delegate) = delegate::of(approver, &choice.settings, supervisor.as_ref())? {
        builder = builder.delegate(delegate);
    }
    let trusted = choice.trusted;
    let runtime = built(builder, choice)?;
    let gateway = gateway::gateway(&runtime, state.as_ref(), supervisor, elicitor)?;
    Ok(Setup { runtime, state, gateway, trusted })
}

/// Who starts programs: this program again, as a small process of its own.
pub(crate) fn supervisor() -> Result<Supervisor, Problem> {
    let own = std::env::current_exe()
        .map_err(|error| Problem::wrong_use("dogu does not find its own program").because(error))?;
    Ok(Supervisor::new(own, [crate::SUPERVISE]))
}

/// Builds the same runtime for whoever only looks: nothing is made or opened that only calls
/// would need. Tools of servers are there as far as they are known.
pub(crate) fn build_to_show(workspace: &Workspace, asking: Asking) -> Result<Runtime, Problem> {
    Ok(build_to_list(workspace, asking)?.runtime)
}

/// The same with the gateway, for whoever asks the servers for their tools.
pub(crate) fn build_to_list(workspace: &Workspace, asking: Asking) -> Result<Setup, Problem> {
    let redactor = Redactor::with_known(known_from_env());
    let path = StateDir::default_path().ok();
    let state =
        path.as_ref().filter(|path| path.is_dir()).and_then(|path| StateDir::open(path).ok());
    let begun = begun(workspace, &redactor, state.as_ref(), asking)?;
    let builder = match (&state, path) {
        (Some(state), _) => begun.builder.state(state.clone()),
        (None, Some(path)) => begun.builder.private(path),
        (None, None) => begun.builder,
    };
    let trusted = begun.choice.trusted;
    let runtime = built(builder, begun.choice)?;
    let supervisor = if sandbox::is_inside() { None } else { Some(supervisor()?) };
    let gateway = gateway::gateway(&runtime, state.as_ref(), supervisor, None)?;
    Ok(Setup { runtime, state, gateway, trusted })
}

fn built(builder: RuntimeBuilder, choice: Choice) -> Result<Runtime, Problem> {
    builder.settings(choice.settings).build().map_err(|error| {
        let problem = Problem::from(error);
        if !choice.left_out {
            return problem;
        }
        problem.hint("what a workspace brings counts only once it is trusted, see `dogu trust`")
    })
}

/// A runtime that is not yet built.
struct Begun {
    builder: RuntimeBuilder,
    choice: Choice,
}

/// The settings that count.
struct Choice {
    settings: Settings,
    trusted: bool,
    /// Some of what the workspace brings does not count.
    left_out: bool,
}

fn begun(
    workspace: &Workspace,
    redactor: &Redactor,
    state: Option<&StateDir>,
    asking: Asking,
) -> Result<Begun, Problem> {
    crate::logging::start(redactor);
    if workspace.trust {
        sandbox::refuse("trust a folder")?;
    }
    let scope = scope(workspace)?;
    let config = config_folder();
    let stores = state.zip(config.as_deref()).map(|(state, config)| Stores::open(state, config));
    let choice = choose(workspace, &scope, stores.as_ref(), asking)?;
    let mut builder = Runtime::builder(scope)
        .tools(&Source::Builtin, dogu_builtin::all())
        .map_err(|error| Problem::of(&error))?
        .redactor(redactor.clone())
        .trusted(choice.trusted);
    if let Some(embeddings) = embeddings::endpoint(&choice.settings)? {
        builder = builder.embeddings(Arc::new(embeddings));
    }
    if let Some(config) = config {
        builder = builder.private(config.canonicalize().unwrap_or(config));
    }
    if let Some(stores) = stores {
        stores.tell_problems(asking);
        builder = builder.grants(Arc::new(stores.grants));
    }
    Ok(Begun { builder, choice })
}

/// What was decided before.
pub(crate) struct Stores {
    pub(crate) grants: GrantStore,
    pub(crate) trust: Trust,
}

impl Stores {
    fn open(state: &StateDir, config: &Path) -> Self {
        Self { grants: GrantStore::open(state, config), trust: Trust::open(state, config) }
    }

    fn tell_problems(&self, asking: Asking) {
        if asking != Asking::Nobody {
            tell(self.trust.new_problem(), "no folder is trusted", "dogu trust reset");
            tell(self.grants.new_problem(), "no grant counts", "dogu policy grants reset");
        }
    }
}

fn tell(problem: Option<SealProblem>, cost: &str, reset: &str) {
    if let Some(problem) = problem {
        warn(&format!("{problem}; {cost} until `{reset}`"));
    }
}

/// The stores of the user, for whoever looks into them or changes them.
pub(crate) fn open_stores() -> Result<Stores, Problem> {
    let config = config_folder().ok_or_else(|| {
        Problem::wrong_use("there is no folder for settings").hint("set HOME or XDG_CONFIG_HOME")
    })?;
    let stores = Stores::open(&open_state()?, &config);
    stores.tell_problems(Asking::Warning);
    Ok(stores)
}

/// The folders, which must be there.
pub(crate) fn scope(workspace: &Workspace) -> Result<Scope, Problem> {
    let here = std::env::current_dir()
        .map_err(|error| Problem::wrong_use("there is no current folder").because(error))?;
    let roots: Vec<PathBuf> = if workspace.roots.is_empty() {
        vec![here]
    } else {
        workspace.roots.iter().map(|root| here.join(root)).collect()
    };
    if let Some(missing) = roots.iter().find(|root| !root.is_dir()) {
        let message = format!("the workspace {} is not a folder", missing.display());
        return Err(Problem::wrong_use(message).hint("name an existing folder with --root"));
    }
    let scope = Scope::new(roots[0].clone()).with_roots(roots);
    Ok(match std::env::home_dir() {
        Some(home) => scope.with_home(home),
        None => scope,
    })
}

/// What the user and the workspace have set, as far as it counts.
fn choose(
    workspace: &Workspace,
    scope: &Scope,
    stores: Option<&Stores>,
    asking: Asking,
) -> Result<Choice, Problem> {
    let trust = stores.map(|stores| &stores.trust);
    let user = gateway::with_servers(Settings::load(user_settings().as_deref(), None)?)?;
    let brought = Brought::by(scope.workdir(), trust)?;
    let (mut settings, mut trusted) = brought.settings(user, workspace.trust, asking)?;
    if let Some(mode) = &workspace.mode {
        settings.mode = Some(mode.clone());
    }
    if sandbox::is_inside() {
        settings.unattended = Unattended::Refuse;
    }
    let left_out = !trusted && !brought.is_nothing();
    // The settings are those of the first root; the engine trusts what is in any of them.
    for root in scope.roots().iter().skip(1).filter(|_| !workspace.trust) {
        trusted &= Brought::by(root, trust)?.standing == Standing::Trusted;
    }
    Ok(Choice { settings, trusted, left_out })
}

/// The file of the user's settings.
pub(crate) fn user_settings() -> Option<PathBuf> {
    Some(config_folder()?.join("config.yaml"))
}

/// The folder of the user's settings.
pub(crate) fn config_folder() -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = || Some(std::env::home_dir()?.join(".config"));
    Some(set.filter(|path| path.is_absolute()).or_else(home)?.join("dogu"))
}

/// Nothing will be recorded, which is not for this function to judge: where the settings require
/// a record, the pipeline refuses each call, and the caller gets a result that says so.
fn warn_unrecorded(error: &dyn std::error::Error, audit: Audit) {
    let cost = match audit {
        Audit::BestEffort => "calls are not recorded",
        Audit::Required => "no call will run, because the settings require a record",
    };
    warn(&format!("{}; {cost}", dogu_tool::text::with_causes(error)));
}

/// The state folder of the user, as it is.
pub(crate) fn open_state() -> Result<StateDir, Problem> {
    StateDir::default_path().and_then(StateDir::open).map_err(|error| Problem::of(&error))
}

fn recorded(
    builder: RuntimeBuilder,
    state: Option<&StateDir>,
    redactor: Redactor,
    audit: Audit,
) -> RuntimeBuilder {
    let Some(state) = state else { return builder };
    let builder = builder.state(state.clone());
    let options = RecordOptions { audit, ..RecordOptions::default() };
    match Record::open(state, redactor, options) {
        Ok(record) => builder.record(record),
        Err(error) => {
            warn_unrecorded(&error, audit);
            builder
        }
    }
}

/// The path without `.` and `..`, by its names alone: for what is not
/// there.
pub(crate) fn by_name(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}
