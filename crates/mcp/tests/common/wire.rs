//! A client that writes and reads raw lines.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_mcp::{ServeError, ServeOptions, serve_streams};
use dogu_runtime::{AnsweredElsewhere, Runtime};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;

use super::{initialize, notification, request, tools};

const PATIENCE: Duration = Duration::from_secs(20);

/// A server in this process, and the other end of its streams.
pub(crate) struct Wire {
    pub(crate) runtime: Runtime,
    to: Option<DuplexStream>,
    from: BufReader<DuplexStream>,
    server: JoinHandle<Result<(), ServeError>>,
    next: u64,
    pub(crate) folder: tempfile::TempDir,
}

impl Wire {
    pub(crate) fn new() -> Self {
        Self::build(|folder| tools::runtime(folder).unwrap().build().unwrap())
    }

    /// Questions stay open.
    pub(crate) fn asking() -> Self {
        Self::build(|folder| {
            tools::runtime(folder).unwrap().delegate(Arc::new(AnsweredElsewhere)).build().unwrap()
        })
    }

    fn build(make: impl FnOnce(&Path) -> Runtime) -> Self {
        let end_grace = Duration::from_secs(5);
        Self::serving(ServeOptions { end_grace, ..ServeOptions::default() }, make)
    }

    /// A server with these options.
    pub(crate) fn serving(options: ServeOptions, make: impl FnOnce(&Path) -> Runtime) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = make(folder.path());
        let (to, read) = tokio::io::duplex(64 * 1024);
        let (write, from) = tokio::io::duplex(64 * 1024);
        let never = std::future::pending();
        let serving = serve_streams(runtime.clone(), options, read, write, never);
        let server = tokio::spawn(serving);
        Self { runtime, to: Some(to), from: BufReader::new(from), server, next: 1, folder }
    }

    /// A session of the first era.
    pub(crate) async fn legacy() -> Self {
        Self::new().opened().await
    }

    pub(crate) async fn opened(mut self) -> Self {
        self.send(&initialize(0, "2025-11-25")).await;
        let answer = self.receive().await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        self.send(&notification("notifications/initialized", json!({}))).await;
        self
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    /// Our side, to write from elsewhere.
    pub(crate) fn take_sender(&mut self) -> DuplexStream {
        self.to.take().unwrap()
    }

    /// Closes our side.
    pub(crate) fn close(&mut self) {
        self.to = None;
    }

    pub(crate) async fn receive(&mut self) -> Value {
        self.try_receive().await.expect("the server ended")
    }

    pub(crate) async fn try_receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.from.read_line(&mut line)).await;
        match read.expect("no answer in time").unwrap() {
            0 => None,
            _ => Some(serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))),
        }
    }

    /// A request of the first era and its answer, with everything that came before it.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = format!("ask-{}", self.next);
        self.next += 1;
        self.send(&request(id.clone(), method, params)).await;
        self.answer(&json!(id)).await
    }

    /// The answer to a request; notifications are passed over.
    pub(crate) async fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.receive().await;
            if message["id"] == *id {
                return message;
            }
        }
    }

    /// Waits until the server has ended, and says how long that took.
    pub(crate) async fn ended(self) -> Duration {
        let began = Instant::now();
        let ended = tokio::time::timeout(PATIENCE, self.server).await;
        ended.expect("it did not end").unwrap().unwrap();
        began.elapsed()
    }

    /// Waits until so many calls are under way.
    pub(crate) async fn under_way(&self, calls: usize) {
        let began = Instant::now();
        while self.runtime.in_flight() != calls {
            assert!(began.elapsed() < PATIENCE, "{} under way", self.runtime.in_flight());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}
