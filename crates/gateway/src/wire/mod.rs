//! The line protocol with a program, for one that may write anything: noise, half lines, lines
//! without end, answers to nothing.

mod answer;
mod lines;
mod program;
mod texts;
mod writer;

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dogu_output::{Log, Stream};
use dogu_process::{Child, Pipes};
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::net::unix::pipe::{Receiver, Sender};

use answer::CallAnswer;
use lines::{EDGE, Line, Lines};
pub(crate) use program::{PARTING, Program};
use writer::Writer;

/// The most that one message may have.
pub(crate) const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;
/// How many requests a server may have without reading the answers.
const MAX_UNREAD: usize = 2_000;
/// How much of a line that is no message is shown in the log.
const MAX_NOISE: usize = 1_000;

/// One program that is spoken with. When this is dropped, the program ends.
pub(crate) struct LineTransport {
    lines: Lines<Receiver>,
    writer: Option<Writer>,
    pending: Pending,
    program: Program,
    /// How many requests of the server have no answer yet that it has read.
    unread: Arc<AtomicUsize>,
}

impl LineTransport {
    /// Must be called where tokio runs.
    pub(crate) fn new(child: Child, pipes: Pipes) -> io::Result<Self> {
        let read = Receiver::from_owned_fd(pipes.output)?;
        let write = Sender::from_owned_fd(pipes.input)?;
        let (writer, writing) = Writer::new(write);
        Ok(Self {
            lines: Lines::new(read, MAX_MESSAGE_BYTES),
            writer: Some(writer),
            pending: Pending::default(),
            program: Program::new(child, writing),
            unread: Arc::default(),
        })
    }

    /// The program that is spoken with.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// What a line means to the session; none where it means nothing.
    fn read(&self, line: Line) -> Option<ServerJsonRpcMessage> {
        let log = self.program.child.log();
        match line {
            Line::Whole(bytes) => match self.message(&bytes) {
                Ok(message) if !self.may_ask(&message) => {
                    noise(log, "too many requests", &bytes);
                    None
                }
                Ok(message) => self.pending.admits(&message).then_some(message).or_else(|| {
                    noise(log, "an answer to nothing", &bytes);
                    None
                }),
                Err(_) if bytes.trim_ascii().is_empty() => None,
                Err(error) => self.broken(&bytes, &error).or_else(|| {
                    noise(log, "not a message", &bytes);
                    None
                }),
            },
            Line::TooLong { bytes, head, tail } => {
                noise(log, &format!("a line of {bytes} bytes"), &head);
                self.pending.failed(&[&head, &tail], too_long(bytes))
            }
            Line::End => None,
        }
    }

    /// The message that a line is. What may answer a call is known to do so.
    fn message(&self, bytes: &[u8]) -> serde_json::Result<ServerJsonRpcMessage> {
        match CallAnswer::read(bytes) {
            Some(answer) if self.pending.is_call(&answer.id) => Ok(answer.into()),
            _ => serde_json::from_slice(bytes),
        }
    }

    /// Whether the server may have another request: one that reads no answers could have any
    /// number of them wait here.
    fn may_ask(&self, message: &ServerJsonRpcMessage) -> bool {
        if !matches!(message, JsonRpcMessage::Request(_)) {
            return true;
        }
        let may = self.unread.load(Ordering::Relaxed) < MAX_UNREAD;
        if may {
            self.unread.fetch_add(1, Ordering::Relaxed);
        }
        may
    }

    /// A line that is JSON and answers something, but not in a way that can be read: whoever
    /// waits need not wait longer.
    fn broken(&self, bytes: &[u8], error: &serde_json::Error) -> Option<ServerJsonRpcMessage> {
        // The parser has no other way to tell.
        let is_deep = error.to_string().starts_with("recursion limit");
        if is_deep || std::str::from_utf8(bytes).is_err() {
            let edge = bytes.len().min(EDGE);
            let edges = [&bytes[..edge], &bytes[bytes.len() - edge..]];
            let id = self.pending.named_in(&edges)?;
            let told = if is_deep { "is nested too deeply" } else { "is not text" };
            return self
                .pending
                .take(&id)
                .then(|| failure(id, format!("the server's answer {told}")));
        }
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let id: RequestId = serde_json::from_value(value.get("id")?.clone()).ok()?;
        let told = "the server's answer is not one of the protocol".to_owned();
        self.pending.take(&id).then(|| failure(id, told))
    }
}

fn noise(log: &Log, what: &str, bytes: &[u8]) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_NOISE)]).into_owned();
    log.push(Stream::Err, format!("[dogu: {what} on stdout: {shown}]\n").as_bytes());
}

/// What is said of an answer with so many bytes.
pub(crate) fn too_long(bytes: impl std::fmt::Display) -> String {
    format!("the server answered with {bytes} bytes; at most {MAX_MESSAGE_BYTES} are read")
}

/// The end of a request, as if the server had refused it.
pub(crate) fn failure(id: RequestId, told: String) -> ServerJsonRpcMessage {
    JsonRpcMessage::error(ErrorData::internal_error(told, None), Some(id))
}

impl Transport<RoleClient> for LineTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.pending.sent(&message);
        let writer = self.writer.clone();
        let unread = Arc::clone(&self.unread);
        async move {
            let line = serde_json::to_vec(&message)?;
            let Some(writer) = writer else { return Err(io::ErrorKind::NotConnected.into()) };
            let written = writer.line(line).await;
            if matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
                unread.fetch_sub(1, Ordering::Relaxed);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            match self.lines.next().await {
                Ok(Line::End) | Err(_) => return None,
                Ok(line) => {
                    if let Some(message) = self.read(line) {
                        return Some(message);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer = None;
        Ok(())
    }
}

impl Drop for LineTransport {
    fn drop(&mut self) {
        self.program.leave();
    }
}

/// The requests that wait for an answer, and whether each is a call. rmcp takes an answer to
/// anything else for the end of the session while it is being opened.
#[derive(Clone, Default)]
struct Pending(Arc<Mutex<HashMap<RequestId, bool>>>);

impl Pending {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Request(request) = message {
            let mut waiting = self.lock();
            if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                // What was asked before to find out the era may still be answered, too late.
                waiting.clear();
            }
            let is_call = matches!(request.request, ClientRequest::CallToolRequest(_));
            waiting.insert(request.id.clone(), is_call);
        }
        if let JsonRpcMessage::Notification(notification) = message
            && let ClientNotification::CancelledNotification(canceled) = &notification.notification
            && let Some(id) = &canceled.params.request_id
        {
            self.lock().remove(id);
        }
    }

    /// Whether a call waits under this id.
    fn is_call(&self, id: &RequestId) -> bool {
        self.lock().get(id).is_some_and(|is_call| *is_call)
    }

    /// Whether a message is for the session.
    fn admits(&self, message: &ServerJsonRpcMessage) -> bool {
        match message {
            JsonRpcMessage::Response(response) => self.take(&response.id),
            JsonRpcMessage::Error(error) => match &error.id {
                Some(id) => self.take(id),
                // It may be about the one request that there is.
                None => self.lock().len() == 1,
            },
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => true,
        }
    }

    /// Whether a request waits; it does not any more. Some servers answer a number as a text.
    fn take(&self, id: &RequestId) -> bool {
        let mut waiting = self.lock();
        if waiting.remove(id).is_some() {
            return true;
        }
        let same = waiting.keys().find(|waits| waits.to_string() == id.to_string()).cloned();
        same.is_some_and(|same| waiting.remove(&same).is_some())
    }

    /// The request that a piece of its answer names.
    fn named_in(&self, edges: &[&[u8]]) -> Option<RequestId> {
        let waiting = self.lock();
        edges.iter().find_map(|edge| waiting.keys().find(|id| names(edge, id)).cloned())
    }

    /// The end of a request whose answer cannot be read, if it can be told which one.
    fn failed(&self, edges: &[&[u8]], told: String) -> Option<ServerJsonRpcMessage> {
        let by_id = self.named_in(edges);
        let mut waiting = self.lock();
        let only = || if waiting.len() == 1 { waiting.keys().next().cloned() } else { None };
        let id = by_id.or_else(only)?;
        waiting.remove(&id);
        Some(failure(id, told))
    }
}

/// Whether a piece of a message says that it has this id.
fn names(piece: &[u8], id: &RequestId) -> bool {
    let text = String::from_utf8_lossy(piece);
    text.match_indices("\"id\"").any(|(at, found)| {
        let rest = text[at + found.len()..].trim_start().strip_prefix(':').unwrap_or_default();
        let value = rest.trim_start().trim_start_matches('"');
        let word: String = value.chars().take_while(char::is_ascii_alphanumeric).collect();
        word == id.to_string()
    })
}
