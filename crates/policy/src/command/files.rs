//! Names of files that a command should keep away from.

use super::Arg;

/// Folders of the system that may hold nothing that is deleted by hand, at any depth.
const SYSTEM: &[&str] = &[
    "etc",
    "usr",
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "boot",
    "dev",
    "proc",
    "sys",
    "System",
    "Library",
    "Applications",
    "nix",
];

/// Folders below which people keep what they want, but which themselves must stay.
const KEPT: &[&str] =
    &["home", "Users", "root", "var", "opt", "srv", "mnt", "media", "run", "tmp", "private"];

/// Deleting or changing this, and all below it, destroys a system or a home.
pub(super) fn is_vital(arg: &Arg) -> bool {
    match arg {
        // A wildcard in quotes is none; but who asks may not know of the quotes.
        Arg::Literal(text) | Arg::Glob(text) | Arg::SplitNames(text) => vital_path(text),
        Arg::Listed { below, .. } => below.iter().any(|folder| vital_path(folder)),
        Arg::Unknown { starts, .. } => matches!(tidy(starts).as_deref(), Some("/")),
        Arg::Number | Arg::Input => false,
    }
}

/// It is the whole file tree, or all that is right below it.
pub(super) fn is_everything(arg: &Arg) -> bool {
    match arg {
        Arg::Literal(text) | Arg::Glob(text) => {
            matches!(tidy(text).as_deref(), Some("/" | "/*" | "/.*"))
        }
        _ => false,
    }
}

fn vital_path(text: &str) -> bool {
    let Some(path) = tidy(text) else { return false };
    if let Some(rest) = path.strip_prefix('~') {
        return home_rest(rest.split_once('/').map_or("", |(_, rest)| rest));
    }
    if path == ".." || path.ends_with("/..") || path.ends_with("../*") {
        return true;
    }
    let Some(rest) = path.strip_prefix('/') else { return false };
    let mut parts = rest.split('/');
    let top = parts.next().unwrap_or("");
    let below: Vec<_> = parts.collect();
    if top.is_empty() || top.contains(['*', '?', '[']) && below.is_empty() {
        return true;
    }
    if SYSTEM.contains(&top) {
        return !(top == "dev"
            && below.first().is_some_and(|name| *name == "shm" || *name == "null"));
    }
    match (top, below.as_slice()) {
        ("tmp", _) => false,
        (top, [] | ["*"]) => KEPT.contains(&top),
        ("home" | "Users", [_] | [_, "*"]) => true,
        _ => false,
    }
}

fn home_rest(rest: &str) -> bool {
    matches!(rest, "" | "*" | ".*")
}

/// The path without doubled slashes, `.` and `..` as far as the text alone tells; nothing for
/// an empty text.
pub(super) fn tidy(text: &str) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if text.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let root = if text.starts_with('/') { "/" } else { "" };
    let tidy = format!("{root}{}", parts.join("/"));
    Some(if tidy.is_empty() { ".".to_owned() } else { tidy })
}

/// It is a disk, a part of one, or the memory, and not one of the harmless devices.
pub(super) fn is_raw_device(text: &str) -> bool {
    let Some(path) = tidy(text) else { return false };
    let Some(name) = path.strip_prefix("/dev/") else { return false };
    let harmless =
        ["null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty"];
    !harmless.contains(&name)
        && !["fd/", "shm/", "pts/", "tcp/", "udp/"].iter().any(|start| name.starts_with(start))
}

/// It is where a shell keeps what was typed.
pub(super) fn is_shell_history(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    matches!(name, ".bash_history" | ".zsh_history" | ".histfile" | ".sh_history" | "fish_history")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_and_system_folders_are_vital() {
        for path in [
            "/",
            "//",
            "/.",
            "/..",
            "/etc",
            "/etc/",
            "/etc/passwd",
            "/usr/lib/x",
            "/home",
            "/home/u",
            "/home/u/",
            "/root",
            "~",
            "~/",
            "~u",
            "..",
            "../..",
            "../",
            "/var",
            "/tmp/../etc",
            "a/../..",
            "~/.",
            "/Users/x",
        ] {
            assert!(is_vital(&Arg::literal(path)), "{path}");
        }
        for pattern in ["/*", "~/*", "/e*", "/home/*", "/home/u/*", "../*", "/usr/*"] {
            assert!(is_vital(&Arg::Glob(pattern.to_owned())), "{pattern}");
        }
    }

    #[test]
    fn ordinary_files_are_not_vital() {
        for path in [
            "",
            ".",
            "a",
            "/tmp/x",
            "/tmp",
            "~/x",
            "/home/u/x",
            "/var/tmp/x",
            "../x",
            "a/..",
            "/dev/shm/x",
            "/opt/x",
        ] {
            assert!(!is_vital(&Arg::literal(path)), "{path}");
        }
        assert!(!is_vital(&Arg::Glob("*".to_owned())));
        assert!(!is_vital(&Arg::Glob("/tmp/*".to_owned())));
    }
}
