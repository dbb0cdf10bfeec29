//! Continue's permission lists, loaded as rules.

use dogu_policy::compat::continue_::{PermissionList, convert};
use dogu_tool::Verdict::{self, Allow, Ask, Deny};
use serde_json::json;

use crate::common::Call;

/// What Continue's tools are called here.
fn rename(name: &str) -> Option<String> {
    let own = match name {
        "Bash" => "bash",
        "Read" => "read_file",
        "Write" => "write_file",
        _ => return None,
    };
    Some(own.to_owned())
}

fn decide(call: Call, list: &serde_json::Value) -> Verdict {
    let list: PermissionList = serde_json::from_value(list.clone()).unwrap();
    let mut call = call;
    call.engine.user.rules.extend(convert(&list, rename).unwrap().rules);
    call.verdict()
}

#[test]
fn arguments_are_those_of_the_tools() {
    let allow = json!({"allow": ["Write(**/*.ts)", "Bash(cargo*)", "Fetch(https://docs.rs/*)"]});
    assert_eq!(decide(Call::write("src/a.ts"), &allow), Allow);
    assert_eq!(decide(Call::write("src/a.rs"), &allow), Ask);
    assert_eq!(decide(Call::shell("cargo test"), &allow), Allow);
    assert_eq!(decide(Call::shell("cargo test ; mytool"), &allow), Ask);
    assert_eq!(decide(Call::shell("cargofoo"), &allow), Ask);
    assert_eq!(decide(Call::fetch("https://docs.rs/a"), &allow), Allow);
    let exclude = json!({"exclude": ["Read(*.key)", "Bash(git push*)"]});
    assert_eq!(decide(Call::read("a/b.key"), &exclude), Deny);
    assert_eq!(decide(Call::shell("cat <a/b.key"), &exclude), Deny);
    assert_eq!(decide(Call::read("a/b.rs"), &exclude), Allow);
    assert_eq!(decide(Call::shell("ls ; git push x"), &exclude), Deny);
    assert_eq!(decide(Call::shell("git pushx"), &exclude), Deny);
}

#[test]
fn what_excludes_comes_before_what_asks_and_that_before_what_allows() {
    let list = json!({"allow": ["Bash(git status)", "Write"], "ask": ["Bash(git*)"], "exclude": ["Write(a/*)"]});
    assert_eq!(decide(Call::shell("git status"), &list), Ask);
    assert_eq!(decide(Call::write("a/b"), &list), Deny);
    assert_eq!(decide(Call::write("b"), &list), Allow);
}

#[test]
fn what_is_excluded_as_a_whole_is_hidden() {
    let list = PermissionList {
        exclude: vec!["Bash".into(), "mcp_*".into()],
        ..PermissionList::default()
    };
    let converted = convert(&list, rename).unwrap();
    assert!(converted.hidden[0].matches("bash"));
    assert!(converted.hidden[1].matches("mcp_x"));
    assert_eq!(decide(Call::shell("ls"), &json!({"exclude": ["Bash"]})), Deny);
}

#[test]
fn what_cannot_be_read_is_said() {
    let list = PermissionList {
        allow: vec!["Bash(a && b)".into(), "Write(".into()],
        ..PermissionList::default()
    };
    let errors = convert(&list, rename).unwrap_err();
    assert_eq!(errors.len(), 2);
    assert!(serde_json::from_value::<PermissionList>(json!({"alow": []})).is_err());
    let other = json!({"allow": ["Other(x)"], "exclude": ["Third(x)"]});
    let list: PermissionList = serde_json::from_value(other).unwrap();
    assert_eq!(convert(&list, rename).unwrap().rules.len(), 1);
}
