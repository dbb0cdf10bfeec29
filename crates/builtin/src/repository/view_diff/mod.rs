//! `view_diff`: what changed in a repository, as a unified diff.

mod header;
mod input;
mod left_out;
mod nothing;
mod page;
mod report;
mod sides;

use dogu_tool::{
    Action, Category, Change, Comparison, Ctx, Group, Output, Scope, ToolError, ToolSpec, TypedTool,
};
use serde_json::Value;

use input::Input;
use left_out::left_out;
use nothing::nothing;
use report::Report;

/// The tool.
#[derive(Clone, Copy, Debug)]
pub struct ViewDiff;

impl TypedTool for ViewDiff {
    type Input = Input;

    fn spec(&self) -> ToolSpec {
        ToolSpec::of::<Input>(
            "view_diff",
            "Shows what changed in the git repository. A unified diff: unstaged (default, with untracked files), staged, or all changes since the last commit or since another one (base). Runs no program: filters such as git-lfs are not applied.",
        )
        .title("View diff")
        .in_group(Category::Filesystem, Group::Read)
        .read_only()
        .primary("path")
    }

    fn actions(&self, input: &Input, scope: &Scope) -> Vec<Action> {
        vec![Action::read_tree(scope.resolve(&input.path))]
    }

    fn partial(&self, partial_input: &Value) -> Option<String> {
        let path = partial_input.get("path").and_then(Value::as_str).unwrap_or("...");
        Some(format!("Viewing changes: {path}"))
    }

    async fn run(&self, input: Input, ctx: &Ctx) -> Result<Output, ToolError> {
        let path = ctx.scope().resolve(&input.path);
        let comparison = ctx.repository().compare(&path, &input.compare(), ctx.cancel())?;
        if comparison.changes().is_empty() {
            let mut text = nothing(&input, ctx)?;
            text.push_str(&left_out(comparison.left_out()));
            return Ok(text.into());
        }
        let mut report = Report::new(&input);
        for (number, change) in comparison.changes().iter().enumerate() {
            ctx.cancel().check()?;
            if report.page.full {
                report.unseen = comparison.changes()[number..].iter().collect();
                break;
            }
            report.file(change, comparison.as_ref(), &path_of(change, comparison.as_ref(), ctx));
        }
        Ok(report.end(comparison.as_ref(), &path).into())
    }
}

/// The path that a call names the file by.
fn path_of(change: &Change, comparison: &dyn Comparison, ctx: &Ctx) -> String {
    let below = String::from_utf8_lossy(&change.path).into_owned();
    ctx.scope().display(&comparison.top().join(below))
}
