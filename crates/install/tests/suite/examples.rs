//! Files as people have them, before and after.

use dogu_install::{Client, edit};
use serde_json::json;

fn inserted(client: Client, text: &str) -> String {
    let entry = json!({"command": "dogu", "args": ["serve"]});
    edit::insert(client.place(), text, "dogu", &entry).unwrap()
}

fn removed(client: Client, text: &str) -> String {
    edit::remove(client.place(), text, "dogu").unwrap()
}

#[test]
fn json_with_others_in_it() {
    let text =
        "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"x\": {} // mine\n\t\t// the end\n\t}\n}\n";
    let after = "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"x\": {}, // mine\n\t\t// the end\n\t\t\"dogu\": {\n\t\t\t\"command\": \"dogu\",\n\t\t\t\"args\": [\n\t\t\t\t\"serve\"\n\t\t\t]\n\t\t}\n\t}\n}\n";
    assert_eq!(inserted(Client::Cursor, text), after);
    assert_eq!(removed(Client::Cursor, after), text);
}

#[test]
fn json_with_trailing_commas_keeps_the_habit() {
    let text = "{\n  \"context_servers\": {\n    \"x\": {},\n  },\n}\n";
    let after = inserted(Client::Zed, text);
    assert!(after.ends_with("      ]\n    },\n  },\n}\n"), "{after}");
    assert_eq!(removed(Client::Zed, &after), text);
}

#[test]
fn json_in_one_line_stays_in_one_line() {
    let text = r#"{"mcpServers":{"x":{"command":"y"}},"z":[1,2]}"#;
    let after = inserted(Client::Cursor, text);
    assert_eq!(
        after,
        r#"{"mcpServers":{"x":{"command":"y"}, "dogu": {"command":"dogu","args":["serve"]}},"z":[1,2]}"#
    );
    assert_eq!(inserted(Client::Cursor, "{}"), inserted(Client::Cursor, "").trim_end());
}

#[test]
fn json_null_and_empty_containers() {
    for text in ["{\n  \"mcpServers\": null\n}\n", "{\n  \"mcpServers\": {}\n}\n"] {
        let after = inserted(Client::Cursor, text);
        assert!(
            after.starts_with("{\n  \"mcpServers\": {\n    \"dogu\": {\n      \"comm"),
            "{after}"
        );
        assert!(after.ends_with("    }\n  }\n}\n"), "{after}");
    }
}

#[test]
fn json_entries_are_taken_out_wherever_they_are() {
    let one = "{\"mcpServers\": {\"dogu\": {}}}";
    assert_eq!(removed(Client::Cursor, one), "{\"mcpServers\": {}}");
    let first = "{\"mcpServers\": {\n  \"dogu\": {}, // note\n  \"x\": 1\n}}";
    assert_eq!(removed(Client::Cursor, first), "{\"mcpServers\": {\n   // note\n  \"x\": 1\n}}");
    let last = "{\"mcpServers\": {\"x\": 1, /* c */ \"dogu\": {}}}";
    assert_eq!(removed(Client::Cursor, last), "{\"mcpServers\": {\"x\": 1 /* c */ }}");
}

#[test]
fn toml_gets_a_table_at_its_end() {
    let text = "# mine\nmodel = \"o9\" # best\n\n[mcp_servers.x]\ncommand = \"x\"\n";
    let after = inserted(Client::Codex, text);
    assert_eq!(
        after,
        format!("{text}\n[mcp_servers.dogu]\ncommand = \"dogu\"\nargs = [\"serve\"]\n")
    );
    assert_eq!(removed(Client::Codex, &after), text);
}

#[test]
fn toml_tables_are_taken_out_with_what_is_below_them() {
    let text = "[mcp_servers.dogu]\ncommand = \"d\"\n\n[mcp_servers.dogu.env]\nA = \"1\"\n\n# about x\n[mcp_servers.x]\ncommand = \"x\"\n";
    let rest = "# about x\n[mcp_servers.x]\ncommand = \"x\"\n";
    assert_eq!(removed(Client::Codex, text), rest);
    let inline = "[mcp_servers]\ndogu = { command = \"d\" }\nx = { command = \"x\" } # keep\n";
    assert_eq!(removed(Client::Codex, inline), "[mcp_servers]\nx = { command = \"x\" } # keep\n");
}

#[test]
fn yaml_goes_below_its_key() {
    let text = "# mine\nGOOSE_MODE: auto\nextensions: # all\n  # the first\n  developer:\n    enabled: true\nother: 1\n";
    let after = inserted(Client::Goose, text);
    assert_eq!(
        after,
        "# mine\nGOOSE_MODE: auto\nextensions: # all\n  dogu:\n    command: dogu\n    args:\n      - \"serve\"\n  # the first\n  developer:\n    enabled: true\nother: 1\n"
    );
    assert_eq!(removed(Client::Goose, &after), text);
}

#[test]
fn yaml_containers_in_every_form() {
    for text in [
        "a: 1\n",
        "a: 1",
        "extensions:\na: 1\n",
        "extensions: # none\na: 1\n",
        "extensions: {}\na: 1\n",
        "extensions: null # none\na: 1\n",
        "extensions: ~\na: 1\n",
        "extensions: {x: {enabled: true}}\na: 1\n",
        "extensions:\n    x:\n        cmd: |\n          text\n\n\na: 1\n",
        "---\nextensions:\n  x: 1\n",
        "",
        "# only a comment\n",
    ] {
        let after = inserted(Client::Goose, text);
        let without = removed(Client::Goose, &after);
        assert!(edit::find(Client::Goose.place(), &without, "dogu").unwrap().is_none());
        let comments = |text: &str| text.matches('#').count();
        assert_eq!(comments(text), comments(&after), "{text:?} {after:?}");
    }
}

#[test]
fn yaml_lists_have_named_items() {
    let entry = json!({"name": "dogu", "command": "dogu", "args": ["serve"]});
    let place = Client::Continue.place();
    for (text, after) in [
        (
            "mcpServers:\n- name: x\n  command: x # mine\n",
            "mcpServers:\n- name: dogu\n  command: dogu\n  args:\n    - \"serve\"\n- name: x\n  command: x # mine\n",
        ),
        (
            "mcpServers:\n    - name: x\nz: 1\n",
            "mcpServers:\n    - name: dogu\n      command: dogu\n      args:\n        - \"serve\"\n    - name: x\nz: 1\n",
        ),
    ] {
        let made = edit::insert(place, text, "dogu", &entry).unwrap();
        assert_eq!(made, after);
        assert_eq!(edit::remove(place, &made, "dogu").unwrap(), text);
        assert_eq!(edit::find(place, &made, "dogu").unwrap(), Some(entry.clone()));
    }
    let empty = edit::insert(place, "mcpServers: []\n", "dogu", &entry).unwrap();
    assert_eq!(edit::remove(place, &empty, "dogu").unwrap(), "mcpServers: []\n");
}

#[test]
fn another_entry_takes_the_place_of_the_first() {
    for client in Client::ALL {
        let old = json!({"name": "dogu", "command": "old", "timeout": 5});
        let new = json!({"name": "dogu", "command": "new", "args": ["a b", "c\"d"]});
        let text = edit::fresh(client.place(), "", "dogu", &old);
        let after = edit::replace(client.place(), &text, "dogu", &new).unwrap();
        assert_eq!(edit::find(client.place(), &after, "dogu").unwrap(), Some(new), "{client}");
    }
}
