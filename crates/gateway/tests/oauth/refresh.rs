//! Tokens that end, are taken no more, or are not for enough, while a session goes on.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use futures::future::join_all;
use serde_json::Value;

use crate::own_credentials;
use crate::service::{Process, service};

/// How many calls come at once.
const MANY: usize = 8;

async fn many_calls(process: &Process) -> Vec<String> {
    let calls = (0..MANY).map(|id| process.call(id, "s__ping"));
    join_all(calls).await.iter().map(dogu_tool::ToolResult::to_text).collect()
}

/// The file of the one login that there is.
fn login(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder.join("state/logins")).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap()
}

fn kept(folder: &Path) -> Value {
    let file = login(folder);
    let mode = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "only its owner reads it");
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// Says that the token was given out long ago.
fn age(folder: &Path) {
    let mut credentials = kept(folder);
    credentials["token_received_at"] = 1_000.into();
    std::fs::write(login(folder), credentials.to_string()).unwrap();
}

#[tokio::test]
async fn a_token_that_ended_is_refreshed_once_however_many_need_it() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let process = Process::logged_in(folder.path(), &service).await;
    age(folder.path());
    assert_eq!(many_calls(&process).await, ["pong"; MANY]);
    assert_eq!(service.granted(), ["authorization_code", "refresh_token"]);
    assert_eq!(kept(folder.path())["token_response"]["access_token"], "token-2");
    task.abort();
}

#[tokio::test]
async fn a_token_that_is_taken_no_more_is_refreshed_once_however_many_need_it() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let process = Process::logged_in(folder.path(), &service).await;
    service.revoke();
    assert_eq!(many_calls(&process).await, ["pong"; MANY]);
    assert_eq!(service.granted(), ["authorization_code", "refresh_token"]);
    assert_eq!(kept(folder.path())["token_response"]["refresh_token"], "refresh-2");
    task.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_processes_never_use_a_refresh_token_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let first = Process::logged_in(folder.path(), &service).await;
    let second = Process::new(folder.path(), &service, None);
    assert_eq!(second.gateway.check("s").await.unwrap().tools, Some(2));
    service.revoke();
    let both = tokio::join!(many_calls(&first), many_calls(&second));
    assert_eq!(both, (vec!["pong".to_owned(); MANY], vec!["pong".to_owned(); MANY]));
    assert!(!service.was_reused.load(Ordering::SeqCst));
    task.abort();
}

#[tokio::test]
async fn a_refresh_that_is_refused_wants_a_login_and_is_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let process = Process::logged_in(folder.path(), &service).await;
    service.revoke();
    service.refuses.store(true, Ordering::SeqCst);
    let refused = process.call(0, "s__ping").await.to_text();
    assert!(refused.contains("wants another login"), "{refused}");
    assert!(refused.contains("dogu mcp login s"), "{refused}");
    assert!(process.gateway.wants_login("s"));
    assert_eq!(service.granted(), ["authorization_code", "refresh_token"]);
    let again = process.call(1, "s__ping").await.to_text();
    assert!(again.contains("it wants a login"), "{again}");
    assert_eq!(service.granted().len(), 2, "what was refused is not sent again");
    assert_eq!(kept(folder.path())["token_response"], Value::Null);
    // Another process logs in; this one goes on.
    Process::logged_in(folder.path(), &service).await;
    assert_eq!(process.call(2, "s__ping").await.to_text(), "pong");
    kept(folder.path());
    task.abort();
}

#[tokio::test]
async fn trouble_of_the_authorization_server_costs_no_login() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let process = Process::logged_in(folder.path(), &service).await;
    age(folder.path());
    service.is_broken.store(true, Ordering::SeqCst);
    let failed = process.call(0, "s__ping").await.to_text();
    assert!(failed.contains("did not answer as it should"), "{failed}");
    assert!(failed.contains("refresh failed"), "{failed}");
    assert!(!process.gateway.wants_login("s"));
    service.is_broken.store(false, Ordering::SeqCst);
    assert_eq!(process.call(1, "s__ping").await.to_text(), "pong");
    assert_eq!(service.scopes.lock().unwrap().len(), 1, "nobody had to log in again");
    task.abort();
}

#[tokio::test]
async fn credentials_of_its_own_are_used_again_when_the_token_is_taken_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let process = Process::new(folder.path(), &service, Some(own_credentials()));
    assert_eq!(process.gateway.load().await, []);
    service.revoke();
    assert_eq!(many_calls(&process).await, ["pong"; MANY]);
    assert_eq!(service.granted(), ["client_credentials"; 2]);
    age(folder.path());
    assert_eq!(process.call(9, "s__ping").await.to_text(), "pong");
    assert_eq!(service.granted(), ["client_credentials"; 3]);
    task.abort();
}

#[tokio::test]
async fn a_login_that_is_not_for_enough_asks_for_what_is_missing_too() {
    let folder = tempfile::tempdir().unwrap();
    let (service, task) = service().await;
    let process = Process::logged_in(folder.path(), &service).await;
    let refused = process.call(0, "s__write").await.to_text();
    assert!(refused.contains("wants another login for this; it did nothing"), "{refused}");
    assert_eq!(process.call(1, "s__ping").await.to_text(), "pong", "the rest goes on");
    // Whoever logs in does so in a process of its own, which knows what is missing.
    let other = Process::new(folder.path(), &service, None);
    other.log_in(&service).await;
    assert_eq!(*service.scopes.lock().unwrap(), ["read", "read write"]);
    assert_eq!(process.call(2, "s__write").await.to_text(), "written");
    assert_eq!(kept(folder.path())["granted_scopes"], serde_json::json!(["read", "write"]));
    let files = std::fs::read_dir(folder.path().join("state/logins")).unwrap();
    let wanted = files.filter(|file| {
        file.as_ref().unwrap().path().extension().is_some_and(|end| end == "wanted")
    });
    assert_eq!(wanted.count(), 0, "it is not asked for twice");
    task.abort();
}
