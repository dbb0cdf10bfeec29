//! The real binary under MCP clients that others wrote: the two official SDKs (Python, `TypeScript`) and
//! the MCP Inspector, over both transports and in both eras of the protocol.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const DOGU: &str = env!("CARGO_BIN_EXE_dogu");
const HELLO: &str = "hello from a file";
const ERAS: [&str; 2] = ["legacy", "modern"];
/// How long a client may take: on a busy machine the Inspector needs seconds to start.
const PATIENCE: Duration = Duration::from_mins(2);

/// The folder that `scripts/setup-mcp-clients` fills.
fn clients() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let clients = workspace.join(".cache/mcp-clients");
    assert!(
        clients.join("stamp").is_file(),
        "the MCP clients are not in {}: run `make test`, or scripts/setup-mcp-clients",
        clients.display()
    );
    clients
}

/// A workspace with one file in it, and a home of its own for everything that dogu keeps.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work", "state", "config"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("work/hello.txt"), format!("{HELLO}\n")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn variables(&self) -> [(&'static str, String); 3] {
        [
            ("HOME", self.path("")),
            ("XDG_STATE_HOME", self.path("state")),
            ("XDG_CONFIG_HOME", self.path("config")),
        ]
    }

    /// How a client starts the server over stdio.
    fn stdio(&self) -> [String; 4] {
        [DOGU.to_owned(), "serve".to_owned(), "--root".to_owned(), self.path("work")]
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path("work")).envs(self.variables()).stdin(Stdio::null());
        command
    }
}

/// A child that does not outlive the test, however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that listens on a free port.
struct HttpServer {
    url: String,
    token: String,
    _child: Running,
}

impl HttpServer {
    fn start(place: &Place) -> Self {
        let mut command = place.command(DOGU);
        command.args(["serve", "--http", "127.0.0.1:0", "--root", &place.path("work")]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut child = Running(child);
        let url = listening(child.0.stderr.take().unwrap());
        let token = place.command(DOGU).args(["mcp", "tokens", "add", "test"]).output().unwrap();
        let token = String::from_utf8(token.stdout).unwrap().trim().to_owned();
        Self { url, token, _child: child }
    }
}

/// The address that the server prints, once it listens. The rest is read too: a full pipe would
/// stop it.
fn listening(stderr: impl std::io::Read + Send + 'static) -> String {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let mut seen = Vec::new();
    loop {
        let line = receiver.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|error| panic!("it does not listen: {error}: {seen:?}"));
        let address = line.split_whitespace().find(|word| word.starts_with("http://127.0.0.1:"));
        if let Some(address) = address {
            let end = address.find("/mcp").unwrap_or_else(|| panic!("no endpoint in {line:?}"));
            return format!("{}/mcp", &address[..end]);
        }
        seen.push(line);
    }
}

/// Runs a client to its end.
fn run(mut command: Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = Running(child.unwrap_or_else(|error| panic!("{command:?}: {error}")));
    let stdout = drained(child.0.stdout.take().unwrap());
    let stderr = drained(child.0.stderr.take().unwrap());
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.0.try_wait().unwrap() {
            break status;
        }
        assert!(began.elapsed() < PATIENCE, "{command:?} does not end");
        thread::sleep(Duration::from_millis(10));
    };
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

fn drained(mut stream: impl std::io::Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

fn shown(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// The checks of `scripts/mcp_client_check.py`.
fn python(place: &Place, transport: &str, target: &[String]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/mcp_client_check.py");
    let mut command = place.command(clients().join("python/bin/python"));
    command.arg(script).arg(transport).arg(place.path("work")).args(target);
    let output = run(command);
    assert!(output.status.success(), "{}", shown(&output));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let passed = stdout.lines().filter(|line| line.starts_with("ok ")).count();
    assert_eq!(passed, 30, "{}", shown(&output));
}

/// The checks of `scripts/mcp_client_check.mjs`.
fn typescript(place: &Place, transport: &str, target: &[String]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/mcp_client_check.mjs");
    let modules = clients().join("node/node_modules").canonicalize().unwrap();
    let mut command = place.command(modules.join(".bin/node"));
    command
        .env("MCP_SDK", modules.join("@modelcontextprotocol/client"))
        .arg(script)
        .arg(transport)
        .arg(place.path("work"))
        .args(target);
    let output = run(command);
    assert!(output.status.success(), "{}", shown(&output));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let passed = stdout.lines().filter(|line| line.starts_with("ok ")).count();
    assert_eq!(passed, 10, "{}", shown(&output));
}

/// The Inspector on the command line, with what it needs to reach a server.
struct Inspector<'a> {
    place: &'a Place,
    era: &'a str,
    options: Vec<String>,
    target: Vec<String>,
}

impl Inspector<'_> {
    fn run(&self, arguments: &[&str]) -> Output {
        let bin = clients().join("node/node_modules/.bin");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = self.place.command(bin.join("mcp-inspector"));
        command
            .env("PATH", format!("{}:{path}", bin.display()))
            .args(["--cli", "--protocol-era", self.era, "--format", "json"])
            .args(&self.options)
            .args(arguments)
            .arg("--")
            .args(&self.target);
        run(command)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}: {}", self.era, shown(&output));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", shown(&output)))
    }

    fn call(&self, tool: &str, arguments: &Value) -> Output {
        let arguments = arguments.to_string();
        self.run(&["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments])
    }

    fn check(&self) {
        let list = self.json(&["--method", "tools/list", "--strict"]);
        let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
        let find = |name: &str| tools.iter().find(|tool| tool["name"] == name);
        for name in ["read_file", "write_file", "list_files"] {
            let tool = find(name).unwrap_or_else(|| panic!("no {name}: {list}"));
            assert_eq!(tool["inputSchema"]["type"], "object");
        }
        assert_eq!(find("read_file").unwrap()["annotations"]["readOnlyHint"], true);

        let output = self.call("read_file", &json!({ "path": "hello.txt" }));
        assert!(output.status.success(), "{}", shown(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(HELLO), "{answer}");

        let write = json!({ "path": "new.txt", "content": "x" });
        let output = self.call("write_file", &write);
        // The Inspector's code for a result that is an error.
        assert_eq!(output.status.code(), Some(5), "{}", shown(&output));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["result"]["isError"], true);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("Permission denied for tool: write_file"), "{answer}");
        assert!(!Path::new(&self.place.path("work/new.txt")).exists());
    }
}

#[test]
#[ignore = "needs what scripts/setup-mcp-clients installs; make test runs it"]
fn the_python_sdk_over_stdio() {
    let place = Place::new();
    python(&place, "stdio", &place.stdio());
}

#[test]
#[ignore = "needs what scripts/setup-mcp-clients installs; make test runs it"]
fn the_python_sdk_over_http() {
    let place = Place::new();
    let server = HttpServer::start(&place);
    python(&place, "http", &[server.url.clone(), server.token.clone()]);
}

#[test]
#[ignore = "needs what scripts/setup-mcp-clients installs; make test runs it"]
fn the_typescript_sdk_over_stdio() {
    let place = Place::new();
    typescript(&place, "stdio", &place.stdio());
}

#[test]
#[ignore = "needs what scripts/setup-mcp-clients installs; make test runs it"]
fn the_typescript_sdk_over_http() {
    let place = Place::new();
    let server = HttpServer::start(&place);
    typescript(&place, "http", &[server.url.clone(), server.token.clone()]);
}

#[test]
#[ignore = "needs what scripts/setup-mcp-clients installs; make test runs it"]
fn the_inspector_over_stdio() {
    let place = Place::new();
    // The Inspector hands on nothing but what it is told to.
    let variables = place.variables().map(|(name, value)| format!("{name}={value}"));
    let options: Vec<String> =
        variables.into_iter().flat_map(|variable| ["-e".to_owned(), variable]).collect();
    for era in ERAS {
        let target = place.stdio().to_vec();
        Inspector { place: &place, era, options: options.clone(), target }.check();
    }
}

#[test]
#[ignore = "needs what scripts/setup-mcp-clients installs; make test runs it"]
fn the_inspector_over_http() {
    let place = Place::new();
    let server = HttpServer::start(&place);
    let header = format!("Authorization: Bearer {}", server.token);
    let options: Vec<String> =
        ["--transport", "http", "--header", &header].map(str::to_owned).to_vec();
    for era in ERAS {
        let target = vec![server.url.clone()];
        Inspector { place: &place, era, options: options.clone(), target }.check();
    }
}

#[test]
#[ignore = "needs what scripts/setup-mcp-clients installs; make test runs it"]
fn the_inspector_finds_the_user_interface_of_a_server_behind_the_gateway() {
    let place = Place::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/app_server.py");
    let arguments = json!([script, "one", place.path("notes")]);
    let settings = format!("mcp_servers: {{one: {{command: python3, args: {arguments}}}}}\n");
    std::fs::create_dir(place.path("config/dogu")).unwrap();
    std::fs::write(place.path("config/dogu/config.yaml"), settings).unwrap();
    // Its tools are known from now on, and listed before it has started.
    let mut call = place.command(DOGU);
    let called = call.args(["call", "one__plain", "--approve", "all"]).output().unwrap();
    assert!(called.status.success(), "{}", shown(&called));
    let path = ("PATH", std::env::var("PATH").unwrap());
    let variables = place.variables().into_iter().chain([path]);
    let options: Vec<String> =
        variables.flat_map(|(name, value)| ["-e".to_owned(), format!("{name}={value}")]).collect();
    for era in ERAS {
        let target = [&place.stdio()[..], &["--approve".to_owned(), "all".to_owned()]].concat();
        let inspector = Inspector { place: &place, era, options: options.clone(), target };
        let call = ["--method", "tools/call", "--tool-name", "one__show", "--app-info"];
        let info = &inspector.json(&call)["appInfo"];
        assert_eq!(info["hasApp"], true, "{info}");
        assert_eq!(info["resourceUri"], "ui://one/view");
        assert_eq!(info["resourceMimeType"], "text/html;profile=mcp-app");
        assert_eq!(info["csp"], json!({"connectDomains": ["https://api.example.com"]}));
    }
}
