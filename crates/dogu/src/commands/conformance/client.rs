//! `dogu __conformance client URL`: what the suite wants a client to do, done by the gateway and
//! the pipeline as for any user, with nobody at the browser.

use std::collections::BTreeMap;
use std::sync::Arc;

use dogu_gateway::{Elicitation, Elicitor, Gateway, GatewayParts, Reply, Wants};
use dogu_runtime::mcp::{Era, McpServer, OAuthSettings};
use dogu_runtime::{ApproveAll, Runtime, StateDir};
use dogu_tool::{BoxFuture, Origin, Principal, Scope, ToolCall};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::problem::Problem;

/// The suite's server in the settings.
const SERVER: &str = "suite";
/// Where the suite says that this client's metadata is.
const METADATA: &str = "https://conformance-test.local/client-metadata.json";
/// The version from which on there is no `initialize`.
const FIRST_MODERN: &str = "2026";
/// How often somebody logs in again for a call.
const MAX_LOGINS: usize = 3;

/// What the suite tells in the environment.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Context {
    client_id: Option<String>,
    client_secret: Option<String>,
    #[serde(rename = "toolCalls")]
    calls: Vec<Call>,
}

/// A call that the suite wants.
#[derive(Clone, Debug, Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// Makes all calls that there are to make.
pub(super) async fn run(url: &str) -> Result<(), Problem> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").ok();
    let context: Context =
        context.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let folder = std::env::temp_dir().join(format!("dogu-conformance-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = Session::begin(url, &context, &folder)?.make_calls(&context.calls).await;
    std::fs::remove_dir_all(&folder)?;
    done
}

struct Session {
    gateway: Gateway,
    runtime: Runtime,
    logins: usize,
}

impl Session {
    fn begin(url: &str, context: &Context, folder: &std::path::Path) -> Result<Self, Problem> {
        let mut server = McpServer::address(url);
        server.era = era();
        server.oauth = Some(OAuthSettings {
            client_id: context.client_id.clone(),
            client_secret: context.client_secret.clone(),
            client_credentials: scenario().starts_with("auth/client-credentials"),
            client_metadata_url: Some(METADATA.to_owned()),
            ..OAuthSettings::default()
        });
        let mut parts = GatewayParts::new(BTreeMap::from([(SERVER.to_owned(), server)]), folder);
        let state = StateDir::open(folder.join("state")).map_err(|error| Problem::of(&error))?;
        parts.state = Some(state);
        parts.elicitor = Some(Arc::new(Defaults));
        let gateway = Gateway::new(parts);
        let runtime =
            Runtime::builder(Scope::new(folder)).delegate(Arc::new(ApproveAll)).build()?;
        gateway.register(runtime.registry()).map_err(|error| Problem::of(&error))?;
        Ok(Self { gateway, runtime, logins: 0 })
    }

    async fn make_calls(mut self, wanted: &[Call]) -> Result<(), Problem> {
        self.load().await?;
        let calls = if wanted.is_empty() { self.one_of_each() } else { wanted.to_vec() };
        for call in calls {
            while let Some(refused) = self.make(&call).await {
                if !self.gateway.wants_login(SERVER) {
                    return Err(Problem::wrong_use(refused));
                }
                self.log_in().await?;
            }
        }
        Ok(())
    }

    /// Asks for the tools, after a login where the server wants one.
    async fn load(&mut self) -> Result<(), Problem> {
        while let Some((_, error)) = self.gateway.load().await.into_iter().next() {
            if !self.gateway.wants_login(SERVER) {
                return Err(Problem::of(&error));
            }
            self.log_in().await?;
        }
        Ok(())
    }

    async fn log_in(&mut self) -> Result<(), Problem> {
        if self.logins == MAX_LOGINS {
            return Err(Problem::wrong_use("the server wants a login again and again"));
        }
        self.logins += 1;
        let visit = |address: &str| {
            let address = address.to_owned();
            // Nobody has to click: the suite's authorization server sends whoever comes back.
            tokio::spawn(async move { reqwest::get(address).await.is_ok() });
        };
        self.gateway.login(SERVER, visit).await.map_err(|error| Problem::of(&error))
    }

    /// Makes a call; gives why it failed, unless that is the tool's own answer.
    async fn make(&self, call: &Call) -> Option<String> {
        let name = format!("{SERVER}__{}", call.name);
        let origin = Arc::new(Origin::of(Principal::process("conformance")));
        let call = ToolCall::new("call", name, call.arguments.clone());
        let result = self.runtime.step(origin).dispatch(call).await;
        result.error.filter(|_| self.gateway.wants_login(SERVER)).map(|error| error.message)
    }

    fn one_of_each(&self) -> Vec<Call> {
        let set = self.runtime.registry().snapshot();
        let own = format!("{SERVER}__");
        let call = |spec: &dogu_tool::ToolSpec| {
            let name = spec.name.as_str().strip_prefix(&own)?.to_owned();
            Some(Call { name, arguments: arguments_for(&spec.input_schema) })
        };
        set.all().filter_map(|entry| call(entry.spec())).collect()
    }
}

fn scenario() -> String {
    std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default()
}

fn era() -> Era {
    match std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION") {
        Ok(version) if version.as_str() >= FIRST_MODERN => Era::Modern,
        Ok(_) => Era::Legacy,
        Err(_) => Era::Auto,
    }
}

/// Something of the right type for everything that is required.
fn arguments_for(schema: &Value) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("test"),
    };
    required.map(|name| (name.to_owned(), value(name))).collect::<Map<_, _>>().into()
}

/// Says yes, with what a question itself proposes.
struct Defaults;

impl Elicitor for Defaults {
    fn elicit<'a>(&'a self, question: &'a Elicitation) -> BoxFuture<'a, Reply> {
        let proposed = match &question.wants {
            Wants::Values(schema) => {
                let all = schema["properties"].as_object().into_iter().flatten();
                let given = all.filter_map(|(name, property)| {
                    Some((name.clone(), property.get("default")?.clone()))
                });
                given.collect::<Map<_, _>>().into()
            }
            Wants::Visit(_) => Value::Null,
        };
        Box::pin(async { Reply::Accept(proposed) })
    }
}
