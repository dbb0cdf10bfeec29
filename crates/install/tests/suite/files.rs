//! What happens on disk.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use dogu_install::{Client, FileError, Outcome, Scope, TargetError};

use crate::support::{World, http, stdio};

const SETTINGS: &str = "{\n  \"theme\": \"x\" // mine\n}\n";

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn the_original_is_kept_beside_it_and_its_mode_stays() {
    let world = World::new();
    let target = world.with(Client::Zed, SETTINGS.as_bytes());
    fs::set_permissions(&target.path, Permissions::from_mode(0o640)).unwrap();
    let done = target.install(&stdio(), false).unwrap().apply().unwrap();
    let backup = done.backup.unwrap();
    assert_eq!(backup, target.path.with_file_name("settings.json.dogu-backup-1"));
    assert_eq!(fs::read_to_string(&backup).unwrap(), SETTINGS);
    assert_eq!((mode(&target.path), mode(&backup)), (0o640, 0o640));
    assert_eq!(World::beside(&target).len(), 2, "no draft is left");
}

#[test]
fn a_backup_is_never_overwritten() {
    let world = World::new();
    let target = world.with(Client::Zed, SETTINGS.as_bytes());
    let backup = |number| target.path.with_file_name(format!("settings.json.dogu-backup-{number}"));
    fs::write(backup(1), "somebody's").unwrap();
    fs::write(backup(7), "somebody else's").unwrap();
    let done = target.install(&stdio(), false).unwrap().apply().unwrap();
    assert_eq!(done.backup.unwrap(), backup(8));
    assert_eq!(fs::read_to_string(backup(1)).unwrap(), "somebody's");
    assert_eq!(fs::read_to_string(backup(7)).unwrap(), "somebody else's");
}

#[test]
fn a_new_file_is_private_only_if_it_holds_a_token() {
    let world = World::new();
    let usual = world.root.path().join("usual");
    fs::write(&usual, "").unwrap();
    for (server, wanted) in [(stdio(), mode(&usual)), (http(), 0o600)] {
        let world = World::new();
        let target = world.target(Client::Gemini, Scope::User).unwrap();
        let change = target.install(&server, false).unwrap();
        assert_eq!(change.outcome, Outcome::Added);
        assert!(change.apply().unwrap().backup.is_none());
        assert_eq!(mode(&target.path), wanted);
    }
}

#[test]
fn a_file_that_was_made_for_it_goes_with_it() {
    let world = World::new();
    let target = world.target(Client::Continue, Scope::Project).unwrap();
    target.install(&stdio(), false).unwrap().apply().unwrap();
    target.uninstall().unwrap().apply().unwrap();
    assert!(!target.path.exists());
    assert_eq!(target.uninstall().unwrap().outcome, Outcome::NotThere);
}

#[test]
fn a_link_stays_a_link() {
    let world = World::new();
    let target = world.target(Client::Gemini, Scope::User).unwrap();
    let real = world.root.path().join("dotfiles.json");
    fs::write(&real, "{}\n").unwrap();
    fs::create_dir_all(target.path.parent().unwrap()).unwrap();
    symlink(&real, &target.path).unwrap();
    target.install(&stdio(), false).unwrap().apply().unwrap();
    assert!(fs::symlink_metadata(&target.path).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("dogu"));
    target.uninstall().unwrap().apply().unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");
}

#[test]
fn links_to_nothing_and_out_of_the_project_are_refused() {
    let world = World::new();
    let target = world.target(Client::ClaudeCode, Scope::Project).unwrap();
    symlink(world.root.path().join("nowhere"), &target.path).unwrap();
    let refused = target.install(&stdio(), false).unwrap_err();
    assert!(matches!(refused, TargetError::File(FileError::Dangling(_))), "{refused}");
    fs::remove_file(&target.path).unwrap();
    let elsewhere = world.root.path().join("home/.claude.json");
    fs::write(&elsewhere, "{}").unwrap();
    symlink(&elsewhere, &target.path).unwrap();
    let refused = target.install(&stdio(), false).unwrap_err();
    assert!(matches!(refused, TargetError::File(FileError::Outside { .. })), "{refused}");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "{}");
    // Nor through a folder that leads out.
    let target = world.target(Client::Cursor, Scope::Project).unwrap();
    symlink(world.root.path().join("home"), target.path.parent().unwrap()).unwrap();
    let refused = target.install(&stdio(), false).unwrap_err();
    assert!(matches!(refused, TargetError::File(FileError::Outside { .. })), "{refused}");
}

#[test]
fn what_another_program_wrote_meanwhile_is_not_overwritten() {
    let world = World::new();
    let target = world.with(Client::ClaudeCode, b"{}");
    let change = target.install(&stdio(), false).unwrap();
    fs::write(&target.path, "{\"new\": 1}").unwrap();
    let refused = change.apply().unwrap_err();
    assert!(matches!(refused, FileError::Changed(_)), "{refused}");
    assert_eq!(fs::read_to_string(&target.path).unwrap(), "{\"new\": 1}");
    let home = World::beside(&target);
    assert_eq!(home, std::slice::from_ref(&target.path), "neither draft nor backup");
    // Nor what was not there before.
    let target = world.target(Client::Gemini, Scope::User).unwrap();
    let change = target.install(&stdio(), false).unwrap();
    fs::create_dir_all(target.path.parent().unwrap()).unwrap();
    fs::write(&target.path, "mine").unwrap();
    assert!(matches!(change.apply().unwrap_err(), FileError::Changed(_)));
    assert_eq!(fs::read_to_string(&target.path).unwrap(), "mine");
}

#[test]
fn another_entry_of_the_name_is_shown_and_needs_force() {
    let world = World::new();
    let text = "{\"mcpServers\": {\"dogu\": {\"command\": \"mine\"}}}";
    let target = world.with(Client::Cursor, text.as_bytes());
    match target.install(&stdio(), false).unwrap_err() {
        TargetError::Different { old, new, .. } => {
            assert_eq!(old["command"], "mine");
            assert_eq!(new["command"], "/usr/local/bin/dogu");
        }
        other => panic!("{other}"),
    }
    let change = target.install(&stdio(), true).unwrap();
    assert_eq!(change.outcome, Outcome::Replaced);
    let backup = change.apply().unwrap().backup.unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), text);
    target.uninstall().unwrap().apply().unwrap();
    let rest = fs::read_to_string(&target.path).unwrap();
    assert!(!rest.contains("dogu"), "the entry that was there before does not come back: {rest}");
}
