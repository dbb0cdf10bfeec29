use std::time::{Duration, Instant};

use dogu_output::Stream;
use dogu_process::StartError;

use crate::support::{confined, free, gone, marked, supervisor, until, written};

#[tokio::test]
async fn output_exit_code_and_signal_are_told() {
    for launch in [free, confined] {
        let supervisor = supervisor();
        let child = supervisor.start(launch("echo out; echo err >&2; exit 3")).await.unwrap();
        let end = child.ended().await;
        assert_eq!((end.exit_code, end.signal), (Some(3), None));
        let shown = child.log().result(1_000);
        assert_eq!((shown.stdout.as_str(), shown.stderr.as_str()), ("out\n", "err\n"));
        let child = supervisor.start(launch("kill -SEGV $$")).await.unwrap();
        let end = child.ended().await;
        assert_eq!((end.exit_code, end.signal), (None, Some(11)));
    }
}

#[tokio::test]
async fn streams_come_in_the_order_written() {
    let line = "for i in 1 2 3; do echo o$i; sleep 0.2; echo e$i >&2; sleep 0.2; done";
    let child = supervisor().start(confined(line)).await.unwrap();
    child.ended().await;
    assert_eq!(written(&child), "o1\ne1\no2\ne2\no3\ne3\n");
}

#[tokio::test]
async fn a_missing_program_and_folder_are_said() {
    let supervisor = supervisor();
    for launch in [free, confined] {
        let mut missing = launch("true");
        missing.words[0] = "no-such-program-here".into();
        let error = supervisor.start(missing).await.unwrap_err().to_string();
        assert!(error.contains("no-such-program-here: No such file"), "{error}");
        let mut missing = launch("true");
        missing.folder = "/no/such/folder".into();
        let error = supervisor.start(missing).await.unwrap_err().to_string();
        assert!(error.starts_with("could not enter the folder /no/such/folder"), "{error}");
    }
}

#[tokio::test]
async fn a_nul_is_refused_before_anything_starts() {
    let mut launch = free("true");
    launch.environment.push(("A".into(), "x\0y".into()));
    let error = supervisor().start(launch).await.unwrap_err();
    assert!(matches!(error, StartError::Nul("the environment")), "{error}");
}

#[tokio::test]
async fn an_endless_line_is_refused() {
    let error = supervisor().start(free(&"x".repeat(5_000_000))).await.unwrap_err();
    assert!(matches!(error, StartError::TooLong), "{error}");
}

#[tokio::test]
async fn who_ignores_term_is_killed_with_all_below() {
    for (mark, launch) in [("71.1", free as fn(&str) -> _), ("71.2", confined)] {
        let line = format!("trap '' TERM; (trap '' TERM; setsid sleep {mark}) & sleep {mark}");
        let child = supervisor().start(launch(&line)).await.unwrap();
        until(|| marked(&format!("sleep {mark}")).len() >= 2).await;
        let begun = Instant::now();
        child.stop(Duration::from_millis(200));
        child.ended().await;
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert_eq!(gone(&format!("sleep {mark}")).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_holds_nobody_up() {
    for (mark, launch) in [("72.1", free as fn(&str) -> _), ("72.2", confined)] {
        let line = format!("echo done; (setsid sleep {mark} &) ; exit 0");
        let child = supervisor().start(launch(&line)).await.unwrap();
        let end = tokio::time::timeout(Duration::from_secs(30), child.ended()).await.unwrap();
        assert_eq!(end.exit_code, Some(0));
        assert_eq!(written(&child), "done\n");
        assert_eq!(gone(&format!("sleep {mark}")).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn who_closes_its_pipes_and_goes_on_is_ended_all_the_same() {
    let line = "exec >&- 2>&-; exec sleep 73.1";
    let child = supervisor().start(confined(line)).await.unwrap();
    until(|| !marked("sleep 73.1").is_empty()).await;
    assert_eq!(child.end(), None);
    child.stop(Duration::from_secs(1));
    assert_eq!(child.ended().await.signal, Some(15));
    assert_eq!(gone("sleep 73.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn much_output_is_drained_and_counted() {
    let line = "head -c 200000000 /dev/zero | tr '\\0' x";
    let child = supervisor().start(confined(line)).await.unwrap();
    child.ended().await;
    assert_eq!(child.log().count(Stream::Out).bytes, 200_000_000);
}
