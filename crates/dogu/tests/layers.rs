//! The crates are in layers, and what is lower knows nothing of what is higher.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Every crate, from the lowest to the highest. Each may use those before it.
const ORDER: [&str; 20] = [
    "dogu-install",
    "dogu-output",
    "dogu-tool",
    "dogu-protocol",
    "dogu-policy",
    "dogu-edit",
    "dogu-code",
    "dogu-net",
    "dogu-sandbox",
    "dogu-process",
    "dogu-runtime",
    "dogu-builtin",
    "dogu-gateway",
    "dogu-mcp",
    "dogu-jupyter",
    "dogu-bundle",
    "dogu-dialect",
    "dogu-agent",
    "dogu-server",
    "dogu",
];

/// These use no crate but `dogu-tool` and what is below it, not even each other.
const PURE: [&str; 4] = ["dogu-protocol", "dogu-policy", "dogu-edit", "dogu-code"];

/// A crate and the crates of the workspace that it uses.
type Uses = (String, Vec<String>);

#[test]
fn r29_no_crate_depends_upwards() {
    let graph = workspace();
    assert!(graph.iter().any(|(name, uses)| name == "dogu" && !uses.is_empty()), "{graph:?}");
    let problems = problems(&graph);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn r29_an_upward_edge_is_reported() {
    let found = |name: &str, uses: &[&str]| {
        problems(&[(name.to_owned(), uses.iter().map(ToString::to_string).collect())])
    };
    assert_eq!(found("dogu-runtime", &["dogu-tool", "dogu-policy"]), [""; 0]);
    assert_eq!(found("dogu-policy", &["dogu-tool"]), [""; 0]);
    assert_eq!(found("dogu-tool", &["dogu-runtime"]), ["dogu-tool may not use dogu-runtime"]);
    assert_eq!(found("dogu-builtin", &["dogu-mcp"]), ["dogu-builtin may not use dogu-mcp"]);
    assert_eq!(found("dogu-edit", &["dogu-policy"]), ["dogu-edit may not use dogu-policy"]);
    assert_eq!(found("dogu-mcp", &["dogu"]), ["dogu-mcp may not use dogu"]);
    assert_eq!(found("dogu-new", &[]), ["dogu-new is in no layer"]);
    assert_eq!(found("dogu", &["dogu-new"]), ["dogu-new is in no layer"]);
}

fn problems(graph: &[Uses]) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, uses) in graph {
        let Some(own) = place(name) else {
            problems.push(format!("{name} is in no layer"));
            continue;
        };
        for used in uses {
            match place(used) {
                None => problems.push(format!("{used} is in no layer")),
                Some(at)
                    if at >= own
                        || (PURE.contains(&name.as_str()) && Some(at) > place("dogu-tool")) =>
                {
                    problems.push(format!("{name} may not use {used}"));
                }
                Some(_) => {}
            }
        }
    }
    problems
}

fn place(name: &str) -> Option<usize> {
    ORDER.iter().position(|entry| *entry == name)
}

/// What each crate of the workspace needs to be built; what only its tests need does not count.
fn workspace() -> Vec<Uses> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(manifest)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().iter().map(uses).collect()
}

fn uses(package: &Value) -> Uses {
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    let own = dependencies.filter(|one| one["kind"] != "dev" && one["path"].is_string());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&package["name"]), own.map(|one| text(&one["name"])).collect())
}
