//! What changes do where nothing interferes, and what they refuse.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::sync::Arc;

use dogu_runtime::files::GrantedFiles;
use dogu_tool::{Action, ChangeOptions, Expects, FileChange, Files as _, Stale, Written};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{World, assert_refused, content};

#[test]
fn all_kinds_of_changes_happen_together() {
    for world in World::both_ways() {
        let written = world.change(&[
            FileChange::write(world.at("a"), "new a").expecting(content("old a")),
            FileChange::write(world.at("x/y/z"), "new z").expecting(Expects::Nothing),
            FileChange::remove(world.at("b")),
            FileChange::rename(world.at("c"), world.at("moved/c")).expecting(content("old c")),
        ]);
        let expected = [(false, Some(5)), (true, None), (false, Some(5)), (true, None)];
        let expected = expected
            .map(|(created, old_size)| Written { created, old_size, journal: None })
            .to_vec();
        assert_eq!(written.unwrap(), expected);
        let names = ["a", "d", "d/e", "moved", "moved/c", "x", "x/y", "x/y/z"];
        let found = world.snapshot();
        assert_eq!(found.keys().cloned().collect::<Vec<_>>(), names.map(|name| world.at(name)));
        assert_eq!(world.text("a"), "new a");
        assert_eq!(world.text("x/y/z"), "new z");
        assert_eq!(world.text("moved/c"), "old c");
    }
}

#[test]
fn nothing_happens_where_one_change_cannot() {
    for world in World::both_ways() {
        fs::create_dir(world.at("folder")).unwrap();
        mknodat(CWD, world.at("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        world.set_mode("d/e", 0o444);
        let before = world.snapshot_without_pipe();
        let bad = [
            (
                FileChange::write(world.at("b"), "x").expecting(content("other")),
                "has changed since",
            ),
            (FileChange::write(world.at("b"), "x").expecting(Expects::Nothing), "already exists"),
            (FileChange::write(world.at("n"), "x").expecting(content("x")), "file not found"),
            (FileChange::write(world.at("folder"), "x"), "is a folder"),
            (FileChange::write(world.at("pipe"), "x"), "is a pipe, socket or device"),
            (FileChange::write(world.at("d/e"), "x"), "is read-only; nothing was written"),
            (FileChange::remove(world.at("n")), "file not found"),
            (FileChange::remove(world.at("folder")), "is a folder"),
            (FileChange::rename(world.at("b"), world.at("c")), "already exists"),
            (FileChange::rename(world.at("n"), world.at("m")), "file not found"),
            (FileChange::rename(world.at("folder"), world.at("m")), "is a folder"),
            (
                FileChange::rename(world.at("b"), world.at("m")).expecting(content("")),
                "has changed",
            ),
        ];
        for (change, words) in bad {
            let good = FileChange::write(world.at("a"), "new a");
            let made = FileChange::write(world.at("x/y"), "new");
            assert_refused(world.change(&[made, good, change]), words);
            assert_eq!(world.snapshot_without_pipe(), before, "{words}");
        }
    }
}

impl World {
    /// Reading the pipe would wait for a writer.
    fn snapshot_without_pipe(&self) -> Vec<(String, String)> {
        fs::remove_file(self.at("pipe")).unwrap();
        let found = self.snapshot().into_iter();
        let found = found.map(|(path, text)| (path.display().to_string(), text)).collect();
        mknodat(CWD, self.at("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        found
    }
}

#[test]
fn a_stale_file_is_told_apart_from_other_problems() {
    let world = World::new();
    let stale = |change| world.change(&[change]).unwrap_err();
    let changed = stale(FileChange::write(world.at("a"), "x").expecting(content("other")));
    assert_eq!(Stale::of(&changed).unwrap().path, world.at("a"));
    let there = stale(FileChange::write(world.at("a"), "x").expecting(Expects::Nothing));
    assert!(Stale::of(&there).is_some());
    let gone = stale(FileChange::write(world.at("n"), "x").expecting(content("x")));
    assert!(Stale::of(&gone).is_some());
    assert!(Stale::of(&stale(FileChange::write(world.at("d"), "x"))).is_none());
}

#[test]
fn a_file_is_changed_once() {
    let world = World::new();
    let twice = [FileChange::write(world.at("a"), "1"), FileChange::remove(world.at("a"))];
    assert_refused(world.change(&twice), "is named twice");
    let moved =
        [FileChange::rename(world.at("a"), world.at("n")), FileChange::remove(world.at("a"))];
    assert_refused(world.change(&moved), "is named twice");
    symlink("a", world.at("link")).unwrap();
    let by_link = [FileChange::write(world.at("a"), "1"), FileChange::write(world.at("link"), "2")];
    assert_refused(world.change(&by_link), "is named twice");
    let inside = [FileChange::write(world.at("n"), "1"), FileChange::write(world.at("n/m"), "2")];
    assert_refused(world.change(&inside), "cannot be a file and hold");
    assert_eq!(world.text("a"), "old a");
}

#[test]
fn each_path_must_be_granted_for_what_is_done_to_it() {
    let world = World::new();
    let (a, n) = (world.at("a"), world.at("n"));
    let granted = |actions: &[Action]| {
        GrantedFiles::new(Arc::clone(&world.roots), world.roots.judge_all(actions).unwrap())
    };
    let change = |actions: &[Action], change: FileChange| {
        granted(actions).change(&[change], ChangeOptions::default())
    };
    let delete = |path: &Path| Action::FileDelete { path: path.to_path_buf() };
    assert_refused(change(&[delete(&a)], FileChange::write(&a, "")), "was not declared");
    assert_refused(change(&[Action::write(&a)], FileChange::remove(&a)), "was not declared");
    let moving = FileChange::rename(&a, &n);
    assert_refused(change(&[Action::write(&n)], moving.clone()), "removing");
    assert_refused(change(&[delete(&a)], moving.clone()), "writing");
    assert_refused(change(&[Action::write(&n), Action::write(&a)], moving.clone()), "removing");
    let like = FileChange { like: Some(world.at("b")), ..FileChange::write(&n, "") };
    assert_refused(change(&[Action::write(&n)], like), "looking at");
    assert_eq!(world.text("a"), "old a");
    change(&[Action::write(&n), delete(&a)], moving).unwrap();
    assert_eq!(world.text("n"), "old a");
}

#[test]
fn folders_are_made_only_if_asked_for() {
    let world = World::new();
    let change = [FileChange::write(world.at("x/y"), "")];
    let options = ChangeOptions { create_folders: false };
    assert_refused(world.granted(&change).change(&change, options), "does not exist");
    assert!(!world.at("x").exists());
}

#[test]
fn rights_are_kept_and_set_id_bits_are_not() {
    for world in World::both_ways() {
        world.set_mode("a", 0o6751);
        world.set_mode("b", 0o640);
        world.set_mode("c", 0o755);
        let like =
            FileChange { like: Some(world.at("c")), ..FileChange::write(world.at("n"), "1") };
        let granted = world.granted(&[FileChange::write(world.at("c"), "")]);
        world
            .change(&[
                FileChange::write(world.at("a"), "new"),
                FileChange::rename(world.at("b"), world.at("m")),
            ])
            .unwrap();
        granted.admit(world.roots.judge_all(&[Action::write(world.at("n"))]).unwrap());
        granted.change(&[like], ChangeOptions::default()).unwrap();
        assert_eq!(world.mode("a"), 0o751);
        assert_eq!(world.mode("m"), 0o640);
        assert_eq!(world.mode("n"), 0o755);
    }
}

#[test]
fn the_owner_is_kept_where_that_is_possible() {
    if !rustix::process::geteuid().is_root() {
        println!("did not run: only root can give files away");
        return;
    }
    let world = World::new();
    std::os::unix::fs::chown(world.at("a"), Some(12_345), Some(54_321)).unwrap();
    world.change(&[FileChange::write(world.at("a"), "new")]).unwrap();
    let found = fs::metadata(world.at("a")).unwrap();
    assert_eq!((found.uid(), found.gid()), (12_345, 54_321));
}

#[test]
fn a_change_through_a_link_keeps_the_link() {
    for world in World::both_ways() {
        symlink("d/e", world.at("link")).unwrap();
        world.change(&[FileChange::write(world.at("link"), "new")]).unwrap();
        assert_eq!(world.text("d/e"), "new");
        assert!(world.at("link").is_symlink());
    }
}

#[test]
fn another_name_of_a_changed_file_keeps_the_old_content() {
    for world in World::both_ways() {
        fs::hard_link(world.at("a"), world.at("other")).unwrap();
        world
            .change(&[
                FileChange::write(world.at("a"), "new"),
                FileChange::write(world.at("b"), "new"),
            ])
            .unwrap();
        assert_eq!(world.text("other"), "old a");
        assert_eq!(fs::metadata(world.at("other")).unwrap().nlink(), 1);
    }
}

#[test]
fn a_file_can_be_moved_to_another_file_system() {
    let memory = Path::new("/dev/shm");
    let world = World::new();
    let elsewhere = tempfile::TempDir::new_in(if memory.is_dir() { memory } else { &world.base });
    let elsewhere = elsewhere.unwrap();
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    if device(elsewhere.path()) == device(&world.base) {
        println!("did not run: there is no other file system");
        return;
    }
    world.set_mode("a", 0o750);
    let modified = fs::metadata(world.at("a")).unwrap().modified().unwrap();
    let there = elsewhere.path().canonicalize().unwrap().join("sub/a");
    world
        .change(&[
            FileChange::rename(world.at("a"), &there),
            FileChange::write(world.at("b"), "new b"),
        ])
        .unwrap();
    assert!(!world.at("a").exists());
    assert_eq!(fs::read_to_string(&there).unwrap(), "old a");
    assert_eq!(fs::metadata(&there).unwrap().mode() & 0o777, 0o750);
    assert_eq!(fs::metadata(&there).unwrap().modified().unwrap(), modified);
    assert_eq!(world.snapshot().len(), 4, "{:?}", world.snapshot());
}

#[test]
fn a_thousand_files_change_together() {
    let world = World::new();
    let changes: Vec<_> = (0..1_000)
        .map(|n| FileChange::write(world.at(&format!("many/{}/{n}", n % 10)), format!("{n}")))
        .collect();
    world.granted(&changes).without_sync().change(&changes, ChangeOptions::default()).unwrap();
    assert_eq!(world.text("many/7/907"), "907");
    let all = world.snapshot();
    assert_eq!(all.len(), 5 + 11 + 1_000);
}

#[test]
fn no_change_at_all_is_done_at_once() {
    let world = World::new();
    assert!(world.change(&[]).unwrap().is_empty());
}
