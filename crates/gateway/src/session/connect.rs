//! From settings to a session: starting or reaching a server, in the era that it speaks.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dogu_output::{Limits, Log};
use dogu_process::{Child, Launch, Supervisor, environment};
use dogu_runtime::mcp::{Era, ExpandError, Expander, McpServer, Place};
use http::{HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::handler::Handler;
use super::rights;
use crate::clean::line;
use crate::http::{HttpClient, Login};
use crate::oauth::{self, Logins};
use crate::wire::{LineTransport, PARTING, Program};

/// How much of what a server writes to stderr is kept, at its beginning and at its end.
const LOG_HEAD: usize = 32 * 1024;
const LOG_TAIL: usize = 96 * 1024;
/// How much of an error is told.
pub(super) const MAX_REASON: usize = 400;
/// How many of the last lines on stderr are told with a failure.
const STDERR_LINES: usize = 5;

/// A probe without an answer takes ten seconds; whoever has had more was asked in both eras.
const PROBED: Duration = Duration::from_secs(15);

/// Why a server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// A variable is missing.
    #[error(transparent)]
    Expand(#[from] ExpandError),
    /// It cannot be started.
    #[error("{0}")]
    Start(String),
    /// It was started or reached, but does not speak the protocol.
    #[error("{0}")]
    Session(String),
    /// It took too long.
    #[error("it did not answer within {} seconds{}", .0.as_secs(), .1)]
    Timeout(Duration, String),
    /// Somebody has to log in first; what the server said about that.
    #[error("it wants a login")]
    Login(Option<String>),
    /// It failed a moment ago, and is left alone for a while.
    #[error("{last}; the next try is in {} seconds", .again_in.as_secs() + 1)]
    Resting {
        /// Why it failed.
        last: String,
        /// How long it is left alone.
        again_in: Duration,
    },
}

/// What every server is started with.
pub(crate) struct Surroundings {
    pub(crate) supervisor: Option<Supervisor>,
    /// The workspace.
    pub(crate) folder: std::path::PathBuf,
    pub(crate) home: Option<std::path::PathBuf>,
    /// dogu's own environment.
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) logins: Option<Logins>,
}

impl Surroundings {
    fn variable(&self, name: &str) -> Option<String> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.clone().into_string().ok())
    }

    fn expander<'a>(
        &'a self,
        variable: &'a (dyn Fn(&str) -> Option<String> + Sync),
    ) -> Expander<'a> {
        Expander { variable, workspace: &self.folder, home: self.home.as_deref() }
    }

    /// A server's address and secret with everything replaced, for a login.
    pub(crate) fn expanded(&self, server: &McpServer) -> Result<McpServer, ExpandError> {
        let lookup = |name: &str| self.variable(name);
        let expander = self.expander(&lookup);
        let mut server = server.clone();
        if let Place::Address { url, .. } = &mut server.place {
            *url = expander.expand(url, "url")?;
        }
        if let Some(secret) = server.oauth.as_mut().and_then(|oauth| oauth.client_secret.as_mut()) {
            *secret = expander.expand(secret, "oauth.client_secret")?;
        }
        Ok(server)
    }
}

impl Surroundings {
    /// Keeps what a server said about a login, for whoever logs in there.
    pub(crate) fn keep_challenge(&self, name: &str, server: &McpServer, challenge: &str) {
        if let (Some(logins), Ok(McpServer { place: Place::Address { url, .. }, .. })) =
            (&self.logins, self.expanded(server))
        {
            logins.keep_challenge(name, &url, challenge);
        }
    }
}

/// A running session and the program behind it, if it is one.
pub(crate) struct Connected {
    pub(crate) service: RunningService<RoleClient, Handler>,
    pub(crate) program: Option<Program>,
    pub(crate) era: Era,
}

/// An attempt that opened no session, with the program that may still be ending.
struct Failed {
    error: ConnectError,
    program: Option<Program>,
}

impl From<ConnectError> for Failed {
    fn from(error: ConnectError) -> Self {
        Self { error, program: None }
    }
}

impl From<ExpandError> for Failed {
    fn from(error: ExpandError) -> Self {
        ConnectError::from(error).into()
    }
}

/// Opens a session. `known` is the era that the server spoke the last time.
pub(crate) async fn connect(
    server: &McpServer,
    known: Option<Era>,
    handler: &Handler,
    around: &Surroundings,
) -> Result<Connected, ConnectError> {
    let mut last: Option<Failed> = None;
    for era in eras(server.era, known) {
        // The next process may need what the last one holds: a port, a lock.
        if let Some(program) = last.as_ref().and_then(|failed| failed.program.as_ref()) {
            program.gone().await;
        }
        match Box::pin(attempt(server, era, handler, around)).await {
            Ok(connected) => return Ok(connected),
            Err(failed) if failed.is_final() => return Err(failed.error),
            Err(failed) => last = Some(failed),
        }
    }
    let none = || ConnectError::Session("it speaks no known protocol".to_owned());
    Err(last.map_or_else(none, |failed| failed.error))
}

impl Failed {
    /// Neither a missing program nor a missing login gets better by asking differently.
    fn is_final(&self) -> bool {
        match &self.error {
            // There was time for the fallback within the session.
            ConnectError::Timeout(time, _) => *time > PROBED,
            error => !matches!(error, ConnectError::Session(_)),
        }
    }
}

/// What to try, in order. A probe can end a server that does not know it, so that the next try
/// is a new process.
fn eras(set: Era, known: Option<Era>) -> Vec<Era> {
    match (set, known) {
        (Era::Auto, None | Some(Era::Auto)) => vec![Era::Auto, Era::Legacy],
        (Era::Auto, Some(Era::Legacy)) => vec![Era::Legacy, Era::Auto],
        (Era::Auto, Some(Era::Modern)) => vec![Era::Modern, Era::Auto, Era::Legacy],
        (set, _) => vec![set],
    }
}

fn lifecycle(era: Era) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        Era::Legacy => ClientLifecycleMode::Initialize,
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions },
        Era::Auto => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
    }
}

async fn attempt(
    server: &McpServer,
    era: Era,
    handler: &Handler,
    around: &Surroundings,
) -> Result<Connected, Failed> {
    let lookup = |name: &str| around.variable(name);
    let expander = around.expander(&lookup);
    match &server.place {
        Place::Program { .. } => {
            let transport = start(server, &expander, around).await?;
            let program = transport.program().clone();
            let opening = handler.clone().serve_with_lifecycle(transport, lifecycle(era));
            opened_in(server.startup_time(), opening, Some(program)).await
        }
        Place::Address { url, headers } => {
            let url = expander.expand(url, "url")?;
            let config = http_config(&url, headers, &expander)?;
            let login = login(server, &url, handler, around, &expander).await?;
            Box::pin(reach(server, era, handler, config, login)).await
        }
    }
}

async fn reach(
    server: &McpServer,
    era: Era,
    handler: &Handler,
    config: StreamableHttpClientTransportConfig,
    login: Option<Login>,
) -> Result<Connected, Failed> {
    let client = HttpClient::new(login).map_err(|error| ConnectError::Start(error.to_string()))?;
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let opening = handler.clone().serve_with_lifecycle(transport, lifecycle(era));
    opened_in(server.startup_time(), opening, None).await
}

async fn login(
    server: &McpServer,
    url: &str,
    handler: &Handler,
    around: &Surroundings,
    expander: &Expander<'_>,
) -> Result<Option<Login>, ConnectError> {
    let Some(logins) = &around.logins else { return Ok(None) };
    let mut settings = server.oauth.clone();
    if let Some(secret) = settings.as_mut().and_then(|settings| settings.client_secret.as_mut()) {
        *secret = expander.expand(secret, "oauth.client_secret")?;
    }
    let found = oauth::existing(logins, &handler.server, url, settings).await;
    found.map_err(|error| ConnectError::Session(line(&words(&error), MAX_REASON)))
}

type Service = RunningService<RoleClient, Handler>;

async fn opened_in(
    time: Duration,
    opening: impl Future<Output = Result<Service, ClientInitializeError>>,
    program: Option<Program>,
) -> Result<Connected, Failed> {
    let child = program.as_ref().map(|program| &program.child);
    let error = match tokio::time::timeout(time, opening).await {
        Ok(Ok(service)) => {
            let spoken = service.peer().peer_info().map(|info| info.protocol_version.clone());
            let is_modern = spoken.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
            let era = if is_modern { Era::Modern } else { Era::Legacy };
            return Ok(Connected { service, program, era });
        }
        Ok(Err(error)) if error.is_authorization_required() => {
            ConnectError::Login(error.auth_challenge().map(str::to_owned))
        }
        Ok(Err(error)) => {
            let mut said = said_on_stderr(child);
            if let Some(child) = child {
                // A moment for its last words: why it ended is worth more than that it did.
                let _ = tokio::time::timeout(Duration::from_millis(200), child.ended()).await;
                said = format!("{}{}", how_ended(child), said_on_stderr(Some(child)));
            }
            ConnectError::Session(format!("{}{said}", line(&told(&error), MAX_REASON)))
        }
        Err(_) => ConnectError::Timeout(time, said_on_stderr(child)),
    };
    Err(Failed { error, program })
}

/// Why a session could not be opened, without the names of what it was tried with.
fn told(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => words(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => told(fallback),
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::JsonRpcError(error) => format!("it refused: {}", error.message),
        ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ExpectedInitResponse(_) => {
            "it answered with something that opens no session".to_owned()
        }
        other => words(other),
    }
}

/// The error with its causes.
pub(super) fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// How a program ended, for a message; nothing while it runs.
pub(crate) fn how_ended(child: &Child) -> String {
    match child.end() {
        None => String::new(),
        Some(end) => match (end.exit_code, end.signal) {
            (Some(code), _) => format!("; it exited with {code}"),
            (None, Some(signal)) => format!("; signal {signal} ended it"),
            (None, None) => "; it is gone".to_owned(),
        },
    }
}

/// The last lines on stderr, for a message.
pub(crate) fn said_on_stderr(child: Option<&Child>) -> String {
    let Some(child) = child else { return String::new() };
    let text = child.log().result(2_000).text;
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(STDERR_LINES)..];
    match last {
        [] => String::new(),
        last => format!("; it said: {}", line(&last.join(" | "), MAX_REASON)),
    }
}

async fn start(
    server: &McpServer,
    expander: &Expander<'_>,
    around: &Surroundings,
) -> Result<LineTransport, ConnectError> {
    let Place::Program { command, args, env, cwd } = &server.place else {
        return Err(ConnectError::Start("there is no program to start".to_owned()));
    };
    let Some(supervisor) = &around.supervisor else {
        return Err(ConnectError::Start("no program can be started here".to_owned()));
    };
    let mut words = vec![expander.expand(command, "command")?];
    for (at, argument) in args.iter().enumerate() {
        words.push(expander.expand(argument, &format!("args[{at}]"))?);
    }
    let mut launch = Launch::new(&words, folder(cwd.as_deref(), expander, around)?);
    launch.environment = environment::environment(around.variables.iter().cloned(), &[]);
    for (name, value) in env {
        let value = expander.expand(value, &format!("env.{name}"))?;
        launch.environment.retain(|(known, _)| known != name.as_str());
        launch.environment.push((name.into(), value.into()));
    }
    launch.apart = !server.shared_processes && !rights::needs_more(&words[0], &launch.environment);
    launch.parting = Some(PARTING);
    let limits = Limits { head: LOG_HEAD, tail: LOG_TAIL, ..Limits::default() };
    launch.log = Arc::new(Log::with(limits, None));
    let failed = |error: &dyn std::error::Error| {
        ConnectError::Start(format!("`{}` cannot be started: {}", words[0], self::words(error)))
    };
    let (child, pipes) = supervisor.start_piped(launch).await.map_err(|error| failed(&error))?;
    LineTransport::new(child, pipes).map_err(|error| failed(&error))
}

fn folder(
    cwd: Option<&Path>,
    expander: &Expander<'_>,
    around: &Surroundings,
) -> Result<std::path::PathBuf, ConnectError> {
    let Some(cwd) = cwd else { return Ok(around.folder.clone()) };
    let text = expander.expand(&cwd.to_string_lossy(), "cwd")?;
    let folder = around.folder.join(text);
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(ConnectError::Start(format!("its folder {} is not there", folder.display())))
}

fn http_config(
    url: &str,
    headers: &std::collections::BTreeMap<String, String>,
    expander: &Expander<'_>,
) -> Result<StreamableHttpClientTransportConfig, ConnectError> {
    let unfit = |what: &str| ConnectError::Start(format!("{what} cannot be sent in a header"));
    let mut sent = HashMap::new();
    for (name, value) in headers {
        let value = expander.expand(value, &format!("headers.{name}"))?;
        let header = HeaderName::try_from(name.as_str()).map_err(|_| unfit(name))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| unfit(name))?;
        value.set_sensitive(true);
        sent.insert(header, value);
    }
    Ok(StreamableHttpClientTransportConfig::with_uri(url).custom_headers(sent))
}
