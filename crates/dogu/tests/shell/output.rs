use serde_json::json;

use crate::support::World;

#[tokio::test]
async fn long_output_is_cut_in_the_middle_and_kept_whole() {
    let world = World::new();
    let ran = world.run("seq 1 200000").await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.len() < 32_000);
    assert!(
        text.starts_with("1\n2\n") && text.contains("\n200000\n"),
        "{}",
        &text[text.len() - 300..]
    );
    assert!(text.contains("left out"));
    let id = ran["id"].as_str().unwrap();
    let page =
        world.call("read_command_output", json!({"id": id, "offset": 100_000, "limit": 3})).await;
    assert!(page.to_text().starts_with("100000\n100001\n100002\n"), "{}", page.to_text());
    assert!(page.to_text().contains("offset: 100003"));
    let found = world.call("read_command_output", json!({"id": id, "search": "^77777$"})).await;
    assert_eq!(found.to_text(), "1 line matches.\n77777:77777\n");
    let bad = world.call("read_command_output", json!({"id": id, "search": "("})).await;
    assert!(bad.is_error() && bad.to_text().contains("no regular expression"));
}

#[tokio::test]
async fn another_caller_finds_nothing() {
    let world = World::new();
    let ran = world.run("seq 1 20000").await;
    let other = std::sync::Arc::new(dogu_tool::Origin::of(dogu_tool::Principal::token("ab", "s")));
    let id = ran["id"].as_str().unwrap();
    let result = world.call_as(&other, "read_command_output", json!({"id": id})).await;
    assert!(result.is_error() && result.to_text().contains("There is no command"));
    for id in ["../../../etc/passwd", "", "zzzzzzzzzz"] {
        assert!(world.call("read_command_output", json!({"id": id})).await.is_error(), "{id}");
    }
}

#[tokio::test]
async fn an_output_is_found_by_the_next_process_of_the_same_user() {
    let world = World::new();
    let ran = world.run("seq 1 20000").await;
    // Another runtime over the same state has an empty table.
    let again = world.again();
    let page = again.call("read_command_output", json!({"id": ran["id"], "limit": 2})).await;
    assert!(page.to_text().starts_with("1\n2\n"), "{}", page.to_text());
}

#[tokio::test]
async fn what_a_terminal_would_show_is_shown() {
    let world = World::new();
    let line = r"printf 'a\rb\n\033[31mred\033[0m\nab\bc\n'; printf '10%%\r50%%\r100%%\n'";
    let ran = world.run(line).await;
    assert_eq!(ran["stdout"], "b\nred\nac\n100%\n");
}

#[tokio::test]
async fn other_encodings_and_binary_output_are_told() {
    let world = World::new();
    let korean =
        world.run(r"printf '\xb0\xa1\xb3\xaa\xb4\xd9\xb6\xf3\xb8\xb6\xb9\xd9\xbb\xe7\n'").await;
    assert_eq!(korean["stdout"], "가나다라마바사\n");
    let binary = world.run("head -c 100000 /dev/urandom").await;
    assert!(binary["text"].as_str().unwrap().contains("binary"), "{}", binary["text"]);
}

#[tokio::test]
async fn secrets_in_output_are_taken_out_also_later() {
    let world = World::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let ran = world.run(&format!("for i in $(seq 1 9000); do echo {token}; done")).await;
    assert!(!ran["text"].as_str().unwrap().contains(&token));
    let page = world.call("read_command_output", json!({"id": ran["id"], "offset": 4000})).await;
    assert!(!page.to_text().contains(&token));
}

#[tokio::test]
async fn ten_gigabytes_would_be_drained_in_bounded_memory() {
    // A tenth of it: the rest is more of the same.
    let world = World::new();
    let ran = world.run("head -c 1000000000 /dev/zero | tr '\\0' x").await;
    assert_eq!(ran["exit_code"], 0);
    let spilled: u64 = walk(&world.path("state/outputs"));
    assert!(spilled < 80_000_000, "{spilled}");
}

fn walk(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| {
            let facts = entry.metadata().unwrap();
            if facts.is_dir() { walk(&entry.path()) } else { facts.len() }
        })
        .sum()
}
