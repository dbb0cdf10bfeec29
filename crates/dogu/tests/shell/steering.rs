//! Files that steer others, anywhere in the workspace: those that are there cannot be changed, and
//! those that a command makes are named, and put aside where nobody approved them.

use std::fs;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::{World, until};

fn python(code: &str) -> String {
    format!("python3 -c '{}'", code.replace('\'', r"'\''"))
}

/// Writes files, without their names in the line.
fn makes(files: &[(&str, &str)]) -> String {
    let mut code = "import os\n".to_owned();
    for (name, content) in files {
        let hex: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
        code.push_str(&format!(
            "n = bytes.fromhex('{hex}').decode(); os.makedirs(os.path.dirname(n) or '.', exist_ok=True); open(n, 'w').write('{content}')\n"
        ));
    }
    python(&code)
}

fn write(world: &World, name: &str, content: &str) {
    let path = world.work(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn read(world: &World, name: &str) -> String {
    fs::read_to_string(world.work(name)).unwrap_or_else(|error| format!("({name}: {error})"))
}

/// The entry by which `dogu undo` brings back what was put aside.
fn aside(ran: &Value) -> String {
    let text = ran["text"].as_str().unwrap();
    let (_, rest) =
        text.split_once("put aside: `dogu undo ").unwrap_or_else(|| panic!("nothing is: {text}"));
    rest.split('`').next().unwrap().to_owned()
}

fn undo(world: &World, words: &[&str]) -> String {
    let undone = std::process::Command::new(env!("CARGO_BIN_EXE_dogu"))
        .arg("undo")
        .args(words)
        .current_dir(world.work(""))
        .env("XDG_STATE_HOME", world.path("link-to-state"))
        .env("XDG_CONFIG_HOME", world.path("config"))
        .output()
        .unwrap();
    assert!(undone.status.success(), "{undone:?}");
    String::from_utf8_lossy(&undone.stdout).into_owned()
}

fn git(world: &World, folder: &str, words: &[&str]) {
    let done = std::process::Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(words)
        .current_dir(world.work(folder))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

const NESTED: [&str; 6] = [
    "vendor/lib/.git/hooks/post-checkout",
    "packages/x/.mcp.json",
    "sub/CLAUDE.md",
    "deep/er/.cursor/rules/a.mdc",
    "docs/.github/copilot-instructions.md",
    "ignored/.claude/settings.json",
];

#[tokio::test]
async fn b5_what_steers_others_is_held_everywhere() {
    let world = World::new();
    world.repository();
    write(&world, ".gitignore", ".claude/\n");
    for name in NESTED {
        write(&world, name, "be kind");
    }
    for name in NESTED {
        let ran = world.run(&makes(&[(name, "be evil")])).await;
        let text = ran["text"].as_str().unwrap();
        assert_eq!(ran["exit_code"], 1, "{name}: {text}");
        assert_eq!(read(&world, name), "be kind");
    }
    let ran = world.run(&python("import shutil; shutil.rmtree('vendor')")).await;
    assert_eq!(ran["exit_code"], 1, "{ran}");
    assert_eq!(read(&world, NESTED[0]), "be kind");
    // What lies around them can be changed, and their folders moved.
    let ran = world.run("echo x > sub/other.md && mv sub moved && cat moved/CLAUDE.md").await;
    assert_eq!(ran["stdout"], "be kind", "{ran}");
    assert!(!ran["text"].as_str().unwrap().contains("This command made"), "{ran}");
    let ran = world.run(&makes(&[("moved/CLAUDE.md", "be evil")])).await;
    assert_eq!(ran["exit_code"], 1, "{ran}");
}

#[tokio::test]
async fn b5_a_refusal_names_the_file_that_is_held() {
    let world = World::new();
    write(&world, "sub/CLAUDE.md", "be kind");
    let path = world.work("sub/CLAUDE.md");
    let ran = world.run(&python(&format!("open('{}', 'a')", path.display()))).await;
    let told = ran["refused"][0].as_str().unwrap();
    assert!(told.contains("sub/CLAUDE.md") && told.contains("steers tools or agents"), "{told}");
}

#[tokio::test]
async fn git_changes_the_repository_that_it_works_in_and_no_other() {
    let world = World::new();
    world.repository();
    for name in ["one", "two"] {
        fs::create_dir_all(world.work(name)).unwrap();
        git(&world, name, &["init", "-q"]);
        git(&world, name, &["config", "user.name", "a"]);
        git(&world, name, &["config", "user.email", "a@example.com"]);
    }
    for line in
        ["git -C one commit -q --allow-empty -m x", "cd one && git commit -q --allow-empty -m y"]
    {
        let ran = world.run(line).await;
        assert_eq!(ran["exit_code"], 0, "{line}: {ran}");
    }
    let ran = world.run("git -C one config --file ../two/.git/config core.fsmonitor evil").await;
    assert_ne!(ran["exit_code"], 0, "{ran}");
    assert!(!read(&world, "two/.git/config").contains("evil"));
}

#[tokio::test]
async fn b5_what_steers_others_is_put_aside_unless_it_was_approved() {
    let world = World::new();
    let files = [
        ("CLAUDE.md", "obey me"),
        ("sub/AGENTS.md", "me too"),
        ("packages/y/.mcp.json", "{}"),
        (".cursor/rules/a.mdc", "and me"),
        ("sub/plain.md", "just text"),
    ];
    let ran = world.run(&makes(&files)).await;
    let text = ran["text"].as_str().unwrap();
    assert_eq!(ran["exit_code"], 0, "{text}");
    for words in [
        "CLAUDE.md, which tells an agent what to do",
        "packages/y/.mcp.json, which names programs that agents start",
        "it was not approved as such",
    ] {
        assert!(text.contains(words), "{text}");
    }
    for (name, _) in &files[..4] {
        assert!(!world.work(name).exists(), "{name} is there");
    }
    assert!(!world.work(".cursor").exists(), "an empty folder is left");
    assert_eq!(read(&world, "sub/plain.md"), "just text");
    // Taking the command back leaves it aside; taking that back brings it back.
    let id = aside(&ran);
    undo(&world, &[]);
    assert!(!world.work("sub/plain.md").exists());
    assert!(!world.work("CLAUDE.md").exists());
    undo(&world, &[&id]);
    for (name, content) in &files[..4] {
        assert_eq!(read(&world, name), *content);
    }
    // Now they are there, and held.
    let ran = world.run(&makes(&[("CLAUDE.md", "other")])).await;
    assert_eq!(ran["exit_code"], 1, "{ran}");
}

#[tokio::test]
async fn links_and_modes_come_back_as_they_were() {
    let world = World::new();
    let code = "import os\nos.symlink('a.txt', 'GEM' + 'INI.md')\nn = '.env' + 'rc'\nopen(n, 'w').write('x')\nos.chmod(n, 0o755)";
    let ran = world.run(&python(code)).await;
    let id = aside(&ran);
    assert!(world.work("GEMINI.md").symlink_metadata().is_err());
    assert!(!world.work(".envrc").exists());
    undo(&world, &[&id]);
    assert_eq!(fs::read_link(world.work("GEMINI.md")).unwrap(), std::path::Path::new("a.txt"));
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(world.work(".envrc")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o755);
}

#[tokio::test]
async fn what_the_line_names_was_approved_with_it() {
    let world = World::new();
    let ran = world.run("echo be kind > CLAUDE.md").await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.contains("This command made CLAUDE.md, which tells an agent"), "{text}");
    assert!(!text.contains("put aside"), "{text}");
    assert_eq!(read(&world, "CLAUDE.md"), "be kind\n");
    let reasons = world.asked.reasons().join("; ");
    assert!(reasons.contains("CLAUDE.md tells an agent what to do"), "{reasons}");
    // One that is there, and one that could not be made otherwise.
    world.run("echo and honest >> CLAUDE.md").await;
    assert_eq!(read(&world, "CLAUDE.md"), "be kind\nand honest\n");
    let ran = world.run("echo '{}' > .mcp.json && mkdir .claude && echo x > .claude/a.md").await;
    assert_eq!(ran["exit_code"], 0, "{ran}");
    assert_eq!(read(&world, ".mcp.json") + &read(&world, ".claude/a.md"), "{}\nx\n");
    // Another program in the line makes only what is named.
    let other = makes(&[("sub/CLAUDE.md", "evil")]);
    let ran = world.run(&format!("echo x > AGENTS.md; {other}")).await;
    aside(&ran);
    assert!(world.work("AGENTS.md").exists() && !world.work("sub/CLAUDE.md").exists());
}

#[tokio::test]
async fn what_git_brings_stays() {
    let world = World::new();
    fs::create_dir_all(world.path("outside/origin")).unwrap();
    let origin = world.path("outside/origin");
    fs::write(origin.join("CLAUDE.md"), "be kind\n").unwrap();
    for words in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "first"]] {
        git(&world, origin.to_str().unwrap(), words);
    }
    // Where a `/tmp` is the command's own it sees the workspace alone.
    git(&world, "", &["clone", "-q", "--bare", origin.to_str().unwrap(), "origin.git"]);
    let ran = world.run("git clone -q origin.git copy").await;
    let text = ran["text"].as_str().unwrap();
    assert_eq!(ran["exit_code"], 0, "{text}");
    assert!(text.contains("This command made copy/CLAUDE.md, which tells"), "{text}");
    assert_eq!(read(&world, "copy/CLAUDE.md"), "be kind\n");
    let ran = world.run("git init -q new && git -C new config core.pager cat").await;
    assert_eq!(ran["exit_code"], 0, "{ran}");
    assert!(!ran["text"].as_str().unwrap().contains("put aside"), "{ran}");
    assert!(read(&world, "new/.git/config").contains("pager"));
}

#[tokio::test]
async fn a_new_repository_stays_where_nothing_in_it_runs() {
    let world = World::new();
    // Else cargo looks above the workspace for a manifest to name the new package in.
    write(&world, "Cargo.toml", "[workspace]\n");
    let ran = world.run("cargo new -q --offline fresh").await;
    let text = ran["text"].as_str().unwrap();
    assert_eq!(ran["exit_code"], 0, "{text}");
    assert!(text.contains("made fresh/.git; nothing in it runs by itself"), "{text}");
    assert!(world.work("fresh/.git/HEAD").exists() && world.work("fresh/.git/config").exists());
    git(&world, "fresh", &["status"]);
}

#[tokio::test]
async fn b5_what_a_new_repository_would_run_is_put_aside() {
    let world = World::new();
    let code = "import os, subprocess\nsubprocess.run(['git', 'init', '-q', 'lib'], check=True)\n\
        h = 'lib/.git/hooks/post-checkout'\nopen(h, 'w').write('#!/bin/sh\\n')\nos.chmod(h, 0o755)\n\
        open('lib/.git/config', 'a').write('[core]\\n fsmonitor = evil\\n')\n\
        os.makedirs('other'); open('other/.git', 'w').write('gitdir: ../lib/.git')";
    let ran = world.run(&python(code)).await;
    let text = ran["text"].as_str().unwrap();
    let id = aside(&ran);
    for name in ["lib/.git/hooks/post-checkout", "lib/.git/config", "other/.git"] {
        assert!(text.contains(&format!("{name}, which can make version control run")), "{text}");
        assert!(!world.work(name).exists(), "{name} is there");
    }
    assert!(world.work("lib/.git/HEAD").exists());
    undo(&world, &[&id]);
    assert!(read(&world, "lib/.git/config").contains("evil"));
}

#[tokio::test]
async fn b5_a_folder_that_takes_the_place_of_another_brings_nothing() {
    let world = World::new();
    write(&world, "vendor/lib/.git/HEAD", "ref: refs/heads/main\n");
    write(&world, "vendor/lib/CLAUDE.md", "be kind");
    let moves = "import os; os.rename('vendor/lib', 'vendor/old')\n";
    let files = [("vendor/lib/.git/hooks/pre-commit", "evil"), ("vendor/lib/CLAUDE.md", "be evil")];
    let writes = makes(&files);
    let ran = world.run(&format!("{}; {writes}", python(moves))).await;
    aside(&ran);
    for (name, _) in files {
        assert!(!world.work(name).exists(), "{name}");
    }
    assert_eq!(read(&world, "vendor/old/CLAUDE.md"), "be kind");
}

#[tokio::test]
async fn b5_what_was_hidden_in_an_ignored_folder_is_seen_when_it_comes_out() {
    let world = World::new();
    world.repository();
    write(&world, ".gitignore", "build/\nnode_modules/\n");
    write(&world, "node_modules/x/CLAUDE.md", "of a package");
    world.run(&makes(&[("build/evil/CLAUDE.md", "evil")])).await;
    assert!(world.work("build/evil/CLAUDE.md").exists());
    let ran = world.run("mv build/evil sub && echo node_modules > .gitignore").await;
    aside(&ran);
    assert!(!world.work("sub/CLAUDE.md").exists());
    // What only came into view was there before.
    let ran = world.run("echo '#' > .gitignore").await;
    assert!(!ran["text"].as_str().unwrap().contains("CLAUDE.md"), "{ran}");
    assert_eq!(read(&world, "node_modules/x/CLAUDE.md"), "of a package");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_make_meanwhile_is_theirs() {
    let world = Arc::new(World::new());
    write(&world, "sub/CLAUDE.md", "be kind");
    let other = Arc::clone(&world);
    let line = "touch started; until [ -e go ]; do sleep 0.02; done";
    let running = tokio::spawn(async move { other.run(line).await });
    until(|| world.work("started").exists()).await;
    // Somebody saves a file as editors do, and another tool of dogu's makes one, after asking.
    fs::write(world.work("sub/saved"), "be kinder").unwrap();
    fs::rename(world.work("sub/saved"), world.work("sub/CLAUDE.md")).unwrap();
    let input = json!({"path": "AGENTS.md", "content": "be quick"});
    assert!(!world.call("write_file", input).await.is_error());
    fs::write(world.work("go"), "").unwrap();
    let ran = running.await.unwrap();
    assert!(!ran["text"].as_str().unwrap().contains("This command made"), "{ran}");
    assert_eq!(read(&world, "sub/CLAUDE.md") + &read(&world, "AGENTS.md"), "be kinderbe quick");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_two_commands_at_once_it_is_named_and_left() {
    let world = Arc::new(World::new());
    let other = Arc::clone(&world);
    let line = "touch started; until [ -e go ]; do sleep 0.02; done";
    let running = tokio::spawn(async move { other.run(line).await });
    until(|| world.work("started").exists()).await;
    let ran = world.run(&makes(&[("CLAUDE.md", "evil"), ("go", "")])).await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.contains("still there, because another command ran"), "{text}");
    assert!(world.work("CLAUDE.md").exists());
    running.await.unwrap();
}

#[tokio::test]
async fn a_process_that_runs_on_is_held_and_told_about() {
    let world = World::new();
    write(&world, "sub/CLAUDE.md", "be kind");
    let line = format!(
        "{}; {}; echo done; sleep 91.2",
        makes(&[("sub/CLAUDE.md", "be evil")]),
        makes(&[("AGENTS.md", "evil")])
    );
    let started = world.call("process_start", json!({"command": line})).await;
    let id = started.structured.clone().unwrap()["id"].as_str().unwrap().to_owned();
    let wait = json!({"id": id, "until": {"output": "done"}, "timeout": 30});
    world.call("process_wait", wait).await;
    let stopped = world.call("process_stop", json!({"id": id})).await.to_text();
    assert!(stopped.contains("there is AGENTS.md, which tells an agent what to do"), "{stopped}");
    assert!(stopped.contains("nobody approved"), "{stopped}");
    assert_eq!(read(&world, "sub/CLAUDE.md"), "be kind");
}

#[tokio::test]
async fn too_many_are_named_and_left() {
    let world = World::new();
    let code =
        "import os\nfor n in range(250):\n os.mkdir(str(n)); open(f'{n}/CLA' + 'UDE.md', 'w')";
    let ran = world.run(&python(code)).await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.contains("245 more") && text.contains("there are too many of them"), "{text}");
    assert!(world.work("77/CLAUDE.md").exists());
}

#[tokio::test]
async fn what_is_beyond_the_bound_is_said() {
    let world = World::new();
    for number in 0..2003 {
        write(&world, &format!("{number}/CLAUDE.md"), "");
    }
    let ran = world.run("python3 -c 'open(\"new\", \"w\")'").await;
    let text = ran["text"].as_str().unwrap();
    assert_eq!(ran["exit_code"], 0, "{text}");
    assert!(text.contains("this command could change 3 of them"), "{text}");
}

#[tokio::test]
async fn outside_of_the_sandbox_it_is_named_and_left() {
    let world = World::with_settings("sandbox: { profile: off }");
    let ran = world.run(&makes(&[("CLAUDE.md", "mine")])).await;
    let text = ran["text"].as_str().unwrap();
    assert!(text.contains("This command made CLAUDE.md") && !text.contains("put aside"), "{text}");
    assert_eq!(read(&world, "CLAUDE.md"), "mine");
}
