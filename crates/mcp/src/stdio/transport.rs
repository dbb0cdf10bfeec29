//! Our own transport under rmcp's session. rmcp's loses over-long lines without a word, ends the
//! session when the first message is not a request, and after the end of stdin waits five seconds
//! for streams that never end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetMeta as _, ProtocolVersion, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::lane::Lane;
use super::lines::{Line, Lines};
use super::pending::{Pending, answers};
use super::writer::Writer;
use crate::call::Caller;
use crate::message::{self, MAX_MESSAGE_BYTES, Parsed, Refusal};

/// How often, after the end of stdin, a look is taken for calls that have begun to wait for a person.
const PARKED_CHECK: Duration = Duration::from_millis(10);

/// How often, after the end of stdin, a look is taken for streams that are being opened.
const STREAM_CHECK: Duration = Duration::from_millis(1);

/// How long, at the very end, calls may take to say that the server ends.
const LAST_WORDS: Duration = Duration::from_millis(10);

/// How many requests may wait for an answer. A client with more of them is not read until some
/// are answered, else one that never reads its answers would fill the memory.
const MAX_PENDING: usize = 4_096;

/// One message a line, and an orderly end.
pub(crate) struct LineTransport<R, W> {
    lines: Lines<R>,
    writer: Writer<W>,
    pending: Pending,
    lane: Arc<Lane<W>>,
    caller: Arc<Caller>,
    /// Set when no more is to be read.
    stop: CancellationToken,
    /// The client has said which era it speaks.
    opened: bool,
    /// A refusal that is being written.
    refusal: Option<JoinHandle<()>>,
    /// When the session ends at the latest; set once nothing more is read.
    deadline: Option<Instant>,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W, caller: Arc<Caller>, stop: CancellationToken) -> Self {
        let pending = Pending::default();
        let writer = Writer::new(write, stop.clone(), pending.clone());
        Self {
            lines: Lines::new(read, MAX_MESSAGE_BYTES),
            lane: Lane::new(writer.clone()),
            writer,
            pending,
            caller,
            stop,
            opened: false,
            refusal: None,
            deadline: None,
        }
    }

    /// The way of calls past the loop of the session.
    pub(crate) fn lane(&self) -> Arc<Lane<W>> {
        Arc::clone(&self.lane)
    }

    /// The next message for the loop of the session, or nothing when there will be none.
    async fn next_message(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.refusal_written().await;
            let line = tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                () = self.pending.changed(), if self.pending.len() >= MAX_PENDING => continue,
                line = self.lines.next(), if self.pending.len() < MAX_PENDING => line,
            };
            let parsed = match line {
                Ok(Line::Whole(bytes)) => message::parse(&bytes),
                Ok(Line::TooLong) => Parsed::Refused(Refusal::too_large()),
                Ok(Line::End) => return None,
                Err(error) => {
                    tracing::warn!(%error, "could not read from the client");
                    return None;
                }
            };
            match parsed {
                Parsed::Message(message) if self.admits(&message) => {
                    if let Some(canceled) = self.pending.received(&message) {
                        self.lane.cancel(canceled);
                    }
                    if let Some(message) = self.lane.take(*message) {
                        return Some(message);
                    }
                }
                Parsed::Message(_) | Parsed::Nothing => {}
                Parsed::Refused(refusal) => self.refuse(&refusal),
            }
        }
    }

    /// Before an era is chosen, rmcp takes anything but a request as the end of the session.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let ClientJsonRpcMessage::Request(request) = message {
            self.opened |= opens(&request.request);
            return true;
        }
        self.opened
    }

    /// Writes in a task of its own: `receive` may be dropped at any await.
    fn refuse(&mut self, refusal: &Refusal) {
        let (writer, line) = (self.writer.clone(), refusal.to_json());
        self.refusal = Some(tokio::spawn(async move {
            // A client that is gone is seen by `stop`.
            let _ = writer.line(line).await;
        }));
    }

    /// Waits for the last refusal, so that a client which sends rubbish and reads nothing stops
    /// being read instead of filling the memory.
    async fn refusal_written(&mut self) {
        if let Some(writing) = &mut self.refusal {
            let _ = writing.await;
            self.refusal = None;
        }
    }

    /// Lets what is under way come to its end.
    async fn drain(&mut self, deadline: Instant) {
        loop {
            self.caller.cancel_parked();
            if self.pending.len() == 0 {
                return;
            }
            tokio::select! {
                () = self.pending.changed() => {}
                () = tokio::time::sleep(PARKED_CHECK) => {}
                () = tokio::time::sleep_until(deadline) => return,
            }
        }
    }

    /// Waits until the handler has every stream that was asked for. rmcp stops listening to itself
    /// once this transport has ended: a stream that is then still being opened would never be
    /// told to close, and rmcp waits five seconds for it.
    async fn streams_opened(&mut self, deadline: Instant) {
        while self.caller.listening.load(Ordering::SeqCst) < self.pending.streams()
            && Instant::now() < deadline
        {
            tokio::time::sleep(STREAM_CHECK).await;
        }
    }
}

/// Whether a request tells the era, as rmcp's session decides it.
fn opens(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(known)
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, pending) = (self.writer.clone(), self.pending.clone());
        async move {
            let request = answers(&message);
            let written = writer.message(message).await;
            if let Some(request) = request {
                pending.answered(&request);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if self.deadline.is_none() {
            if let Some(message) = self.next_message().await {
                return Some(message);
            }
            self.deadline = Some(Instant::now() + self.caller.options.end_grace);
        }
        if let Some(deadline) = self.deadline {
            self.refusal_written().await;
            self.drain(deadline).await;
            self.streams_opened(deadline).await;
        }
        self.caller.closing.cancel();
        self.lane.end(LAST_WORDS).await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.close().await;
        Ok(())
    }
}
