//! What is shown of an ordinary tree, and how a walk ends.

use std::io::Read as _;
use std::num::NonZeroUsize;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dogu_runtime::files::Roots;
use dogu_tool::{Action, CancelFlag, ErrorCode, FileKind, Onward, ReadFiles as _, WalkOptions};

use crate::support::{Tree, collect, granted, marked, walk_with};

fn tree() -> Tree {
    let tree = Tree::with([("a/b/c.txt", "inside"), ("a/d.txt", "four"), (".e/f", ""), ("g", "")]);
    symlink("a", tree.path("link")).unwrap();
    tree
}

/// More entries than one thread does alone.
fn large() -> Tree {
    let tree = Tree::new();
    for n in 0..40 {
        for m in 0..25 {
            tree.write(&format!("d{}/e{n}/f{m}", n % 5), "");
        }
    }
    tree
}

const LARGE: usize = 5 + 40 + 40 * 25;

#[test]
fn every_entry_comes_once_with_its_kind() {
    let all = [".e/", ".e/f", "a/", "a/b/", "a/b/c.txt", "a/d.txt", "g", "link@"];
    assert_eq!(tree().names("", &WalkOptions::default()), all);
    assert_eq!(tree().names("a", &WalkOptions::default()), ["b/", "b/c.txt", "d.txt"]);
    let visible = WalkOptions { hidden: false, ..WalkOptions::default() };
    assert_eq!(tree().names("", &visible), all[2..]);
    for threads in [1, 2, 7] {
        let options = WalkOptions { threads: NonZeroUsize::new(threads), ..WalkOptions::default() };
        assert_eq!(large().walk("", &options).0.len(), LARGE);
    }
}

#[test]
fn depth_is_counted_in_names() {
    for (most, expected) in [(1, 4), (2, 7), (3, 8)] {
        let options = WalkOptions { max_depth: Some(most), ..WalkOptions::default() };
        assert_eq!(tree().walk("", &options).0.len(), expected, "{most}");
    }
}

#[test]
fn files_are_opened_and_looked_at_through_their_folder() {
    let tree = tree();
    let files = tree.files("");
    let options = WalkOptions::default();
    let read = AtomicUsize::new(0);
    walk_with(&files, &tree.root, &options, &CancelFlag::new(), |entry| {
        let facts = entry.facts().unwrap();
        assert_eq!(facts.kind, entry.kind());
        let opened = entry.open();
        if entry.kind() == FileKind::File {
            let mut text = String::new();
            opened.unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(facts.size, text.len() as u64);
            assert_eq!(text == "inside", entry.path() == Path::new("a/b/c.txt"));
            read.fetch_add(1, Ordering::Relaxed);
        } else {
            assert!(opened.is_err(), "{}", entry.path().display());
        }
        Onward::Go
    })
    .unwrap();
    assert_eq!(read.into_inner(), 4);
}

#[test]
fn a_file_is_visited_by_itself() {
    let tree = tree();
    let roots = Arc::new(Roots::open(std::slice::from_ref(&tree.root)).unwrap());
    let path = tree.path("a/d.txt");
    for action in [Action::read(&path), Action::read_tree(&path)] {
        let files = granted(&roots, &action);
        let seen = AtomicUsize::new(0);
        walk_with(&files, &path, &WalkOptions::default(), &CancelFlag::new(), |entry| {
            assert_eq!(entry.path(), Path::new(""));
            assert_eq!(entry.kind(), FileKind::File);
            let mut text = String::new();
            entry.open().unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "four");
            seen.fetch_add(1, Ordering::Relaxed);
            Onward::Go
        })
        .unwrap();
        assert_eq!(seen.into_inner(), 1);
    }
}

#[test]
fn who_may_read_a_folder_sees_its_names_and_no_more() {
    let tree = tree();
    let roots = Arc::new(Roots::open(std::slice::from_ref(&tree.root)).unwrap());
    let files = granted(&roots, &Action::read(tree.path("a")));
    let denied = collect(&files, &tree.path("a"), &WalkOptions::default()).unwrap_err();
    assert_eq!(denied.code(), ErrorCode::Denied);
    let names = WalkOptions { max_depth: Some(1), ..WalkOptions::default() };
    walk_with(&files, &tree.path("a"), &names, &CancelFlag::new(), |entry| {
        assert_eq!(entry.path().components().count(), 1);
        assert_eq!(entry.open().unwrap_err().code(), ErrorCode::Denied);
        Onward::Go
    })
    .unwrap();
    let other = collect(&files, &tree.root, &names).unwrap_err();
    assert!(other.to_string().contains("was not declared by this call"), "{other}");
}

#[test]
fn a_start_that_is_not_there_is_told_as_for_a_listing() {
    let tree = tree();
    let files = tree.files("nope");
    let walked = collect(&files, &tree.path("nope"), &WalkOptions::default()).unwrap_err();
    let listed = files.list(&tree.path("nope")).unwrap_err();
    assert_eq!(walked.to_string(), listed.to_string());
    assert!(walked.to_string().contains("folder not found: "), "{walked}");
}

#[test]
fn a_visitor_skips_and_stops() {
    let tree = large();
    let files = tree.files("");
    let seen = AtomicUsize::new(0);
    let walked = walk_with(&files, &tree.root, &marked(), &CancelFlag::new(), |entry| {
        seen.fetch_add(1, Ordering::Relaxed);
        let second = entry.path().components().count() == 2;
        if second { Onward::Skip } else { Onward::Go }
    });
    assert!(!walked.unwrap().stopped);
    assert_eq!(seen.into_inner(), 5 + 40);
    let seen = AtomicUsize::new(0);
    let walked = walk_with(&files, &tree.root, &marked(), &CancelFlag::new(), |_| {
        let before = seen.fetch_add(1, Ordering::Relaxed);
        if before >= 300 { Onward::Stop } else { Onward::Go }
    });
    assert!(walked.unwrap().stopped);
    let seen = seen.into_inner();
    // Each thread may be in the middle of an entry.
    assert!((301..310).contains(&seen), "{seen}");
}

#[test]
fn a_canceled_walk_ends_and_says_so() {
    let tree = large();
    let files = tree.files("");
    let (cancel, seen) = (CancelFlag::new(), AtomicUsize::new(0));
    let error = walk_with(&files, &tree.root, &marked(), &cancel, |_| {
        if seen.fetch_add(1, Ordering::Relaxed) == 200 {
            cancel.cancel();
        }
        Onward::Go
    });
    assert_eq!(error.unwrap_err().code(), ErrorCode::Canceled);
    let seen = seen.into_inner();
    assert!((201..210).contains(&seen), "{seen}");
    let error = walk_with(&files, &tree.root, &marked(), &cancel, |_| panic!("not visited"));
    assert_eq!(error.unwrap_err().code(), ErrorCode::Canceled);
}

#[test]
fn a_visitor_that_panics_ends_the_walk_with_its_panic() {
    let tree = large();
    let files = tree.files("");
    for at in [10, 500] {
        let seen = AtomicUsize::new(0);
        let run = std::panic::AssertUnwindSafe(|| {
            walk_with(&files, &tree.root, &marked(), &CancelFlag::new(), |_| {
                assert!(seen.fetch_add(1, Ordering::Relaxed) != at, "the visitor's own words");
                Onward::Go
            })
        });
        let panic = std::panic::catch_unwind(run).unwrap_err();
        let words = panic.downcast_ref::<&str>().map(ToString::to_string);
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap();
        assert!(words.contains("the visitor's own words"), "{words}");
    }
}
