//! What a running command does, seen from outside: at which ports it listens, and whether it
//! waits for somebody at a terminal.

use std::fs;
use std::path::Path;

/// How many processes of a command are looked at.
const MAX_PROCESSES: usize = 512;
/// The kernel's number for a socket that listens.
const LISTENS: &str = "0A";

/// Whether anything in the network of process `pid` listens at a TCP port.
pub fn listens(pid: i32, port: u16) -> bool {
    ports(pid).contains(&port)
}

/// The TCP ports at which anything in the network of process `pid` listens, in their order.
pub fn ports(pid: i32) -> Vec<u16> {
    let read = |name: &str| fs::read_to_string(format!("/proc/{pid}/net/{name}"));
    let tables = [read("tcp"), read("tcp6")];
    let mut ports: Vec<u16> =
        tables.iter().flatten().flat_map(|table| table.lines()).filter_map(listening).collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// The port of a line such as `0: 0100007F:1F90 00000000:0000 0A …`.
fn listening(line: &str) -> Option<u16> {
    let mut fields = line.split_ascii_whitespace();
    let (_, address) = fields.nth(1)?.rsplit_once(':')?;
    (fields.nth(1)? == LISTENS).then(|| u16::from_str_radix(address, 16).ok())?
}

/// Why a command may not go on by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// One of its processes has stopped, and waits to be continued.
    Stopped,
    /// One of them reads from a terminal. Whoever has the other end may yet write to it: a test,
    /// `expect`, `tmux`.
    AtTerminal,
}

/// Whether a command waits for somebody.
pub fn waits(pid: i32) -> Option<Waits> {
    below(pid).into_iter().find_map(waiting)
}

/// How much a command and all below it have computed, in ticks of the clock.
pub fn computed(pid: i32) -> u64 {
    below(pid).into_iter().filter_map(ticks).sum()
}

/// The ticks of one process, its own and the kernel's for it: two fields behind its name.
fn ticks(pid: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let own: u64 = fields.next()?.parse().ok()?;
    let kernel: u64 = fields.next()?.parse().ok()?;
    Some(own + kernel)
}

fn waiting(pid: i32) -> Option<Waits> {
    let folder = format!("/proc/{pid}");
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    // The name in the middle may hold anything, brackets too.
    let state = stat.rsplit_once(')')?.1.trim_start().chars().next()?;
    if state == 'T' {
        return Some(Waits::Stopped);
    }
    let place = fs::read_to_string(format!("{folder}/wchan")).unwrap_or_default();
    let reads_terminal = place.contains("tty_read") || reads_a_terminal(&folder);
    (state == 'S' && reads_terminal).then_some(Waits::AtTerminal)
}

/// Where the kernel does not say what a process waits for, the call that it is in says it: a read
/// (number 0) of a descriptor that is a terminal.
fn reads_a_terminal(folder: &str) -> bool {
    let call = fs::read_to_string(format!("{folder}/syscall")).unwrap_or_default();
    let mut fields = call.split_ascii_whitespace();
    let (Some("0"), Some(descriptor)) = (fields.next(), fields.next()) else { return false };
    let Some(number) = descriptor.strip_prefix("0x") else { return false };
    let Ok(number) = u64::from_str_radix(number, 16) else { return false };
    let target = fs::read_link(format!("{folder}/fd/{number}"));
    target.is_ok_and(|target| target.starts_with("/dev/pts") || target == Path::new("/dev/tty"))
}

/// A process and all below it.
fn below(pid: i32) -> Vec<i32> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied().filter(|_| found.len() < MAX_PROCESSES) {
        next += 1;
        found.extend(children(parent));
    }
    found
}

fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let listed = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).ok();
    let lists: Vec<String> = tasks.flatten().filter_map(listed).collect();
    lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|id| id.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_ports_are_seen() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(listens(own, port));
        drop(listener);
        // What another test starts meanwhile holds it until it is another program.
        let mut looks =
            (0..500).inspect(|_| std::thread::sleep(std::time::Duration::from_millis(2)));
        assert!(looks.any(|_| !listens(own, port)));
    }

    #[test]
    fn a_process_that_stopped_itself_is_noticed() {
        let mut child =
            std::process::Command::new("sh").args(["-c", "kill -STOP $$"]).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let mut seen = None;
        for _ in 0..500 {
            seen = waits(pid);
            if seen.is_some() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(seen, Some(Waits::Stopped));
    }

    #[test]
    fn what_was_computed_is_counted() {
        let own = i32::try_from(std::process::id()).unwrap();
        let before = computed(own);
        let mut number = 1_u64;
        while computed(own) == before {
            for step in 0..1_000_000 {
                number = std::hint::black_box(number.wrapping_mul(31).wrapping_add(step));
            }
        }
        assert!(computed(own) > before);
    }
}
