//! What the journal keeps, for how long, and who may see it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use dogu_runtime::journal::{Bounds, Which};
use dogu_tool::FileChange;

use crate::support::{World, assert_refused, snapshot};

fn blobs(world: &World) -> usize {
    let all = snapshot(&world.base.join("state/journal/blobs"));
    all.into_keys().filter(|path| path.is_file()).count()
}

#[test]
fn all_of_it_is_the_users_alone() {
    let world = World::new();
    world.journaled("call", &[FileChange::write(world.at("a"), "new")]).unwrap();
    world.undo(&Which::Last).unwrap();
    let mut seen = 0;
    let mut folders = vec![world.base.join("state")];
    while let Some(folder) = folders.pop() {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                seen += 1;
                assert_eq!(mode(&path), 0o600, "{}", path.display());
            }
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn contents_are_kept_once_and_never_in_the_entries() {
    let world = World::new();
    let secret = "sk-this-is-a-secret";
    for text in [secret, "other", secret, "other"] {
        world.journaled("call", &[FileChange::write(world.at("a"), text)]).unwrap();
    }
    assert_eq!(blobs(&world), 3);
    for (path, text) in snapshot(&world.base.join("state/journal/entries")) {
        assert!(!text.contains(secret), "{}", path.display());
    }
}

#[test]
fn a_file_that_is_too_large_is_changed_and_cannot_be_undone() {
    let world = World::bounded(Bounds { file_bytes: 10, ..Bounds::default() });
    fs::write(world.at("a"), "x".repeat(11)).unwrap();
    world.journaled("shrink", &[FileChange::write(world.at("a"), "small")]).unwrap();
    assert_refused(world.undo(&Which::Last), "(11 bytes) was too large to be kept");
    assert_refused(world.journal.undo(&world.roots, &Which::Last, true), "too large to be kept");
    world.journaled("grow", &[FileChange::write(world.at("b"), "x".repeat(20))]).unwrap();
    world.undo(&Which::Last).unwrap();
    assert_eq!(world.text("b"), "old b");
    // A move needs no content.
    fs::write(world.at("big"), "x".repeat(30)).unwrap();
    world.journaled("move", &[FileChange::rename(world.at("big"), world.at("n"))]).unwrap();
    world.undo(&Which::Last).unwrap();
    assert!(world.at("big").exists() && !world.at("n").exists());
}

#[test]
fn what_is_too_old_goes() {
    let world = World::new();
    world.journaled("old", &[FileChange::write(world.at("a"), "1")]).unwrap();
    assert_eq!((world.journal.entries().unwrap().len(), blobs(&world)), (1, 2));
    std::thread::sleep(Duration::from_millis(20));
    let short = Bounds { age: Duration::from_millis(10), bytes: 0, ..Bounds::default() };
    let journal = crate::support::journal_of(&world.base).with_bounds(short);
    let world = world.with_journal(journal);
    world.journaled("new", &[FileChange::write(world.at("b"), "1")]).unwrap();
    assert!(world.journal.entries().unwrap().iter().all(|entry| &*entry.by.call != "old"));
    assert_refused(world.undo(&Which::Call("old".to_owned())), "no change is known as old");
}

#[test]
fn if_there_is_too_much_the_oldest_go_first() {
    let world = World::bounded(Bounds { bytes: 40_000, ..Bounds::default() });
    for number in 0..40 {
        let text = format!("{number:04}").repeat(500);
        world
            .journaled(&format!("call-{number}"), &[FileChange::write(world.at("a"), text)])
            .unwrap();
    }
    let kept = world.journal.entries().unwrap();
    assert!((5..25).contains(&kept.len()), "{}", kept.len());
    assert_eq!(&*kept.last().unwrap().by.call, "call-39");
    let stored = snapshot(&world.base.join("state/journal/blobs"));
    let bytes: usize = stored.values().map(String::len).sum();
    assert!(bytes <= 42_000, "{bytes}");
    // All that is left can be taken back.
    for _ in &kept {
        world.undo(&Which::Last).unwrap();
    }
}

#[test]
fn a_content_that_is_damaged_or_gone_is_not_put_back() {
    let world = World::new();
    world.journaled("call", &[FileChange::write(world.at("a"), "new")]).unwrap();
    let hash = world.journal.entries().unwrap()[0].files[0].before.clone().unwrap().hash.unwrap();
    let blob = world.base.join("state/journal/blobs").join(&hash[..2]).join(&hash);
    fs::write(&blob, "other").unwrap();
    assert_refused(world.undo(&Which::Last), "is not kept any more");
    fs::remove_file(&blob).unwrap();
    assert_refused(world.undo(&Which::Last), "is not kept any more");
    assert_eq!(world.text("a"), "new");
}

#[test]
fn a_damaged_count_of_what_is_kept_hurts_nobody() {
    let world = World::new();
    let usage = world.base.join("state/journal/usage");
    let change = |text: &str| world.journaled("call", &[FileChange::write(world.at("a"), text)]);
    change("1").unwrap();
    for damage in ["", "\u{0}", "9".repeat(40).as_str(), &format!("{} {0} {0}", u64::MAX)] {
        fs::write(&usage, damage).unwrap();
        // The count also tells which of two entries of one millisecond is the later one.
        std::thread::sleep(std::time::Duration::from_millis(2));
        change(&format!("after {} bytes", damage.len())).unwrap();
        world.undo(&Which::Last).unwrap();
        assert_eq!(world.text("a"), "1");
    }
}
