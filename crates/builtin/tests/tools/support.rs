//! A folder, and calls in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use dogu_runtime::{Runtime, RuntimeContext, Source};
use dogu_tool::{Origin, Output, Principal, Scope, Tool, ToolCall, ToolError, ToolResult};
use serde_json::Value;
use tempfile::TempDir;

/// A workspace that is gone after the test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with these files; the folders on the way are made.
    pub(crate) fn with<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let folder = Self::new();
        for (name, content) in files {
            folder.write(name, content);
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Says when a file last changed, in seconds since 1970.
    pub(crate) fn age(&self, name: &str, seconds: u64) {
        let time = UNIX_EPOCH + Duration::from_secs(seconds);
        let file = std::fs::File::options().write(true).open(self.path(name)).unwrap();
        file.set_modified(time).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Every name in it, to see that nothing was left behind.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs git here, with the settings of nobody; gives what it printed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(self.root(), arguments)
    }

    /// One run with a bare context.
    pub(crate) fn run(&self, name: &str, input: Value) -> Result<Output, ToolError> {
        let tool = tool(name);
        tokio().block_on(RuntimeContext::bare(self.root(), &tool, input))
    }

    /// What the model reads after a run that went well.
    pub(crate) fn text(&self, name: &str, input: Value) -> String {
        match self.run(name, input) {
            Ok(output) => ToolResult::ok("c", name, output).to_text(),
            Err(error) => panic!("{error:?}"),
        }
    }

    /// What a run that must fail says, with its suggestion on a second line.
    pub(crate) fn error(&self, name: &str, input: Value) -> String {
        let error = self.run(name, input).expect_err("it should have failed");
        let info = error.info();
        let suggestion = info.suggestion.iter().map(|text| format!("\n{text}"));
        let text = info.message.clone() + &suggestion.collect::<String>();
        text.replace(&format!("{}/", self.root().display()), "")
    }

    /// One call through the pipeline, where nobody can be asked.
    pub(crate) fn dispatch(&self, name: &str, input: Value) -> ToolResult {
        tokio().block_on(async {
            let runtime = Runtime::builder(Scope::new(self.root()))
                .tools(&Source::Builtin, dogu_builtin::all())
                .unwrap()
                .build()
                .unwrap();
            let mut catalog = runtime.catalog();
            // As if those that must be searched for had been found.
            runtime.registry().snapshot().all().for_each(|entry| catalog.add(entry));
            let origin = Arc::new(Origin::of(Principal::process("test")));
            let step = runtime.step_with(origin, catalog);
            step.dispatch(ToolCall::new("c", name, input)).await
        })
    }
}

pub(crate) fn tool(name: &str) -> Arc<dyn Tool> {
    let mut tools = dogu_builtin::all().into_iter();
    tools.find(|tool| tool.spec().name.as_str() == name).unwrap()
}

pub(crate) fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs git in a folder, with the settings of nobody; gives what it printed.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "protocol.file.allow=always"]).args(arguments);
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Test");
        command.env(format!("GIT_{role}_EMAIL"), "test@example.com");
    }
    let done = command.output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "git {arguments:?}: {errors}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}
