//! Policy × mode × category × trust: one line a scenario.

use dogu_tool::Verdict::{self, Allow, Ask, Deny};

use crate::common::Call;

/// A call, the settings, and what is decided.
struct Scenario(fn() -> Call, &'static [&'static str], Verdict);

#[test]
fn every_scenario_is_decided_as_written() {
    let table = scenarios();
    assert!(table.len() >= 60, "{} scenarios", table.len());
    let mut wrong = Vec::new();
    for (index, Scenario(call, settings, expected)) in table.iter().enumerate() {
        let call = call().with(settings);
        let decision = call.decide();
        if decision.verdict != *expected {
            let actions: Vec<String> = call.actions.iter().map(|a| a.action.to_string()).collect();
            wrong.push(format!(
                "{index}: {actions:?} with {settings:?}: {:?} instead of {expected:?}: {:?}",
                decision.verdict,
                decision.texts()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[rustfmt::skip]
fn scenarios() -> Vec<Scenario> {
    vec![
        // Files, nothing set.
        Scenario(|| Call::read("src/a.rs"), &[], Allow),
        Scenario(|| Call::read("/usr/include/a.h"), &[], Ask),
        Scenario(|| Call::read(".env"), &[], Ask),
        Scenario(|| Call::read("ignored.txt"), &[], Deny),
        Scenario(|| Call::write("src/a.rs"), &[], Ask),
        Scenario(|| Call::write(".env"), &[], Deny),
        Scenario(|| Call::write("/etc/passwd"), &[], Deny),
        Scenario(|| Call::write("ignored.txt"), &[], Deny),
        Scenario(|| Call::delete("src/a.rs"), &[], Ask),
        // Auto-approval by kind.
        Scenario(|| Call::read("src/a.rs"), &["-read"], Ask),
        Scenario(|| Call::write("src/a.rs"), &["+write"], Allow),
        Scenario(|| Call::delete("src/a.rs"), &["+write"], Allow),
        Scenario(|| Call::delete(""), &["+write"], Ask),
        Scenario(|| Call::write("AGENTS.md"), &["+write"], Ask),
        Scenario(|| Call::write("linked.rs"), &["+write"], Ask),
        Scenario(|| Call::write("/tmp/a"), &["+write"], Ask),
        Scenario(|| Call::write("/etc/passwd"), &["+write"], Deny),
        Scenario(|| Call::write(".env"), &["+write"], Deny),
        Scenario(|| Call::read(".env"), &["+read"], Ask),
        Scenario(|| Call::shell("cargo build"), &["+execute"], Allow),
        Scenario(|| Call::shell("mytool"), &["+execute"], Ask),
        Scenario(|| Call::shell("curl x"), &["+execute"], Ask),
        Scenario(|| Call::shell("cargo build ??"), &["+execute"], Ask),
        Scenario(|| Call::shell("echo x >src/a.rs"), &["+execute"], Ask),
        Scenario(|| Call::shell("echo x >src/a.rs"), &["+execute", "+write"], Allow),
        Scenario(|| Call::fetch("https://docs.rs/x"), &[], Ask),
        Scenario(|| Call::fetch("https://docs.rs/x"), &["+network"], Allow),
        Scenario(|| Call::fetch("http://169.254.169.254/"), &["+network"], Ask),
        Scenario(|| Call::fetch("http://localhost:3000/"), &["+network"], Ask),
        Scenario(|| Call::mcp("github", "get_issue"), &["+mcp"], Ask),
        Scenario(|| Call::mcp("github", "get_issue"), &["+mcp", "flagged"], Allow),
        // The master switch.
        Scenario(|| Call::read("src/a.rs"), &["off"], Ask),
        Scenario(|| Call::shell("ls"), &["off"], Ask),
        Scenario(|| Call::write("src/a.rs"), &["off", "+write"], Ask),
        Scenario(|| Call::shell("git status"), &["off", "allow Execute(git status)"], Ask),
        Scenario(|| Call::shell("cargo test"), &["off", "session Execute(cargo test)"], Allow),
        Scenario(|| Call::write("/etc/passwd"), &["off"], Deny),
        // Commands.
        Scenario(|| Call::shell("ls"), &[], Allow),
        Scenario(|| Call::shell("ls ; cat <src/a.rs"), &[], Allow),
        Scenario(|| Call::shell("cat <.env"), &[], Ask),
        Scenario(|| Call::shell("cat <ignored.txt"), &[], Deny),
        Scenario(|| Call::shell("cat </etc/hosts"), &[], Ask),
        Scenario(|| Call::shell("cat <?"), &[], Ask),
        Scenario(|| Call::shell("echo x >/dev/null"), &[], Allow),
        Scenario(|| Call::shell("echo x >src/a.rs"), &[], Ask),
        Scenario(|| Call::shell("echo x >/etc/passwd"), &["allow Execute(*)"], Deny),
        Scenario(|| Call::shell("echo x >.env"), &["allow Execute(*)"], Deny),
        Scenario(|| Call::shell("ls ??"), &[], Ask),
        Scenario(|| Call::shell("mkfs x"), &["allow Execute(*)"], Deny),
        Scenario(|| Call::shell("vim a"), &["allow Execute(*)"], Deny),
        Scenario(|| Call::shell("vim a"), &["allow Execute(vim *)", "pty"], Allow),
        Scenario(|| Call::shell("vim a"), &["pty"], Ask),
        Scenario(|| Call::shell("ls ; steered"), &[], Ask),
        Scenario(|| Call::shell("ls ; steered"), &["trusted"], Allow),
        Scenario(|| Call::shell("ls ; steered"), &["+execute"], Ask),
        // Rules.
        Scenario(|| Call::shell("cargo test -p x"), &["allow Execute(cargo test *)"], Allow),
        Scenario(|| Call::shell("cargo test ; rm x ~x"), &["allow Execute(cargo test *)"], Ask),
        Scenario(|| Call::shell("cargo test ; ls"), &["allow Execute(cargo test *)"], Allow),
        Scenario(|| Call::shell("env cargo test"), &["allow Execute(cargo test *)"], Allow),
        Scenario(|| Call::shell("sudo cargo test"), &["allow Execute(cargo test *)"], Ask),
        Scenario(|| Call::shell("cargo test ??"), &["allow Execute(cargo test *)"], Ask),
        Scenario(|| Call::shell("cargo test >out.txt"), &["allow Execute(cargo test *)"], Allow),
        Scenario(|| Call::shell("cargo test >AGENTS.md"), &["allow Execute(cargo test *)"], Ask),
        Scenario(|| Call::shell("cargo test ; echo x >out.txt"), &["allow Execute(cargo test *)"], Ask),
        Scenario(|| Call::shell("cargo test >/tmp/x"), &["allow Execute(cargo test *)"], Ask),
        Scenario(|| Call::shell("rm src ~src"), &["allow Execute(rm *)"], Allow),
        Scenario(|| Call::shell("rm . ~."), &["allow Execute(rm *)"], Ask),
        Scenario(|| Call::shell("rm src ~src"), &["allow Execute(rm *)", "deny FileDelete(src/a)"], Ask),
        Scenario(|| Call::shell("curl x"), &["allow Execute(curl *)"], Allow),
        Scenario(|| Call::shell("git push"), &["deny Execute(git push *)"], Deny),
        Scenario(|| Call::shell("ls ; env git push ??"), &["deny Execute(git push *)"], Deny),
        Scenario(|| Call::shell("/usr/bin/git push"), &["deny Execute(git push *)"], Deny),
        Scenario(|| Call::shell("git status"), &["deny Execute(git *)", "allow Execute(git status)"], Allow),
        Scenario(|| Call::shell("git status"), &["deny Execute(git status)", "allow Execute(git status)"], Deny),
        Scenario(|| Call::shell("git log"), &["ask Execute(git *)"], Ask),
        Scenario(|| Call::shell("dogu trust"), &["allow Execute(*)"], Ask),
        Scenario(|| Call::write("src/Cargo.lock"), &["+write", "ask FileWrite(**/Cargo.lock)"], Ask),
        Scenario(|| Call::write("AGENTS.md"), &["allow FileWrite(**)"], Ask),
        Scenario(|| Call::write("AGENTS.md"), &["allow FileWrite(AGENTS.md)"], Allow),
        Scenario(|| Call::read(".env"), &["allow FileRead(**)"], Ask),
        Scenario(|| Call::read(".env"), &["allow FileRead(.env)"], Ask),
        Scenario(|| Call::read(".env"), &["allow FileReadSensitive(**)"], Ask),
        Scenario(|| Call::read(".env"), &["allow FileReadSensitive(.env)"], Allow),
        Scenario(|| Call::read(".env"), &["deny FileRead(**)"], Deny),
        Scenario(|| Call::read("/usr/include/a.h"), &["allow FileRead(/usr/include/**)"], Allow),
        Scenario(|| Call::read("/usr/include/a.h"), &["allow FileRead(**)"], Ask),
        Scenario(|| Call::delete("a"), &["deny FileWrite(a)"], Deny),
        Scenario(|| Call::delete("a"), &["allow FileWrite(a)"], Ask),
        Scenario(|| Call::fetch("https://docs.rs/x"), &["allow Network(https://docs.rs/**)"], Allow),
        Scenario(|| Call::fetch("https://docs.rs@evil.com/"), &["allow Network(https://docs.rs/**)"], Ask),
        Scenario(|| Call::mcp("github", "get_issue"), &["allow Mcp(github/get_*)"], Allow),
        Scenario(|| Call::mcp("github", "delete"), &["allow Mcp(github/get_*)"], Ask),
        Scenario(|| Call::write("a"), &["allow Tool(write_file)"], Allow),
        Scenario(|| Call::write("/tmp/a"), &["allow Tool(write_file)"], Ask),
        Scenario(|| Call::write("a"), &["allow FileWrite(**)", "deny Tool(write_*)"], Deny),
        Scenario(|| Call::mcp("x", "write_file"), &["allow Tool(write_file)"], Ask),
        Scenario(|| Call::mcp("x", "write_file"), &["allow Tool(mcp:x/write_file)"], Allow),
        // Grants.
        Scenario(|| Call::shell("cargo test"), &["always Execute(cargo test)"], Allow),
        Scenario(|| Call::shell("cargo test x"), &["always Execute(cargo test)"], Ask),
        Scenario(|| Call::shell("cargo test >out.txt"), &["always Execute(cargo test)"], Ask),
        Scenario(|| Call::shell("cargo test"), &["session Execute(cargo test)", "never Execute(cargo test)"], Deny),
        Scenario(|| Call::shell("cargo test"), &["session Execute(cargo test)", "ask Execute(cargo *)"], Ask),
        Scenario(|| Call::shell("cargo test"), &["session Execute(cargo test)", "force"], Ask),
        Scenario(|| Call::shell("mkfs x"), &["always Execute(mkfs x)"], Deny),
        Scenario(|| Call::read("src/a.rs"), &["force"], Ask),
        // Modes.
        Scenario(|| Call::write("a.rs"), &["+write", "mode code"], Allow),
        Scenario(|| Call::write("a.rs"), &["+write", "mode architect"], Deny),
        Scenario(|| Call::write("a.md"), &["+write", "mode architect"], Allow),
        Scenario(|| Call::write("a.rs"), &["+write", "mode ask", "allow FileWrite(a.rs)"], Deny),
        Scenario(|| Call::read("a.rs"), &["mode ask"], Allow),
        Scenario(|| Call::read("a.rs"), &["mode orchestrator"], Deny),
        Scenario(|| Call::shell("ls"), &["mode ask"], Deny),
        Scenario(|| Call::shell("ls"), &["mode debug"], Allow),
        Scenario(|| Call::mcp("x", "y"), &["mode ask"], Ask),
        // Trust.
        Scenario(|| Call::shell("cargo test"), &["workspace allow Execute(*)"], Ask),
        Scenario(|| Call::shell("cargo test"), &["workspace allow Execute(*)", "trusted"], Allow),
        Scenario(|| Call::shell("cargo test"), &["allow Execute(cargo *)", "workspace deny Execute(cargo test)"], Deny),
        Scenario(|| Call::shell("cargo test"), &["allow Execute(cargo test)", "workspace ask Execute(cargo *)"], Ask),
        Scenario(|| Call::shell("cargo test"), &["allow Execute(cargo test)", "workspace ask Execute(cargo *)", "trusted"], Allow),
        Scenario(|| Call::write("a"), &["workspace +write"], Ask),
        Scenario(|| Call::write("a"), &["workspace +write", "trusted"], Allow),
        Scenario(|| Call::read("a"), &["workspace -read"], Ask),
        Scenario(|| Call::read("a"), &["workspace off"], Ask),
        Scenario(|| Call::mcp("x", "y"), &["workspace +mcp", "flagged"], Ask),
        Scenario(|| Call::http("y"), &["+network", "+mcp", "+write", "+execute"], Ask),
        Scenario(|| Call::http("y"), &["allow Custom(y)"], Ask),
        Scenario(|| Call::http("y"), &["allow Custom(https://api.x/y)"], Allow),
    ]
}
