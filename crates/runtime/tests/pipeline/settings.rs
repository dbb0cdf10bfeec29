//! Settings files.

use std::path::Path;

use dogu_runtime::{Audit, Layering, Settings, Unattended};
use dogu_tool::Verdict;

fn parse(text: &str) -> Result<Settings, String> {
    Settings::parse(text, Path::new("dogu.yaml")).map_err(|error| error.to_string())
}

#[test]
fn a_typo_is_told_with_line_and_column() {
    let error = parse("audit: required\nlimits:\n  timeout_second: 3\n").unwrap_err();
    assert!(error.starts_with("settings dogu.yaml:3:3: "), "{error}");
    assert!(error.contains("timeout_second"), "{error}");
    let value = parse("audit: sometimes\n").unwrap_err();
    assert!(value.starts_with("settings dogu.yaml:1:8: "), "{value}");
    let syntax = parse("audit: [\n").unwrap_err();
    assert!(syntax.starts_with("settings dogu.yaml:"), "{syntax}");
    let duplicate = parse("audit: required\naudit: best_effort\n").unwrap_err();
    assert!(duplicate.starts_with("settings dogu.yaml:2:"), "{duplicate}");
}

#[test]
fn an_empty_or_absent_file_says_nothing() {
    assert_eq!(parse("").unwrap(), Settings::default());
    assert_eq!(parse("# only a comment\n").unwrap(), Settings::default());
    assert_eq!(Settings::load(Some(Path::new("/no/such")), None).unwrap(), Settings::default());
}

#[test]
fn a_project_can_only_tighten() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let user = write(
        "user.yaml",
        "audit: required\nlimits: {timeout_seconds: 60, identical_calls: 0}\ntools: {a: {enabled: false, settings: {x: 1}}}",
    );
    let project = write(
        "dogu.yaml",
        "audit: best_effort\nlimits: {timeout_seconds: 600, result_bytes: 10, identical_calls: 5}\ntools: {a: {enabled: true, max_executions: 2, settings: {x: 2}}}",
    );
    let settings = Settings::load(Some(&user), Some(&project)).unwrap();
    assert_eq!(settings.audit, Audit::Required);
    assert_eq!(settings.limits.timeout_seconds, 60);
    assert_eq!(settings.limits.result_bytes, 10);
    assert_eq!(settings.limits.identical_calls, 5);
    let tool = settings.tool("a").unwrap();
    assert!(!tool.enabled);
    assert_eq!(tool.max_executions, Some(2));
    assert_eq!(tool.settings, serde_json::json!({"x": 1}));
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let error = Settings::load(Some(folder.path()), None).unwrap_err();
    assert!(error.to_string().contains(folder.path().to_str().unwrap()));
}

/// The user's text with the project's over it.
fn layered(user: &str, project: &str, layering: Layering) -> Settings {
    let user = Settings::parse(user, Path::new("config.yaml")).unwrap();
    user.and_project(project, Path::new("dogu.yaml"), layering).unwrap()
}

const USERS: &str = "
audit: required
limits: {timeout_seconds: 600, result_bytes: 50, identical_calls: 0}
permissions:
  auto_approve: {write: true, network: true}
  rules: [{deny: Execute(git push *)}]
  roo: {allowed_commands: [git], denied_commands: [git push]}
unattended: allow
tools: {a: {auto_approve: true, settings: {x: 1, y: 1}}, b: {max_executions: 3}}
";

const PROJECTS: &str = "
audit: best_effort
limits: {timeout_seconds: 900, result_bytes: 60}
mode: architect
modes: [{slug: own, groups: [read, edit, command]}]
permissions:
  auto_approve: {write: false, execute: true}
  rules:
    - allow: Execute(rm *)
    - ask: Execute(git push origin)
    - deny: Execute(make)
  roo: {allowed_commands: [rm], denied_commands: [make]}
  continue: {allow: [Bash], ask: [Write], exclude: [Fetch]}
unattended: refuse
tools: {a: {allowed: true, require_confirmation: true, settings: {x: 2}}, c: {auto_approve: true}}
";

fn texts(located: &[dogu_runtime::Located]) -> Vec<&str> {
    located.iter().map(|item| item.text.as_str()).collect()
}

fn patterns(settings: &Settings) -> Vec<&str> {
    settings.permissions.rules.iter().map(|rule| rule.pattern.text.as_str()).collect()
}

#[test]
fn what_a_project_does_not_say_stays_the_users() {
    let user = Settings::parse(USERS, Path::new("config.yaml")).unwrap();
    for project in ["", "# nothing\n", "limits:\n", "permissions: {}\n", "tools: {a: {}}\n"] {
        for layering in [Layering::Tighten, Layering::Override] {
            assert_eq!(layered(USERS, project, layering), user, "{project:?} {layering:?}");
        }
    }
}

#[test]
fn an_untrusted_project_loosens_nothing() {
    let settings = layered(USERS, PROJECTS, Layering::Tighten);
    assert_eq!(settings.audit, Audit::Required);
    assert_eq!(settings.limits.timeout_seconds, 600);
    assert_eq!(settings.limits.result_bytes, 50);
    assert_eq!(settings.limits.identical_calls, 0);
    assert_eq!(settings.unattended, Unattended::Refuse);
    assert_eq!(settings.mode.as_deref(), Some("architect"));
    assert!(settings.modes.is_empty());
    let permissions = &settings.permissions;
    let approve = permissions.auto_approve;
    assert!(approve.read && approve.network && !approve.write && !approve.execute);
    assert_eq!(
        patterns(&settings),
        ["Execute(git push *)", "Execute(git push origin)", "Execute(make)"]
    );
    let bound: Vec<bool> = permissions.rules.iter().map(|rule| rule.only_tightens).collect();
    assert_eq!(bound, [false, true, true]);
    assert_eq!(texts(&permissions.roo.allowed_commands), ["git"]);
    assert_eq!(texts(&permissions.roo.denied_commands), ["git push", "make"]);
    let lists = &permissions.continue_lists;
    assert!(lists.allow.is_empty() && lists.ask.is_empty());
    assert_eq!(texts(&lists.exclude), ["Fetch"]);
    let tool = settings.tool("a").unwrap();
    assert!(tool.auto_approve && tool.require_confirmation);
    assert_eq!(tool.settings, serde_json::json!({"x": 1, "y": 1}));
    assert_eq!(settings.tool("b").unwrap().max_executions, Some(3));
    assert!(!settings.tool("c").unwrap().auto_approve);
    let loud =
        layered("", "unattended: allow\npermissions: {auto_approval: true}", Layering::Tighten);
    assert_eq!(loud, Settings::default());
    let mode = layered("mode: ask", "mode: code", Layering::Tighten);
    assert_eq!(mode.mode.as_deref(), Some("ask"));
}

#[test]
fn a_trusted_project_overrides_where_it_speaks_but_not_audit() {
    let settings = layered(USERS, PROJECTS, Layering::Override);
    assert_eq!(settings.audit, Audit::Required);
    assert_eq!(settings.limits.timeout_seconds, 900);
    assert_eq!(settings.limits.result_bytes, 60);
    assert_eq!(settings.limits.identical_calls, 0, "the project says nothing about it");
    assert_eq!(settings.modes[0]["slug"], "own");
    let permissions = &settings.permissions;
    let approve = permissions.auto_approve;
    assert!(!approve.write && approve.execute && approve.network);
    assert_eq!(patterns(&settings).len(), 4);
    assert!(permissions.rules.iter().all(|rule| !rule.only_tightens));
    assert_eq!(texts(&permissions.roo.allowed_commands), ["git", "rm"]);
    assert_eq!(texts(&permissions.continue_lists.ask), ["Write"]);
    let tool = settings.tool("a").unwrap();
    assert!(tool.auto_approve && tool.require_confirmation);
    assert_eq!(tool.settings, serde_json::json!({"x": 2, "y": 1}));
    assert!(settings.tool("c").unwrap().auto_approve);
    assert_eq!(settings.tool("b").unwrap().max_executions, Some(3));
    assert_eq!(
        layered("audit: best_effort", "audit: required", Layering::Override).audit,
        Audit::Required
    );
}

#[test]
fn a_rule_keeps_its_place() {
    let text = "permissions:\n  rules:\n    - allow: Execute(git status)\n    - deny: Execute(x *)\n      match:\n        - x 1\n        - \"x 2\"\n      not_match: [y, z]\n  continue: {ask: [Write]}\n";
    let settings = parse(text).unwrap();
    let [first, second] = &settings.permissions.rules[..] else { panic!("{settings:?}") };
    assert_eq!((first.verdict, first.pattern.line, first.pattern.column), (Verdict::Allow, 3, 14));
    assert_eq!(first.file, Path::new("dogu.yaml"));
    assert_eq!(
        (second.verdict, second.pattern.line, second.pattern.column),
        (Verdict::Deny, 4, 13)
    );
    let places: Vec<_> = second
        .matching
        .iter()
        .chain(&second.not_matching)
        .map(|example| (example.text.as_str(), example.line, example.column))
        .collect();
    assert_eq!(places, [("x 1", 6, 11), ("x 2", 7, 11), ("y", 8, 19), ("z", 8, 22)]);
    let ask = &settings.permissions.continue_lists.ask[0];
    assert_eq!((ask.line, ask.column), (9, 20));
}

#[test]
fn a_rule_has_exactly_one_verdict() {
    for rule in ["{allow: A, deny: A}", "{match: [x]}", "{permit: A}", "just text"] {
        let error = parse(&format!("permissions:\n  rules:\n    - {rule}\n")).unwrap_err();
        assert!(error.starts_with("settings dogu.yaml:3:"), "{rule}: {error}");
    }
}

#[test]
fn modes_are_read_from_yaml_and_json() {
    let path = Path::new(".roomodes");
    let read = |text: &str| {
        let read = Settings::default().and_modes(text, path).map_err(|error| error.to_string())?;
        let slugs = read.modes.iter().map(|mode| mode["slug"].as_str().unwrap().to_owned());
        Ok::<_, String>(slugs.collect::<Vec<_>>())
    };
    assert_eq!(read("customModes:\n  - slug: a\n  - slug: b\n").unwrap(), ["a", "b"]);
    assert_eq!(read("{\"customModes\":\t[{\"slug\": \"a\"}], \"more\": 1}").unwrap(), ["a"]);
    assert_eq!(read(" \n").unwrap(), [""; 0]);
    let error = read("customModes:\n  slug: a\n").unwrap_err();
    assert!(error.starts_with("settings .roomodes:2:"), "{error}");
}
