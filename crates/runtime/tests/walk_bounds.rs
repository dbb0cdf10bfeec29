//! Memory and descriptors of walks through trees without measure: live bytes are counted by an
//! allocator of this binary's own, and there are only 256 descriptors.

#![cfg(target_os = "linux")]
#![expect(unsafe_code, reason = "an allocator that counts cannot be written without")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod counting;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use counting::{LIVE, PEAK};
use dogu_runtime::files::{GrantedFiles, Roots};
use dogu_tool::{
    Action, CancelFlag, FileKind, Onward, ReadFiles as _, Visitor, WalkEntry, WalkOptions, Walked,
};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What a case may take, all in all.
const MAX_BYTES: isize = 64 * 1024 * 1024;
const MANY: u64 = 200_000;
const DEEP: u64 = 5_000;

static ALONE: Mutex<()> = Mutex::new(());

/// A folder that `rm` removes: what is too deep for a path is too deep for the standard library.
struct Arena(PathBuf);

impl Arena {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let folder = tempfile::Builder::new().prefix("dogu-walk").tempdir_in(base).unwrap();
        Self(folder.keep().canonicalize().unwrap())
    }

    fn open(&self) -> OwnedFd {
        openat(CWD, &self.0, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = Command::new("rm").arg("-rf").arg(&self.0).status();
    }
}

#[derive(Default)]
struct Counts {
    folders: AtomicU64,
    files: AtomicU64,
    longest: AtomicU64,
}

struct Counter<'a>(&'a Counts);

impl Visitor for Counter<'_> {
    fn visit(&mut self, entry: &dyn WalkEntry) -> Onward {
        let counts = self.0;
        let count = if entry.kind() == FileKind::Folder { &counts.folders } else { &counts.files };
        count.fetch_add(1, Ordering::Relaxed);
        if entry.kind() == FileKind::File {
            entry.open().unwrap();
        }
        counts.longest.fetch_max(entry.path().as_os_str().len() as u64, Ordering::Relaxed);
        Onward::Go
    }
}

fn alone() -> MutexGuard<'static, ()> {
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(256), maximum: limit.maximum }).unwrap();
    guard
}

/// Walks all of it in bounded memory.
fn walk(arena: &Arena) -> (Counts, Walked) {
    let roots = Arc::new(Roots::open(std::slice::from_ref(&arena.0)).unwrap());
    let judged = roots.judge_all(&[Action::read_tree(&arena.0)]).unwrap();
    let files = GrantedFiles::new(roots, judged);
    let counts = Counts::default();
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let visitors = || Box::new(Counter(&counts)) as Box<dyn Visitor>;
    let walked =
        files.walk(&arena.0, &WalkOptions::default(), &CancelFlag::new(), &visitors).unwrap();
    let peak = PEAK.load(Ordering::Relaxed) - before;
    println!("{} KB at the most", peak / 1024);
    assert!(peak < MAX_BYTES, "{peak} bytes");
    assert_eq!(walked.unreadable, 0, "{:?}", walked.first_unreadable);
    (counts, walked)
}

#[test]
fn a_folder_with_very_many_entries_takes_bounded_memory() {
    let _alone = alone();
    let arena = Arena::new();
    fs::create_dir(arena.0.join("many")).unwrap();
    for n in 0..MANY {
        fs::write(arena.0.join(format!("many/a-file-with-a-number-{n}")), "").unwrap();
    }
    fs::write(arena.0.join("many/.ignore"), "a-file-with-a-number-1\n").unwrap();
    let (counts, walked) = walk(&arena);
    assert_eq!(counts.files.into_inner(), MANY);
    assert_eq!(walked.git_ignored, 1, "its ignore file counts though it is not listed first");
}

#[test]
fn a_folder_with_very_many_folders_takes_bounded_memory() {
    let _alone = alone();
    let arena = Arena::new();
    for n in 0..MANY / 4 {
        fs::create_dir(arena.0.join(format!("folder-{n}"))).unwrap();
    }
    let (counts, _) = walk(&arena);
    assert_eq!(counts.folders.into_inner(), MANY / 4);
}

/// At each level a file, the next level, and a folder that waits until all that is over.
#[test]
fn a_tree_deeper_than_there_are_descriptors_is_walked_to_its_end() {
    let _alone = alone();
    let arena = Arena::new();
    let mut at = arena.open();
    for _ in 0..DEEP {
        for name in ["deep", "aside", "zaside"] {
            mkdirat(&at, name, Mode::RWXU).unwrap();
        }
        for name in ["aside/f", "zaside/f"] {
            openat(&at, name, OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        }
        at = openat(&at, "deep", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    drop(at);
    let (counts, _) = walk(&arena);
    assert_eq!(counts.folders.into_inner(), 3 * DEEP);
    assert_eq!(counts.files.into_inner(), 2 * DEEP);
    assert!(counts.longest.into_inner() >= DEEP * 5);
}
