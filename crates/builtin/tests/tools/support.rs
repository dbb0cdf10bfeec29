//! A folder, and calls in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

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
            let step = runtime.step(Arc::new(Origin::of(Principal::process("test"))));
            step.dispatch(ToolCall::new("c", name, input)).await
        })
    }
}

pub(crate) fn tool(name: &str) -> Arc<dyn Tool> {
    let mut tools = dogu_builtin::all().into_iter();
    tools.find(|tool| tool.spec().name.as_str() == name).unwrap()
}

fn tokio() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
