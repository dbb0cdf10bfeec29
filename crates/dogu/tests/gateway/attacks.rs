//! What a server can do with its lists, its start and its pipes: contained, told in plain words,
//! bounded, and the rest works.

use std::path::Path;
use std::time::Duration;

use dogu::gateway::Standing;
use dogu::runtime::Answer;
use dogu::runtime::mcp::McpServer;
use serde_json::{Value, json};

use crate::support::{Build, World, is_alone, marked, peak, small, until};

fn hostile(build: &Build, mode: &str, value: Option<&Value>) -> McpServer {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gateway/hostile.py");
    let mut words = vec![script.display().to_string(), mode.to_owned()];
    words.push(build.notes().display().to_string());
    words.extend(value.map(Value::to_string));
    let mut server = McpServer::program("python3", words);
    server.timeout = Some(3);
    server.startup_timeout = Some(20);
    server
}

fn world(mode: &str) -> World {
    let build = Build::new();
    let server = hostile(&build, mode, None);
    build.server("h", server).world()
}

async fn echo(world: &World, text: &str) -> String {
    world.call("h__echo", json!({"text": text})).await.to_text()
}

#[tokio::test]
async fn of_ten_thousand_tools_a_thousand_are_used() {
    let world = world("ten thousand").loaded().await;
    assert_eq!(world.names().len(), 1_000);
    let problems = world.gateway.statuses()[0].problems.join("; ");
    assert!(problems.contains("only its first 1000 tools are used"), "{problems}");
    assert_eq!(echo(&world, "hi").await, "hi");
}

#[tokio::test]
async fn a_name_of_a_megabyte_is_left_out_and_told() {
    let world = world("long name").loaded().await;
    assert_eq!(world.names(), ["h__echo"]);
    let problems = world.gateway.statuses()[0].problems.join("; ");
    assert!(problems.contains("a name that is too long"), "{problems}");
    assert!(problems.len() < 1_000, "{} characters", problems.len());
    assert_eq!(echo(&world, "hi").await, "hi");
}

/// Patterns that take for ever, do not compile or are too large: the call is refused or made, soon.
#[tokio::test]
async fn a_pattern_that_takes_for_ever_is_not_waited_for() {
    let world = world("regex").loaded().await;
    assert_eq!(world.names().len(), 6, "{:?}", world.names());
    let text = format!("{}!", "a".repeat(50_000));
    for tool in ["nested", "looks", "back", "large", "broken"] {
        let name = format!("h__{tool}");
        let calling = world.call(&name, json!({"text": text}));
        let ended = tokio::time::timeout(Duration::from_secs(30), calling).await;
        assert!(ended.is_ok(), "{tool} takes for ever");
    }
    assert_eq!(echo(&world, "hi").await, "hi");
}

#[tokio::test]
async fn pages_without_end_come_to_one() {
    let world = world("pages for ever").loaded().await;
    assert_eq!(world.names().len(), 100);
    assert_eq!(world.notes().iter().filter(|note| *note == "listed").count(), 100);
    let problems = world.gateway.statuses()[0].problems.join("; ");
    assert!(problems.contains("only its first 100 tools are used"), "{problems}");
}

#[tokio::test]
async fn pages_that_come_slowly_have_the_time_of_one_start() {
    let build = Build::new();
    let mut server = hostile(&build, "slow pages", None);
    server.startup_timeout = Some(2);
    let world = build.server("h", server).world();
    let why = world.gateway.load().await[0].1.to_string();
    assert!(why.contains("it did not list its tools within 2 seconds"), "{why}");
    let listed = world.notes().iter().filter(|note| *note == "listed").count();
    assert!(listed < 40, "{listed} pages");
}

#[tokio::test]
async fn pages_that_are_huge_are_bounded_together() {
    if !is_alone("attacks::pages_that_are_huge_are_bounded_together") {
        return;
    }
    let world = world("huge pages");
    let before = peak();
    world.gateway.load().await;
    let listed = world.notes().iter().filter(|note| *note == "listed").count();
    assert!(listed <= 3, "{listed} pages");
    let grown = peak().saturating_sub(before);
    assert!(grown < 400 * 1024, "the process grew by {grown} KB");
    let other = world.call("list_files", json!({"path": "."})).await;
    assert!(!other.is_error(), "the rest works");
}

#[tokio::test]
async fn names_that_collide_are_all_there_and_each_leads_to_its_own() {
    let build = Build::new();
    let names = |all: &[&str]| json!(all);
    let one = hostile(
        &build,
        "names",
        Some(&names(&["b__c", "b.c", "b c", "\u{5d0}\u{5d1}", "read_file"])),
    );
    let two = hostile(&build, "names", Some(&names(&["c", "b__c"])));
    let three = hostile(&build, "names", Some(&names(&["c"])));
    let build = build.server("a", one).server("a__b", two).server("a.b", three);
    let world = build.world().loaded().await;
    assert_eq!(world.names().len(), 8, "{:?}", world.names());
    let mut said = Vec::new();
    for name in world.names() {
        said.push(world.call(&name, json!({})).await.to_text());
    }
    said.sort();
    let mut expected = vec!["b__c", "b.c", "b c", "\u{5d0}\u{5d1}", "read_file", "c", "b__c", "c"];
    expected.sort_unstable();
    assert_eq!(said, expected);
    let own = world.runtime.registry().snapshot();
    assert!(own.get("read_file").unwrap().source().is_builtin(), "it is still dogu's own");
}

#[tokio::test]
async fn junk_beside_a_tool_or_a_result_costs_neither() {
    let world = world("junk meta").loaded().await;
    assert_eq!(world.names().len(), 8, "{:?}", world.names());
    for at in 0..7 {
        let said = world.call(&format!("h__junk_{at}"), json!({})).await.to_text();
        assert_eq!(said, format!("junk_{at}"));
    }
    for at in 0..5 {
        let said = echo(&world, &format!("junk{at}")).await;
        assert!(said.contains("meta"), "{at}: {said}");
    }
}

#[tokio::test]
async fn whatever_is_on_the_pipe_the_call_ends_and_the_next_one_works() {
    for (what, expected) in [
        ("deep", "the server's answer is nested too deeply"),
        ("not text", "the server's answer is not text"),
        ("twice", "the first"),
        ("odd progress", "done"),
        ("progress flood", "done"),
        ("stderr flood", "done"),
        ("closes stdout", "ended during the call"),
    ] {
        let world = world("good").loaded().await;
        let said = echo(&world, what).await;
        assert!(said.contains(expected), "{what}: {}", &said[..said.len().min(400)]);
        assert_eq!(echo(&world, "next").await, "next", "{what}");
    }
}

#[tokio::test]
async fn a_server_that_stops_reading_is_given_up_and_the_next_call_has_another() {
    if !is_alone("attacks::a_server_that_stops_reading_is_given_up_and_the_next_call_has_another") {
        return;
    }
    let world = world("good").loaded().await;
    assert_eq!(echo(&world, "stops reading").await, "done");
    let before = peak();
    let large = "x".repeat(10_000_000);
    let told = echo(&world, &large).await;
    assert!(told.contains("did not answer within 3 seconds"), "{}", &told[..told.len().min(300)]);
    assert_eq!(echo(&world, "next").await, "next");
    assert_eq!(world.starts(), 2, "one that reads");
    let grown = peak().saturating_sub(before);
    assert!(grown < 300 * 1024, "the process grew by {grown} KB");
}

#[tokio::test]
async fn requests_of_a_server_that_reads_no_answers_take_no_memory() {
    if !is_alone("attacks::requests_of_a_server_that_reads_no_answers_take_no_memory") {
        return;
    }
    let world = world("good").loaded().await;
    let before = peak();
    assert_eq!(echo(&world, "asks and stops reading").await, "done");
    until("all were sent", || world.notes().contains(&"asked".to_owned())).await;
    let told = echo(&world, "on").await;
    assert!(told.contains("did not answer within 3 seconds"), "{told}");
    assert_eq!(echo(&world, "next").await, "next");
    let grown = peak().saturating_sub(before);
    assert!(grown < 150 * 1024, "the process grew by {grown} KB");
}

#[tokio::test]
async fn a_version_that_nobody_knows_is_told_or_spoken_and_never_waited_for() {
    for version in [json!("1999-01-01"), json!("2099-12-31"), json!(""), json!(5), json!(null)] {
        let build = Build::new();
        let server = hostile(&build, "version", Some(&version));
        let world = build.server("h", server).world();
        match world.gateway.load().await.first() {
            Some((_, error)) => assert!(!error.to_string().is_empty(), "{version}"),
            None => assert_eq!(echo(&world, "hi").await, "hi", "{version}"),
        }
    }
    let world = world("no version");
    let why = world.gateway.load().await[0].1.to_string();
    assert!(why.contains("it answered with something that opens no session"), "{why}");
    let build = Build::new();
    let mut server = hostile(&build, "no initialize", None);
    server.startup_timeout = Some(2);
    let world = build.server("h", server).world();
    let why = world.gateway.load().await[0].1.to_string();
    assert!(why.contains("it did not answer within 2 seconds"), "{why}");
}

#[tokio::test]
async fn a_server_that_dies_while_nobody_needs_it_is_started_for_the_next_call() {
    let world = world("good").loaded().await;
    assert_eq!(echo(&world, "a").await, "a");
    let mark = world.folder.path().join("notes").display().to_string();
    assert!(!marked(&mark).is_empty());
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(&mark) {
            let pid = entry.file_name().into_string().unwrap();
            std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap();
        }
    }
    until("it is known", || world.gateway.statuses()[0].standing == Standing::Lost).await;
    assert_eq!(echo(&world, "b").await, "b");
    assert_eq!(world.starts(), 2);
}

/// What is shown to the person is what runs: a tool that changes before the answer is not called.
#[tokio::test]
async fn a_tool_that_changes_between_question_and_answer_is_not_called() {
    let build = Build { answer: Some(Answer::yes()), ..Build::new() };
    let mut server = small("changes when told", &build.notes());
    server.timeout = Some(20);
    let mut build = build.server("small", server);
    let flag = build.folder.path().join("notes.change");
    build.before_answer = Some(Box::new(move || std::fs::write(&flag, "").unwrap()));
    let world = build.world().loaded().await;
    let refused = world.call("small__echo", json!({"text": "a"})).await.to_text();
    assert!(
        refused.contains("is not what it was when this call was allowed: description changed"),
        "{refused}"
    );
    let again = world.call("small__echo", json!({"text": "b"})).await;
    assert_eq!(again.to_text(), "b", "and the next question is about what it is now");
}

#[tokio::test]
async fn a_tool_that_changes_in_the_midst_of_a_call_finishes_it() {
    let world = Build::new().small("good").world().loaded().await;
    let slow = world.call_as("c1", "small__do", json!({"what": "slow", "seconds": 1}));
    let change = world.call_as("c2", "small__do", json!({"what": "change"}));
    let (slow, change) = tokio::join!(slow, change);
    assert_eq!((slow.to_text(), change.to_text()), ("slept".to_owned(), "changed".to_owned()));
    until("the new tool is there", || world.names().contains(&"small__new_one".to_owned())).await;
}
