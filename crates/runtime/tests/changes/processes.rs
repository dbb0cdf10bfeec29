//! Several processes change the same files.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Child;

use dogu_tool::{ChangeOptions, FileChange, Files as _, Stale};

use crate::support::{World, content, files_in, start, started_in};

/// How often each of the processes changes files.
const TIMES: usize = 500;

fn run_two(test: &str, world: &World) {
    let start = |name: &str| start(test, &world.base).env("DOGU_TEST_NAME", name).spawn().unwrap();
    let both: [Child; 2] = ["one", "two"].map(start);
    for mut child in both {
        assert!(child.wait().unwrap().success());
    }
    let left: Vec<_> = world
        .snapshot()
        .into_keys()
        .filter(|path| path.to_string_lossy().contains(".dogu-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn name() -> String {
    std::env::var("DOGU_TEST_NAME").unwrap()
}

/// Changes until nobody else was faster; how often somebody was.
fn until_done(base: &Path, make: impl Fn() -> Vec<FileChange>) -> usize {
    for stale in 0.. {
        let changes = make();
        let files = files_in(base, &changes).without_sync();
        match files.change(&changes, ChangeOptions::default()) {
            Ok(_) => return stale,
            Err(error) => assert!(Stale::of(&error).is_some(), "{error}"),
        }
    }
    unreachable!("somebody is always the first")
}

#[test]
fn two_processes_edit_one_file_a_thousand_times_and_lose_nothing() {
    let world = World::new();
    fs::write(world.at("a"), "").unwrap();
    run_two("processes::adds_lines", &world);
    let text = world.text("a");
    let lines: BTreeSet<&str> = text.lines().collect();
    assert_eq!((lines.len(), text.lines().count()), (2 * TIMES, 2 * TIMES));
    assert_eq!(world.journal.entries().unwrap().len(), 2 * TIMES);
    assert_each_follows(&world);
}

/// Each entry of the journal begins with what the one before it left.
fn assert_each_follows(world: &World) {
    let entries = world.journal.entries().unwrap();
    for pair in entries.windows(2) {
        let (after, before) = (&pair[0].files[0].after, &pair[1].files[0].before);
        assert_eq!(after.as_ref().unwrap().hash, before.as_ref().unwrap().hash);
    }
}

#[test]
#[ignore = "started by another test"]
fn adds_lines() {
    let Some(base) = started_in() else { return };
    let path = base.join("proj/a");
    for number in 0..TIMES {
        until_done(&base, || {
            let text = fs::read_to_string(&path).unwrap();
            let more = format!("{text}{} {number}\n", name());
            vec![FileChange::write(&path, more).expecting(content(&text))]
        });
    }
}

#[test]
fn two_files_in_either_order_are_never_mixed_and_nobody_waits_for_ever() {
    let world = World::new();
    fs::write(world.at("a"), "0").unwrap();
    fs::write(world.at("b"), "0").unwrap();
    run_two("processes::counts_in_two_files", &world);
    let total = (2 * TIMES).to_string();
    assert_eq!((world.text("a"), world.text("b")), (total.clone(), total));
}

#[test]
#[ignore = "started by another test"]
fn counts_in_two_files() {
    let Some(base) = started_in() else { return };
    let (a, b) = (base.join("proj/a"), base.join("proj/b"));
    let mut paths = [a, b];
    if name() == "two" {
        paths.reverse();
    }
    for _ in 0..TIMES {
        until_done(&base, || {
            // Whoever reads them one after the other may see a change in between; the count of the
            // first then does not fit the second, and the change is refused.
            let text = fs::read_to_string(&paths[0]).unwrap();
            let next = (text.parse::<usize>().unwrap() + 1).to_string();
            let change = |path| FileChange::write(path, next.clone()).expecting(content(&text));
            paths.iter().map(change).collect()
        });
    }
}

#[test]
fn a_lock_that_is_held_is_waited_for_and_then_said() {
    let world = World::new();
    let changes = [FileChange::write(world.at("a"), "new")];
    world.journaled("first", &changes).unwrap();
    let locks = world.base.join("state/locks");
    let held: Vec<_> = fs::read_dir(locks)
        .unwrap()
        .map(|entry| fs::File::open(entry.unwrap().path()).unwrap())
        .collect();
    for lock in &held {
        lock.lock().unwrap();
    }
    let refused = world.journaled("second", &changes).unwrap_err();
    assert!(refused.to_string().contains("is being changed by another process"), "{refused}");
    drop(held);
    world.journaled("third", &changes).unwrap();
}
