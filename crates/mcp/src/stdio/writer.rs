//! Whole lines to one stream, from many tasks.

use std::io;
use std::sync::Arc;

use rmcp::model::ServerJsonRpcMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::text::line_of;

/// Writes whole lines. Clones share the stream.
pub(crate) struct Writer<W> {
    stream: Arc<Mutex<Option<W>>>,
    /// Set when nobody reads any more.
    broken: CancellationToken,
}

impl<W> Clone for Writer<W> {
    fn clone(&self) -> Self {
        Self { stream: Arc::clone(&self.stream), broken: self.broken.clone() }
    }
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    pub(crate) fn new(stream: W, broken: CancellationToken) -> Self {
        Self { stream: Arc::new(Mutex::new(Some(stream))), broken }
    }

    /// Writes a message as a line. The future must be run to its end.
    pub(crate) async fn message(&self, message: ServerJsonRpcMessage) -> io::Result<()> {
        self.line(line_of(message)?).await
    }

    /// Writes one line. The future must be run to its end, else half a line stays behind.
    pub(crate) async fn line(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut stream = self.stream.lock().await;
        let Some(stream) = stream.as_mut() else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let written = async {
            stream.write_all(&line).await?;
            stream.flush().await
        };
        written.await.inspect_err(|_| self.broken.cancel())
    }

    /// Closes the stream; what is written afterwards is an error.
    pub(crate) async fn close(&self) {
        self.stream.lock().await.take();
    }
}
