//! The record, through its public face and in several processes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use dogu_runtime::record::{
    CallEnd, CallRow, CallStart, Filter, Record, RecordError, RecordOptions, RecordReader,
    RecordStatus,
};
use dogu_runtime::redact::Redactor;
use dogu_runtime::{Audit, StateDir};
use dogu_tool::{Action, CallStatus, ErrorCode};
use serde_json::{Value, json};
use tempfile::TempDir;

const ROLE: &str = "DOGU_TEST_RECORD_ROLE";
const STATE: &str = "DOGU_TEST_RECORD_STATE";
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

fn state() -> (TempDir, StateDir) {
    let folder = tempfile::tempdir().unwrap();
    let state = StateDir::open(folder.path().join("dogu")).unwrap();
    (folder, state)
}

fn open(state: &StateDir) -> Record {
    Record::open(state, Redactor::new(), RecordOptions::required()).unwrap()
}

fn impatient(audit: Audit) -> RecordOptions {
    RecordOptions { audit, retry: Duration::from_millis(1), ..RecordOptions::default() }
}

fn call(id: &str) -> CallStart {
    CallStart::new(id, "read_file", json!({ "path": "src/a.rs" }))
}

fn done() -> CallEnd {
    CallEnd::new(CallStatus::Done)
}

fn rows(state: &StateDir) -> Vec<CallRow> {
    let filter = Filter { limit: usize::MAX, ..Filter::default() };
    RecordReader::open(state).unwrap().query(&filter).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// This test binary again, running only [`child`] in a role.
fn spawn(role: &str, state: &StateDir) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(ROLE, role)
        .env(STATE, state.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test of its own: what the other process does, when there is a role to play.
#[test]
fn child() {
    let (Ok(role), Ok(state)) = (std::env::var(ROLE), std::env::var(STATE)) else { return };
    let state = StateDir::open(state).unwrap();
    // Roles on a disk that may be full open the record themselves.
    let record = if role == "best-effort" { Record::off() } else { open(&state) };
    match role.as_str() {
        "hang" => {
            let (number, receipt) = record.start_durable(call("hanging"));
            receipt.wait().unwrap();
            record.calling(number, SystemTime::now());
            record.flush().wait().unwrap();
            std::thread::sleep(Duration::from_mins(1));
        }
        // Dies in the moment in which the act would begin.
        "die" => {
            let options = RecordOptions::default();
            let record = Record::open(&state, Redactor::new(), options).unwrap();
            let (_, receipt) = record.start_durable(call("fatal"));
            receipt.wait().unwrap();
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
                .unwrap();
        }
        "best-effort" => {
            let options = RecordOptions::default();
            let record = Record::open(&state, Redactor::new(), options).unwrap();
            let (number, receipt) = record.start_durable(call("small"));
            receipt.wait().unwrap();
            record.end(number, done());
        }
        "many" => write_many(&record, "child"),
        "one" => {
            let number = record.start(call("theirs"));
            record.flush().wait().unwrap();
            record.end(number, done());
        }
        other => panic!("no role {other}"),
    }
}

fn write_many(record: &Record, name: &str) {
    for index in 0..2_000 {
        let start = call(&format!("{name}-{index}"));
        let number = if index % 4 == 0 {
            let (number, receipt) = record.start_durable(start);
            receipt.wait().unwrap();
            number
        } else {
            record.start(start)
        };
        record.end(number, done());
    }
    record.flush().wait().unwrap();
    assert_eq!(record.lost(), 0);
}

#[test]
fn everything_comes_back() {
    let (_folder, state) = state();
    let record = open(&state);
    let at = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_123);
    let start = CallStart {
        principal: "token:abc".into(),
        session: "s".into(),
        agent: "main".into(),
        turn_id: "turn".into(),
        trace_id: "trace".into(),
        source: "builtin".into(),
        actions: vec![Action::read("/w/src/a.rs")],
        decision: "ask".into(),
        reasons: vec!["outside the roots".into()],
        generated_at: at,
        may_write: true,
        ..call("call_1")
    };
    let (number, receipt) = record.start_durable(start);
    receipt.wait().unwrap();
    record.waiting(number, at + Duration::from_secs(1));
    record.flush().wait().unwrap();
    assert_eq!(rows(&state)[0].status, RecordStatus::Waiting);
    record.calling(number, at + Duration::from_secs(2));
    record.end(
        number,
        CallEnd {
            error_code: Some(ErrorCode::Timeout),
            error_message: Some("took too long".into()),
            causes: vec!["deadline".into(), "slow disk".into()],
            answered_by: Some("cache".into()),
            result_preview: "fn main".into(),
            result_bytes: 12_345,
            duration: Duration::from_micros(1_500),
            waited: Duration::from_secs(1),
            permission: Some("granted once".into()),
            ended_at: at + Duration::from_secs(3),
            input: Some(json!({ "path": "src/b.rs" })),
            decision: Some("allow".into()),
            ..CallEnd::new(CallStatus::Errored)
        },
    );
    record.flush().wait().unwrap();
    let mut row = serde_json::to_value(&rows(&state)[0]).unwrap();
    for name in ["revision", "number", "run", "pid"] {
        assert!(row.as_object_mut().unwrap().shift_remove(name).is_some(), "{name}");
    }
    assert_eq!(
        row,
        json!({
            "status": "errored", "call_id": "call_1", "tool": "read_file", "source": "builtin",
            "principal": "token:abc", "session": "s", "agent": "main", "turn_id": "turn",
            "trace_id": "trace", "may_write": true, "input": { "path": "src/b.rs" },
            "actions": [{ "action": "file_read", "path": "/w/src/a.rs", "tree": false }],
            "decision": "allow", "reasons": ["outside the roots"], "permission": "granted once",
            "generated_at": "2023-11-14T22:13:20.123Z", "waiting_at": "2023-11-14T22:13:21.123Z",
            "calling_at": "2023-11-14T22:13:22.123Z", "ended_at": "2023-11-14T22:13:23.123Z",
            "duration_us": 1500, "waited_us": 1_000_000, "error_code": "E_TOOL_TIMEOUT",
            "error_message": "took too long", "causes": ["deadline", "slow disk"],
            "answered_by": "cache", "result_preview": "fn main", "result_bytes": 12345,
        })
    );
}

#[test]
fn calls_keep_their_order_and_take_one_row_each() {
    let (_folder, state) = state();
    let record = open(&state);
    for index in 0..500 {
        let number = record.start(call(&index.to_string()));
        record.end(number, done());
    }
    drop(record);
    let (changes, last) = RecordReader::open(&state).unwrap().changes_since(0, 1_000).unwrap();
    let mut by_number: Vec<_> = changes.iter().collect();
    by_number.sort_unstable_by_key(|row| row.number);
    let ids: Vec<_> = by_number.iter().map(|row| row.call_id.clone().unwrap()).collect();
    assert_eq!(ids, (0..500).map(|index| index.to_string()).collect::<Vec<_>>());
    assert!(changes.iter().all(|row| row.status == RecordStatus::Done));
    assert_eq!(last, changes[499].revision);
}

#[test]
fn filters_narrow_and_limits_keep_the_newest() {
    let (_folder, state) = state();
    let record = open(&state);
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for index in 0..10_u64 {
        let number = record.start(CallStart {
            generated_at: at + Duration::from_secs(index),
            principal: if index % 2 == 0 { "even" } else { "odd" }.into(),
            tool: if index < 5 { "bash" } else { "grep" }.into(),
            ..call(&index.to_string())
        });
        if index > 0 {
            record.end(number, done());
        }
    }
    record.flush().wait().unwrap();
    let reader = RecordReader::open(&state).unwrap();
    let ids = |filter: Filter| -> Vec<String> {
        reader.query(&filter).unwrap().into_iter().map(|row| row.call_id.unwrap()).collect()
    };
    let filter = Filter::default();
    assert_eq!(ids(Filter { limit: 2, ..filter.clone() }), ["9", "8"]);
    assert_eq!(ids(Filter { call_id: Some("3".into()), ..filter.clone() }), ["3"]);
    assert_eq!(ids(Filter { status: Some(RecordStatus::Generated), ..filter.clone() }), ["0"]);
    let odd = Filter { principal: Some("odd".into()), tool: Some("bash".into()), ..filter.clone() };
    assert_eq!(ids(odd), ["3", "1"]);
    let since = Some(at + Duration::from_secs(2));
    let until = Some(at + Duration::from_secs(4));
    assert_eq!(ids(Filter { since, until, ..filter }), ["3", "2"]);
}

#[test]
fn a_receipt_can_be_awaited() {
    let (_folder, state) = state();
    let record = open(&state);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (_, receipt) = record.start_durable(call("a"));
        receipt.await.unwrap();
    });
    assert_eq!(rows(&state).len(), 1);
}

#[test]
fn a_killed_process_leaves_interrupted_calls() {
    let (_folder, state) = state();
    let mut child = spawn("hang", &state);
    until("the child calls", || {
        rows(&state).first().is_some_and(|row| row.status == RecordStatus::Calling)
    });
    let record = open(&state);
    assert_eq!(rows(&state)[0].status, RecordStatus::Calling, "a live run is left alone");
    drop(record);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(rows(&state)[0].status, RecordStatus::Interrupted, "before anyone has said so");
    let reader = RecordReader::open(&state).unwrap();
    let interrupted = Filter { status: Some(RecordStatus::Interrupted), ..Filter::default() };
    assert_eq!(reader.query(&interrupted).unwrap().len(), 1);
    let before = reader.revision().unwrap();
    let record = open(&state);
    let (changes, _) = reader.changes_since(before, 10).unwrap();
    assert_eq!(changes[0].status, RecordStatus::Interrupted, "the next process says so");
    assert_eq!(names(&state.path().join("runs")).len(), 1, "only our own lock is left");
    drop(record);
    assert_eq!(names(&state.path().join("runs")).len(), 0);
}

#[test]
fn a_process_that_dies_in_the_act_has_left_its_start() {
    let (_folder, state) = state();
    for deaths in 1..=20 {
        let mut child = spawn("die", &state);
        child.wait().unwrap();
        // Reading is enough to see it, before any process writes again.
        let rows = rows(&state);
        assert_eq!(rows.len(), deaths);
        assert!(rows.iter().all(|row| row.status == RecordStatus::Interrupted), "{rows:?}");
        assert_eq!(rows[0].tool.as_deref(), Some("read_file"));
        assert!(!rows[0].input.is_null() && rows[0].call_id.as_deref() == Some("fatal"));
    }
    let left = names(&state.path().join("runs"));
    assert!(left.iter().all(|name| !name.ends_with(".starts")), "{left:?}");
}

/// The disk is full at any point of a process's life; afterwards no call seems to be under way.
#[test]
fn a_full_disk_loses_rows_and_tells_no_lies() {
    let mut ended = 0;
    for blocks in 60..86 {
        let (_folder, state) = state();
        for _ in 0..5 {
            let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" --exact child");
            let status = Command::new("bash")
                .args(["-c", &limited])
                .arg(std::env::current_exe().unwrap())
                .env(ROLE, "best-effort")
                .env(STATE, state.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap();
            assert!(status.success(), "a full disk is no reason to die: {status}");
        }
        let Ok(reader) = RecordReader::open(&state) else { continue };
        for row in reader.query(&Filter::default()).unwrap() {
            let over = matches!(row.status, RecordStatus::Done | RecordStatus::Interrupted);
            assert!(over, "with {blocks} blocks: {row:?}");
            ended += usize::from(row.status == RecordStatus::Done);
        }
    }
    assert!(ended > 10, "some calls were recorded before the disk was full: {ended}");
}

#[test]
fn a_call_without_an_end_is_interrupted_when_its_process_ends() {
    let (_folder, state) = state();
    let record = open(&state);
    record.start(call("a"));
    drop(record);
    assert_eq!(rows(&state)[0].status, RecordStatus::Interrupted);
}

#[test]
fn two_processes_lose_nothing() {
    let (_folder, state) = state();
    let mut child = spawn("many", &state);
    let record = open(&state);
    write_many(&record, "parent");
    assert!(child.wait().unwrap().success());
    drop(record);
    let rows = rows(&state);
    assert_eq!(rows.len(), 4_000);
    assert!(rows.iter().all(|row| row.status == RecordStatus::Done));
    let mut revisions: Vec<_> = rows.iter().map(|row| row.revision).collect();
    revisions.sort_unstable();
    revisions.dedup();
    assert_eq!(revisions.len(), 4_000);
}

#[test]
fn changes_of_another_process_are_seen() {
    let (_folder, state) = state();
    let reader = RecordReader::open(&state).unwrap();
    assert_eq!(reader.changes_since(0, 10).unwrap(), (Vec::new(), 0), "nothing exists yet");
    let record = open(&state);
    record.start(call("ours"));
    record.flush().wait().unwrap();
    let (first, revision) = reader.changes_since(0, 10).unwrap();
    assert_eq!(first.len(), 1);
    assert!(spawn("one", &state).wait().unwrap().success());
    let (second, last) = reader.changes_since(revision, 10).unwrap();
    assert_eq!(second.len(), 1);
    assert_eq!(second[0].call_id.as_deref(), Some("theirs"));
    assert_eq!(second[0].status, RecordStatus::Done);
    assert_ne!(second[0].pid, i64::from(std::process::id()));
    assert_eq!(reader.changes_since(last, 10).unwrap(), (Vec::new(), last));
}

#[test]
fn nothing_is_an_empty_record() {
    let (_folder, state) = state();
    assert!(rows(&state).is_empty());
    assert!(!state.database().exists(), "reading creates nothing");
}

#[test]
fn a_database_that_cannot_be_opened_fails_only_where_it_is_required() {
    let (_folder, state) = state();
    fs::create_dir(state.database()).unwrap();
    let required = Record::open(&state, Redactor::new(), impatient(Audit::Required));
    let error = required.unwrap_err();
    assert!(error.to_string().contains("dogu.sqlite"), "{error}");

    let record = Record::open(&state, Redactor::new(), impatient(Audit::BestEffort)).unwrap();
    assert!(!record.healthy());
    let (number, receipt) = record.start_durable(call("lost"));
    receipt.wait().unwrap();
    record.end(number, done());
    record.flush().wait().unwrap();
    assert_eq!(record.lost(), 2);

    fs::remove_dir(state.database()).unwrap();
    until("it recovers by itself", || record.healthy());
    let (_, receipt) = record.start_durable(call("kept"));
    receipt.wait().unwrap();
    assert_eq!(rows(&state)[0].call_id.as_deref(), Some("kept"));
    let gaps = RecordReader::open(&state).unwrap().gaps().unwrap();
    assert_eq!(gaps.iter().map(|gap| gap.lost).sum::<u64>(), 2);
}

#[test]
fn a_database_that_goes_away_fails_receipts_where_it_is_required() {
    let (_folder, state) = state();
    let options = RecordOptions { retry: Duration::from_mins(1), ..RecordOptions::required() };
    let record = Record::open(&state, Redactor::new(), options).unwrap();
    for part in PARTS {
        let _ = fs::remove_file(format!("{}{part}", state.database().display()));
    }
    fs::create_dir(state.database()).unwrap();
    for id in ["a", "b"] {
        let (_, receipt) = record.start_durable(call(id));
        assert!(matches!(receipt.wait(), Err(RecordError::Database { .. })));
    }
    assert!(!record.healthy());
    assert_eq!(record.lost(), 2);
}

#[test]
fn a_full_queue_refuses_and_counts() {
    let (_folder, state) = state();
    let options = RecordOptions { max_entries: 0, ..RecordOptions::required() };
    let record = Record::open(&state, Redactor::new(), options).unwrap();
    let (number, receipt) = record.start_durable(call("a"));
    assert!(matches!(receipt.wait(), Err(RecordError::Full)));
    record.end(number, done());
    assert_eq!(record.lost(), 2);
    drop(record);
    assert_eq!(RecordReader::open(&state).unwrap().gaps().unwrap()[0].lost, 2);
}

#[test]
fn a_broken_database_is_kept_aside() {
    let (_folder, state) = state();
    fs::write(state.database(), "this is no database at all, ".repeat(100)).unwrap();
    let record = open(&state);
    record.start_durable(call("a")).1.wait().unwrap();
    assert_eq!(rows(&state).len(), 1);
    let kept = names(state.path()).into_iter().find(|name| name.contains(".broken-")).unwrap();
    let content = fs::read_to_string(state.path().join(kept)).unwrap();
    assert!(content.starts_with("this is no database"));
}

#[test]
fn a_damaged_database_is_replaced() {
    let (_folder, state) = state();
    let record = open(&state);
    for index in 0..200 {
        record.start(call(&index.to_string()));
    }
    drop(record);
    // What is to be damaged must have left the log.
    rusqlite::Connection::open(state.database())
        .and_then(|database| database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))
        .unwrap();
    let mut bytes = fs::read(state.database()).unwrap();
    bytes[4096..].fill(0x5A);
    fs::write(state.database(), bytes).unwrap();
    let record = open(&state);
    record.start_durable(call("after")).1.wait().unwrap();
    assert!(record.healthy());
    assert_eq!(rows(&state).len(), 1);
    assert!(names(state.path()).iter().any(|name| name.contains(".broken-")));
}

#[test]
fn a_newer_format_is_not_touched() {
    let (_folder, state) = state();
    drop(open(&state));
    let connection = rusqlite::Connection::open(state.database()).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = fs::read(state.database()).unwrap();
    for audit in [Audit::Required, Audit::BestEffort] {
        let error = Record::open(&state, Redactor::new(), impatient(audit)).unwrap_err();
        assert!(matches!(error, RecordError::Newer { found: 99, .. }), "{error}");
    }
    assert!(matches!(RecordReader::open(&state), Err(RecordError::Newer { .. })));
    assert_eq!(fs::read(state.database()).unwrap(), before);
}

#[test]
fn a_huge_input_is_cut_before_it_costs_anything() {
    let (_folder, state) = state();
    let record = open(&state);
    let input = json!({ "content": "0123456 ".repeat(50 * 1024 * 1024 / 8), "path": "a" });
    let begin = Instant::now();
    let (number, receipt) = record.start_durable(CallStart::new("big", "write_file", input));
    receipt.wait().unwrap();
    // Far more than it takes, far less than the redaction of 50 MB would in a debug build.
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    record.end(number, CallEnd { result_preview: "x".repeat(10_000), ..done() });
    record.flush().wait().unwrap();
    let row = &rows(&state)[0];
    assert!(row.input.to_string().len() <= 64 * 1024);
    assert!(row.input["content"].as_str().unwrap().ends_with("(truncated)"));
    let preview = row.result_preview.as_deref().unwrap();
    assert!(preview.len() <= 1024 && preview.ends_with("(truncated)"));
}

#[test]
fn escapes_do_not_break_the_limit() {
    let (_folder, state) = state();
    let record = open(&state);
    record.start(CallStart::new("a", "t", json!({ "x": "\u{1}".repeat(60_000) })));
    record.flush().wait().unwrap();
    assert!(rows(&state)[0].input.to_string().len() <= 64 * 1024);
}

#[test]
fn no_secret_reaches_a_file() {
    let (_folder, state) = state();
    let known = "correct horse battery";
    let token = ["ghp", "_", &"x7Qm2ZkP9vLc".repeat(3)].concat();
    let body = "MIIEx7Qm2ZkP9vLcT4bRw8NfJ6hYd3GsK5uE1tB".repeat(20_000);
    let pem = ["-----BEGIN RSA PRIVATE", " KEY-----\n", &body].concat();
    let redactor = Redactor::with_known([("PASSPHRASE", known)]);
    let record = Record::open(&state, redactor, RecordOptions::required()).unwrap();
    let input = json!({
        "note": known, "password": "hunter2", token.clone(): [token], "pem": pem,
    });
    let number = record.start(CallStart {
        actions: vec![Action::execute(format!("echo {token}"), "/")],
        reasons: vec![format!("because of {known}")],
        trace_id: token.clone(),
        ..CallStart::new("a", "t", input)
    });
    record.flush().wait().unwrap();
    record.end(
        number,
        CallEnd {
            error_message: Some(format!("bad {token}")),
            causes: vec![format!("url https://me:hunter2@example.com {token}")],
            result_preview: format!("{pem} {known}"),
            permission: Some("TOKEN=hunter2".into()),
            ..done()
        },
    );
    record.flush().wait().unwrap();
    let secrets = [known, &token, "hunter2", &body[..40], "MIIEx7Qm2Z"];
    for name in names(state.path()) {
        let path = state.path().join(name);
        let Ok(bytes) = fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} in {}", path.display());
        }
    }
    assert!(names(state.path()).iter().any(|name| name.ends_with("-wal")), "the log was read too");
    let input = &rows(&state)[0].input;
    assert_eq!(input["password"], "⟦redacted password⟧");
    assert_eq!(input["note"], Value::from("⟦redacted PASSPHRASE⟧"));
}

#[test]
fn files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, state) = state();
    let record = open(&state);
    record.start_durable(call("a")).1.wait().unwrap();
    for name in names(state.path()) {
        let facts = fs::metadata(state.path().join(&name)).unwrap();
        assert_eq!(facts.permissions().mode() & 0o077, 0, "{name}");
    }
}

#[test]
fn another_file_in_its_place_is_noticed() {
    let (_folder, state) = state();
    let record = open(&state);
    record.start_durable(call("a")).1.wait().unwrap();
    let reader = RecordReader::open(&state).unwrap();
    let before = reader.revision().unwrap();
    for part in PARTS {
        fs::remove_file(format!("{}{part}", state.database().display())).unwrap();
    }
    record.start_durable(call("b")).1.wait().unwrap();
    let (changes, _) = reader.changes_since(before, 10).unwrap();
    assert_eq!(changes.len(), 1, "revisions grow across databases");
    assert_eq!(changes[0].call_id.as_deref(), Some("b"));
}
