//! What the sandbox refused, told from what a command wrote.
//!
//! Programs say what they could not do in their own words, so this is a guess; but it names only
//! what the sandbox does refuse: a path that it holds, a network that it has closed.

use std::path::{Path, PathBuf};

use dogu_process::sandbox::{Confinement, Network};

/// How many refusals are told.
const MAX_TOLD: usize = 3;
/// How many lines are looked at, from the end.
const MAX_LINES: usize = 400;

/// Words by which programs say that a file could not be changed.
const FILE_WORDS: [&str; 4] = [
    "read-only file system",
    "permission denied",
    "operation not permitted",
    "device or resource busy",
];
/// Words by which programs say that nobody was reached.
const NETWORK_WORDS: [&str; 11] = [
    "network is unreachable",
    "could not resolve host",
    "couldn't resolve host",
    "temporary failure in name resolution",
    "name or service not known",
    "getaddrinfo",
    "eai_again",
    "no route to host",
    "failed to lookup address",
    "dns error",
    "name resolution",
];

/// What a person or a model can do about each refusal.
pub(super) fn told_by(written: &str, confinement: &Confinement) -> Vec<String> {
    let mut told = Vec::new();
    for line in written.lines().rev().take(MAX_LINES) {
        let low = line.to_lowercase();
        if FILE_WORDS.iter().any(|words| low.contains(words)) {
            told.extend(paths_in(line).into_iter().find_map(|path| held(&path, confinement)));
        }
        let closed = confinement.network != Network::Host;
        if closed && NETWORK_WORDS.iter().any(|words| low.contains(words)) {
            told.push(
                "the network is closed to this command; with `network: true` the user is asked to open it"
                    .to_owned(),
            );
        }
    }
    told.reverse();
    told.dedup();
    let surplus = told.len().saturating_sub(MAX_TOLD);
    told.drain(..surplus);
    told
}

/// Why the sandbox would refuse to change this, if so.
fn held(path: &Path, confinement: &Confinement) -> Option<String> {
    let shown = path.display();
    let below = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    if below(&confinement.hidden) {
        return Some(format!("{shown} is hidden from commands, because it may hold secrets"));
    }
    if below(&confinement.fixed) || below(&confinement.held) {
        return Some(format!(
            "{shown} cannot be changed by a command: it steers tools or agents; edit tools can, after asking"
        ));
    }
    let free = ["/tmp", "/var/tmp", "/dev/shm", "/run"].iter().any(|own| path.starts_with(own));
    if below(&confinement.writable) || free {
        return None;
    }
    Some(format!(
        "{shown} is outside of what this command may change; with `outside_sandbox: true` the user is asked to run the whole command without the sandbox, and `sandbox.writable` in the user's settings opens a folder for good"
    ))
}

/// What looks like an absolute path, with what stands around it taken off.
fn paths_in(line: &str) -> Vec<PathBuf> {
    let words = line.split(|c: char| c.is_whitespace() || "'\"`‘’“”()[]<>,;".contains(c));
    let path = |word: &str| {
        let word = word.trim_end_matches([':', '.']);
        (word.len() > 1 && word.starts_with('/')).then(|| PathBuf::from(word))
    };
    words.filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confinement() -> Confinement {
        Confinement {
            writable: vec!["/w".into()],
            fixed: vec!["/w/.git".into()],
            held: vec!["/w/sub/CLAUDE.md".into()],
            hidden: vec!["/home/u/.ssh".into()],
            ..Confinement::default()
        }
    }

    fn told(text: &str) -> Vec<String> {
        told_by(text, &confinement())
    }

    #[test]
    fn a_write_outside_is_told_with_what_to_do() {
        let told = told("touch: cannot touch '/etc/x': Read-only file system\n");
        assert!(told[0].starts_with("/etc/x is outside"), "{told:?}");
        assert!(told[0].contains("outside_sandbox"));
    }

    #[test]
    fn what_is_fixed_and_hidden_is_told_apart() {
        let git = told("bash: line 1: /w/.git/hooks/x: Read-only file system");
        assert!(git[0].contains("steers"), "{git:?}");
        let nested = told("rm: cannot remove '/w/sub/CLAUDE.md': Device or resource busy");
        assert!(nested[0].contains("steers"), "{nested:?}");
        let ssh = told("cat: /home/u/.ssh/id: Permission denied");
        assert!(ssh[0].contains("secrets"), "{ssh:?}");
    }

    #[test]
    fn a_refusal_of_the_file_itself_is_none_of_the_sandbox() {
        assert!(told("cat: /w/secret: Permission denied").is_empty());
        assert!(told("permission denied").is_empty());
        assert!(told("/etc/passwd is fine").is_empty());
    }

    #[test]
    fn the_network_is_told_once() {
        let text = "curl: (6) Could not resolve host: a\ncurl: (6) Could not resolve host: b";
        assert_eq!(told(text).len(), 1);
        let open = Confinement { network: Network::Host, ..confinement() };
        assert!(told_by(text, &open).is_empty());
    }

    #[test]
    fn a_file_that_is_not_there_is_none_of_the_sandbox() {
        assert!(told("FileNotFoundError: [Errno 2] No such file or directory: '/x/y'").is_empty());
        assert_eq!(told("Error: getaddrinfo ENOTFOUND registry.example").len(), 1);
    }

    #[test]
    fn there_is_an_end_to_it() {
        let text = "x: /etc/a: Permission denied\n".repeat(1_000_000);
        assert_eq!(told(&text).len(), 1);
    }
}
