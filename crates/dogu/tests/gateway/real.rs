//! Servers of others, installed by `scripts/setup-mcp-servers`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use dogu::gateway::Standing;
use dogu::runtime::mcp::McpServer;
use dogu::tool::Content;
use serde_json::json;

use crate::support::{Build, World};

fn installed(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/mcp-servers");
    let path = root.join(path);
    assert!(path.exists(), "{} is missing: run scripts/setup-mcp-servers", path.display());
    path
}

fn node() -> String {
    installed("node/node_modules/.bin/node").display().to_string()
}

fn everything() -> String {
    let script = "node/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    installed(script).display().to_string()
}

/// What the server with everything has, whatever it is reached by.
async fn has_everything(world: &World) {
    assert_eq!(world.call("all__echo", json!({"message": "hi"})).await.to_text(), "Echo: hi");
    assert!(world.call("all__get-sum", json!({"a": 2, "b": 3})).await.to_text().contains('5'));
    let image = world.call("all__get-tiny-image", json!({})).await;
    assert!(image.content.iter().any(|content| matches!(content, Content::Image { .. })));
    let structured =
        world.call("all__get-structured-content", json!({"location": "Chicago"})).await;
    assert!(structured.structured.is_some(), "{}", structured.to_text());
    let links = world.call("all__get-resource-links", json!({"count": 2})).await;
    let is_link = |content: &&Content| matches!(content, Content::Resource { .. });
    assert_eq!(links.content.iter().filter(is_link).count(), 2, "{}", links.to_text());
    let wrong = world.call("all__get-sum", json!({"a": "x"})).await.to_text();
    assert!(wrong.contains("E_TOOL_INVALID_ARGS"), "{wrong}");
}

#[tokio::test]
#[ignore = "needs scripts/setup-mcp-servers"]
async fn m1_the_server_with_everything_over_stdio() {
    let server = McpServer::program(node(), [everything(), "stdio".to_owned()]);
    let world = Build::new().server("all", server).world().loaded().await;
    assert_eq!(world.names().len(), 13, "{:?}", world.names());
    has_everything(&world).await;
    let long = json!({"duration": 1, "steps": 2});
    let result = world.call("all__trigger-long-running-operation", long).await.to_text();
    assert!(result.contains("completed"), "{result}");
    let input = json!({"server_name": "all", "uri": "demo://resource/dynamic/text/1"});
    let resource = world.call("access_mcp_resource", input).await;
    assert!(!resource.is_error(), "{}", resource.to_text());
}

/// A server in a process of its own, which ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn answers(port: u16) {
    for _ in 0..1_000 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("nothing listens at {port}");
}

#[tokio::test]
#[ignore = "needs scripts/setup-mcp-servers"]
async fn m1_the_server_with_everything_over_http() {
    let port = free_port();
    let mut command = Command::new(node());
    command.args([everything(), "streamableHttp".to_owned()]).env("PORT", port.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let running = Running(command.spawn().unwrap());
    answers(port).await;
    let server = McpServer::address(format!("http://127.0.0.1:{port}/mcp"));
    let world = Build::new().server("all", server).world().loaded().await;
    has_everything(&world).await;
    drop(running);
    let gone = world.call("all__echo", json!({"message": "hi"})).await;
    assert!(gone.is_error(), "a server that is gone is an error, not a wait");
}

const PYTHON_SERVER: &str = "
import sys
from mcp.server import MCPServer

server = MCPServer('py', version='7')

@server.tool()
def add(a: int, b: int) -> int:
    'Adds two numbers'
    return a + b

@server.tool()
def broken() -> str:
    'Always fails'
    raise ValueError('as always')

@server.resource('note://one')
def note() -> str:
    return 'first note'

server.run(transport=sys.argv[1])
";

#[tokio::test]
#[ignore = "needs scripts/setup-mcp-servers"]
async fn m1_a_server_of_the_python_sdk_speaks_the_newer_era() {
    let build = Build::new();
    let script = build.folder.path().join("server.py");
    std::fs::write(&script, PYTHON_SERVER).unwrap();
    let python = installed("python/bin/python").display().to_string();
    let words = [script.display().to_string(), "stdio".to_owned()];
    let world = build.server("py", McpServer::program(python, words)).world().loaded().await;
    let sum = world.call("py__add", json!({"a": 20, "b": 22})).await;
    assert!(sum.to_text().contains("42"), "{}", sum.to_text());
    let failed = world.call("py__broken", json!({})).await;
    assert!(
        failed.is_error() && failed.to_text().contains("Error executing tool broken"),
        "{}",
        failed.to_text()
    );
    let input = json!({"server_name": "py", "uri": "note://one"});
    assert_eq!(world.call("access_mcp_resource", input).await.to_text(), "first note");
    let Standing::Up { protocol, .. } = &world.gateway.statuses()[0].standing else { panic!() };
    assert_eq!(protocol.as_deref(), Some("2026-07-28"));
}
