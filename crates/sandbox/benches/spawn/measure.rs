//! The measurements.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench reports and may panic")]

use std::ffi::CString;
use std::fs::File;
use std::io::{Read, pipe};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use dogu_sandbox::{Command, Confinement, Limits, Machine, Network, Report, Reports, probe, spawn};

const ROUNDS: usize = 200;

/// Something whose time is taken: until its result is known, and until nothing of it is left.
struct Contender {
    name: &'static str,
    run: Box<dyn FnMut() -> (Duration, Duration)>,
    known: Vec<Duration>,
    gone: Vec<Duration>,
}

pub(crate) fn main() {
    let rounds = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(ROUNDS);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut contenders = contenders(folder.path());
    for _ in 0..rounds {
        for contender in &mut contenders {
            let (known, gone) = (contender.run)();
            contender.known.push(known);
            contender.gone.push(gone);
        }
    }
    let base = median(&mut contenders[0].known);
    println!("{:<46} {:>9} {:>6} {:>9} {:>6}", "", "known µs", "ratio", "gone µs", "ratio");
    for contender in &mut contenders {
        let (known, gone) = (median(&mut contender.known), median(&mut contender.gone));
        let ratio = |time: Duration| time.as_secs_f64() / base.as_secs_f64();
        println!(
            "{:<46} {:>9} {:>6.2} {:>9} {:>6.2}",
            contender.name,
            known.as_micros(),
            ratio(known),
            gone.as_micros(),
            ratio(gone)
        );
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn contenders(folder: &Path) -> Vec<Contender> {
    let machine = probe(Duration::from_secs(5));
    println!("{machine:?}");
    let confinement = workspace(folder);
    let mut list = vec![plain("bash -c true", &["bash", "-c", "true"]), plain("true", &["true"])];
    if Path::new("/usr/bin/bwrap").exists() {
        list.push(plain("bwrap, the same walls, true", &bubblewrap(folder)));
    }
    let without_network = Confinement { network: Network::Host, ..confinement.clone() };
    let closed = Confinement { closed_ports: vec![4000], ..without_network.clone() };
    let nothing = machine.clone().without_namespaces().without_landlock().without_seccomp();
    let all = Some(confinement.clone());
    list.extend([
        ours("off", &machine, None),
        ours("no walls, no capabilities", &nothing, all.clone()),
        ours("Landlock", &Machine { landlock: machine.landlock, ..nothing.clone() }, all.clone()),
        ours("seccomp", &Machine { seccomp: true, ..nothing }, all.clone()),
        ours("Landlock and seccomp (partial)", &machine.clone().without_namespaces(), all.clone()),
        ours("everything but the network namespace", &machine, Some(without_network)),
        ours("the same with a closed port", &machine, Some(closed)),
        ours("everything but Landlock", &machine.clone().without_landlock(), all.clone()),
        ours("everything but seccomp", &machine.clone().without_seccomp(), all.clone()),
        ours(
            "everything but its own /proc",
            &machine.clone().without_own_processes_view(),
            all.clone(),
        ),
        ours(
            "everything but its own /dev/pts",
            &Machine { own_terminals: false, ..machine.clone() },
            all.clone(),
        ),
        ours("everything (full)", &machine, all),
    ]);
    list
}

/// A workspace as dogu makes it: some things fixed, some hidden.
fn workspace(folder: &Path) -> Confinement {
    let at = |name: &str| folder.join(name);
    for name in ["ws/.git/hooks", "home/.ssh", "home/.aws", "home/.config/gh"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    Confinement {
        writable: vec![at("ws")],
        fixed: [".git", ".dogu", "dogu.yaml", ".mcp.json"].map(|name| at("ws").join(name)).into(),
        hidden: [".ssh", ".aws", ".config/gh", ".gnupg", ".netrc"]
            .map(|name| at("home").join(name))
            .into(),
        limits: Limits { processes: Some(512), open_files: Some(1024), ..Limits::default() },
        ..Confinement::default()
    }
}

fn bubblewrap(folder: &Path) -> Vec<&'static str> {
    let at = |name: &str| -> &'static str {
        String::leak(folder.join(name).to_str().unwrap().to_owned())
    };
    let (ws, git, ssh) = (at("ws"), at("ws/.git"), at("home/.ssh"));
    let mut words = "bwrap --unshare-all --die-with-parent --new-session --ro-bind / / --dev /dev \
        --proc /proc --tmpfs /tmp --tmpfs /var/tmp --tmpfs /run"
        .split_ascii_whitespace()
        .collect::<Vec<_>>();
    words.extend(["--bind", ws, ws, "--ro-bind", git, git, "--tmpfs", ssh, "--chdir", ws, "true"]);
    words
}

fn contender(name: &'static str, run: impl FnMut() -> (Duration, Duration) + 'static) -> Contender {
    Contender { name, run: Box::new(run), known: Vec::new(), gone: Vec::new() }
}

/// A program started the plain way, with pipes.
fn plain(name: &'static str, words: &[&'static str]) -> Contender {
    let words = words.to_vec();
    contender(name, move || {
        let start = Instant::now();
        let mut child = std::process::Command::new(words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
        child.stderr.take().unwrap().read_to_end(&mut output).unwrap();
        assert!(child.wait().unwrap().success(), "{}", String::from_utf8_lossy(&output));
        let time = start.elapsed();
        (time, time)
    })
}

/// `true` started by this crate, with pipes.
fn ours(name: &'static str, machine: &Machine, confinement: Option<Confinement>) -> Contender {
    let machine = machine.clone();
    contender(name, move || {
        let start = Instant::now();
        let (mut output, writer) = pipe().unwrap();
        let (mut errors, error_writer) = pipe().unwrap();
        let command = Command {
            argv: vec![c"true".into()],
            env: vec![CString::from(c"PATH=/usr/bin:/bin")],
            cwd: c"/".into(),
            stdio: [File::open("/dev/null").unwrap().into(), writer.into(), error_writer.into()],
            terminal: false,
            confinement: confinement.clone(),
        };
        let spawned = spawn(command, &machine).unwrap();
        let mut text = Vec::new();
        output.read_to_end(&mut text).unwrap();
        errors.read_to_end(&mut text).unwrap();
        let end = end_of(File::from(spawned.reports));
        let known = start.elapsed();
        assert_eq!(end, Report::Ended { exit_code: Some(0), signal: None });
        collect(spawned.pid);
        let gone = start.elapsed();
        spawned.kept.remove();
        (known, gone)
    })
}

fn end_of(mut pipe: File) -> Report {
    let mut reports = Reports::default();
    let mut buffer = [0; 512];
    loop {
        wait_for(pipe.as_raw_fd());
        let count = pipe.read(&mut buffer).unwrap();
        assert_ne!(count, 0, "it was killed");
        if let Some(report) = reports.push(&buffer[..count]).pop()
            && report != Report::Running
        {
            return report;
        }
    }
}

#[expect(unsafe_code, reason = "calls that the standard library does not have")]
fn wait_for(pipe: i32) {
    let mut poll = libc::pollfd { fd: pipe, events: libc::POLLIN, revents: 0 };
    // SAFETY: one struct, and the count says one.
    unsafe { libc::poll(&raw mut poll, 1, -1) };
}

#[expect(unsafe_code, reason = "calls that the standard library does not have")]
fn collect(pid: i32) {
    // SAFETY: no status is asked for.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
}
