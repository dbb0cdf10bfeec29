//! A process that is killed while it looks, stores or waits for a command breaks nothing.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use dogu_runtime::files::Roots;
use dogu_runtime::journal::Which;
use dogu_tool::CancelFlag;

use crate::support::{LIMIT, World, journal_of};

const BASE: &str = "DOGU_TEST_WATCH";
/// So many files that it takes some time.
const FILES: usize = 3_000;

/// What is killed: it stores all files, says so, and waits as if a command ran.
#[test]
#[ignore = "run by the test below, in a process of its own"]
fn child() {
    let Some(base) = std::env::var_os(BASE).map(PathBuf::from) else { return };
    let roots = Arc::new(Roots::open(&[base.join("proj")]).unwrap());
    let before = journal_of(&base).watch_before(&roots, LIMIT, &CancelFlag::new()).unwrap();
    fs::write(base.join("stored"), "").unwrap();
    std::thread::sleep(LIMIT);
    drop(before);
}

fn start(world: &World) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::child", "--ignored", "--test-threads=1"])
        .env(BASE, &world.base)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills it with SIGKILL, and waits until it is gone.
fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn whenever_it_is_killed_the_next_one_goes_on() {
    let world = World::new();
    fs::create_dir(world.at("many")).unwrap();
    for number in 0..FILES {
        fs::write(world.at(&format!("many/{number}")), format!("{number}").repeat(300)).unwrap();
    }
    for round in 0_u64..8 {
        let child = start(&world);
        std::thread::sleep(Duration::from_millis(15 * round));
        kill(child);
        let changes = world.run(&format!("rm many/{round}; echo {round} > a"));
        assert!(!changes.overlapped && changes.not_covered.changes.is_empty());
        assert_eq!(changes.changed.len(), 2);
        world.undo(&Which::Last).unwrap();
        assert_eq!(world.before().covered(), FILES + 3);
        // The next round begins with nothing stored.
        fs::remove_dir_all(world.base.join("state/journal/watch")).unwrap();
    }
}

#[test]
fn a_command_whose_dogu_was_killed_leaves_no_entry_and_no_lock() {
    let world = World::new();
    let child = start(&world);
    while !world.base.join("stored").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(world.run("echo 1 > b").overlapped);
    world.shell("echo 1 > a");
    kill(child);
    let changes = world.run("echo 2 > a");
    assert!(!changes.overlapped);
    assert_eq!(world.journal.entries().unwrap().len(), 2);
    world.undo(&Which::Last).unwrap();
    assert_eq!(fs::read_to_string(world.at("a")).unwrap(), "1\n");
}
