//! The suite's tools.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use dogu_mcp::model::{InputRequests, InputResponses};
use dogu_mcp::{Client, Clients};
use dogu_runtime::{Registry, Source};
use dogu_tool::{
    Action, BoxFuture, Content, LogLevel, Output, Plan, Scope, Tool, ToolContext, ToolError,
    ToolName, ToolSpec,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::library::PICTURE;

/// A moment in the middle of the work.
const MOMENT: Duration = Duration::from_millis(50);
/// A sound of no length.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
/// The tool that comes and goes.
const CHANGING: &str = "test_changing_tool";

pub(super) type Done = BoxFuture<'static, Result<Output, ToolError>>;
/// A name, the schema of the input, and the work.
pub(super) type Row = (&'static str, Value, fn(Job) -> Done);

/// What a fixture works with.
pub(super) struct Job {
    pub(super) input: Value,
    pub(super) ctx: Arc<dyn ToolContext>,
    clients: Clients,
    registry: Arc<OnceLock<Arc<Registry>>>,
}

impl Job {
    pub(super) fn client(&self) -> Result<Client, ToolError> {
        let client = self.clients.of(self.ctx.call_id());
        client.ok_or_else(|| ToolError::failed("There is no client."))
    }

    pub(super) async fn ask(&self, requests: Value) -> Result<InputResponses, ToolError> {
        self.client()?.ask(parsed(requests)?).await
    }
}

fn parsed(requests: Value) -> Result<InputRequests, ToolError> {
    serde_json::from_value(requests)
        .map_err(|error| ToolError::failed(format!("not what a client can be asked: {error}")))
}

/// A form with one field.
pub(super) fn form(
    key: &str,
    message: &str,
    field: &str,
    kind: &str,
) -> Result<InputRequests, ToolError> {
    parsed(json!({ key: elicitation(message, &json!({ field: { "type": kind } }), &[field]) }))
}

pub(super) fn elicitation(message: &str, properties: &Value, required: &[&str]) -> Value {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

fn sampling(text: &str, tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    let params = json!({ "messages": [message], "maxTokens": tokens });
    json!({ "method": "sampling/createMessage", "params": params })
}

pub(super) fn name_form(key: &str, message: &str) -> Value {
    let name = json!({ "name": { "type": "string" } });
    json!({ key: elicitation(message, &name, &["name"]) })
}

/// One tool of the suite.
struct Fixture {
    spec: ToolSpec,
    work: fn(Job) -> Done,
    clients: Clients,
    registry: Arc<OnceLock<Arc<Registry>>>,
}

impl Tool for Fixture {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, input: Value, _: &Scope) -> Result<Box<dyn Plan>, ToolError> {
        let (clients, registry) = (self.clients.clone(), Arc::clone(&self.registry));
        Ok(Box::new(Planned { input, work: self.work, clients, registry }))
    }
}

struct Planned {
    input: Value,
    work: fn(Job) -> Done,
    clients: Clients,
    registry: Arc<OnceLock<Arc<Registry>>>,
}

impl Plan for Planned {
    fn actions(&self) -> &[Action] {
        &[]
    }

    fn run(self: Box<Self>, ctx: Arc<dyn ToolContext>) -> Done {
        let Self { input, work, clients, registry } = *self;
        work(Job { input, ctx, clients, registry })
    }
}

/// All of them.
pub(super) fn all(
    clients: &Clients,
    registry: &Arc<OnceLock<Arc<Registry>>>,
) -> Vec<Arc<dyn Tool>> {
    let tool = |(name, schema, work): Row| {
        let mut spec = ToolSpec::new(name, "A fixture of the conformance suite.", schema).ok()?;
        spec.non_blocking = true;
        spec.polling = true;
        let (clients, registry) = (clients.clone(), Arc::clone(registry));
        Some(Arc::new(Fixture { spec, work, clients, registry }) as Arc<dyn Tool>)
    };
    table().into_iter().chain(super::jobs::table()).filter_map(tool).collect()
}

pub(super) fn nothing() -> Value {
    json!({ "type": "object", "additionalProperties": false })
}

pub(super) fn needs(field: &str) -> Value {
    json!({ "type": "object", "properties": { field: { "type": "string" } }, "required": [field] })
}

fn table() -> Vec<Row> {
    vec![
        ("test_simple_text", nothing(), |_| ready("A simple text.".into())),
        ("test_image_content", nothing(), |_| ready(image().into())),
        ("test_audio_content", nothing(), |_| ready(sound().into())),
        ("test_embedded_resource", nothing(), |_| ready(embedded().into())),
        ("test_multiple_content_types", nothing(), |_| {
            let content = vec![Content::text("Several kinds:"), image(), embedded()];
            ready(Output::of(content))
        }),
        ("test_tool_with_logging", nothing(), |job| Box::pin(logs(job))),
        ("test_logging_tool", nothing(), |job| Box::pin(logs(job))),
        ("test_error_handling", nothing(), |_| {
            Box::pin(async { Err(ToolError::failed("This tool always fails.")) })
        }),
        ("test_tool_with_progress", nothing(), |job| Box::pin(progresses(job))),
        ("test_reconnection", nothing(), |_| {
            Box::pin(async {
                sleep(MOMENT).await;
                Ok("Done.".into())
            })
        }),
        ("test_sampling", needs("prompt"), |job| Box::pin(samples(job))),
        ("test_elicitation", needs("message"), |job| Box::pin(elicits(job))),
        ("test_elicitation_sep1034_defaults", nothing(), |job| Box::pin(defaults(job))),
        ("test_elicitation_sep1330_enums", nothing(), |job| Box::pin(choices(job))),
        ("test_missing_capability", nothing(), |job| Box::pin(samples(job))),
        ("test_streaming_elicitation", nothing(), |job| {
            job.ctx.progress("asking", Some(0.5));
            Box::pin(greets(job))
        }),
        ("test_trigger_tool_change", nothing(), |job| Box::pin(std::future::ready(changes(&job)))),
        ("test_input_required_result_elicitation", nothing(), |job| Box::pin(greets(job))),
        ("test_input_required_result_sampling", nothing(), |job| {
            Box::pin(asks(
                job,
                json!({ "capital_question": sampling("What is the capital of France?", 100) }),
            ))
        }),
        ("test_input_required_result_list_roots", nothing(), |job| {
            Box::pin(asks(job, json!({ "client_roots": { "method": "roots/list" } })))
        }),
        ("test_input_required_result_request_state", nothing(), |job| Box::pin(confirms(job))),
        ("test_input_required_result_tampered_state", nothing(), |job| Box::pin(confirms(job))),
        ("test_input_required_result_multiple_inputs", nothing(), |job| Box::pin(asks_much(job))),
        ("test_input_required_result_multi_round", nothing(), |job| Box::pin(asks_twice(job))),
        ("test_input_required_result_capabilities", nothing(), |job| {
            Box::pin(asks_what_it_can(job))
        }),
        ("json_schema_2020_12_tool", rich_schema(), |_| ready("Fine.".into())),
        ("test_header_tool", header_schema(), |_| ready("Fine.".into())),
    ]
}

pub(super) fn ready(output: Output) -> Done {
    Box::pin(std::future::ready(Ok(output)))
}

fn image() -> Content {
    Content::Image { data: PICTURE.to_owned(), mime_type: "image/png".to_owned() }
}

fn sound() -> Content {
    Content::Audio { data: SOUND.to_owned(), mime_type: "audio/wav".to_owned() }
}

fn embedded() -> Content {
    Content::Resource {
        uri: "test://embedded-resource".to_owned(),
        mime_type: Some("text/plain".to_owned()),
        text: Some("The text of an embedded resource.".to_owned()),
    }
}

async fn logs(job: Job) -> Result<Output, ToolError> {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        job.ctx.log(LogLevel::Info, line);
        sleep(MOMENT).await;
    }
    Ok("Logged.".into())
}

async fn progresses(job: Job) -> Result<Output, ToolError> {
    for fraction in [0.0, 0.5, 1.0] {
        job.ctx.progress("working", Some(fraction));
        sleep(MOMENT).await;
    }
    Ok("Done.".into())
}

async fn samples(job: Job) -> Result<Output, ToolError> {
    let prompt = job.input["prompt"].as_str().unwrap_or("Anything").to_owned();
    let given = job.ask(json!({ "sample": sampling(&prompt, 100) })).await?;
    let said = given["sample"]["content"]["text"].as_str().unwrap_or_default();
    Ok(format!("LLM response: {said}").into())
}

async fn elicits(job: Job) -> Result<Output, ToolError> {
    let message = job.input["message"].as_str().unwrap_or_default();
    let fields = json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    });
    let form = elicitation(message, &fields, &["username", "email"]);
    Ok(completed(&job.ask(json!({ "form": form })).await?))
}

fn completed(given: &InputResponses) -> Output {
    let form = &given["form"];
    let (action, content) = (&form["action"], &form["content"]);
    format!("Elicitation completed: action={action}, content={content}").into()
}

async fn defaults(job: Job) -> Result<Output, ToolError> {
    let fields = json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    });
    Ok(completed(&job.ask(json!({ "form": elicitation("Your data", &fields, &[]) })).await?))
}

async fn choices(job: Job) -> Result<Output, ToolError> {
    let titled = |word: &str| {
        let names = ["First", "Second", "Third"].into_iter().enumerate();
        names
            .map(|(at, name)| json!({ "const": format!("value{}", at + 1), "title": format!("{name} {word}") }))
            .collect::<Vec<_>>()
    };
    let plain = ["option1", "option2", "option3"];
    let fields = json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    });
    Ok(completed(&job.ask(json!({ "form": elicitation("Choose", &fields, &[]) })).await?))
}

async fn greets(job: Job) -> Result<Output, ToolError> {
    let given = job.ask(name_form("user_name", "What is your name?")).await?;
    let name = given["user_name"]["content"]["name"].as_str().unwrap_or("nobody");
    Ok(format!("Hello, {name}!").into())
}

async fn asks(job: Job, requests: Value) -> Result<Output, ToolError> {
    let given = job.ask(requests).await?;
    let answers: Vec<String> = given.values().map(Value::to_string).collect();
    Ok(format!("The client said: {}", answers.join(", ")).into())
}

async fn confirms(job: Job) -> Result<Output, ToolError> {
    let field = json!({ "ok": { "type": "boolean" } });
    job.ask(json!({ "confirm": elicitation("Please confirm", &field, &["ok"]) })).await?;
    Ok("state-ok".into())
}

async fn asks_much(job: Job) -> Result<Output, ToolError> {
    let mut requests = name_form("user_name", "What is your name?");
    requests["greeting"] = sampling("Generate a greeting", 50);
    requests["client_roots"] = json!({ "method": "roots/list" });
    asks(job, requests).await
}

async fn asks_twice(job: Job) -> Result<Output, ToolError> {
    let first = job.ask(name_form("step1", "Step 1: What is your name?")).await?;
    let color = json!({ "color": { "type": "string" } });
    let form = elicitation("Step 2: What is your favorite color?", &color, &["color"]);
    let second = job.ask(json!({ "step2": form })).await?;
    let (name, color) = (&first["step1"]["content"]["name"], &second["step2"]["content"]["color"]);
    Ok(format!("{name} likes {color}").into())
}

async fn asks_what_it_can(job: Job) -> Result<Output, ToolError> {
    let client = job.client()?;
    let can = serde_json::to_value(client.capabilities()).unwrap_or_default();
    let mut requests = json!({});
    if can["elicitation"].is_object() {
        requests = name_form("user_name", "What is your name?");
    }
    if can["sampling"].is_object() {
        requests["greeting"] = sampling("Generate a greeting", 50);
    }
    asks(job, requests).await
}

/// Brings a tool, or takes it away again.
fn changes(job: &Job) -> Result<Output, ToolError> {
    let failed = |_| ToolError::failed("The tools cannot be changed.");
    let registry = job.registry.get().ok_or_else(|| ToolError::failed("There is no registry."))?;
    let name = ToolName::new(CHANGING).map_err(|_| ToolError::failed("A bad name."))?;
    if registry.snapshot().contains(CHANGING) {
        registry.remove(&Source::Builtin, &name).map_err(failed)?;
        return Ok("Gone.".into());
    }
    let spec = ToolSpec::new(CHANGING, "Comes and goes.", nothing())
        .map_err(|_| ToolError::failed("A bad spec."))?;
    let (clients, shared) = (job.clients.clone(), Arc::clone(&job.registry));
    let tool = Fixture { spec, work: |_| ready("Here.".into()), clients, registry: shared };
    registry.register(Source::Builtin, Arc::new(tool)).map_err(failed)?;
    Ok("Here.".into())
}

fn rich_schema() -> Value {
    let text = || json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": text(), "city": text() },
        } },
        "properties": {
            "name": text(),
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": text(),
            "email": text(),
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// A parameter that the client repeats in a header.
fn header_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    })
}
