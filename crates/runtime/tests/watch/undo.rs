//! Undo of a command's changes is as careful as that of edits.

use std::fs;

use dogu_runtime::journal::Which;

use crate::support::{World, assert_refused, by};

#[test]
fn what_changed_since_is_refused_and_can_be_forced() {
    let world = World::new();
    let old = world.snapshot();
    world.run("echo new > a; rm b; echo new > n; ln -s a l");
    fs::write(world.at("a"), "mine").unwrap();
    fs::write(world.at("b"), "mine").unwrap();
    fs::remove_file(world.at("n")).unwrap();
    fs::remove_file(world.at("l")).unwrap();
    std::os::unix::fs::symlink("b", world.at("l")).unwrap();
    let now = world.snapshot();
    let text = world.undo(&Which::Last).unwrap_err().to_string();
    for words in [
        "a has changed since, not by dogu",
        "b is there again",
        "n was removed since",
        "l has changed since",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(world.snapshot(), now);
    let forced = world.journal.undo(&world.roots, &Which::Last, true).unwrap();
    assert_eq!(world.snapshot(), old);
    world.undo(&Which::Call(forced.id)).unwrap();
    assert_eq!(world.snapshot(), now);
}

#[test]
fn a_later_command_is_named() {
    let world = World::new();
    let first = world.run("echo 1 > a");
    let later = world.run("echo 2 > a");
    let refused = world.undo(&Which::Call(first.entry.unwrap()));
    assert_refused(refused, &format!("by execute_command ({}", later.entry.unwrap()));
    world.undo(&Which::Last).unwrap();
    world.undo(&Which::Last).unwrap();
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "old a\n");
}

#[test]
fn one_file_is_taken_back_alone() {
    let world = World::new();
    world.run("echo new > a; rm -r d; ln -sf a b");
    world.undo(&Which::File(world.at("d/e"))).unwrap();
    assert_eq!(fs::read_to_string(world.at("d/e")).unwrap(), "old d/e\n");
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "new\n");
    world.undo(&Which::File(world.at("b"))).unwrap();
    assert!(!world.at("b").is_symlink());
    assert_eq!(fs::read_to_string(world.at("b")).unwrap(), "old b\n");
    world.undo(&Which::Last).unwrap();
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "old a\n");
    assert_refused(world.undo(&Which::Last), "is left to be undone");
}

#[test]
fn a_folder_with_something_else_in_it_stays() {
    let world = World::new();
    world.run("rm a; mkdir a; echo new > a/n");
    fs::write(world.at("a/mine"), "mine").unwrap();
    let now = world.snapshot();
    for force in [false, true] {
        let refused = world.journal.undo(&world.roots, &Which::Last, force);
        assert_refused(refused, "a is a folder now, and something else is in it");
        assert_eq!(world.snapshot(), now);
    }
}

#[test]
fn what_is_in_the_way_leaves_all_as_it_was() {
    let world = World::new();
    world.run("rm -r d; echo new > d; echo new > a; chmod 444 a; ln -sf a b");
    // A file where the folder of another was.
    fs::remove_file(world.at("d")).unwrap();
    fs::write(world.at("d"), "mine").unwrap();
    let now = world.snapshot();
    assert_refused(world.undo(&Which::Last), "d has changed since");
    assert_eq!(world.snapshot(), now);
}

#[test]
fn a_link_that_came_into_the_way_is_not_followed() {
    let world = World::new();
    world.run("echo new > d/e");
    fs::rename(world.at("d"), world.base.join("out/d")).unwrap();
    std::os::unix::fs::symlink(world.base.join("out/d"), world.at("d")).unwrap();
    for force in [false, true] {
        let refused = world.journal.undo(&world.roots, &Which::Last, force);
        assert_refused(refused, "is behind a symbolic link now");
    }
    assert_eq!(fs::read_to_string(world.base.join("out/d/e")).unwrap(), "new\n");
}

#[test]
fn a_link_to_a_folder_outside_is_removed_and_not_what_it_leads_to() {
    let world = World::new();
    let old = world.snapshot();
    fs::write(world.base.join("out/e"), "theirs").unwrap();
    world.run("rm -r d; ln -s ../out d");
    world.undo(&Which::Last).unwrap();
    assert_eq!(world.snapshot(), old);
    assert_eq!(fs::read_to_string(world.base.join("out/e")).unwrap(), "theirs");
}

#[test]
fn a_command_that_changes_and_an_edit_of_the_same_call_go_together() {
    use dogu_runtime::files::GrantedFiles;
    use dogu_tool::{Action, Files as _, WriteOptions};
    let world = World::new();
    let old = world.snapshot();
    let before = world.before();
    let judged = world.roots.judge_all(&[Action::write(world.at("b"))]).unwrap();
    let files =
        GrantedFiles::new(world.roots.clone(), judged).journaled(world.journal.clone(), by("call"));
    files.write(&world.at("b"), b"edited", WriteOptions::default()).unwrap();
    world.shell("echo new > a");
    let changes = before.finish(&by("call")).unwrap();
    assert_eq!(changes.changed.len(), 1);
    world.undo(&Which::Last).unwrap();
    assert_eq!(world.snapshot(), old);
}
