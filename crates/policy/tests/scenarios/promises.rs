//! What rules, grants and reasons promise.

use dogu_policy::facts::JudgedAction;
use dogu_policy::rule::{Place, RuleEntry, RuleSet};
use dogu_policy::tool_policy::ToolPolicy;
use dogu_tool::Verdict::{Allow, Ask, Deny};
use dogu_tool::{Action, Group, OUTSIDE_SANDBOX};
use serde_json::json;

use crate::common::{Call, facts, grant, line, on_path, real_line, rule, spec};

#[test]
fn a_call_without_facts_about_its_line_or_path_asks() {
    let action = Action::execute("ls", "/");
    for action in [action, Action::read("a"), Action::write("a")] {
        let call = Call::new(spec("x", Group::Command), vec![JudgedAction::plain(action)]);
        let decision = call.with(&["allow Execute(*)", "allow FileRead(**)", "+write"]).decide();
        assert_eq!(decision.verdict, Ask);
        assert!(!decision.is_offerable());
    }
}

#[test]
fn the_strictest_of_all_actions_counts() {
    let mut call = Call::read("a");
    call.actions.push(on_path(Action::write("b")));
    assert_eq!(call.verdict(), Ask);
    call.actions.push(on_path(Action::write("/etc/x")));
    let decision = call.decide();
    assert_eq!((decision.verdict, decision.reasons.len()), (Deny, 1));
}

#[test]
fn a_reason_names_the_rule_and_where_it_stands() {
    let entry = RuleEntry::new(Deny, "Execute(git push *)");
    let place = Place::new("dogu.yaml", 7, 13);
    let mut call = Call::shell("git push");
    call.engine.user.rules = RuleSet::load([(entry, Some(place))]).unwrap();
    assert_eq!(
        call.decide().texts(),
        ["the rule Execute(git push *) at dogu.yaml:7:13 forbids it"]
    );
}

#[test]
fn what_is_no_rule_is_said_with_its_place() {
    let load = |text: &str| {
        let entry = RuleEntry::new(Allow, text);
        let errors = RuleSet::load([(entry, Some(Place::new("dogu.yaml", 3, 10)))]).unwrap_err();
        errors[0].to_string()
    };
    assert!(
        load("Execute(a && b)").starts_with("dogu.yaml:3:20: `&`"),
        "{}",
        load("Execute(a && b)")
    );
    assert!(load("Fly(x)").starts_with("dogu.yaml:3:10: `Fly` is no action"));
    assert!(load("Execute").contains("Action(pattern)"));
    assert!(load("Execute(dogu *)").contains("never allowed"));
    assert!(load("Execute(/usr/bin/dogu trust)").contains("never allowed"));
    assert!(load("FileRead(../x)").starts_with("dogu.yaml:3:19: "));
    assert!(load("Network(https://docs.rs)").contains("path is missing"));
    let two = RuleEntry { ask: Some("Execute(b)".into()), ..RuleEntry::new(Allow, "Execute(a)") };
    assert!(RuleSet::load([(two, None)]).is_err());
}

#[test]
fn examples_are_checked_when_rules_are_loaded() {
    let check = |text: &str, matches: &[&str], not_match: &[&str]| {
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let (verdict, text) = text.split_once(' ').unwrap();
        let verdict = if verdict == "allow" { Allow } else { Deny };
        let entry = RuleEntry {
            matches: own(matches),
            not_match: own(not_match),
            ..RuleEntry::new(verdict, text)
        };
        let set = RuleSet::load([(entry, Some(Place::new("f", 1, 1)))]).unwrap();
        set.check_examples(|text| line(text).command.unwrap().analysis)
    };
    let allow = "allow Execute(cargo test *)";
    assert!(
        check(allow, &["cargo test -p x", "cargo test ; ls"], &["cargo test ; rm x", "ls"]).is_ok()
    );
    let errors = check(allow, &["cargo test ; rm x"], &["cargo test"]).unwrap_err();
    assert_eq!(errors.len(), 2);
    assert_eq!(
        errors[0].to_string(),
        "f:1:1: `Execute(cargo test *)` does not match `cargo test ; rm x`, which stands under `match`"
    );
    assert!(check("deny Execute(rm *)", &["ls ; rm x ??"], &["ls"]).is_ok());
    assert!(check("allow FileWrite(src/**)", &["src/a"], &["a", "/src/a"]).is_ok());
    assert!(
        check("allow Network(https://docs.rs/**)", &["https://docs.rs/x"], &["https://docs.rs@x/"])
            .is_ok()
    );
    assert!(check("allow Mcp(github/get_*)", &["github/get_x"], &["github/set_x", "x"]).is_ok());
}

#[test]
fn deny_rules_know_a_path_by_every_name() {
    let mut call = Call::read("x");
    call.actions[0].path = Some(dogu_policy::facts::PathFacts {
        declared: "link/secret.txt".into(),
        ..facts("real/other.txt")
    });
    let call = call.with(&["deny FileRead(link/**)"]);
    assert_eq!(call.verdict(), Deny);
    let mut call = Call::write("x");
    call.actions[0].path = Some(dogu_policy::facts::PathFacts {
        declared: "allowed/x".into(),
        ..facts("elsewhere/x")
    });
    assert_eq!(call.with(&["allow FileWrite(allowed/**)"]).verdict(), Ask);
}

#[test]
fn a_folder_that_is_read_as_a_whole_may_hold_what_a_rule_forbids() {
    let tree =
        |path: &str| Call::new(spec("grep", Group::Read), vec![on_path(Action::read_tree(path))]);
    assert_eq!(tree("src").with(&["deny FileRead(src/keys/**)"]).verdict(), Ask);
    assert_eq!(tree("docs").with(&["deny FileRead(src/keys/**)"]).verdict(), Allow);
    assert_eq!(tree("src/keys/a").with(&["deny FileRead(src/keys/**)"]).verdict(), Deny);
    assert_eq!(tree("/usr").with(&["allow FileRead(/usr/*)"]).verdict(), Ask);
    assert_eq!(tree("/usr").with(&["allow FileRead(/usr/**)"]).verdict(), Allow);
}

#[test]
fn an_offer_is_exactly_what_was_asked() {
    let offer = |call: Call| {
        let offer = call.decide().offer?;
        Some(offer.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let texts =
        |list: &[&str]| Some(list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
    assert_eq!(offer(Call::shell("cargo test -p x ; ls")), texts(&["Execute(cargo test -p x)"]));
    assert_eq!(
        offer(Call::shell("cargo test >out.txt")),
        texts(&["Execute(cargo test)", "FileWrite(/work/project/out.txt)"])
    );
    assert_eq!(offer(Call::write("a[1].rs")), texts(&[r"FileWrite(/work/project/a\[1\].rs)"]));
    assert_eq!(offer(Call::read(".env")), texts(&["FileReadSensitive(/work/project/.env)"]));
    assert_eq!(offer(Call::mcp("github", "get")), texts(&["Mcp(github/get)"]));
    assert_eq!(offer(Call::http("y")), texts(&["Custom(https://api.x/y)"]));
    assert_eq!(offer(Call::fetch("https://a.b/c?d=1")), texts(&["Network(https://a.b/c?d=1)"]));
    for none in [
        Call::shell("python3 x.py"),
        Call::shell("cargo test ; bash x"),
        Call::shell("curl x"),
        Call::shell("cargo test ??"),
        Call::shell("dogu trust"),
        Call::shell("cargo test <?"),
        Call::shell("ls"),
        Call::write("/etc/x"),
        Call::fetch("https://u@a.b/"),
        Call::write("a").with(&["ask FileWrite(a)"]),
    ] {
        assert_eq!(offer(none), None);
    }
}

#[test]
fn the_way_out_of_the_sandbox_is_asked_about_each_time() {
    let call = || {
        let way_out = Action::Custom { name: OUTSIDE_SANDBOX.to_owned(), details: json!({}) };
        Call::new(
            spec("bash", Group::Command),
            vec![line("cargo fmt"), JudgedAction::plain(way_out)],
        )
    };
    for settings in [
        &["allow Custom(**)", "allow Execute(cargo fmt)"][..],
        &["session Custom(outside_sandbox)", "session Execute(cargo fmt)"],
        &["always Custom(**)", "+execute", "+write"],
    ] {
        let decision = call().with(settings).decide();
        assert_eq!((decision.verdict, decision.offer), (Ask, None), "{settings:?}");
    }
}

#[test]
fn a_word_that_is_not_known_is_never_granted() {
    use dogu_policy::command::Arg;
    for word in [Arg::unknown(), Arg::Glob("*.rs".into()), Arg::Input] {
        let mut judged = line("cargo fmt");
        judged.command.as_mut().unwrap().analysis.commands[0].words.push(word.clone());
        let call = Call::new(spec("bash", Group::Command), vec![judged]);
        let decision = call.decide();
        assert_eq!((decision.verdict, decision.offer), (Ask, None), "{word}");
    }
}

#[test]
fn a_grant_of_another_workspace_says_nothing_here() {
    let mut call = Call::shell("cargo test");
    call.permanent.push(grant(Allow, "Execute(cargo test)").in_workspace("/work/other"));
    assert_eq!(call.verdict(), Ask);
    call.permanent.push(grant(Allow, "Execute(cargo test)").in_workspace("/work/project"));
    assert_eq!(call.verdict(), Allow);
}

#[test]
fn a_command_that_is_known_in_part_may_be_a_forbidden_one() {
    use dogu_policy::command::Arg;
    let mut judged = line("git");
    judged.command.as_mut().unwrap().analysis.commands[0].words.push(Arg::unknown());
    let call = Call::new(spec("bash", Group::Command), vec![judged]);
    let call = call.with(&["deny Execute(git push *)", "allow Execute(git *)"]);
    assert_eq!(call.verdict(), Ask);
}

#[test]
fn rules_are_ordered_by_how_specific_they_are() {
    let order = [
        "allow Execute(*)",
        "allow Execute(gi*)",
        "allow Execute(git *)",
        "allow Execute(git)",
        "allow Execute(git st* *)",
        "allow Execute(git status *)",
        "allow Execute(git status)",
    ];
    for pair in order.windows(2) {
        let [less, more] = [rule(pair[0]), rule(pair[1])];
        assert!(less.specificity() < more.specificity(), "{less} before {more}");
    }
}

#[test]
fn a_workspace_that_nobody_trusts_only_tightens_tools() {
    let policy = ToolPolicy { auto_approve: true, ..ToolPolicy::default() };
    let mut call = Call::write("a");
    call.engine.workspace.tool_policies.insert("write_file".to_owned(), policy);
    assert_eq!(call.verdict(), Ask);
    call.trusted = true;
    assert_eq!(call.verdict(), Allow);
    let policy = ToolPolicy { allowed: false, ..ToolPolicy::default() };
    call.engine.workspace.tool_policies.insert("write_file".to_owned(), policy);
    for trusted in [false, true] {
        call.trusted = trusted;
        assert_eq!(call.verdict(), Deny);
    }
}

#[test]
fn a_line_in_a_folder_outside_asks() {
    for (folder, expected) in [("src", Allow), ("/usr", Ask), ("ignored", Deny)] {
        let mut call = Call::shell("ls");
        call.actions[0].path = Some(facts(folder));
        assert_eq!(call.verdict(), expected, "{folder}");
    }
}

#[test]
fn the_rules_of_the_manual_hold_their_examples() {
    let entries = serde_json::json!([
        {"allow": "Execute(git status)", "match": ["git status", "git status && ls"],
         "not_match": ["git status -s", "gitstatus", "git status; rm x", "echo $(git status) > f; rm x"]},
        {"allow": "Execute(cargo test *)", "match": ["cargo test -p dogu-edit", "timeout 60 cargo test"],
         "not_match": ["cargo test && rm -rf x", "cargo test $(rm x)", "sudo cargo test", "cargo tests"]},
        {"ask": "FileWrite(**/Cargo.lock)", "match": ["Cargo.lock", "a/Cargo.lock"], "not_match": ["Cargo.toml"]},
        {"deny": "Execute(git push *)",
         "match": ["git push", "ls; (git push -f)", "echo \"$(git push)\"", "env A=1 git push", "bash -c 'git push x'", "/usr/bin/git push"],
         "not_match": ["git pull", "echo git push"]},
        {"allow": "Network(https://docs.rs/**)", "match": ["https://docs.rs/serde"], "not_match": ["https://docs.rs@evil.com/"]},
        {"allow": "Mcp(github/get_*)", "match": ["github/get_issue"], "not_match": ["github/delete"]},
    ]);
    let entries: Vec<RuleEntry> = serde_json::from_value(entries).unwrap();
    let set = RuleSet::load(entries.into_iter().map(|entry| (entry, None))).unwrap();
    let errors = set.check().err().unwrap_or_default();
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn a_grant_reaches_no_other_folder_and_no_other_way_to_run() {
    let granted = |text: &str| {
        let call = Call::new(spec("bash", Group::Command), vec![real_line(text)]);
        call.with(&["always Execute(cargo test)"]).verdict()
    };
    for line in ["cargo test", "ls && cargo test", "timeout 60 cargo test", "(cargo test)"] {
        assert_eq!(granted(line), Allow, "{line}");
    }
    for line in [
        "cd /usr/src && cargo test",
        "cargo test x",
        "cargo test > out.txt",
        "cargo test $(mytool)",
        "cargo test; mytool",
        "RUSTC_WRAPPER=./x cargo test",
        "PATH=. cargo test",
        "./cargo test",
        "alias cargo=mytool; cargo test",
        "cargo() { mytool; }; cargo test",
        "sudo cargo test",
        "cargo test < /etc/hosts",
        "\"cargo test\"",
        "cargo $X",
    ] {
        assert_ne!(granted(line), Allow, "{line}");
    }
}
