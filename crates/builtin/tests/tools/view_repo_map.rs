//! `view_repo_map`: the map, its budget, and what it says it left out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dogu_code::map::{Content, Stored, tokens};
use dogu_runtime::{EventKind, Heard, Runtime, Source, StateDir};
use dogu_tool::{CallStatus, Origin, Principal, Scope, ToolCall, ToolResult};
use serde_json::{Value, json};

use crate::support::Folder;

fn map(folder: &Folder, input: Value) -> String {
    folder.text("view_repo_map", input)
}

/// A little shop in three languages.
fn shop() -> Folder {
    Folder::with([
        (
            "src/order.rs",
            "use crate::money::Money;\n\npub struct Order {\n    total: Money,\n}\n\nimpl Order {\n    pub fn total_price(&self) -> Money {\n        round_money(self.total)\n    }\n    fn unused_helper(&self) {}\n}\n",
        ),
        (
            "src/money.rs",
            "/// An amount.\n#[derive(Clone, Copy)]\npub struct Money(pub u64);\n\npub fn round_money(\n    amount: Money,\n) -> Money {\n    amount\n}\n",
        ),
        ("src/cart.rs", "pub fn checkout(order: Order) -> Money {\n    order.total_price()\n}\n"),
        (
            "web/cart.ts",
            "export interface CartLine { price: number }\nexport const cartTotal = (lines: CartLine[]): number => 0;\n",
        ),
        (
            "web/page.ts",
            "import { cartTotal, CartLine } from './cart';\nexport class Page { show(line: CartLine) { return cartTotal([line]); } }\n",
        ),
        ("tools/deploy.py", "def deploy(host: str) -> None:\n    pass\n"),
        ("README.md", "# Shop\n"),
        ("Cargo.toml", "[package]\n"),
        ("LICENSE", "words\n"),
    ])
}

#[test]
fn f15_the_map_of_a_small_tree() {
    let expected = "src/money.rs
    3: pub struct Money(pub u64)
    5: pub fn round_money(amount: Money) -> Money

web/cart.ts
    1: export interface CartLine
    2: export const cartTotal = (lines: CartLine[]): number =>

src/order.rs
    3: pub struct Order
    7: impl Order
    8:   pub fn total_price(&self) -> Money
   11:   fn unused_helper(&self)

src/cart.rs
    1: pub fn checkout(order: Order) -> Money

tools/deploy.py
    1: def deploy(host: str) -> None

web/page.ts
    2: export class Page
    2:   show(line: CartLine)

(12 of 12 definitions in 6 of 6 files)
(3 files in no known language: .md 1, .toml 1)
";
    assert_eq!(map(&shop(), json!({})), expected);
    assert_eq!(shop().dispatch("view_repo_map", json!({})).to_text(), expected);
}

#[test]
fn f15_the_answer_keeps_to_its_budget_and_shows_the_best() {
    let folder = shop();
    for number in 0..60 {
        let name = format!("lib/part_{number}.go");
        let call = format!("func UsesRound{number}(m Money) Money {{ return round_money(m) }}\n");
        folder.write(&name, format!("package lib\n{call}type Part{number} struct {{}}\n"));
    }
    let mut last = 0;
    for budget in [100, 150, 200, 300, 500, 1_000, 1_500, 2_000] {
        let text = map(&folder, json!({"max_tokens": budget}));
        assert!(tokens(&text) <= budget, "{budget}: {}\n{text}", tokens(&text));
        assert!(text.contains("pub fn round_money(amount: Money) -> Money\n"), "{text}");
        let count =
            text.lines().find_map(|line| line.strip_prefix('(')?.split_once(" of 132 definitions"));
        let count: usize = count.unwrap().0.parse().unwrap();
        assert!(count > last || count == 132, "{budget}: {count} after {last}\n{text}");
        last = count;
        assert_eq!(text.contains("a larger max_tokens"), count < 132, "{text}");
    }
    assert_eq!(map(&folder, json!({"max_tokens": 4_000})), map(&folder, json!({})));
}

#[test]
fn a_budget_that_no_definition_fits_into_is_told() {
    let arguments: String = (0..40).map(|n| format!("argument_{n}: u8, ")).collect();
    let name = "deep/".repeat(60) + "file.rs";
    let folder = Folder::with([(name.as_str(), &*format!("fn long({arguments}) {{}}\n"))]);
    let text = map(&folder, json!({"max_tokens": 100}));
    assert!(text.contains("(0 of 1 definition in 0 of 1 file)"), "{text}");
    assert!(text.contains("a larger max_tokens"), "{text}");
    assert!(tokens(&text) <= 100, "{text}");
    let refused = folder.dispatch("view_repo_map", json!({"max_tokens": 5})).to_text();
    assert!(refused.contains("E_TOOL_INVALID_ARGS") && refused.contains("100"), "{refused}");
}

#[test]
fn focus_brings_files_folders_and_names_to_the_top() {
    let folder = shop();
    let first = |focus: Value| {
        let text = map(&folder, json!({"focus": focus}));
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(first(json!(["Page"])), "web/page.ts");
    assert_eq!(first(json!(["deploy"])), "tools/deploy.py");
    assert_eq!(first(json!(["web/page.ts"])), "web/cart.ts", "what the file refers to");
    let absolute = folder.path("web/page.ts");
    assert_eq!(first(json!([absolute.to_str().unwrap()])), "web/cart.ts");
    assert_eq!(first(json!(["./web/"])), "web/cart.ts");
    assert_eq!(first(json!(["Order::total_price"])), "src/order.rs");
    let text = map(&folder, json!({"focus": ["Nobody", "no/such.rs", "deploy", "."]}));
    for word in ["Nobody", "no/such.rs"] {
        assert!(
            text.contains(&format!("(focus: there is no file and no definition \"{word}\")")),
            "{text}"
        );
    }
    assert_eq!(text.matches("(focus:").count(), 2, "{text}");
}

#[test]
fn a_part_of_the_tree_is_mapped_with_paths_that_a_call_can_name() {
    let folder = shop();
    let text = map(&folder, json!({"path": "web/"}));
    assert!(text.starts_with("web/cart.ts\n") && !text.contains("src/"), "{text}");
    let text = map(&folder, json!({"path": "./src//money.rs"}));
    assert!(text.starts_with("src/money.rs\n    3: pub struct Money"), "{text}");
    assert!(text.contains("(2 of 2 definitions in 1 of 1 file)"), "{text}");
}

#[test]
fn where_there_is_nothing_to_map_the_reason_is_told() {
    assert_eq!(map(&Folder::new(), json!({})), "No files in ., nothing to map.\n");
    let texts = Folder::with([("a.md", "x\n"), ("b.md", "x\n"), ("c.toml", "")]);
    let text = map(&texts, json!({}));
    assert!(
        text.starts_with("No code to map in . (3 files). Known are Bash, C, C#, C++, Go,"),
        "{text}"
    );
    assert!(text.ends_with("(3 files in no known language: .md 2, .toml 1)\n"), "{text}");
    let empty = Folder::with([("a.rs", "// nothing\n")]);
    assert_eq!(map(&empty, json!({})), "Nothing is defined in . (1 file of code).\n");
    assert_eq!(
        texts.error("view_repo_map", json!({"path": "gone"})),
        "there is no gone\nlist_files shows what is there; `.` is the working folder."
    );
    assert!(
        std::process::Command::new("mkfifo").arg(texts.path("pipe.rs")).status().unwrap().success()
    );
    let error = texts.error("view_repo_map", json!({"path": "pipe.rs"}));
    assert!(error.starts_with("pipe.rs is neither a file nor a folder"), "{error}");
    assert!(map(&texts, json!({})).contains("(3 files)"), "a pipe is no file");
}

#[test]
fn a_path_outside_of_the_workspace_is_not_mapped() {
    let (folder, outside) = (Folder::new(), Folder::with([("a.rs", "fn hidden_name() {}\n")]));
    std::os::unix::fs::symlink(outside.root(), folder.path("link")).unwrap();
    for path in [outside.root().to_str().unwrap(), "..", "link"] {
        let text = folder.dispatch("view_repo_map", json!({"path": path})).to_text();
        assert!(text.contains("E_TOOL_DENIED") && !text.contains("hidden_name"), "{text}");
    }
    assert_eq!(
        map(&folder, json!({})),
        "No files in ., nothing to map.\n",
        "links are not followed"
    );
}

#[test]
fn s4_ignored_and_sensitive_files_never_enter() {
    let code = "function hidden_name() { :; }\n";
    let folder = Folder::with([
        ("a.sh", "function seen() { :; }\n"),
        (".gitignore", "ignored.sh\n"),
        ("ignored.sh", code),
        (".doguignore", "closed/\n"),
        ("closed/b.sh", code),
        (".ssh/deploy.sh", code),
        (".git/hooks/c.sh", code),
    ]);
    let text = map(&folder, json!({}));
    assert!(!text.contains("hidden_name"), "{text}");
    assert!(text.contains("seen()"), "{text}");
    assert!(text.contains("(1 file or folder that may hold secrets left out)\n"), "{text}");
    assert!(
        text.contains("(1 file or folder left out, because an ignore file shuts agents out)\n"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_parsed_is_told_by_name() {
    let folder = Folder::with([("a.rs", "fn a() {}\n")]);
    folder.write("large.c", "int x;\n".repeat(100_000));
    folder.write("binary.py", b"\0\x01\x02");
    folder.write("hard.swift", "<".repeat(500_000));
    folder.write("sparse.js", "");
    std::fs::File::options()
        .write(true)
        .open(folder.path("sparse.js"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    folder.write("runner", "#!/bin/sh\nrun_it() { :; }\n");
    let utf16: Vec<u8> =
        "\u{feff}class Wide {}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("wide.cs", utf16);
    folder.write("latin.rb", b"def caf\xe9\nend\ndef tea\nend\n");
    let text = map(&folder, json!({}));
    for expected in [
        "(larger than 512 KB, not parsed: large.c, sparse.js)\n",
        "(binary, not parsed: binary.py)\n",
        "run_it()",
        "class Wide\n",
        "def tea\n",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

/// A runtime that keeps what its tools keep.
struct Keeping {
    folder: Folder,
    state: tempfile::TempDir,
}

impl Keeping {
    fn new(folder: Folder) -> Self {
        Self { folder, state: tempfile::tempdir().unwrap() }
    }

    fn runtime(&self) -> Runtime {
        let state = StateDir::open(self.state.path()).unwrap();
        let builder = Runtime::builder(Scope::new(self.folder.root())).state(state);
        builder.tools(&Source::Builtin, dogu_builtin::all()).unwrap().build().unwrap()
    }

    fn call(&self, input: Value) -> String {
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let result: ToolResult = tokio.block_on(async {
            let step = self.runtime().step(Arc::new(Origin::of(Principal::process("test"))));
            step.dispatch(ToolCall::new("c", "view_repo_map", input)).await
        });
        assert!(!result.is_error(), "{}", result.to_text());
        result.to_text()
    }

    fn has_kept(&self) -> bool {
        let folders = std::fs::read_dir(self.state.path().join("cache"));
        folders.is_ok_and(|mut found| {
            found.any(|entry| entry.unwrap().path().join("outlines").exists())
        })
    }

    fn kept(&self) -> PathBuf {
        let folders = std::fs::read_dir(self.state.path().join("cache")).unwrap();
        let paths: Vec<_> = folders.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(paths.len(), 1, "{paths:?}");
        paths[0].join("outlines")
    }

    /// Makes what is kept say something that no file says.
    fn forge(&self, from: &str, to: &str) {
        let mut stored = Stored::from_bytes(&std::fs::read(self.kept()).unwrap()).unwrap();
        for file in &mut stored.files {
            let Content::Code(outline) = &mut file.content else { continue };
            for definition in &mut Arc::make_mut(outline).definitions {
                definition.signature = definition.signature.replace(from, to);
            }
        }
        std::fs::write(self.kept(), stored.to_bytes()).unwrap();
    }

    fn paths(&self) -> Vec<String> {
        let stored = Stored::from_bytes(&std::fs::read(self.kept()).unwrap()).unwrap();
        let root = format!("{}/", self.folder.root().display());
        let mut paths: Vec<_> =
            stored.files.into_iter().map(|file| file.path.replace(&root, "")).collect();
        paths.sort();
        paths
    }
}

#[test]
fn files_are_parsed_again_only_when_their_content_changed() {
    let keeping = Keeping::new(shop());
    let first = keeping.call(json!({}));
    // Whoever parses finds the true signature: what shows the forged one did not parse.
    keeping.forge("fn checkout(", "fn forged(");
    keeping.forge("fn round_money(", "fn forged_too(");
    let second = keeping.call(json!({}));
    assert_eq!(
        second.replace("fn forged(", "fn checkout(").replace("forged_too", "round_money"),
        first
    );
    assert!(second.contains("fn forged(") && second.contains("fn forged_too("), "{second}");
    // A touched file with the same content is read, and not parsed.
    keeping.folder.write("src/cart.rs", keeping.folder.read("src/cart.rs"));
    assert!(keeping.call(json!({})).contains("fn forged("));
    // Another content, of the same length.
    let changed = keeping.folder.read("src/cart.rs").replace("order.total", "other.total");
    keeping.folder.write("src/cart.rs", changed);
    let third = keeping.call(json!({}));
    assert!(third.contains("fn checkout(") && third.contains("fn forged_too("), "{third}");
}

#[test]
fn what_is_kept_is_what_is_there() {
    let keeping = Keeping::new(shop());
    keeping.call(json!({}));
    let all = [
        "LICENSE",
        "src/cart.rs",
        "src/money.rs",
        "src/order.rs",
        "tools/deploy.py",
        "web/cart.ts",
        "web/page.ts",
    ];
    assert_eq!(keeping.paths(), all);
    std::fs::remove_file(keeping.folder.path("src/cart.rs")).unwrap();
    std::fs::remove_file(keeping.folder.path("tools/deploy.py")).unwrap();
    // A part of the tree says nothing of the rest.
    keeping.call(json!({"path": "src"}));
    assert_eq!(
        keeping.paths(),
        [
            "LICENSE",
            "src/money.rs",
            "src/order.rs",
            "tools/deploy.py",
            "web/cart.ts",
            "web/page.ts"
        ]
    );
    keeping.folder.write(".ignore", "web/\n");
    let text = keeping.call(json!({}));
    assert_eq!(keeping.paths(), ["LICENSE", "src/money.rs", "src/order.rs"]);
    assert!(!text.contains("web/") && !text.contains("deploy"), "{text}");
    // Whatever else is in its place, the map is made anew.
    for broken in [
        b"".as_slice(),
        b"dogumap2",
        b"\xff\xff\xff\xff",
        &std::fs::read(keeping.kept()).unwrap()[..40],
    ] {
        std::fs::write(keeping.kept(), broken).unwrap();
        assert_eq!(keeping.call(json!({})), text);
        assert_eq!(keeping.paths().len(), 3);
    }
}

#[test]
fn a_map_can_be_canceled_and_goes_on_where_it_was() {
    let folder = Folder::new();
    let body = |number: usize| -> String {
        (0..600)
            .map(|line| format!("pub fn function_{number}_{line}(a: u8) -> u8 {{ a + {line} }}\n"))
            .collect()
    };
    for number in 0..100 {
        folder.write(&format!("src/file_{number}.rs"), body(number));
    }
    let keeping = Keeping::new(folder);
    let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = tokio.block_on(async {
        let runtime = keeping.runtime();
        let principal = Principal::process("test");
        let mut events = runtime.listen(&principal);
        let step = runtime.step(Arc::new(Origin::of(principal.clone())));
        let call = tokio::spawn(step.dispatch(ToolCall::new("c", "view_repo_map", json!({}))));
        loop {
            let Heard::Event(event) = events.next().await.unwrap() else { continue };
            match &event.kind {
                EventKind::Progress { text, .. } if text.ends_with(" files mapped") => break,
                EventKind::Status { to: CallStatus::Done, .. } => panic!("it told nothing"),
                _ => {}
            }
        }
        assert!(runtime.cancel(&principal, "c"));
        call.await.unwrap()
    });
    assert!(result.to_text().contains("E_TOOL_CANCELED"), "{}", result.to_text());
    // The answer does not wait for the thread of the call, which keeps what it has.
    for _ in 0..600 {
        if keeping.has_kept() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let kept = keeping.paths().len();
    assert!(kept < 100, "{kept} files");
    keeping.call(json!({}));
    assert_eq!(keeping.paths().len(), 100);
}

/// Whatever the thread that came by a file, the map is the same.
#[test]
fn the_map_does_not_depend_on_the_order_of_the_walk() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folder = Folder::new();
    let copied =
        std::process::Command::new("cp").arg("-r").arg(root).arg(folder.path("src")).status();
    assert!(copied.unwrap().success());
    let first = map(&folder, json!({}));
    assert!(tokens(&first) <= 4_000 && tokens(&first) > 3_500, "{}", tokens(&first));
    for _ in 0..3 {
        assert_eq!(map(&folder, json!({})), first);
    }
}
