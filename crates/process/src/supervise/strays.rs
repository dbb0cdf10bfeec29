//! Processes whose parents are gone come to the supervisor. Where commands have no namespace of
//! their own and kill the process above them, this is how their children are found.

use std::fs;
use std::io;

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};

/// How often children are looked for: each round kills a generation.
const MAX_ROUNDS: usize = 1_000;

/// Says that orphans below this process come to it.
pub(super) fn adopt() -> io::Result<()> {
    set_child_subreaper(Some(getpid())).map_err(io::Error::from)
}

/// Kills every child that is not known, and those that come in their place.
pub(super) fn kill_all_but(known: &[Pid]) {
    for _ in 0..MAX_ROUNDS {
        let strays: Vec<Pid> =
            children().into_iter().filter(|child| !known.contains(child)).collect();
        if strays.is_empty() {
            return;
        }
        for stray in strays {
            let _ = kill_process(stray, Signal::KILL);
            while let Err(rustix::io::Errno::INTR) = waitpid(Some(stray), WaitOptions::empty()) {}
        }
    }
}

/// The children of this process, dead ones too.
fn children() -> Vec<Pid> {
    let pid = getpid().as_raw_nonzero();
    let listed = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let listed = listed.unwrap_or_default();
    listed.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}
