//! Logging in at a server over HTTP: authorization code with PKCE, and client credentials.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use dogu_gateway::{ConnectError, Gateway, GatewayParts, LoginError};
use dogu_runtime::mcp::{McpServer, OAuthSettings};
use dogu_runtime::{Runtime, StateDir};
use dogu_tool::Scope;
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// An MCP server and its authorization server in one.
#[derive(Default)]
struct Service {
    base: String,
    /// The challenge of the code that was given out.
    challenge: Mutex<Option<String>>,
    grants: Mutex<Vec<String>>,
    redirect: Mutex<Option<String>>,
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
        let body = to_bytes(request.into_body(), 1_000_000).await.unwrap();
        let base = &self.base;
        match path.as_str() {
            "/mcp" if token.is_some_and(|token| token == "Bearer the-token") => mcp(&body),
            "/mcp" => {
                let metadata = format!("{base}/.well-known/oauth-protected-resource/mcp");
                let mut refused = answer(StatusCode::UNAUTHORIZED, &json!({}));
                let challenge = format!("Bearer resource_metadata=\"{metadata}\"");
                refused.headers_mut().insert(header::WWW_AUTHENTICATE, challenge.parse().unwrap());
                refused
            }
            path if path.starts_with("/.well-known/oauth-protected-resource") => answer(
                StatusCode::OK,
                &json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}),
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
            "/token" => self.token(&pairs(std::str::from_utf8(&body).unwrap())),
            _ => answer(StatusCode::NOT_FOUND, &json!({})),
        }
    }

    fn token(&self, asked: &HashMap<String, String>) -> Response<Body> {
        let grant = asked["grant_type"].clone();
        let is_good = match grant.as_str() {
            "authorization_code" => {
                let proof = Sha256::digest(asked["code_verifier"].as_bytes());
                let proof = BASE64_URL_SAFE_NO_PAD.encode(proof);
                asked["code"] == "the-code" && self.challenge.lock().unwrap().take() == Some(proof)
            }
            "client_credentials" => true,
            _ => false,
        };
        self.grants.lock().unwrap().push(grant);
        if !is_good {
            return answer(StatusCode::BAD_REQUEST, &json!({"error": "invalid_grant"}));
        }
        let token = json!({"access_token": "the-token", "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": "again"});
        answer(StatusCode::OK, &token)
    }

    /// What a browser does when the person says yes.
    async fn visit(self: Arc<Self>, address: String) {
        let asked = pairs(Url::parse(&address).unwrap().query().unwrap());
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(asked["response_type"], "code");
        *self.challenge.lock().unwrap() = Some(asked["code_challenge"].clone());
        *self.redirect.lock().unwrap() = Some(asked["redirect_uri"].clone());
        let redirect = &asked["redirect_uri"];
        let icon = redirect.replace("/callback", "/favicon.ico");
        assert_eq!(reqwest::get(icon).await.unwrap().status(), 404);
        let back = format!("{redirect}?code=the-code&state={}", asked["state"]);
        let shown = reqwest::get(back).await.unwrap().text().await.unwrap();
        assert!(shown.contains("go back to dogu"), "{shown}");
    }
}

/// As much of MCP as a list of tools needs.
fn mcp(body: &[u8]) -> Response<Body> {
    let message: Value = serde_json::from_slice(body).unwrap();
    let result = match message["method"].as_str() {
        Some("initialize") => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"}})
        }
        Some("tools/list") => {
            json!({"tools": [{"name": "ping", "inputSchema": {"type": "object"}}]})
        }
        Some(_) if message.get("id").is_some() => {
            let error = json!({"code": -32601, "message": "unknown"});
            let told = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
            return answer(StatusCode::OK, &told);
        }
        _ => return answer(StatusCode::ACCEPTED, &json!({})),
    };
    answer(StatusCode::OK, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

async fn service() -> (Arc<Service>, tokio::task::JoinHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let service = Arc::new(Service { base, ..Service::default() });
    let handler = Arc::clone(&service);
    let router = axum::Router::new()
        .fallback(move |request: Request<Body>| Arc::clone(&handler).handle(request));
    let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (service, task)
}

fn gateway(
    folder: &std::path::Path,
    service: &Service,
    oauth: Option<OAuthSettings>,
) -> (Gateway, Runtime) {
    let server = McpServer { oauth, ..McpServer::address(format!("{}/mcp", service.base)) };
    let servers = BTreeMap::from([("s".to_owned(), server)]);
    let mut parts = GatewayParts::new(servers, folder);
    parts.state = Some(StateDir::open(folder.join("state")).unwrap());
    parts.rest = std::time::Duration::ZERO;
    let gateway = Gateway::new(parts);
    let runtime = Runtime::builder(Scope::new(folder)).build().unwrap();
    gateway.register(runtime.registry()).unwrap();
    (gateway, runtime)
}

#[tokio::test]
async fn a_person_logs_in_once_and_the_token_is_kept_private() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let (first, runtime) = gateway(folder.path(), &service, None);
    let failed = first.load().await;
    assert!(matches!(failed[0].1, ConnectError::Login(Some(_))), "{failed:?}");
    let browser = Arc::clone(&service);
    let visit = |url: &str| drop(tokio::spawn(browser.visit(url.to_owned())));
    first.login("s", visit).await.unwrap();
    assert_eq!(first.load().await, []);
    assert!(runtime.registry().snapshot().contains("s__ping"));
    let kept = std::fs::read_dir(folder.path().join("state/logins")).unwrap();
    let kept: Vec<_> = kept.map(|file| file.unwrap().path()).collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::metadata(&kept[0]).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&kept[0]).unwrap().contains("the-token"));
    let redirect = service.redirect.lock().unwrap().clone().unwrap();
    assert!(redirect.starts_with("http://127.0.0.1:"), "{redirect}");
    assert!(reqwest::get(&redirect).await.is_err(), "nothing listens there any more");
    // The next process needs no person.
    let (second, _runtime) = gateway(folder.path(), &service, None);
    assert!(second.check("s").await.unwrap().tools.is_some());
    assert_eq!(*service.grants.lock().unwrap(), ["authorization_code"]);
    task.abort();
}

#[tokio::test]
async fn a_client_with_credentials_of_its_own_needs_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let oauth = OAuthSettings {
        client_id: Some("me".to_owned()),
        client_secret: Some("secret".to_owned()),
        client_credentials: true,
        ..OAuthSettings::default()
    };
    let (gateway, runtime) = gateway(folder.path(), &service, Some(oauth));
    assert_eq!(gateway.load().await, []);
    assert!(runtime.registry().snapshot().contains("s__ping"));
    assert_eq!(*service.grants.lock().unwrap(), ["client_credentials"]);
    task.abort();
}

#[tokio::test]
async fn what_cannot_be_logged_in_at_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let half = OAuthSettings { client_credentials: true, ..OAuthSettings::default() };
    let (gateway, _runtime) = gateway(folder.path(), &service, Some(half));
    let error = gateway.login("s", |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::NoCredentials), "{error}");
    let error = gateway.login("t", |_| {}).await.unwrap_err();
    assert!(matches!(error, LoginError::NoServer(_)), "{error}");
    task.abort();
}
