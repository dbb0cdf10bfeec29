//! The files of a workspace that decide what dogu does there, read once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// How many such files a workspace may have to be trusted.
pub const MAX_FILES: usize = 4_096;
/// How large each may be.
pub const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// How large all of them may be together.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How many folders may be inside each other.
pub const MAX_DEPTH: usize = 32;

/// Any permission to run a file.
const EXECUTABLE: u32 = 0o111;

/// What is looked at: files, and folders with all that is in them. Texts for the model, such as
/// `AGENTS.md`, are not here: they start and allow nothing.
const PLACES: &[&str] =
    &["dogu.yaml", ".roomodes", ".mcp.json", "mcp.json", "goondan.yaml", ".dogu", ".roo"];

/// What stands under one name.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// A plain file.
    File { bytes: Vec<u8>, executable: bool },
    /// A link; with the content of the file of the workspace that it leads to.
    Link { target: OsString, bytes: Option<Vec<u8>> },
    /// A pipe, a socket or a device: never opened.
    Other,
}

/// The files of a workspace that decide what dogu does there, as they were when they were read.
#[derive(Debug)]
pub struct WorkspaceFiles {
    root: PathBuf,
    found: BTreeMap<PathBuf, Found>,
    digest: String,
    unfit: Option<String>,
}

impl WorkspaceFiles {
    /// Reads them. What makes the workspace unfit to be trusted is no error; only a folder that
    /// cannot be found is.
    pub fn scan(workspace: &Path) -> io::Result<Self> {
        let root = workspace.canonicalize()?;
        let mut scan = Scan { root: &root, found: BTreeMap::new(), bytes: 0 };
        // What was read before it went wrong is kept: it may still tighten.
        let unfit = PLACES.iter().try_for_each(|place| scan.tree(Path::new(place))).err();
        let found = scan.found;
        let digest = digest(&found);
        Ok(Self { root, found, digest, unfit })
    }

    /// The real path of the workspace.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The hash of all of them: names, contents, links.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Why the workspace cannot be trusted at all, if so.
    pub fn unfit(&self) -> Option<&str> {
        self.unfit.as_deref()
    }

    /// Whether there is nothing to trust.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.unfit.is_none()
    }

    /// The content of one of them, by its path in the workspace. A link that leads out of the
    /// workspace has none: what is behind it may change without being noticed.
    pub fn bytes(&self, path: impl AsRef<Path>) -> Option<&[u8]> {
        self.found.get(path.as_ref())?.bytes()
    }

    /// All that can be read, with their paths in the workspace.
    pub fn contents(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.found.iter().filter_map(|(path, found)| Some((path.as_path(), found.bytes()?)))
    }

    /// What should make a person look twice: links that lead elsewhere, and what is no file.
    pub fn suspicious(&self) -> Vec<String> {
        let odd = self.found.iter().filter_map(|(path, found)| match found {
            Found::Link { target, bytes: None } => Some(format!(
                "{} is a link to {}, which is not used",
                path.display(),
                target.display()
            )),
            Found::Other => Some(format!("{} is neither file nor folder", path.display())),
            Found::File { .. } | Found::Link { .. } => None,
        });
        odd.collect()
    }
}

impl Found {
    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            Self::Link { bytes, .. } => bytes.as_deref(),
            Self::Other => None,
        }
    }
}

/// A look at a workspace under way.
struct Scan<'a> {
    root: &'a Path,
    found: BTreeMap<PathBuf, Found>,
    bytes: u64,
}

impl Scan<'_> {
    /// All under one name. Folders wait in a list, so that no depth can exhaust the stack.
    fn tree(&mut self, place: &Path) -> Result<(), String> {
        let mut waiting = vec![(place.to_owned(), 0)];
        while let Some((path, depth)) = waiting.pop() {
            let whole = self.root.join(&path);
            let facts = match fs::symlink_metadata(&whole) {
                Ok(facts) => facts,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(unreadable(&path, &error)),
            };
            if !facts.is_dir() {
                self.add(path, &facts)?;
                continue;
            }
            if depth >= MAX_DEPTH {
                return Err(format!("{} is more than {MAX_DEPTH} folders deep", path.display()));
            }
            let names = self.names(&whole).map_err(|error| unreadable(&path, &error))?;
            if waiting.len() + names.len() + self.found.len() > MAX_FILES {
                return Err(format!("{} has more than {MAX_FILES} files", place.display()));
            }
            waiting.extend(names.into_iter().map(|name| (path.join(name), depth + 1)));
        }
        Ok(())
    }

    /// The names in a folder, at most one more than there may be.
    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let room = MAX_FILES.saturating_sub(self.found.len()) + 1;
        fs::read_dir(folder)?.take(room).map(|entry| Ok(entry?.file_name())).collect()
    }

    fn add(&mut self, path: PathBuf, facts: &fs::Metadata) -> Result<(), String> {
        let whole = self.root.join(&path);
        let found = if facts.is_symlink() {
            let target = fs::read_link(&whole).map_err(|error| unreadable(&path, &error))?;
            let bytes = self.behind_link(&path, &whole)?;
            Found::Link { target: target.into_os_string(), bytes }
        } else if facts.is_file() {
            let bytes = self.read(&path, &whole)?;
            Found::File { bytes, executable: facts.mode() & EXECUTABLE != 0 }
        } else {
            Found::Other
        };
        self.found.insert(path, found);
        Ok(())
    }

    /// The content of the file that a link leads to, if that is a file of the workspace.
    fn behind_link(&mut self, path: &Path, link: &Path) -> Result<Option<Vec<u8>>, String> {
        match link.canonicalize() {
            Ok(real) if real.starts_with(self.root) && real.is_file() => {
                self.read(path, &real).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn read(&mut self, path: &Path, whole: &Path) -> Result<Vec<u8>, String> {
        let bytes = read_plain(whole).map_err(|error| unreadable(path, &error))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(format!("{} is larger than {MAX_FILE_BYTES} bytes", path.display()));
        }
        self.bytes += bytes.len() as u64;
        if self.bytes > MAX_BYTES {
            return Err(format!("its settings are larger than {MAX_BYTES} bytes"));
        }
        Ok(bytes)
    }
}

/// Reads a plain file, one byte more than it may have at most. Neither links nor pipes that were
/// put in its place meanwhile are opened.
fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file any more"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {error}", path.display())
}

/// Each part goes in with its length, so that no two sets of files read the same.
fn digest(found: &BTreeMap<PathBuf, Found>) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    };
    for (path, found) in found {
        add(path.as_os_str().as_bytes());
        match found {
            Found::File { bytes, executable: false } => [b"file", &bytes[..]].map(&mut add),
            Found::File { bytes, executable: true } => [b"program", &bytes[..]].map(&mut add),
            Found::Link { target, bytes: Some(bytes) } => {
                add(target.as_bytes());
                [b"link inside", &bytes[..]].map(&mut add)
            }
            Found::Link { target, bytes: None } => [b"link", target.as_bytes()].map(&mut add),
            Found::Other => [b"other", &[][..]].map(&mut add),
        };
    }
    hasher.finalize().to_hex().to_string()
}
