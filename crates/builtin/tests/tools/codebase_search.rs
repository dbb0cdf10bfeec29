//! `codebase_search`: what it finds, says and never shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dogu_runtime::RuntimeContext;
use dogu_tool::{Output, Tool, ToolError, ToolResult};
use serde_json::{Value, json};

use crate::support::{Folder, tool};

/// One tool in one process, which keeps its index in memory.
struct Session {
    folder: Folder,
    tool: Arc<dyn Tool>,
}

impl Session {
    fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self { folder: Folder::with(files), tool: tool("codebase_search") }
    }

    fn run(&self, input: Value) -> Result<Output, ToolError> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(RuntimeContext::bare(self.folder.root(), &self.tool, input))
    }

    fn ask(&self, query: &str) -> Value {
        self.run(json!({ "query": query })).unwrap().structured.unwrap()
    }

    fn text(&self, input: Value) -> String {
        ToolResult::ok("c", "codebase_search", self.run(input).unwrap()).to_text()
    }

    /// `path:first-last` of everything that is found.
    fn places(&self, query: &str) -> Vec<String> {
        places(&self.ask(query))
    }
}

fn places(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap().iter();
    let place = |found: &Value| {
        let path = found["path"].as_str().unwrap();
        format!("{path}:{}-{}", found["first_line"], found["last_line"])
    };
    results.map(place).collect()
}

const SESSIONS: &str = "\
use std::time::Instant;

/// Forgets what nobody came back for.
pub fn drop_stale_sessions(all: &mut Vec<Session>, now: Instant) {
    all.retain(|session| session.expires_at > now);
}

pub fn open_session(user: &str) -> Session {
    Session { user: user.to_owned(), expires_at: Instant::now() }
}
";

#[test]
fn f20_a_planted_snippet_is_among_the_first_three() {
    let session = Session::new([("src/auth/sessions.rs", SESSIONS)]);
    for number in 0..200 {
        let text = format!(
            "/// Adds {number} to what it is given.\npub fn add_{number}(value: u64) -> u64 {{\n    value + {number}\n}}\n\n\
             /// Reads the setting of that name.\npub fn setting_{number}(name: &str) -> Option<String> {{\n    std::env::var(name).ok()\n}}\n"
        );
        session.folder.write(&format!("src/part{}/file{number}.rs", number % 7), text);
    }
    let found = session.places("where do expired sessions get removed?");
    let at = found.iter().position(|place| place == "src/auth/sessions.rs:3-6");
    assert!(at.is_some_and(|at| at < 3), "{found:?}");
}

#[test]
fn an_answer_has_path_lines_score_symbol_and_the_piece() {
    let session = Session::new([("sessions.rs", SESSIONS)]);
    let text = session.text(json!({"query": "expired sessions", "limit": 1}));
    let score = text.split("score ").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    assert!(score.parse::<f32>().unwrap() > 0.0, "{text}");
    assert_eq!(
        text.replace(score, "S"),
        "1 of 3 pieces with words of \"expired sessions\", best first (3 pieces of 1 file searched)\n\
         \n\
         1. sessions.rs:3-6 function drop_stale_sessions (score S)\n     \
         3\t/// Forgets what nobody came back for.\n     \
         4\tpub fn drop_stale_sessions(all: &mut Vec<Session>, now: Instant) {\n     \
         5\t    all.retain(|session| session.expires_at > now);\n     \
         6\t}\n"
    );
    let answer = session.ask("expired sessions");
    let best = &answer["results"][0];
    assert_eq!(best["symbol"], "drop_stale_sessions");
    assert_eq!(best["kind"], "function");
    assert!(best["text"].as_str().unwrap().contains("expires_at > now"));
}

#[test]
fn what_cannot_be_asked_is_said_and_what_is_not_there_too() {
    let session = Session::new([("sessions.rs", SESSIONS)]);
    for (query, problem) in [("", "is empty"), (" \n", "is empty"), ("?! -->", "no words")] {
        let error = session.run(json!({ "query": query })).unwrap_err();
        assert!(error.info().message.contains(problem), "{error:?}");
        assert!(error.info().suggestion.as_ref().unwrap().contains("grep"), "{error:?}");
    }
    let nothing = session.text(json!({"query": "zymurgy quokka"}));
    assert!(nothing.starts_with("Nothing fits \"zymurgy quokka\" in ."), "{nothing}");
    let common = session.text(json!({"query": "what is this for"}));
    assert!(common.contains("only words that nearly every text has"), "{common}");
    let words: String = (0..100_000).map(|number| format!("word{number}x ")).collect();
    let long = session.text(json!({"query": format!("expired {words}")}));
    assert!(long.contains("first 64 different words") && long.len() < 5_000, "{long}");
    let error = session.run(json!({"query": "session", "path": "no/such"})).unwrap_err();
    assert!(error.info().message.contains("there is no no/such"), "{error:?}");
}

#[test]
fn a_path_narrows_what_is_found() {
    let session = Session::new([("a/x.rs", SESSIONS), ("b/y.rs", SESSIONS), ("b2/z.rs", SESSIONS)]);
    let below = |path: &str| {
        let answer = session.run(json!({"query": "stale sessions", "path": path, "limit": 9}));
        let places = places(&answer.unwrap().structured.unwrap());
        let file = |place: &String| place.split(':').next().unwrap().to_owned();
        let mut files: Vec<String> = places.iter().map(file).collect();
        files.sort();
        files.dedup();
        files
    };
    assert_eq!(below("b"), ["b/y.rs"]);
    assert_eq!(below("a/x.rs"), ["a/x.rs"]);
    assert_eq!(below("."), ["a/x.rs", "b/y.rs", "b2/z.rs"]);
    assert_eq!(below("b/../a"), ["b/../a/x.rs"]);
}

#[test]
fn every_change_is_seen_by_the_next_search() {
    let session =
        Session::new([("a.rs", SESSIONS), ("b.rs", "pub fn other() {\n    work();\n}\n")]);
    assert_eq!(session.places("stale sessions")[0], "a.rs:3-6");
    session.folder.write("a.rs", format!("\n\n{SESSIONS}"));
    assert_eq!(session.places("stale sessions")[0], "a.rs:5-8");
    session.folder.write("c.rs", "fn brand_new_quokka() {\n    1\n}\n");
    assert_eq!(session.places("quokka"), ["c.rs:1-3"]);
    std::fs::rename(session.folder.path("c.rs"), session.folder.path("d.rs")).unwrap();
    assert_eq!(session.places("quokka"), ["d.rs:1-3"]);
    std::fs::remove_file(session.folder.path("d.rs")).unwrap();
    assert_eq!(session.places("quokka"), Vec::<String>::new());
    session.folder.write(".gitignore", "a.rs\n");
    session.folder.git(&["init", "--quiet"]);
    assert_eq!(session.places("stale sessions"), Vec::<String>::new());
}

#[test]
fn a_change_that_hides_its_time_and_size_is_seen() {
    let session = Session::new([("a.rs", "fn walrus_one() {\n    1\n}\n")]);
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    let set = || {
        let file = std::fs::File::options().write(true).open(session.folder.path("a.rs")).unwrap();
        file.set_modified(old).unwrap();
    };
    set();
    assert_eq!(session.places("walrus").len(), 1);
    session.folder.write("a.rs", "fn quokka_one() {\n    1\n}\n");
    set();
    assert_eq!(session.places("walrus"), Vec::<String>::new());
    assert_eq!(session.places("quokka"), ["a.rs:1-3"]);
}

#[test]
fn secrets_and_ignored_files_are_never_found() {
    let session = Session::new([
        (".env", "QUOKKA_PASSWORD=quokka\n"),
        ("id_rsa", "quokka\n"),
        ("build/out.rs", "fn quokka() {}\n"),
        (".gitignore", "build/\n"),
        (".doguignore", "private/\n"),
        ("private/p.rs", "fn quokka() {}\n"),
        ("open.rs", "fn quokka_open() {\n    1\n}\n"),
    ]);
    session.folder.git(&["init", "--quiet"]);
    assert_eq!(session.places("quokka"), ["open.rs:1-3"]);
    let text = session.text(json!({"query": "quokka"}));
    assert!(text.contains("that may hold secrets not searched"), "{text}");
    assert!(text.contains("an ignore file shuts agents out"), "{text}");
    assert!(!text.contains("PASSWORD") && !text.contains("private/"), "{text}");
}

#[test]
fn what_is_no_code_is_counted() {
    let session =
        Session::new([("a.rs", SESSIONS), ("Cargo.lock", "[[package]]\nname = \"sessions\"\n")]);
    session.folder.write("b.bin", b"sessions\0sessions");
    session.folder.write("c.txt", "sessions\n".repeat(200_000));
    let text = session.text(json!({"query": "sessions"}));
    for note in ["1 file larger than a megabyte", "1 file not in UTF-8", "1 file made by programs"]
    {
        assert!(text.contains(note), "{note}: {text}");
    }
    assert!(text.contains("pieces of 1 file searched"), "{text}");
}

#[test]
fn long_pieces_and_lines_are_cut_with_the_call_that_goes_on() {
    let body: String = (0..150).map(|n| format!("    quokka({n});\n")).collect();
    let long = "x".repeat(3_000);
    let session = Session::new([]);
    session
        .folder
        .write("a.rs", format!("fn quokka_all() {{\n    let _ = \"{long}\";\n{body}}}\n"));
    let text = session.text(json!({"query": "quokka all", "limit": 1}));
    assert!(text.contains("(73 more lines; read_file with \"path\": \"a.rs\", \"start_line\": 81, \"end_line\": 153)"), "{text}");
    assert!(text.lines().all(|line| line.len() < 500), "{text}");
}

/// Ends the other thread also where the test fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn what_is_shown_under_writes_is_never_half_old() {
    let session = Session::new([("moving.rs", "")]);
    let stop = AtomicBool::new(false);
    let version = |number: usize| {
        let blank = "\n".repeat(number % 17);
        format!("{blank}fn quokka_moves() {{\n    version({number});\n    again({number});\n}}\n")
    };
    session.folder.write("moving.rs", version(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                // As editors do it: the name gets another file.
                session.folder.write(".git/new", version(number));
                let (from, to) =
                    (session.folder.path(".git/new"), session.folder.path("moving.rs"));
                std::fs::rename(from, to).unwrap();
            }
        });
        let _end = SetOnDrop(&stop);
        let mut shown = 0;
        for _ in 0..60 {
            let answer = session.ask("quokka moves version");
            for found in answer["results"].as_array().unwrap() {
                let text = found["text"].as_str().unwrap();
                let number = text.split("version(").nth(1).and_then(|rest| rest.split(')').next());
                let number: usize = number.unwrap_or_else(|| panic!("{text:?}")).parse().unwrap();
                assert_eq!(text, version(number).trim_start(), "{found}");
                assert_eq!(found["first_line"], number % 17 + 1, "{found}");
                shown += 1;
            }
        }
        assert!(shown > 0);
    });
    assert_eq!(session.ask("quokka moves version")["results"].as_array().unwrap().len(), 1);
}
