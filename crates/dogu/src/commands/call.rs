//! `dogu call`: one call through the whole pipeline.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use dogu_runtime::Runtime;
use dogu_tool::{Origin, Principal, ToolCall, ToolResult, ToolSpec};
use serde_json::{Map, Value};

use crate::args::{Call, Workspace};
use crate::attend::attend;
use crate::problem::{Problem, print_tool_error, warn};
use crate::show::{escaped, still_read};
use crate::{prompt, setup};

/// How much of stdin is read; less of it may be too much for a call.
const MAX_STDIN_BYTES: u64 = 256 * 1024 * 1024;

pub(crate) fn run(workspace: &Workspace, call: Call) -> Result<ExitCode, Problem> {
    dogu_runtime::warm_up();
    let setup = setup::build(workspace, prompt::approver(call.approve)?)?;
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    setup::warn_unusable(&tokio.block_on(setup.gateway.load_for(&call.tool)));
    let input = input(&call, &setup.runtime)?;
    let json = call.json;
    let (result, causes) = tokio.block_on(make(&setup.runtime, call.tool, input))?;
    print(&result, &causes, json)?;
    if setup.runtime.processes().is_some_and(|processes| processes.keeps_any()) {
        warn("the process ends with this command; under `dogu serve` it would run on");
    }
    // A terminal prompt may still wait for a line that nobody will write.
    tokio.shutdown_background();
    Ok(if result.is_error() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The result, and why it failed where only people may know.
pub(super) async fn make(
    runtime: &Runtime,
    tool: String,
    input: Value,
) -> std::io::Result<(ToolResult, Vec<String>)> {
    let principal = Principal::process("call");
    let listener = runtime.listen(&principal);
    let step = runtime.step(Arc::new(Origin::of(principal.clone())));
    let dispatch = step.dispatch(ToolCall::new("call", tool, input));
    attend(dispatch, listener, || {
        runtime.cancel(&principal, "call");
    })
    .await
}

fn input(call: &Call, runtime: &Runtime) -> Result<Value, Problem> {
    let Some(text) = &call.input else {
        let catalog = runtime.catalog();
        return from_pairs(&call.arguments, catalog.spec(&call.tool));
    };
    let text = if text == "-" { &read_stdin()? } else { text };
    serde_json::from_str(text).map_err(|error| not_json(&error))
}

fn not_json(error: &serde_json::Error) -> Problem {
    // The parser has no other way to tell; the pipeline has the same limit.
    let too_deep = error.to_string().starts_with("recursion limit");
    let wrong = if too_deep { "--input is nested too deeply" } else { "--input is not JSON" };
    Problem::wrong_use(wrong).because(error).hint("an example: --input '{\"path\": \"README.md\"}'")
}

fn read_stdin() -> Result<String, Problem> {
    let mut text = String::new();
    let read = std::io::stdin().take(MAX_STDIN_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| Problem::wrong_use("stdin could not be read").because(error))?;
    if text.len() as u64 > MAX_STDIN_BYTES {
        return Err(Problem::wrong_use(format!("stdin has more than {MAX_STDIN_BYTES} bytes")));
    }
    Ok(text)
}

/// Texts stay texts where the tool wants one; everything else is read as JSON if it is JSON.
fn from_pairs(pairs: &[String], spec: Option<&ToolSpec>) -> Result<Value, Problem> {
    let mut input = Map::new();
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Problem::wrong_use(format!("`{pair}` is not key=value"))
                .hint("write arguments as path=README.md, or give all of them with --input"));
        };
        let wants_text = spec.is_some_and(|spec| takes_text(spec, key));
        let parsed = if wants_text { None } else { serde_json::from_str(value).ok() };
        let value = parsed.unwrap_or_else(|| Value::String(value.to_owned()));
        if input.insert(key.to_owned(), value).is_some() {
            return Err(Problem::wrong_use(format!("`{key}` is given twice")));
        }
    }
    Ok(Value::Object(input))
}

fn takes_text(spec: &ToolSpec, key: &str) -> bool {
    let key = spec.aliases.get(key).map_or(key, String::as_str);
    let kind = &spec.input_schema["properties"][key]["type"];
    kind == "string" || kind.as_array().is_some_and(|kinds| kinds.contains(&"string".into()))
}

fn print(result: &ToolResult, causes: &[String], json: bool) -> Result<(), Problem> {
    let mut stdout = std::io::stdout().lock();
    let written = if json {
        serde_json::to_writer(&mut stdout, result)
            .map_err(std::io::Error::from)
            .and_then(|()| writeln!(stdout))
    } else {
        print_text(&mut stdout, result, causes)
    };
    still_read(written).map(|_| ())
}

fn print_text(
    out: &mut impl std::io::Write,
    result: &ToolResult,
    causes: &[String],
) -> std::io::Result<()> {
    if let Some(error) = &result.error {
        print_content(out, result)?;
        print_tool_error(error, causes);
        return Ok(());
    }
    for note in &result.notes {
        crate::problem::note(note);
    }
    print_content(out, result)
}

/// The content alone: a failure may have some, too.
fn print_content(out: &mut impl std::io::Write, result: &ToolResult) -> std::io::Result<()> {
    let text = ToolResult { notes: Vec::new(), error: None, ..result.clone() }.to_text();
    // What a file holds must not drive the terminal; into a pipe it goes as it is.
    let text = if std::io::stdout().is_terminal() { escaped(&text) } else { text.into() };
    out.write_all(text.as_bytes())?;
    if text.is_empty() || text.ends_with('\n') { Ok(()) } else { writeln!(out) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(pairs: &[&str]) -> Result<Value, String> {
        let pairs: Vec<String> = pairs.iter().map(ToString::to_string).collect();
        let tool = dogu_builtin::all().remove(0);
        from_pairs(&pairs, Some(tool.as_ref().spec())).map_err(|problem| format!("{problem:?}"))
    }

    #[test]
    fn values_are_read_by_what_the_tool_wants() {
        assert_eq!(parse(&["path=123", "limit=5"]), Ok(json!({"path": "123", "limit": 5})));
        assert_eq!(parse(&["path=a=b"]), Ok(json!({"path": "a=b"})));
        assert_eq!(parse(&["other={\"a\":[1]}"]), Ok(json!({"other": {"a": [1]}})));
        assert_eq!(parse(&["other=plain"]), Ok(json!({"other": "plain"})));
        assert_eq!(parse(&["limit="]), Ok(json!({"limit": ""})));
        assert!(parse(&["path"]).unwrap_err().contains("is not key=value"));
        assert!(parse(&["path=a", "path=b"]).unwrap_err().contains("given twice"));
    }
}
