//! Taking changes back.

use std::fs;
use std::path::Path;

use dogu_runtime::files::Roots;
use dogu_runtime::journal::{Content, Which};
use dogu_tool::{ChangeOptions, FileChange, Files as _, WriteOptions};

use crate::support::{World, assert_refused};

fn call(id: &str) -> Which {
    Which::Call(id.to_owned())
}

/// All kinds of changes.
fn all_kinds(world: &World) -> Vec<FileChange> {
    vec![
        FileChange::write(world.at("a"), "new a"),
        FileChange::write(world.at("x/y/n"), "new n"),
        FileChange::remove(world.at("b")),
        FileChange::rename(world.at("c"), world.at("d/m")),
    ]
}

#[test]
fn b4_a_call_is_taken_back_and_that_too() {
    for world in World::both_ways() {
        world.set_mode("a", 0o751);
        world.set_mode("b", 0o640);
        world.set_mode("c", 0o604);
        let old = world.snapshot();
        let written = world.journaled("call-1", &all_kinds(&world)).unwrap();
        let new = world.snapshot();
        let id = written[0].journal.clone().unwrap();
        assert!(written.iter().all(|one| one.journal.as_ref() == Some(&id)));

        let undone = world.undo(&Which::Last).unwrap();
        assert_eq!(world.snapshot(), old);
        assert_eq!([world.mode("a"), world.mode("b"), world.mode("c")], [0o751, 0o640, 0o604]);
        assert_refused(world.undo(&Which::Last), "no change of this workspace is left");
        assert_refused(world.undo(&call(&id)), "taken back already");

        let redone = world.undo(&call(&undone.id)).unwrap();
        assert_eq!(world.snapshot(), new);
        world.undo(&call(&redone.id)).unwrap();
        assert_eq!(world.snapshot(), old);
        world.undo(&call(&world.journal.list(&world.roots).unwrap()[0].entry.id)).unwrap();
        assert_eq!(world.snapshot(), new);
        world.undo(&Which::Last).unwrap();
        assert_eq!(world.snapshot(), old);
    }
}

#[test]
fn calls_are_taken_back_from_the_last_to_the_first() {
    let world = World::new();
    for number in 1..=3 {
        let change = FileChange::write(world.at("a"), format!("{number}"));
        world.journaled(&format!("call-{number}"), &[change]).unwrap();
    }
    for (text, undone) in [("2", 1), ("1", 2), ("old a", 3)] {
        world.undo(&Which::Last).unwrap();
        assert_eq!(world.text("a"), text);
        let calls = world.listed().into_iter().filter(|(call, _)| call.starts_with("call-"));
        assert_eq!(calls.filter(|(_, is_undone)| *is_undone).count(), undone);
    }
}

#[test]
fn a_call_is_known_by_its_id_that_of_its_entry_or_their_beginnings() {
    let world = World::new();
    let change = |name: &str| [FileChange::write(world.at(name), "new")];
    let entry = world.journaled("toolu_first", &change("a")).unwrap()[0].journal.clone().unwrap();
    world.journaled("toolu_second", &change("b")).unwrap();
    assert_refused(world.undo(&call("toolu_")), "means 2 calls, such as");
    assert_refused(world.undo(&call("")), "no change is known as");
    assert_refused(world.undo(&call("other")), "no change is known as other");
    world.undo(&call("toolu_f")).unwrap();
    assert_eq!((world.text("a"), world.text("b")), ("old a".into(), "new".into()));
    assert_refused(world.undo(&call(&entry)), "taken back already");
    world.undo(&call("toolu_second")).unwrap();
    assert_eq!(world.text("b"), "old b");
}

#[test]
fn b4_one_file_is_taken_back_alone() {
    let world = World::new();
    let both = [FileChange::write(world.at("a"), "1"), FileChange::write(world.at("b"), "1")];
    world.journaled("both", &both).unwrap();
    world.journaled("later", &[FileChange::write(world.at("b"), "2")]).unwrap();
    world.undo(&Which::File(world.at("a"))).unwrap();
    assert_eq!((world.text("a"), world.text("b")), ("old a".into(), "2".into()));
    assert_refused(world.undo(&Which::File(world.at("a"))), "is left to be undone");
    assert_refused(world.undo(&Which::File(world.at("c"))), "is left to be undone");
    world.undo(&Which::File(world.at("b"))).unwrap();
    assert_eq!(world.text("b"), "1");
    // What is left of the call is taken back with it.
    world.undo(&call("both")).unwrap();
    assert_eq!(world.text("b"), "old b");
}

#[test]
fn b4_what_changed_since_is_refused_and_can_be_forced() {
    let world = World::new();
    let both = [FileChange::write(world.at("a"), "1"), FileChange::write(world.at("b"), "1")];
    world.journaled("both", &both).unwrap();
    world.journaled("later", &[FileChange::write(world.at("a"), "2")]).unwrap();
    fs::write(world.at("b"), "mine").unwrap();
    let before = world.snapshot();
    let refused = world.undo(&call("both"));
    assert_refused(refused, "proj/b has changed since, not by dogu");
    let text = world.undo(&call("both")).unwrap_err().to_string();
    assert!(text.contains("proj/a has changed since, by test ("), "{text}");
    assert_eq!(world.snapshot(), before);
    let forced = world.journal.undo(&world.roots, &call("both"), true).unwrap();
    assert_eq!((world.text("a"), world.text("b")), ("old a".into(), "old b".into()));
    world.undo(&call(&forced.id)).unwrap();
    assert_eq!(world.snapshot(), before);
}

#[test]
fn what_was_made_removed_or_moved_and_then_changed_is_refused() {
    let world = World::new();
    world.journaled("call", &all_kinds(&world)).unwrap();
    fs::write(world.at("x/y/n"), "mine").unwrap();
    fs::write(world.at("b"), "mine").unwrap();
    fs::write(world.at("c"), "mine").unwrap();
    let text = world.undo(&Which::Last).unwrap_err().to_string();
    for words in ["n has changed since", "b is there again", "c is in the way"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // What is in the way of a file that moved stays, whatever is asked for.
    assert_refused(world.journal.undo(&world.roots, &Which::Last, true), "c is in the way");
    fs::remove_file(world.at("c")).unwrap();
    world.journal.undo(&world.roots, &Which::Last, true).unwrap();
    assert_eq!((world.text("b"), world.text("c")), ("old b".into(), "old c".into()));
    assert!(!world.at("x").exists());
}

#[test]
fn a_folder_that_was_made_stays_where_something_else_is_in_it() {
    let world = World::new();
    world.journaled("call", &[FileChange::write(world.at("x/y/n"), "1")]).unwrap();
    fs::write(world.at("x/mine"), "mine").unwrap();
    world.undo(&Which::Last).unwrap();
    assert!(!world.at("x/y").exists());
    assert_eq!(world.text("x/mine"), "mine");
}

#[test]
fn all_that_a_call_did_one_after_the_other_is_taken_back_at_once() {
    let world = World::new();
    let old = world.snapshot();
    let allowed = [
        FileChange::write(world.at("a"), ""),
        FileChange::rename(world.at("a"), world.at("m")),
        FileChange::write(world.at("n"), ""),
        FileChange::remove(world.at("n")),
        FileChange::remove(world.at("b")),
    ];
    let files = world.journaling("call", &allowed);
    files.write(&world.at("a"), b"1", WriteOptions::default()).unwrap();
    files.write(&world.at("a"), b"2", WriteOptions::default()).unwrap();
    files.write(&world.at("n"), b"n", WriteOptions::default()).unwrap();
    files.change(&[allowed[1].clone()], ChangeOptions::default()).unwrap();
    files.write(&world.at("m"), b"3", WriteOptions::default()).unwrap();
    files.remove(&world.at("n")).unwrap();
    files.remove(&world.at("b")).unwrap();
    assert_eq!(world.journal.entries().unwrap().len(), 7);
    let new = world.snapshot();
    let undone = world.undo(&Which::Last).unwrap();
    assert_eq!(world.snapshot(), old);
    assert!(
        world.journal.list(&world.roots).unwrap()[1..].iter().all(|one| one.undone_by.is_some())
    );
    world.undo(&call(&undone.id)).unwrap();
    assert_eq!(world.snapshot(), new);
}

#[test]
fn another_workspace_is_not_touched() {
    let world = World::new();
    world.journaled("call", &[FileChange::write(world.at("a"), "new")]).unwrap();
    let other = Roots::open(&[world.base.join("out")]).unwrap();
    let refused = world.journal.undo(&other, &Which::Last, true);
    assert_refused(refused, "no change of this workspace is left");
    assert_refused(world.journal.undo(&other, &call("call"), true), "is not in this workspace");
    assert!(world.journal.list(&other).unwrap().is_empty());
    assert_eq!(world.text("a"), "new");
}

#[test]
fn a_link_that_came_into_the_way_is_not_followed() {
    let world = World::new();
    world.journaled("call", &[FileChange::write(world.at("d/e"), "new")]).unwrap();
    fs::rename(world.at("d"), world.base.join("out/d")).unwrap();
    std::os::unix::fs::symlink(world.base.join("out/d"), world.at("d")).unwrap();
    for force in [false, true] {
        let refused = world.journal.undo(&world.roots, &Which::Last, force);
        assert_refused(refused, "is behind a symbolic link now");
    }
    assert_eq!(fs::read_to_string(world.base.join("out/d/e")).unwrap(), "new");
}

#[test]
fn a_plan_shows_what_would_be_done() {
    let world = World::new();
    world.journaled("call", &all_kinds(&world)).unwrap();
    let before = world.snapshot();
    let plan = world.journal.plan_undo(&world.roots, &Which::Last).unwrap();
    assert_eq!(plan.entries.len(), 1);
    let a = plan.files.iter().find(|file| file.now_at == world.at("a")).unwrap();
    assert_eq!(a.now, Some(Content::Bytes(b"new a".to_vec())));
    assert_eq!(a.then, Some(Content::Bytes(b"old a".to_vec())));
    let moved = plan.files.iter().find(|file| file.now_at == world.at("d/m")).unwrap();
    assert_eq!(moved.then_at, world.at("c"));
    assert!(plan.files.iter().all(|file| file.problem.is_none()));
    assert_eq!(world.snapshot(), before);
    assert_eq!(world.journal.entries().unwrap().len(), 1);
}

#[test]
fn names_that_are_no_text_are_taken_back_too() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    let odd = world.base.join("proj").join(std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    fs::write(&odd, "old").unwrap();
    world.journaled("call", &[FileChange::write(&odd, "new")]).unwrap();
    assert_eq!(world.journal.entries().unwrap()[0].files[0].path, odd);
    world.undo(&Which::Last).unwrap();
    assert_eq!(fs::read(&odd).unwrap(), b"old");
    assert!(world.undo(&Which::File(Path::new("").to_path_buf())).is_err());
}
