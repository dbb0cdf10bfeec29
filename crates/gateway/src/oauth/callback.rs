//! Where the browser comes back to: one request on the loopback, then nothing.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The path that the browser is sent to.
const PATH: &str = "/callback";
/// The most that is read of a request: what matters is its first line.
const MAX_REQUEST: usize = 16 * 1024;
/// What the person sees.
const DONE: &str = "You can close this window and go back to dogu.";

/// A port that waits for the browser.
pub(super) struct Callback {
    listener: TcpListener,
    port: u16,
}

impl Callback {
    pub(super) async fn listen(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(0))).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    pub(super) fn redirect_uri(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// The address that the browser came to, with what it brought. Whoever asks for anything
    /// else, such as an icon, is told that there is none.
    pub(super) async fn wait(self) -> io::Result<String> {
        loop {
            let (mut stream, _) = self.listener.accept().await?;
            let Some(target) = target(&mut stream).await else { continue };
            let is_it = target.strip_prefix(PATH).is_some_and(|rest| rest.starts_with('?'));
            let (status, text) = if is_it { ("200 OK", DONE) } else { ("404 Not Found", "") };
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
                text.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
            if is_it {
                return Ok(format!("http://127.0.0.1:{}{target}", self.port));
            }
        }
    }
}

/// What a `GET` asks for.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut chunk = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < MAX_REQUEST {
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(read) => request.extend_from_slice(&chunk[..read]),
        }
    }
    let text = String::from_utf8_lossy(&request);
    let mut words = text.lines().next()?.split(' ');
    (words.next() == Some("GET")).then(|| words.next().map(str::to_owned)).flatten()
}
