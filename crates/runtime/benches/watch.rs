//! What seeing a command's changes costs: `cargo bench -p dogu-runtime --bench watch`.
//!
//! A tree of 20,000 files in 1,000 folders, which is a git repository. Beside it, in interleaved
//! pairs in the same run, `git status` on the same tree, which has the same to find out: what is
//! another one than it was. Medians, because the machine is noisy.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program for people who measure")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dogu_runtime::StateDir;
use dogu_runtime::files::Roots;
use dogu_runtime::journal::{Before, ChangedBy, Journal};
use dogu_tool::CancelFlag;

const FOLDERS: usize = 1_000;
const FILES: usize = 20;
const PAIRS: usize = 40;
/// What a command waits at most.
const LIMIT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_mins(1);

struct Bench {
    base: PathBuf,
    roots: Arc<Roots>,
}

impl Bench {
    fn new(base: &Path) -> Self {
        let base = base.canonicalize().unwrap();
        for folder in 0..FOLDERS {
            let folder = base.join(format!("proj/{}/{folder}", folder % 10));
            fs::create_dir_all(&folder).unwrap();
            for file in 0..FILES {
                let line = format!("{} {file}: a line of a source file\n", folder.display());
                fs::write(folder.join(format!("{file}.rs")), line.repeat(30)).unwrap();
            }
        }
        let bench = Self { roots: Arc::new(Roots::open(&[base.join("proj")]).unwrap()), base };
        for line in ["init -q", "add .", "-c user.name=n -c user.email=e commit -qm all"] {
            bench.git(line);
        }
        // Until all times are old enough to be believed.
        std::thread::sleep(Duration::from_secs(3));
        bench.git("status --porcelain");
        bench
    }

    fn git(&self, line: &str) {
        let mut git = Command::new("git");
        git.args(line.split(' ')).current_dir(self.base.join("proj")).stdout(Stdio::null());
        assert!(git.status().unwrap().success(), "git {line}");
    }

    /// A journal that nobody has used.
    fn journal(&self, name: &str) -> Journal {
        Journal::new(StateDir::open(self.base.join(name)).unwrap())
    }

    fn before(&self, journal: &Journal, limit: Duration) -> Before {
        journal.watch_before(&self.roots, limit, &CancelFlag::new()).unwrap()
    }

    /// Medians of something and of `git status`, in pairs.
    fn pairs(&self, name: &str, mut one: impl FnMut(usize) -> Duration) {
        let (mut own, mut git) = (Vec::new(), Vec::new());
        for pair in 0..PAIRS {
            own.push(one(pair));
            let begun = Instant::now();
            self.git("status --porcelain");
            git.push(begun.elapsed());
        }
        report(name, median(own), median(git));
    }
}

fn report(name: &str, own: Duration, git: Duration) {
    let [own, git] = [own, git].map(|time| time.as_secs_f64() * 1e3);
    println!("{name:44} {own:8.1} ms; git status {git:6.1} ms; ratio {:.2}", own / git);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(folder.path());
    let by = ChangedBy::default();

    let journal = bench.journal("warm");
    assert_eq!(bench.before(&journal, LONG).covered(), FOLDERS * FILES);
    bench.pairs("before, nothing changed", |_| {
        timed(|| assert_eq!(bench.before(&journal, LONG).covered(), FOLDERS * FILES))
    });
    bench.pairs("the same, in a new process", |_| {
        let journal = bench.journal("warm");
        timed(|| assert_eq!(bench.before(&journal, LONG).covered(), FOLDERS * FILES))
    });
    bench.pairs("after, nothing changed", |_| {
        let before = bench.before(&journal, LONG);
        timed(|| assert!(before.finish(&by).unwrap().changed.is_empty()))
    });
    let edited = bench.base.join("proj/0/0/0.rs");
    bench.pairs("before, one file changed", |pair| {
        fs::write(&edited, format!("{pair}")).unwrap();
        timed(|| drop(bench.before(&journal, LONG)))
    });
    bench.pairs("after, one file changed", |pair| {
        let before = bench.before(&journal, LONG);
        fs::write(&edited, format!("changed {pair}")).unwrap();
        timed(|| assert_eq!(before.finish(&by).unwrap().changed.len(), 1))
    });
    bench.pairs("before, nothing stored, until all is", |pair| {
        let journal = bench.journal(&format!("cold-{pair}"));
        let time = timed(|| assert_eq!(bench.before(&journal, LONG).covered(), FOLDERS * FILES));
        fs::remove_dir_all(bench.base.join(format!("cold-{pair}"))).unwrap();
        time
    });
    let mut covered = 0;
    bench.pairs("the same, 300 ms at most", |pair| {
        let journal = bench.journal(&format!("cold-{pair}"));
        let time = timed(|| covered = bench.before(&journal, LIMIT).covered());
        fs::remove_dir_all(bench.base.join(format!("cold-{pair}"))).unwrap();
        time
    });
    println!("of {} files {covered} were stored in that time the last time", FOLDERS * FILES);
}
