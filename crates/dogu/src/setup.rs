//! From files and flags to a runtime.

use std::path::PathBuf;
use std::sync::Arc;

use dogu_runtime::record::{Record, RecordOptions};
use dogu_runtime::redact::{Redactor, known_from_env};
use dogu_runtime::{
    Audit, PermissionDelegate, Runtime, RuntimeBuilder, Settings, Source, StateDir,
};
use dogu_tool::Scope;

use crate::args::Workspace;
use crate::problem::{Problem, warn};

/// The project's settings file, in the working folder.
const PROJECT_SETTINGS: &str = "dogu.yaml";

/// What commands need to make calls.
pub(crate) struct Setup {
    pub(crate) runtime: Runtime,
    pub(crate) state: Option<StateDir>,
}

/// Builds the runtime of a workspace with the built-in tools.
pub(crate) fn build(
    workspace: &Workspace,
    delegate: Option<Arc<dyn PermissionDelegate>>,
) -> Result<Setup, Problem> {
    let redactor = Redactor::with_known(known_from_env());
    let (mut builder, settings) = begun(workspace, &redactor)?;
    let state = state(settings.audit);
    if let Some(delegate) = delegate {
        builder = builder.delegate(delegate);
    }
    builder = recorded(builder, state.as_ref(), redactor, settings.audit);
    let runtime = builder.settings(settings).build()?;
    Ok(Setup { runtime, state })
}

/// Builds the same runtime for whoever only looks: nothing is opened that calls would need.
pub(crate) fn build_to_show(workspace: &Workspace) -> Result<Runtime, Problem> {
    let redactor = Redactor::with_known(known_from_env());
    let (builder, settings) = begun(workspace, &redactor)?;
    Ok(builder.settings(settings).build()?)
}

fn begun(
    workspace: &Workspace,
    redactor: &Redactor,
) -> Result<(RuntimeBuilder, Settings), Problem> {
    crate::logging::start(redactor);
    let scope = scope(workspace)?;
    let settings = settings(&scope)?;
    let builder = Runtime::builder(scope)
        .tools(&Source::Builtin, dogu_builtin::all())
        .map_err(|error| Problem::of(&error))?
        .redactor(redactor.clone());
    Ok((builder, settings))
}

/// The folders, which must be there.
fn scope(workspace: &Workspace) -> Result<Scope, Problem> {
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

fn settings(scope: &Scope) -> Result<Settings, Problem> {
    let user = config_home().map(|config| config.join("dogu/config.yaml"));
    let project = scope.workdir().join(PROJECT_SETTINGS);
    Ok(Settings::load(user.as_deref(), Some(&project))?)
}

fn config_home() -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    set.filter(|path| path.is_absolute()).or_else(|| Some(std::env::home_dir()?.join(".config")))
}

/// The state folder; without one, calls still run unless they must be recorded.
fn state(audit: Audit) -> Option<StateDir> {
    let opened = StateDir::default_path().and_then(StateDir::open);
    opened.inspect_err(|error| warn_unrecorded(error, audit)).ok()
}

/// Nothing will be recorded, which is not for this function to judge: where the settings require
/// a record, the pipeline refuses each call, and the caller gets a result that says so.
fn warn_unrecorded(error: &dyn std::error::Error, audit: Audit) {
    let cost = match audit {
        Audit::BestEffort => "calls are not recorded",
        Audit::Required => "no call will run, because the settings require a record",
    };
    warn(&format!("{}; {cost}", with_causes(error)));
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

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(&format!(": {cause}"));
        next = cause.source();
    }
    text
}
