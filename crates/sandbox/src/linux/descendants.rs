//! All that a process has started, where no PID namespace holds it together.
//!
//! Orphans fall to the process that asks (it adopts them), so what is below it is everything,
//! whatever sessions and groups it is in.

use std::time::Duration;

use super::sys::process::{self, Waited};

/// How often everything is killed before the rest is left to the process above: what still lives
/// then hangs in the kernel.
const ROUNDS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// Kills all descendants and collects them.
pub(crate) fn end_all() {
    for round in 0..ROUNDS {
        // What is stopped cannot start others while the rest is being killed.
        signal_all(libc::SIGSTOP);
        signal_all(libc::SIGKILL);
        loop {
            match process::wait(-1, false) {
                Waited::Ended(..) => {}
                Waited::Busy => break,
                Waited::Childless => return,
            }
        }
        if round > 0 {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Sends a signal to all descendants.
pub(crate) fn signal_all(signal: i32) {
    for pid in all() {
        let _ = process::kill(pid, signal);
    }
}

fn all() -> Vec<i32> {
    let mut found = children(process::own());
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        let below = children(*pid);
        found.extend(below);
        next += 1;
    }
    found
}

/// The children of all threads of a process.
fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| numbers(&list)).collect()
}

fn numbers(list: &str) -> Vec<i32> {
    list.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
}
