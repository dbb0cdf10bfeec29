//! `dogu doctor`: what is here, and what each lack costs.

use std::borrow::Cow;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use dogu_gateway::{Gateway, ServerStatus, Standing};
use dogu_runtime::process::Supervisor;
use dogu_runtime::process::sandbox::{Machine, Strength};
use dogu_runtime::{Profile, Settings};
use serde::Serialize;

use crate::args::{Doctor, Workspace};
use crate::problem::Problem;
use crate::setup;

/// One thing that is here, or not.
#[derive(Debug, Serialize)]
struct Finding {
    what: Cow<'static, str>,
    good: bool,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<&'static str>,
}

pub(crate) fn run(workspace: &Workspace, doctor: &Doctor) -> Result<ExitCode, Problem> {
    let setup = setup::build_to_list(workspace, setup::Asking::Nobody)?;
    let settings = setup.runtime.settings();
    let mut findings = shell(settings);
    let supervisor = setup::supervisor()?;
    findings.extend(sandbox(settings, &supervisor));
    findings.extend(servers(&setup.gateway)?);
    let mut out = std::io::stdout().lock();
    if doctor.json {
        let text = serde_json::to_string_pretty(&findings).unwrap_or_default();
        writeln!(out, "{text}")?;
    } else {
        for finding in &findings {
            write!(out, "{}", finding.shown())?;
        }
    }
    let all_good = findings.iter().all(|finding| finding.good);
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl Finding {
    fn shown(&self) -> String {
        let mark = if self.good { "ok  " } else { "LACK" };
        let costs = self.costs.filter(|_| !self.good);
        let costs = costs.map(|costs| format!("\n     {costs}")).unwrap_or_default();
        format!("{mark} {}: {}{costs}\n", self.what, self.says)
    }
}

/// Asks every server, all at once.
fn servers(gateway: &Gateway) -> Result<Vec<Finding>, Problem> {
    let names: Vec<String> = gateway.statuses().into_iter().map(|server| server.name).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let checks = names.iter().map(|name| gateway.check(name));
    let checked = tokio.block_on(futures::future::join_all(checks));
    Ok(checked.into_iter().flatten().map(server).collect())
}

fn server(status: ServerStatus) -> Finding {
    let (good, says) = match status.standing {
        Standing::Up { server, protocol } => {
            let tools = status.tools.unwrap_or_default();
            let server = server.map(|name| format!(", {name}")).unwrap_or_default();
            let protocol = protocol.map(|version| format!(", MCP {version}")).unwrap_or_default();
            let odd: String =
                status.problems.iter().map(|problem| format!("; {problem}")).collect();
            (true, format!("answers with {tools} tools{server}{protocol}{odd}"))
        }
        Standing::Failed(why) => (false, why),
        Standing::Idle | Standing::Starting => (false, "it does not answer".to_owned()),
        Standing::Lost => (false, "it answered and ended".to_owned()),
    };
    Finding {
        what: format!("MCP server {}", status.name).into(),
        good,
        says,
        costs: Some("its tools are missing; `dogu mcp list` shows how it is reached"),
    }
}

fn shell(settings: &Settings) -> Vec<Finding> {
    let shell = settings.shell.shell();
    let found = program(&shell.program);
    let understood = shell.kind.is_understood();
    let kind = shell.kind.program();
    vec![
        Finding {
            what: "shell".into(),
            good: found.is_some(),
            says: found.map_or_else(
                || format!("{} was not found", shell.program.display()),
                |path| path.display().to_string(),
            ),
            costs: Some("no command can run: set `shell.program` in the settings"),
        },
        Finding {
            what: "lines of the shell".into(),
            good: understood,
            says: if understood {
                format!("{kind}, which the policy understands")
            } else {
                format!("{kind}, which the policy does not understand")
            },
            costs: Some("every command asks"),
        },
    ]
}

fn program(name: &std::path::Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn sandbox(settings: &Settings, supervisor: &Supervisor) -> Vec<Finding> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let machine = runtime.and_then(|runtime| runtime.block_on(supervisor.machine()));
    let machine = match machine {
        Ok(machine) => machine,
        Err(error) => {
            return vec![Finding {
                what: "supervisor".into(),
                good: false,
                says: format!("it does not answer: {error}"),
                costs: Some("no command can run"),
            }];
        }
    };
    let profile = settings.sandbox.profile;
    let mut findings = vec![strength(&machine, profile)];
    findings.extend(layers(&machine));
    findings
}

fn strength(machine: &Machine, profile: Profile) -> Finding {
    let says = match (profile, machine.strength()) {
        (Profile::Off, _) => "off by the settings".to_owned(),
        (profile, Strength::Full) => format!("full, profile {}", profile.as_str()),
        (profile, Strength::Partial) => format!("partial, profile {}", profile.as_str()),
        (_, Strength::None) => "none on this machine".to_owned(),
    };
    Finding {
        what: "sandbox".into(),
        good: profile == Profile::Off || machine.strength() == Strength::Full,
        says,
        costs: Some(
            "every command that does more than look asks; files that steer agents and secrets of your home folder are not held back",
        ),
    }
}

fn layers(machine: &Machine) -> Vec<Finding> {
    let layer = |what: &'static str, good, costs| Finding {
        what: what.into(),
        good,
        says: if good { "here" } else { "not here" }.to_owned(),
        costs: Some(costs),
    };
    vec![
        layer(
            "namespaces (user, process, mount, IPC)",
            machine.namespaces,
            "allow unprivileged user namespaces (kernel.unprivileged_userns_clone, AppArmor), or run outside of the container",
        ),
        layer(
            "network namespaces",
            machine.network_namespaces,
            "commands without a grant cannot make any internet socket, not even for themselves",
        ),
        layer(
            "own view of processes",
            machine.own_processes_view,
            "commands see the names of other processes",
        ),
        Finding {
            what: "Landlock".into(),
            good: machine.landlock > 0,
            says: match machine.landlock {
                0 => "not here".to_owned(),
                version => format!("version {version}"),
            },
            costs: Some("one wall less; needs Linux 5.13"),
        },
        layer("filters of system calls", machine.seccomp, "one wall less"),
        layer(
            "connections made for commands",
            machine.watched_connections,
            "commands reach Unix sockets that are made after they started, and with a network link-local addresses, such as the one at which a cloud gives out keys; needs Linux 5.9, and a container that allows pidfd_getfd",
        ),
    ]
}
