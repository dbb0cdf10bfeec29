//! `dogu edit`: the edit engine, for one file or for many texts.

mod lines;

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use dogu_tool::ToolResult;
use serde_json::{Value, json};

use super::call::make;
use crate::args::{Approve, Edit, Workspace};
use crate::problem::{Problem, print_tool_error};
use crate::show::still_read;
use crate::{prompt, setup};

pub(crate) fn run(workspace: Workspace, edit: &Edit) -> Result<ExitCode, Problem> {
    if edit.lines {
        return lines::run();
    }
    let (Some(file), Some(old), Some(new)) = (&edit.file, &edit.old, &edit.new) else {
        return Err(Problem::wrong_use("`dogu edit` needs a file, --old and --new"));
    };
    if old == new && old == Path::new("-") {
        return Err(Problem::wrong_use("stdin can be only one of --old and --new"));
    }
    let input = json!({
        "path": file_name(file)?,
        "old_string": text(old)?,
        "new_string": text(new)?,
        "replace_all": edit.replace_all,
        "dry_run": edit.dry_run,
    });
    // The one who calls is the user, who has decided; what settings refuse stays refused.
    let approver = prompt::approver(Some(Approve::All))?;
    let workspace = Workspace { roots: vec![folder(file)], ..workspace };
    let setup = setup::build(&workspace, approver)?;
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (result, causes) = tokio.block_on(make(&setup.runtime, "edit_file".to_owned(), input))?;
    if edit.json {
        let mut stdout = std::io::stdout().lock();
        still_read(writeln!(stdout, "{}", answer(&result)))?;
    } else if let Some(error) = &result.error {
        print_tool_error(error, &causes);
    } else {
        let mut stdout = std::io::stdout().lock();
        still_read(writeln!(stdout, "{}", result.to_text().trim_end()))?;
    }
    Ok(if result.is_error() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The folder of a file, which is the workspace of its edit.
fn folder(file: &Path) -> std::path::PathBuf {
    match file.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => Path::new(".").to_path_buf(),
    }
}

fn file_name(file: &Path) -> Result<&str, Problem> {
    let name = file.file_name().and_then(|name| name.to_str());
    name.ok_or_else(|| Problem::wrong_use(format!("{} names no file", file.display())))
}

fn text(path: &Path) -> Result<String, Problem> {
    let failed = |error: std::io::Error| {
        Problem::wrong_use(format!("{} could not be read", path.display())).because(error)
    };
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(failed)?;
        return Ok(text);
    }
    std::fs::read_to_string(path).map_err(failed)
}

/// What became of an edit, in the form that programs read.
fn answer(result: &ToolResult) -> Value {
    if let Some(error) = &result.error {
        return json!({"status": "refused", "error": error});
    }
    let structured = result.structured.clone().unwrap_or_default();
    if structured["status"] == "already_applied" {
        return json!({"status": "already_applied"});
    }
    let file = &structured["files"][0];
    let edit = &file["edits"][0];
    json!({
        "status": structured["status"],
        "level": edit["level"],
        "repair": edit["repair"],
        "replacements": edit["replacements"],
        "span": edit["span"],
        "result_sha256": file["result_sha256"],
        "diff": structured["diff"],
    })
}
