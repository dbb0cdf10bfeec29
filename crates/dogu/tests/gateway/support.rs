use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dogu::gateway::{Elicitor, Gateway, GatewayParts};
use dogu::runtime::mcp::McpServer;
use dogu::runtime::pins::PinStore;
use dogu::runtime::process::Supervisor;
use dogu::runtime::{
    Answer, ApproveAll, PermissionDelegate, Question, Registry, Runtime, Settings, Source, StateDir,
};
use dogu::tool::{BoxFuture, Origin, Principal, Scope, ToolCall, ToolResult};
use serde_json::Value;

/// The small server in a mode. Its starts and cancels are lines of `notes`.
pub(crate) fn small(mode: &str, notes: &Path) -> McpServer {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gateway/server.py");
    let notes = notes.display().to_string();
    let mut server =
        McpServer::program("python3", [script.display().to_string(), mode.to_owned(), notes]);
    server.timeout = Some(20);
    server
}

/// A workspace with servers behind the gateway.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) runtime: Runtime,
    pub(crate) gateway: Gateway,
    pub(crate) asked: Arc<Mutex<Vec<Question>>>,
}

/// How a world is.
pub(crate) struct Build {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) servers: BTreeMap<String, McpServer>,
    pub(crate) settings: &'static str,
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    pub(crate) answer: Option<Answer>,
    /// Is done once while the first question waits; then the list of tools is another one.
    pub(crate) before_answer: Option<Box<dyn Fn() + Send + Sync>>,
}

impl Build {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            servers: BTreeMap::new(),
            settings: "",
            elicitor: None,
            answer: None,
            before_answer: None,
        }
    }

    /// The file in which the small server notes what happens to it.
    pub(crate) fn notes(&self) -> PathBuf {
        self.folder.path().join("notes")
    }

    pub(crate) fn server(mut self, name: &str, server: McpServer) -> Self {
        self.servers.insert(name.to_owned(), server);
        self
    }

    pub(crate) fn small(self, mode: &str) -> Self {
        let server = small(mode, &self.notes());
        self.server("small", server)
    }

    pub(crate) fn world(self) -> World {
        let state = StateDir::open(self.folder.path().join("state")).unwrap();
        let work = self.folder.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        let asked: Arc<Mutex<Vec<Question>>> = Arc::default();
        let mut late: Option<Late> = None;
        let delegate: Arc<dyn PermissionDelegate> = match self.answer {
            Some(answer) => {
                let registry = Arc::default();
                let before = self.before_answer.map(|act| (act, Arc::clone(&registry)));
                late = Some(registry);
                Arc::new(Person { asked: Arc::clone(&asked), answer, before })
            }
            None => Arc::new(ApproveAll),
        };
        let mut settings = Settings::parse(self.settings, Path::new("config.yaml")).unwrap();
        settings.mcp_servers = self.servers;
        let runtime = Runtime::builder(Scope::new(&work))
            .tools(&Source::Builtin, dogu::builtin::all())
            .unwrap()
            .settings(settings)
            .state(state.clone())
            .delegate(delegate)
            .build()
            .unwrap();
        if let Some(late) = late {
            *late.lock().unwrap() = Some(Arc::clone(runtime.registry()));
        }
        let mut parts = GatewayParts::new(runtime.settings().mcp_servers.clone(), &work);
        parts.supervisor = Some(Supervisor::new(env!("CARGO_BIN_EXE_dogu"), ["__supervise"]));
        parts.pins = PinStore::open(&state, &self.folder.path().join("config"));
        parts.state = Some(state);
        parts.variables = std::env::vars_os().collect();
        parts.variables.push(("DOGU_TEST_SECRET".into(), "s3cret".into()));
        parts.elicitor = self.elicitor;
        parts.rest = Duration::from_millis(200);
        let gateway = Gateway::new(parts);
        gateway.register(runtime.registry()).unwrap();
        World { folder: self.folder, runtime, gateway, asked }
    }
}

impl World {
    /// The same folders with other servers, as another process has them.
    pub(crate) fn again(self, servers: impl FnOnce(&Path) -> McpServer) -> Build {
        self.gateway.close();
        let server = servers(&self.folder.path().join("notes"));
        let mut build = Build::new().server("small", server);
        build.folder = self.folder;
        build
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> ToolResult {
        self.call_as("c1", tool, input).await
    }

    pub(crate) async fn call_as(&self, id: &str, tool: &str, input: Value) -> ToolResult {
        let step = self.runtime.step(Arc::new(Origin::of(principal())));
        step.dispatch(ToolCall::new(id, tool, input)).await
    }

    pub(crate) async fn loaded(self) -> Self {
        let failed = self.gateway.load().await;
        assert!(failed.is_empty(), "{failed:?}");
        self
    }

    /// What happened to the server, a word for each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join("notes")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn starts(&self) -> usize {
        self.notes().iter().filter(|note| *note == "started").count()
    }

    /// The names of the servers' tools.
    pub(crate) fn names(&self) -> Vec<String> {
        let set = self.runtime.registry().snapshot();
        let all = set.all().filter(|entry| matches!(entry.source(), Source::Mcp(_)));
        all.map(|entry| entry.spec().name.to_string()).collect()
    }

    pub(crate) fn questions(&self) -> Vec<Question> {
        self.asked.lock().unwrap().clone()
    }
}

pub(crate) fn principal() -> Principal {
    Principal::process("test")
}

/// The registry, which is there after whoever looks at it.
type Late = Arc<Mutex<Option<Arc<Registry>>>>;

/// Writes questions down and gives the same answer to all.
struct Person {
    asked: Arc<Mutex<Vec<Question>>>,
    answer: Answer,
    before: Option<(Box<dyn Fn() + Send + Sync>, Late)>,
}

impl PermissionDelegate for Person {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        let is_first = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(question.clone());
            asked.len() == 1
        };
        let answer = self.answer.clone();
        Box::pin(async move {
            if let Some((act, registry)) = self.before.as_ref().filter(|_| is_first) {
                let registry = registry.lock().unwrap().clone().unwrap();
                let before = *registry.changes().borrow();
                act();
                until("the tools are others", || *registry.changes().borrow() > before + 3).await;
            }
            answer
        })
    }
}

/// Waits until something is true.
pub(crate) async fn until(what: &str, is: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is() {
        assert!(Instant::now() < end, "{what}: it did not become true");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Processes which have a mark in their command line.
pub(crate) fn marked(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| {
        let line = std::fs::read(process.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(mark).then_some(line)
    });
    lines.collect()
}

/// The most memory that this process ever had, in KB.
pub(crate) fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Whether this process runs one test only, so that no other one takes memory. Where it is not,
/// the test is run in one that does.
pub(crate) fn is_alone(test: &str) -> bool {
    const ALONE: &str = "DOGU_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut process = std::process::Command::new(std::env::current_exe().unwrap());
    let done = process.args(["--exact", test]).env(ALONE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
    false
}
