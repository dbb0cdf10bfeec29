//! What the tests of this crate share: small tools, messages of both eras, a client of lines.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::needless_pass_by_value, reason = "`json!` reads better without a reference")]

pub(crate) mod http;
pub(crate) mod tools;
pub(crate) mod wire;

use serde_json::{Value, json};

/// A request of the first era.
pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

/// A request of 2026-07-28: it carries everything itself.
pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    let meta = params.as_object_mut().unwrap().entry("_meta").or_insert_with(|| json!({}));
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    request(id, method, params)
}

/// The same from a client that can do these things.
pub(crate) fn modern_with(
    capabilities: Value,
    id: impl Into<Value>,
    method: &str,
    params: Value,
) -> Value {
    let mut request = modern(id, method, params);
    request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    request
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(crate) fn initialize(id: u64, version: &str) -> Value {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    request(id, "initialize", params)
}

/// The same from a client that can do these things.
pub(crate) fn initialize_with(id: u64, version: &str, capabilities: Value) -> Value {
    let mut request = initialize(id, version);
    request["params"]["capabilities"] = capabilities;
    request
}

/// The params of `tools/call`.
pub(crate) fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

/// The text of a result's first block.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}
