use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dogu_runtime::process::Supervisor;
use dogu_runtime::{Answer, PermissionDelegate, Question, Runtime, Settings, Source, StateDir};
use dogu_tool::{BoxFuture, Origin, Principal, ResultStatus, Scope, ToolCall, ToolResult};
use serde_json::{Value, json};

/// A workspace with a home folder beside it, a runtime, and somebody who answers.
pub(crate) struct World {
    runtime: Option<Runtime>,
    pub(crate) asked: Arc<Asked>,
    origin: Arc<Origin>,
    folder: Option<tempfile::TempDir>,
}

/// After every test: nothing that it started is left.
impl Drop for World {
    fn drop(&mut self) {
        drop(self.runtime.take());
        let Some(folder) = self.folder.take() else { return };
        let until = Instant::now() + Duration::from_secs(10);
        while !processes_in(folder.path()).is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        let left = processes_in(folder.path());
        if !std::thread::panicking() {
            assert!(left.is_empty(), "still there: {left:?}");
        }
    }
}

/// Processes whose working folder is in this one.
fn processes_in(folder: &Path) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let inside = |process: &PathBuf| {
        fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    };
    processes.filter(inside).collect()
}

/// Says yes or no to everything, and remembers the questions.
#[derive(Default)]
pub(crate) struct Asked {
    no: bool,
    questions: std::sync::Mutex<Vec<Question>>,
}

impl PermissionDelegate for Asked {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.questions.lock().unwrap().push(question.clone());
        Box::pin(async move { if self.no { Answer::no() } else { Answer::yes() } })
    }
}

impl Asked {
    /// The actions of all questions so far.
    pub(crate) fn actions(&self) -> Vec<String> {
        let questions = self.questions.lock().unwrap();
        questions.iter().flat_map(|question| question.actions.clone()).collect()
    }

    /// The reasons of all questions so far.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let questions = self.questions.lock().unwrap();
        questions.iter().flat_map(|question| question.reasons.clone()).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.questions.lock().unwrap().len()
    }

    /// Whether a standing answer was offered to the last question.
    pub(crate) fn last_was_offered(&self) -> bool {
        let questions = self.questions.lock().unwrap();
        questions.last().is_some_and(|question| !question.asked.offers.is_empty())
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with("", true)
    }

    pub(crate) fn saying_no() -> Self {
        Self::with("", false)
    }

    pub(crate) fn with_settings(settings: &str) -> Self {
        Self::with(settings, true)
    }

    fn with(settings: &str, yes: bool) -> Self {
        // Not below /tmp: what lies there is private to each command.
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = tempfile::Builder::new().prefix("shell-").tempdir_in(base).unwrap();
        for name in ["work", "home/.ssh", "state", "outside"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        // As the binary finds it: a folder `dogu` in the folder of states.
        fs::create_dir(folder.path().join("link-to-state")).unwrap();
        std::os::unix::fs::symlink("../state", folder.path().join("link-to-state/dogu")).unwrap();
        fs::write(folder.path().join("home/.ssh/id_ed25519"), "the private key").unwrap();
        Self::over(folder, settings, yes)
    }

    /// The same place with a new runtime.
    pub(crate) fn again(mut self) -> Self {
        drop(self.runtime.take());
        Self::over(self.folder.take().unwrap(), "", true)
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().unwrap()
    }

    fn folder(&self) -> &Path {
        self.folder.as_ref().unwrap().path()
    }

    fn over(folder: tempfile::TempDir, settings: &str, yes: bool) -> Self {
        let asked = Arc::new(Asked { no: !yes, ..Asked::default() });
        let work = folder.path().join("work");
        let scope = Scope::new(&work).with_home(folder.path().join("home"));
        let settings = Settings::parse(settings, Path::new("config.yaml")).unwrap();
        let runtime = Runtime::builder(scope)
            .tools(&Source::Builtin, dogu_builtin::all())
            .unwrap()
            .settings(settings)
            .state(StateDir::open(folder.path().join("state")).unwrap())
            .delegate(Arc::clone(&asked) as Arc<dyn PermissionDelegate>)
            .supervisor(Supervisor::new(env!("CARGO_BIN_EXE_dogu"), ["__supervise"]))
            .build()
            .unwrap();
        let origin = Arc::new(Origin::of(Principal::process("tests")));
        Self { runtime: Some(runtime), asked, origin, folder: Some(folder) }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(crate) fn work(&self, name: &str) -> PathBuf {
        self.folder().join("work").join(name)
    }

    pub(crate) async fn call(&self, tool: &str, input: Value) -> ToolResult {
        self.call_as(&self.origin, tool, input).await
    }

    pub(crate) async fn call_as(&self, who: &Arc<Origin>, tool: &str, input: Value) -> ToolResult {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let id = format!("c{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.runtime().step(Arc::clone(who)).dispatch(ToolCall::new(id, tool, input)).await
    }

    /// A command that must have run.
    pub(crate) async fn run(&self, command: &str) -> Value {
        let result = self.call("execute_command", json!({ "command": command })).await;
        assert_eq!(result.status, ResultStatus::Ok, "{command}: {}", result.to_text());
        let mut structured = result.structured.clone().unwrap_or_default();
        structured["text"] = json!(result.to_text());
        structured
    }

    /// A git repository with a commit in the workspace.
    pub(crate) fn repository(&self) {
        let git = |arguments: &[&str]| {
            let done = std::process::Command::new("git")
                .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
                .args(arguments)
                .current_dir(self.work(""))
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
        };
        git(&["init", "-q", "-b", "main"]);
        git(&["config", "user.name", "a"]);
        git(&["config", "user.email", "a@example.com"]);
        fs::write(self.work("a.txt"), "one\n").unwrap();
        git(&["add", "-A"]);
        git(&["commit", "-qm", "first"]);
    }
}

/// Processes which have the mark in their command line; but for the tests themselves.
pub(crate) fn marked(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| {
        let name = process.file_name().into_string().ok()?;
        let pid: u32 = name.parse().ok()?;
        let line = fs::read(process.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        (pid != std::process::id() && line.contains(mark)).then(|| format!("{pid}: {line}"))
    });
    lines.collect()
}

/// Waits until no process has the mark; what is left where there still is one.
pub(crate) async fn gone(mark: &str) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let left = marked(mark);
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until something is true.
pub(crate) async fn until(what: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !what() {
        assert!(Instant::now() < end, "it did not become true");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
