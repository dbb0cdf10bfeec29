//! The server as a process, over real pipes. Started with `SERVE` in its environment this program
//! is the server; without, it is the tests.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::print_stdout, reason = "it is its own test harness")]

mod common;

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use common::{call, initialize, modern, notification, request, text, tools};
use dogu_mcp::{ServeOptions, serve_stdio};
use serde_json::{Value, json};

const SERVE: &str = "DOGU_TEST_SERVE";

fn main() {
    if let Some(folder) = std::env::var_os(SERVE) {
        return serve(&PathBuf::from(folder));
    }
    for (name, test) in [
        ("lines_and_nothing_else", lines_and_nothing_else as fn()),
        ("an_end_before_the_beginning", an_end_before_the_beginning),
        ("an_end_with_an_open_stream", an_end_with_an_open_stream),
        ("a_client_that_no_longer_reads", a_client_that_no_longer_reads),
        ("fifty_megabytes", fifty_megabytes),
        ("files_instead_of_pipes", files_instead_of_pipes),
    ] {
        let began = Instant::now();
        test();
        println!("test {name} ... ok ({:?})", began.elapsed());
    }
}

fn serve(folder: &Path) {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let runtime = tools::runtime(folder).unwrap().build().unwrap();
    let never = std::future::pending();
    tokio.block_on(serve_stdio(runtime, ServeOptions::default(), never)).unwrap();
}

/// A server process; killed when it is no longer needed.
struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(SERVE, folder).stderr(Stdio::null());
    command
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(folder.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, stdin, stdout, _folder: folder }
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Waits for the end: what was still written, and how long it took.
    fn ended(&mut self) -> (String, Duration) {
        let began = Instant::now();
        let mut rest = String::new();
        if let Some(stdout) = &mut self.stdout {
            stdout.read_to_string(&mut rest).unwrap();
        }
        while self.child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(20), "it does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(self.child.wait().unwrap().success());
        (rest, began.elapsed())
    }
}

fn lines_and_nothing_else() {
    let mut server = Server::start();
    server.send(&initialize(1, "2025-06-18"));
    assert_eq!(server.receive()["result"]["protocolVersion"], "2025-06-18");
    server.send(&notification("notifications/initialized", json!({})));
    for id in 2..50 {
        let said = format!("a\n{id}");
        server.send(&request(id, "tools/call", call("echo", json!({"text": said}))));
        assert_eq!(text(&server.receive()), said);
    }
    server.stdin = None;
    let (rest, took) = server.ended();
    assert_eq!(rest, "");
    assert!(took < Duration::from_secs(1), "{took:?}");
}

fn an_end_before_the_beginning() {
    let mut server = Server::start();
    server.stdin = None;
    let (rest, took) = server.ended();
    assert_eq!(rest, "");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

fn an_end_with_an_open_stream() {
    let mut server = Server::start();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    server.send(&modern("sub", "subscriptions/listen", filter));
    assert_eq!(server.receive()["method"], "notifications/subscriptions/acknowledged");
    server.stdin = None;
    let (_, took) = server.ended();
    assert!(took < Duration::from_secs(1), "{took:?}");
}

fn a_client_that_no_longer_reads() {
    let mut server = Server::start();
    server.send(&initialize(1, "2025-11-25"));
    server.receive();
    server.stdout = None;
    server.send(&request(2, "tools/list", json!({})));
    let (_, took) = server.ended();
    assert!(took < Duration::from_secs(8), "{took:?}");
}

fn fifty_megabytes() {
    let mut server = Server::start();
    server.send(&initialize(1, "2025-11-25"));
    server.receive();
    server.send(&request(2, "tools/call", call("echo", json!({"text": "x".repeat(50_000_000)}))));
    assert_eq!(server.receive()["error"]["code"], -32600);
    server.send(&request(3, "tools/call", call("echo", json!({"text": "alive"}))));
    assert_eq!(text(&server.receive()), "alive");
}

fn files_instead_of_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let ping = modern(1, "tools/call", call("echo", json!({"text": "from a file"})));
    std::fs::write(&input, ping.to_string()).unwrap();
    let mut command = command(folder.path());
    command.stdin(File::open(&input).unwrap()).stdout(File::create(&output).unwrap());
    assert!(command.status().unwrap().success());
    let answer = std::fs::read_to_string(&output).unwrap();
    assert_eq!(text(&serde_json::from_str(&answer).unwrap()), "from a file");
}
