//! The engine at the gate: real files, real command lines, every kind of source.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex};

use dogu_runtime::{
    Answer, PermissionDelegate, Question, Runtime, RuntimeBuilder, Settings, Source,
};
use dogu_tool::{Action, BoxFuture, Category, Group, Scope, ShapedTool, Tool, ToolSpec};
use serde_json::{Value, json};

use crate::support::{Runs, Workspace, ask, code, message, spec};

/// Says yes, and keeps what it was asked about.
#[derive(Default)]
struct Yes(Mutex<Vec<Question>>);

impl PermissionDelegate for Yes {
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.0.lock().unwrap().push(question.clone());
        Box::pin(async { Answer::yes() })
    }
}

impl Yes {
    fn asked(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// A tool that would do what its input says, and counts its runs.
fn actor(name: &str, category: Category, group: Group, runs: &Runs) -> Arc<dyn Tool> {
    let runs = runs.clone();
    let tool = ShapedTool::new(spec(name).in_group(category, group), move |_, _| {
        runs.add();
        async { Ok("done".into()) }
    });
    Arc::new(tool.actions(actions))
}

fn actions(input: &Value, scope: &Scope) -> Vec<Action> {
    let text = |key: &str| input[key].as_str();
    let mut actions = Vec::new();
    actions.extend(text("read").map(|path| Action::read(scope.resolve(path))));
    actions.extend(text("write").map(|path| Action::write(scope.resolve(path))));
    actions.extend(text("url").map(|url| Action::Network { url: url.to_owned() }));
    actions.extend(text("run").map(|command| Action::execute(command, scope.workdir())));
    actions
}

/// A workspace with the tools `look`, `edit` and `run`, and somebody who says yes.
struct World {
    folder: Workspace,
    yes: Arc<Yes>,
    runs: Runs,
}

impl World {
    fn new() -> Self {
        Self { folder: Workspace::new(), yes: Arc::default(), runs: Runs::default() }
    }

    fn path(&self) -> &Path {
        self.folder.0.path()
    }

    fn file(&self, name: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "text").unwrap();
    }

    fn builder(&self) -> RuntimeBuilder {
        let tools = [
            actor("look", Category::Filesystem, Group::Read, &self.runs),
            actor("edit", Category::Filesystem, Group::Edit, &self.runs),
            actor("run", Category::Execute, Group::Command, &self.runs),
        ];
        Runtime::builder(Scope::new(self.path()).with_home(self.path().join("home")))
            .tools(&Source::Builtin, tools)
            .unwrap()
    }

    fn runtime(&self, settings: &str) -> Runtime {
        let settings = Settings::parse(settings, Path::new("config.yaml")).unwrap();
        let delegate = Arc::clone(&self.yes) as Arc<dyn PermissionDelegate>;
        self.builder().settings(settings).delegate(delegate).build().unwrap()
    }

    /// What became of a call: allowed, asked (and then allowed), or denied.
    async fn verdict(&self, runtime: &Runtime, tool: &str, input: Value) -> &'static str {
        let (asked, ran) = (self.yes.asked(), self.runs.count());
        let result = ask(runtime, tool, input).await;
        match (self.yes.asked() - asked, self.runs.count() - ran) {
            (0, 1) => "allowed",
            (1, 1) => "asked",
            (0, 0) => {
                assert_eq!(code(&result), "E_TOOL_DENIED", "{result:?}");
                "denied"
            }
            other => panic!("{other:?}: {result:?}"),
        }
    }
}

#[tokio::test]
async fn s2_secrets_ask_to_be_read_and_are_never_written() {
    let world = World::new();
    for name in [".env", "src/tokenizer.rs", "home/.ssh/id_rsa", "keys.md"] {
        world.file(name);
    }
    symlink(world.path().join("home/.ssh"), world.path().join("notes")).unwrap();
    let runtime = world.runtime("permissions: { auto_approve: { write: true } }");
    for (tool, input, wanted) in [
        ("look", json!({"read": ".env"}), "asked"),
        ("look", json!({"read": "src/tokenizer.rs"}), "allowed"),
        ("look", json!({"read": "keys.md"}), "allowed"),
        // By where it leads, not by its name.
        ("look", json!({"read": "notes/id_rsa"}), "asked"),
        ("edit", json!({"write": "notes/id_rsa"}), "denied"),
        ("edit", json!({"write": "notes/new"}), "denied"),
        ("edit", json!({"write": ".env"}), "denied"),
        ("edit", json!({"write": "src/tokenizer.rs"}), "allowed"),
        ("run", json!({"run": "cat .env"}), "asked"),
        ("run", json!({"run": "cat notes/id_rsa"}), "asked"),
        ("run", json!({"run": "cat src/tokenizer.rs"}), "allowed"),
        ("run", json!({"run": "cat .e*"}), "asked"),
        ("run", json!({"run": "grep -r x ."}), "asked"),
        ("run", json!({"run": "grep -r x src"}), "allowed"),
        ("run", json!({"run": "echo x > notes/id_rsa"}), "denied"),
    ] {
        assert_eq!(world.verdict(&runtime, tool, input.clone()).await, wanted, "{input}");
    }
}

#[tokio::test]
async fn s3_system_files_are_not_written_whatever_is_approved() {
    let world = World::new();
    let runtime = world.runtime(
        "permissions:\n  auto_approve: { write: true, execute: true }\n  rules:\n    - allow: FileWrite(/etc/passwd)\n    - allow: Execute(tee *)\n",
    );
    for (tool, input) in [
        ("edit", json!({"write": "/etc/passwd"})),
        ("edit", json!({"write": "/usr/bin/new"})),
        ("edit", json!({"write": "~/.bashrc"})),
        ("run", json!({"run": "echo x > /etc/passwd"})),
        ("run", json!({"run": "echo x | tee /etc/cron.d/x"})),
    ] {
        assert_eq!(world.verdict(&runtime, tool, input.clone()).await, "denied", "{input}");
    }
}

#[tokio::test]
async fn s4_what_is_ignored_is_refused_and_the_others_are_read() {
    let world = World::new();
    for name in ["a.txt", "b.txt", "sub/private/c.txt"] {
        world.file(name);
    }
    fs::write(world.path().join(".rooignore"), "b.txt\n").unwrap();
    fs::write(world.path().join("sub/.doguignore"), "private/\n").unwrap();
    let runtime = world.runtime("");
    assert_eq!(world.verdict(&runtime, "look", json!({"read": "a.txt"})).await, "allowed");
    for name in ["b.txt", "sub/private/c.txt"] {
        let result = ask(&runtime, "look", json!({"read": name})).await;
        assert!(message(&result).contains("File is ignored"), "{}", message(&result));
    }
    let line = json!({"run": "cat a.txt b.txt"});
    assert_eq!(world.verdict(&runtime, "run", line).await, "denied");
}

#[tokio::test]
async fn s6_paths_start_in_the_working_folder_and_leave_it_only_when_granted() {
    let world = World::new();
    world.file("ws/a.txt");
    world.file("outside.txt");
    let scope = Scope::new(world.path().join("ws"));
    let delegate = Arc::clone(&world.yes) as Arc<dyn PermissionDelegate>;
    let tools = [
        actor("look", Category::Filesystem, Group::Read, &world.runs),
        actor("run", Category::Execute, Group::Command, &world.runs),
    ];
    let builder =
        || Runtime::builder(scope.clone()).tools(&Source::Builtin, tools.clone()).unwrap();
    let runtime = builder().delegate(delegate).build().unwrap();
    for (tool, input, wanted) in [
        ("look", json!({"read": "a.txt"}), "allowed"),
        ("look", json!({"read": "../outside.txt"}), "asked"),
        ("run", json!({"run": "cat a.txt"}), "allowed"),
        ("run", json!({"run": "cat ../outside.txt"}), "asked"),
        ("run", json!({"run": "cd .. && cat outside.txt"}), "asked"),
        ("run", json!({"run": "ls .."}), "asked"),
    ] {
        assert_eq!(world.verdict(&runtime, tool, input.clone()).await, wanted, "{input}");
    }
    let alone = builder().build().unwrap();
    let result = ask(&alone, "look", json!({"read": "../outside.txt"})).await;
    assert_eq!(code(&result), "E_TOOL_DENIED");
    let allowed = format!(
        "permissions: {{ rules: [ allow: \"FileRead({}/*)\" ] }}",
        world.path().canonicalize().unwrap().display()
    );
    let settings = Settings::parse(&allowed, Path::new("config.yaml")).unwrap();
    let granted = builder().settings(settings).build().unwrap();
    let result = ask(&granted, "look", json!({"read": "../outside.txt"})).await;
    assert_eq!(code(&result), "ok", "{}", message(&result));
}

#[tokio::test]
async fn a1_an_aliased_argument_is_judged_like_the_canonical_one() {
    let world = World::new();
    world.file(".env");
    let runs = world.runs.clone();
    let schema = json!({"type": "object", "properties": {"read": {"type": "string"}}});
    let spec = ToolSpec::new("peek", "Reads.", schema).unwrap();
    let spec = spec.in_group(Category::Filesystem, Group::Read).alias("file_path", "read");
    let tool = ShapedTool::new(spec, move |_, _| {
        runs.add();
        async { Ok("done".into()) }
    });
    let delegate = Arc::clone(&world.yes) as Arc<dyn PermissionDelegate>;
    let builder = world.builder().tool(Source::Builtin, Arc::new(tool.actions(actions))).unwrap();
    let runtime = builder.delegate(delegate).build().unwrap();
    assert_eq!(world.verdict(&runtime, "peek", json!({"read": ".env"})).await, "asked");
    assert_eq!(world.verdict(&runtime, "peek", json!({"file_path": ".env"})).await, "asked");
    let questions = world.yes.0.lock().unwrap();
    assert_eq!(questions[0].actions, questions[1].actions);
}

#[tokio::test]
async fn a9_lists_of_prefixes_hold_for_whole_lines() {
    let world = World::new();
    world.file("x");
    let runtime = world.runtime(
        "permissions: { roo: { allowed_commands: [git, npm test, echo], denied_commands: [git push, rm] } }",
    );
    for (line, wanted) in [
        ("git fetch --all", "allowed"),
        ("npm test", "allowed"),
        ("git status && rm -rf x", "denied"),
        ("git push origin main", "denied"),
        ("echo \"$(rm x)\"", "denied"),
        ("gitfoo --evil", "asked"),
        ("git fetch; make", "asked"),
    ] {
        assert_eq!(world.verdict(&runtime, "run", json!({"run": line})).await, wanted, "{line}");
    }
}

#[tokio::test]
async fn a14_tools_that_need_a_confirmation_ask_once_for_each_call() {
    let world = World::new();
    world.file("a.txt");
    let runtime = world.runtime("tools: { run: { require_confirmation: true } }");
    let line = json!({"run": "ls"});
    assert_eq!(world.verdict(&runtime, "run", line).await, "asked");
    assert_eq!(world.verdict(&runtime, "look", json!({"read": "a.txt"})).await, "allowed");
    assert_eq!(runtime.catalog().schemas().len(), 3, "all of them are still shown");
}

/// A source, and what the engine says of a tool of it that only reads the workspace.
const SOURCES: [(&str, &str); 5] = [
    ("builtin", "allowed"),
    ("extension", "allowed"),
    ("mcp", "asked"),
    ("http", "asked"),
    ("bundle", "asked"),
];

fn source(name: &str) -> Source {
    let own = || "s".to_owned();
    match name {
        "builtin" => Source::Builtin,
        "extension" => Source::Extension(own()),
        "mcp" => Source::Mcp(own()),
        "http" => Source::Http(own()),
        _ => Source::Bundle(own()),
    }
}

#[tokio::test]
async fn b2_one_gate_for_every_source_and_every_decision_says_why() {
    for (name, wanted) in SOURCES {
        let world = World::new();
        world.file("a.txt");
        let called = if name == "builtin" { "t" } else { "s__t" };
        let tool = actor(called, Category::Mcp, Group::Mcp, &world.runs);
        let delegate = Arc::clone(&world.yes) as Arc<dyn PermissionDelegate>;
        let builder = Runtime::builder(Scope::new(world.path())).tool(source(name), tool).unwrap();
        let runtime = builder.delegate(delegate).build().unwrap();
        let input = json!({"read": "a.txt"});
        assert_eq!(world.verdict(&runtime, called, input).await, wanted, "{name}");
        for question in world.yes.0.lock().unwrap().iter() {
            assert!(!question.reasons.is_empty(), "{name}");
        }
        // What is forbidden is refused from anywhere, however it is spelt.
        let line = json!({"run": "( ( rm -rf / ) )"});
        let result = ask(&runtime, called, line).await;
        assert_eq!(code(&result), "E_TOOL_DENIED", "{name}");
        assert!(message(&result).contains("`rm`"), "{name}: {}", message(&result));
    }
}

#[tokio::test]
async fn a21_without_anyone_to_ask_tools_from_outside_are_refused() {
    for name in ["mcp", "http"] {
        let runs = Runs::default();
        let tool = actor("s__t", Category::Mcp, Group::Mcp, &runs);
        let world = World::new();
        let builder = Runtime::builder(Scope::new(world.path())).tool(source(name), tool).unwrap();
        let result = ask(&builder.build().unwrap(), "s__t", json!({})).await;
        assert_eq!((code(&result), runs.count()), ("E_TOOL_DENIED", 0), "{name}");
    }
}

#[tokio::test]
async fn a22_a_rule_blocks_tools_by_a_pattern_of_their_names() {
    let world = World::new();
    world.file("a.txt");
    let runtime = world.runtime("permissions: { rules: [ deny: Tool(lo*) ] }");
    assert_eq!(world.verdict(&runtime, "look", json!({"read": "a.txt"})).await, "denied");
    assert_eq!(world.verdict(&runtime, "run", json!({"run": "ls"})).await, "allowed");
}

#[tokio::test]
async fn a_broken_rule_is_an_error_with_its_place() {
    let world = World::new();
    let text = "permissions:\n  rules:\n    - allow: Execute(git status\n    - allow: Execute(cargo test *)\n      not_match: [\"cargo test -p x\"]\n";
    let settings = Settings::parse(text, Path::new("config.yaml")).unwrap();
    let error = world.builder().settings(settings).build().err().unwrap();
    let causes = format!("{error}: {}", std::error::Error::source(&error).unwrap());
    assert!(causes.contains("config.yaml:3:"), "{causes}");
}

#[tokio::test]
async fn a_mode_that_only_edits_markdown_edits_nothing_else() {
    let world = World::new();
    let runtime = world.runtime("mode: architect\npermissions: { auto_approve: { write: true } }");
    for (tool, input, wanted) in [
        ("edit", json!({"write": "a.md"}), "allowed"),
        ("edit", json!({"write": "src/a.rs"}), "denied"),
        ("edit", json!({}), "denied"),
    ] {
        assert_eq!(world.verdict(&runtime, tool, input.clone()).await, wanted, "{input}");
    }
    let outside = ask(&runtime, "run", json!({"run": "ls"})).await;
    assert_eq!(code(&outside), "E_TOOL_NOT_IN_CATALOG");
}
