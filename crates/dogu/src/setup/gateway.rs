//! The gateway to the servers of the settings.

use std::path::Path;
use std::sync::Arc;

use dogu_gateway::{ConnectError, Elicitor, Gateway, GatewayParts};
use dogu_runtime::pins::PinStore;
use dogu_runtime::process::Supervisor;
use dogu_runtime::{Runtime, Settings, StateDir};

use super::config_folder;
use crate::problem::{Problem, warn};

/// The file of the user's servers beside the settings, which `dogu mcp add` writes.
pub(crate) const SERVERS: &str = "mcp.json";

/// The files of a workspace that name servers, as other programs write them; a later one counts
/// where two have a server of the same name.
pub(super) const WORKSPACE_SERVERS: [&str; 4] =
    ["mcp.json", ".roo/mcp.json", ".mcp.json", ".dogu/mcp.json"];

/// The gateway of a runtime, whose tools are in its registry.
pub(super) fn gateway(
    runtime: &Runtime,
    state: Option<&StateDir>,
    supervisor: Option<Supervisor>,
    elicitor: Option<Arc<dyn Elicitor>>,
) -> Result<Gateway, Problem> {
    let scope = runtime.scope();
    let mut parts =
        GatewayParts::new(runtime.settings().mcp_servers.clone(), scope.workdir().to_owned());
    parts.supervisor = supervisor;
    parts.elicitor = elicitor;
    parts.state = state.cloned();
    if let Some((state, config)) = state.zip(config_folder()) {
        parts.pins = PinStore::open(state, &config);
    }
    parts.home = scope.home().map(Path::to_owned);
    parts.variables = std::env::vars_os().collect();
    let gateway = Gateway::new(parts);
    gateway.register(runtime.registry()).map_err(|error| Problem::of(&error))?;
    Ok(gateway)
}

/// The user's settings with the servers of the file beside them. What is in the settings counts
/// more.
pub(super) fn with_servers(mut settings: Settings) -> Result<Settings, Problem> {
    let Some(path) = config_folder().map(|folder| folder.join(SERVERS)) else {
        return Ok(settings);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(settings),
        Err(error) => {
            let what = format!("{} cannot be read", path.display());
            return Err(Problem::wrong_use(what).because(error));
        }
    };
    let read = Settings::default().and_servers(&text, &path)?;
    for (name, server) in read.mcp_servers {
        settings.mcp_servers.entry(name).or_insert(server);
    }
    Ok(settings)
}

/// Says which servers' tools are missing.
pub(crate) fn warn_unusable(failed: &[(String, ConnectError)]) {
    for (name, error) in failed {
        warn(&format!("the tools of the MCP server {name} are missing: {error}"));
    }
}
