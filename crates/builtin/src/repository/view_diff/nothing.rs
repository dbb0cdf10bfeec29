//! What is said where nothing changed.

use dogu_tool::{Ctx, ToolError};

use super::input::{DiffScope, Input};

/// Says that nothing changed, and where there is something after all.
pub(super) fn nothing(input: &Input, ctx: &Ctx) -> Result<String, ToolError> {
    let place = if input.path == "." { String::new() } else { format!(" in {}", input.path) };
    let base = input.base.as_deref().map(|base| format!(" against {base}")).unwrap_or_default();
    let (what, other) = match input.scope() {
        DiffScope::Unstaged => ("unstaged changes", DiffScope::Staged),
        DiffScope::Staged => ("staged changes", DiffScope::Unstaged),
        DiffScope::All => return Ok(format!("No changes{base}{place}.\n")),
    };
    let asked = Input {
        scope: Some(other),
        base: None,
        path: input.path.clone(),
        context: None,
        max_lines_per_file: None,
        offset: None,
    };
    let path = ctx.scope().resolve(&input.path);
    let there = ctx.repository().compare(&path, &asked.compare(), ctx.cancel())?;
    Ok(match there.changes().len() {
        0 => format!("No {what}{base}{place}.\n"),
        count => {
            let name = if other == DiffScope::Staged { "staged" } else { "changed but not staged" };
            let files =
                if count == 1 { "1 file is".to_owned() } else { format!("{count} files are") };
            format!("No {what}{base}{place}; {files} {name}: call with {}.\n", asked.with(&[]))
        }
    })
}
