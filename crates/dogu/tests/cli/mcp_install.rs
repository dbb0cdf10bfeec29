//! `dogu mcp install` and `dogu mcp uninstall`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Done, Home, binary};

/// What was printed, without where the binary lies.
fn shown(done: &Done) -> String {
    done.to_string().replace(binary().to_str().unwrap(), "[DOGU]")
}

fn installed(home: &Home, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(home.path(file)).unwrap()).unwrap()
}

#[test]
fn a_client_is_connected_and_disconnected() {
    let home = Home::new();
    let settings = "{\n  // mine\n  \"theme\": \"dark\",\n}\n";
    home.write("home/.gemini/settings.json", settings);
    assert_snapshot!(home.dogu(&["mcp", "install", "gemini"]), @"
    exit 0
    --- stdout
    dogu is in [ROOT]/home/.gemini/settings.json
    --- stderr
    note: what it was is in [ROOT]/home/.gemini/settings.json.dogu-backup-1
    note: start a new session; `gemini mcp list` shows whether it answers
    ");
    let file = home.path("home/.gemini/settings.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("{\n  // mine\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n"),
        "{text}"
    );
    assert!(text.contains(&format!("\"command\": {:?}", binary())), "by its whole path: {text}");
    assert_snapshot!(home.dogu(&["mcp", "install", "gemini"]), @"
    exit 0
    --- stdout
    dogu is already in [ROOT]/home/.gemini/settings.json, just so
    --- stderr
    ");
    assert_snapshot!(home.dogu(&["mcp", "uninstall", "gemini"]), @"
    exit 0
    --- stdout
    dogu is out of [ROOT]/home/.gemini/settings.json
    --- stderr
    note: what it was is in [ROOT]/home/.gemini/settings.json.dogu-backup-2
    ");
    assert_eq!(fs::read_to_string(&file).unwrap(), settings);
    assert_snapshot!(home.dogu(&["mcp", "uninstall", "gemini"]), @"
    exit 0
    --- stdout
    dogu is not in [ROOT]/home/.gemini/settings.json
    --- stderr
    ");
}

#[test]
fn another_entry_is_shown_and_kept_without_force() {
    let home = Home::new();
    home.write(
        "home/.cursor/mcp.json",
        r#"{"mcpServers": {"dogu": {"url": "x", "headers": {"A": "secret"}}}}"#,
    );
    assert_snapshot!(shown(&home.dogu(&["mcp", "install", "cursor"])), @r#"
    exit 2
    --- stdout
    --- stderr
    error: [ROOT]/home/.cursor/mcp.json has another entry of this name
      Caused by: there:  {"url":"x","headers":{"A":"…"}}
      Caused by: wanted: {"command":"[DOGU]","args":["serve","--root","${workspaceFolder}"]}

    hint: --force replaces it; --name gives the new one another name
    "#);
    let done = home.dogu(&["mcp", "install", "cursor", "--name", "tools"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert_snapshot!(shown(&home.dogu(&["mcp", "install", "cursor", "--force"])), @r#"
    exit 0
    --- stdout
    dogu is replaced in [ROOT]/home/.cursor/mcp.json
      was: {"url":"x","headers":{"A":"…"}}
      is:  {"command":"[DOGU]","args":["serve","--root","${workspaceFolder}"]}
    --- stderr
    note: what it was is in [ROOT]/home/.cursor/mcp.json.dogu-backup-2
    note: switch it on in Cursor's settings, under MCP
    "#);
    let servers = &installed(&home, "home/.cursor/mcp.json")["mcpServers"];
    assert_eq!(servers["dogu"]["command"], binary().to_str().unwrap());
    assert_eq!(servers["dogu"], servers["tools"]);
}

#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing() {
    let home = Home::new();
    let text = "# mine\nmodel = \"x\"\n";
    home.write("home/.codex/config.toml", text);
    let done = home.dogu(&["mcp", "install", "codex", "--dry-run", "--root", ".", "--mode", "ask"]);
    assert_snapshot!(shown(&done), @r#"
    exit 0
    --- stdout
    --- a[ROOT]/home/.codex/config.toml
    +++ b[ROOT]/home/.codex/config.toml
    @@ -1,2 +1,6 @@
     # mine
     model = "x"
    +
    +[mcp_servers.dogu]
    +command = "[DOGU]"
    +args = ["serve", "--root", "[ROOT]/work", "--mode", "ask"]
    --- stderr
    "#);
    assert_eq!(fs::read_to_string(home.path("home/.codex/config.toml")).unwrap(), text);
    assert_eq!(fs::read_dir(home.path("home/.codex")).unwrap().count(), 1);
}

#[test]
fn what_to_paste_is_printed_alone() {
    let home = Home::new();
    for (client, wanted) in [
        ("claude-code", "\"type\": \"stdio\""),
        ("claude-desktop", "\"--root\""),
        ("codex", "[mcp_servers.dogu]"),
        ("cursor", "${workspaceFolder}"),
        ("vscode", "\"servers\""),
        ("zed", "\"context_servers\""),
        ("gemini", "\"mcpServers\""),
        ("goose", "extensions:\n  dogu:"),
        ("opencode", "\"type\": \"local\""),
        ("continue", "mcpServers:\n  - name: dogu"),
        ("roo", "\"mcpServers\""),
        ("jetbrains", "\"mcpServers\""),
    ] {
        let done = home.dogu(&["mcp", "install", client, "--print"]);
        let text = done.quiet();
        assert!(text.contains(wanted) && text.contains(binary().to_str().unwrap()), "{text}");
    }
    assert!(!home.path("home").exists(), "nothing was written");
}

#[test]
fn json_says_what_was_done() {
    let home = Home::new();
    let said = home.dogu(&["mcp", "install", "roo", "--scope", "project", "--json"]).json();
    assert!(said["diff"].as_str().unwrap().contains("+  \"mcpServers\""), "{said}");
    let mut rest = said.clone();
    rest.as_object_mut().unwrap().remove("diff");
    assert_eq!(
        rest,
        json!({"client": "roo", "scope": "project", "name": "dogu", "backup": null,
               "file": "[ROOT]/work/.roo/mcp.json", "outcome": "added", "dry_run": false,
               "token": null})
    );
    assert_eq!(
        installed(&home, "work/.roo/mcp.json")["mcpServers"]["dogu"]["args"],
        json!(["serve"]),
        "started in the project, it needs no root"
    );
    let said = home.dogu(&["mcp", "uninstall", "roo", "--scope", "project", "--json"]).json();
    assert_eq!(said["outcome"], "removed");
    assert!(!home.path("work/.roo/mcp.json").exists());
}

#[test]
fn the_clients_are_listed_with_their_files() {
    let home = Home::new();
    home.write("config/zed/settings.json", "{}");
    let mut command = home.command(&["mcp", "install"]);
    command.env("PATH", home.path("bin"));
    home.write("bin/codex", "");
    assert_snapshot!(home.run(command, b""), @"
    exit 0
    --- stdout
      claude-code     [ROOT]/home/.claude.json  (would be new)
      claude-desktop  [ROOT]/config/Claude/claude_desktop_config.json  (would be new)
    * codex           [ROOT]/home/.codex/config.toml  (would be new)
      cursor          [ROOT]/home/.cursor/mcp.json  (would be new)
      vscode          [ROOT]/config/Code/User/mcp.json  (would be new)
    * zed             [ROOT]/config/zed/settings.json
      gemini          [ROOT]/home/.gemini/settings.json  (would be new)
      goose           [ROOT]/config/goose/config.yaml  (would be new)
      opencode        [ROOT]/config/opencode/opencode.json  (would be new)
      continue        [ROOT]/home/.continue/config.yaml  (would be new)
      roo             [ROOT]/config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json  (would be new)
      jetbrains       [ROOT]/home/.junie/mcp/mcp.json  (would be new)
    --- stderr

    * found on this machine. `dogu mcp install CLIENT` connects one.
    ");
    let rows = home.dogu(&["mcp", "install", "--json"]).json();
    assert_eq!(rows.as_array().unwrap().len(), 12);
    assert_eq!(rows[5]["found"], true, "{rows}");
}

#[test]
fn over_http_the_token_goes_into_the_file_and_nowhere_else() {
    let home = Home::new();
    let url = "http://127.0.0.1:8765/mcp";
    let done = home.dogu(&["mcp", "install", "claude-code", "--http", url]);
    assert_snapshot!(done, @"
    exit 0
    --- stdout
    dogu is in [ROOT]/home/.claude.json
    --- stderr
    note: start a new session; `claude mcp list` shows whether it answers
    note: the file now holds its own token, claude-code-user; only you can read it
    ");
    let token = fs::read_to_string(home.path("state/dogu/http-tokens/claude-code-user")).unwrap();
    let token = token.trim();
    let file = home.path("home/.claude.json");
    let entry = &installed(&home, "home/.claude.json")["mcpServers"]["dogu"];
    assert_eq!(entry["headers"]["Authorization"], format!("Bearer {token}"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let done = home.dogu(&["mcp", "install", "gemini", "--http", url, "--dry-run"]);
    assert!(done.stdout.contains("Bearer <token>") && !done.stdout.contains("dogu_"), "{done}");
    let gemini = home.path("state/dogu/http-tokens/gemini-user");
    assert!(!gemini.exists(), "what is only shown makes nothing");
    let done = home.dogu(&["mcp", "install", "gemini", "--http", url, "--print"]);
    let other = fs::read_to_string(gemini).unwrap();
    assert!(done.stdout.contains(other.trim()), "what is pasted must work: {done}");
    assert_ne!(other.trim(), token, "each has its own");
    let done = home.dogu(&["mcp", "install", "gemini", "--http", url, "--dry-run"]);
    assert!(done.stdout.contains("Bearer <token>") && !done.stdout.contains("dogu_"), "{done}");
    // A file that others can read stays so, and is told.
    home.write("home/.gemini/settings.json", "{}");
    let readable = fs::Permissions::from_mode(0o644);
    fs::set_permissions(home.path("home/.gemini/settings.json"), readable).unwrap();
    let done = home.dogu(&["mcp", "install", "gemini", "--http", url]);
    assert!(done.stderr.contains("others on this machine can read it"), "{done}");
}

#[test]
fn the_token_of_this_machine_is_not_given_to_others() {
    let home = Home::new();
    assert_snapshot!(
        home.dogu(&["mcp", "install", "codex", "--http", "https://tools.example.com/mcp"]), @"
    exit 2
    --- stdout
    --- stderr
    error: tools.example.com is another machine

    hint: its token is not here: name a file that holds it with --token-file
    ");
    home.write("work/token", "# theirs\nabc123\n");
    let far = ["mcp", "install", "codex", "--http", "https://tools.example.com/mcp"];
    let done = home.dogu(&[&far[..], &["--token-file", "token"]].concat());
    assert_eq!(done.code, Some(0), "{done}");
    let text = fs::read_to_string(home.path("home/.codex/config.toml")).unwrap();
    assert!(text.contains("http_headers = { Authorization = \"Bearer abc123\" }"), "{text}");
    for url in ["127.0.0.1:8765", "http://127.0.0.1@evil.example/mcp", "file:///etc/passwd"] {
        assert_eq!(home.dogu(&["mcp", "install", "codex", "--http", url]).code, Some(2), "{url}");
    }
}

#[test]
fn what_does_not_go_together_is_told() {
    let home = Home::new();
    let url = "http://127.0.0.1:1/mcp";
    for (arguments, word) in [
        (&["claude-desktop", "--http", url][..], "starts its servers itself"),
        (&["goose", "--scope", "project"], "no settings for a project"),
        (&["cursor", "--scope", "project", "--http", url], "shared"),
        (&["cursor", "--http", url, "--root", "."], "server's to know"),
        (&["cursor", "--trust"], "for one run"),
        (&["cursor", "--name", "a b"], "no name for a server"),
        (&["nobody"], "possible values"),
        (&["cursor", "--print", "--json"], "cannot be used with"),
    ] {
        let done = home.dogu(&[&["mcp", "install"], arguments].concat());
        assert_eq!(done.code, Some(2), "{done}");
        assert!(done.stderr.contains(word), "{done}");
    }
    let mut command = home.command(&["mcp", "install", "cursor"]);
    command.env("DOGU_SANDBOX", "1");
    assert_eq!(home.run(command, b"").code, Some(2), "not from inside the sandbox");
    assert!(!home.path("home").exists(), "nothing was written");
}

#[test]
fn a_file_that_cannot_be_read_safely_is_left_and_the_entry_shown() {
    let home = Home::new();
    home.write("home/.junie/mcp/mcp.json", "{\"mcpServers\": [1, 2]}");
    let done = home.dogu(&["mcp", "install", "jetbrains"]);
    assert_snapshot!(shown(&done), @r#"
    exit 2
    --- stdout
    --- stderr
    error: [ROOT]/home/.junie/mcp/mcp.json is left as it is
      Caused by: "mcpServers" is a list, where an object should be

    hint: put this there by hand (`--print` prints it alone):
    {
      "mcpServers": {
        "dogu": {
          "command": "[DOGU]",
          "args": [
            "serve"
          ]
        }
      }
    }
    "#);
    assert_eq!(
        fs::read_to_string(home.path("home/.junie/mcp/mcp.json")).unwrap(),
        "{\"mcpServers\": [1, 2]}"
    );
}

#[test]
fn a_full_disk_loses_nothing() {
    let home = Home::new();
    let settings = format!("{{\"filler\": \"{}\"}}", "x".repeat(8192));
    home.write("home/.gemini/settings.json", &settings);
    // No file may become longer than this many blocks; the write fails as on a full disk.
    let line = format!("trap '' XFSZ; ulimit -f 1; exec {:?} mcp install gemini", binary());
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &line]).current_dir(home.work()).env_clear().envs(home.environment());
    let done = home.run(command, b"");
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("File too large"), "{done}");
    assert_eq!(fs::read_to_string(home.path("home/.gemini/settings.json")).unwrap(), settings);
    let left = fs::read_dir(home.path("home/.gemini")).unwrap().count();
    assert_eq!(left, 1, "no draft and no half backup");
}
