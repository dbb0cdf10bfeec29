use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use dogu_process::environment::of_login;

use crate::support::{gone, supervisor};

/// A shell that reads a profile of its own.
fn shell(folder: &tempfile::TempDir, profile: &str) -> PathBuf {
    let path = folder.path().join("shell");
    // Called as `shell -l -c LINE`.
    fs::write(&path, format!("#!/bin/sh\n{profile}\nexec /bin/sh -c \"$3\"\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn own() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())]
}

#[tokio::test]
async fn what_a_login_sets_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let shell = shell(&folder, "export FROM_LOGIN='a\nb'; echo a greeting >&2");
    let found = of_login(shell.as_os_str(), own(), &supervisor()).await.unwrap();
    let value = found.iter().find(|(name, _)| name == "FROM_LOGIN").map(|(_, value)| value);
    assert_eq!(value.map(OsString::as_os_str), Some(OsStr::new("a\nb")));
}

#[tokio::test]
async fn a_shell_that_fails_or_never_ends_is_done_without() {
    let missing = of_login(OsStr::new("/no/such/shell"), own(), &supervisor()).await;
    assert_eq!(missing, None);
    let folder = tempfile::tempdir().unwrap();
    let hangs = shell(&folder, "sleep 77.1");
    assert_eq!(of_login(hangs.as_os_str(), own(), &supervisor()).await, None);
    assert_eq!(gone("sleep 77.1").await, Vec::<String>::new());
}
