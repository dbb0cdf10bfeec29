//! What is stored between commands, processes and crashes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use dogu_runtime::journal::{Bounds, Which, Why};

use crate::support::{World, by, journal_of};

fn home(world: &World) -> PathBuf {
    let all = world.base.join("state/journal/watch");
    fs::read_dir(all).unwrap().next().unwrap().unwrap().path()
}

fn packed(world: &World) -> u64 {
    let files = fs::read_dir(home(world)).unwrap().map(|entry| entry.unwrap());
    let packs = files.filter(|file| file.path().extension().is_some_and(|is| is == "pack"));
    packs.map(|pack| pack.metadata().unwrap().len()).sum()
}

/// Until the times of all files are old enough to be believed.
fn settle() {
    std::thread::sleep(Duration::from_millis(150));
}

#[test]
fn contents_are_stored_once() {
    let world = World::new();
    settle();
    assert_eq!(world.before().covered(), 3);
    let table = fs::metadata(home(&world).join("table")).unwrap().modified().unwrap();
    let size = packed(&world);
    assert_eq!(size, "old a\nold b\nold d/e\n".len() as u64);
    // Neither the same process nor another one reads or writes anything again.
    assert_eq!(world.before().covered(), 3);
    let other = Arc::new(journal_of(&world.base));
    let flag = dogu_tool::CancelFlag::new();
    assert_eq!(
        other.watch_before(&world.roots, Duration::from_secs(9), &flag).unwrap().covered(),
        3
    );
    assert_eq!(packed(&world), size);
    assert_eq!(fs::metadata(home(&world).join("table")).unwrap().modified().unwrap(), table);
    // Only what changed is stored, and where only times did, nothing.
    fs::write(world.at("a"), "new a\n").unwrap();
    world.shell("touch b");
    world.before();
    assert_eq!(packed(&world), size + 6);
}

#[test]
fn all_of_it_is_the_users_alone() {
    let world = World::new();
    world.run("echo new > a");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home(&world)), 0o700);
    let files: Vec<_> =
        fs::read_dir(home(&world)).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 4, "{files:?}");
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
}

#[test]
fn a_crash_between_breaks_nothing() {
    let world = World::new();
    let old = world.snapshot();
    // A process that is killed has no second look; its locks go with it.
    let before = world.before();
    world.shell("echo 1 > a");
    drop(before);
    let world = reopened(world);
    assert_eq!(world.journal.recover().unwrap(), dogu_runtime::journal::Recovered::default());
    assert!(world.journal.entries().unwrap().is_empty());
    let changes = world.run("echo 2 > a; rm b");
    assert!(!changes.overlapped);
    world.undo(&Which::Last).unwrap();
    assert_ne!(world.snapshot(), old);
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(world.at("b")).unwrap(), "old b\n");
}

fn reopened(world: World) -> World {
    let journal = Arc::new(journal_of(&world.base));
    let mut world = world;
    world.journal = journal;
    world
}

#[test]
fn what_is_damaged_is_stored_again() {
    for (name, damage) in
        [("table", &b""[..]), ("table", b"nonsense"), ("pack", b""), ("pack", b"?")]
    {
        let mut world = World::new();
        settle();
        world.before();
        for entry in fs::read_dir(home(&world)).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().ends_with(name) {
                fs::write(path, damage).unwrap();
            }
        }
        world = reopened(world);
        let changes = world.run("rm a");
        if name == "table" {
            world.undo(&Which::Last).unwrap();
            assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "old a\n");
        } else {
            // Only when it is needed does it show that a pack is damaged; never is it put back.
            assert_eq!(changes.not_covered.changes.get(&Why::Lost), Some(&1));
            assert_eq!(changes.entry, None);
        }
    }
}

#[test]
fn a_store_that_is_removed_while_a_command_runs_is_still_there_for_it() {
    let world = World::new();
    let before = world.before();
    fs::remove_dir_all(home(&world)).unwrap();
    world.shell("rm a");
    assert_eq!(before.finish(&by("call")).unwrap().changed.len(), 1);
    world.undo(&Which::Last).unwrap();
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "old a\n");
    assert_eq!(world.before().covered(), 3);
}

#[test]
fn it_does_not_grow_without_end() {
    let world = World::bounded(Bounds { watched_bytes: 100_000, ..Bounds::default() });
    for round in 0..40 {
        fs::write(world.at("a"), format!("{round:04}").repeat(2_000)).unwrap();
        fs::write(world.at("b"), format!("{round:04}").repeat(1_000)).unwrap();
        let before = world.before();
        assert_eq!((before.covered(), before.not_covered().get(&Why::NoRoom)), (3, None));
        assert!(packed(&world) <= 100_000, "{}", packed(&world));
    }
    world.shell("rm a b");
    world.before();
    world.shell("rm d/e");
    world.before();
    assert_eq!(packed(&world), 0);
}

#[test]
fn what_is_stored_pushes_no_history_out() {
    let world = World::bounded(Bounds { bytes: 50_000, ..Bounds::default() });
    let first = world.run("echo new > a");
    world.shell("for n in $(seq 40); do head -c 5000 /dev/urandom > big$n; done");
    for round in 0..5 {
        world.run(&format!("echo {round} > b"));
    }
    let kept = world.journal.entries().unwrap();
    assert_eq!(kept.len(), 6);
    assert_eq!(Some(&kept[0].id), first.entry.as_ref());
}

#[test]
fn a_workspace_that_nobody_uses_is_forgotten() {
    let bounds = Bounds { age: Duration::from_millis(1), bytes: 0, ..Bounds::default() };
    let world = World::bounded(bounds);
    let other = world.base.join("state/journal/watch/other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("0000000000000001.pack"), "old").unwrap();
    settle();
    // The bound of zero bytes makes every change sweep.
    world.run("echo new > a");
    assert!(!other.exists());
}
