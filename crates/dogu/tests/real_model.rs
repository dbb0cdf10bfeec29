//! What a real language model writes, in three wire formats, as a real server sends it.
//!
//! The model is so small that it knows little, but its server makes it call a tool, and its
//! stream is nobody's idea of a stream.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// Each wire format: the word for it, where it is asked, and the names of its fields.
const FORMATS: [Format; 3] = [
    Format { name: "openai", path: "v1/chat/completions", limit: "max_tokens" },
    Format { name: "anthropic", path: "v1/messages", limit: "max_tokens" },
    Format { name: "responses", path: "v1/responses", limit: "max_output_tokens" },
];

struct Format {
    name: &'static str,
    path: &'static str,
    limit: &'static str,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Python, with the server in it.
fn python() -> Command {
    let model = root().join(".cache/model");
    assert!(
        model.join("stamp").is_file(),
        "the model is not in {}: run `make test`, or scripts/setup-model",
        model.display()
    );
    let mut command = Command::new(model.join("python/bin/python"));
    command.arg(root().join("scripts/model.py"));
    command
}

/// The model's server; gone after the test.
struct Model {
    server: Child,
    port: u16,
}

impl Model {
    fn start() -> Self {
        let mut command = python();
        command.arg("serve").arg(root().join(".cache/model/model.gguf"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().unwrap();
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        // The server itself may say something first.
        let port = lines.map_while(Result::ok).find_map(|line| line.trim().parse().ok());
        Self { server, port: port.expect("the server tells its port") }
    }

    /// The response, as it came over the wire.
    fn ask(&self, format: &Format, tokens: usize) -> Vec<u8> {
        let url = format!("http://127.0.0.1:{}/{}", self.port, format.path);
        let mut command = python();
        command.args(["ask", &url]);
        run(command, body(format, tokens).to_string().as_bytes())
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn run(mut command: Command, stdin: &[u8]) -> Vec<u8> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    child.wait_with_output().unwrap().stdout
}

fn dogu(arguments: &[&str], folder: &Path, stdin: &[u8]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dogu"));
    command.args(arguments).current_dir(folder).env("XDG_STATE_HOME", folder.join("state"));
    command.env("XDG_CONFIG_HOME", folder.join("config")).env("HOME", folder);
    run(command, stdin)
}

/// A question that the server answers with a call, whatever the model thinks.
fn body(format: &Format, tokens: usize) -> Value {
    // All tools together are more than so small a model can read.
    let list = ["tools", "list_files", "--format", format.name];
    let tools = dogu(&list, &std::env::temp_dir(), b"");
    let question = "List the files of this folder.";
    let mut body = json!({
        "model": "any",
        "stream": true,
        "temperature": 0,
        "tools": serde_json::from_slice::<Value>(&tools).unwrap(),
        "tool_choice": "required",
        "messages": [{"role": "user", "content": question}],
    });
    body[format.limit] = json!(tokens);
    match format.name {
        "anthropic" => body["tool_choice"] = json!({"type": "any"}),
        "responses" => body["input"] = json!(question),
        _ => {}
    }
    body
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn events<'l>(lines: &'l [Value], name: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["event"] == name).collect()
}

#[test]
#[ignore = "needs the model that `make test` installs"]
fn a_real_model_is_read_and_answered_in_every_format() {
    let model = Model::start();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("README.md"), "# Hello\n").unwrap();
    for format in &FORMATS {
        let wire = model.ask(format, 400);
        let shown = String::from_utf8_lossy(&wire);
        let parsed = lines(&dogu(&["parse"], folder.path(), &wire));
        let named = lines(&dogu(
            &["parse", "--protocol", format.name, "--chunk", "5"],
            folder.path(),
            &wire,
        ));
        let calls = events(&parsed, "call");
        assert!(!calls.is_empty(), "{}: {shown}", format.name);
        assert_eq!(calls, events(&named, "call"), "{}", format.name);
        assert!(calls.iter().all(|call| call["notes"] == json!([])), "{calls:?}");
        let ids: Vec<&Value> = calls.iter().map(|call| &call["id"]).collect();
        let answers = lines(&dogu(&["dispatch"], folder.path(), &wire));
        let answers = match format.name {
            "anthropic" => answers[0]["content"].as_array().unwrap().clone(),
            _ => answers,
        };
        let key = match format.name {
            "anthropic" => "tool_use_id",
            "responses" => "call_id",
            _ => "tool_call_id",
        };
        let answered: Vec<&Value> = answers.iter().map(|answer| &answer[key]).collect();
        assert_eq!(answered, ids, "{}", format.name);
    }
}

#[test]
#[ignore = "needs the model that `make test` installs"]
fn a_call_that_the_length_limit_cut_off_is_not_made() {
    let model = Model::start();
    let folder = tempfile::tempdir().unwrap();
    for format in &FORMATS {
        let wire = model.ask(format, 12);
        let parsed = lines(&dogu(&["parse"], folder.path(), &wire));
        let shown = String::from_utf8_lossy(&wire);
        assert!(!wire.is_empty(), "{}: no answer", format.name);
        assert_eq!(events(&parsed, "call").len(), 0, "{}: {shown}", format.name);
    }
}
