//! One call of a server's tool: what it is judged by, and what it does.

use std::sync::Arc;

use dogu_runtime::pins::Pin;
use dogu_tool::{
    Action, BoxFuture, ErrorCode, Output, Plan, Preview, ReadCaps, ToolContext, ToolError, Verdict,
};
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};

use crate::clean::line;
use crate::definition::Definition;
use crate::mentions::Mentions;
use crate::server::Server;
use crate::session::{CallError, ConnectError, Patience, Session};

/// How many characters of a name or message are told.
const MAX_TOLD: usize = 500;
/// How many tools are named to whoever asked for one that is not there.
const MAX_NAMED: usize = 20;

/// A call of a tool.
pub(crate) struct CallPlan {
    server: Arc<Server>,
    mentions: Arc<Mentions>,
    /// Which of the server's tools it is.
    key: String,
    arguments: Map<String, Value>,
    /// What was changed in them.
    notes: Vec<String>,
    actions: [Action; 1],
    /// The tool as it is known now; none where the server was never asked.
    definition: Option<Arc<Definition>>,
    /// What it looked like when it was last let run.
    pinned: Option<Pin>,
    /// Nobody knows what it looked like: the store was spoiled.
    spoiled: Option<String>,
}

impl CallPlan {
    pub(crate) fn new(
        server: &Arc<Server>,
        mentions: &Arc<Mentions>,
        key: &str,
        arguments: Value,
    ) -> Result<Self, ToolError> {
        let Value::Object(arguments) = arguments else {
            return Err(ToolError::invalid("the arguments are not an object"));
        };
        let definition = server.tools().get(key).cloned();
        let tool = definition.as_ref().map_or(key, |tool| &tool.name).to_owned();
        if server.is_off(&tool) {
            return Err(ToolError::denied(format!(
                "The tool {} of the server {} is switched off in the settings.",
                line(&tool, MAX_TOLD),
                server.name
            )));
        }
        let pins = &server.shared.pins;
        Ok(Self {
            actions: [Action::Mcp { server: server.name.to_string(), tool }],
            pinned: pins.get(&server.name, key),
            spoiled: pins.problem().map(|problem| problem.to_string()),
            server: Arc::clone(server),
            mentions: Arc::clone(mentions),
            key: key.to_owned(),
            arguments,
            notes: Vec::new(),
            definition,
        })
    }

    /// The same with what was changed in its arguments.
    pub(crate) fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }

    /// The parts that are not what they were when the tool was last let run.
    fn changed(&self) -> Vec<&str> {
        match (&self.pinned, &self.definition) {
            (Some(before), Some(now)) => before.differing(&now.looks),
            _ => Vec::new(),
        }
    }

    fn name(&self) -> String {
        line(&self.key, MAX_TOLD)
    }

    /// The arguments, a line each: no text in them can look like a line of its own.
    fn with_what(&self) -> Option<String> {
        let each = self
            .arguments
            .iter()
            .map(|(name, value)| format!("with {}: {value}", line(name, MAX_TOLD)));
        let text = each.collect::<Vec<_>>().join("\n");
        (!text.is_empty()).then_some(text)
    }

    /// What was and what is, for each part that changed.
    fn what_changed(&self) -> Option<String> {
        let (before, now) = (self.pinned.as_ref()?, &self.definition.as_ref()?.looks);
        let parts = before.differing(now);
        let shown = |pin: &Pin, name: &str| {
            pin.parts.get(name).map_or_else(|| "(nothing)".to_owned(), |part| part.shown.clone())
        };
        let each = parts.iter().map(|name| {
            format!("{name}, before:\n{}\n{name}, now:\n{}", shown(before, name), shown(now, name))
        });
        let text = each.collect::<Vec<_>>().join("\n\n");
        (!text.is_empty()).then_some(text)
    }
}

impl Plan for CallPlan {
    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn preview(&self, _: &dyn ReadCaps) -> Option<Preview> {
        let summary = format!("Call {} of the MCP server {}", self.name(), self.server.name);
        let detail = [self.with_what(), self.what_changed()];
        let detail: Vec<String> = detail.into_iter().flatten().collect();
        let detail = (!detail.is_empty()).then(|| detail.join("\n\n"));
        Some(Preview { summary, detail })
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn tighten(&self, verdict: Verdict) -> Verdict {
        let is_new = self.spoiled.is_some() || !self.changed().is_empty();
        if is_new { verdict.max(Verdict::Ask) } else { verdict }
    }

    fn warnings(&self) -> Vec<String> {
        let (name, server) = (self.name(), &self.server.name);
        let mut warnings = Vec::new();
        let changed = self.changed();
        if !changed.is_empty() {
            let parts = changed.join(", ");
            warnings.push(format!(
                "{name} of the server {server} has changed since it was last allowed: {parts}"
            ));
        }
        if let Some(problem) = &self.spoiled {
            warnings.push(format!("what {name} looked like before is not known: {problem}"));
        }
        if let Some(tool) = &self.definition {
            let others = self.mentions.others_in(&tool.description, server);
            warnings.extend(others.iter().map(|other| {
                format!("the description of {name} speaks of {other}, which is not of this server")
            }));
            warnings.extend(tool.notes.iter().map(|note| format!("{name}: {note}")));
        }
        warnings
    }

    fn run(
        self: Box<Self>,
        ctx: Arc<dyn ToolContext>,
    ) -> BoxFuture<'static, Result<Output, ToolError>> {
        Box::pin(async move { self.call(ctx.as_ref()).await })
    }
}

impl CallPlan {
    async fn call(self, ctx: &dyn ToolContext) -> Result<Output, ToolError> {
        let server = &self.server;
        let session = server.ready().await.map_err(|error| cannot_use(&server.name, &error))?;
        let tools = server.tools();
        let Some(now) = tools.get(&self.key) else { return Err(self.not_there(&tools)) };
        self.still_the_same(&now.looks)?;
        self.fits_now()?;
        self.pin(now).await;
        let mut params = CallToolRequestParams::new(now.name.clone());
        params.arguments = Some(self.arguments.clone());
        let tell = |text: &str, fraction: Option<f32>| ctx.progress(text, fraction);
        let answer = session.call(params, &patience(server, ctx, &tell)).await;
        match answer {
            Ok(answer) => answer.shown_by(now).into_output(&server.name, &now.name),
            Err(error) => {
                server.note_call(&error);
                Err(failed(&server.name, &session, error).await)
            }
        }
    }

    /// The arguments of a tool that nobody knew when it was called are checked now that it is
    /// known. They are not changed any more: they were judged as they are.
    fn fits_now(&self) -> Result<(), ToolError> {
        if self.definition.is_some() {
            return Ok(());
        }
        let Some(tool) = self.server.registered(&self.key) else { return Ok(()) };
        tool.check(&Value::Object(self.arguments.clone()))
    }

    /// What was judged is what is called: a tool that turned out to be another one is not.
    fn still_the_same(&self, now: &Pin) -> Result<(), ToolError> {
        let judged = self.definition.as_ref().map(|tool| &tool.looks).or(self.pinned.as_ref());
        let Some(judged) = judged.filter(|judged| *judged != now) else { return Ok(()) };
        let parts = judged.differing(now).join(", ");
        Err(ToolError::denied(format!(
            "The tool {} of the server {} is not what it was when this call was allowed: {parts} changed. It was not called.",
            self.name(),
            self.server.name
        ))
        .suggest("Call it again: it is then judged as it is now."))
    }

    /// Remembers what was let run. Where that cannot be kept, the next call asks again at worst.
    async fn pin(&self, now: &Definition) {
        if self.pinned.as_ref() == Some(&now.looks) {
            return;
        }
        let (server, key, looks) = (Arc::clone(&self.server), self.key.clone(), now.looks.clone());
        let kept =
            tokio::task::spawn_blocking(move || server.shared.pins.put(&server.name, &key, looks));
        if let Ok(Err(error)) = kept.await {
            tracing::warn!(target: "dogu", %error, "what a tool looks like is not kept");
        }
    }

    fn not_there(&self, tools: &crate::server::Tools) -> ToolError {
        let names: Vec<String> =
            tools.definitions.iter().take(MAX_NAMED).map(|tool| line(&tool.key, 100)).collect();
        let more = tools.definitions.len().saturating_sub(MAX_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let message = format!("The server {} has no tool {}.", self.server.name, self.name());
        ToolError::new(ErrorCode::NotFound, message)
            .suggest(format!("It has: {}{more}.", names.join(", ")))
    }
}

/// How long a call may take, by the server's settings.
pub(crate) fn patience<'a>(
    server: &Server,
    ctx: &'a dyn ToolContext,
    tell: &'a (dyn Fn(&str, Option<f32>) + Send + Sync),
) -> Patience<'a> {
    let (idle, most) = (server.settings.call_time(), server.settings.longest_call());
    Patience { call: Some(ctx.call_id()), idle, most, cancel: ctx.cancel(), tell }
}

/// A server that cannot be started or reached, for a model and its user.
pub(crate) fn cannot_use(server: &str, error: &ConnectError) -> ToolError {
    let failed = ToolError::failed(format!("The MCP server {server} cannot be used: {error}"));
    match error {
        ConnectError::Login(_) => {
            failed.suggest(format!("Ask the user to run `dogu mcp login {server}`."))
        }
        ConnectError::Expand(_) => failed.suggest(
            "Ask the user to set the variable where dogu is started, or to change the settings.",
        ),
        _ => failed.suggest(format!("`dogu mcp list` shows what is wrong with {server}.")),
    }
}

/// A request without an answer, for a model.
pub(crate) async fn failed(server: &str, session: &Session, error: CallError) -> ToolError {
    match error {
        CallError::Canceled => ToolError::canceled(),
        CallError::Timeout(time) => ToolError::new(
            ErrorCode::Timeout,
            format!(
                "The MCP server {server} did not answer within {} seconds. What it did is not known.",
                time.as_secs()
            ),
        ),
        CallError::Gone if session.child().is_none() => ToolError::failed(format!(
            "The MCP server {server} broke off before it had answered. What it did is not known, and nothing was sent again."
        )),
        CallError::Gone => {
            let words = session.last_words().await;
            ToolError::failed(format!(
                "The MCP server {server} ended during the call{words}. What it did is not known, and nothing was sent again."
            ))
        }
        CallError::Lost(why) => ToolError::failed(format!(
            "The MCP server {server} did not answer as it should: {why}. What it did is not known, and nothing was sent again."
        )),
        CallError::Login(_) => ToolError::failed(format!(
            "The MCP server {server} wants another login for this; it did nothing."
        ))
        .suggest(format!("Ask the user to run `dogu mcp login {server}`.")),
        CallError::Refused(error) => {
            let said = line(&error.message, MAX_TOLD);
            let told = format!("The MCP server {server} refused: {said} ({})", error.code.0);
            if error.code == rmcp::model::ErrorCode::INVALID_PARAMS {
                ToolError::invalid(told)
            } else {
                ToolError::failed(told)
            }
        }
        CallError::Unreadable(why) => {
            ToolError::failed(format!("The MCP server {server} cannot be understood: {why}."))
        }
    }
}
