//! Answers that count for longer than their call.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::Home;
use crate::terminal::{WRITE, answered, talked};

fn grants(home: &Home) -> Value {
    home.dogu(&["policy", "grants", "--json"]).json()
}

#[test]
fn a4_an_always_is_kept_and_shown_and_revoked() {
    let home = Home::new();
    let first = talked(&home, "", &["a\n", "yes\n"], &WRITE);
    assert_eq!(first["code"], 0, "{first}");
    assert_snapshot!(first["output"].as_str().unwrap(), @"

    Write file (write_file, builtin)
      Create a.txt (10 bytes)
      @@ -0,0 +1,2 @@
      +new
      +lines
      would do: FileWrite([ROOT]/work/a.txt)
      asks because: to write a.txt is not approved
      session/always would store: FileWrite([ROOT]/work/a.txt)
    Allow? [y]es, [s]ession, [a]lways, [n]o, or no with a word to the model: a
      FileWrite([ROOT]/work/a.txt)
    Store this rule for good? type yes: yes
    Created a.txt (10 bytes).
    ");
    // Nobody is asked again, not even where somebody could be.
    assert_eq!(talked(&home, "", &[], &WRITE)["code"], 0);
    assert_eq!(home.dogu(&WRITE).code, Some(0), "without a terminal too");
    let kept = grants(&home);
    assert_eq!(kept[0]["id"], "g1", "{kept}");
    assert_eq!(kept[0]["verdict"], "allow");
    assert_eq!(kept[0]["rule"], "FileWrite([ROOT]/work/a.txt)");
    assert_eq!(kept[0]["workspace"], "[ROOT]/work");
    assert_eq!(kept.as_array().map(Vec::len), Some(1));
    let other = ["call", "write_file", "path=b.txt", "content="];
    assert_eq!(home.dogu(&other).code, Some(1), "no wider than what was asked");

    assert_eq!(home.dogu(&["policy", "grants", "revoke", "g1"]).quiet(), "g1 is revoked\n");
    assert_eq!(grants(&home), json!([]));
    assert_eq!(answered(&home, "n\n", &WRITE)["code"], 1, "it asks again");
}

#[test]
fn a4_an_answer_for_the_session_ends_with_it() {
    let home = Home::new();
    assert_eq!(answered(&home, "s\n", &WRITE)["code"], 0);
    assert_eq!(grants(&home), json!([]));
    assert_eq!(answered(&home, "n\n", &WRITE)["code"], 1, "another process is another session");
}

#[test]
fn a4_within_a_session_one_answer_is_enough() {
    let home = Home::new();
    let write = |content: &str| {
        format!("<write_file><path>a.txt</path><content>{content}</content></write_file>\n")
    };
    home.write("work/answer.txt", &(write("one") + &write("two")));
    let line = format!("{} dispatch < answer.txt", crate::support::binary().display());
    let result = crate::terminal::shell(&home, &["s\n"], &line);
    assert_eq!(result["code"], 0, "{result}");
    assert_eq!(std::fs::read_to_string(home.path("work/a.txt")).unwrap(), "two");
}

#[test]
fn a4_once_is_once() {
    let home = Home::new();
    assert_eq!(answered(&home, "y\n", &WRITE)["code"], 0);
    assert_eq!(answered(&home, "n\n", &WRITE)["code"], 1);
}

#[test]
fn an_always_that_is_not_typed_in_full_keeps_nothing() {
    let home = Home::new();
    assert_eq!(talked(&home, "", &["a\n", "y\n", "n\n"], &WRITE)["code"], 1);
    assert_eq!(grants(&home), json!([]));
}

#[test]
fn grants_are_listed_for_people() {
    let home = Home::new();
    assert_snapshot!(home.dogu(&["policy", "grants"]), @"
    exit 0
    --- stdout
    --- stderr
    nothing is granted for good
    ");
    talked(&home, "", &["a\n", "yes\n"], &WRITE);
    let listed = home.dogu(&["policy", "grants"]).quiet().to_owned();
    let (id, rest) = listed.split_once("  20").unwrap();
    let what = rest.split_once("Z  ").unwrap().1;
    assert_snapshot!(format!("{id}  [TIME]  {what}"), @"g1    [TIME]  allow  FileWrite([ROOT]/work/a.txt)  in [ROOT]/work (builtin/write_file)");
}

#[test]
fn an_id_that_is_not_there_is_told() {
    let home = Home::new();
    assert_snapshot!(home.dogu(&["policy", "grants", "revoke", "g9"]), @"
    exit 1
    --- stdout
    --- stderr
    warning: there is no grant `g9`; `dogu policy grants` shows them
    ");
    assert_eq!(home.dogu(&["policy", "grants", "revoke"]).code, Some(2));
}

#[test]
fn a_store_that_was_changed_counts_for_nothing_and_is_told_once() {
    let home = Home::new();
    talked(&home, "", &["a\n", "yes\n"], &WRITE);
    let store = home.path("state/dogu/grants.sealed");
    let text = std::fs::read_to_string(&store).unwrap();
    std::fs::write(&store, text.replace("a.txt", "b.txt")).unwrap();
    let call = home.dogu(&["call", "write_file", "path=b.txt", "content="]);
    assert_eq!(call.code, Some(1), "{call}");
    assert_eq!(call.stderr.matches("changed by something other than dogu").count(), 1, "{call}");
    assert_snapshot!(home.dogu(&["policy", "grants", "revoke", "g1"]), @"
    exit 2
    --- stdout
    --- stderr
    warning: [ROOT]/state/dogu/grants.sealed was changed by something other than dogu; no grant counts until `dogu policy grants reset`
    error: [ROOT]/state/dogu/grants.sealed was changed by something other than dogu; nothing can be stored before `dogu policy grants reset`
    ");
    assert_eq!(home.dogu(&["policy", "grants", "reset"]).code, Some(2), "nobody said yes");
    let reset = home.dogu(&["policy", "grants", "reset", "--yes"]);
    assert_eq!(reset.code, Some(0), "{reset}");
    assert_eq!(home.dogu(&["policy", "grants", "--json"]).quiet(), "[]\n");
}
