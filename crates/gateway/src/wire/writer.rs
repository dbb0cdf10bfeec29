//! Whole lines to one stream, from many callers. A caller that goes away leaves no half line.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

/// How many lines may wait for a server that does not read.
const MAX_WAITING: usize = 64;

/// Where lines are put; clones write to the same stream.
#[derive(Clone)]
pub(crate) struct Writer(mpsc::Sender<Order>);

struct Order {
    line: Vec<u8>,
    written: oneshot::Sender<io::Result<()>>,
}

impl Writer {
    /// Begins to write. The stream is closed when the last of them is dropped and all is written,
    /// or at once by what comes with it: a reader that does not read would hold it open.
    pub(crate) fn new(stream: impl AsyncWrite + Send + Unpin + 'static) -> (Self, AbortHandle) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        let writing = tokio::spawn(write_all(stream, receiver)).abort_handle();
        (Self(sender), writing)
    }

    /// Writes one line.
    pub(crate) async fn line(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let (written, answer) = oneshot::channel();
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.send(Order { line, written }).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

async fn write_all(mut stream: impl AsyncWrite + Unpin, mut orders: mpsc::Receiver<Order>) {
    while let Some(order) = orders.recv().await {
        let written = async {
            stream.write_all(&order.line).await?;
            stream.flush().await
        };
        let written = written.await;
        let broken = written.is_err();
        let _ = order.written.send(written);
        if broken {
            return;
        }
    }
}
