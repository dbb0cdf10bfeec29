//! Memory of tools that walk: live bytes are counted by an allocator of this binary's own.

#![expect(unsafe_code, reason = "an allocator that counts cannot be written without")]
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

#[path = "../../runtime/tests/counting/mod.rs"]
mod counting;

use std::path::Path;
use std::sync::atomic::Ordering;

use counting::{LIVE, PEAK};
use dogu_runtime::RuntimeContext;
use dogu_tool::ToolResult;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a call may take, all in all.
const MAX_BYTES: isize = 24 * 1024 * 1024;
const MANY: usize = 100_000;

/// What a call answers, in bounded memory.
fn answer(folder: &Path, name: &str, input: Value) -> String {
    let tool = dogu_builtin::all().into_iter().find(|tool| tool.spec().name.as_str() == name);
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let output = tokio.block_on(RuntimeContext::bare(folder, &tool.unwrap(), input)).unwrap();
    let peak = PEAK.load(Ordering::Relaxed) - before;
    println!("{name}: {} KB at the most", peak / 1024);
    assert!(peak < MAX_BYTES, "{name}: {peak} bytes");
    ToolResult::ok("c", name, output).to_text()
}

/// One test, so that nothing else is counted.
#[test]
fn f14_f15_f19_folders_with_very_many_entries_take_bounded_memory() {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    let folder = TempDir::new_in(base).unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("files")).unwrap();
    std::fs::create_dir(root.join("folders")).unwrap();
    for n in 0..MANY {
        std::fs::write(root.join(format!("files/a-file-with-a-number-{n:06}")), "").unwrap();
    }
    for n in 0..MANY / 4 {
        std::fs::create_dir(root.join(format!("folders/a-folder-with-a-number-{n:06}"))).unwrap();
    }
    let all = MANY + MANY / 4 + 2;

    let text = answer(root, "glob", json!({"pattern": "*", "limit": 10_000, "offset": 15_000}));
    assert!(text.contains(&format!("of {MANY}, newest first; ")), "{}", text.len());

    let text = answer(root, "list_files", json!({"path": "folders"}));
    assert!(text.contains(&format!("(only 1000 of {} names, ", MANY / 4)), "{}", text.len());
    let text = answer(root, "list_files", json!({"recursive": true, "limit": 10}));
    assert!(text.starts_with(&format!("files/ ({} names not shown)\n", MANY - 8)), "{text}");
    assert!(text.contains(&format!("(only 10 of {all} names, ")), "{text}");

    let text = answer(root, "view_subdirectory", json!({"path": ".", "limit": 10}));
    assert!(text.contains(&format!("(10 of {all} names shown")), "{text}");
    assert!(text.contains(&format!("  files/ ({MANY} files)\n")), "{text}");
}
