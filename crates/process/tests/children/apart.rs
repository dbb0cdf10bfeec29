use std::process::{Command, Stdio};
use std::time::Duration;

use dogu_process::Parting;

use crate::support::{apart, gone, marked, supervisor, until, written};

const LONG: Parting = Parting { by_itself: Duration::from_mins(5), grace: Duration::from_mins(5) };
const SHORT: Parting =
    Parting { by_itself: Duration::from_millis(100), grace: Duration::from_millis(100) };

#[tokio::test]
async fn it_has_numbers_of_its_own_and_ends_with_all_that_it_started() {
    let line = "(trap '' TERM; setsid sleep 79.1 &); echo $PPID; ls /proc | grep -c '^[0-9]'; kill -SEGV $$";
    let child = supervisor().start(apart(line, None)).await.unwrap();
    assert_eq!(child.ended().await.signal, Some(11));
    let written = written(&child);
    let mut lines = written.lines();
    assert_eq!(lines.next(), Some("2"));
    assert!(lines.next().unwrap().parse::<u32>().unwrap() < 10, "{written}");
    assert_eq!(gone("sleep 79.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn who_ends_by_itself_is_given_the_time() {
    let line = "echo up >&2; while read x; do :; done; sleep 0.3; echo bye >&2; exit 6";
    let (child, pipes) = supervisor().start_piped(apart(line, Some(LONG))).await.unwrap();
    until(|| written(&child).contains("up")).await;
    drop(pipes.input);
    child.let_go();
    assert_eq!(child.ended().await.exit_code, Some(6));
    assert!(written(&child).ends_with("bye\n"));
}

#[tokio::test]
async fn who_does_not_is_asked_and_then_killed() {
    let asked = "trap 'echo asked >&2; exit 8' TERM; echo up >&2; while :; do sleep 0.02; done";
    let (child, _pipes) = supervisor().start_piped(apart(asked, Some(SHORT))).await.unwrap();
    until(|| written(&child).contains("up")).await;
    child.let_go();
    assert_eq!(child.ended().await.exit_code, Some(8));
    let deaf = "trap '' TERM; echo up >&2; while :; do sleep 0.02; done";
    let (child, _pipes) = supervisor().start_piped(apart(deaf, Some(SHORT))).await.unwrap();
    until(|| written(&child).contains("up")).await;
    child.let_go();
    assert_eq!(child.ended().await.signal, Some(9));
}

#[tokio::test]
async fn without_a_parting_it_ends_at_once() {
    let line = "trap 'sleep 79.2' TERM; echo up; while :; do sleep 0.02; done";
    let child = supervisor().start(apart(line, None)).await.unwrap();
    until(|| written(&child).contains("up")).await;
    child.let_go();
    assert_eq!(child.ended().await.signal, Some(9));
}

#[tokio::test]
async fn a_start_that_nobody_waits_for_is_no_start() {
    let supervisor = supervisor();
    let mut starting = Box::pin(supervisor.start(apart("exec sleep 79.3", None)));
    // It is ordered with the first poll, and not answered in that moment.
    assert!(futures_poll(&mut starting).await.is_pending());
    drop(starting);
    // The orders of one supervisor are obeyed in their order.
    let after = supervisor.start(apart("true", None)).await.unwrap();
    after.ended().await;
    assert_eq!(gone("sleep 79.3").await, Vec::<String>::new());
}

async fn futures_poll<F: Future + Unpin>(future: &mut F) -> std::task::Poll<F::Output> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(context))
    })
    .await
}

/// Not a test by itself: the process that the test below kills.
#[tokio::test]
async fn a_process_that_will_be_killed() {
    let Ok(said) = std::env::var("DOGU_TEST_PARTS_INTO") else { return };
    let supervisor = supervisor();
    let by_itself = format!("while read x; do :; done; sleep 0.3; echo by itself >> {said}");
    // Nobody reads what it says of its children.
    let asked = format!(
        "exec 2>/dev/null; trap 'echo asked >> {said}; exit' TERM; while :; do sleep 0.02; done; : 79.4"
    );
    let deaf = "trap '' TERM; (setsid sleep 79.4 &); sleep 79.4; sleep 79.4";
    let parting = Parting { by_itself: Duration::from_secs(1), grace: Duration::from_secs(2) };
    let mut held = Vec::new();
    for line in [by_itself.as_str(), &asked, deaf] {
        held.push(supervisor.start_piped(apart(line, Some(parting))).await.unwrap());
    }
    std::fs::write(format!("{said}.up"), "").unwrap();
    tokio::time::sleep(Duration::from_mins(1)).await;
}

#[tokio::test]
async fn who_may_end_by_itself_may_do_so_when_dogu_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let said = folder.path().join("said");
    let mut dogu = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "apart::a_process_that_will_be_killed"])
        .env("DOGU_TEST_PARTS_INTO", &said)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(|| folder.path().join("said.up").exists() && marked("sleep 79.4").len() >= 2).await;
    dogu.kill().unwrap();
    dogu.wait().unwrap();
    assert_eq!(gone("sleep 79.4").await, Vec::<String>::new());
    assert_eq!(gone(said.to_str().unwrap()).await, Vec::<String>::new());
    assert_eq!(std::fs::read_to_string(&said).unwrap(), "by itself\nasked\n");
}

#[tokio::test]
async fn nothing_is_left_when_the_supervisor_is_killed() {
    let supervisor = supervisor();
    let line = "(trap '' TERM; setsid sleep 79.5 &); sleep 79.5";
    let child = supervisor.start(apart(line, Some(LONG))).await.unwrap();
    until(|| marked("sleep 79.5").len() >= 2).await;
    let pid = supervisor.pid().unwrap();
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
    child.ended().await;
    assert_eq!(gone("sleep 79.5").await, Vec::<String>::new());
}
