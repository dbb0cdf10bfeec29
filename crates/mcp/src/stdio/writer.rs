//! Whole lines to one stream, from many threads. Who finds nobody writing writes, and also what
//! others bring meanwhile: no thread waits for another, and what came together goes out together.

use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{RequestId, ServerJsonRpcMessage};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::pending::Pending;
use super::text::line_of;

/// Writes whole lines. Clones share the stream.
pub(crate) struct Writer<W>(Arc<Shared<W>>);

struct Shared<W> {
    outbox: Mutex<Outbox>,
    /// Held by the one who writes.
    stream: tokio::sync::Mutex<Option<W>>,
    /// Set when nobody reads any more.
    broken: CancellationToken,
    pending: Pending,
}

#[derive(Default)]
struct Outbox {
    lines: Vec<Outgoing>,
    /// Somebody writes, and looks here again before he stops.
    writing: bool,
}

struct Outgoing {
    line: Vec<u8>,
    after: After,
}

/// What is done once a line was written.
enum After {
    /// The request was answered.
    Answered(RequestId),
    /// Somebody waits for it.
    Tell(oneshot::Sender<()>),
}

impl<W> Clone for Writer<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    pub(crate) fn new(stream: W, broken: CancellationToken, pending: Pending) -> Self {
        let stream = tokio::sync::Mutex::new(Some(stream));
        Self(Arc::new(Shared { outbox: Mutex::default(), stream, broken, pending }))
    }

    /// Writes the answer to a request, or leaves it to the one who writes. The future must be run
    /// to its end.
    pub(crate) async fn answer(&self, message: ServerJsonRpcMessage, request: RequestId) {
        match line_of(message) {
            Ok(line) => self.put(line, After::Answered(request)).await,
            Err(error) => {
                tracing::warn!(%error, "an answer could not be written");
                self.0.pending.answered(&request);
            }
        }
    }

    /// Writes a message as a line. The future must be run to its end.
    pub(crate) async fn message(&self, message: ServerJsonRpcMessage) -> io::Result<()> {
        self.line(line_of(message)?).await
    }

    /// Writes one line, and waits until it is written. The future must be run to its end, else
    /// half a line stays behind.
    pub(crate) async fn line(&self, line: Vec<u8>) -> io::Result<()> {
        let (tell, written) = oneshot::channel();
        self.put(line, After::Tell(tell)).await;
        written.await.map_err(|_| io::ErrorKind::NotConnected.into())
    }

    /// Closes the stream; what is written afterwards is an error.
    pub(crate) async fn close(&self) {
        self.0.stream.lock().await.take();
    }

    /// Whether something is on its way.
    pub(crate) fn is_busy(&self) -> bool {
        self.outbox().writing
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.0.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn put(&self, mut line: Vec<u8>, after: After) {
        line.push(b'\n');
        {
            let mut outbox = self.outbox();
            outbox.lines.push(Outgoing { line, after });
            if std::mem::replace(&mut outbox.writing, true) {
                return;
            }
        }
        let mut stream = self.0.stream.lock().await;
        while let Some(lines) = self.next() {
            let written = match stream.as_mut() {
                Some(stream) => write(stream, &lines).await,
                None => Err(io::ErrorKind::NotConnected.into()),
            };
            if written.is_err() {
                self.0.broken.cancel();
            }
            for line in lines {
                self.after(line.after, written.is_ok());
            }
        }
    }

    /// What came meanwhile; none where the next one writes for himself.
    fn next(&self) -> Option<Vec<Outgoing>> {
        let mut outbox = self.outbox();
        outbox.writing = !outbox.lines.is_empty();
        outbox.writing.then(|| std::mem::take(&mut outbox.lines))
    }

    fn after(&self, after: After, is_written: bool) {
        match after {
            After::Answered(request) => self.0.pending.answered(&request),
            // Who waits may have gone. What was not written is told by the silence.
            After::Tell(tell) if is_written => drop(tell.send(())),
            After::Tell(_) => {}
        }
    }
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), lines: &[Outgoing]) -> io::Result<()> {
    let mut slices: Vec<IoSlice<'_>> = lines.iter().map(|line| IoSlice::new(&line.line)).collect();
    let mut rest = slices.as_mut_slice();
    while !rest.is_empty() {
        match stream.write_vectored(rest).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            size => IoSlice::advance_slices(&mut rest, size),
        }
    }
    stream.flush().await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn lines_of_many_arrive_whole_and_each_is_told() {
        let (to, mut from) = tokio::io::duplex(100);
        let writer = Writer::new(to, CancellationToken::new(), Pending::default());
        let writing = (0..200).map(|number: usize| {
            let writer = writer.clone();
            let line = number.to_string().repeat(number % 50 + 1).into_bytes();
            tokio::spawn(async move { writer.line(line).await })
        });
        let writing: Vec<_> = writing.collect();
        let reading = tokio::spawn(async move {
            let mut all = String::new();
            from.read_to_string(&mut all).await.unwrap();
            all
        });
        for line in writing {
            line.await.unwrap().unwrap();
        }
        assert!(!writer.is_busy());
        writer.close().await;
        let all = reading.await.unwrap();
        let mut lines: Vec<&str> = all.lines().collect();
        let mut wanted: Vec<String> =
            (0..200).map(|number: usize| number.to_string().repeat(number % 50 + 1)).collect();
        lines.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(lines, wanted);
    }

    #[tokio::test]
    async fn who_waits_is_not_told_of_what_nobody_reads() {
        let (to, from) = tokio::io::duplex(10);
        let broken = CancellationToken::new();
        let writer = Writer::new(to, broken.clone(), Pending::default());
        let mut first = {
            let writer = writer.clone();
            tokio::spawn(async move { writer.line(vec![b'x'; 100]).await })
        };
        let waited = tokio::time::timeout(Duration::from_millis(20), &mut first).await;
        assert!(waited.is_err(), "it is half written");
        let second = writer.clone();
        let second = tokio::spawn(async move { second.line(b"more".to_vec()).await });
        while writer.outbox().lines.is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(!second.is_finished() && !broken.is_cancelled());
        drop(from);
        assert!(first.await.unwrap().is_err() && second.await.unwrap().is_err());
        assert!(broken.is_cancelled());
        writer.close().await;
        assert!(writer.line(b"late".to_vec()).await.is_err());
    }
}
