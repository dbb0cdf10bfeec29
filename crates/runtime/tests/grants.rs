//! Grants: kept, sealed, shared between processes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use dogu_runtime::grants::{GrantStore, GrantVerdict, NewGrant, StoredGrant};
use dogu_runtime::{SealError, SealProblem, StateDir};
use dogu_tool::Principal;
use tempfile::TempDir;

/// Folders that are gone after the test.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn store(&self) -> GrantStore {
        open(self.0.path())
    }

    fn work(&self) -> PathBuf {
        self.path("work")
    }

    fn file(&self) -> PathBuf {
        self.path("state/grants.sealed")
    }

    fn key(&self) -> PathBuf {
        self.path("config/seal.key")
    }

    fn rules(&self) -> Vec<String> {
        rules(&self.store().permanent(&self.work()))
    }

    /// No grants, a problem, and nothing can be added before a reset.
    fn assert_spoiled(&self, what: &str) -> SealProblem {
        let store = self.store();
        assert!(store.permanent(&self.work()).is_empty(), "{what}");
        assert!(store.list().is_empty(), "{what}");
        let problem = store.problem().unwrap_or_else(|| panic!("{what}: no problem"));
        let before = fs::read(self.file()).ok();
        let error = store.add_permanent(allow(&self.work(), "Execute(more)")).unwrap_err();
        assert!(matches!(error, SealError::Spoiled { .. }), "{what}: {error}");
        assert!(error.to_string().contains("dogu policy grants reset"), "{error}");
        assert_eq!(fs::read(self.file()).ok(), before, "{what}: overwritten");
        problem
    }
}

fn open(folder: &Path) -> GrantStore {
    let state = StateDir::open(folder.join("state")).unwrap();
    GrantStore::open(&state, &folder.join("config"))
}

fn allow(workspace: &Path, rule: &str) -> NewGrant {
    NewGrant {
        verdict: GrantVerdict::Allow,
        rule: rule.to_owned(),
        workspace: workspace.to_owned(),
        tool: "builtin/execute_command".to_owned(),
    }
}

fn rules(grants: &[StoredGrant]) -> Vec<String> {
    grants.iter().map(|grant| grant.rule.clone()).collect()
}

#[test]
fn a4_permanent_grants_survive_a_restart_and_session_grants_do_not() {
    let world = World::new();
    let me = Principal::process("one");
    let first = world.store();
    let kept = first.add_permanent(allow(&world.work(), "Execute(cargo test)")).unwrap();
    let session = first.add_session(&me, allow(&world.work(), "Execute(make)")).unwrap();
    assert_eq!((kept.id.as_str(), session.id.as_str()), ("g1", "s1"));
    assert_eq!(rules(&first.session(&me)), ["Execute(make)"]);
    assert!(first.session(&Principal::process("two")).is_empty(), "a session's are its own");

    let second = world.store();
    assert_eq!(second.list(), [kept]);
    assert!(second.session(&me).is_empty());
    assert_eq!(second.problem(), None);
}

#[test]
fn a4_what_is_on_disk_is_private_and_says_what_was_granted() {
    let world = World::new();
    let mut no = allow(&world.work(), "Execute(git push *)");
    no.verdict = GrantVerdict::Deny;
    world.store().add_permanent(no).unwrap();
    let text = fs::read_to_string(world.file()).unwrap();
    let (header, content) = text.split_once('\n').unwrap();
    assert!(header.starts_with("dogu-sealed 1 1 "), "{header}");
    let content: serde_json::Value = serde_json::from_str(content).unwrap();
    let grant = &content["grants"][0];
    assert_eq!((&grant["id"], &grant["verdict"]), (&"g1".into(), &"deny".into()));
    assert_eq!(grant["rule"], "Execute(git push *)");
    assert_eq!(grant["workspace"], world.work().to_str().unwrap());
    for file in [world.file(), world.key()] {
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600, "{}", file.display());
    }
    assert_eq!(fs::read(world.key()).unwrap().len(), 32);
}

#[test]
fn a_grant_holds_only_in_its_workspace_by_its_real_path() {
    let world = World::new();
    let link = world.path("link");
    symlink(world.work(), &link).unwrap();
    let store = world.store();
    store.add_permanent(allow(&link, "Execute(make)")).unwrap();
    assert_eq!(rules(&store.permanent(&world.work())), ["Execute(make)"]);
    assert!(store.permanent(&world.path("other")).is_empty());
    assert!(store.permanent(&world.work().join("inner")).is_empty());
    assert!(store.add_permanent(allow(&world.path("gone"), "Execute(make)")).is_err());
}

#[test]
fn the_same_grant_twice_is_one_and_ids_are_never_given_again() {
    let world = World::new();
    let store = world.store();
    let first = store.add_permanent(allow(&world.work(), "Execute(a)")).unwrap();
    assert_eq!(store.add_permanent(allow(&world.work(), "Execute(a)")).unwrap(), first);
    assert!(store.revoke("g1").unwrap());
    assert!(!store.revoke("g1").unwrap());
    assert_eq!(store.add_permanent(allow(&world.work(), "Execute(a)")).unwrap().id, "g2");
    let me = Principal::process("one");
    let session = store.add_session(&me, allow(&world.work(), "Execute(a)")).unwrap();
    assert_eq!(store.add_session(&me, allow(&world.work(), "Execute(a)")).unwrap(), session);
    assert!(store.revoke("s1").unwrap());
    assert!(store.session(&me).is_empty());
}

#[test]
fn revoked_is_gone_in_the_other_store_at_once() {
    let world = World::new();
    let (one, other) = (world.store(), world.store());
    for round in 1..=50 {
        let id = one.add_permanent(allow(&world.work(), "Execute(a)")).unwrap().id;
        assert_eq!(other.permanent(&world.work()).len(), 1, "round {round}");
        assert!(one.revoke(&id).unwrap());
        assert!(other.permanent(&world.work()).is_empty(), "round {round}");
    }
}

#[test]
fn stores_that_add_at_the_same_time_lose_nothing() {
    let world = World::new();
    std::thread::scope(|scope| {
        for writer in ["a", "b"] {
            let world = &world;
            scope.spawn(move || {
                let store = world.store();
                for n in 0..50 {
                    let rule = format!("Execute({writer} {n})");
                    store.add_permanent(allow(&world.work(), &rule)).unwrap();
                }
            });
        }
        scope.spawn(|| {
            let reader = world.store();
            let mut seen = 0;
            while seen < 100 {
                let now = reader.permanent(&world.work()).len();
                assert_eq!(reader.problem(), None);
                assert!(now >= seen, "{now} after {seen}");
                seen = now;
            }
        });
    });
    let ids: std::collections::HashSet<_> =
        world.store().list().into_iter().map(|grant| grant.id).collect();
    assert_eq!(ids.len(), 100);
}

/// Not a test by itself: what the processes of the next tests do.
#[test]
#[ignore = "run by other tests as a process of its own"]
fn child_adds_fifty() {
    let folder = PathBuf::from(std::env::var_os("DOGU_TEST_FOLDER").unwrap());
    let writer = std::env::var("DOGU_TEST_WRITER").unwrap();
    let work = folder.canonicalize().unwrap().join("work");
    for n in 0..50 {
        // A new store each time: nothing may depend on what one of them remembers.
        open(&folder).add_permanent(allow(&work, &format!("Execute({writer} {n})"))).unwrap();
    }
}

fn child(world: &World, before: &str, writer: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{before} exec \"$0\" --exact child_adds_fifty --ignored")])
        .arg(test)
        .env("DOGU_TEST_FOLDER", world.0.path())
        .env("DOGU_TEST_WRITER", writer)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    command
}

#[test]
fn processes_that_add_at_the_same_time_lose_nothing() {
    let world = World::new();
    let children: Vec<_> =
        ["a", "b"].iter().map(|writer| child(&world, "", writer).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(world.rules().len(), 100);
    assert_eq!(world.store().problem(), None);
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let world = World::new();
    world.store().add_permanent(allow(&world.work(), "Execute(kept)")).unwrap();
    let before = fs::read(world.file()).unwrap();
    // Every write of the child fails, as it would on a full disk.
    let status = child(&world, "trap '' XFSZ; ulimit -f 0;", "x").status().unwrap();
    assert!(!status.success(), "the child could write");
    assert_eq!(fs::read(world.file()).unwrap(), before);
    assert_eq!(world.rules(), ["Execute(kept)"]);
    assert!(!world.path("state/grants.sealed.new").exists());
    world.store().add_permanent(allow(&world.work(), "Execute(more)")).unwrap();
    assert_eq!(world.rules(), ["Execute(kept)", "Execute(more)"]);
}

#[test]
fn any_changed_byte_means_no_grants() {
    let world = World::new();
    world.store().add_permanent(allow(&world.work(), "Execute(ls)")).unwrap();
    let sound = fs::read(world.file()).unwrap();
    let long_lived = world.store();
    for place in 0..sound.len() {
        // Bit 5 turns letters between upper and lower case.
        for bit in [0x01, 0x20, 0x80] {
            let mut bytes = sound.clone();
            bytes[place] ^= bit;
            fs::write(world.file(), &bytes).unwrap();
            assert!(world.rules().is_empty(), "byte {place} ^ {bit:#x}");
            assert!(long_lived.permanent(&world.work()).is_empty(), "byte {place} ^ {bit:#x}");
            assert!(long_lived.problem().is_some());
        }
    }
    for length in 0..sound.len() {
        fs::write(world.file(), &sound[..length]).unwrap();
        assert!(world.rules().is_empty(), "cut to {length}");
        assert!(world.store().problem().is_some(), "cut to {length}");
    }
    let mut longer = sound.clone();
    longer.push(b' ');
    fs::write(world.file(), longer).unwrap();
    world.assert_spoiled("one byte more");
    fs::write(world.file(), &sound).unwrap();
    assert_eq!(world.rules(), ["Execute(ls)"]);
}

#[test]
fn an_older_copy_and_a_removed_file_are_noticed() {
    let world = World::new();
    let store = world.store();
    store.add_permanent(allow(&world.work(), "Execute(a)")).unwrap();
    let older = fs::read(world.file()).unwrap();
    store.revoke("g1").unwrap();
    fs::write(world.file(), older).unwrap();
    assert!(matches!(world.assert_spoiled("older"), SealProblem::RolledBack { .. }));
    assert!(store.permanent(&world.work()).is_empty());
    fs::remove_file(world.file()).unwrap();
    assert!(matches!(world.assert_spoiled("removed"), SealProblem::Removed { .. }));
}

#[test]
fn an_older_copy_is_noticed_after_a_reset_too() {
    let world = World::new();
    world.store().add_permanent(allow(&world.work(), "Execute(a)")).unwrap();
    let older = fs::read(world.file()).unwrap();
    world.store().reset().unwrap();
    assert_eq!(world.store().problem(), None);
    fs::write(world.file(), older).unwrap();
    world.assert_spoiled("older than the reset");
}

#[test]
fn a_key_that_is_gone_open_or_another_means_no_grants() {
    let world = World::new();
    let long_lived = world.store();
    long_lived.add_permanent(allow(&world.work(), "Execute(a)")).unwrap();
    let key = fs::read(world.key()).unwrap();
    fs::set_permissions(world.key(), fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(world.assert_spoiled("readable"), SealProblem::OpenKey { .. }));
    fs::remove_file(world.key()).unwrap();
    assert!(matches!(world.assert_spoiled("gone"), SealProblem::NoKey { .. }));
    symlink(world.path("elsewhere"), world.key()).unwrap();
    assert!(matches!(world.assert_spoiled("link"), SealProblem::NotPlain { .. }));
    fs::remove_file(world.key()).unwrap();
    for (what, bytes) in [("short", &key[..31]), ("another", &[7; 32])] {
        fs::write(world.key(), bytes).unwrap();
        fs::set_permissions(world.key(), fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(world.assert_spoiled(what), SealProblem::Changed { .. }), "{what}");
    }
    // What was wrong with the key is made good: what was sealed with it holds again.
    fs::write(world.key(), key).unwrap();
    assert_eq!(world.rules(), ["Execute(a)"]);
}

#[test]
fn links_folders_pipes_and_unknown_versions_mean_no_grants() {
    let world = World::new();
    world.store().add_permanent(allow(&world.work(), "Execute(a)")).unwrap();
    let sound = fs::read(world.file()).unwrap();
    let elsewhere = world.path("elsewhere");
    fs::rename(world.file(), &elsewhere).unwrap();
    symlink(&elsewhere, world.file()).unwrap();
    assert!(matches!(world.assert_spoiled("link"), SealProblem::NotPlain { .. }));
    fs::remove_file(world.file()).unwrap();
    fs::create_dir(world.file()).unwrap();
    assert!(matches!(world.assert_spoiled("folder"), SealProblem::NotPlain { .. }));
    fs::remove_dir(world.file()).unwrap();
    assert!(Command::new("mkfifo").arg(world.file()).status().unwrap().success());
    let problem = world.store().problem();
    assert!(matches!(problem, Some(SealProblem::NotPlain { .. })), "{problem:?}");
    fs::remove_file(world.file()).unwrap();
    let newer = String::from_utf8(sound).unwrap().replacen("sealed 1 ", "sealed 2 ", 1);
    fs::write(world.file(), newer).unwrap();
    assert!(matches!(world.assert_spoiled("version"), SealProblem::Version { .. }));
    fs::set_permissions(world.file(), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(matches!(world.assert_spoiled("writable"), SealProblem::NotPlain { .. }));
}

#[test]
fn what_was_sealed_for_one_place_does_not_hold_in_another() {
    let world = World::new();
    world.store().add_permanent(allow(&world.work(), "Execute(a)")).unwrap();
    let other = StateDir::open(world.path("other")).unwrap();
    fs::copy(world.file(), world.path("other/grants.sealed")).unwrap();
    let store = GrantStore::open(&other, &world.path("config"));
    assert!(store.permanent(&world.work()).is_empty());
    assert!(matches!(store.problem(), Some(SealProblem::Changed { .. })));
}

#[test]
fn a_problem_is_said_once_and_a_reset_ends_it() {
    let world = World::new();
    let store = world.store();
    store.add_permanent(allow(&world.work(), "Execute(a)")).unwrap();
    assert_eq!(store.new_problem(), None);
    fs::write(world.file(), "").unwrap();
    assert!(store.new_problem().is_some());
    assert_eq!(store.new_problem(), None, "said twice");
    assert!(store.problem().is_some());
    assert!(store.revoke("g1").is_err());
    store.reset().unwrap();
    assert_eq!(store.problem(), None);
    assert!(store.list().is_empty());
    store.add_permanent(allow(&world.work(), "Execute(b)")).unwrap();
    assert_eq!(world.rules(), ["Execute(b)"]);
    fs::write(world.file(), "").unwrap();
    assert!(store.new_problem().is_some(), "a new one is said");
}

#[test]
fn a_reset_makes_a_new_key_where_the_old_one_is_spoiled() {
    let world = World::new();
    world.store().add_permanent(allow(&world.work(), "Execute(a)")).unwrap();
    let (older, key) = (fs::read(world.file()).unwrap(), fs::read(world.key()).unwrap());
    fs::set_permissions(world.key(), fs::Permissions::from_mode(0o644)).unwrap();
    world.store().reset().unwrap();
    assert_ne!(fs::read(world.key()).unwrap(), key);
    assert_eq!(world.store().problem(), None);
    fs::write(world.file(), older).unwrap();
    world.assert_spoiled("sealed with the old key");
}

#[test]
fn looking_makes_nothing() {
    let world = World::new();
    let store = world.store();
    assert!(store.permanent(&world.work()).is_empty());
    assert!(!store.revoke("g1").unwrap());
    assert_eq!(store.problem(), None);
    assert!(!world.path("config").exists());
    assert!(!world.file().exists());
}

#[test]
fn rules_that_are_empty_or_huge_are_refused() {
    let world = World::new();
    let store = world.store();
    assert!(store.add_permanent(allow(&world.work(), "")).is_err());
    let huge = "x".repeat(dogu_runtime::grants::MAX_RULE_BYTES + 1);
    assert!(store.add_permanent(allow(&world.work(), &huge)).is_err());
    assert!(store.add_session(&Principal::process("s"), allow(&world.work(), &huge)).is_err());
    assert!(store.list().is_empty());
}
