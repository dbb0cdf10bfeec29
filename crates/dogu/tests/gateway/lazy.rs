use futures::future::join_all;
use serde_json::json;

use crate::support::{Build, small, until};

#[tokio::test]
async fn m5_nothing_is_started_before_it_is_needed() {
    let world = Build::new().small("good").world();
    let read = world.call("list_files", json!({"path": "."})).await;
    assert!(!read.is_error(), "{}", read.to_text());
    assert_eq!(world.starts(), 0);
    assert_eq!(world.names(), [""; 0]);
    world.gateway.load().await;
    assert_eq!(world.starts(), 1);
    assert_eq!(world.names(), ["small__do", "small__echo", "small__send_mail"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m5_however_many_need_it_first_it_is_started_once() {
    let world = Build::new().small("good").world();
    let input = |n: usize| {
        let text = format!("n{n}");
        json!({"server_name": "small", "tool_name": "echo", "arguments": {"text": text}})
    };
    let calls = (0..30).map(|n| {
        let (world, input) = (&world, input(n));
        async move { world.call_as(&format!("c{n}"), "use_mcp_tool", input).await.to_text() }
    });
    let answers = join_all(calls).await;
    for (n, answer) in answers.iter().enumerate() {
        assert_eq!(*answer, format!("n{n}"));
    }
    assert_eq!(world.starts(), 1);
}

#[tokio::test]
async fn m5_the_next_process_shows_the_tools_without_a_start() {
    let world = Build::new().small("good").world().loaded().await;
    assert_eq!(world.starts(), 1);
    let world = world.again(|notes| small("good", notes)).world();
    assert_eq!(world.names(), ["small__do", "small__echo", "small__send_mail"]);
    assert!(world.gateway.load().await.is_empty());
    assert_eq!(world.starts(), 1, "what is known is not asked for");
    assert_eq!(world.call("small__echo", json!({"text": "a"})).await.to_text(), "a");
    assert_eq!(world.starts(), 2);
    // Another program under the same name is another server.
    let world = world.again(|notes| small("noise", notes)).world();
    assert_eq!(world.names(), [""; 0]);
}

#[tokio::test]
async fn m5_a_changed_list_is_asked_for_again() {
    let world = Build::new().small("good").world().loaded().await;
    assert!(!world.names().contains(&"small__new_one".to_owned()));
    world.call("small__do", json!({"what": "change"})).await;
    until("the new tool is there", || world.names().contains(&"small__new_one".to_owned())).await;
    assert_eq!(world.call("small__new_one", json!({})).await.to_text(), "new_one");
}

#[tokio::test]
async fn m5_a_failed_start_is_tried_again_after_a_rest() {
    let world = Build::new().small("dies the first time").world();
    let first = world.gateway.load().await;
    assert_eq!(first.len(), 1);
    let at_once = world.gateway.load().await;
    assert!(at_once[0].1.to_string().contains("the next try is in"), "{at_once:?}");
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(world.gateway.load().await.is_empty());
    assert_eq!(world.call("small__echo", json!({"text": "up"})).await.to_text(), "up");
}

#[tokio::test]
async fn a_server_that_died_is_started_for_the_next_call() {
    let world = Build::new().small("good").world().loaded().await;
    let died = world.call("small__do", json!({"what": "die"})).await.to_text();
    assert!(died.contains("The MCP server small ended during the call"), "{died}");
    assert!(died.contains("it exited with 7"), "{died}");
    assert!(died.contains("my last words"), "{died}");
    assert!(died.contains("nothing was sent again"), "{died}");
    assert_eq!(world.starts(), 1, "a call is never repeated by itself");
    assert_eq!(world.call("small__echo", json!({"text": "back"})).await.to_text(), "back");
    assert_eq!(world.starts(), 2);
}
