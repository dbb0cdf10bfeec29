//! How fast a code base is mapped: `make bench-map`.
//!
//! The tree is made of the sources of packages in `Cargo.lock`, the first ones up to a size, copied
//! below the target folder. `view_repo_map` runs through the whole pipeline: cold with an empty state folder,
//! warm with what the call before kept, and after one file changed. Figures are medians of rounds
//! in which all of them are done in turns.

#![expect(clippy::print_stdout, reason = "a program for people who measure")]
#![expect(clippy::unwrap_used, reason = "what is missing ends it")]
#![expect(clippy::disallowed_methods, reason = "it makes the tree that is measured")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_code::language::{Language, MAX_BYTES};
use dogu_runtime::{Runtime, Source, StateDir};
use dogu_tool::{Origin, Principal, Scope, ToolCall};
use serde_json::{Value, json};

const ROUNDS: usize = 5;
/// How much code the tree has, about: a call must be through within its time on any machine.
const TREE_BYTES: u64 = 30_000_000;

fn main() {
    let tree = tree();
    let (files, bytes) = size(&tree);
    let megabytes = bytes as f64 / 1e6;
    println!("{files} files of code, {megabytes:.1} MB, in {}", tree.display());
    let (mut cold, mut warm, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    let mut kept = 0;
    for round in 0..ROUNDS {
        let state = tempfile::tempdir().unwrap();
        cold.push(map(&tree, state.path()));
        warm.push(map(&tree, state.path()));
        let file = tree.join("changed.rs");
        std::fs::write(&file, format!("pub fn changed_{round}() {{}}\n")).unwrap();
        changed.push(map(&tree, state.path()));
        kept = kept_bytes(state.path());
    }
    for (name, mut times) in [("cold", cold), ("warm", warm), ("after a change", changed)] {
        times.sort();
        let seconds = times[ROUNDS / 2].as_secs_f64();
        println!(
            "{name:>14}: {:7.1} ms, {:8.0} files/s, {:6.1} MB/s",
            seconds * 1e3,
            files as f64 / seconds,
            megabytes / seconds
        );
    }
    println!("kept between calls: {:.1} MB", kept as f64 / 1e6);
}

/// One call, with the time that it took from a runtime that was not there before.
fn map(tree: &Path, state: &Path) -> Duration {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let begun = Instant::now();
    let result = tokio.block_on(async {
        let runtime = Runtime::builder(Scope::new(tree))
            .state(StateDir::open(state).unwrap())
            .tools(&Source::Builtin, dogu_builtin::all())
            .unwrap()
            .build()
            .unwrap();
        let step = runtime.step(Arc::new(Origin::of(Principal::process("bench"))));
        step.dispatch(ToolCall::new("c", "view_repo_map", json!({}))).await
    });
    let took = begun.elapsed();
    assert!(!result.is_error(), "{}", result.to_text());
    took
}

fn kept_bytes(state: &Path) -> u64 {
    let folders = std::fs::read_dir(state.join("cache")).unwrap();
    folders.map(|folder| folder.unwrap().path().join("outlines").metadata().unwrap().len()).sum()
}

/// A folder with a copy of every package's sources.
fn tree() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tree = Path::new(metadata["target_directory"].as_str().unwrap()).join("bench-map");
    std::fs::create_dir_all(&tree).unwrap();
    let mut bytes = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        let copy = tree.join(folder.file_name().unwrap());
        if package["source"].is_null() || bytes > TREE_BYTES {
            continue;
        }
        bytes += size(folder).1;
        if copy.exists() {
            continue;
        }
        let done = Command::new("cp").arg("-r").arg(folder).arg(&copy).status().unwrap();
        assert!(done.success(), "{}", folder.display());
    }
    tree
}

/// How many files the map parses, and how long they are.
fn size(folder: &Path) -> (usize, u64) {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            let inner = size(&path);
            files += inner.0;
            bytes += inner.1;
        } else if kind.is_file() && Language::of(&path, b"").is_some() {
            let length = entry.metadata().unwrap().len();
            if length <= MAX_BYTES as u64 {
                files += 1;
                bytes += length;
            }
        }
    }
    (files, bytes)
}
