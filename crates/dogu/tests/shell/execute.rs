use std::fs;
use std::time::{Duration, Instant};

use dogu_tool::ErrorCode;
use serde_json::json;

use crate::support::{World, gone, marked, until};

#[tokio::test]
async fn x1_a_command_gives_output_exit_code_and_duration() {
    let world = World::new();
    let ran = world.run("echo out; echo err >&2; exit 3").await;
    assert_eq!(ran["exit_code"], 3);
    assert_eq!(ran["stdout"], "out\n");
    assert_eq!(ran["stderr"], "err\n");
    assert_eq!(ran["timed_out"], false);
    assert!(ran["duration_ms"].as_u64().unwrap() < 60_000);
    let text = ran["text"].as_str().unwrap();
    assert!(text.starts_with("out\nerr\n\n[exit code 3, "), "{text}");
}

#[tokio::test]
async fn x1_the_folder_is_honoured() {
    let world = World::new();
    fs::create_dir(world.work("sub")).unwrap();
    let result = world.call("execute_command", json!({"command": "pwd", "cwd": "sub"})).await;
    assert!(result.to_text().contains("/work/sub\n"), "{}", result.to_text());
    let missing = world.call("execute_command", json!({"command": "pwd", "cwd": "no"})).await;
    assert!(missing.to_text().contains("does not exist"), "{}", missing.to_text());
}

#[tokio::test]
async fn a_signal_is_told_by_its_name() {
    let ran = World::new().run("kill -SEGV $$").await;
    assert_eq!((ran["exit_code"].as_i64(), ran["signal"].as_str()), (None, Some("SIGSEGV")));
    assert!(ran["text"].as_str().unwrap().contains("ended by SIGSEGV"));
}

#[tokio::test]
async fn e14_a_time_out_ends_the_whole_group_at_once() {
    let world = World::new();
    let begun = Instant::now();
    let line = "(setsid sleep 81.1 &) ; sleep 81.1 & sleep 81.1";
    let input = json!({"command": line, "timeout": 0.2});
    let result = world.call("execute_command", input).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let structured = result.structured.clone().unwrap();
    assert_eq!(structured["timed_out"], true);
    assert!(result.to_text().contains("ended after"), "{}", result.to_text());
    assert_eq!(gone("sleep 81.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn e14_more_than_ten_minutes_is_clamped_with_a_note() {
    let input = json!({"command": "echo x", "timeout": 660});
    let result = World::new().call("execute_command", input).await;
    assert!(
        result.to_text().contains("The time-out of 660 s was cut to 600 s"),
        "{}",
        result.to_text()
    );
}

#[tokio::test]
async fn e14_who_ignores_term_is_killed() {
    let world = World::new();
    let line = "trap '' TERM; echo ready; while :; do sleep 0.1; done; echo 82.1";
    let input = json!({"command": line, "timeout": 0.3});
    let result = world.call("execute_command", input).await;
    assert_eq!(result.structured.unwrap()["timed_out"], true);
    assert_eq!(gone("82.1").await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_call_is_answered_at_once_and_leaves_nothing() {
    let world = std::sync::Arc::new(World::new());
    let other = std::sync::Arc::clone(&world);
    let call = tokio::spawn(async move {
        let line = "trap '' TERM; sleep 83.1 & sleep 83.1";
        other.call("execute_command", json!({"command": line})).await
    });
    until(|| marked("sleep 83.1").iter().filter(|line| !line.contains("trap")).count() >= 2).await;
    let who = dogu_tool::Principal::process("tests");
    let begun = Instant::now();
    for number in 0..500 {
        world.runtime().cancel(&who, &format!("c{number}"));
    }
    let result = call.await.unwrap();
    assert_eq!(result.error.unwrap().code, ErrorCode::Canceled);
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert_eq!(gone("sleep 83.1").await, Vec::<String>::new());
}

#[tokio::test]
async fn what_waits_for_a_terminal_is_ended_with_a_hint() {
    let world = World::new();
    let stops = world.call("execute_command", json!({"command": "echo a; kill -STOP $$"})).await;
    assert!(stops.to_text().contains("waits to be continued"), "{}", stops.to_text());
    // Reads from a terminal, and whoever has the other end only sleeps.
    let code =
        "import os, pty, time\nif pty.fork()[0] == 0: os.execvp('cat', ['cat'])\ntime.sleep(100)";
    std::fs::write(world.work("waits.py"), code).unwrap();
    let waits = world.call("execute_command", json!({"command": "python3 waits.py"})).await;
    assert!(
        waits.to_text().contains("reads from a terminal that nobody sits at"),
        "{}",
        waits.to_text()
    );
    // The same while something is at work is left alone until its time is over.
    let code = code.replace("time.sleep(100)", "while True: pass");
    std::fs::write(world.work("works.py"), code).unwrap();
    let input = json!({"command": "python3 works.py", "timeout": 15});
    let works = world.call("execute_command", input).await;
    assert_eq!(works.structured.clone().unwrap()["timed_out"], true, "{}", works.to_text());
    assert!(works.to_text().contains("At the end it reads from a terminal"), "{}", works.to_text());
}

#[tokio::test]
async fn nothing_can_be_typed_and_nothing_pages_or_colours() {
    let world = World::new();
    world.repository();
    let ran =
        world.run("cat; read -r x; echo \"read: $?\"; git log --oneline; echo $TERM $PAGER").await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.starts_with("read: 1\n"), "{text}");
    assert!(text.contains(" first\ndumb cat\n"), "{text}");
}

#[tokio::test]
async fn a_command_in_the_background_goes_on() {
    let world = World::new();
    let input = json!({"command": "echo begun; sleep 84.1", "background": true});
    let result = world.call("execute_command", input).await;
    let id = result.structured.unwrap()["id"].as_str().unwrap().to_owned();
    let wait = json!({"id": id, "until": {"output": "begun"}, "timeout": 30});
    let waited = world.call("process_wait", wait).await;
    assert!(waited.to_text().starts_with("It wrote: begun"), "{}", waited.to_text());
    assert!(!marked("sleep 84.1").is_empty());
    let stopped = world.call("process_stop", json!({"id": id})).await;
    assert!(stopped.to_text().contains("was stopped"), "{}", stopped.to_text());
    assert_eq!(gone("sleep 84.1").await, Vec::<String>::new());
}
