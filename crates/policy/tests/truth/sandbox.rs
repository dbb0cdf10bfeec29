//! Runs command lines in a real bash: in a sandbox without network, traced.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::support::decision::PROJECT;
use crate::support::suite::folder;
use crate::trace::{Observed, observed};

/// An empty home folder, inside the sandbox.
const HOME: &str = "/tmp/home";
/// Where the lines and the traces are, inside the sandbox.
const RECORDS: &str = "/tmp/records";

/// Every call that names a file or a peer, and those that change a file that is open already.
const CALLS: &str = "trace=%file,%network,execve,execveat,fchmod,fchown,ftruncate,fallocate,\
                     fsetxattr,fremovexattr";

/// Traces one line; its number is the first argument. A line that does not end is stopped.
const RUN_ONE: &str = r#"
# Its entry in the index is out of date again: a git that refreshes the index is seen to write.
touch -d "@$((1700000000 + $1))" LICENSE
line=$(cat "$RECORDS/$1.line"; printf .)
timeout -s KILL 20 strace -f -qq -y -e signal=none -e "$CALLS" -o "$RECORDS/$1.trace" \
    bash --noprofile --norc -c "${line%.}" </dev/null >/dev/null 2>"$RECORDS/$1.stderr"
printf '%s' "$?" >"$RECORDS/$1.status"
"#;

/// What was seen of a line.
pub(crate) struct Run {
    /// The line.
    pub(crate) line: String,
    /// What its programs did.
    pub(crate) observed: Observed,
    /// What it said on its standard error.
    pub(crate) stderr: String,
    /// Its exit status, as bash tells it.
    pub(crate) status: i32,
}

/// Runs the lines, each in a bash of its own, in one copy of the workspace.
pub(crate) fn run(lines: &[String]) -> Vec<Run> {
    let project = workspace();
    let records = TempDir::new().unwrap();
    for (number, line) in lines.iter().enumerate() {
        fs::write(records.path().join(format!("{number}.line")), line).unwrap();
    }
    fs::write(records.path().join("one.sh"), RUN_ONE).unwrap();
    must_work(&sandbox(project.path(), records.path(), lines.len()).output().unwrap(), "bwrap");
    let runs = lines.iter().enumerate();
    runs.map(|(number, line)| read_run(records.path(), number, line)).collect()
}

/// A workspace as `fixture.sh` makes it.
fn workspace() -> TempDir {
    let project = TempDir::new().unwrap();
    let script = folder().join("fixture.sh");
    let made = Command::new("bash").arg(script).current_dir(project.path()).output().unwrap();
    must_work(&made, "fixture.sh");
    project
}

fn must_work(output: &Output, name: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}: {errors}", output.status);
}

/// The sandbox that traces all lines: everything is read-only but the project and the records,
/// and there is no network, no other process and no variable of ours.
fn sandbox(project: &Path, records: &Path, lines: usize) -> Command {
    let mut command = Command::new("bwrap");
    command.args("--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp".split(' '));
    command.args("--unshare-all --die-with-parent --new-session --clearenv".split(' '));
    command.arg("--bind").arg(project).arg(PROJECT);
    command.arg("--bind").arg(records).arg(RECORDS);
    // npm makes the folder of its cache when it first runs; whoever uses it has one.
    command.args(["--dir", HOME, "--dir", &format!("{HOME}/.npm"), "--chdir", PROJECT]);
    for (name, value) in variables() {
        command.args(["--setenv", name, &value]);
    }
    for (name, value) in QUIET {
        command.args(["--setenv", name, value]);
    }
    let last = lines.saturating_sub(1);
    let all = format!("seq 0 {last} | xargs -P 4 -n 1 bash {RECORDS}/one.sh");
    command.args(["bash", "--noprofile", "--norc", "-c", &all]);
    command
}

/// What makes git only look: else `status` and `diff` refresh the index by the way.
const QUIET: [(&str, &str); 6] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "diff.autoRefreshIndex"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_logs_max", "0"),
];

fn variables() -> [(&'static str, String); 5] {
    [
        ("PATH", path()),
        ("HOME", HOME.to_owned()),
        ("USER", "somebody".to_owned()),
        ("RECORDS", RECORDS.to_owned()),
        ("CALLS", CALLS.to_owned()),
    ]
}

/// The folders of programs: the system's, and the one of the cargo that runs this test, since
/// the `cargo` of a home folder starts that one first.
fn path() -> String {
    let system = "/usr/local/bin:/usr/bin:/bin";
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    match cargo.as_deref().and_then(Path::parent) {
        Some(folder) => format!("{system}:{}", folder.display()),
        None => system.to_owned(),
    }
}

fn read_run(records: &Path, number: usize, line: &str) -> Run {
    let read = |kind: &str| {
        let bytes = fs::read(records.join(format!("{number}.{kind}")))
            .unwrap_or_else(|error| panic!("no {kind} of {line:?}: {error}"));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Run {
        line: line.to_owned(),
        observed: observed(&read("trace")),
        stderr: read("stderr"),
        status: read("status").parse().unwrap(),
    }
}
