//! Limits of the kernel.

use super::sys::{Sys, files, process};
use crate::Limits;

/// Numbers that a PID namespace keeps for itself; below it no limit can be set.
const RESERVED: u64 = 301;

/// The limits of this process and all that it starts. Without a user namespace all processes of
/// the user count, wherever they are, so that a limit of their number would say nothing.
pub(crate) fn apply(limits: &Limits, counted_apart: bool) -> Sys<()> {
    process::limit(libc::RLIMIT_CORE, 0, 0)?;
    let given = [
        (libc::RLIMIT_NPROC, limits.processes.filter(|_| counted_apart)),
        (libc::RLIMIT_DATA, limits.memory),
        (libc::RLIMIT_FSIZE, limits.file_size),
        (libc::RLIMIT_NOFILE, limits.open_files),
    ];
    for (resource, value) in given {
        if let Some(value) = value {
            process::limit(resource, value, value)?;
        }
    }
    if let Some(seconds) = limits.cpu_seconds {
        // The signal of the first can be handled, the kill of the second cannot.
        process::limit(libc::RLIMIT_CPU, seconds, seconds.saturating_add(1))?;
    }
    Ok(())
}

/// Root is not held by a number of processes, but by the numbers that its PID namespace has.
pub(crate) fn bound_process_numbers(processes: u64) -> Sys<()> {
    let most = processes.saturating_add(RESERVED).min(4 << 20);
    files::put(c"/proc/sys/kernel/pid_max", most.to_string().as_bytes())
}
