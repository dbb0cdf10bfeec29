//! An MCP server over HTTP of the older era that answers calls as a test wants, and a gateway to
//! it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, Response, StatusCode, header};
use dogu_gateway::{Elicitor, Gateway, GatewayParts};
use dogu_runtime::mcp::McpServer;
use dogu_runtime::{ApproveAll, Runtime, StateDir};
use dogu_tool::{Origin, Principal, Scope, ToolCall};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

/// How a call is answered.
pub(crate) type Calls = dyn Fn(&Arc<Server>, Value) -> Response<Body> + Send + Sync;

/// The server.
pub(crate) struct Server {
    pub(crate) base: String,
    calls: Box<Calls>,
    /// Who waits for the client's answer to a question.
    waiting: Mutex<HashMap<String, oneshot::Sender<Value>>>,
    /// The headers of every request.
    pub(crate) seen: Mutex<Vec<HeaderMap>>,
}

/// Something in JSON.
pub(crate) fn plain(status: StatusCode, body: &Value) -> Response<Body> {
    let json = Response::builder().status(status).header(header::CONTENT_TYPE, "application/json");
    json.body(Body::from(body.to_string())).unwrap()
}

/// A stream of events, and where to put what is on it.
pub(crate) fn events() -> (mpsc::Sender<Bytes>, Response<Body>) {
    let (sender, receiver) = mpsc::channel::<Bytes>(16);
    let stream = futures::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|bytes| (Ok::<_, std::io::Error>(bytes), receiver))
    });
    let response = Response::builder().header(header::CONTENT_TYPE, "text/event-stream");
    (sender, response.body(Body::from_stream(stream)).unwrap())
}

pub(crate) fn event(message: &Value) -> Bytes {
    format!("event: message\ndata: {message}\n\n").into()
}

/// The result of a call that is this text.
pub(crate) fn text(request: &Value, text: &str) -> Value {
    let result = json!({"content": [{"type": "text", "text": text}]});
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}

impl Server {
    /// A question to the person behind the client, whose answer comes by itself.
    pub(crate) fn question(&self, id: &str) -> (Value, oneshot::Receiver<Value>) {
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().unwrap().insert(id.to_owned(), sender);
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let params = json!({"message": id, "requestedSchema": schema});
        let question =
            json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params});
        (question, receiver)
    }

    async fn handle(self: Arc<Self>, request: Request<Body>) -> Response<Body> {
        self.seen.lock().unwrap().push(request.headers().clone());
        if request.method() == "GET" && request.headers().contains_key("last-event-id") {
            return (self.calls)(&self, Value::Null);
        }
        if request.method() != "POST" {
            return plain(StatusCode::METHOD_NOT_ALLOWED, &json!({}));
        }
        let body = to_bytes(request.into_body(), 100_000_000).await.unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap();
        let answer = |result: Value| {
            plain(StatusCode::OK, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        };
        match message["method"].as_str() {
            Some("initialize") => answer(json!({"protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}})),
            Some("tools/list") => {
                answer(json!({"tools": [{"name": "do", "inputSchema": {"type": "object"}}]}))
            }
            Some("tools/call") => (self.calls)(&self, message),
            Some(_) if message.get("id").is_some() => {
                let error = json!({"code": -32601, "message": "unknown"});
                let told = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                plain(StatusCode::OK, &told)
            }
            Some(_) => plain(StatusCode::ACCEPTED, &json!({})),
            None => {
                let id = message["id"].as_str().unwrap_or_default();
                if let Some(waits) = self.waiting.lock().unwrap().remove(id) {
                    let _ = waits.send(message["result"].clone());
                }
                plain(StatusCode::ACCEPTED, &json!({}))
            }
        }
    }
}

/// A server and a gateway to it; both are gone with this.
pub(crate) struct World {
    pub(crate) server: Arc<Server>,
    _gateway: Gateway,
    runtime: Runtime,
    task: tokio::task::JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl World {
    pub(crate) async fn new(
        calls: impl Fn(&Arc<Server>, Value) -> Response<Body> + Send + Sync + 'static,
    ) -> Self {
        Self::with(calls, None).await
    }

    pub(crate) async fn with(
        calls: impl Fn(&Arc<Server>, Value) -> Response<Body> + Send + Sync + 'static,
        elicitor: Option<Arc<dyn Elicitor>>,
    ) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = Arc::new(Server {
            base: base.clone(),
            calls: Box::new(calls),
            waiting: Mutex::default(),
            seen: Mutex::default(),
        });
        let handler = Arc::clone(&server);
        let router = axum::Router::new()
            .fallback(move |request: Request<Body>| Arc::clone(&handler).handle(request));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let folder = tempfile::tempdir().unwrap();
        let mut settings = McpServer::address(format!("{base}/mcp"));
        settings.timeout = Some(5);
        if let dogu_runtime::mcp::Place::Address { headers, .. } = &mut settings.place {
            headers.insert("Authorization".to_owned(), "Bearer s3cret".to_owned());
        }
        let mut parts =
            GatewayParts::new(BTreeMap::from([("s".to_owned(), settings)]), folder.path());
        parts.state = Some(StateDir::open(folder.path().join("state")).unwrap());
        parts.rest = Duration::ZERO;
        parts.elicitor = elicitor;
        let gateway = Gateway::new(parts);
        let runtime = Runtime::builder(Scope::new(folder.path()));
        let runtime = runtime.delegate(Arc::new(ApproveAll)).build().unwrap();
        gateway.register(runtime.registry()).unwrap();
        assert_eq!(gateway.load().await, []);
        Self { server, _gateway: gateway, runtime, task, _folder: folder }
    }

    pub(crate) async fn call(&self, id: &str, what: &str) -> String {
        let step = self.runtime.step(Arc::new(Origin::of(Principal::process("test"))));
        let call = ToolCall::new(id, "s__do", json!({"what": what}));
        step.dispatch(call).await.to_text()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.task.abort();
    }
}
