//! Programs that need more rights than the user has, which a user namespace cannot give them.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Programs that become root by a set-uid file, or start others that do: rootless containers get
/// their users from `newuidmap`, snaps are started by `snap-confine`.
const BY_NAME: [&str; 10] =
    ["sudo", "sudo-rs", "doas", "su", "pkexec", "run0", "podman", "buildah", "snap", "nerdctl"];

const SET_UID: u32 = 0o4000;
const SET_GID: u32 = 0o2000;

/// Whether a program would not work without the rights that set-uid files give.
pub(super) fn needs_more(command: &str, environment: &[(OsString, OsString)]) -> bool {
    let Some(file) = found(command, environment) else { return false };
    // Behind a name in `/snap/bin` is `snap`.
    let real = file.canonicalize().unwrap_or_else(|_| file.clone());
    let is_named =
        |path: &Path| path.file_name().is_some_and(|name| BY_NAME.iter().any(|n| name == *n));
    let mode = real.metadata().map_or(0, |facts| facts.permissions().mode());
    is_named(&file) || is_named(&real) || mode & (SET_UID | SET_GID) != 0
}

/// The file that is started, by the same rule as it will be.
fn found(command: &str, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(PathBuf::from(command));
    }
    let (_, path) = environment.iter().find(|(name, _)| name == "PATH")?;
    let all = std::env::split_paths(path).map(|folder| folder.join(command));
    all.into_iter().find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_more_rights_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, mode: u32| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        for name in ["snap", "podman", "npx"] {
            file(name, 0o755);
        }
        std::os::unix::fs::symlink(folder.path().join("snap"), folder.path().join("uvx")).unwrap();
        let raised = file("raised", 0o4755).display().to_string();
        let environment = vec![(OsString::from("PATH"), folder.path().as_os_str().to_owned())];
        let needs = |command: &str| needs_more(command, &environment);
        assert!(needs("podman") && needs("uvx") && needs("raised") && needs(&raised));
        assert!(!needs("npx") && !needs("missing") && !needs("/no/such/program"));
    }
}
