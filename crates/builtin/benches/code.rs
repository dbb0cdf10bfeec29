//! How fast code is indexed, asked and kept up to date, on at least 200,000 lines of real code: the
//! sources of this workspace's dependencies.

#![expect(clippy::disallowed_methods, reason = "a bench makes its own files")]
#![expect(clippy::print_stdout, reason = "its result")]
#![expect(clippy::cast_precision_loss, reason = "megabytes and ratios")]
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a bench that fails, fails")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_code::index::{Builder, Part, Segment, Weights, digest, search};
use dogu_runtime::RuntimeContext;
use dogu_tool::Tool;
use serde_json::{Value, json};

const LINES: usize = 200_000;
const QUESTIONS: &[&str] = &[
    "where are expired entries removed from the cache",
    "parse a header of an http request",
    "returns the number of bytes that were written",
    "escape special characters in a string",
    "convert a timestamp to a date",
    "wait until the task is finished or canceled",
    "walk all files of a directory",
    "error message for an invalid argument",
    "build the table of transitions of an automaton",
    "compare two versions",
];

fn main() {
    let files = sources();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let lines: usize = files.iter().map(|(_, text)| text.lines().count()).sum();
    println!("{} files, {lines} lines, {:.1} MB", files.len(), megabytes(bytes));
    let segment = indexing(&files, bytes);
    asking(&segment, files.len());
    through_the_tool(&files);
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn indexing(files: &[(String, String)], bytes: usize) -> Segment {
    let mut times = Vec::new();
    let mut made = None;
    for _ in 0..5 {
        let begun = Instant::now();
        let mut builder = Builder::new();
        for (path, text) in files {
            builder.add(digest(path, text));
        }
        made = Some(builder.finish().unwrap());
        times.push(begun.elapsed());
    }
    let segment = made.expect("made five times");
    let rate = megabytes(bytes) / median(times).as_secs_f64();
    println!("index on one core: {rate:.1} MB of source a second (at least 10)");
    println!("its size: {:.2} of the source", segment.as_bytes().len() as f64 / bytes as f64);
    segment
}

fn asking(segment: &Segment, files: usize) {
    let wanted = vec![true; files];
    let parts = [Part { segment, files: &wanted }];
    let mut times = Vec::new();
    for _ in 0..10 {
        for question in QUESTIONS {
            let begun = Instant::now();
            let found = search(&parts, question, 10, &Weights::default());
            times.push(begun.elapsed());
            assert!(!found.best.is_empty(), "{question}");
        }
    }
    let slowest = times.iter().max().copied().unwrap_or_default();
    println!(
        "a question: {:.2} ms, at most {:.2} ms (under 20)",
        milliseconds(median(times)),
        milliseconds(slowest)
    );
}

fn through_the_tool(files: &[(String, String)]) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    // Files that were written a moment ago are read again until their times can be trusted.
    std::thread::sleep(Duration::from_millis(2_100));
    let mut tools = dogu_builtin::all().into_iter();
    let tool = tools.find(|tool| tool.spec().name.as_str() == "codebase_search").unwrap();
    let (first, _) = timed(folder.path(), &tool, QUESTIONS[0]);
    println!("the first call, which builds the index: {:.0} ms", milliseconds(first));
    let unchanged = (0..21).map(|_| timed(folder.path(), &tool, QUESTIONS[1]).0).collect();
    println!("a call where nothing changed: {:.1} ms", milliseconds(median(unchanged)));
    let (path, text) = &files[files.len() / 2];
    let mut changed = Vec::new();
    for round in 0..21 {
        let word = char::from(b'a' + round);
        let text = format!("{text}\nfn quokka{word}zz() {{\n    walrus();\n}}\n");
        std::fs::write(folder.path().join(path), text).unwrap();
        let (time, answer) = timed(folder.path(), &tool, &format!("quokka{word}zz"));
        assert_eq!(answer["results"][0]["path"], path.as_str());
        changed.push(time);
    }
    println!("a call after one file changed: {:.1} ms (under 100)", milliseconds(median(changed)));
}

fn timed(folder: &Path, tool: &Arc<dyn Tool>, query: &str) -> (Duration, Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let begun = Instant::now();
    let call = RuntimeContext::bare(folder, tool, json!({ "query": query }));
    let output = runtime.block_on(call).unwrap();
    (begun.elapsed(), output.structured.unwrap())
}

/// Rust files of dependencies, until there are enough lines.
fn sources() -> Vec<(String, String)> {
    let (mut files, mut lines) = (Vec::new(), 0);
    for (name, folder) in packages() {
        if lines >= LINES {
            break;
        }
        let before = files.len();
        read_folder(&folder, &name, &mut files);
        lines += files[before..].iter().map(|(_, text)| text.lines().count()).sum::<usize>();
    }
    assert!(lines >= LINES, "only {lines} lines");
    files
}

fn read_folder(folder: &Path, name: &str, files: &mut Vec<(String, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let own = format!("{name}/{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            read_folder(&path, &own, files);
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            files.push((own, text));
        }
    }
}

fn packages() -> Vec<(String, PathBuf)> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--offline", "--filter-platform"])
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut all = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let name = package["name"].as_str().unwrap();
        // What is generated is no code that anybody searches.
        let generated = ["windows", "tree-sitter", "linux-raw-sys", "libc", "encoding", "unicode"];
        if package["source"].is_string() && !generated.iter().any(|part| name.contains(part)) {
            all.push((name.to_owned(), manifest.parent().unwrap().join("src")));
        }
    }
    all.sort();
    all
}
