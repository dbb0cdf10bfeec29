//! `glob_search`: the shape in which Continue's models find files. A front end of `glob`.

use dogu_tool::{
    Action, Category, Ctx, Exposure, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::glob::{self, Query};

/// How many files one call shows.
const MAX_RESULTS: usize = 100;

/// Which files to find, and where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A pattern of paths, such as `*.ts` or `src/**/*.{js,jsx}`.
    pattern: String,
    /// The folder to look in, relative to the working folder or absolute; the working folder where it is not said.
    #[serde(default)]
    path: Option<String>,
}

impl Input {
    fn path(&self) -> &str {
        self.path.as_deref().filter(|path| !path.is_empty()).unwrap_or(".")
    }
}

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct GlobSearch;

impl TypedTool for GlobSearch {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::of::<Input>(
            "glob_search",
            "Finds files by a pattern of their path. Shows the 100 newest.",
        )
        .title("Glob search")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path");
        spec.exposure = Exposure::Deferred;
        spec
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(input.path()))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        Some(glob::partial(partial_input))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = input.path().to_owned();
        let query = Query {
            pattern: input.pattern,
            path,
            limit: MAX_RESULTS,
            offset: 0,
            pages: false,
            ignore_case: false,
            hidden: true,
            include_ignored: false,
        };
        glob::find(&query, ctx)
    }
}
