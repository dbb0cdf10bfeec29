//! Changes that were interrupted in the middle, and somebody who came before the recovery.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::OnceLock;

use dogu_runtime::journal::{Recovered, Which};
use dogu_tool::FileChange;

use crate::kill::killed_at;
use crate::support::{World, content};

/// A world in which the first file has changed and the others have not.
fn half_done() -> World {
    static STOP: OnceLock<usize> = OnceLock::new();
    let is_half = |world: &World| world.text("a") == "new a" && world.at("b").exists();
    let first = || (1..5_000).find(|stop| is_half(&killed_at(*stop))).unwrap();
    let stop = *STOP.get_or_init(first);
    // A process on a busy machine makes a call more or less than the one before it.
    let mut near = (0..20).flat_map(|off| [stop + off, stop.saturating_sub(off)]);
    near.find_map(|stop| Some(killed_at(stop)).filter(is_half)).unwrap()
}

/// A world in which new files were being written.
fn begun() -> (World, Vec<PathBuf>) {
    static STOP: OnceLock<usize> = OnceLock::new();
    let is_begun = |world: &World| temporaries(world).len() == 2;
    let first = || (1..5_000).find(|stop| is_begun(&killed_at(*stop))).unwrap();
    let stop = *STOP.get_or_init(first);
    let mut near = (0..20).flat_map(|off| [stop + off, stop.saturating_sub(off)]);
    let world = near.find_map(|stop| Some(killed_at(stop)).filter(is_begun)).unwrap();
    let found = temporaries(&world);
    (world, found)
}

fn temporaries(world: &World) -> Vec<PathBuf> {
    let is_ours = |path: &PathBuf| path.to_string_lossy().contains("/.dogu-");
    world.snapshot().into_keys().filter(is_ours).collect()
}

#[test]
fn what_was_decided_is_finished() {
    let world = half_done();
    let recovered = world.journal.recover().unwrap();
    assert_eq!(recovered, Recovered { finished: 1, ..Recovered::default() });
    assert_eq!((world.text("a"), world.text("x/y/n")), ("new a".into(), "new n".into()));
    assert_eq!((world.at("b").exists(), world.text("d/m")), (false, "old c".into()));
    assert_eq!(world.journal.recover().unwrap(), Recovered::default());
}

#[test]
fn whoever_changes_one_of_the_files_next_finishes_it_first() {
    let world = half_done();
    let change = FileChange::write(world.at("b"), "next").expecting(dogu_tool::Expects::Nothing);
    world.journaled("next", &[change]).unwrap();
    assert_eq!((world.text("b"), world.text("d/m")), ("next".into(), "old c".into()));
    assert!(temporaries(&world).is_empty());
    let calls: Vec<_> = world.listed().into_iter().map(|(call, _)| call).collect();
    assert_eq!(calls, ["next", "call"]);
}

#[test]
fn others_who_change_other_files_are_not_held_up() {
    let world = half_done();
    world.journaled("other", &[FileChange::write(world.at("d/e"), "next")]).unwrap();
    assert_eq!(world.text("d/e"), "next");
    world.journal.recover().unwrap();
    assert_eq!((world.text("d/e"), world.text("x/y/n")), ("next".into(), "new n".into()));
}

#[test]
fn where_somebody_changed_a_file_since_all_goes_back() {
    type Tamper = fn(&World);
    let tampering: [(&str, Tamper); 3] = [
        ("changed", |world| fs::write(world.at("b"), "mine").unwrap()),
        ("in the way", |world| fs::write(world.at("d/m"), "mine").unwrap()),
        ("replaced", |world| {
            fs::write(world.at("b-new"), "mine").unwrap();
            fs::rename(world.at("b-new"), world.at("b")).unwrap();
        }),
    ];
    for (name, tamper) in tampering {
        let world = half_done();
        tamper(&world);
        let recovered = world.journal.recover().unwrap();
        assert_eq!(recovered, Recovered { taken_back: 1, ..Recovered::default() }, "{name}");
        let mine = world.snapshot().into_values().filter(|text| text == "mine").count();
        assert_eq!((mine, world.text("a")), (1, "old a".into()), "{name}");
        assert_eq!(world.text("c"), "old c", "{name}");
        assert!(!world.at("x").exists() && temporaries(&world).is_empty(), "{name}");
        assert!(world.journal.entries().unwrap().is_empty(), "{name}");
    }
}

#[test]
fn what_cannot_be_taken_back_either_is_said() {
    let world = half_done();
    fs::write(world.at("a"), "mine").unwrap();
    fs::write(world.at("b"), "mine too").unwrap();
    let recovered = world.journal.recover().unwrap();
    assert_eq!(recovered, Recovered { finished: 1, ..Recovered::default() });
    assert_eq!((world.text("a"), world.text("b")), ("mine".into(), "mine too".into()));
    let entry = &world.journal.entries().unwrap()[0];
    assert_eq!(entry.files.len(), 1);
    assert_eq!(entry.files[0].path, world.at("a"));
    assert!(entry.conflicts.contains(&world.at("b")), "{entry:?}");
    // What was there before is still to be had.
    world.journal.undo(&world.roots, &Which::File(world.at("a")), true).unwrap();
    assert_eq!(world.text("a"), "old a");
}

#[test]
fn a_folder_that_is_not_there_is_waited_for() {
    let world = half_done();
    fs::rename(world.base.join("proj"), world.base.join("away")).unwrap();
    let recovered = world.journal.recover().unwrap();
    assert_eq!(recovered, Recovered { left: 1, ..Recovered::default() });
    fs::rename(world.base.join("away"), world.base.join("proj")).unwrap();
    assert_eq!(world.journal.recover().unwrap().finished, 1);
    assert_eq!(world.text("x/y/n"), "new n");
}

#[test]
fn a_link_in_the_way_is_not_followed() {
    let world = half_done();
    fs::rename(world.base.join("proj"), world.base.join("out/proj")).unwrap();
    symlink(world.base.join("out/proj"), world.base.join("proj")).unwrap();
    let before = crate::support::snapshot(&world.base.join("out"));
    assert_eq!(world.journal.recover().unwrap().left, 1);
    assert_eq!(crate::support::snapshot(&world.base.join("out")), before);
}

#[test]
fn only_what_is_ours_is_removed() {
    let (world, found) = begun();
    assert_eq!(world.text("a"), "old a");
    fs::write(world.base.join("out/precious"), "precious").unwrap();
    fs::remove_file(&found[0]).unwrap();
    symlink(world.base.join("out/precious"), &found[0]).unwrap();
    fs::remove_file(&found[1]).unwrap();
    fs::hard_link(world.base.join("out/precious"), &found[1]).unwrap();
    assert_eq!(world.journal.recover().unwrap().taken_back, 1);
    assert!(found[0].is_symlink() && found[1].exists());
    assert_eq!(fs::read_to_string(world.base.join("out/precious")).unwrap(), "precious");
}

#[test]
fn an_intent_that_is_damaged_hurts_nobody() {
    let world = World::new();
    world.journaled("call", &[FileChange::write(world.at("a"), "new")]).unwrap();
    let begun = world.base.join("state/journal/begun");
    fs::write(begun.join("1794832315254-b38689.json"), "{").unwrap();
    fs::write(begun.join("0000000000001-000000.json"), "").unwrap();
    fs::write(begun.join("strange"), "").unwrap();
    assert_eq!(world.journal.recover().unwrap(), Recovered::default());
    let change = FileChange::write(world.at("a"), "newer").expecting(content("new"));
    world.journaled("next", &[change]).unwrap();
    assert_eq!(world.text("a"), "newer");
}
