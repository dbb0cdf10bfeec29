//! How long a server's list of tools holds, and who is told when it is another one.

use std::path::Path;

use dogu::runtime::mcp::McpServer;
use serde_json::{Value, json};

use crate::support::{Build, World, until};

/// A server of the newest era whose lists hold for so long.
fn modern(mode: &str, notes: &Path, ttl: Option<&str>) -> McpServer {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gateway/modern.py");
    let mut words = vec![script.display().to_string(), mode.to_owned()];
    words.push(notes.display().to_string());
    words.extend(ttl.map(str::to_owned));
    let mut server = McpServer::program("python3", words);
    server.timeout = Some(20);
    server
}

fn world(mode: &str, ttl: Option<&str>) -> World {
    let build = Build::new();
    let server = modern(mode, &build.notes(), ttl);
    build.server("m", server).world()
}

impl World {
    fn count(&self, word: &str) -> usize {
        self.notes().iter().filter(|note| *note == word).count()
    }

    async fn do_it(&self, what: &str) -> String {
        self.call("m__do", json!({"what": what})).await.to_text()
    }

    /// Changes what is remembered of the server.
    fn edit_memory(&self, edit: impl Fn(&mut Value)) {
        let folder = self.folder.path().join("state/servers");
        let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let mut known: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        edit(&mut known);
        std::fs::write(file, known.to_string()).unwrap();
    }
}

#[tokio::test]
async fn a_list_is_asked_for_again_when_it_holds_no_more_and_not_before() {
    let world = world("plain", Some("3600000")).loaded().await;
    for what in ["a", "b", "c"] {
        world.do_it(what).await;
        assert!(world.gateway.load().await.is_empty());
    }
    assert_eq!((world.count("called"), world.count("listed")), (3, 1));
    // The next process shows what is known.
    let again = |world: World| {
        let mut build = world.again(|notes| modern("plain", notes, Some("3600000")));
        build.servers =
            build.servers.into_values().map(|server| ("m".to_owned(), server)).collect();
        build.world()
    };
    let world = again(world);
    assert!(world.gateway.load().await.is_empty());
    assert_eq!(world.names(), ["m__do", "m__echo"]);
    assert_eq!(world.count("listed"), 1, "nothing was started for it");
    // Two hours later.
    world.edit_memory(|known| {
        known["fetched_ms"] = (known["fetched_ms"].as_u64().unwrap() - 7_200_000).into();
    });
    let world = again(world);
    assert_eq!(world.names(), ["m__do", "m__echo"], "it is shown until it is needed");
    assert_eq!(world.count("listed"), 1);
    assert!(world.gateway.load().await.is_empty());
    assert_eq!(world.count("listed"), 2);
    // From a clock that was set back since.
    world.edit_memory(|known| known["fetched_ms"] = 99_999_999_999_999_u64.into());
    let world = again(world);
    assert!(world.gateway.load().await.is_empty());
    assert_eq!(world.count("listed"), 3);
}

#[tokio::test]
async fn a_list_that_holds_for_a_moment_is_asked_for_at_each_need() {
    let world = world("plain", Some("1")).loaded().await;
    assert_eq!(world.count("listed"), 1);
    for calls in 1..4 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        world.do_it(&format!("nothing {calls}")).await;
        assert_eq!((world.count("called"), world.count("listed")), (calls, calls + 1));
    }
}

#[tokio::test]
async fn of_several_pages_the_first_that_does_not_hold_counts() {
    let world = world("pages", Some("1")).loaded().await;
    assert_eq!((world.names().len(), world.count("listed")), (2, 2));
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    world.do_it("nothing").await;
    assert_eq!(world.count("listed"), 4);
}

/// What says nothing sensible costs neither the tools nor a list before every call.
#[tokio::test]
async fn absurd_times_cost_nothing() {
    for ttl in ["0", "-5", "-99999999999999999999", "9007199254740993", "1e300", "\"soon\"", "null"]
    {
        let world = world("plain", Some(ttl)).loaded().await;
        for what in ["a", "b", "c"] {
            world.do_it(what).await;
        }
        assert_eq!(world.names(), ["m__do", "m__echo"], "{ttl}");
        assert_eq!((world.count("called"), world.count("listed")), (3, 1), "{ttl}");
    }
}

#[tokio::test]
async fn m5_a_changed_list_of_the_newest_era_is_asked_for_again() {
    let world = world("plain", None).loaded().await;
    until("it is listened to", || world.count("listens") == 1).await;
    world.do_it("change").await;
    until("the new tool is there", || world.names().contains(&"m__new_0".to_owned())).await;
    assert_eq!(world.call("m__new_0", json!({})).await.to_text(), "new_0");
    assert_eq!(world.count("listed"), 2);
}

#[tokio::test]
async fn a_stream_that_ended_is_opened_again_and_what_was_missed_is_asked_for() {
    let world = world("plain", None).loaded().await;
    until("it is listened to", || world.count("listens") == 1).await;
    world.do_it("change unheard").await;
    until("the new tool is there", || world.names().contains(&"m__new_0".to_owned())).await;
    until("it is listened to again", || world.count("listens") == 2).await;
    world.do_it("change").await;
    until("the next one is there", || world.names().contains(&"m__new_1".to_owned())).await;
}

#[tokio::test]
async fn a_server_without_streams_is_asked_once() {
    let world = world("no streams", None).loaded().await;
    until("it was asked", || world.count("asked to listen") == 1).await;
    assert_eq!(world.call("m__echo", json!({"text": "hi"})).await.to_text(), "hi");
    // Longer than the first pause.
    tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
    assert_eq!(world.count("asked to listen"), 1);
}

#[tokio::test]
async fn ten_thousand_changes_are_a_few_lists() {
    let world = world("plain", None).loaded().await;
    until("it is listened to", || world.count("listens") == 1).await;
    world.do_it("flood of changes").await;
    for text in ["a", "b", "c", "d"] {
        assert_eq!(world.call("m__echo", json!({"text": text})).await.to_text(), text);
    }
    let listed = world.count("listed");
    assert!(listed <= 20, "{listed} lists");
}
