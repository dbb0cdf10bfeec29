//! One test a row of the checklist, as far as it shows without a disk.

use std::sync::Arc;

use dogu_policy::Risk;
use dogu_policy::engine::{Reason, ReasonKind};
use dogu_policy::facts::JudgedAction;
use dogu_policy::mode::{ALWAYS_AVAILABLE, GROUPS, Mode, ModeFile, Modes, group_of};
use dogu_policy::tool_policy::ToolPolicy;
use dogu_tool::Verdict::{self, Allow, Ask, Deny};
use dogu_tool::{Action, Group, Source};
use serde_json::{Value, json};

use crate::common::{Call, facts, line, on_path, spec};

fn kinds(reasons: &[Reason]) -> Vec<ReasonKind> {
    reasons.iter().map(|reason| reason.kind).collect()
}

#[test]
fn a7_each_kind_is_approved_by_its_own_switch_alone() {
    type Make = fn() -> Call;
    let calls: [(&str, Make); 5] = [
        ("+read", || Call::read("a")),
        ("+write", || Call::write("a")),
        ("+execute", || Call::shell("cargo build")),
        ("+network", || Call::fetch("https://docs.rs/")),
        ("+mcp", || Call::mcp("x", "y").with(&["flagged"])),
    ];
    for (own, call) in calls {
        for (switch, _) in calls {
            let expected = if own == switch { Allow } else { Ask };
            assert_eq!(call().with(&["-read", switch]).verdict(), expected, "{own} with {switch}");
            assert_eq!(call().with(&["off", switch]).verdict(), Ask, "{own} with {switch}, off");
        }
    }
}

#[test]
fn a8_protected_files_ask_though_writes_are_approved() {
    let call = Call::write("AGENTS.md").with(&["+write", "allow FileWrite(*.md)"]);
    let decision = call.decide();
    assert_eq!(decision.verdict, Ask);
    assert_eq!(kinds(&decision.reasons), [ReasonKind::Protected]);
    assert_eq!(Call::shell("echo x >AGENTS.md").with(&["+write", "+execute"]).verdict(), Ask);
}

#[test]
fn a9_prefix_lists_are_compared_by_words_and_a_tie_denies() {
    let decide = |text: &str, allow: &[&str], deny: &[&str]| {
        let mut call = Call::shell(text);
        call.engine.user.rules.extend(dogu_policy::compat::roo::rules(allow, deny));
        call.verdict()
    };
    assert_eq!(decide("cargo test x", &["cargo test"], &[]), Allow);
    assert_eq!(decide("gitfoo", &["git"], &[]), Ask);
    assert_eq!(decide("git push x", &["git"], &["git push"]), Deny);
    assert_eq!(decide("git push x", &["git push"], &["git"]), Allow);
    assert_eq!(decide("git push x", &["git push"], &["git push"]), Deny);
    assert_eq!(decide("GIT Push x", &["*"], &["git push"]), Deny);
    assert_eq!(decide("mytool", &["MYTOOL"], &[]), Ask);
    assert_eq!(decide("git status ; rm x ~x", &["git"], &["rm"]), Deny);
    assert_eq!(decide("git status ; rm x ~x", &["git"], &[]), Ask);
    assert_eq!(decide("mytool", &["*"], &[]), Allow);
    assert_eq!(decide("ls", &[], &["*"]), Deny);
    assert_eq!(decide("rm x", &["a && b"], &["rm && x"]), Deny);
}

#[test]
fn a10_an_mcp_tool_needs_the_switch_and_its_own_flag() {
    let table: [(&[&str], Verdict); 4] =
        [(&[], Ask), (&["+mcp"], Ask), (&["flagged"], Ask), (&["+mcp", "flagged"], Allow)];
    for (settings, expected) in table {
        assert_eq!(Call::mcp("x", "y").with(settings).verdict(), expected, "{settings:?}");
    }
}

#[test]
fn a11_a_forced_question_is_asked_whatever_allows_the_call() {
    for settings in
        [&["+write"][..], &["allow FileWrite(a)"], &["always FileWrite(/work/project/a)"]]
    {
        let call = Call::write("a").with(settings);
        assert_eq!(call.verdict(), Allow, "{settings:?}");
        let forced = call.with(&["force"]).decide();
        assert_eq!(forced.verdict, Ask, "{settings:?}");
        assert!(!forced.is_offerable());
    }
    assert_eq!(Call::write("/etc/x").with(&["force"]).verdict(), Deny);
}

fn test_mode(pattern: &str) -> Mode {
    let value = json!({
        "slug": "tester", "name": "Tester", "roleDefinition": "You test.",
        "groups": ["read", ["edit", {"fileRegex": pattern, "description": "Tests only"}], "command"],
    });
    serde_json::from_value(value).unwrap()
}

#[test]
fn a12_every_path_that_a_call_writes_must_be_one_of_the_modes() {
    let decide = |actions: Vec<JudgedAction>| {
        let mut call = Call::new(spec("edit_file", Group::Edit), actions).with(&["+write"]);
        call.mode = Some(test_mode(r"\.test\.ts$"));
        call.decide()
    };
    assert_eq!(decide(vec![on_path(Action::write("src/a.test.ts"))]).verdict, Allow);
    let refused = decide(vec![on_path(Action::write("src/a.ts"))]);
    assert_eq!(refused.verdict, Deny);
    assert!(refused.absolute);
    assert_eq!(
        refused.texts(),
        [
            r"Tool 'edit_file' in mode 'Tester' can only edit files matching pattern: \.test\.ts$ (Tests only). Got: src/a.ts"
        ]
    );
    let moved = Action::FileDelete { path: "b.ts".into() };
    let both = vec![on_path(Action::write("a.test.ts")), on_path(moved)];
    assert_eq!(decide(both).verdict, Deny);
    let mut linked = on_path(Action::write("a.test.ts"));
    linked.path =
        Some(dogu_policy::facts::PathFacts { declared: "a.test.ts".into(), ..facts("src/a.ts") });
    assert_eq!(decide(vec![linked]).verdict, Deny, "the real path counts");
}

#[test]
fn a12_files_that_commands_write_are_judged_by_the_mode_too() {
    for (text, expected) in [
        ("echo x >a.test.ts", Allow),
        ("echo x >a.ts", Deny),
        ("echo x >?", Deny),
        ("cat <a.ts", Allow),
        ("echo >/dev/null", Allow),
    ] {
        let mut call = Call::shell(text).with(&["+write", "+execute"]);
        call.mode = Some(test_mode(r"\.test\.ts$"));
        assert_eq!(call.verdict(), expected, "{text}");
    }
}

#[test]
fn a12_a_mode_that_cannot_be_used_allows_nothing() {
    for pattern in ["(", "(?!x)", "a(?=b)"] {
        let mut call = Call::write("a.test.ts").with(&["+write"]);
        call.mode = Some(test_mode(pattern));
        let decision = call.decide();
        assert_eq!(decision.verdict, Deny, "{pattern}");
        assert!(decision.reasons[0].text.contains("cannot be used"), "{:?}", decision.reasons);
        assert!(test_mode(pattern).problem().is_some());
    }
}

#[test]
fn a12_modes_of_files_replace_the_defaults_and_only_where_trusted() {
    let file = json!({"customModes": [
        {"slug": "code", "name": "First", "roleDefinition": "", "groups": ["read"]},
        {"slug": "code", "name": "Last", "roleDefinition": "", "groups": ["read", "edit"]},
    ]});
    let file: ModeFile = serde_json::from_value(file).unwrap();
    let trusted = Modes::new(Vec::new(), file.modes.clone(), true);
    assert_eq!(trusted.get("code").unwrap().name, "Last");
    assert_eq!(trusted.iter().count(), 5);
    let untrusted = Modes::new(Vec::new(), file.modes.clone(), false);
    assert_eq!(untrusted.get("code").unwrap().name, "💻 Code");
    assert_eq!(Modes::new(file.modes, Vec::new(), false).get("code").unwrap().name, "Last");
    let slugs: Vec<_> = untrusted.iter().map(|mode| mode.slug.as_str()).collect();
    assert_eq!(slugs, ["architect", "code", "ask", "debug", "orchestrator"]);
}

#[test]
fn a13_an_edit_that_names_no_path_is_refused() {
    for mode in ["code", "architect"] {
        let call = Call::new(spec("edit_file", Group::Edit), Vec::new()).with(&["+write"]);
        let decision = call.with(&[&format!("mode {mode}")]).decide();
        assert_eq!(decision.verdict, Deny, "{mode}");
        assert_eq!(kinds(&decision.reasons), [ReasonKind::Mode]);
    }
}

fn with_policy(mut call: Call, policy: ToolPolicy) -> Call {
    call.engine.user.tool_policies.insert(call.spec.name.to_string(), policy);
    call
}

#[test]
fn a15_the_third_of_two_executions_is_refused() {
    let policy =
        ToolPolicy { auto_approve: true, max_executions: Some(2), ..ToolPolicy::default() };
    let mut call = with_policy(Call::write("a"), policy);
    for (executions, expected) in [(0, Allow), (1, Allow), (2, Deny), (9, Deny)] {
        call.executions = executions;
        assert_eq!(call.verdict(), expected, "after {executions}");
    }
}

#[test]
fn a15_what_is_switched_off_beats_everything() {
    let policy = ToolPolicy { allowed: false, auto_approve: true, ..ToolPolicy::default() };
    for settings in [&["allow FileRead(a)"][..], &["session FileRead(/work/project/a)"], &["+read"]]
    {
        let decision = with_policy(Call::read("a").with(settings), policy.clone()).decide();
        assert_eq!(decision.verdict, Deny);
        assert!(decision.absolute);
        assert_eq!(kinds(&decision.reasons), [ReasonKind::Disabled]);
    }
}

#[test]
fn a16_an_evaluator_tightens_by_arguments_and_never_loosens() {
    let judge = |_: &ToolPolicy, arguments: &Value| match arguments["level"].as_str() {
        Some("high") => Deny,
        Some("some") => Ask,
        _ => Allow,
    };
    let decide = |call: Call, level: &str| {
        let mut call = call;
        call.input = json!({"level": level});
        call.engine.evaluators.insert("write_file".to_owned(), Arc::new(judge));
        call.verdict()
    };
    let approved = || {
        with_policy(Call::write("a"), ToolPolicy { auto_approve: true, ..ToolPolicy::default() })
    };
    assert_eq!(decide(approved(), "none"), Allow);
    assert_eq!(decide(approved(), "some"), Ask);
    assert_eq!(decide(approved(), "high"), Deny);
    assert_eq!(decide(Call::write("a"), "none"), Ask);
    assert_eq!(decide(Call::write("/etc/x"), "none"), Deny);
}

#[test]
fn a17_the_order_of_a_policy_is_the_documented_one() {
    // allowed, autoApprove, read-only, requireConfirmation → the decision on a read or write of
    // the workspace. What forbids comes first: the seeds let autoApprove beat `allowed: false`.
    for bits in 0..16_u8 {
        let [allowed, auto, only_reads, confirm] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
        let call = if only_reads { Call::read("a") } else { Call::write("a") };
        let policy = ToolPolicy {
            allowed,
            auto_approve: auto,
            require_confirmation: confirm,
            ..ToolPolicy::default()
        };
        let expected = match (allowed, auto, only_reads, confirm) {
            (false, ..) => Deny,
            (true, true, ..) | (true, _, true, _) => Allow,
            // A write that nothing approves asks, with or without a wish to confirm.
            (true, false, false, _) => Ask,
        };
        let decision = with_policy(call, policy.clone()).decide();
        assert_eq!(decision.verdict, expected, "{policy:?}, only reads: {only_reads}");
        if confirm && expected == Ask {
            assert_eq!(kinds(&decision.reasons), [ReasonKind::ToolPolicy]);
        }
    }
}

#[test]
fn a17_what_a_policy_approves_is_never_what_needs_a_name() {
    let policy = || ToolPolicy { auto_approve: true, ..ToolPolicy::default() };
    for (call, expected) in [
        (Call::write("AGENTS.md"), Ask),
        (Call::write("/tmp/x"), Ask),
        (Call::write(".env"), Deny),
        (Call::read(".env"), Ask),
        (Call::shell("mytool"), Allow),
        (Call::shell("curl x"), Ask),
        (Call::shell("mytool ??"), Ask),
    ] {
        let call = with_policy(call, policy());
        assert_eq!(call.verdict(), expected, "{}", call.actions[0].action);
    }
}

#[test]
fn a20_reads_never_ask_except_for_secrets() {
    for path in ["a", "src", "docs/b.md"] {
        assert_eq!(Call::read(path).verdict(), Allow);
        let tree = on_path(Action::read_tree(path));
        assert_eq!(Call::new(spec("grep", Group::Read).read_only(), vec![tree]).verdict(), Allow);
    }
    let decision = Call::read(".env").decide();
    assert_eq!((decision.verdict, kinds(&decision.reasons)), (Ask, vec![ReasonKind::Sensitive]));
}

#[test]
fn a20_a_promise_to_change_nothing_is_believed_of_built_in_tools_alone() {
    let policy = ToolPolicy { require_confirmation: true, ..ToolPolicy::default() };
    let mut call = with_policy(Call::read("a"), policy);
    assert_eq!(call.verdict(), Allow);
    call.source = Source::Extension("x".to_owned());
    assert_eq!(call.verdict(), Ask);
}

#[test]
fn a21_tools_from_outside_ask_like_all_others() {
    for call in [Call::mcp("x", "y"), Call::http("y")] {
        assert_eq!(call.verdict(), Ask);
    }
    for source in [Source::Mcp("x".into()), Source::Http("x".into()), Source::Bundle("x".into())] {
        let mut silent = Call::new(spec("quiet", Group::Mcp).read_only(), Vec::new());
        silent.source = source.clone();
        assert_eq!(silent.verdict(), Ask, "{source} declares nothing");
        let mut writes = Call::write("a");
        writes.source = source.clone();
        assert_eq!(writes.verdict(), Ask, "{source}");
        let mut named = with_policy(
            Call::write("a"),
            ToolPolicy { auto_approve: true, ..ToolPolicy::default() },
        );
        named.source = source.clone();
        assert_eq!(named.verdict(), Ask, "a bare name loosens nothing for {source}");
    }
}

#[test]
fn a22_a_tool_is_blocked_by_a_pattern_of_its_name() {
    let decision = Call::write("a").with(&["+write", "deny Tool(write_*)"]).decide();
    assert_eq!(decision.verdict, Deny);
    assert!(!decision.absolute);
    let allowed = ["+write", "deny Tool(*)", "allow Tool(write_file)"];
    assert_eq!(Call::write("a").with(&allowed).verdict(), Allow);
    assert_eq!(Call::delete("a").with(&allowed).verdict(), Deny);
}

#[test]
fn r26_the_groups_have_their_members_and_all_else_is_always_there() {
    let table: Vec<(Group, &[&str])> =
        GROUPS.iter().map(|members| (members.group, members.tools)).collect();
    let expected: Vec<(Group, &[&str])> = vec![
        (Group::Read, &["read_file", "list_files", "search_files", "codebase_search"]),
        (
            Group::Edit,
            &[
                "write_to_file",
                "apply_diff",
                "search_replace",
                "search_and_replace",
                "multi_apply_diff",
                "apply_patch",
            ],
        ),
        (Group::Browser, &["browser_action"]),
        (Group::Command, &["execute_command"]),
        (Group::Mcp, &["use_mcp_tool", "access_mcp_resource"]),
        (Group::Modes, &["switch_mode", "new_task"]),
    ];
    assert_eq!(table, expected);
    let modes = Modes::new(Vec::new(), Vec::new(), false);
    for tool in ALWAYS_AVAILABLE {
        let group = group_of(tool).unwrap();
        for mode in modes.iter() {
            assert!(mode.check_named(tool, group, &[]).is_ok(), "{tool} in {mode}");
        }
    }
    for tool in [
        "update_todo_list",
        "ask_followup_question",
        "attempt_completion",
        "fetch_instructions",
        "generate_image",
        "run_slash_command",
    ] {
        assert!(ALWAYS_AVAILABLE.contains(&tool), "{tool}");
    }
}

#[test]
fn s1_refusals_of_commands_say_what_to_do_instead() {
    let mut judged = line("vim a");
    let command = judged.command.as_mut().unwrap();
    command.analysis.commands[0].reason = "waits for a person".to_owned();
    command.analysis.commands[0].hint = Some("use `edit_file`".to_owned());
    let call = Call::new(spec("bash", Group::Command), vec![judged]);
    let decision = call.decide();
    assert_eq!(decision.texts(), ["`vim` waits for a person; use `edit_file`"]);
    assert!(decision.absolute);
    assert_eq!(decision.risk, Some(Risk::Interactive));
}

#[test]
fn s1_a_line_that_is_worse_than_its_commands_is_judged_as_a_whole() {
    for (risk, expected) in [(Risk::Forbidden, Deny), (Risk::Dangerous, Ask)] {
        let mut judged = line("ls");
        judged.command.as_mut().unwrap().analysis.risk = risk;
        let call = Call::new(spec("bash", Group::Command), vec![judged]);
        assert_eq!(call.with(&["allow Execute(*)"]).verdict(), expected, "{risk}");
    }
}

#[test]
fn s2_secrets_below_a_folder_that_is_read_as_a_whole_always_ask() {
    let mut judged = line("grep -r x <.");
    judged.command.as_mut().unwrap().files[0].secrets_below = vec![".env".into()];
    let call = Call::new(spec("bash", Group::Command), vec![judged]);
    let decision = call.with(&["allow Execute(*)", "allow FileRead(**)", "+execute"]).decide();
    assert_eq!(decision.verdict, Ask);
    assert!(!decision.is_offerable());
}
