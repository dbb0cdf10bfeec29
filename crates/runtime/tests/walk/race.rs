//! Folders and files are swapped for links that lead out, as fast as a thread can, while the
//! tree is walked and all that is found is opened.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dogu_tool::{CancelFlag, FileKind, Onward, WalkOptions};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::{Tree, walk_with};

const WALKS: usize = 3_000;

/// `in` is walked, `out` must not be.
fn arena() -> Tree {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    let tree = Tree::of(folder.unwrap());
    for (side, text) in [("in", "inside"), ("out", "secret")] {
        tree.write(&format!("{side}/f"), text);
        tree.write(&format!("{side}/d/e/f"), text);
    }
    tree.write("out/d/e/leak", "secret");
    symlink(tree.path("out/f"), tree.path("in/f-link")).unwrap();
    symlink(tree.path("out/d"), tree.path("in/d-link")).unwrap();
    symlink(tree.path("out/d/e"), tree.path("in/d/e-link")).unwrap();
    tree
}

fn swap(tree: &Tree, a: &str, b: &str) {
    let _ = renameat_with(CWD, tree.path(a), CWD, tree.path(b), RenameFlags::EXCHANGE);
}

/// Runs something beside the racer.
fn beside_the_racer(tree: &Tree, run: impl FnOnce()) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                swap(tree, "in/f", "in/f-link");
                swap(tree, "in/d/e", "in/d/e-link");
                swap(tree, "in/d", "in/d-link");
            }
        });
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        over.store(true, Ordering::Relaxed);
        if let Err(panic) = run {
            std::panic::resume_unwind(panic);
        }
    });
}

#[test]
fn race_a_walk_never_leaves_its_folder() {
    let tree = arena();
    let files = tree.files("in");
    let (read, links) = (AtomicUsize::new(0), AtomicUsize::new(0));
    beside_the_racer(&tree, || {
        for _ in 0..WALKS {
            let options = WalkOptions::default();
            let walk = walk_with(&files, &tree.path("in"), &options, &CancelFlag::new(), |entry| {
                assert!(!entry.path().ends_with("leak"), "{}", entry.path().display());
                links.fetch_add(usize::from(entry.kind() == FileKind::Link), Ordering::Relaxed);
                if let Ok(mut file) = entry.open() {
                    let mut text = String::new();
                    file.read_to_string(&mut text).unwrap();
                    assert_eq!(text, "inside", "{}", entry.path().display());
                    read.fetch_add(1, Ordering::Relaxed);
                }
                Onward::Go
            });
            walk.unwrap();
        }
    });
    let (read, links) = (read.into_inner(), links.into_inner());
    println!("{read} files read, {links} links met in {WALKS} walks");
    assert!(read > WALKS && links > WALKS, "{read} {links}");
}

/// Proves that the racer is one: whoever looks at a name and then opens it gets out.
#[test]
fn race_control_a_walk_by_name_gets_out() {
    let tree = arena();
    beside_the_racer(&tree, || {
        let end = Instant::now() + Duration::from_mins(1);
        while Instant::now() < end {
            let folder = tree.path("in/d");
            let real = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
            if real && fs::read(folder.join("e/leak")).is_ok() {
                return;
            }
        }
        panic!("no way out in a minute: the racer is too slow to prove anything");
    });
}
