//! A place to attack: a workspace, a home with secrets, a folder outside, listeners; and the
//! helper that runs a command in it from a process with one thread.

use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use dogu_sandbox::{Confinement, Machine};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the helper answered.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Answer {
    pub(crate) machine: Machine,
    pub(crate) reports: Vec<String>,
    pub(crate) output: String,
    pub(crate) placeholders: usize,
    pub(crate) descriptors: (usize, usize),
    pub(crate) terminal_output: String,
    /// Children that were left when everything had ended.
    pub(crate) left: usize,
}

impl Answer {
    /// How it ended.
    pub(crate) fn end(&self) -> &str {
        self.reports.last().map_or("", String::as_str)
    }
}

pub(crate) struct World {
    folder: TempDir,
    pub(crate) user: u32,
    ipv4: TcpListener,
    ipv6: Option<TcpListener>,
    _sockets: Vec<UnixListener>,
    abstract_name: String,
}

pub(crate) fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// The users that the tests can be: root and nobody, or whoever runs them.
pub(crate) fn users() -> Vec<u32> {
    if is_root() {
        return vec![0, 65534];
    }
    vec![std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap())]
}

impl World {
    pub(crate) fn new(user: u32) -> Self {
        let folder = reachable_folder();
        let at = |name: &str| folder.path().join(name);
        for name in [
            "ws/.git/hooks",
            "ws/sub/deep",
            "ws/lib/nested/.git/hooks",
            "ws/secret",
            "home/.ssh",
            "home/real-keys",
            "outside",
        ] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        for name in [
            "ws/.git/config",
            "ws/sub/deep/rules.md",
            "ws/rules.md",
            "ws/lib/nested/CLAUDE.md",
            "home/.bashrc",
            "outside/file",
            "outside/file2",
            "outside/gone",
            "outside/moved",
        ] {
            std::fs::write(at(name), "content").unwrap();
        }
        for name in ["ws/secret/id", "home/.ssh/id", "home/real-keys/id", "home/.token"] {
            std::fs::write(at(name), "SECRET").unwrap();
        }
        symlink("rules.md", at("ws/linked.md")).unwrap();
        symlink(at("home/real-keys"), at("home/keys")).unwrap();
        make_set_uid(&at("outside/set-uid"));
        let sockets = ["outside/listener", "home/agent.sock"];
        let mut sockets: Vec<_> =
            sockets.map(|name| UnixListener::bind(at(name)).unwrap()).into_iter().collect();
        let abstract_name = at("abstract").to_str().unwrap().to_owned();
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        sockets.push(UnixListener::bind_addr(&address).unwrap());
        if is_root() {
            let mut mknod = std::process::Command::new("mknod");
            assert!(
                mknod
                    .arg(at("ws/device"))
                    .args(["-m", "600", "c", "1", "5"])
                    .status()
                    .unwrap()
                    .success()
            );
            give_all(folder.path(), user);
        }
        Self {
            folder,
            user,
            ipv4: TcpListener::bind("127.0.0.1:0").unwrap(),
            ipv6: TcpListener::bind("[::1]:0").ok(),
            _sockets: sockets,
            abstract_name,
        }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn ipv4_port(&self) -> u16 {
        self.ipv4.local_addr().unwrap().port()
    }

    /// The confinement that the attacks are tried against.
    pub(crate) fn confinement(&self) -> Confinement {
        let all = |names: &[&str]| names.iter().map(|name| self.at(name)).collect();
        Confinement {
            writable: all(&["ws"]),
            fixed: all(&[
                "ws/.git",
                "ws/.mcp.json",
                "ws/.dogu",
                "ws/.agent/rules/x.md",
                "ws/sub/deep/rules.md",
                "ws/linked.md",
            ]),
            held: all(&["ws/lib/nested/.git", "ws/lib/nested/CLAUDE.md", "ws/lib/not/there"]),
            hidden: all(&["home/.ssh", "home/.token", "home/keys", "home/absent", "ws/secret"]),
            ..Confinement::default()
        }
    }

    /// What the attacks have to know.
    pub(crate) fn attack_facts(&self) -> Value {
        json!({
            "ws": self.at("ws"), "home": self.at("home"), "outside": self.at("outside"),
            "ipv4": self.ipv4_port(),
            "ipv6": self.ipv6.as_ref().map_or(1, |ipv6| ipv6.local_addr().unwrap().port()),
            "abstract": self.abstract_name, "test": std::process::id(), "supervisor": "SUPERVISOR",
        })
    }

    /// A wish for the helper: a command in the workspace, confined.
    pub(crate) fn wish(&self, argv: &[&str]) -> Value {
        json!({
            "argv": argv, "cwd": self.at("ws"), "confinement": self.confinement(),
            "env": ["PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin", "LC_ALL=C"],
            "user": if is_root() { Some(self.user) } else { None },
        })
    }

    /// The same with a line for bash.
    pub(crate) fn line(&self, line: &str) -> Value {
        self.wish(&["bash", "-c", line])
    }
}

/// Runs the helper, and sees that nothing of it is left.
pub(crate) fn run(wish: &Value) -> Answer {
    let output = helper(wish).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let answer: Answer = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text} {errors} {:?}", output.status));
    assert_eq!(answer.left, 0, "processes are left: {answer:?}");
    answer
}

/// Where the helper is.
pub(crate) fn helper_path() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests.parent().unwrap().parent().unwrap().join("examples/confined");
    assert!(path.exists(), "{} is built by `cargo test` as a whole", path.display());
    path
}

/// The helper with a wish, not started yet.
pub(crate) fn helper(wish: &Value) -> std::process::Command {
    // A helper that hangs fails its test.
    let mut command = std::process::Command::new("timeout");
    command.args(["--signal=KILL", "120"]).arg(helper_path()).arg(wish.to_string());
    command
}

/// What this machine offers to a user.
pub(crate) fn machine(user: u32) -> Machine {
    let world = World::new(user);
    run(&world.line("true")).machine
}

/// A folder that every user can get to, and that is not one of those that commands have privately.
fn reachable_folder() -> TempDir {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let open = |path: &Path| path.metadata().is_ok_and(|at| at.permissions().mode() & 1 != 0);
    let private = ["/tmp", "/var/tmp", "/run"].iter().any(|private| base.starts_with(private));
    let reachable = base.ancestors().all(open) && !private;
    let base = if is_root() && !reachable { Path::new("/") } else { base };
    let folder = tempfile::Builder::new().prefix("sandbox-").tempdir_in(base).unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    folder
}

fn make_set_uid(path: &Path) {
    std::fs::copy("/bin/bash", path).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o4755)).unwrap();
}

/// Gives everything but the set-uid program and the device to a user.
fn give_all(folder: &Path, user: u32) {
    chown(folder, Some(user), Some(user)).unwrap();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            give_all(&path, user);
        } else if !kind.is_symlink()
            && !["set-uid", "device"].map(Into::into).contains(&entry.file_name())
        {
            chown(&path, Some(user), Some(user)).unwrap();
        }
    }
}
