//! Every walk can be canceled: the flag is set in the middle of it, and it must end there.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use dogu_runtime::files::{GrantedFiles, Roots};
use dogu_tool::{
    Action, AgentRuntime, BoxFuture, Cache, CancelFlag, ChangeOptions, Editor, Embeddings,
    ErrorCode, FileChange, FileFacts, Files, FolderEntry, LogLevel, Message, Network, Onward,
    Origin, Principal, Processes, ReadFiles, Repository, Scope, Seen, ToolCall, ToolContext,
    ToolError, ToolSpec, Toolbox, Visitor, Visitors, WalkEntry, WalkOptions, Walked, WriteOptions,
    Written,
};
use serde_json::{Value, json};

use crate::support::{Folder, tokio, tool};

/// How many names the folder has.
const MANY: u64 = 3_000;
/// At which of them the call is canceled.
const CANCELED_AT: u64 = 100;
/// How many more each thread may come by until it sees the flag.
const FEW: u64 = 100;

/// The real files, whose walks are canceled on the way.
struct Canceling {
    files: GrantedFiles,
    cancel: CancelFlag,
    visits: AtomicU64,
}

/// Visits as the tool would, and sets the flag at one of the names.
struct Counting<'a>(Box<dyn Visitor + 'a>, &'a Canceling);

impl Visitor for Counting<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        if self.1.visits.fetch_add(1, Ordering::Relaxed) == CANCELED_AT {
            self.1.cancel.cancel();
        }
        self.0.visit(entry)
    }
}

impl ReadFiles for Canceling {
    fn open(&self, path: &Path) -> Result<File, ToolError> {
        self.files.open(path)
    }

    fn facts(&self, path: &Path) -> Result<Option<FileFacts>, ToolError> {
        self.files.facts(path)
    }

    fn list(&self, path: &Path) -> Result<Vec<FolderEntry>, ToolError> {
        self.files.list(path)
    }

    fn walk(
        &self,
        path: &Path,
        options: &WalkOptions,
        cancel: &CancelFlag,
        visitors: &Visitors<'_>,
    ) -> Result<Walked, ToolError> {
        let counting = || Box::new(Counting(visitors(), self)) as Box<dyn Visitor>;
        self.files.walk(path, options, cancel, &counting)
    }

    fn remember(&self, path: &Path, seen: Seen, content: Option<&[u8]>) -> Result<(), ToolError> {
        self.files.remember(path, seen, content)
    }

    fn last_seen(&self, path: &Path) -> Result<Option<Seen>, ToolError> {
        self.files.last_seen(path)
    }

    fn last_content(&self, path: &Path) -> Result<Option<Arc<[u8]>>, ToolError> {
        self.files.last_content(path)
    }

    fn last_hash(&self, path: &Path, content: &[u8]) -> Result<Option<[u8; 32]>, ToolError> {
        self.files.last_hash(path, content)
    }
}

impl Files for Canceling {
    fn write(&self, path: &Path, _: &[u8], _: WriteOptions) -> Result<Written, ToolError> {
        panic!("no walk writes {}", path.display())
    }

    fn change(&self, _: &[FileChange], _: ChangeOptions) -> Result<Vec<Written>, ToolError> {
        panic!("no walk changes files")
    }

    fn remove(&self, path: &Path) -> Result<(), ToolError> {
        panic!("no walk removes {}", path.display())
    }
}

/// A context with nothing but files.
struct Context {
    scope: Scope,
    files: Canceling,
    origin: Origin,
    message: Message,
    spec: ToolSpec,
}

impl ToolContext for Context {
    fn scope(&self) -> &Scope {
        &self.scope
    }
    fn files(&self) -> &dyn Files {
        &self.files
    }
    fn repository(&self) -> &dyn Repository {
        panic!("not here")
    }
    fn processes(&self) -> &dyn Processes {
        panic!("not here")
    }
    fn network(&self) -> &dyn Network {
        panic!("not here")
    }
    fn request(&self, _: Vec<Action>) -> BoxFuture<'_, Result<(), ToolError>> {
        panic!("not here")
    }
    fn progress(&self, _: &str, _: Option<f32>) {}
    fn log(&self, _: LogLevel, _: &str) {}
    fn cancel(&self) -> &CancelFlag {
        &self.files.cancel
    }
    fn deadline(&self) -> Option<Instant> {
        None
    }
    fn call_id(&self) -> &'static str {
        "c"
    }
    fn origin(&self) -> &Origin {
        &self.origin
    }
    fn message(&self) -> &Message {
        &self.message
    }
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    fn settings(&self) -> &Value {
        &Value::Null
    }
    fn editor(&self) -> Option<&dyn Editor> {
        None
    }
    fn agents(&self) -> Option<&dyn AgentRuntime> {
        None
    }
    fn embeddings(&self) -> Option<&dyn Embeddings> {
        None
    }
    fn cache(&self) -> Option<&dyn Cache> {
        None
    }
    fn tools(&self) -> Option<&dyn Toolbox> {
        None
    }
}

/// How a call that is canceled on its way ends, and how many names it came by.
fn canceled(folder: &Folder, name: &str, input: Value, cancel: CancelFlag) -> (ErrorCode, u64) {
    let tool = tool(name);
    let scope = Scope::new(folder.root());
    let plan = tool.prepare(input.clone(), &scope).unwrap();
    let roots = Arc::new(Roots::open(scope.roots()).unwrap());
    let judged = roots.judge_all(plan.actions()).unwrap();
    let files = GrantedFiles::new(roots, judged);
    let context = Arc::new(Context {
        scope,
        files: Canceling { files, cancel, visits: AtomicU64::new(0) },
        origin: Origin::of(Principal::process("test")),
        message: Message::of_calls([&ToolCall::new("c", name, input)]),
        spec: tool.spec().clone(),
    });
    let error = tokio().block_on(plan.run(context.clone())).expect_err("it was canceled");
    (error.code(), context.files.visits.load(Ordering::Relaxed))
}

#[test]
fn every_tool_that_walks_ends_when_it_is_canceled() {
    let folder = Folder::new();
    for n in 0..MANY {
        folder.write(&format!("{}/{n}", n % 10), "text\n");
    }
    let most = CANCELED_AT + FEW * std::thread::available_parallelism().unwrap().get() as u64;
    for (name, input) in [
        ("glob", json!({"pattern": "*"})),
        ("glob_search", json!({"pattern": "*"})),
        ("list_files", json!({"recursive": true})),
        ("ls", json!({"recursive": true})),
        ("view_subdirectory", json!({"path": "."})),
        ("grep", json!({"pattern": "text"})),
        ("search_files", json!({"path": ".", "regex": "text"})),
        ("grep_search", json!({"pattern": "text"})),
    ] {
        let (code, visits) = canceled(&folder, name, input.clone(), CancelFlag::new());
        assert_eq!(code, ErrorCode::Canceled, "{name}");
        assert!(visits > CANCELED_AT && visits < most, "{name}: {visits}");
        let already = CancelFlag::new();
        already.cancel();
        let end = canceled(&folder, name, input, already);
        assert_eq!(end, (ErrorCode::Canceled, 0), "{name}");
    }
}

/// A folder of its own, not many of them.
#[test]
fn the_list_of_one_folder_ends_when_it_is_canceled() {
    let folder = Folder::new();
    for n in 0..MANY {
        folder.write(&format!("{n}"), "");
    }
    let (code, visits) = canceled(&folder, "list_files", json!({}), CancelFlag::new());
    assert_eq!(code, ErrorCode::Canceled);
    assert!(visits < MANY / 2, "{visits}");
}
