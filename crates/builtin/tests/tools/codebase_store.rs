//! The index between processes: kept in the state folder, shared, damaged, canceled.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dogu_runtime::{Runtime, Source, StateDir};
use dogu_tool::{Origin, Principal, Scope, ToolCall, ToolResult};
use serde_json::{Value, json};

use crate::support::Folder;

/// What a process has: its own tools, and the state folder that all share.
fn process(folder: &Path, state: &Path) -> Runtime {
    Runtime::builder(Scope::new(folder))
        .tools(&Source::Builtin, dogu_builtin::all())
        .unwrap()
        .state(StateDir::open(state).unwrap())
        .build()
        .unwrap()
}

async fn call(runtime: &Runtime, query: &str) -> ToolResult {
    let origin = Arc::new(Origin::of(Principal::process("test")));
    let step = runtime.step_with(origin, runtime.catalog());
    step.dispatch(ToolCall::new("c", "codebase_search", json!({ "query": query }))).await
}

fn ask(runtime: &Runtime, query: &str) -> Value {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = tokio.block_on(call(runtime, query));
    result.structured.unwrap_or_else(|| panic!("{:?}", result.error))
}

fn paths(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap().iter();
    results.map(|found| found["path"].as_str().unwrap().to_owned()).collect()
}

/// A folder of files, each with a function that has a word of its own.
fn files(count: usize) -> Folder {
    let folder = Folder::new();
    for number in 0..count {
        let word = word(number);
        let text = format!("fn {word}_quokka() {{\n    walrus({number});\n}}\n");
        folder.write(&format!("f{number}.rs"), text);
    }
    folder
}

/// A word that no other number has.
fn word(number: usize) -> String {
    let letter = |digit: char| char::from(b'a' + digit.to_string().parse::<u8>().unwrap());
    format!("zz{}zz", number.to_string().chars().map(letter).collect::<String>())
}

/// Until then what was just written is read again.
fn until_times_can_be_trusted() {
    std::thread::sleep(std::time::Duration::from_millis(2_100));
}

fn kept(state: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(state.join("cache")).unwrap() {
        let folder = folder.unwrap().path();
        files.extend(std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
    }
    files.sort();
    files
}

#[test]
fn the_next_process_reads_only_what_changed() {
    let (folder, state) = (files(50), tempfile::tempdir().unwrap());
    until_times_can_be_trusted();
    let first = process(folder.root(), state.path());
    assert_eq!(ask(&first, &word(7))["files_read"], 50);
    assert_eq!(ask(&first, &word(7))["files_read"], 0);
    let second = process(folder.root(), state.path());
    let answer = ask(&second, &word(7));
    assert_eq!(answer["files_read"], 0);
    assert_eq!(paths(&answer)[0], "f7.rs");
    folder.write("f8.rs", "fn changed_zebra() {\n    1\n}\n");
    assert_eq!(ask(&second, "zebra")["files_read"], 1);
    until_times_can_be_trusted();
    assert_eq!(ask(&second, "zebra")["files_read"], 1, "its time can be trusted only now");
    let third = process(folder.root(), state.path());
    let answer = ask(&third, "zebra");
    assert_eq!((paths(&answer), &answer["files_read"]), (vec!["f8.rs".to_owned()], &json!(0)));
    // The first one finds out by itself.
    assert_eq!(paths(&ask(&first, "zebra")), ["f8.rs"]);
}

#[test]
fn whatever_is_kept_is_made_again_where_it_is_not_an_index() {
    let (folder, state) = (files(20), tempfile::tempdir().unwrap());
    let expected = paths(&ask(&process(folder.root(), state.path()), &word(7)));
    folder.write("f3.rs", "fn zebra() {\n    1\n}\n");
    assert_eq!(paths(&ask(&process(folder.root(), state.path()), "zebra")), ["f3.rs"]);
    let files = kept(state.path());
    assert_eq!(files.len(), 2, "{files:?}");
    let mut seed = 1_u64;
    for file in &files {
        let good = std::fs::read(file).unwrap();
        for round in 0..12 {
            let mut random = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                usize::try_from(seed >> 33).unwrap()
            };
            let mut bad = good.clone();
            match round % 4 {
                0 => bad = (0..random() % 5_000).map(|_| random().to_le_bytes()[0]).collect(),
                1 => bad.truncate(random() % good.len()),
                2 => {
                    let at = random() % good.len();
                    bad[at] ^= 1 + random().to_le_bytes()[0] % 255;
                }
                // Another version of the format.
                _ => bad[7] ^= 3,
            }
            std::fs::write(file, bad).unwrap();
            let process = process(folder.root(), state.path());
            assert_eq!(paths(&ask(&process, &word(7)))[0], expected[0]);
            assert_eq!(paths(&ask(&process, "zebra")), ["f3.rs"]);
        }
    }
}

#[test]
fn processes_at_once_do_not_spoil_what_they_share() {
    let (folder, state) = (files(60), tempfile::tempdir().unwrap());
    std::thread::scope(|scope| {
        for worker in 1_000..1_003 {
            let (folder, state) = (&folder, state.path());
            scope.spawn(move || {
                for round in 0..6 {
                    let process = process(folder.root(), state);
                    let name = format!("w{worker}.rs");
                    folder
                        .write(&name, format!("fn {}_zebra() {{\n    {round}\n}}\n", word(worker)));
                    let found = ask(&process, &word(worker));
                    assert_eq!(paths(&found)[0], name);
                    assert_eq!(
                        found["results"][0]["text"]
                            .as_str()
                            .unwrap()
                            .lines()
                            .nth(1)
                            .unwrap()
                            .trim(),
                        round.to_string()
                    );
                }
            });
        }
    });
    let last = process(folder.root(), state.path());
    assert_eq!(paths(&ask(&last, "zebra")).len(), 3);
    assert_eq!(paths(&ask(&last, &word(59)))[0], "f59.rs");
    assert!(
        kept(state.path()).iter().all(|file| !file
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with('.'))
    );
}

#[test]
fn a_build_that_is_canceled_is_gone_on_with() {
    let (folder, state) = (files(800), tempfile::tempdir().unwrap());
    let runtime = process(folder.root(), state.path());
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = tokio.block_on(async {
        let canceler = async {
            while runtime.in_flight() == 0 {
                tokio::task::yield_now().await;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            runtime.cancel(&Principal::process("test"), "c");
        };
        futures::future::join(call(&runtime, &word(7)), canceler).await.0
    });
    if let Some(error) = result.error {
        assert_eq!(error.code.as_str(), "E_TOOL_CANCELED");
    }
    let answer = ask(&runtime, &word(799));
    assert_eq!(paths(&answer)[0], "f799.rs");
    assert_eq!(answer["files"], 800);
    let next = process(folder.root(), state.path());
    assert_eq!(paths(&ask(&next, &word(798)))[0], "f798.rs");
}

#[test]
fn nothing_of_a_secret_is_kept() {
    let (folder, state) = (Folder::new(), tempfile::tempdir().unwrap());
    folder.write(".env", "QUOKKA=1\n");
    folder.write("a.rs", "fn zebra() {\n    1\n}\n");
    ask(&process(folder.root(), state.path()), "zebra");
    for file in kept(state.path()) {
        let bytes = std::fs::read(file).unwrap();
        assert!(!bytes.windows(4).any(|four| four == b".env"));
    }
}
