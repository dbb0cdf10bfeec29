//! What is behind the gate.

use std::io::Write as _;
use std::process::ExitCode;

use dogu_gateway::{ServerStatus, Standing};
use serde_json::{Value, json};

use crate::args::{ListServers, Workspace};
use crate::problem::Problem;
use crate::setup;
use crate::show::{escaped, still_read};

pub(super) fn list(workspace: &Workspace, list: &ListServers) -> Result<ExitCode, Problem> {
    let setup = setup::build_to_list(workspace, setup::Asking::Warning)?;
    let mut statuses = setup.gateway.statuses();
    if !list.no_check {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let checks = statuses.iter().map(|status| setup.gateway.check(&status.name));
        let checked = tokio.block_on(futures::future::join_all(checks));
        statuses = checked.into_iter().flatten().collect();
    }
    let disabled =
        setup.runtime.settings().mcp_servers.iter().filter(|(_, server)| server.disabled);
    let disabled: Vec<&String> = disabled.map(|(name, _)| name).collect();
    let mut out = std::io::stdout().lock();
    let printed = if list.json {
        let all: Vec<Value> = statuses.iter().map(as_json).collect();
        let all = json!({"servers": all, "disabled": disabled});
        writeln!(out, "{all}")
    } else {
        let mut text: String = statuses.iter().map(shown).collect();
        text.extend(disabled.iter().map(|name| format!("{name}: disabled\n")));
        if text.is_empty() {
            "no servers; `dogu mcp add` puts one behind the gate\n".clone_into(&mut text);
        }
        out.write_all(escaped(&text).as_bytes())
    };
    still_read(printed)?;
    let failed = statuses.iter().any(|status| matches!(status.standing, Standing::Failed(_)));
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

pub(super) fn tools(workspace: &Workspace, name: &str, json: bool) -> Result<(), Problem> {
    let setup = setup::build_to_list(workspace, setup::Asking::Warning)?;
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let checked = tokio.block_on(setup.gateway.check(name));
    let (Some(status), Some(tools)) = (checked, setup.gateway.tools_of(name)) else {
        let message = format!("there is no server `{name}` in the settings");
        return Err(Problem::wrong_use(message).hint("`dogu mcp list` shows the servers"));
    };
    if let Standing::Failed(why) = &status.standing {
        crate::problem::warn(&format!(
            "{name} does not answer: {why}; this is what is known of it"
        ));
    }
    let mut out = std::io::stdout().lock();
    for tool in &tools {
        let printed = if json {
            let line = json!({
                "name": tool.name, "description": tool.description,
                "says_read_only": tool.says_read_only, "warnings": tool.warnings,
            });
            writeln!(out, "{line}")
        } else {
            let first = tool.description.lines().next().unwrap_or_default();
            let mut text = format!("{}  {first}\n", tool.name);
            text.extend(tool.warnings.iter().map(|warning| format!("    WARNING: {warning}\n")));
            out.write_all(escaped(&text).as_bytes())
        };
        still_read(printed)?;
    }
    Ok(())
}

fn shown(status: &ServerStatus) -> String {
    let tools = status.tools.map(|tools| format!(", {tools} tools")).unwrap_or_default();
    let stands = match &status.standing {
        Standing::Idle => format!("not started{tools}"),
        Standing::Starting => "starting".to_owned(),
        Standing::Up { protocol, .. } => {
            let version = protocol.as_deref().map(|version| format!(", MCP {version}"));
            format!("answers{tools}{}", version.unwrap_or_default())
        }
        Standing::Lost => "answered and ended".to_owned(),
        Standing::Failed(why) => format!("does not answer: {why}"),
    };
    let mut text = format!("{}: {stands}\n    {}\n", status.name, status.place);
    text.extend(status.problems.iter().map(|problem| format!("    WARNING: {problem}\n")));
    text
}

fn as_json(status: &ServerStatus) -> Value {
    let (standing, why) = match &status.standing {
        Standing::Idle => ("idle", None),
        Standing::Starting => ("starting", None),
        Standing::Up { .. } => ("up", None),
        Standing::Lost => ("lost", None),
        Standing::Failed(why) => ("failed", Some(why)),
    };
    let (server, protocol) = match &status.standing {
        Standing::Up { server, protocol } => (server.clone(), protocol.clone()),
        _ => (None, None),
    };
    json!({
        "name": status.name, "place": status.place, "standing": standing, "error": why,
        "server": server, "protocol": protocol, "tools": status.tools,
        "problems": status.problems,
    })
}
