//! What starts commands, one for the runtime: the supervisor, the shell, the environment.

use std::ffi::OsString;
use std::sync::{Arc, Once, PoisonError, RwLock};

use dogu_output::{Limits as LogLimits, Log};
use dogu_process::environment::{SANDBOX_MARK, environment, for_terminal, of_login};
use dogu_process::sandbox::{Machine, Strength};
use dogu_process::{Input, Launch, Supervisor, TerminalSize};
use dogu_tool::text::with_causes;
use dogu_tool::{Keep, Principal, ProcessInput, ProcessRequest, Shell, ToolError};
use tokio::sync::OnceCell;

use super::caches;
use super::confine::{Held, Wanted};
use super::outputs::Outputs;
use super::profiles::Profiles;
use super::running::{Running, Started};
use super::seen::Seen;
use super::table::Table;
use crate::settings::{Login, Profile, SandboxSettings, Settings, ShellSettings};

/// Settings of git for whatever only looks: what a repository's own settings would start.
const GIT_LOOKS: [(&str, &str); 4] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("safe.bareRepository", "explicit"),
];

/// Starts commands and knows those that run.
#[derive(Debug)]
pub struct ProcessService {
    supervisor: Supervisor,
    pub(super) table: Table,
    pub(super) outputs: Outputs,
    shell: Shell,
    shell_settings: ShellSettings,
    pub(super) sandbox: SandboxSettings,
    pub(super) profiles: Profiles,
    environment: OnceCell<Vec<(OsString, OsString)>>,
    /// dogu's own ports, which commands never reach.
    ports: RwLock<Vec<u16>>,
    swept: Once,
}

impl ProcessService {
    pub(crate) fn new(supervisor: Supervisor, settings: &Settings, outputs: Outputs) -> Self {
        Self {
            supervisor,
            table: Table::default(),
            outputs,
            shell: settings.shell.shell(),
            shell_settings: settings.shell.clone(),
            sandbox: settings.sandbox.clone(),
            profiles: Profiles::of(settings),
            environment: OnceCell::new(),
            ports: RwLock::default(),
            swept: Once::new(),
        }
    }

    /// What the kernel offers.
    pub async fn machine(&self) -> Result<Machine, ToolError> {
        self.supervisor.machine().await.map_err(|error| {
            ToolError::failed(format!("the process that starts programs does not answer: {error}"))
        })
    }

    /// Whether anything runs that was meant to outlive its call.
    pub fn keeps_any(&self) -> bool {
        self.table.keeps_any()
    }

    /// Closes a port of dogu's own to all commands from now on, those with a network too.
    pub fn close_port(&self, port: u16) {
        self.ports.write().unwrap_or_else(PoisonError::into_inner).push(port);
    }

    pub(super) fn closed_ports(&self) -> Vec<u16> {
        self.ports.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Commands would be held by less than they should be.
    pub(crate) async fn is_partial(&self) -> bool {
        let wanted = self.sandbox.profile != Profile::Off;
        let whole = self.machine().await.is_ok_and(|machine| machine.strength() == Strength::Full);
        wanted && !whole
    }

    /// Starts a line that was granted.
    pub(super) async fn start(
        &self,
        who: &Principal,
        request: ProcessRequest,
        wanted: &Wanted<'_>,
        look: impl AsyncFnOnce(Keep) -> Seen,
    ) -> Result<Arc<Running>, ToolError> {
        self.table.check_room(who, &request.keep)?;
        let mut held = wanted.held();
        // What can write nothing is not watched.
        let writes = held.confinement.as_ref().is_none_or(|held| !held.writable.is_empty());
        let mut seen = if writes { look(request.keep.clone()).await } else { Seen::Nothing };
        if let Some(steering) = seen.steering() {
            held.unguarded = wanted.hold(&mut held, steering);
        }
        seen.allow(wanted.may_make(held.profile));
        let machine = self.machine().await?;
        // Once in a while is enough; the first command is as good as any.
        self.swept.call_once(|| self.outputs.sweep());
        let (id, spill) = self.outputs.create(who);
        let log = Arc::new(Log::with(LogLimits::default(), spill));
        let launch = self.launch(&request, &held, &log).await;
        let child =
            self.supervisor.start(launch).await.map_err(|error| not_started(&error, &request))?;
        let running = Arc::new(Running::new(Started { id, request, child, held, machine }, seen));
        self.table.add(who, &running);
        Ok(running)
    }

    async fn launch(&self, request: &ProcessRequest, held: &Held, log: &Arc<Log>) -> Launch {
        let mut launch = Launch::new(self.shell.words(&request.command), &request.cwd);
        launch.environment = self.environment(held, request.input).await;
        launch.confinement.clone_from(&held.confinement);
        launch.input = match request.input {
            ProcessInput::Nothing => Input::Nothing,
            ProcessInput::Sent => Input::Sent,
            ProcessInput::Terminal => Input::Terminal(TerminalSize::default()),
        };
        launch.log = Arc::clone(log);
        launch
    }

    async fn environment(&self, held: &Held, input: ProcessInput) -> Vec<(OsString, OsString)> {
        let base = self.environment.get_or_init(|| self.base_environment()).await;
        let mut given = base.clone();
        if input == ProcessInput::Terminal {
            for_terminal(&mut given);
        }
        if held.confinement.is_some() {
            given.push((SANDBOX_MARK.into(), held.profile.as_str().into()));
            given.push(("TMPDIR".into(), "/tmp".into()));
        }
        if let Some(folder) = &held.caches {
            caches::name_to(&mut given, folder);
        }
        if held.profile == Profile::ReadOnly {
            add_git_settings(&mut given, &GIT_LOOKS);
        }
        for (name, value) in &self.shell_settings.environment {
            given.retain(|(given, _)| given != name.as_str());
            given.push((name.into(), value.into()));
        }
        given
    }

    /// dogu's own environment, or a login's, as far as commands may have it.
    async fn base_environment(&self) -> Vec<(OsString, OsString)> {
        let own: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        let asks = match self.shell_settings.login {
            Login::Always => true,
            Login::Never => false,
            Login::Auto => std::env::var_os("SHLVL").is_none(),
        };
        let shell = std::env::var_os("SHELL").filter(|_| asks);
        let login = match shell {
            Some(shell) => of_login(&shell, own.clone(), &self.supervisor).await,
            None => None,
        };
        environment(login.unwrap_or(own), &self.shell_settings.pass)
    }
}

/// Adds settings to those that git already finds in the environment.
fn add_git_settings(environment: &mut Vec<(OsString, OsString)>, settings: &[(&str, &str)]) {
    let count = |(name, value): &(OsString, OsString)| {
        (name == "GIT_CONFIG_COUNT").then(|| value.to_str()?.parse::<usize>().ok()).flatten()
    };
    let first = environment.iter().find_map(count).unwrap_or(0);
    environment.retain(|(name, _)| name != "GIT_CONFIG_COUNT");
    for (number, (key, value)) in (first..).zip(settings) {
        environment.push((format!("GIT_CONFIG_KEY_{number}").into(), key.into()));
        environment.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.into()));
    }
    let total = first + settings.len();
    environment.push(("GIT_CONFIG_COUNT".into(), total.to_string().into()));
}

fn not_started(error: &dogu_process::StartError, request: &ProcessRequest) -> ToolError {
    let failed = ToolError::failed(format!("The command was not started: {}", with_causes(error)));
    if !request.cwd.is_dir() {
        let folder = request.cwd.display();
        return ToolError::invalid(format!("Working directory '{folder}' does not exist."))
            .suggest("Leave `cwd` out, or name a folder that exists.");
    }
    failed
}

/// The folder of what commands wrote, in the state folder.
pub(crate) fn outputs_of(state: Option<&crate::state::StateDir>) -> Outputs {
    Outputs::new(state.map(|state| state.path().join(super::outputs::FOLDER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_git_are_added_to_those_that_are_there() {
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("GIT_CONFIG_COUNT".into(), "1".into()),
            ("GIT_CONFIG_KEY_0".into(), "a.b".into()),
            ("GIT_CONFIG_VALUE_0".into(), "c".into()),
        ];
        add_git_settings(&mut environment, &[("d.e", "f")]);
        let value = |name: &str| {
            environment
                .iter()
                .find(|(found, _)| found == name)
                .and_then(|(_, value)| value.to_str())
        };
        assert_eq!(value("GIT_CONFIG_COUNT"), Some("2"));
        assert_eq!(value("GIT_CONFIG_KEY_0"), Some("a.b"));
        assert_eq!(
            (value("GIT_CONFIG_KEY_1"), value("GIT_CONFIG_VALUE_1")),
            (Some("d.e"), Some("f"))
        );
    }
}
