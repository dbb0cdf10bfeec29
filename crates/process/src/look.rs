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

/// Why a command will not go on by itself, if so, in words that go on after "it".
pub fn waits_for_a_person(pid: i32) -> Option<&'static str> {
    below(pid).into_iter().find_map(waiting)
}

fn waiting(pid: i32) -> Option<&'static str> {
    let folder = format!("/proc/{pid}");
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    // The name in the middle may hold anything, brackets too.
    let state = stat.rsplit_once(')')?.1.trim_start().chars().next()?;
    if state == 'T' {
        return Some("has stopped itself and waits to be continued");
    }
    let place = fs::read_to_string(format!("{folder}/wchan")).unwrap_or_default();
    let reads_terminal = place.contains("tty_read") || reads_a_terminal(&folder);
    (state == 'S' && reads_terminal).then_some("reads from a terminal that nobody sits at")
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
        assert!(!listens(own, port));
    }

    #[test]
    fn a_process_that_stopped_itself_is_noticed() {
        let mut child =
            std::process::Command::new("sh").args(["-c", "kill -STOP $$"]).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let mut seen = None;
        for _ in 0..500 {
            seen = waits_for_a_person(pid);
            if seen.is_some() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(seen, Some("has stopped itself and waits to be continued"));
    }
}
