//! `dogu doctor`.

use crate::support::Home;

#[test]
fn what_is_here_is_told_and_what_a_lack_costs() {
    let home = Home::new();
    let done = home.dogu(&["doctor"]);
    assert!(done.stdout.contains("shell: /"), "{done}");
    let full = done.stdout.contains("ok   sandbox: full, profile workspace");
    assert_eq!(done.code, Some(i32::from(!full)), "{done}");
    home.user_settings("shell: { program: /no/such/shell, kind: fish }\nsandbox: { profile: off }");
    let done = home.dogu(&["doctor"]);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(
        done.stdout.contains("LACK shell: /no/such/shell was not found\n     no command can run"),
        "{done}"
    );
    assert!(done.stdout.contains("LACK lines of the shell: fish"), "{done}");
    assert!(done.stdout.contains("ok   sandbox: off by the settings"), "{done}");
    let json = home.dogu(&["doctor", "--json"]).json();
    assert_eq!(json[0]["what"], "shell");
    assert_eq!(json[0]["good"], false);
}
