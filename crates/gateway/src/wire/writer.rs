//! Whole lines to one stream, from many callers. A caller that goes away leaves no half line.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

/// How many lines may wait for a server that does not read.
const MAX_WAITING: usize = 64;

/// Where lines are put; clones write to the same stream.
#[derive(Clone)]
pub(crate) struct Writer(mpsc::Sender<Order>);

/// What became of the line that is being written.
#[derive(Clone)]
pub(crate) struct Writing {
    task: AbortHandle,
    /// Since when it is being written, if one is.
    since: Arc<Mutex<Option<Instant>>>,
}

impl Writing {
    /// Closes the stream, whatever was still to be written.
    pub(crate) fn abort(&self) {
        self.task.abort();
    }

    /// How long the reader has not taken what is there for it.
    pub(crate) fn stuck_for(&self) -> Duration {
        let since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        since.map(|since| since.elapsed()).unwrap_or_default()
    }
}

struct Order {
    line: Vec<u8>,
    written: oneshot::Sender<io::Result<()>>,
}

impl Writer {
    /// Begins to write. The stream is closed when the last of them is dropped and all is written,
    /// or at once by what comes with it: a reader that does not read would hold it open.
    pub(crate) fn new(stream: impl AsyncWrite + Send + Unpin + 'static) -> (Self, Writing) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        let since = Arc::default();
        let task = tokio::spawn(write_all(stream, receiver, Arc::clone(&since))).abort_handle();
        (Self(sender), Writing { task, since })
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

async fn write_all(
    mut stream: impl AsyncWrite + Unpin,
    mut orders: mpsc::Receiver<Order>,
    since: Arc<Mutex<Option<Instant>>>,
) {
    let note = |at| *since.lock().unwrap_or_else(PoisonError::into_inner) = at;
    while let Some(order) = orders.recv().await {
        note(Some(Instant::now()));
        let written = async {
            stream.write_all(&order.line).await?;
            stream.flush().await
        };
        let written = written.await;
        note(None);
        let broken = written.is_err();
        let _ = order.written.send(written);
        if broken {
            return;
        }
    }
}
