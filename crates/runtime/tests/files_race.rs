//! Another process swaps files and folders of the workspace for links that lead out of it, as
//! fast as it can, while calls are judged and run. Nothing may get out, and nothing in.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_runtime::files::{GrantedFiles, Roots};
use dogu_tool::{Action, ErrorCode, Files as _, ReadFiles as _, ToolError, WriteOptions};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

const RACER_BASE: &str = "DOGU_TEST_RACER_BASE";
const INSIDE: &[u8] = b"inside";
const SECRET: &[u8] = b"secret";

#[test]
fn race_100_000_reads_and_writes_never_leave_the_roots() {
    let arena = Arena::new();
    let roots = Roots::open(&[arena.root()]).unwrap();
    let counts = arena.run(roots, 100_000);
    counts.check();
}

#[test]
fn race_without_openat2_never_leaves_the_roots() {
    let arena = Arena::new();
    let roots = Roots::open(&[arena.root()]).unwrap().stepwise();
    let counts = arena.run(roots, 30_000);
    counts.check();
}

/// Proves that the racer is one: the same paths, judged and then read by name, do get out.
#[test]
fn race_control_by_name_escapes() {
    let arena = Arena::new();
    let root = arena.root().canonicalize().unwrap();
    let _racer = arena.start_racer();
    let end = Instant::now() + Duration::from_secs(30);
    let mut tries = 0_u32;
    while Instant::now() < end {
        tries += 1;
        let path = arena.root().join(if tries.is_multiple_of(2) { "f" } else { "d/f" });
        let Ok(real) = path.canonicalize() else { continue };
        if !real.starts_with(&root) {
            continue;
        }
        if fs::read(&real).is_ok_and(|content| content == SECRET) {
            return;
        }
    }
    panic!("no escape in {tries} tries: the racer is too slow to prove anything");
}

/// The other process. Run by the tests above, with the folder to race in.
#[test]
#[ignore = "started by the race tests"]
fn racer() {
    let Ok(base) = std::env::var(RACER_BASE) else { return };
    let base = PathBuf::from(base);
    let root = base.join("root");
    let (file, file_link) = (root.join("f"), root.join("f-link"));
    let (folder, folder_link) = (root.join("d"), root.join("d-link"));
    let end = Instant::now() + Duration::from_mins(2);
    while root.exists() && Instant::now() < end {
        for _ in 0..50 {
            let _ = renameat_with(CWD, &file, CWD, &file_link, RenameFlags::EXCHANGE);
            let _ = renameat_with(CWD, &folder, CWD, &folder_link, RenameFlags::EXCHANGE);
        }
        // A write that won replaced the link by its file: put a link there again.
        if !file.is_symlink() && !file_link.is_symlink() {
            let _ = fs::remove_file(&file_link);
            let _ = symlink(base.join("outside/f"), &file_link);
        }
    }
}

struct Arena(TempDir);

impl Arena {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
        for (name, content) in [("root", INSIDE), ("outside", SECRET)] {
            let folder = base.path().join(name);
            fs::create_dir_all(folder.join("d")).unwrap();
            fs::write(folder.join("f"), content).unwrap();
            fs::write(folder.join("d/f"), content).unwrap();
        }
        let arena = Self(base);
        symlink(arena.path("outside/f"), arena.path("root/f-link")).unwrap();
        symlink(arena.path("outside"), arena.path("root/d-link")).unwrap();
        arena
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn root(&self) -> PathBuf {
        self.path("root")
    }

    fn start_racer(&self) -> Racer {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "racer", "--ignored", "--test-threads=1"])
            .env(RACER_BASE, self.0.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let racer = Racer(child);
        self.wait_for_first_swap();
        racer
    }

    fn wait_for_first_swap(&self) {
        let end = Instant::now() + Duration::from_secs(10);
        while !self.path("root/f").is_symlink() {
            assert!(Instant::now() < end, "the racer did not start");
            std::thread::yield_now();
        }
    }

    fn run(&self, roots: Roots, times: usize) -> Counts {
        let before = snapshot(&self.path("outside"));
        let racer = self.start_racer();
        let roots = Arc::new(roots);
        let mut counts = Counts::default();
        for turn in 0..times {
            counts.add(self.one(&roots, turn));
        }
        drop(racer);
        assert_eq!(snapshot(&self.path("outside")), before, "something outside changed");
        let left: Vec<_> = snapshot(&self.root())
            .into_keys()
            .filter(|path| path.to_string_lossy().contains(".dogu-"))
            .collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        counts
    }

    /// One call: judged, admitted, run.
    fn one(&self, roots: &Arc<Roots>, turn: usize) -> Outcome {
        let names = ["f", "d/f", "f", "d/f", "d/new", "d/sub/new"];
        let path = self.root().join(names[turn % names.len()]);
        let reads = turn % names.len() < 2;
        let action = if reads { Action::read(&path) } else { Action::write(&path) };
        let Ok(judged) = roots.judge_all(&[action]) else { return Outcome::NotJudged };
        if !judged[0].inside_workspace() {
            return Outcome::JudgedOutside;
        }
        let files = GrantedFiles::new(Arc::clone(roots), judged).without_sync();
        let done = if reads { read(&files, &path) } else { write(&files, &path) };
        match done {
            Ok(()) if reads => Outcome::Read,
            Ok(()) => Outcome::Written,
            Err(error) if error.code() == ErrorCode::Denied => Outcome::Refused,
            Err(_) => Outcome::Failed,
        }
    }
}

fn read(files: &GrantedFiles, path: &Path) -> Result<(), ToolError> {
    let mut content = Vec::new();
    files.open(path)?.read_to_end(&mut content).unwrap();
    assert_eq!(content, INSIDE, "{} was read from outside", path.display());
    Ok(())
}

fn write(files: &GrantedFiles, path: &Path) -> Result<(), ToolError> {
    files.write(path, INSIDE, WriteOptions::default()).map(|_| ())
}

/// Every path below a folder with its content; links by their target.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            found.insert(path, target.into_os_string().into_encoded_bytes());
        } else if path.is_dir() {
            found.extend(snapshot(&path));
            found.insert(path, Vec::new());
        } else {
            let content = fs::read(&path).unwrap();
            found.insert(path, content);
        }
    }
    found
}

/// Ended, and waited for, when dropped.
struct Racer(Child);

impl Drop for Racer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy)]
enum Outcome {
    Read,
    Written,
    /// The gate would have seen a path outside.
    JudgedOutside,
    /// What was judged was not there any more.
    Refused,
    NotJudged,
    Failed,
}

#[derive(Debug, Default)]
struct Counts {
    reads: usize,
    writes: usize,
    judged_outside: usize,
    refused: usize,
    other: usize,
}

impl Counts {
    fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Read => &mut self.reads,
            Outcome::Written => &mut self.writes,
            Outcome::JudgedOutside => &mut self.judged_outside,
            Outcome::Refused => &mut self.refused,
            Outcome::NotJudged | Outcome::Failed => &mut self.other,
        };
        *count += 1;
    }

    /// Each way was taken, or the test shows nothing.
    fn check(&self) {
        println!("{self:?}");
        assert!(self.reads > 0, "{self:?}");
        assert!(self.writes > 0, "{self:?}");
        assert!(self.judged_outside > 0, "{self:?}");
        assert!(self.refused > 0, "{self:?}");
    }
}
