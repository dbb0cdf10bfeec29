use dogu::gateway::Standing;
use dogu::runtime::mcp::Era;
use serde_json::json;

use crate::support::{Build, small};

/// Every server that does not know the probe is reached, whatever it does with it.
#[tokio::test]
async fn a_server_of_the_older_era_is_reached_whatever_it_does_with_the_probe() {
    for (mode, starts) in [("good", 1), ("exits", 2), ("empty", 2), ("noise", 1)] {
        let world = Build::new().small(mode).world().loaded().await;
        let result = world.call("small__echo", json!({"text": mode})).await;
        assert_eq!(result.to_text(), mode);
        assert_eq!(world.starts(), starts, "{mode}");
        let Standing::Up { server, protocol } = &world.gateway.statuses()[0].standing else {
            panic!("{mode}")
        };
        assert_eq!(server.as_deref(), Some("small 1"));
        assert_eq!(protocol.as_deref(), Some("2025-11-25"));
        // The era is remembered: the next process does not probe.
        let world = world.again(|notes| small(mode, notes)).world();
        assert_eq!(world.call("small__echo", json!({"text": "b"})).await.to_text(), "b");
        assert_eq!(world.starts(), starts + 1, "{mode}");
    }
}

#[tokio::test]
async fn an_era_that_is_set_is_the_only_one_that_is_tried() {
    let build = Build::new();
    let mut server = small("exits", &build.notes());
    server.era = Era::Legacy;
    let world = build.server("small", server).world().loaded().await;
    assert_eq!(world.starts(), 1);
    let build = Build::new();
    let mut server = small("good", &build.notes());
    server.era = Era::Modern;
    let world = build.server("small", server).world();
    assert_eq!(world.gateway.load().await.len(), 1);
    assert_eq!(world.starts(), 1);
}
