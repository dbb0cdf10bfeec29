//! Ignore files: what of a workspace no agent is shown.
//!
//! `.doguignore` and `.rooignore` are looked for in every folder from the workspace root down to
//! the path, and mean what a `.gitignore` in that place would: a deeper file decides over a
//! higher one, and nothing below an ignored folder can be taken back. The two names do not know
//! of each other: either is enough to shut a path out. A file that cannot be used shuts out all
//! that is below its folder. The ignore files themselves may be read.
//!
//! Asking costs one `stat` for each name in each folder; what was read is kept until that
//! `stat` differs.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fd::BorrowedFd;
use rustix::fs::{CWD, Mode, openat};
use rustix::io::Errno;

use crate::files::READING;

/// The names of ignore files.
const NAMES: [&str; 2] = [".doguignore", ".rooignore"];
/// No list of files that a person wrote is longer, in bytes.
const MAX_SIZE: u64 = 1_000_000;
/// How many ignore files are kept; more than any workspace has.
const MAX_KEPT: usize = 10_000;
/// A file that changed less than these seconds ago may change again within the same time stamp.
const SETTLED_AFTER: u64 = 2;

/// The ignore files that were met so far.
#[derive(Debug, Default)]
pub(crate) struct IgnoreFiles {
    kept: Mutex<HashMap<PathBuf, Kept>>,
}

#[derive(Debug)]
struct Kept {
    stamp: Stamp,
    rules: Arc<Rules>,
}

/// What an ignore file says.
#[derive(Debug)]
enum Rules {
    Lines(Gitignore),
    /// It cannot be used.
    All,
}

/// By this a changed file is known; the time of the last change of anything cannot be set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    file: u64,
    size: u64,
    changed: (i64, i64),
}

/// What the ignore files of a folder, and of those above it, say of its entries.
#[derive(Debug)]
pub(crate) struct FolderView {
    folder: PathBuf,
    shut_out: ShutOut,
}

/// The ignore files that count in a folder, for those who go from folder to folder.
#[derive(Clone, Debug)]
pub(crate) struct ShutOut {
    by_name: Vec<Lineage>,
}

/// The ignore files of one name, from the root down.
#[derive(Clone, Debug, Default)]
struct Lineage {
    files: Vec<(PathBuf, Arc<Rules>)>,
    /// The folder as a whole is shut out, by this file.
    shut: Option<PathBuf>,
}

impl IgnoreFiles {
    /// The ignore file that shuts agents out of a real path below a root, if one does.
    pub(crate) fn shutting_out(&self, root: &Path, real: &Path, folder: bool) -> Option<PathBuf> {
        let name = real.strip_prefix(root).ok()?.file_name()?;
        self.in_folder(root, real.parent()?).ignored(name, folder).map(Path::to_path_buf)
    }

    /// What is said of the entries of a folder, which is a root or below it.
    pub(crate) fn in_folder(&self, root: &Path, folder: &Path) -> FolderView {
        let lineages = NAMES.iter().map(|name| self.lineage(name, root, folder));
        let shut_out = ShutOut { by_name: lineages.collect() };
        FolderView { shut_out, folder: folder.to_path_buf() }
    }

    fn lineage(&self, name: &str, root: &Path, folder: &Path) -> Lineage {
        let mut lineage = Lineage::default();
        let mut at = root.to_path_buf();
        lineage.add(self.rules(at.join(name)));
        for part in folder.strip_prefix(root).unwrap_or(Path::new("")) {
            at.push(part);
            lineage.shut = lineage.decide(&at, true).map(Path::to_path_buf);
            if lineage.shut.is_some() {
                break;
            }
            lineage.add(self.rules(at.join(name)));
        }
        lineage
    }

    /// The rules of a file, if it is there.
    fn rules(&self, file: PathBuf) -> Option<(PathBuf, Arc<Rules>)> {
        let stamp = match fs::metadata(&file) {
            Ok(found) => Stamp::of(&found),
            Err(error) if is_absent(&error) => return None,
            Err(error) => return Some((file.clone(), unusable(&file, &error))),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(&file).filter(|known| known.stamp == stamp) {
            return Some((file, Arc::clone(&known.rules)));
        }
        let (stamp, rules) = read(&file);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        match stamp.filter(Stamp::is_settled) {
            Some(stamp) => drop(kept.insert(file.clone(), Kept { stamp, rules: rules.clone() })),
            None => drop(kept.remove(&file)),
        }
        Some((file, rules))
    }
}

impl FolderView {
    /// The file that shuts agents out of an entry of this folder.
    pub(crate) fn ignored(&self, name: &OsStr, folder: bool) -> Option<&Path> {
        self.shut_out.ignored(&self.folder.join(name), name, folder)
    }

    /// The ignore files that count here.
    pub(crate) fn into_shut_out(self) -> ShutOut {
        self.shut_out
    }
}

impl ShutOut {
    /// There are no ignore files.
    pub(crate) fn is_silent(&self) -> bool {
        self.by_name.iter().all(|lineage| lineage.files.is_empty())
    }

    /// The file that shuts agents out of a real path, which is an entry of the folder.
    pub(crate) fn ignored(&self, path: &Path, name: &OsStr, folder: bool) -> Option<&Path> {
        let own_file = is_ignore_file(name);
        self.by_name.iter().find_map(|lineage| match &lineage.shut {
            Some(file) => Some(file.as_path()),
            None if own_file => None,
            None => lineage.decide(path, folder),
        })
    }

    /// What counts in a folder of this one, which is not shut out and has ignore files. They are
    /// read through its descriptor.
    pub(crate) fn child(&self, fd: BorrowedFd<'_>, folder: &Path) -> Self {
        let mut child = self.clone();
        for (lineage, name) in child.by_name.iter_mut().zip(NAMES) {
            lineage.add(read_in(fd, folder.join(name), name));
        }
        child
    }
}

/// The name is that of an ignore file.
pub(crate) fn is_ignore_file(name: &OsStr) -> bool {
    NAMES.iter().any(|own| name == *own)
}

/// The rules of a file in an open folder, if it is there.
fn read_in(fd: BorrowedFd<'_>, file: PathBuf, name: &str) -> Option<(PathBuf, Arc<Rules>)> {
    match openat(fd, name, READING, Mode::empty()) {
        Ok(open) => {
            let (_, rules) = read_opened(&file, File::from(open));
            Some((file, rules))
        }
        Err(Errno::NOENT) => None,
        Err(errno) => {
            let rules = unusable(&file, &errno);
            Some((file, rules))
        }
    }
}

impl Lineage {
    fn add(&mut self, found: Option<(PathBuf, Arc<Rules>)>) {
        self.files.extend(found);
    }

    /// The file that shuts out a path, whose folder is not shut out. The deepest that says
    /// anything decides, but no deeper file mends one that cannot be used.
    fn decide(&self, path: &Path, folder: bool) -> Option<&Path> {
        let broken = self.files.iter().find(|(_, rules)| matches!(**rules, Rules::All));
        if let Some((file, _)) = broken {
            return Some(file);
        }
        for (file, rules) in self.files.iter().rev() {
            let Rules::Lines(lines) = &**rules else { continue };
            match lines.matched(path, folder) {
                Match::Ignore(_) => return Some(file),
                Match::Whitelist(_) => return None,
                Match::None => {}
            }
        }
        None
    }
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            file: found.ino(),
            size: found.size(),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// It changed long enough ago for its time to tell it from the next change.
    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        u64::try_from(self.changed.0).is_ok_and(|changed| changed + SETTLED_AFTER <= now)
    }
}

/// Reads a file that is there, and the stamp of what was read.
fn read(file: &Path) -> (Option<Stamp>, Arc<Rules>) {
    match openat(CWD, file, READING, Mode::empty()) {
        Ok(open) => read_opened(file, File::from(open)),
        Err(errno) => (None, unusable(file, &io::Error::from(errno))),
    }
}

fn read_opened(file: &Path, open: File) -> (Option<Stamp>, Arc<Rules>) {
    match open.metadata() {
        Ok(found) => {
            let rules = lines_of(file, open, &found)
                .map_or_else(|why| unusable(file, &why), |lines| Arc::new(Rules::Lines(lines)));
            (Some(Stamp::of(&found)), rules)
        }
        Err(error) => (None, unusable(file, &error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn lines_of(file: &Path, open: File, found: &Metadata) -> Result<Gitignore, String> {
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut text = String::new();
    let size = open.take(MAX_SIZE + 1).read_to_string(&mut text).map_err(|why| why.to_string())?;
    if size as u64 > MAX_SIZE {
        return Err("it is too large".to_owned());
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    parse(folder, &text).map_err(|why| why.to_string())
}

fn parse(folder: &Path, text: &str) -> Result<Gitignore, ignore::Error> {
    let mut builder = GitignoreBuilder::new(folder);
    builder.case_insensitive(cfg!(target_os = "macos"))?;
    for line in text.trim_start_matches('\u{feff}').lines() {
        builder.add_line(None, line)?;
    }
    builder.build()
}

/// Says once for each state of a file that it shuts out everything.
fn unusable(file: &Path, why: &dyn std::fmt::Display) -> Arc<Rules> {
    tracing::warn!("{} cannot be used, all below it is ignored: {why}", file.display());
    Arc::new(Rules::All)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct World {
        folder: tempfile::TempDir,
        ignores: IgnoreFiles,
    }

    impl World {
        fn new(files: &[(&str, &str)]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let world = Self { folder, ignores: IgnoreFiles::default() };
            for (name, text) in files {
                world.write(name, text);
            }
            world
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        /// The ignore file, relative to the root.
        fn by(&self, name: &str) -> Option<String> {
            let root = self.folder.path();
            let real = root.join(name.trim_end_matches('/'));
            let file = self.ignores.shutting_out(root, &real, name.ends_with('/'))?;
            Some(file.strip_prefix(root).unwrap().to_str().unwrap().to_owned())
        }

        fn ignored(&self, name: &str) -> bool {
            self.by(name).is_some()
        }
    }

    #[test]
    fn s4_lines_mean_what_they_mean_to_git() {
        let world = World::new(&[(
            ".doguignore",
            "# comment\n*.log\n!keep.log\n/only-here\nprivate/\ndocs/**/draft.md\n",
        )]);
        for name in ["a.log", "x/y/b.log", "only-here", "private/", "private/x/y", "x/private/z"] {
            assert_eq!(world.by(name).as_deref(), Some(".doguignore"), "{name}");
        }
        assert!(world.ignored("docs/a/b/draft.md"));
        for name in ["keep.log", "x/only-here", "private", "src/main.rs", "", ".doguignore"] {
            assert!(!world.ignored(name), "{name}");
        }
    }

    #[test]
    fn s4_every_folder_may_have_one_and_the_deeper_decides() {
        let world = World::new(&[
            (".doguignore", "*.txt\nshut/\n"),
            ("a/.doguignore", "!open.txt\n"),
            ("a/b/.rooignore", "secret\n"),
            ("shut/.doguignore", "!*\n"),
        ]);
        assert!(world.ignored("open.txt"));
        assert!(!world.ignored("a/open.txt"));
        assert!(!world.ignored("a/b/open.txt"));
        assert_eq!(world.by("a/b/c/secret").as_deref(), Some("a/b/.rooignore"));
        assert!(!world.ignored("a/secret"));
        assert!(world.ignored("shut/open"), "a folder that is ignored stays so");
        assert!(world.ignored("shut/.doguignore"));
    }

    #[test]
    fn neither_name_takes_back_what_the_other_says() {
        let world = World::new(&[(".doguignore", "a\n!b\n"), (".rooignore", "b\n!a\n")]);
        assert_eq!(world.by("a").as_deref(), Some(".doguignore"));
        assert_eq!(world.by("b").as_deref(), Some(".rooignore"));
    }

    #[test]
    fn the_ignore_files_may_be_read() {
        let world = World::new(&[(".doguignore", "*\n"), ("a/.rooignore", "*\n")]);
        assert!(!world.ignored(".doguignore"));
        assert!(!world.ignored(".rooignore"));
        assert!(world.ignored("a/.rooignore"), "its folder is ignored");
    }

    #[test]
    fn a_file_that_cannot_be_used_shuts_out_all_below() {
        let long = "x\n".repeat(600_000);
        let broken: [(&str, &[u8]); 3] =
            [("long", long.as_bytes()), ("glob", b"a\n[z-a]\n"), ("bytes", b"\xff\xfe")];
        for (folder, content) in broken {
            let world = World::new(&[("other/a", "")]);
            world.write(&format!("{folder}/inner/.doguignore"), "!*\n");
            fs::write(world.folder.path().join(folder).join(".doguignore"), content).unwrap();
            let found = world.by(&format!("{folder}/inner/a"));
            assert_eq!(found, Some(format!("{folder}/.doguignore")));
            assert!(!world.ignored("other/a"));
            assert!(!world.ignored(&format!("{folder}/.doguignore")));
        }
    }

    #[test]
    fn a_folder_of_that_name_and_a_link_to_nothing() {
        let world = World::new(&[("a/.doguignore/x", ""), ("rules", "b\n")]);
        assert!(world.ignored("a/y"));
        symlink("nowhere", world.folder.path().join(".rooignore")).unwrap();
        assert!(!world.ignored("b"));
        symlink("rules", world.folder.path().join(".doguignore")).unwrap();
        assert!(world.ignored("b"));
    }

    #[test]
    fn a_change_is_seen_at_once() {
        let world = World::new(&[(".doguignore", "a\n")]);
        for _ in 0..3 {
            assert!(world.ignored("a") && !world.ignored("b"));
            world.write(".doguignore", "b\n");
            assert!(!world.ignored("a") && world.ignored("b"));
            fs::remove_file(world.folder.path().join(".doguignore")).unwrap();
            assert!(!world.ignored("a") && !world.ignored("b"));
            world.write(".doguignore", "a\n");
        }
    }

    #[test]
    fn what_is_settled_is_kept_until_its_stamp_differs() {
        let world = World::new(&[(".doguignore", "a\n")]);
        let file = world.folder.path().join(".doguignore");
        let stamp = Stamp::of(&fs::metadata(&file).unwrap());
        let rules = Arc::new(Rules::Lines(parse(world.folder.path(), "kept\n").unwrap()));
        world.ignores.kept.lock().unwrap().insert(file, Kept { stamp, rules });
        assert!(world.ignored("kept") && !world.ignored("a"));
        world.write(".doguignore", "other\n");
        assert!(!world.ignored("kept") && world.ignored("other"));
        let old = Stamp { changed: (1, 0), ..stamp };
        assert!(old.is_settled() && !stamp.is_settled());
    }
}
