//! Reads what `strace -f -y` wrote: which programs were started, which files were changed, and
//! who was spoken to.

use std::collections::BTreeSet;

/// What the programs of a line did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Observed {
    /// The programs that were started, or tried, by the last part of their path.
    pub(crate) programs: BTreeSet<String>,
    /// The files that were opened for writing, made, changed or removed, or tried to be. A
    /// relative path is one that the trace does not tell the folder of.
    pub(crate) writes: BTreeSet<String>,
    /// The sockets that lead out of the process.
    pub(crate) network: BTreeSet<String>,
    /// The trace has a start of bash in it, so that an empty one is not taken for a quiet one.
    pub(crate) traced: bool,
}

/// Calls that only look at the files that they name. Every other call that names one changes
/// it, so that a call nobody thought of is reported.
const LOOKS: [&str; 25] = [
    "access",
    "chdir",
    "faccessat",
    "faccessat2",
    "fgetxattr",
    "flistxattr",
    "fstat",
    "fstatfs",
    "getcwd",
    "getxattr",
    "lgetxattr",
    "listxattr",
    "llistxattr",
    "lstat",
    "newfstatat",
    "name_to_handle_at",
    "oldlstat",
    "oldstat",
    "readlink",
    "readlinkat",
    "stat",
    "stat64",
    "statfs",
    "statx",
    "inotify_add_watch",
];

const OPENS: [&str; 4] = ["open", "openat", "openat2", "creat"];
const STARTS: [&str; 2] = ["execve", "execveat"];

/// Calls that reach a peer, or let one reach us.
const REACHES: [&str; 5] = ["connect", "bind", "sendto", "sendmsg", "sendmmsg"];
/// Calls of `%network` that reach nobody by themselves.
const SOCKETS: [&str; 14] = [
    "socket",
    "socketpair",
    "getsockopt",
    "setsockopt",
    "getsockname",
    "getpeername",
    "shutdown",
    "listen",
    "accept",
    "accept4",
    "recv",
    "recvfrom",
    "recvmsg",
    "recvmmsg",
];

/// Flags with which an open changes something, or could.
const CHANGING_FLAGS: [&str; 6] =
    ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "O_TMPFILE"];

/// Reads a trace. Its first start is the bash that runs the line.
pub(crate) fn observed(trace: &str) -> Observed {
    let mut observed = Observed::default();
    for call in trace.lines().filter_map(Call::read) {
        call.note(&mut observed);
    }
    observed
}

/// A call of a trace; of one that was interrupted, its beginning, which has all that goes in.
struct Call<'a> {
    name: &'a str,
    arguments: &'a str,
}

impl<'a> Call<'a> {
    /// Reads a line such as `12 openat(AT_FDCWD</tmp>, "a", O_RDONLY) = 3</tmp/a>`.
    fn read(line: &'a str) -> Option<Self> {
        let call = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let (name, rest) = call.split_once('(')?;
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let arguments = rest.rsplit_once(" = ").map_or(rest, |(arguments, _)| arguments);
        // Making a folder that is there makes nothing.
        let nothing = name.starts_with("mkdir") && rest.contains(" = -1 EEXIST");
        (is_name && !nothing).then_some(Self { name, arguments })
    }

    fn note(&self, observed: &mut Observed) {
        if STARTS.contains(&self.name) {
            self.note_start(observed);
        } else if REACHES.contains(&self.name) {
            observed.network.extend(self.peer());
        } else if OPENS.contains(&self.name) {
            if self.changes() {
                observed.writes.extend(self.paths());
            }
        } else if !LOOKS.contains(&self.name) && !SOCKETS.contains(&self.name) {
            observed.writes.extend(self.paths());
        }
    }

    fn note_start(&self, observed: &mut Observed) {
        if !observed.traced {
            observed.traced = true;
            return;
        }
        let program = quoted(self.arguments).into_iter().next().map(|(_, path)| path);
        let name = program.map(|path| path.rsplit('/').next().unwrap_or_default().to_owned());
        // One that is started by its descriptor has no name to compare.
        let name = name.filter(|name| !name.is_empty());
        observed.programs.insert(name.unwrap_or_else(|| self.arguments.to_owned()));
    }

    /// The open changes something, or could.
    fn changes(&self) -> bool {
        let after_path =
            self.arguments.rfind('"').map_or(self.arguments, |at| &self.arguments[at..]);
        self.name == "creat" || CHANGING_FLAGS.iter().any(|flag| after_path.contains(flag))
    }

    /// The files that the call names: by path, below the folder that stands before it, or else
    /// by descriptor.
    fn paths(&self) -> Vec<String> {
        let named = quoted(self.arguments);
        if named.is_empty() {
            return annotation(self.arguments).map(str::to_owned).into_iter().collect();
        }
        named.into_iter().map(|(before, path)| absolute(annotation(before), path)).collect()
    }

    /// Who is reached; nobody, where it stays in the system.
    fn peer(&self) -> Option<String> {
        let has = |text| self.arguments.contains(text);
        // The C library asks a daemon for the names of users, if there is one.
        let of_users = has("sun_path=\"/var/run/nscd/socket\"");
        let of_kernel = has("AF_NETLINK") || has("<NETLINK");
        // Some ask so whether the machine has IPv6.
        let to_itself = self.name == "bind" && has("htons(0)") && has("\"::1\"");
        let silent = of_users || of_kernel || to_itself;
        (!silent).then(|| format!("{}({}", self.name, self.arguments))
    }
}

/// The quoted texts of a call's arguments, each with what stands between it and the one before.
fn quoted(arguments: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = arguments;
    while let Some((before, after)) = rest.split_once('"') {
        let end = closing_quote(after);
        found.push((before, &after[..end]));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    found
}

fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return at,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// The path in the last `<…>` of a text, with which `-y` says what a descriptor is.
fn annotation(text: &str) -> Option<&str> {
    let (_, after) = text.rsplit_once('<')?;
    after.split_once('>').map(|(path, _)| path)
}

fn absolute(folder: Option<&str>, path: &str) -> String {
    match folder {
        Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn the_first_start_is_the_shell() {
        let trace = "6 execve(\"/usr/bin/bash\", [\"bash\"], 0x7f /* 5 vars */) = 0\n\
                     7 execve(\"/usr/bin/touch\", [\"ls\", \"a\"], 0x55 /* 6 vars */ <unfinished ...>\n\
                     7 <... execve resumed>) = 0\n";
        let seen = observed(trace);
        assert!(seen.traced);
        assert_eq!(seen.programs, set(&["touch"]));
    }

    #[test]
    fn opens_are_told_apart_by_their_flags() {
        let trace = "7 openat(AT_FDCWD</p>, \"a\", O_RDONLY|O_CLOEXEC) = 3</p/a>\n\
                     7 openat(AT_FDCWD</p>, \"b\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</p/b>\n\
                     7 openat(4</q>, \"c\", O_RDWR) = -1 EROFS (Read-only file system)\n\
                     7 openat(AT_FDCWD</p>, \"O_RDWR\", O_RDONLY) = 3\n";
        assert_eq!(observed(trace).writes, set(&["/p/b", "/q/c"]));
    }

    #[test]
    fn what_is_not_known_to_look_changes() {
        let trace = "7 rename(\"x\", \"/y\") = 0\n\
                     7 unlinkat(AT_FDCWD</p>, \"a\", 0) = 0\n\
                     7 utimensat(0</p/t>, NULL, NULL, 0) = 0\n\
                     7 brandnewcall(\"/n\") = 0\n\
                     7 newfstatat(AT_FDCWD</p>, \"s\", {st_mode=S_IFREG|0644}, 0) = 0\n";
        assert_eq!(observed(trace).writes, set(&["x", "/y", "/p/a", "/p/t", "/n"]));
    }

    #[test]
    fn sockets_that_lead_out_are_reported() {
        let trace = "7 socket(AF_UNIX, SOCK_STREAM, 0) = 3<socket:[1]>\n\
                     7 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path=\"/var/run/nscd/socket\"}, 110) = -1 ENOENT\n";
        assert!(observed(trace).network.is_empty());
        let out = "7 connect(3, {sa_family=AF_INET, sin_port=htons(9)}, 16) = 0\n\
                   7 connect(3, {sa_family=AF_UNIX, sun_path=\"/run/docker.sock\"}, 110) = 0\n\
                   7 sendmmsg(3, [{msg_hdr={msg_name=NULL}}], 2, 0 <unfinished ...>\n";
        assert_eq!(observed(out).network.len(), 3);
    }
}
