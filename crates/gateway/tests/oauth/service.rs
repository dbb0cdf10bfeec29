//! An MCP server and its authorization server in one. Each refresh token is good for one use.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use dogu_gateway::{Gateway, GatewayParts};
use dogu_runtime::mcp::{McpServer, OAuthSettings};
use dogu_runtime::{ApproveAll, Runtime, StateDir};
use dogu_tool::{Origin, Principal, Scope, ToolCall, ToolResult};
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// What the service is asked and has given out.
#[derive(Default)]
pub(crate) struct Service {
    base: String,
    /// The challenge of the code that was given out, and what it is for.
    asked: Mutex<Option<(String, String)>>,
    pub(crate) grants: Mutex<Vec<String>>,
    pub(crate) redirect: Mutex<Option<String>>,
    /// What was asked for at each login.
    pub(crate) scopes: Mutex<Vec<String>>,
    /// The access tokens that are good, and what for.
    tokens: Mutex<HashMap<String, String>>,
    refresh_tokens: Mutex<HashSet<String>>,
    number: AtomicU32,
    /// Refreshes are refused.
    pub(crate) refuses: AtomicBool,
    /// The authorization server has trouble.
    pub(crate) is_broken: AtomicBool,
    /// A refresh token was used twice.
    pub(crate) was_reused: AtomicBool,
}

fn answer(status: StatusCode, body: &Value) -> Response<Body> {
    let json = Response::builder().status(status).header(header::CONTENT_TYPE, "application/json");
    json.body(Body::from(body.to_string())).unwrap()
}

fn pairs(text: &str) -> HashMap<String, String> {
    let url = Url::parse(&format!("http://x/?{text}")).unwrap();
    url.query_pairs().into_owned().collect()
}

impl Service {
    async fn handle(self: Arc<Self>, request: Request<Body>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let token = request.headers().get(header::AUTHORIZATION).cloned();
        let token = token.map(|token| token.to_str().unwrap().replace("Bearer ", ""));
        let body = to_bytes(request.into_body(), 1_000_000).await.unwrap();
        let base = &self.base;
        match path.as_str() {
            "/mcp" => self.mcp(token.as_deref(), &body),
            path if path.starts_with("/.well-known/oauth-protected-resource") => answer(
                StatusCode::OK,
                &json!({
                    "resource": format!("{base}/mcp"), "authorization_servers": [base],
                    "scopes_supported": ["read"],
                }),
            ),
            "/.well-known/oauth-authorization-server" => answer(
                StatusCode::OK,
                &json!({
                    "issuer": base,
                    "authorization_endpoint": format!("{base}/authorize"),
                    "token_endpoint": format!("{base}/token"),
                    "registration_endpoint": format!("{base}/register"),
                    "response_types_supported": ["code"],
                    "grant_types_supported":
                        ["authorization_code", "client_credentials", "refresh_token"],
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported":
                        ["none", "client_secret_post", "client_secret_basic"],
                }),
            ),
            "/register" => {
                let asked: Value = serde_json::from_slice(&body).unwrap();
                let made = json!({"client_id": "made", "client_name": "dogu",
                    "redirect_uris": asked["redirect_uris"]});
                answer(StatusCode::CREATED, &made)
            }
            "/token" => self.token(&pairs(std::str::from_utf8(&body).unwrap())).await,
            _ => answer(StatusCode::NOT_FOUND, &json!({})),
        }
    }

    async fn token(&self, asked: &HashMap<String, String>) -> Response<Body> {
        let grant = asked["grant_type"].clone();
        self.grants.lock().unwrap().push(grant.clone());
        if self.is_broken.load(Ordering::SeqCst) {
            return answer(StatusCode::INTERNAL_SERVER_ERROR, &json!({"error": "server_error"}));
        }
        let scope = match grant.as_str() {
            "authorization_code" => {
                let proof = Sha256::digest(asked["code_verifier"].as_bytes());
                let proof = BASE64_URL_SAFE_NO_PAD.encode(proof);
                let asked_for = self.asked.lock().unwrap().take();
                asked_for.filter(|(challenge, _)| *challenge == proof).map(|(_, scope)| scope)
            }
            "client_credentials" => Some(String::new()),
            "refresh_token" => {
                // Whoever else refreshes meanwhile must not come with the same token.
                tokio::time::sleep(Duration::from_millis(100)).await;
                let is_new = self.refresh_tokens.lock().unwrap().remove(&asked["refresh_token"]);
                self.was_reused.fetch_or(!is_new, Ordering::SeqCst);
                let is_good = is_new && !self.refuses.load(Ordering::SeqCst);
                is_good.then(|| asked.get("scope").cloned().unwrap_or_default())
            }
            _ => None,
        };
        let Some(scope) = scope else {
            return answer(StatusCode::BAD_REQUEST, &json!({"error": "invalid_grant"}));
        };
        let number = self.number.fetch_add(1, Ordering::SeqCst) + 1;
        let (token, refresh) = (format!("token-{number}"), format!("refresh-{number}"));
        self.tokens.lock().unwrap().insert(token.clone(), scope.clone());
        self.refresh_tokens.lock().unwrap().insert(refresh.clone());
        let mut given = json!({"access_token": token, "token_type": "Bearer", "expires_in": 3600});
        if grant != "client_credentials" {
            given["refresh_token"] = refresh.into();
            given["scope"] = scope.into();
        }
        answer(StatusCode::OK, &given)
    }

    /// What a browser does when the person says yes.
    pub(crate) async fn visit(self: Arc<Self>, address: String) {
        let asked = pairs(Url::parse(&address).unwrap().query().unwrap());
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(asked["response_type"], "code");
        let scope = asked.get("scope").cloned().unwrap_or_default();
        self.scopes.lock().unwrap().push(scope.clone());
        *self.asked.lock().unwrap() = Some((asked["code_challenge"].clone(), scope));
        *self.redirect.lock().unwrap() = Some(asked["redirect_uri"].clone());
        let redirect = &asked["redirect_uri"];
        let icon = redirect.replace("/callback", "/favicon.ico");
        assert_eq!(reqwest::get(icon).await.unwrap().status(), 404);
        let back = format!("{redirect}?code=the-code&state={}", asked["state"]);
        let shown = reqwest::get(back).await.unwrap().text().await.unwrap();
        assert!(shown.contains("go back to dogu"), "{shown}");
    }

    /// No token that was given out so far is taken any more.
    pub(crate) fn revoke(&self) {
        self.tokens.lock().unwrap().clear();
    }

    /// As much of MCP as calls need. `write` needs a scope of its own.
    fn mcp(&self, token: Option<&str>, body: &[u8]) -> Response<Body> {
        let scope = token.and_then(|token| self.tokens.lock().unwrap().get(token).cloned());
        let Some(scope) = scope else { return self.refused(StatusCode::UNAUTHORIZED, "") };
        let message: Value = serde_json::from_slice(body).unwrap();
        let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        let result = match message["method"].as_str() {
            Some("initialize") => {
                json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"}})
            }
            Some("tools/list") => json!({"tools": [tool("ping"), tool("write")]}),
            Some("tools/call") if message["params"]["name"] == "write" => {
                if !scope.split(' ').any(|scope| scope == "write") {
                    let more = ", error=\"insufficient_scope\", scope=\"write\"";
                    return self.refused(StatusCode::FORBIDDEN, more);
                }
                json!({"content": [{"type": "text", "text": "written"}]})
            }
            Some("tools/call") => json!({"content": [{"type": "text", "text": "pong"}]}),
            Some(_) if message.get("id").is_some() => {
                let error = json!({"code": -32601, "message": "unknown"});
                let told = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                return answer(StatusCode::OK, &told);
            }
            _ => return answer(StatusCode::ACCEPTED, &json!({})),
        };
        answer(StatusCode::OK, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
    }

    fn refused(&self, status: StatusCode, more: &str) -> Response<Body> {
        let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", self.base);
        let mut refused = answer(status, &json!({}));
        let challenge = format!("Bearer resource_metadata=\"{metadata}\"{more}");
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, challenge.parse().unwrap());
        refused
    }

    pub(crate) fn granted(&self) -> Vec<String> {
        self.grants.lock().unwrap().clone()
    }
}

pub(crate) async fn service() -> (Arc<Service>, tokio::task::JoinHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let service = Arc::new(Service { base, ..Service::default() });
    let handler = Arc::clone(&service);
    let router = axum::Router::new()
        .fallback(move |request: Request<Body>| Arc::clone(&handler).handle(request));
    let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (service, task)
}

/// A gateway to the service, as one process has it.
pub(crate) struct Process {
    pub(crate) gateway: Gateway,
    pub(crate) runtime: Runtime,
}

impl Process {
    pub(crate) fn new(folder: &Path, service: &Service, oauth: Option<OAuthSettings>) -> Self {
        let server = McpServer { oauth, ..McpServer::address(format!("{}/mcp", service.base)) };
        let servers = BTreeMap::from([("s".to_owned(), server)]);
        let mut parts = GatewayParts::new(servers, folder);
        parts.state = Some(StateDir::open(folder.join("state")).unwrap());
        parts.rest = Duration::ZERO;
        let gateway = Gateway::new(parts);
        let runtime = Runtime::builder(Scope::new(folder));
        let runtime = runtime.delegate(Arc::new(ApproveAll)).build().unwrap();
        gateway.register(runtime.registry()).unwrap();
        Self { gateway, runtime }
    }

    /// One after somebody has logged in.
    pub(crate) async fn logged_in(folder: &Path, service: &Arc<Service>) -> Self {
        let process = Self::new(folder, service, None);
        process.log_in(service).await;
        assert_eq!(process.gateway.load().await, []);
        process
    }

    pub(crate) async fn log_in(&self, service: &Arc<Service>) {
        let browser = Arc::clone(service);
        let visit = |url: &str| drop(tokio::spawn(browser.visit(url.to_owned())));
        self.gateway.login("s", visit).await.unwrap();
    }

    pub(crate) async fn call(&self, id: usize, tool: &str) -> ToolResult {
        let step = self.runtime.step(Arc::new(Origin::of(Principal::process("test"))));
        let call = ToolCall::new(format!("c{id}"), tool, json!({"n": id}));
        step.dispatch(call).await
    }
}
