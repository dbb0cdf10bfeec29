//! Whatever ends, and however: no process of a server behind the gateway is left.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Home, PATIENCE, Running};

/// A process, told from another one that has its number later.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    pid: i32,
    begun: u64,
}

/// What the kernel says of a process: its state and when it began.
fn stat(pid: i32) -> Option<(char, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in the middle may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

impl Process {
    fn of(pid: i32) -> Option<Self> {
        stat(pid).map(|(_, begun)| Self { pid, begun })
    }

    /// It runs, sleeps or hangs: everything but gone, and dead but not yet collected.
    fn lives(&self) -> bool {
        stat(self.pid).is_some_and(|(state, begun)| begun == self.begun && !"ZX".contains(state))
    }

    fn kill(&self) {
        kill_process(Pid::from_raw(self.pid).unwrap(), Signal::KILL).unwrap();
    }
}

/// All processes whose command line has a text in it.
fn with(text: &str) -> Vec<Process> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let found = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let pid = entry.file_name().to_str()?.parse().ok()?;
        line.contains(text).then(|| Process::of(pid)).flatten()
    });
    found.collect()
}

/// All that a process has started, by whichever of its threads.
fn below(pid: i32) -> Vec<Process> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let lists = threads.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let pids: Vec<i32> = lists
        .flat_map(|list| {
            list.split_whitespace().map(|pid| pid.parse().unwrap()).collect::<Vec<_>>()
        })
        .collect();
    let children = pids.into_iter().filter_map(Process::of);
    children.flat_map(|child| [vec![child.clone()], below(child.pid)].concat()).collect()
}

fn until(what: &str, is: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < PATIENCE, "it did not become true: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A dogu with a server that left a grandchild.
struct Nest {
    home: Home,
    dogu: Running,
    /// The process that started all others.
    supervisor: Process,
    server: Process,
    /// All below dogu.
    all: Vec<Process>,
}

impl Nest {
    fn new(mode: &str, shared: bool) -> Self {
        let home = Home::new();
        // Of this nest only.
        let mark = format!("{}.{}", 10_000 + std::process::id(), unique());
        let script = format!("{}/tests/gateway/server.py", env!("CARGO_MANIFEST_DIR"));
        let notes = home.path("notes").display().to_string();
        let mut settings = "mcp_servers:\n  nest:\n    command: python3\n".to_owned();
        let arguments = [script.as_str(), mode, &notes, &mark];
        writeln!(settings, "    args: {}", serde_json::json!(arguments)).unwrap();
        writeln!(settings, "    shared_processes: {shared}").unwrap();
        home.user_settings(&settings);
        let dogu = home.start(&["serve"]);
        let grandchild = format!("sleep {mark}");
        // `sh` was the grandchild before it became `sleep`.
        let is_up = || with(&grandchild).iter().any(|p| name(p.pid) == "sleep");
        until("the grandchild runs", is_up);
        until("the server answers", || home.path("state/dogu/servers").is_dir());
        let own = i32::try_from(dogu.child.id()).unwrap();
        let all = below(own);
        let by_line = |text: &str| {
            let found = with(text).into_iter().find(|found| all.contains(found));
            found.unwrap_or_else(|| panic!("{text} is none of {all:?}"))
        };
        let supervisor = by_line("__supervise");
        let server = by_line(&format!("python3 {script}"));
        Self { home, dogu, supervisor, server, all }
    }

    fn notes(&self) -> String {
        fs::read_to_string(self.home.path("notes")).unwrap()
    }

    /// Nothing of it lives, in the end.
    fn all_end(&self) {
        until("all of them are gone", || self.all.iter().all(|process| !process.lives()));
    }
}

fn name(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}

fn unique() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    NUMBER.fetch_add(1, Ordering::Relaxed)
}

/// In both ways in which servers can be held together, with a server that goes and one that must
/// be made to. The test says whether the server was told first; a busy machine may give one of
/// them no time to say so.
fn in_every_way(test: impl Fn(&mut Nest, &str) -> bool) {
    let mut told = false;
    for shared in [false, true] {
        for mode in ["nest", "deaf"] {
            told |= test(&mut Nest::new(mode, shared), mode);
        }
    }
    assert!(told, "their input is closed first");
}

#[test]
fn m5_nothing_is_left_when_dogu_ends_and_dogu_waits_for_nobody() {
    let outlives_dogu = Cell::new(false);
    in_every_way(|nest, mode| {
        drop(nest.dogu.child.stdin.take());
        assert_eq!(nest.dogu.ended().code(), Some(0));
        // It has a moment to end by itself, after dogu.
        outlives_dogu.set(outlives_dogu.get() || mode == "deaf" && nest.server.lives());
        nest.all_end();
        nest.notes().contains("the end of input")
    });
    assert!(outlives_dogu.get(), "dogu waits for its servers");
}

#[test]
fn m5_nothing_is_left_when_dogu_is_asked_to_end() {
    in_every_way(|nest, _| {
        nest.dogu.terminate();
        assert_eq!(nest.dogu.ended().code(), Some(0));
        nest.all_end();
        nest.notes().contains("the end of input")
    });
}

#[test]
fn m5_nothing_is_left_when_dogu_is_killed() {
    in_every_way(|nest, _| {
        nest.dogu.child.kill().unwrap();
        nest.dogu.ended();
        nest.all_end();
        nest.notes().contains("the end of input")
    });
}

#[test]
fn m5_nothing_is_left_when_the_supervisor_is_killed() {
    in_every_way(|nest, _| {
        nest.supervisor.kill();
        nest.all_end();
        assert_eq!(nest.dogu.child.try_wait().unwrap(), None, "dogu itself goes on");
        true
    });
}

#[test]
fn m5_nothing_is_left_when_the_server_crashes() {
    in_every_way(|nest, _| {
        nest.server.kill();
        until("all but the supervisor are gone", || {
            nest.all.iter().all(|process| *process == nest.supervisor || !process.lives())
        });
        assert!(nest.supervisor.lives());
        assert_eq!(nest.dogu.child.try_wait().unwrap(), None);
        true
    });
}

/// A command that ends at once leaves its servers to the supervisor.
#[test]
fn m5_nothing_is_left_of_a_single_call() {
    let nest = Nest::new("deaf", false);
    let call = nest.home.dogu(&["call", "nest__echo", "text=hi", "--approve", "all"]);
    assert_eq!(call.stdout, "hi\n", "{call}");
    assert_eq!(nest.notes().matches("started").count(), 2, "it had a server of its own");
    let notes = nest.home.path("notes").display().to_string();
    until("it is gone", || with(&notes).iter().all(|process| nest.all.contains(process)));
}

#[test]
fn a_server_has_numbers_of_its_own_unless_it_must_not() {
    for (shared, is_apart) in [(false, true), (true, false)] {
        let nest = Nest::new("nest", shared);
        let space =
            |process: &Process| fs::read_link(format!("/proc/{}/ns/pid", process.pid)).unwrap();
        assert_eq!(space(&nest.server) != space(&nest.supervisor), is_apart);
    }
}
