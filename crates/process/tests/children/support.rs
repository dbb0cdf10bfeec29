use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use dogu_process::sandbox::Confinement;
use dogu_process::{Child, Launch, Parting, Supervisor};

/// The supervisor of this crate.
pub(crate) fn supervisor() -> Supervisor {
    Supervisor::new(env!("CARGO_BIN_EXE_dogu-supervise"), Vec::<OsString>::new())
}

/// A line for bash, with all namespaces and nothing writable.
pub(crate) fn confined(line: &str) -> Launch {
    let mut launch = free(line);
    launch.confinement = Some(Confinement::default());
    launch
}

/// A line for bash, with nothing around it.
pub(crate) fn free(line: &str) -> Launch {
    let mut launch = Launch::new(["bash", "-c", line], "/");
    let path = std::env::var_os("PATH").unwrap_or_default();
    launch.environment = vec![("PATH".into(), path)];
    launch
}

/// A line for bash with numbers of its own, which may take so long to end by itself.
pub(crate) fn apart(line: &str, parting: Option<Parting>) -> Launch {
    let mut launch = free(line);
    launch.apart = true;
    launch.parting = parting;
    launch
}

/// What it wrote to both streams.
pub(crate) fn written(child: &Child) -> String {
    child.log().result(100_000).text
}

/// Processes below this one which have the mark in their command line.
pub(crate) fn marked(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| {
        let name = process.file_name().into_string().ok()?;
        let pid: u32 = name.parse().ok()?;
        let line = fs::read(process.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        (pid != std::process::id() && line.contains(mark)).then(|| format!("{pid}: {line}"))
    });
    lines.collect()
}

/// Waits until no process has the mark; what is left where there still is one.
pub(crate) async fn gone(mark: &str) -> Vec<String> {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let left = marked(mark);
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until something is true.
pub(crate) async fn until(what: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !what() {
        assert!(Instant::now() < end, "it did not become true");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// How many descriptors this process has.
pub(crate) fn descriptors(pid: u32) -> usize {
    fs::read_dir(Path::new("/proc").join(pid.to_string()).join("fd")).unwrap().count()
}
