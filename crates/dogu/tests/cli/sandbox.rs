//! dogu inside its own sandbox.

use insta::assert_snapshot;

use crate::support::{Done, Home};

fn inside(home: &Home, arguments: &[&str]) -> Done {
    let mut command = home.command(arguments);
    command.env("DOGU_SANDBOX", "1");
    home.run(command, b"")
}

#[test]
fn dogu_in_its_own_sandbox_neither_serves_nor_trusts_nor_grants_nor_approves() {
    let home = Home::new();
    home.write("work/dogu.yaml", "permissions: {rules: [{allow: 'FileWrite(**)'}]}\n");
    let write = ["call", "write_file", "path=a", "content="];
    for refused in [
        &["serve"][..],
        &["serve", "--http", "127.0.0.1:0"],
        &["trust", "--yes"],
        &["trust", "revoke"],
        &["trust", "reset", "--yes"],
        &["policy", "grants", "revoke", "g1"],
        &["policy", "grants", "reset", "--yes"],
        &["--trust", "call", "list_files"],
        &[&write[..], &["--approve", "all"]].concat(),
        &[&write[..], &["--approve", "ask"]].concat(),
        &["dispatch", "--approve", "all"],
    ] {
        let done = inside(&home, refused);
        assert_eq!(done.code, Some(2), "{refused:?}: {done}");
        assert!(done.stderr.contains("inside its own sandbox"), "{refused:?}: {done}");
    }
    assert!(!home.path("work/a").exists());
    assert_snapshot!(inside(&home, &["serve"]), @"
    exit 2
    --- stdout
    --- stderr
    error: dogu does not serve inside its own sandbox

    hint: whoever started the sandbox can do it outside
    ");
}

#[test]
fn what_needs_no_approval_works_there() {
    let home = Home::new();
    assert_eq!(inside(&home, &["call", "list_files"]).code, Some(0));
    assert_eq!(inside(&home, &["policy", "check", "ls"]).code, Some(0));
    assert_eq!(inside(&home, &["trust", "list"]).code, Some(0));
    assert_eq!(inside(&home, &["policy", "grants"]).code, Some(0));
    home.user_settings("unattended: allow\n");
    let write = ["call", "write_file", "path=a", "content="];
    assert_eq!(inside(&home, &write).code, Some(1), "nobody allowed it there");
    assert_eq!(home.dogu(&write).code, Some(0));
}
