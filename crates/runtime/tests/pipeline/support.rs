//! Tools and shortcuts for the tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dogu_runtime::{Runtime, RuntimeBuilder, Source, Step};
use dogu_tool::{
    Action, Category, Group, Origin, Output, Principal, Scope, ShapedTool, Tool, ToolCall,
    ToolContext, ToolError, ToolResult, ToolSpec,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A workspace that is gone after the test.
pub struct Workspace(pub TempDir);

impl Workspace {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn builder(&self) -> RuntimeBuilder {
        Runtime::builder(Scope::new(self.0.path()))
    }
}

/// A builder over a folder that always exists, for tests without files.
pub fn builder() -> RuntimeBuilder {
    Runtime::builder(Scope::new(std::env::temp_dir()))
}

pub fn me() -> Principal {
    Principal::process("test")
}

pub fn origin() -> Arc<Origin> {
    Arc::new(Origin::of(me()))
}

pub fn step(runtime: &Runtime) -> Step {
    runtime.step(origin())
}

pub fn call(name: &str, input: Value) -> ToolCall {
    ToolCall::new("c1", name, input)
}

/// One call, start to end.
pub async fn ask(runtime: &Runtime, name: &str, input: Value) -> ToolResult {
    step(runtime).dispatch(call(name, input)).await
}

pub fn code(result: &ToolResult) -> &str {
    result.error.as_ref().map_or("ok", |error| error.code.as_str())
}

pub fn message(result: &ToolResult) -> &str {
    result.error.as_ref().map_or("", |error| &error.message)
}

/// How often a tool ran.
#[derive(Clone, Default)]
pub struct Runs(Arc<AtomicUsize>);

impl Runs {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

pub fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(name, format!("Does {name}."), json!({"type": "object"})).unwrap()
}

/// A tool without actions.
pub fn plain<F, R>(name: &str, run: F) -> Arc<dyn Tool>
where
    F: Fn(Value, Arc<dyn ToolContext>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Output, ToolError>> + Send + 'static,
{
    Arc::new(ShapedTool::new(spec(name), run))
}

/// Gives its input back.
pub fn echo(name: &str) -> Arc<dyn Tool> {
    plain(name, |input, _| async move { Ok(input.into()) })
}

/// Reads inside the workspace, counts its runs, is built in and read-only.
pub fn reader(name: &str, runs: &Runs) -> Arc<dyn Tool> {
    let runs = runs.clone();
    let spec = spec(name).in_group(Category::Filesystem, Group::Read).read_only();
    let tool = ShapedTool::new(spec, move |_, _| {
        runs.add();
        async { Ok("read".into()) }
    });
    Arc::new(tool.actions(|_, scope| vec![Action::read(scope.workdir())]))
}

/// Would write in the workspace, counts its runs.
pub fn writer(name: &str, runs: &Runs) -> Arc<dyn Tool> {
    let runs = runs.clone();
    let spec = spec(name).in_group(Category::Filesystem, Group::Edit);
    let tool = ShapedTool::new(spec, move |_, _| {
        runs.add();
        async { Ok("written".into()) }
    });
    Arc::new(tool.actions(|_, scope| vec![Action::write(scope.resolve("new.txt"))]))
}

pub fn with(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Runtime {
    builder().tools(&Source::Builtin, tools).unwrap().build().unwrap()
}

/// Waits for something that another task brings about.
pub async fn until(what: &str, mut true_now: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if true_now() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{what} did not happen within 10 seconds");
}
