//! All servers of the settings, and their tools in the registry.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;

use dogu_process::Supervisor;
use dogu_runtime::mcp::McpServer;
use dogu_runtime::pins::PinStore;
use dogu_runtime::{Entry, RegisterError, Registry, Source, StateDir};
use dogu_tool::{ErrorCode, Tool, ToolError, ToolName};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::apps::{self, App};
use crate::clean::line;
use crate::elicit::Elicitor;
use crate::mentions::Mentions;
use crate::names::Names;
use crate::oauth::{self, LoginError, Logins};
use crate::server::{Server, Shared, Standing};
use crate::session::{ConnectError, Surroundings};
use crate::tools::{AccessResource, READ_APP, ReadApp, ServerTool, UseTool, longest};

/// How long a server rests after its first failure.
const REST: Duration = Duration::from_secs(1);

/// What a gateway is made of.
pub struct GatewayParts {
    /// The servers, by name.
    pub servers: BTreeMap<String, McpServer>,
    /// Who starts those that are programs.
    pub supervisor: Option<Supervisor>,
    /// Where lists of tools and logins are kept.
    pub state: Option<StateDir>,
    /// What tools looked like when they were let run.
    pub pins: PinStore,
    /// The workspace: programs start there.
    pub folder: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The environment that `${env:X}` is looked up in, and of which programs get the usual part.
    pub variables: Vec<(OsString, OsString)>,
    /// Who shows servers' questions to a person; without one they are declined.
    pub elicitor: Option<Arc<dyn Elicitor>>,
    /// How long a server rests after its first failure; twice as long after each further one.
    pub rest: Duration,
}

impl GatewayParts {
    /// Servers of a workspace, without anything else.
    pub fn new(servers: BTreeMap<String, McpServer>, folder: impl Into<PathBuf>) -> Self {
        Self {
            servers,
            supervisor: None,
            state: None,
            pins: PinStore::in_memory(),
            folder: folder.into(),
            home: None,
            variables: Vec::new(),
            elicitor: None,
            rest: REST,
        }
    }
}

/// The gateway. Clones share it; with the last one all servers end.
#[derive(Clone)]
pub struct Gateway {
    servers: Arc<Servers>,
}

/// The servers by name, and what is known across them.
pub(crate) struct Servers {
    by_name: BTreeMap<String, Arc<Server>>,
    state: Arc<Registered>,
}

/// Where the tools of all servers are.
struct Registered {
    registry: OnceLock<Weak<Registry>>,
    mentions: Arc<Mentions>,
    /// What is wrong with the tools of a server, by its name.
    problems: RwLock<BTreeMap<String, Vec<String>>>,
    /// What the tools of a server are called here, by its name and theirs.
    names: RwLock<BTreeMap<String, HashMap<String, ToolName>>>,
}

/// What is known of a server, for people.
#[derive(Clone, Debug)]
pub struct ServerStatus {
    /// Its name in the settings.
    pub name: String,
    /// How it is reached, without what may be secret.
    pub place: String,
    /// How it stands.
    pub standing: Standing,
    /// How many tools are known; none where it was never asked.
    pub tools: Option<usize>,
    /// What is wrong with it.
    pub problems: Vec<String>,
}

/// A tool of a server, for people.
#[derive(Clone, Debug)]
pub struct ToolStatus {
    /// What the server calls it.
    pub name: String,
    /// What it says of itself, cleaned.
    pub description: String,
    /// The server says that it changes nothing. Nobody relies on that.
    pub says_read_only: bool,
    /// What is odd about it.
    pub warnings: Vec<String>,
}

impl Gateway {
    /// A gateway to the servers that are not disabled. Nothing is started.
    pub fn new(parts: GatewayParts) -> Self {
        let state = Arc::new(Registered {
            registry: OnceLock::new(),
            mentions: Arc::default(),
            problems: RwLock::default(),
            names: RwLock::default(),
        });
        let (servers, shared) = shared(parts, &state);
        let shared = Arc::new(shared);
        let enabled = servers.into_iter().filter(|(_, server)| !server.disabled);
        let by_name = enabled.map(|(name, settings)| {
            let server = Arc::new(Server::new(&name, settings, Arc::clone(&shared)));
            (name, server)
        });
        Self { servers: Arc::new(Servers { by_name: by_name.collect(), state }) }
    }

    /// Whether there are no servers.
    pub fn is_empty(&self) -> bool {
        self.servers.by_name.is_empty()
    }

    /// `use_mcp_tool`, `access_mcp_resource` and what reads user interfaces; nothing where there are
    /// no servers.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        if self.is_empty() {
            return Vec::new();
        }
        vec![
            Arc::new(UseTool::new(Arc::clone(&self.servers))),
            Arc::new(AccessResource::new(Arc::clone(&self.servers))),
            Arc::new(ReadApp::new(Arc::clone(&self.servers))),
        ]
    }

    /// Puts the tools into a registry: those that are known already at once, the others when
    /// their server was asked. From then on the registry follows what the servers say.
    pub fn register(&self, registry: &Arc<Registry>) -> Result<(), RegisterError> {
        for tool in self.tools() {
            registry.register(Source::Builtin, tool)?;
        }
        let own = registry.snapshot();
        let own = own.all().map(|entry| entry.spec().name.to_string());
        self.servers.state.mentions.set("", own.collect::<Vec<_>>());
        let _ = self.servers.state.registry.set(Arc::downgrade(registry));
        for server in self.servers.by_name.values() {
            self.servers.state.sync(server);
        }
        Ok(())
    }

    /// Makes sure that the tools of all servers are known. Only those are started of which
    /// nothing is known, each once however many ask. Says which could not be.
    pub async fn load(&self) -> Vec<(String, ConnectError)> {
        let loads = self.servers.by_name.iter().map(|(name, server)| async move {
            server.load().await.err().map(|error| (name.clone(), error))
        });
        join_all(loads).await.into_iter().flatten().collect()
    }

    /// The same for the server that a tool of this name would be of, where it is not known.
    pub async fn load_for(&self, tool: &str) -> Vec<(String, ConnectError)> {
        let registry = self.servers.state.registry.get().and_then(Weak::upgrade);
        if !tool.contains("__") || registry.is_some_and(|all| all.snapshot().contains(tool)) {
            return Vec::new();
        }
        self.load().await
    }

    /// Starts a server, where it is not up, and says how it stands. None where there is none of
    /// that name.
    pub async fn check(&self, name: &str) -> Option<ServerStatus> {
        let server = self.servers.by_name.get(name)?;
        // What went wrong is in the status.
        let _ = server.ready().await;
        Some(self.status(server))
    }

    /// How all servers stand. Nothing is started.
    pub fn statuses(&self) -> Vec<ServerStatus> {
        self.servers.by_name.values().map(|server| self.status(server)).collect()
    }

    fn status(&self, server: &Server) -> ServerStatus {
        let tools = server.tools();
        let problems = self.servers.state.problems.read().unwrap_or_else(PoisonError::into_inner);
        let mut all = tools.notes.clone();
        all.extend(problems.get(&*server.name).cloned().unwrap_or_default());
        ServerStatus {
            name: server.name.to_string(),
            place: server.place.clone(),
            standing: server.standing(),
            tools: tools.known.map(|_| tools.definitions.len()),
            problems: all,
        }
    }

    /// The tools of a server as they are known; none where there is no such server.
    pub fn tools_of(&self, name: &str) -> Option<Vec<ToolStatus>> {
        let server = self.servers.by_name.get(name)?;
        let mentions = &self.servers.state.mentions;
        let tools = server.tools();
        let each = tools.definitions.iter().map(|tool| {
            let others = mentions.others_in(&tool.description, name);
            let spoken =
                others.into_iter().map(|other| format!("its description speaks of {other}"));
            ToolStatus {
                name: tool.key.clone(),
                description: tool.description.clone(),
                says_read_only: tool.says_read_only,
                warnings: spoken.chain(tool.notes.iter().cloned()).collect(),
            }
        });
        Some(each.collect())
    }

    /// The user interfaces that tools name, as far as they are known.
    pub fn apps(&self) -> Vec<App> {
        let mut all: Vec<App> = Vec::new();
        for (name, server) in &self.servers.by_name {
            for tool in &server.tools().definitions {
                let uri = apps::named(&tool.meta).and_then(|uri| apps::address(name, uri));
                if let Some(uri) = uri.filter(|uri| all.iter().all(|app| app.uri != *uri)) {
                    let tool = tool.title.clone().unwrap_or_else(|| line(&tool.name, 100));
                    all.push(App { uri, server: name.clone(), tool });
                }
            }
        }
        all
    }

    /// The call that reads a user interface: a tool and its input. None where the address is not
    /// one of a server's interface.
    pub fn app_call(&self, uri: &str) -> Option<(&'static str, Value)> {
        let (server, _) = apps::lookup(uri)?;
        self.servers.by_name.contains_key(&server).then(|| (READ_APP, json!({ "uri": uri })))
    }

    /// The end of what a server that is up wrote to stderr.
    pub fn stderr(&self, name: &str, most: usize) -> Option<String> {
        self.servers.by_name.get(name)?.stderr(most)
    }

    /// Whether a server said that somebody has to log in.
    pub fn wants_login(&self, name: &str) -> bool {
        self.servers.by_name.get(name).is_some_and(|server| server.wants_login())
    }

    /// Logs in at a server. `open` is told the address that the person must visit.
    pub async fn login(&self, name: &str, open: impl FnOnce(&str)) -> Result<(), LoginError> {
        let server = self.servers.by_name.get(name);
        let server = server.ok_or_else(|| LoginError::NoServer(name.to_owned()))?;
        let around = &server.shared.around;
        let logins = around.logins.as_ref().ok_or(LoginError::NoPlace)?;
        let settings = around.expanded(&server.settings)?;
        let challenge = server.take_challenge();
        oauth::login(logins, name, &settings, challenge, open).await?;
        server.close();
        Ok(())
    }

    /// Ends all servers. Whoever needs one later starts it again.
    pub fn close(&self) {
        self.servers.by_name.values().for_each(|server| server.close());
    }
}

fn shared(parts: GatewayParts, state: &Arc<Registered>) -> (BTreeMap<String, McpServer>, Shared) {
    let changed = {
        let state = Arc::clone(state);
        move |server: &Arc<Server>| state.sync(server)
    };
    let registered = {
        let state = Arc::clone(state);
        move |server: &str, key: &str| state.find(server, key)
    };
    let shared = Shared {
        around: Surroundings {
            supervisor: parts.supervisor,
            folder: parts.folder,
            home: parts.home,
            variables: parts.variables,
            logins: parts.state.as_ref().and_then(Logins::open),
        },
        pins: parts.pins,
        cache: parts.state.as_ref().and_then(|state| state.folder("servers").ok()),
        elicitor: parts.elicitor,
        rest: parts.rest,
        changed: Box::new(changed),
        registered: Box::new(registered),
    };
    (parts.servers, shared)
}

impl Servers {
    /// A server by its name.
    pub(crate) fn find(&self, name: &str) -> Result<&Arc<Server>, ToolError> {
        self.by_name.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.by_name.keys().map(String::as_str).collect();
            let message = format!("MCP connection not found: {}", line(name, 100));
            ToolError::new(ErrorCode::NotFound, message)
                .suggest(format!("The servers are: {}.", known.join(", ")))
        })
    }

    pub(crate) fn mentions(&self) -> &Arc<Mentions> {
        &self.state.mentions
    }

    /// The longest that a call of any server can take.
    pub(crate) fn longest(&self) -> Duration {
        self.by_name.values().map(|server| longest(server)).max().unwrap_or_default()
    }
}

impl Registered {
    /// Makes the registry say what a server's list says. Steps that are under way keep what
    /// they have.
    fn sync(&self, server: &Arc<Server>) {
        let Some(registry) = self.registry.get().and_then(Weak::upgrade) else { return };
        let source = Source::Mcp(server.name.to_string());
        let tools = server.tools();
        let set = registry.snapshot();
        let taken =
            |name: &ToolName| set.get(name.as_str()).is_some_and(|entry| *entry.source() != source);
        let keys = tools.definitions.iter().map(|tool| tool.name.as_str());
        let names = Names::of(&server.name, keys, taken);
        let known = names.iter().map(|(name, _)| name.to_string());
        let own = tools.definitions.iter().map(|tool| tool.name.clone());
        self.mentions.set(&server.name, known.chain(own).collect::<Vec<_>>());
        let by_key: HashMap<String, ToolName> = names
            .iter()
            .map(|(name, at)| (tools.definitions[at].key.clone(), name.clone()))
            .collect();
        let mut all = self.names.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(server.name.to_string(), by_key);
        drop(all);
        let mut kept = BTreeSet::new();
        let mut problems = Vec::new();
        for (name, at) in names.iter() {
            match self.put(&registry, &source, server, name, at) {
                Ok(()) => drop(kept.insert(name.clone())),
                Err(why) => {
                    problems.push(format!("{}: {why}", line(&tools.definitions[at].key, 100)));
                }
            }
        }
        for gone in set.by_source(&source) {
            if !kept.contains(&gone.spec().name) {
                let _ = registry.remove(&source, &gone.spec().name);
            }
        }
        let mut all = self.problems.write().unwrap_or_else(PoisonError::into_inner);
        all.insert(server.name.to_string(), problems);
    }

    /// A server's tool by its key.
    fn find(&self, server: &str, key: &str) -> Option<Arc<Entry>> {
        let registry = self.registry.get().and_then(Weak::upgrade)?;
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        let entry = registry.snapshot().get(names.get(server)?.get(key)?.as_str()).cloned()?;
        matches!(entry.source(), Source::Mcp(owner) if owner == server).then_some(entry)
    }

    fn put(
        &self,
        registry: &Registry,
        source: &Source,
        server: &Arc<Server>,
        name: &ToolName,
        at: usize,
    ) -> Result<(), String> {
        let tools = server.tools();
        let Some(definition) = tools.definitions.get(at) else { return Ok(()) };
        let new = || {
            ServerTool::new(name, definition, server, &self.mentions)
                .map_err(|error| error.to_string())
        };
        let put = |tool: ServerTool| {
            let tool: Arc<dyn Tool> = Arc::new(tool);
            match registry.replace(source.clone(), Arc::clone(&tool)) {
                Err(RegisterError::Unknown(_)) => registry.register(source.clone(), tool),
                put => put,
            }
        };
        match put(new()?) {
            // Its schema is nothing that can be checked by, so nothing is.
            Err(RegisterError::Schema { .. }) => put(new()?.without_schemas()),
            put => put,
        }
        .map_err(|error| error.to_string())
    }
}
