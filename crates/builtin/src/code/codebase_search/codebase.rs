//! `codebase`: the shape in which Continue's models ask. A front end of `codebase_search`.

use dogu_tool::{
    Action, Category, Ctx, Exposure, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{DEFAULT_LIMIT, Indexes, Wanted, partial};

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the code does, in words or with names of it.
    query: String,
}

/// The tool.
#[derive(Clone, Debug)]
pub struct Codebase {
    indexes: Indexes,
}

impl Codebase {
    /// The tool, with the indexes that it shares with `codebase_search`.
    pub fn new(indexes: Indexes) -> Self {
        Self { indexes }
    }
}

impl TypedTool for Codebase {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Input>(
            "codebase",
            "Finds code of the working folder by what it does. Shows the pieces that fit best.",
        )
        .title("Code base")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("query");
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, _: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve("."))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let wanted = Wanted { query: &input.query, path: ".", limit: DEFAULT_LIMIT };
        self.indexes.search(&wanted, ctx)
    }
}
