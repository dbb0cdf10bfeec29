//! `dogu policy check` and `dogu policy test`, as a person uses them.

use insta::assert_snapshot;

use crate::support::Home;

#[test]
fn a_line_is_explained() {
    let home = Home::new();
    home.write("work/a.txt", "hi\n");
    let lines = ["policy", "check", "cat a.txt | wc -l", "git push --force > out", "rm -rf /"];
    assert_snapshot!(home.dogu(&lines), @"
    exit 1
    --- stdout
    allow: cat a.txt | wc -l
      risk: safe
      runs: cat a.txt   safe: prints what files hold
      runs: wc -l   safe: counts what files hold
      reads: [ROOT]/work/a.txt
      because: `cat` only looks
      because: `wc` only looks
      because: reads inside the workspace: approved by the settings

    ask: git push --force > out
      risk: dangerous
      runs: git push --force   dangerous: publishes commits
      writes: [ROOT]/work/out
      because: `git` publishes commits (dangerous)
      because: to write out is not approved
      because: it reaches the network

    deny: rm -rf /
      risk: forbidden
      runs: rm -rf /   forbidden: deletes a folder of the system or a home
      because: `rm` deletes a folder of the system or a home
    --- stderr
    ");
}

#[test]
fn what_was_not_understood_is_explained() {
    assert_snapshot!(Home::new().dogu(&["policy", "check", "eval \"$X\""]), @r#"
    exit 1
    --- stdout
    ask: eval "$X"
      risk: dangerous
      runs: eval …   dangerous: runs text that was put together
      runs: eval …   dangerous: runs text that was put together
      not understood: an argument of `eval` that is known only when it runs may be an option
      because: `eval` runs text that was put together (dangerous)
    --- stderr
    "#);
}

#[test]
fn the_exit_code_is_the_decision() {
    let home = Home::new();
    for (command, code) in [("ls", 0), ("touch x", 1), ("rm -rf /", 1)] {
        let done = home.dogu(&["policy", "check", command]);
        assert_eq!(done.code, Some(code), "{command}: {done}");
    }
    assert_eq!(home.dogu(&["policy", "check", "ls", "touch x"]).code, Some(1), "one is enough");
    for wrong in [&["policy"][..], &["policy", "check"], &["policy", "check", "--lines", "ls"]] {
        assert_eq!(home.dogu(wrong).code, Some(2), "{wrong:?}");
    }
    assert!(!home.path("state").exists(), "a look leaves nothing behind");
}

#[test]
fn a_control_character_does_not_reach_the_terminal() {
    let done = Home::new().dogu(&["policy", "check", "echo \u{1b}[2J\u{202e}g\u{456}t"]);
    assert!(!done.stdout.contains(['\u{1b}', '\u{202e}', '\u{456}']), "{done}");
}

#[test]
fn json_is_the_same_answer_as_data() {
    let home = Home::new();
    home.write("work/a.txt", "");
    home.write("work/sub/b.txt", "");
    let done = home.dogu(&["policy", "check", "--json", "cat a.txt", "--cwd", "sub"]);
    assert_snapshot!(done, @r#"
    exit 0
    --- stdout
    {"decision":"allow","risk":"safe","reasons":["`cat` only looks","reads inside the workspace: approved by the settings"],"commands":[{"argv":["cat","a.txt"],"risk":"safe"}],"reads":["[ROOT]/work/sub/a.txt"],"writes":[]}
    --- stderr
    "#);
}

#[test]
fn the_mode_and_the_rules_count() {
    let home = Home::new();
    home.user_settings(
        "permissions:\n  rules:\n    - allow: Execute(cargo test *)\n    - deny: Execute(ls *)\n",
    );
    assert_eq!(home.dogu(&["policy", "check", "cargo test -p x"]).code, Some(0));
    assert_eq!(home.dogu(&["policy", "check", "cargo test && touch x"]).code, Some(1));
    assert_snapshot!(home.dogu(&["policy", "check", "ls -l"]), @"
    exit 1
    --- stdout
    deny: ls -l
      risk: safe
      runs: ls -l   safe: lists folders
      reads: [ROOT]/work
      because: the rule Execute(ls *) at [ROOT]/config/dogu/config.yaml:4:13 forbids it
    --- stderr
    ");
    assert_snapshot!(home.dogu(&["policy", "check", "--mode", "ask", "cargo test"]), @r#"
    exit 1
    --- stdout
    deny: cargo test
      risk: caution
      runs: cargo test   caution: builds or runs code of the project
      because: Tool "execute_command" is not allowed in ask mode.
    --- stderr
    "#);
}

#[test]
fn rules_are_tested_with_their_examples() {
    let home = Home::new();
    assert_snapshot!(home.dogu(&["policy", "test"]), @"
    exit 0
    --- stdout
    0 rules, 0 examples, 0 entries of lists, 0 modes in 0 files: all hold
    --- stderr
    ");
    home.user_settings(
        "permissions:
  rules:
    - allow: Execute(cargo test *)
      match: ['cargo test -p x']
      not_match: ['cargo test && rm -rf x']
  roo: {allowed_commands: [git status], denied_commands: [git push]}
  continue: {allow: ['Bash(ls*)']}
",
    );
    home.write("work/dogu.yaml", "permissions: {rules: [{ask: 'FileWrite(**/Cargo.lock)'}]}\n");
    assert_snapshot!(home.dogu(&["policy", "test"]), @"
    exit 0
    --- stdout
    2 rules, 2 examples, 3 entries of lists, 0 modes in 2 files: all hold
    --- stderr
    ");
}

#[test]
fn everything_that_is_wrong_is_told_with_its_place() {
    let home = Home::new();
    home.user_settings(
        "permissions:
  rules:
    - allow: Execute(cargo test *)
      match: ['cargo build']
    - deny: Exekute(x)
    - allow: Execute(dogu *)
  roo: {allowed_commands: ['git status && ls']}
  continue:
    ask: ['Bash(']
modes:
  - {slug: a b, name: x, roleDefinition: x, groups: []}
",
    );
    home.write("work/dogu.yaml", "permissions:\n  rulez: []\n");
    home.write("work/.roomodes", "customModes: [{slug: x}]\n");
    assert_snapshot!(home.dogu(&["policy", "test"]), @"
    exit 1
    --- stdout
    [ROOT]/config/dogu/config.yaml:3:14: `Execute(cargo test *)` does not match `cargo build`, which stands under `match`
    [ROOT]/config/dogu/config.yaml:5:13: `Exekute` is no action; there are Execute, FileRead, FileReadSensitive, FileWrite, FileDelete, Network, Mcp, Custom and Tool
    [ROOT]/config/dogu/config.yaml:6:22: `dogu` is never allowed by a rule: it could answer its own questions
    [ROOT]/config/dogu/config.yaml:7:28: `git status && ls` is no single command, so that it allows nothing
    [ROOT]/config/dogu/config.yaml:9:11: `Bash(`: the `(` is never closed
    [ROOT]/config/dogu/config.yaml: modes: the slug `a b` is not letters, digits and dashes
    [ROOT]/work/dogu.yaml:2:3: unknown field `rulez`, expected one of auto_approval, auto_approve, rules, roo, continue
    [ROOT]/work/.roomodes: modes: missing field `name`
    --- stderr
    ");
}

#[test]
fn a_mode_that_is_not_there_fails_the_test() {
    let home = Home::new();
    home.user_settings("mode: nowhere\n");
    assert_snapshot!(home.dogu(&["policy", "test"]), @"
    exit 1
    --- stdout
    there is no mode `nowhere`; there are architect, code, ask, debug, orchestrator
    --- stderr
    ");
}
