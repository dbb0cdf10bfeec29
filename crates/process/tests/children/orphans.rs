use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{confined, free, gone, marked, supervisor, until};

/// Not a test by itself: the process that the test below kills.
#[tokio::test]
async fn a_process_that_will_be_killed() {
    if std::env::var_os("DOGU_TEST_WILL_BE_KILLED").is_none() {
        return;
    }
    let supervisor = supervisor();
    let five = "for i in 1 2 3; do sleep 75.1 & done; (setsid sleep 75.1 &); nohup sleep 75.1";
    let _free = supervisor.start(free(five)).await.unwrap();
    let _confined = supervisor.start(confined(five)).await.unwrap();
    tokio::time::sleep(Duration::from_mins(1)).await;
}

#[tokio::test]
async fn nothing_is_left_when_dogu_is_killed() {
    let mut dogu = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "orphans::a_process_that_will_be_killed"])
        .env("DOGU_TEST_WILL_BE_KILLED", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(|| marked("sleep 75.1").iter().filter(|line| !line.contains("bash")).count() >= 10).await;
    dogu.kill().unwrap();
    dogu.wait().unwrap();
    assert_eq!(gone("sleep 75.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_left_when_the_supervisor_is_killed() {
    let supervisor = supervisor();
    let child = supervisor.start(confined("sleep 76.1 & sleep 76.1")).await.unwrap();
    until(|| marked("sleep 76.1").len() >= 2).await;
    let pid = supervisor.pid().unwrap();
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
    let end = tokio::time::timeout(Duration::from_secs(10), child.ended()).await.unwrap();
    assert_eq!((end.exit_code, end.signal), (None, None));
    assert_eq!(gone("sleep 76.1").await, Vec::<String>::new());
    // The next command has a new one.
    let child = supervisor.start(confined("exit 4")).await.unwrap();
    assert_eq!(child.ended().await.exit_code, Some(4));
    assert_ne!(supervisor.pid(), Some(pid));
}
