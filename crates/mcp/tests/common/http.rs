//! A client that writes and reads raw HTTP.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use dogu_mcp::{HttpServer, ServeOptions, TokenStore};
use dogu_runtime::{Runtime, RuntimeBuilder, StateDir};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::tools;

pub(crate) const ONE: &str = "token-of-one";
pub(crate) const TWO: &str = "token-of-two";
const PATIENCE: Duration = Duration::from_secs(30);

/// A server with two tokens on a free port.
pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    pub(crate) runtime: Runtime,
    pub(crate) stop: Option<oneshot::Sender<()>>,
    pub(crate) serving: JoinHandle<()>,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) tokens: TokenStore,
}

/// A store with both tokens.
pub(crate) fn tokens(folder: &Path) -> TokenStore {
    let store = TokenStore::open(&StateDir::open(folder.join("tokens")).unwrap()).unwrap();
    for (name, secret) in [("one", ONE), ("two", TWO)] {
        put(&store, name, secret);
    }
    store
}

/// Writes a token by hand.
pub(crate) fn put(store: &TokenStore, name: &str, secret: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = store.file(name).unwrap();
    std::fs::write(&path, format!("{secret}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::serving(ServeOptions::default(), |builder| builder).await
    }

    /// A server with these options.
    pub(crate) async fn serving(
        options: ServeOptions,
        change: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = change(tools::runtime(folder.path()).unwrap()).build().unwrap();
        let (tokens, addr) = (tokens(folder.path()), "127.0.0.1:0".parse().unwrap());
        let server =
            HttpServer::bind(runtime.clone(), addr, tokens.clone(), options).await.unwrap();
        let addr = server.local_addr();
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let shutdown = async { drop(stopped.await) };
            server.serve(shutdown).await.unwrap();
        });
        Self { addr, runtime, stop: Some(stop), serving, folder, tokens }
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn send(&self, request: &Request) -> Response {
        let mut stream = self.open(request).await;
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
        read.expect("no answer in time").unwrap();
        Response::parse(&bytes)
    }

    /// Sends a request and leaves the answer unread.
    pub(crate) async fn open(&self, request: &Request) -> TcpStream {
        let mut stream = TcpStream::connect(self.addr).await.unwrap();
        stream.write_all(&request.bytes(self.addr)).await.unwrap();
        stream
    }

    /// Sends the head of a request, and waits until the server wants the body.
    pub(crate) async fn open_slowly(&self, request: &Request) -> Slow {
        const GO_ON: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
        let request = request.clone().header("Expect", "100-continue");
        let mut bytes = request.bytes(self.addr);
        let body = bytes.split_off(bytes.len() - request.body.len());
        let mut stream = TcpStream::connect(self.addr).await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        let mut said = vec![0; GO_ON.len()];
        let read = tokio::time::timeout(PATIENCE, stream.read_exact(&mut said)).await;
        read.expect("no answer in time").unwrap();
        assert_eq!(said, GO_ON);
        Slow { stream, body }
    }

    /// Waits until so many calls are under way.
    pub(crate) async fn under_way(&self, calls: usize) {
        let all = async {
            while self.runtime.in_flight() != calls {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(PATIENCE, all).await.expect("not that many calls");
    }
}

/// A request whose body the server waits for.
pub(crate) struct Slow {
    pub(crate) stream: TcpStream,
    body: Vec<u8>,
}

impl Slow {
    /// Sends the body, and reads the answer.
    pub(crate) async fn finish(mut self) -> Response {
        self.stream.write_all(&self.body).await.unwrap();
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(PATIENCE, self.stream.read_to_end(&mut bytes)).await;
        read.expect("no answer in time").unwrap();
        Response::parse(&bytes)
    }
}

/// A request, with what a client of MCP always sends.
#[derive(Clone)]
pub(crate) struct Request {
    method: &'static str,
    path: &'static str,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn get(path: &'static str) -> Self {
        Self { method: "GET", path, headers: Vec::new(), body: Vec::new() }
    }

    /// A message from the holder of a token.
    pub(crate) fn post(token: &str, message: &Value) -> Self {
        Self::post_raw(message.to_string().into_bytes())
            .header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn post_raw(body: Vec<u8>) -> Self {
        Self { method: "POST", path: "/mcp", headers: Vec::new(), body }
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    /// A message of 2026-07-28, with the headers that repeat what is in it.
    pub(crate) fn modern(token: &str, message: &Value) -> Self {
        let request = Self::post(token, message)
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", message["method"].as_str().unwrap());
        let params = &message["params"];
        let named =
            params["name"].as_str().or(params["uri"].as_str()).or(params["taskId"].as_str());
        match named {
            Some(name) => request.header("Mcp-Name", name),
            None => request,
        }
    }

    /// A message in a session of the first era.
    pub(crate) fn in_session(token: &str, session: &str, message: &Value) -> Self {
        Self::post(token, message)
            .header("Mcp-Session-Id", session)
            .header("MCP-Protocol-Version", "2025-11-25")
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    fn bytes(&self, addr: SocketAddr) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", self.method, self.path);
        if !self.headers.iter().any(|(name, _)| name == "Host") {
            let _ = write!(head, "Host: {addr}\r\n");
        }
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "Content-Length: {}\r\n\r\n", self.body.len());
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { unchunk(body) } else { body.to_owned() };
        Self { status, head: head.to_owned(), body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let named = |line: &&str| line.to_lowercase().starts_with(&format!("{name}:"));
        self.head.lines().find(named).and_then(|line| line.split_once(": ")).map(|(_, value)| value)
    }

    /// All messages of the answer, whether it is a document or a stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.header("content-type") == Some("application/json") {
            return vec![serde_json::from_str(&self.body).unwrap()];
        }
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        data.filter(|data| !data.is_empty())
            .map(|data| serde_json::from_str(data).unwrap_or_else(|e| panic!("{e}: {data}")))
            .collect()
    }

    /// The last message, which is the answer.
    pub(crate) fn answer(&self) -> Value {
        self.messages().pop().unwrap_or_else(|| panic!("no message: {self:?}"))
    }
}

fn unchunk(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        text.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    text
}
