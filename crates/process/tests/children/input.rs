use std::time::Duration;

use dogu_process::{Input, TerminalSize};

use crate::support::{confined, supervisor, until, written};

const PATIENCE: Duration = Duration::from_secs(2);

#[tokio::test]
async fn without_input_the_end_is_read_at_once() {
    let child = supervisor().start(confined("cat; read x; echo $?")).await.unwrap();
    child.ended().await;
    assert_eq!(written(&child), "1\n");
}

#[tokio::test]
async fn what_is_sent_is_read() {
    let mut launch = confined("while read x; do echo got $x; done; echo end");
    launch.input = Input::Sent;
    let child = supervisor().start(launch).await.unwrap();
    assert_eq!(child.send(b"one\n", PATIENCE).unwrap(), 4);
    until(|| written(&child).contains("got one")).await;
    child.close_input();
    assert_eq!(child.ended().await.exit_code, Some(0));
    assert!(written(&child).ends_with("end\n"));
    assert!(child.send(b"x", PATIENCE).is_err());
}

#[tokio::test]
async fn who_does_not_read_takes_only_what_a_pipe_holds() {
    let mut launch = confined("sleep 74.1");
    launch.input = Input::Sent;
    let child = supervisor().start(launch).await.unwrap();
    let taken = child.send(&vec![b'x'; 10_000_000], Duration::from_millis(50)).unwrap();
    assert!(taken > 0 && taken < 10_000_000, "{taken}");
    child.stop(Duration::ZERO);
    child.ended().await;
}

#[tokio::test]
async fn a_terminal_is_one() {
    let mut launch =
        confined("tty -s && echo is a terminal; stty size; read -p 'name? ' x; echo hello $x");
    launch.input = Input::Terminal(TerminalSize { rows: 25, columns: 90 });
    let child = supervisor().start(launch).await.unwrap();
    until(|| written(&child).contains("name?")).await;
    child.send(b"dogu\r", PATIENCE).unwrap();
    assert_eq!(child.ended().await.exit_code, Some(0));
    let written = written(&child);
    assert!(written.contains("is a terminal"), "{written}");
    assert!(written.contains("25 90"), "{written}");
    assert!(written.contains("hello dogu"), "{written}");
}

#[tokio::test]
async fn control_c_at_a_terminal_is_a_signal() {
    let mut launch =
        confined("trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done");
    launch.input = Input::Terminal(TerminalSize::default());
    let child = supervisor().start(launch).await.unwrap();
    until(|| written(&child).contains("ready")).await;
    child.send(b"\x03", PATIENCE).unwrap();
    assert_eq!(child.ended().await.exit_code, Some(7));
}
