//! The suite's tools that take long, and become tasks for clients that know them.

use std::time::Duration;

use dogu_tool::{Output, ToolError};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::tools::{Job, Row, elicitation, name_form, needs, nothing, ready};

/// Longer than a call may take before it becomes a task.
const LONG: Duration = Duration::from_secs(1);

pub(super) fn table() -> Vec<Row> {
    let seconds = json!({
        "type": "object",
        "properties": { "seconds": { "type": "number" }, "label": { "type": "string" } },
    });
    vec![
        ("greet", needs("name"), |job| ready(greets(&job))),
        ("slow_compute", seconds, |job| Box::pin(computes(job))),
        ("failing_job", nothing(), |job| Box::pin(fails(job))),
        ("protocol_error_job", nothing(), |job| Box::pin(needs_what_nobody_has(job))),
        ("confirm_delete", needs("filename"), |job| Box::pin(confirms(job))),
        ("multi_input", nothing(), |job| Box::pin(asks_two(job))),
        ("test_tool_with_task", nothing(), |job| Box::pin(asks_first(job))),
    ]
}

fn greets(job: &Job) -> Output {
    format!("Hello, {}!", job.input["name"].as_str().unwrap_or_default()).into()
}

async fn computes(job: Job) -> Result<Output, ToolError> {
    let seconds = job.input["seconds"].as_f64().unwrap_or_default().clamp(0.0, 60.0);
    tokio::select! {
        () = sleep(Duration::from_secs_f64(seconds)) => Ok("Computed.".into()),
        () = job.ctx.cancel().canceled() => Err(ToolError::canceled()),
    }
}

/// A tool that cannot do without a task, and fails as tools fail.
async fn fails(job: Job) -> Result<Output, ToolError> {
    job.client()?.require_tasks()?;
    sleep(LONG).await;
    Err(ToolError::failed("This job always fails."))
}

/// What a tool needs of its client and the client cannot do is an error of the protocol.
async fn needs_what_nobody_has(job: Job) -> Result<Output, ToolError> {
    sleep(LONG).await;
    job.ask(json!({ "roots": { "method": "roots/list" } })).await?;
    Ok("There are roots.".into())
}

fn confirmation(about: &str) -> Value {
    let field = json!({ "confirm": { "type": "boolean" } });
    elicitation(&format!("Really delete {about}?"), &field, &["confirm"])
}

async fn confirms(job: Job) -> Result<Output, ToolError> {
    sleep(LONG).await;
    let file = job.input["filename"].as_str().unwrap_or_default();
    let given = job.ask(json!({ "confirm": confirmation(file) })).await?;
    Ok(format!("The client said: {}", given["confirm"]).into())
}

async fn asks_two(job: Job) -> Result<Output, ToolError> {
    sleep(LONG).await;
    let both = json!({ "first": confirmation("this"), "second": confirmation("that") });
    let given = job.ask(both).await?;
    Ok(format!("The client said: {} and {}", given["first"], given["second"]).into())
}

/// Asks before it takes long.
async fn asks_first(job: Job) -> Result<Output, ToolError> {
    job.client()?.require_tasks()?;
    let given = job.ask(name_form("user_name", "What is your name?")).await?;
    sleep(LONG).await;
    let name = given["user_name"]["content"]["name"].as_str().unwrap_or_default();
    Ok(format!("Hello, {name}!").into())
}
