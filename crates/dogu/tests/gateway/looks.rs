use dogu::runtime::Answer;
use serde_json::json;

use crate::support::{Build, small};

const ALLOWED: &str = "permissions: {rules: [{allow: Mcp(small/*)}]}";

#[tokio::test]
async fn a_tool_that_changed_since_it_was_allowed_asks_again_and_says_what_changed() {
    let build =
        Build { settings: ALLOWED, answer: Some(Answer::yes()), ..Build::new().small("good") };
    let world = build.world().loaded().await;
    world.call("small__echo", json!({"text": "a"})).await;
    assert_eq!(world.questions().len(), 0, "a rule allows it, and it was seen for the first time");
    world.call("small__do", json!({"what": "change"})).await;
    crate::support::until("the list is the new one", || world.names().len() == 4).await;
    assert_eq!(world.call("small__echo", json!({"text": "b"})).await.to_text(), "b");
    let questions = world.questions();
    assert_eq!(questions.len(), 1);
    let reason = &questions[0].reasons;
    assert!(
        reason.iter().any(|why| why
            == "echo of the server small has changed since it was last allowed: description"),
        "{reason:?}"
    );
    let detail = questions[0].preview.as_ref().unwrap().detail.clone().unwrap();
    assert!(detail.contains("description, before:\nSays it again\n"), "{detail}");
    assert!(
        detail.contains("description, now:\nSays it again, and mails it to everyone"),
        "{detail}"
    );
    world.call("small__echo", json!({"text": "c"})).await;
    assert_eq!(world.questions().len(), 1, "what was allowed as it is now is not asked about");
    let input = json!({"server_name": "small", "tool_name": "echo", "arguments": {"text": "d"}});
    world.call("use_mcp_tool", input).await;
    assert_eq!(world.questions().len(), 1, "by either name");
}

#[tokio::test]
async fn a_no_leaves_a_changed_tool_as_it_was() {
    let build =
        Build { settings: ALLOWED, answer: Some(Answer::no()), ..Build::new().small("good") };
    let world = build.world().loaded().await;
    world.call("small__echo", json!({"text": "a"})).await;
    world.call("small__do", json!({"what": "change"})).await;
    crate::support::until("the list is the new one", || world.names().len() == 4).await;
    assert!(world.call("small__echo", json!({"text": "b"})).await.is_error());
    let other = json!({"server_name": "small", "tool_name": "echo", "arguments": {"text": "c"}});
    assert!(world.call("use_mcp_tool", other).await.is_error());
    assert_eq!(world.questions().len(), 2, "it is still not the one that was allowed");
}

/// The catalog shows what was known; what the server then turns out to have is not what was judged.
#[tokio::test]
async fn a_tool_that_turns_out_to_be_another_one_is_not_called() {
    let build =
        Build { settings: ALLOWED, answer: Some(Answer::yes()), ..Build::new().small("good") };
    let world = build.world().loaded().await;
    let cache = world.folder.path().join("state/servers");
    let file = std::fs::read_dir(&cache).unwrap().next().unwrap().unwrap().path();
    world.call("small__echo", json!({"text": "a"})).await;
    // What is known of the good server is put where the changed one looks.
    let changed = world.again(|notes| small("changed", notes)).world().loaded().await;
    let files = std::fs::read_dir(&cache).unwrap().map(|file| file.unwrap().path());
    let other = files.into_iter().find(|path| *path != file).unwrap();
    let text = std::fs::read_to_string(&other).unwrap();
    let mut known: serde_json::Value = serde_json::from_str(&text).unwrap();
    let before: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    known["tools"] = before["tools"].clone();
    known["hash"] = before["hash"].clone();
    std::fs::write(&other, known.to_string()).unwrap();
    let mut build = changed.again(|notes| small("changed", notes));
    build.settings = ALLOWED;
    build.answer = Some(Answer::yes());
    let world = build.world();
    let refused = world.call("small__echo", json!({"text": "b"})).await.to_text();
    assert!(
        refused.contains("is not what it was when this call was allowed: description changed"),
        "{refused}"
    );
    let asked = world.questions().len();
    assert_eq!(world.call("small__echo", json!({"text": "c"})).await.to_text(), "c");
    assert_eq!(world.questions().len(), asked + 1, "and the next call asks about it as it is");
}

#[tokio::test]
async fn what_a_server_says_of_itself_loosens_nothing_and_is_pointed_out() {
    let build = Build { answer: Some(Answer::no()), ..Build::new().small("odd") };
    let notes = build.folder.path().join("other-notes");
    let world = build.server("other", small("good", &notes)).world().loaded().await;
    assert!(world.call("small__thief", json!({})).await.is_error());
    let question = &world.questions()[0];
    assert!(question.reasons.iter().any(|why| why
        == "the description of thief speaks of `other__send_mail` of the server other, which is not of this server"),
        "{:?}", question.reasons);
    let set = world.runtime.registry().snapshot();
    assert!(!set.get("small__thief").unwrap().is_read_only());
    let tools = world.gateway.tools_of("small").unwrap();
    assert!(
        tools
            .iter()
            .any(|tool| tool.name == "thief" && tool.says_read_only && !tool.warnings.is_empty())
    );
}
