//! A process is killed at every system call of a change, and of the recovery that follows.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use dogu_runtime::journal::{Recovered, Which};
use dogu_tool::{ChangeOptions, FileChange, Files as _};
use nix::sys::ptrace::{self, Options};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::support::{World, content, files_in, journal_of, start, started_in};

type Snapshot = BTreeMap<PathBuf, String>;

/// A file is replaced, one made in a new folder, one removed and one moved.
fn changes(root: &Path) -> Vec<FileChange> {
    vec![
        FileChange::write(root.join("a"), "new a").expecting(content("old a")),
        FileChange::write(root.join("x/y/n"), "new n"),
        FileChange::remove(root.join("b")),
        FileChange::rename(root.join("c"), root.join("d/m")),
    ]
}

/// The process that is killed. It says which thread works, and begins when it is told to.
#[test]
#[ignore = "started by other tests"]
fn victim() {
    let Some(base) = started_in() else { return };
    let recovers = std::env::var_os("DOGU_TEST_RECOVERS").is_some();
    let changes = changes(&base.join("proj"));
    let one = [FileChange::write(base.join("proj/a"), "new a")];
    let changes = if std::env::var_os("DOGU_TEST_ONE").is_some() { &one[..] } else { &changes };
    let (files, journal) = (files_in(&base, changes), journal_of(&base));
    eprintln!("tid {}", nix::unistd::gettid());
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    if recovers {
        journal.recover().unwrap();
    } else {
        files.change(changes, ChangeOptions::default()).unwrap();
    }
    // Nothing that the test harness would still do counts.
    std::process::exit(0);
}

/// A victim that stops at every system call, before and after.
struct Traced {
    child: Child,
    thread: Pid,
}

impl Traced {
    fn start(base: &Path, settings: &[&str]) -> Self {
        let mut command = start("kill::victim", base);
        for name in settings {
            command.env(name, "1");
        }
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let thread = lines
            .find_map(|line| line.unwrap().strip_prefix("tid ").map(|id| id.parse().unwrap()))
            .unwrap();
        let thread = Pid::from_raw(thread);
        ptrace::seize(thread, Options::PTRACE_O_TRACESYSGOOD).unwrap();
        ptrace::interrupt(thread).unwrap();
        waitpid(thread, Some(WaitPidFlag::__WALL)).unwrap();
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        Self { child, thread }
    }

    /// Lets it run for so many stops, then kills it; how many it made before it ended, if it did.
    fn kill_at(mut self, stops: usize) -> Option<usize> {
        let mut ended = None;
        for made in 0..stops {
            ptrace::syscall(self.thread, None).unwrap();
            match waitpid(self.thread, Some(WaitPidFlag::__WALL)).unwrap() {
                WaitStatus::Exited(..) | WaitStatus::Signaled(..) => {
                    ended = Some(made);
                    break;
                }
                _ => {}
            }
        }
        let _ = self.child.kill();
        // The traced thread first: its process is not over before its end was seen.
        while waitpid(self.thread, Some(WaitPidFlag::__WALL)).is_ok() {}
        let status = self.child.wait();
        if ended.is_some() {
            assert!(status.is_err() || status.is_ok_and(|status| status.success()));
        }
        ended
    }
}

/// A world in which a change of four files was killed at a stop.
pub(crate) fn killed_at(stop: usize) -> World {
    let world = World::new();
    assert_eq!(Traced::start(&world.base, &[]).kill_at(stop), None, "it ran through");
    world
}

/// What is there without any change, and after all of them.
struct Expected {
    old: Snapshot,
    new: Snapshot,
}

fn relative(world: &World) -> Snapshot {
    let root = world.base.join("proj");
    let all = world.snapshot().into_iter();
    all.map(|(path, text)| (path.strip_prefix(&root).unwrap().to_path_buf(), text)).collect()
}

fn expected(one: bool) -> Expected {
    let world = World::new();
    let old = relative(&world);
    let root = world.base.join("proj");
    let one = one.then(|| vec![FileChange::write(root.join("a"), "new a")]);
    world.change(&one.unwrap_or_else(|| changes(&root))).unwrap();
    Expected { old, new: relative(&world) }
}

impl Expected {
    /// Everything is old, or everything is new and can be taken back; true where it is new.
    fn check(&self, world: &World, at: &str) -> bool {
        let found = relative(world);
        let entries = world.journal.entries().unwrap();
        let begun = std::fs::read_dir(world.base.join("state/journal/begun"));
        let begun = begun.map_or(0, Iterator::count);
        assert_eq!(begun, 0, "{at}: an intent is left");
        if found == self.old {
            assert!(entries.is_empty(), "{at}: nothing happened, and the journal says {entries:?}");
            return false;
        }
        assert_eq!(found, self.new, "{at}");
        assert_eq!(entries.len(), 1, "{at}");
        assert!(entries[0].conflicts.is_empty(), "{at}: {entries:?}");
        world.undo(&Which::Last).unwrap();
        assert_eq!(relative(world), self.old, "{at}: after undo");
        true
    }
}

fn kill_everywhere(settings: &[&str]) -> (usize, usize, usize) {
    let expected = expected(!settings.is_empty());
    let (mut old, mut new) = (0, 0);
    for stop in 1.. {
        let world = World::new();
        let ended = Traced::start(&world.base, settings).kill_at(stop);
        let recovered = world.journal.recover().unwrap();
        assert_eq!(recovered.left, 0, "stop {stop}");
        let is_new = expected.check(&world, &format!("stop {stop}"));
        *(if is_new { &mut new } else { &mut old }) += 1;
        if ended.is_some() {
            assert!(is_new, "it ran through, and nothing happened");
            return (stop, old, new);
        }
    }
    unreachable!("it ends at some time")
}

#[test]
fn b3_killed_at_every_system_call_of_a_change_of_four_files() {
    let (stops, old, new) = kill_everywhere(&[]);
    println!("{stops} kill points: {old} times nothing happened, {new} times everything");
    assert!(stops > 100 && old > 20 && new > 20, "{stops} {old} {new}");
}

#[test]
fn f5_killed_at_every_system_call_of_a_change_of_one_file() {
    let (stops, old, new) = kill_everywhere(&["DOGU_TEST_ONE"]);
    println!("{stops} kill points: {old} times nothing happened, {new} times everything");
    assert!(old > 10 && new > 5, "{stops} {old} {new}");
}

#[test]
fn killed_at_every_system_call_of_the_recovery_too() {
    let expected = expected(false);
    let stops = Traced::start(&World::new().base, &[]).kill_at(usize::MAX).unwrap();
    let mut points = 0;
    let mut seen = [0, 0];
    // In the middle of writing, and in the middle of renaming.
    for eighth in 2..8 {
        let first = stops * eighth / 8;
        for second in 1.. {
            let world = World::new();
            assert_eq!(Traced::start(&world.base, &[]).kill_at(first), None);
            let ended = Traced::start(&world.base, &["DOGU_TEST_RECOVERS"]).kill_at(second);
            let recovered = world.journal.recover().unwrap();
            assert_eq!(recovered.left, 0);
            let at = format!("stop {first}, then stop {second} of the recovery");
            let is_new = expected.check(&world, &at);
            points += 1;
            seen[usize::from(is_new)] += 1;
            if ended.is_some() {
                assert_eq!(recovered, Recovered::default(), "{at}: it ran through");
                break;
            }
        }
    }
    println!("{points} kill points of the recovery: {seen:?} old and new");
    assert!(seen[0] > 20 && seen[1] > 20, "{seen:?}");
}
