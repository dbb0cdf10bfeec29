//! Each kind of change, seen, taken back, made again and taken back again.

use std::fs;

use dogu_runtime::journal::ChangeKind::{Changed, Created, Deleted};
use dogu_runtime::journal::{ChangeKind, Which};

use crate::support::World;

/// Runs a command and expects these changes; then goes back and forth.
#[track_caller]
fn there_and_back(world: &World, line: &str, expected: &[(&str, ChangeKind)]) {
    let old = world.snapshot();
    let changes = world.run(line);
    let new = world.snapshot();
    let expected: Vec<_> = expected.iter().map(|(name, how)| ((*name).to_owned(), *how)).collect();
    assert_eq!(world.changed(&changes), expected, "{line}");
    assert!(changes.not_covered.changes.is_empty(), "{line}: {:?}", changes.not_covered);
    let id = changes.entry.unwrap();
    let undone = world.undo(&Which::Last).unwrap();
    assert_eq!(world.snapshot(), old, "undo of {line}");
    let redone = world.undo(&Which::Call(undone.id)).unwrap();
    assert_eq!(world.snapshot(), new, "undo of undo of {line}");
    world.undo(&Which::Call(redone.id)).unwrap();
    assert_eq!(world.snapshot(), old, "undo of redo of {line}");
    assert!(world.undo(&Which::Call(id)).is_err());
}

fn case(line: &str, expected: &[(&str, ChangeKind)]) {
    there_and_back(&World::new(), line, expected);
}

#[test]
fn a_file_is_created() {
    case("echo new > n", &[("n", Created)]);
    case("mkdir -p x/y/z && echo new > x/y/z/n", &[("x/y/z/n", Created)]);
    case("printf '' > empty", &[("empty", Created)]);
}

#[test]
fn a_file_is_changed() {
    case("echo new > a", &[("a", Changed)]);
    case("echo more >> a; echo more >> d/e", &[("a", Changed), ("d/e", Changed)]);
    // The same size, within the time that a file system counts as one.
    case("printf 'new a\\n' > a", &[("a", Changed)]);
    case("sed -i s/old/new/ b", &[("b", Changed)]);
    case("printf '\\000\\377\\200' > a", &[("a", Changed)]);
}

#[test]
fn a_file_is_deleted() {
    case("rm a", &[("a", Deleted)]);
    case("rm -r d", &[("d/e", Deleted)]);
    case("rm -r a b d", &[("a", Deleted), ("b", Deleted), ("d/e", Deleted)]);
}

#[test]
fn a_file_is_moved() {
    case("mv a n", &[("a", Deleted), ("n", Created)]);
    case("mv a b", &[("a", Deleted), ("b", Changed)]);
    case("mv d f", &[("d/e", Deleted), ("f/e", Created)]);
    case("mv a t && mv b a && mv t b", &[("a", Changed), ("b", Changed)]);
}

#[test]
fn a_mode_is_changed() {
    case("chmod 755 a", &[("a", Changed)]);
    case("chmod 444 a", &[("a", Changed)]);
    case("echo new > a; chmod 400 a", &[("a", Changed)]);
    case("echo new > n; chmod 500 n", &[("n", Created)]);
}

#[test]
fn what_was_read_only_stays_so() {
    let world = World::new();
    world.shell("chmod 444 a b");
    let expected = [("a", Changed), ("b", Deleted)];
    there_and_back(&world, "rm -f b; echo new > t; chmod 444 t; mv -f t a", &expected);
}

#[test]
fn a_file_becomes_a_link() {
    case("ln -sf b a", &[("a", Changed)]);
    case("rm a; ln -s /nowhere a", &[("a", Changed)]);
    case("mv a n; ln -s n a", &[("a", Changed), ("n", Created)]);
    case("rm a; ln -s a a", &[("a", Changed)]);
}

#[test]
fn links_are_made_changed_and_removed() {
    case("ln -s a n", &[("n", Created)]);
    case("mkdir x; ln -s ../a x/n", &[("x/n", Created)]);
    let world = World::new();
    world.shell("ln -s a l; ln -s b m; ln -s d k; ln -s a o");
    let expected = [("k", Deleted), ("l", Changed), ("m", Changed)];
    there_and_back(&world, "rm k; ln -sfn b l; rm m; echo new > m", &expected);
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    case("rm a; mkdir a; echo new > a/n", &[("a", Deleted), ("a/n", Created)]);
    case("rm a; mkdir -p a/x/y", &[("a", Deleted)]);
    case("rm -r d; echo new > d", &[("d", Created), ("d/e", Deleted)]);
    case(
        "rm -r d a; echo new > d; mkdir -p a/x; echo new > a/x/n; echo new > b",
        &[("a", Deleted), ("a/x/n", Created), ("b", Changed), ("d", Created), ("d/e", Deleted)],
    );
}

#[test]
fn a_folder_becomes_a_link_and_a_link_a_folder() {
    case("mv d f; ln -s f d", &[("d", Created), ("d/e", Deleted), ("f/e", Created)]);
    let world = World::new();
    world.shell("ln -s d l");
    there_and_back(&world, "rm l; mkdir l; echo new > l/n", &[("l", Deleted), ("l/n", Created)]);
}

#[test]
fn empty_folders_come_and_go_with_files() {
    let world = World::new();
    world.shell("mkdir -p empty/inner other");
    there_and_back(&world, "rmdir empty/inner empty; mkdir made; echo new > a", &[("a", Changed)]);
}

#[test]
fn names_of_any_bytes_are_seen() {
    let line = "printf new > \"$(printf 'a\\377b')\"; printf new > 'with\nnewline'";
    let world = World::new();
    let old = world.snapshot();
    let changes = world.run(line);
    assert_eq!(changes.changed.len(), 2);
    world.undo(&Which::Last).unwrap();
    assert_eq!(world.snapshot(), old);
}

#[test]
fn nothing_is_seen_where_nothing_changed() {
    let world = World::new();
    let touched = world.run("cat a b > /dev/null; touch a; cp -p b t; mv t b; mkdir x; rmdir x");
    assert_eq!(world.changed(&touched), []);
    assert_eq!(touched.entry, None);
    assert!(touched.not_covered.changes.is_empty() && !touched.overlapped);
    assert!(world.journal.entries().unwrap().is_empty());
}

#[test]
fn a_file_that_was_made_large_can_be_taken_back() {
    case("head -c 3000000 /dev/zero > n", &[("n", Created)]);
    case("head -c 3000000 /dev/zero > a", &[("a", Changed)]);
}

#[test]
fn an_entry_says_who_and_which_tool() {
    let world = World::new();
    let changes = world.run("echo new > a");
    let entry = world.journal.entries().unwrap().remove(0);
    assert_eq!(Some(entry.id), changes.entry);
    assert_eq!((&*entry.by.tool, &*entry.by.call), ("execute_command", "call-1"));
    assert!(entry.beside.watched && !entry.beside.overlapped);
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "new\n");
}
