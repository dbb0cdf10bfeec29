//! Commands and edits at the same time.

use std::fs;
use std::sync::Arc;
use std::thread;

use dogu_runtime::files::GrantedFiles;
use dogu_runtime::journal::{ChangeKind, Which};
use dogu_tool::{Action, ChangeOptions, FileChange, Files as _};

use crate::support::{World, by};

/// An edit of dogu's own.
fn edit(world: &World, change: FileChange) {
    let mut actions = vec![Action::write(&change.path)];
    actions.push(Action::FileDelete { path: change.path.clone() });
    if let dogu_tool::Becomes::MovedFrom(from) = &change.becomes {
        actions.push(Action::FileDelete { path: from.clone() });
    }
    let judged = world.roots.judge_all(&actions).unwrap();
    let files = GrantedFiles::new(Arc::clone(&world.roots), judged);
    let files = files.journaled(Arc::clone(&world.journal), by("edit"));
    files.change(&[change], ChangeOptions::default()).unwrap();
}

#[test]
fn edits_made_meanwhile_are_not_the_commands() {
    let world = World::new();
    let before = world.before();
    world.shell("echo by command > n");
    edit(&world, FileChange::write(world.at("a"), "by edit"));
    edit(&world, FileChange::rename(world.at("d/e"), world.at("d/f")));
    edit(&world, FileChange::remove(world.at("b")));
    let changes = before.finish(&by("call")).unwrap();
    assert_eq!(world.changed(&changes), [("n".to_owned(), ChangeKind::Created)]);
    world.undo(&Which::Call("call".to_owned())).unwrap();
    assert!(!world.at("n").exists());
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "by edit");
}

#[test]
fn what_a_command_does_to_an_edited_file_is_its_own() {
    let world = World::new();
    let old = world.snapshot();
    let before = world.before();
    edit(&world, FileChange::write(world.at("a"), "by edit"));
    world.shell("echo by command > a; echo by command > b");
    edit(&world, FileChange::write(world.at("b"), "by edit"));
    let changes = before.finish(&by("call")).unwrap();
    let both = ["a", "b"].map(|name| (name.to_owned(), ChangeKind::Changed));
    assert_eq!(world.changed(&changes), both);
    // Back in the order in which it happened: the last edit, the command, the first edit.
    world.undo(&Which::File(world.at("b"))).unwrap_err();
    let edits = world.journal.entries().unwrap();
    world.undo(&Which::Call(edits[1].id.clone())).unwrap();
    assert_eq!(fs::read_to_string(world.at("b")).unwrap(), "by command\n");
    world.undo(&Which::Call("call".to_owned())).unwrap();
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "by edit");
    world.undo(&Which::Call(edits[0].id.clone())).unwrap();
    assert_eq!(world.snapshot(), old);
}

#[test]
fn commands_that_overlap_say_so() {
    let world = World::new();
    let first = world.before();
    let second = world.before();
    world.shell("echo new > a");
    let changes = first.finish(&by("first")).unwrap();
    assert!(changes.overlapped);
    assert_eq!(changes.changed.len(), 1);
    world.shell("echo new > b");
    let changes = second.finish(&by("second")).unwrap();
    assert!(changes.overlapped);
    assert_eq!(changes.changed.len(), 2);
    assert!(world.journal.entries().unwrap().iter().all(|entry| entry.beside.overlapped));
    assert!(!world.run("echo newer > a").overlapped);
}

#[test]
fn a_command_inside_of_another_is_noticed_by_both() {
    let world = World::new();
    let outer = world.before();
    assert!(world.run("echo new > a").overlapped);
    assert!(outer.finish(&by("outer")).unwrap().overlapped);
}

#[test]
fn many_threads_at_once_get_on() {
    let world = World::new();
    thread::scope(|scope| {
        for thread in 0..8 {
            let world = &world;
            scope.spawn(move || {
                for round in 0..5 {
                    let before = world.before();
                    fs::write(world.at(&format!("own-{thread}")), format!("{round}")).unwrap();
                    let changes = before.finish(&by(&format!("call-{thread}-{round}"))).unwrap();
                    let own = world.at(&format!("own-{thread}"));
                    assert!(changes.changed.iter().any(|change| change.path == own));
                    assert!(changes.not_covered.changes.is_empty(), "{:?}", changes.not_covered);
                }
            });
        }
    });
    assert_eq!(world.before().covered(), 11);
    assert_eq!(world.journal.entries().unwrap().len(), 40);
}

#[test]
fn it_can_be_handed_from_thread_to_thread() {
    fn can<T: Send + Sync>() {}
    can::<dogu_runtime::journal::Before>();
    can::<dogu_runtime::journal::Journal>();
}
