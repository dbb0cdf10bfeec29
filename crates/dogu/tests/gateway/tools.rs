use dogu::tool::Content;
use serde_json::json;

use crate::support::{Build, marked, small, until};

#[tokio::test]
async fn m1_any_tool_of_a_server_is_used_by_its_name() {
    let world = Build::new().small("good").world();
    let input = json!({"server_name": "small", "tool_name": "echo", "arguments": {"text": "hi"}});
    let result = world.call("use_mcp_tool", input).await;
    assert_eq!(result.to_text(), "hi");
    let without = json!({"server_name": "small", "tool_name": "send_mail"});
    assert_eq!(world.call("use_mcp_tool", without).await.to_text(), "send_mail");
    let unknown = json!({"server_name": "small", "tool_name": "nothing"});
    let result = world.call("use_mcp_tool", unknown).await.to_text();
    assert!(result.contains("The server small has no tool nothing."), "{result}");
    assert!(result.contains("It has: echo, do, send_mail."), "{result}");
}

/// By either name a tool takes the same arguments, changes them in the same way and refuses them
/// with the same words.
#[tokio::test]
async fn m1_arguments_are_checked_by_either_name() {
    let world = Build::new().small("good").world().loaded().await;
    let by_server = |tool: &str, arguments: serde_json::Value| json!({"server_name": "small", "tool_name": tool, "arguments": arguments});
    for (tool, arguments) in [
        ("echo", json!({})),
        ("echo", json!({"text": ["a"]})),
        ("do", json!({"what": 5, "seconds": "soon"})),
        ("do", json!({"what": "slow", "seconds": "0"})),
        ("echo", json!({"text": "hi"})),
    ] {
        let direct = world.call(&format!("small__{tool}"), arguments.clone()).await;
        let by_name = world.call("use_mcp_tool", by_server(tool, arguments.clone())).await;
        assert_eq!(direct.to_text(), by_name.to_text(), "{tool} {arguments}");
        assert_eq!(direct.notes, by_name.notes, "{tool} {arguments}");
    }
    let refused = world.call("use_mcp_tool", by_server("echo", json!({}))).await.to_text();
    assert!(refused.contains("args.text: required property is missing"), "{refused}");
    let changed = by_server("do", json!({"what": "slow", "seconds": "0"}));
    let changed = world.call_as("c2", "use_mcp_tool", changed).await;
    assert_eq!(changed.to_text(), "slept\nNOTE: read `seconds` as the number 0");
}

/// What nobody knew when the call was judged is checked before the server is called.
#[tokio::test]
async fn m1_arguments_of_a_tool_that_was_not_known_are_checked_too() {
    let world = Build::new().small("good").world();
    assert_eq!(world.starts(), 0);
    let input = json!({"server_name": "small", "tool_name": "echo", "arguments": {}});
    let refused = world.call("use_mcp_tool", input).await.to_text();
    assert!(refused.contains("args.text: required property is missing"), "{refused}");
    assert!(refused.contains("E_TOOL_INVALID_ARGS"), "{refused}");
    assert_eq!(world.starts(), 1);
}

#[tokio::test]
async fn whoever_is_asked_sees_the_arguments() {
    let build = Build { answer: Some(dogu::runtime::Answer::no()), ..Build::new().small("good") };
    let world = build.world().loaded().await;
    let text = "a\nwould do: nothing";
    world.call("small__echo", json!({"text": text})).await;
    let input = json!({"server_name": "small", "tool_name": "do", "arguments": {"seconds": "3"}});
    world.call("use_mcp_tool", input).await;
    let details: Vec<String> = world
        .questions()
        .into_iter()
        .map(|question| question.preview.unwrap().detail.unwrap())
        .collect();
    assert_eq!(details, ["with text: \"a\\nwould do: nothing\"", "with seconds: 3"]);
}

#[tokio::test]
async fn m1_a_resource_is_read() {
    let world = Build::new().small("good").world();
    let input = json!({"server_name": "small", "uri": "x://y"});
    let result = world.call("access_mcp_resource", input).await;
    assert_eq!(result.to_text(), "the body");
    assert!(matches!(&result.content[0], Content::Resource { uri, .. } if uri == "x://y"));
    let hidden = json!({"server_name": "small", "uri": "x://\u{202e}y"});
    assert!(world.call("access_mcp_resource", hidden).await.is_error());
}

#[tokio::test]
async fn m3_a_server_that_is_not_there_is_not_found() {
    let world = Build::new().small("good").world();
    for (tool, input) in [
        ("use_mcp_tool", json!({"server_name": "none", "tool_name": "echo"})),
        ("access_mcp_resource", json!({"server_name": "none", "uri": "x://y"})),
    ] {
        let result = world.call(tool, input).await.to_text();
        assert!(result.contains("MCP connection not found: none"), "{result}");
        assert!(result.contains("The servers are: small."), "{result}");
    }
    assert_eq!(world.starts(), 0);
}

#[tokio::test]
async fn m4_a_failure_keeps_what_came_with_it() {
    let world = Build::new().small("good").world().loaded().await;
    let result = world.call("small__do", json!({"what": "fail"})).await;
    assert!(result.is_error());
    assert_eq!(result.content[0], Content::text("no such thing"));
    assert!(matches!(&result.content[1], Content::Image { .. }));
    let error = result.error.unwrap();
    assert_eq!(error.message, "The tool do of the server small failed.");
}

#[tokio::test]
async fn m4_no_kind_of_content_is_lost() {
    let world = Build::new().small("good").world().loaded().await;
    let result = world.call("small__do", json!({"what": "mixed"})).await;
    assert!(!result.is_error(), "{}", result.to_text());
    let kinds: Vec<&str> = result
        .content
        .iter()
        .map(|content| match content {
            Content::Text { .. } => "text",
            Content::Image { .. } => "image",
            Content::Audio { .. } => "audio",
            Content::Blob { .. } => "blob",
            Content::Json { .. } => "json",
            Content::Resource { .. } => "resource",
        })
        .collect();
    assert_eq!(kinds, ["text", "image", "audio", "blob", "text", "resource", "json", "text"]);
    assert_eq!(result.content[0], Content::text("red alert"));
}

#[tokio::test]
async fn m6_odd_names_map_to_one_tool_each_and_back() {
    let world = Build::new().small("odd").world().loaded().await;
    let names = world.names();
    assert_eq!(names.len(), 9, "{names:?}");
    let called =
        |beginning: &str| names.iter().find(|name| name.starts_with(beginning)).unwrap().clone();
    let double = called("small__a_b_");
    assert_eq!(world.call(&double, json!({})).await.to_text(), "a__b");
    let long = called("small__xxx");
    assert_eq!(world.call(&long, json!({})).await.to_text(), "x".repeat(120));
    let hammer = called("small__hammer_");
    assert_eq!(world.call(&hammer, json!({})).await.to_text(), "🔨 hammer");
    assert!(
        names.contains(&"small__twice".to_owned()) && called("small__twice_") != "small__twice"
    );
    let status = &world.gateway.statuses()[0];
    assert!(status.problems.contains(&"it has more than one tool named `twice`".to_owned()));
}

#[tokio::test]
async fn m6_tools_of_servers_pass_the_same_gate() {
    let denied = Build::new().small("good");
    let world = Build { settings: "permissions: {rules: [{deny: Mcp(small/echo)}]}", ..denied };
    let world = world.world().loaded().await;
    let refused = world.call("small__echo", json!({"text": "x"})).await.to_text();
    assert!(refused.contains("E_TOOL_DENIED"), "{refused}");
    let input = json!({"server_name": "small", "tool_name": "echo", "arguments": {"text": "x"}});
    let refused = world.call("use_mcp_tool", input).await.to_text();
    assert!(refused.contains("E_TOOL_DENIED"), "the other way is the same way: {refused}");
    let entry = world.runtime.registry().snapshot();
    let spec = entry.get("small__send_mail").unwrap().spec().clone();
    assert_eq!(spec.category, dogu::tool::Category::Mcp);
    assert_eq!(spec.group, Some(dogu::tool::Group::Mcp));
    assert_eq!(spec.meta["ui"]["resourceUri"], "ui://small/mail", "bound to its server");
    assert!(spec.description.starts_with("[MCP server small] "));
}

#[tokio::test]
async fn m6_what_is_always_allowed_or_switched_off_is() {
    let build = Build::new();
    let mut server = small("good", &build.notes());
    server.always_allow = vec!["echo".to_owned()];
    server.disabled_tools = vec!["send_mail".to_owned()];
    let settings = "permissions: {auto_approve: {mcp: true}}";
    let build = Build { settings, answer: Some(dogu::runtime::Answer::no()), ..build };
    let world = build.server("small", server).world().loaded().await;
    assert_eq!(world.call("small__echo", json!({"text": "free"})).await.to_text(), "free");
    assert_eq!(world.questions().len(), 0);
    assert!(world.call("small__do", json!({})).await.is_error());
    assert_eq!(world.questions().len(), 1);
    assert!(!world.names().contains(&"small__send_mail".to_owned()));
    let off = json!({"server_name": "small", "tool_name": "send_mail"});
    let refused = world.call("use_mcp_tool", off).await.to_text();
    assert!(refused.contains("switched off in the settings"), "{refused}");
}

#[tokio::test]
async fn a_program_gets_its_variables_and_no_others() {
    let build = Build::new();
    let mut server = small("good", &build.notes());
    if let dogu::runtime::mcp::Place::Program { env, .. } = &mut server.place {
        env.insert("KEY".to_owned(), "<${env:DOGU_TEST_SECRET}>".to_owned());
    }
    let world = build.server("small", server).world().loaded().await;
    let seen = world.call("small__do", json!({"what": "env"})).await;
    let seen: serde_json::Value = serde_json::from_str(&seen.to_text()).unwrap();
    assert_eq!(seen["KEY"], "<s3cret>");
    assert_eq!(seen.get("DOGU_TEST_SECRET"), None);
    assert!(seen.get("PATH").is_some());
    let folder = world.call("small__do", json!({"what": "folder"})).await.to_text();
    assert!(folder.ends_with("/work"), "{folder}");
}

#[tokio::test]
async fn a_variable_that_is_not_set_is_named() {
    let build = Build::new();
    let mut server = small("good", &build.notes());
    if let dogu::runtime::mcp::Place::Program { env, .. } = &mut server.place {
        env.insert("KEY".to_owned(), "${env:DOGU_NO_SUCH_VARIABLE}".to_owned());
    }
    let world = build.server("small", server).world();
    let failed = world.gateway.load().await;
    let expected =
        "the environment variable DOGU_NO_SUCH_VARIABLE, which env.KEY needs, is not set";
    assert_eq!(failed[0].1.to_string(), expected);
    assert_eq!(world.starts(), 0);
}

#[tokio::test]
async fn a_program_finds_itself_its_parent_and_its_children() {
    for shared in [false, true] {
        let build = Build::new();
        let mut server = small("watches its parent", &build.notes());
        server.shared_processes = shared;
        let world = build.server("small", server).world().loaded().await;
        let seen = world.call("small__do", json!({"what": "processes"})).await.to_text();
        let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
        assert_eq!(seen["own"], seen["link"], "{seen}");
        assert_eq!(seen["child"], seen["own"].to_string(), "{seen}");
        assert_eq!(seen["code"], -15, "{seen}");
        assert_ne!(seen["parent"], 1, "{seen}");
        assert_eq!(seen["names"][1], "dogu-init", "{seen}");
    }
}

/// A server that has left a grandchild and ends neither at the end of its input nor when asked to.
fn deaf(build: &Build, mark: &str) -> dogu::runtime::mcp::McpServer {
    let mut server = small("deaf", &build.notes());
    if let dogu::runtime::mcp::Place::Program { args, .. } = &mut server.place {
        args.push(mark.to_owned());
    }
    server
}

#[tokio::test]
async fn nothing_is_left_of_a_server_that_is_closed_in_the_midst_of_a_call() {
    let build = Build::new();
    let server = deaf(&build, "78.25");
    let world = std::sync::Arc::new(build.server("small", server).world().loaded().await);
    until("its child runs", || marked("sleep 78.25").len() == 1).await;
    let calling = {
        let world = std::sync::Arc::clone(&world);
        tokio::spawn(async move { world.call("small__do", json!({"what": "never"})).await })
    };
    until("the call is there", || world.notes().contains(&"never".to_owned())).await;
    world.gateway.close();
    let told = calling.await.unwrap().to_text();
    assert!(told.contains("The MCP server small ended during the call"), "{told}");
    until("all is gone", || marked("sleep 78.25").is_empty()).await;
    let folder = world.folder.path().display().to_string();
    until("it is gone itself", || marked(&folder).is_empty()).await;
}

#[tokio::test]
async fn nothing_is_left_of_a_server_that_is_closed_while_it_starts() {
    let build = Build::new();
    let mut server = deaf(&build, "78.375");
    if let dogu::runtime::mcp::Place::Program { args, .. } = &mut server.place {
        args[1] = "deaf and silent".to_owned();
    }
    let world = std::sync::Arc::new(build.server("small", server).world());
    let loading = {
        let world = std::sync::Arc::clone(&world);
        tokio::spawn(async move { world.gateway.load().await })
    };
    until("its child runs", || marked("sleep 78.375").len() == 1).await;
    world.gateway.close();
    let failed = loading.await.unwrap();
    assert!(failed[0].1.to_string().contains("its start was given up"), "{failed:?}");
    until("all is gone", || marked("sleep 78.375").is_empty()).await;
    let folder = world.folder.path().display().to_string();
    until("it is gone itself", || marked(&folder).is_empty()).await;
}

#[tokio::test]
async fn nothing_of_a_server_is_left_when_it_is_closed() {
    let world = Build::new().small("good").world().loaded().await;
    let begun = world.call("small__do", json!({"what": "child"})).await;
    assert_eq!(begun.to_text(), "begun");
    // It is not yet itself in the moment between fork and exec.
    crate::support::until("its child runs", || crate::support::marked("sleep 78.125").len() == 1)
        .await;
    world.gateway.close();
    crate::support::until("its child is gone", || {
        crate::support::marked("sleep 78.125").is_empty()
    })
    .await;
    let folder = world.folder.path().display().to_string();
    crate::support::until("it is gone itself", || crate::support::marked(&folder).is_empty()).await;
}
