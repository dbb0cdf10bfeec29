//! Real source files: of this repository, of its dependencies, and of the Python that is installed.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use super::language::Language;
use super::random::Random;
use super::text::{indent, is_blank, squashed};

const MIN_LINES: usize = 60;
const MAX_LINES: usize = 900;
/// A longer line is data, not code.
const MAX_LINE: usize = 400;
/// So many files of a language are enough to choose from.
const MAX_FILES: usize = 3_000;
/// With so many a language has its full share of the cases.
const ENOUGH_FILES: usize = 150;
const SKIPPED: [&str; 4] = ["target", "node_modules", ".git", "__pycache__"];

/// A file that can be edited.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) language: Language,
    pub(crate) lines: Vec<String>,
    /// The lines that are not blank, without their white space.
    pub(crate) filled: Vec<String>,
    /// How many of those stand before each line, and before the end.
    pub(crate) rank: Vec<usize>,
    /// One step of indentation.
    pub(crate) unit: String,
}

impl Source {
    fn open(path: &Path, language: Language) -> Option<Self> {
        let lines = read(path)?;
        let all: Vec<String> = lines.iter().map(|line| squashed(line)).collect();
        let mut rank = vec![0];
        rank.extend(all.iter().scan(0, |count, line| {
            *count += usize::from(!line.is_empty());
            Some(*count)
        }));
        let filled = all.into_iter().filter(|line| !line.is_empty()).collect();
        let unit = unit(&lines);
        Some(Self { path: path.to_owned(), language, lines, filled, rank, unit })
    }
}

/// One step of indentation: what lines are most often deeper than the line before.
fn unit(lines: &[String]) -> String {
    let filled: Vec<&String> = lines.iter().filter(|line| !is_blank(line)).collect();
    let mut counts: Vec<(usize, &str)> = Vec::new();
    for pair in filled.windows(2) {
        let Some(deeper) = indent(pair[1]).strip_prefix(indent(pair[0])) else { continue };
        match counts.iter_mut().find(|(_, step)| *step == deeper) {
            Some(count) => count.0 += 1,
            None if ["\t", "  ", "    "].contains(&deeper) => counts.push((1, deeper)),
            None => {}
        }
    }
    counts.iter().max().map_or_else(|| "    ".to_owned(), |(_, step)| (*step).to_owned())
}

/// Where files are, by language.
pub(crate) struct Corpus {
    files: BTreeMap<Language, Vec<PathBuf>>,
    /// What was read so far; nothing where a file is not fit.
    read: RefCell<HashMap<PathBuf, Option<Rc<Source>>>>,
}

impl Corpus {
    /// The files below folders.
    pub(crate) fn of(folders: &[PathBuf]) -> Self {
        let mut files = BTreeMap::new();
        for folder in folders {
            collect(folder, &mut files);
        }
        for paths in files.values_mut() {
            paths.sort();
            without_copies(paths);
            thin_out(paths);
        }
        Self { files, read: RefCell::default() }
    }

    /// How many files each language has.
    pub(crate) fn sizes(&self) -> Vec<(Language, usize)> {
        self.files.iter().map(|(language, paths)| (*language, paths.len())).collect()
    }

    /// Any file that is fit. Languages are as likely as one another, but those with few files.
    pub(crate) fn pick(&self, random: &mut Random) -> Rc<Source> {
        let weight = |paths: &Vec<PathBuf>| paths.len().min(ENOUGH_FILES);
        let all: usize = self.files.values().map(weight).sum();
        loop {
            let mut at = random.below(all);
            for (language, paths) in &self.files {
                if at < weight(paths) {
                    if let Some(source) = self.pick_of(*language, random) {
                        return source;
                    }
                    break;
                }
                at -= weight(paths);
            }
        }
    }

    /// A few tries to find a file of one language.
    pub(crate) fn pick_of(&self, language: Language, random: &mut Random) -> Option<Rc<Source>> {
        for _ in 0..20 {
            let path = random.pick(self.files.get(&language)?)?;
            let mut read = self.read.borrow_mut();
            let source = read
                .entry(path.clone())
                .or_insert_with(|| Source::open(path, language).map(Rc::new));
            if let Some(source) = source {
                return Some(source.clone());
            }
        }
        None
    }
}

/// Leaves one of the files that have the same name and length: packages carry copies.
fn without_copies(paths: &mut Vec<PathBuf>) {
    let mut seen = HashSet::new();
    paths.retain(|path| {
        let length = path.metadata().map(|metadata| metadata.len()).unwrap_or_default();
        seen.insert((path.file_name().map(ToOwned::to_owned), length))
    });
}

/// Leaves every n-th, so that no package fills the list.
fn thin_out(paths: &mut Vec<PathBuf>) {
    let step = paths.len().div_ceil(MAX_FILES).max(1);
    let mut at = 0;
    paths.retain(|_| {
        at += 1;
        (at - 1) % step == 0
    });
}

fn collect(folder: &Path, files: &mut BTreeMap<Language, Vec<PathBuf>>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
            collect(&path, files);
        } else if let Some(language) = Language::of(&path).filter(|_| kind.is_file()) {
            files.entry(language).or_default().push(path);
        }
    }
}

/// The lines of a file that ends each with LF and has nothing in it that an editor would not show.
fn read(path: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(path).ok()?;
    let body = text.strip_suffix('\n')?;
    let odd =
        |c: char| (c.is_control() && c != '\n' && c != '\t') || "\u{feff}\u{2028}".contains(c);
    if body.contains(odd) {
        return None;
    }
    let lines: Vec<String> = body.split('\n').map(str::to_owned).collect();
    let fits = (MIN_LINES..=MAX_LINES).contains(&lines.len());
    (fits && lines.iter().all(|line| line.len() <= MAX_LINE)).then_some(lines)
}

/// This repository.
pub(crate) fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap_or(root)
}

/// What a machine that builds this project has: the repository, the sources of all packages in
/// its lock file, and Python's library where there is one.
pub(crate) fn at_hand() -> Vec<PathBuf> {
    let mut folders = vec![repository().join("crates"), repository().join("docs")];
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .current_dir(repository())
        .output();
    if let Ok(output) = metadata
        && let Ok(metadata) = serde_json::from_slice::<serde_json::Value>(&output.stdout)
    {
        for package in metadata["packages"].as_array().into_iter().flatten() {
            let manifest = package["manifest_path"].as_str().map(Path::new);
            let folder = manifest.and_then(Path::parent).filter(|_| !package["source"].is_null());
            folders.extend(folder.map(Path::to_path_buf));
        }
    }
    let python = Command::new("python3")
        .args(["-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"])
        .output();
    if let Ok(output) = python {
        folders.push(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    }
    folders
}
