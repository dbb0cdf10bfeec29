//! What a change of a file costs that is journaled: `cargo bench -p dogu-runtime --bench changes`.
//!
//! Beside it, in interleaved pairs in the same run, the least that keeps a file whole: a temporary
//! file, fsync, rename. Medians, because the machine is noisy.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for people who measure")]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_runtime::StateDir;
use dogu_runtime::files::{GrantedFiles, Roots};
use dogu_runtime::journal::{ChangedBy, Journal};
use dogu_tool::{Action, ChangeOptions, FileChange, Files as _};

const PAIRS: usize = 400;
const SIZE: usize = 20_000;

/// Another content each time, so that nothing is kept already.
fn content(number: usize) -> Vec<u8> {
    format!("{number:08}\n").into_bytes().into_iter().cycle().take(SIZE).collect()
}

fn bare(path: &Path, content: &[u8]) {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside).unwrap();
    file.write_all(content).unwrap();
    file.sync_all().unwrap();
    fs::rename(&beside, path).unwrap();
}

struct Bench {
    folder: PathBuf,
    roots: Arc<Roots>,
    journal: Option<Arc<Journal>>,
}

impl Bench {
    /// One change of so many files, granted and judged as in a call.
    fn change(&self, files: usize, number: usize) {
        let change = |file| FileChange::write(self.folder.join(format!("{file}")), content(number));
        let changes: Vec<_> = (0..files).map(change).collect();
        let actions: Vec<_> = changes.iter().map(|change| Action::write(&change.path)).collect();
        let judged = self.roots.judge_all(&actions).unwrap();
        let mut granted = GrantedFiles::new(Arc::clone(&self.roots), judged);
        if let Some(journal) = &self.journal {
            granted = granted.journaled(Arc::clone(journal), ChangedBy::default());
        }
        granted.change(&changes, ChangeOptions::default()).unwrap();
    }

    fn report(&self, name: &str, files: usize) {
        let (mut alone, mut through) = (Vec::new(), Vec::new());
        for pair in 0..PAIRS + 20 {
            let begun = Instant::now();
            for file in 0..files {
                bare(&self.folder.join(format!("bare-{file}")), &content(pair));
            }
            let bare_time = begun.elapsed();
            let begun = Instant::now();
            self.change(files, pair);
            let time = begun.elapsed();
            if pair >= 20 {
                alone.push(bare_time);
                through.push(time);
            }
        }
        let (alone, through) = (median(alone), median(through));
        println!(
            "{name:34} p50 {:8.0} µs; write, fsync, rename alone {:8.0} µs; ratio {:.2}",
            through.as_secs_f64() * 1e6,
            alone.as_secs_f64() * 1e6,
            through.as_secs_f64() / alone.as_secs_f64()
        );
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().canonicalize().unwrap().join("work");
    fs::create_dir(&folder).unwrap();
    let roots = Arc::new(Roots::open(std::slice::from_ref(&folder)).unwrap());
    let state = StateDir::open(base.path().join("state")).unwrap();
    let plain = Bench { folder, roots, journal: None };
    plain.report("one file, not journaled", 1);
    let journaled = Bench { journal: Some(Arc::new(Journal::new(state))), ..plain };
    journaled.report("one file, journaled", 1);
    journaled.report("three files together, journaled", 3);
    let begun = Instant::now();
    for _ in 0..1_000 {
        journaled.journal.as_ref().unwrap().recover().unwrap();
    }
    println!("{:34} {:8.1} µs", "nothing to recover", begun.elapsed().as_secs_f64() * 1e3);
}
