//! `dogu trust`, and being asked about trust.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::Home;
use crate::terminal::talked;

const ALLOWS: &str = "permissions: {rules: [{allow: 'FileWrite(**)'}]}\n";
const WRITE: [&str; 4] = ["call", "write_file", "path=a.txt", "content=x"];

fn home() -> Home {
    let home = Home::new();
    home.write("work/dogu.yaml", ALLOWS);
    home
}

#[test]
fn trust_is_given_listed_and_taken_back() {
    let home = home();
    assert_snapshot!(home.dogu(&["trust", "list"]), @"
    exit 0
    --- stdout
    --- stderr
    no folder is trusted
    ");
    assert_snapshot!(home.dogu(&["trust"]), @"
    exit 2
    --- stdout
    [ROOT]/work brings:
      dogu.yaml allows: FileWrite(**)
    --- stderr
    error: this needs a yes, and nobody can be asked here

    hint: --yes is the yes of whoever writes the command
    ");
    assert_snapshot!(home.dogu(&["trust", "--yes"]), @"
    exit 0
    --- stdout
    [ROOT]/work brings:
      dogu.yaml allows: FileWrite(**)
    [ROOT]/work is trusted, as it is now
    --- stderr
    ");
    assert_snapshot!(home.dogu(&["trust"]), @"
    exit 0
    --- stdout
    [ROOT]/work is already trusted, as it is now
    --- stderr
    ");
    assert_eq!(home.dogu(&WRITE).quiet(), "Created a.txt (1 bytes).\n");
    let listed = home.dogu(&["trust", "list", "--json"]).json();
    assert_eq!(listed[0]["path"], "[ROOT]/work", "{listed}");
    assert!(home.dogu(&["trust", "list"]).quiet().ends_with("Z  [ROOT]/work\n"));
    assert_snapshot!(home.dogu(&["trust", "revoke"]), @"
    exit 0
    --- stdout
    [ROOT]/work is not trusted any more
    --- stderr
    ");
    assert_eq!(home.dogu(&["trust", "list", "--json"]).json(), json!([]));
    assert_eq!(home.dogu(&WRITE).code, Some(1));
    assert_snapshot!(home.dogu(&["trust", "revoke"]), @"
    exit 2
    --- stdout
    --- stderr
    error: [ROOT]/work was not trusted

    hint: `dogu trust list` shows the folders that are
    ");
}

#[test]
fn another_folder_can_be_named() {
    let home = home();
    home.write("other/dogu.yaml", ALLOWS);
    assert_eq!(home.dogu(&["trust", "../other", "--yes"]).code, Some(0));
    assert_eq!(home.dogu(&WRITE).code, Some(1), "this one is not trusted by that");
    assert_eq!(home.dogu(&[&["--root", "../other"], &WRITE[..]].concat()).code, Some(0));
    std::fs::remove_dir_all(home.path("other")).unwrap();
    assert!(home.dogu(&["trust", "list"]).quiet().ends_with("/other  (gone)\n"));
    assert_eq!(home.dogu(&["trust", "revoke", "../other"]).code, Some(0));
    assert_eq!(home.dogu(&["trust", "nowhere", "--yes"]).code, Some(2));
    assert_eq!(home.dogu(&["trust", ".", "list"]).code, Some(2));
    assert_eq!(home.dogu(&["trust", "--yes", "revoke"]).code, Some(2));
    assert_eq!(home.dogu(&["trust", "--root", ".", "list"]).code, Some(0));
}

#[test]
fn a_change_takes_trust_away() {
    let home = home();
    home.dogu(&["trust", "--yes"]);
    home.write("work/.mcp.json", "{}");
    assert_snapshot!(home.dogu(&WRITE), @"
    exit 1
    --- stdout
    --- stderr
    warning: [ROOT]/work has changed since it was trusted: .mcp.json, dogu.yaml can only tighten; `dogu trust` shows what it would allow or start
    error: Permission denied for tool: write_file: it needs the user's approval (to write a.txt is not approved), and nobody can be asked here (E_TOOL_DENIED)

    hint: Stay with what needs no approval, or tell the user how to approve this: with a rule under `permissions` in the settings, by starting dogu with `--approve all`, or from a terminal or a client in which dogu can ask.
    ");
    assert!(home.dogu(&["trust", "list"]).quiet().contains("changed since"));
    assert_eq!(home.dogu(&["trust", "--yes"]).code, Some(0));
    assert_eq!(home.dogu(&WRITE).code, Some(0));
}

#[test]
fn trust_for_one_run_is_not_kept() {
    let home = home();
    assert_eq!(
        home.dogu(&[&["--trust"], &WRITE[..]].concat()).quiet(),
        "Created a.txt (1 bytes).\n"
    );
    assert_eq!(home.dogu(&["trust", "list", "--json"]).json(), json!([]));
    assert_eq!(home.dogu(&WRITE).code, Some(1));
}

#[test]
fn a_person_is_asked_once_and_remembered() {
    let home = home();
    let list = ["call", "list_files"];
    let no = talked(&home, "", &["\n"], &list);
    assert_eq!(no["code"], 0, "{no}");
    assert_snapshot!(no["output"].as_str().unwrap(), @"

    [ROOT]/work is not trusted. It brings:
      dogu.yaml allows: FileWrite(**)
    Trust it as it is now? [y]es, [n]o: 
    note: what it brings can only tighten in this run; `dogu trust` asks again
    dogu.yaml (49 bytes)
    ");
    assert_eq!(home.dogu(&["trust", "list", "--json"]).json(), json!([]));
    assert_eq!(talked(&home, "y\n", &["n\n"], &list)["code"], 0, "not what was typed ahead");
    assert_eq!(home.dogu(&["trust", "list", "--json"]).json(), json!([]));
    assert_eq!(talked(&home, "", &["y\n"], &list)["code"], 0);
    assert_eq!(talked(&home, "", &[], &WRITE)["code"], 0, "trusted: its rule allows");
}

#[test]
fn a_person_who_wants_no_questions_is_not_asked() {
    let home = home();
    for approve in ["none", "all"] {
        let result = talked(&home, "", &[], &["call", "list_files", "--approve", approve]);
        assert!(result["output"].as_str().unwrap().contains("warning: "), "{result}");
    }
}

#[test]
fn the_trust_command_asks_at_a_terminal() {
    let home = home();
    assert_eq!(talked(&home, "", &["n\n"], &["trust"])["code"], 1);
    assert_eq!(home.dogu(&["trust", "list", "--json"]).json(), json!([]));
    assert_eq!(talked(&home, "", &["yes\n"], &["trust"])["code"], 0);
    assert_eq!(home.dogu(&WRITE).code, Some(0));
    assert_eq!(talked(&home, "", &["n\n"], &["trust", "reset"])["code"], 1);
    assert_eq!(talked(&home, "", &["y\n"], &["trust", "reset"])["code"], 0);
    assert_eq!(home.dogu(&WRITE).code, Some(1));
}

#[test]
fn settings_that_only_tighten_need_no_trust() {
    let home = Home::new();
    home.write(
        "work/dogu.yaml",
        "permissions: {rules: [{deny: 'FileRead(**/x)'}]}\nlimits: {timeout_seconds: 5}\n",
    );
    home.write("work/x", "");
    assert_eq!(home.dogu(&["call", "list_files"]).quiet().lines().count(), 2);
    assert_eq!(talked(&home, "", &[], &["call", "list_files"])["code"], 0);
    assert_eq!(home.dogu(&["call", "read_file", "path=x"]).code, Some(1));
}

#[test]
fn what_a_folder_brings_is_shown_escaped() {
    let home = Home::new();
    let line = "permissions: {rules: [{allow: \"Execute(g\u{456}t \\e[2J\\u202e)\"}]}\n";
    home.write("work/dogu.yaml", line);
    let done = home.dogu(&["trust"]);
    assert!(done.stdout.contains("allows: Execute(g\\u{456}t"), "{done}");
    assert!(!done.stdout.contains(['\u{1b}', '\u{202e}', '\u{456}']), "{done}");
}

#[test]
fn a_store_that_was_changed_trusts_nothing() {
    let home = home();
    home.dogu(&["trust", "--yes"]);
    let store = home.path("state/dogu/trust.sealed");
    let text = std::fs::read_to_string(&store).unwrap();
    std::fs::write(&store, text.replace("work", "wark")).unwrap();
    let call = home.dogu(&WRITE);
    assert_eq!(call.code, Some(1), "{call}");
    assert_eq!(call.stderr.matches("changed by something other than dogu").count(), 1, "{call}");
    assert_eq!(home.dogu(&["trust", "--yes"]).code, Some(2), "nothing is overwritten");
    assert_eq!(home.dogu(&["trust", "reset", "--yes"]).code, Some(0));
    assert_eq!(home.dogu(&["trust", "--yes"]).code, Some(0));
}

#[test]
fn a_settings_file_that_leads_out_of_the_folder_is_an_error() {
    let home = Home::new();
    home.write("elsewhere.yaml", "tools: {write_file: {enabled: false}}\n");
    std::os::unix::fs::symlink(home.path("elsewhere.yaml"), home.path("work/dogu.yaml")).unwrap();
    assert_snapshot!(home.dogu(&["call", "list_files"]), @"
    exit 2
    --- stdout
    --- stderr
    error: [ROOT]/work/dogu.yaml cannot be used
      Caused by: it is not a file of this folder
    ");
}

#[test]
fn what_other_roots_bring_is_not_trusted_with_the_first() {
    let home = home();
    home.write("other/.cargo/config.toml", "[alias]\n");
    home.dogu(&["trust", "--yes"]);
    let check = ["policy", "check", "cargo tree --frozen", "--cwd", "../other"];
    let roots = ["--root", ".", "--root", "../other"];
    let untrusted = home.dogu(&[&roots[..], &check].concat());
    assert_eq!(untrusted.code, Some(1), "{untrusted}");
    assert!(untrusted.stdout.contains(".cargo/config.toml"), "{untrusted}");
    home.dogu(&["trust", "../other", "--yes"]);
    let trusted = home.dogu(&[&roots[..], &check].concat());
    assert_eq!(trusted.code, Some(0), "{trusted}");
    // The settings of the first root count, as they were trusted.
    assert_eq!(home.dogu(&[&roots[..], &WRITE[..]].concat()).code, Some(0));
}
