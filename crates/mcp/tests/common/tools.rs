//! A few small tools, for tests and for the example server.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use dogu_runtime::{RegisterError, Runtime, RuntimeBuilder, Source};
use dogu_tool::{
    Action, Category, Ctx, Exposure, FileKind, Group, Output, Scope, Tool, ToolError, ToolSpec,
    TypedTool, WriteOptions, typed,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A runtime over a folder, with all tools of this file.
pub(crate) fn runtime(folder: &Path) -> Result<RuntimeBuilder, RegisterError> {
    Runtime::builder(Scope::new(folder)).tools(&Source::Builtin, all())
}

fn all() -> Vec<Arc<dyn Tool>> {
    vec![
        typed(Echo),
        typed(Count),
        typed(Wait),
        typed(ReadFile),
        typed(WriteFile),
        typed(ListFiles),
        typed(Secret),
        typed(Later),
    ]
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Text {
    /// What to say.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Echoed {
    /// What was said.
    said: String,
}

/// Changes nothing and says what it was told.
struct Echo;

impl TypedTool for Echo {
    type Input = Text;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Text>("echo", "Says what it is told.")
            .title("Echo")
            .output::<Echoed>()
            .read_only();
        spec.non_blocking = true;
        spec
    }

    fn actions(&self, _: &Text, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    async fn run(&self, input: Text, _: &Ctx) -> Result<Output, ToolError> {
        Ok(Output::with_structured(input.text.clone(), Echoed { said: input.text }))
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct To {
    /// The last number.
    to: u32,
}

/// Tells how far it is.
struct Count;

impl TypedTool for Count {
    type Input = To;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<To>("count", "Counts.").read_only()
    }

    fn actions(&self, _: &To, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    async fn run(&self, input: To, ctx: &Ctx) -> Result<Output, ToolError> {
        for number in 1..=input.to {
            let fraction = f64::from(number) / f64::from(input.to);
            #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
            ctx.progress(&format!("at {number}"), Some(fraction as f32));
            sleep(Duration::from_millis(5));
        }
        Ok(serde_json::json!(input.to).into())
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Milliseconds {
    /// How long.
    milliseconds: u64,
}

/// Takes its time, and stops when it is told to.
struct Wait;

impl TypedTool for Wait {
    type Input = Milliseconds;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Milliseconds>("wait", "Waits.").read_only()
    }

    fn actions(&self, _: &Milliseconds, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    async fn run(&self, input: Milliseconds, ctx: &Ctx) -> Result<Output, ToolError> {
        for _ in 0..input.milliseconds.div_ceil(5) {
            ctx.cancel().check()?;
            sleep(Duration::from_millis(5));
        }
        Ok("waited".into())
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct PathInput {
    /// The file.
    path: String,
}

struct ReadFile;

impl TypedTool for ReadFile {
    type Input = PathInput;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<PathInput>("read_file", "Reads a text file.")
            .in_group(Category::Filesystem, Group::Read)
            .read_only()
            .primary("path")
    }

    fn actions(&self, input: &PathInput, scope: &Scope) -> Vec<Action> {
        vec![Action::read(scope.resolve(&input.path))]
    }

    async fn run(&self, input: PathInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = ctx.scope().resolve(&input.path);
        let mut text = String::new();
        ctx.files()
            .open(&path)?
            .read_to_string(&mut text)
            .map_err(|error| ToolError::io("read", &path, error))?;
        Ok(text.into())
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WriteInput {
    /// The file.
    path: String,
    /// What it will hold.
    content: String,
}

/// Needs a person's approval.
struct WriteFile;

impl TypedTool for WriteFile {
    type Input = WriteInput;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<WriteInput>("write_file", "Writes a text file.")
            .in_group(Category::Filesystem, Group::Edit)
            .primary("path")
    }

    fn actions(&self, input: &WriteInput, scope: &Scope) -> Vec<Action> {
        vec![Action::write(scope.resolve(&input.path))]
    }

    async fn run(&self, input: WriteInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = ctx.scope().resolve(&input.path);
        ctx.files().write(&path, input.content.as_bytes(), WriteOptions::default())?;
        Ok("written".into())
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ListInput {
    /// The folder.
    path: String,
    /// Everything below it too.
    #[serde(default)]
    recursive: bool,
}

struct ListFiles;

impl TypedTool for ListFiles {
    type Input = ListInput;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<ListInput>("list_files", "Lists a folder.")
            .in_group(Category::Filesystem, Group::Read)
            .read_only()
            .primary("path")
    }

    fn actions(&self, input: &ListInput, scope: &Scope) -> Vec<Action> {
        let path = scope.resolve(&input.path);
        vec![if input.recursive { Action::read_tree(path) } else { Action::read(path) }]
    }

    async fn run(&self, input: ListInput, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut text = String::new();
        for entry in ctx.files().list(&ctx.scope().resolve(&input.path))? {
            let slash = if entry.kind == FileKind::Folder { "/" } else { "" };
            let _ = writeln!(text, "{}{slash}", entry.name);
        }
        Ok(text.into())
    }
}

/// Never listed.
struct Secret;

impl TypedTool for Secret {
    type Input = Text;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Text>("hidden_tool", "Is not shown.").read_only();
        spec.exposure = Exposure::Hidden;
        spec
    }

    fn actions(&self, _: &Text, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    async fn run(&self, _: Text, _: &Ctx) -> Result<Output, ToolError> {
        Ok("seen".into())
    }
}

/// Not listed, but known to some models by name.
struct Later;

impl TypedTool for Later {
    type Input = Text;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Text>("later_tool", "Is not listed.").read_only();
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, _: &Text, _: &Scope) -> Vec<Action> {
        Vec::new()
    }

    async fn run(&self, input: Text, _: &Ctx) -> Result<Output, ToolError> {
        Ok(format!("later: {}", input.text).into())
    }
}
