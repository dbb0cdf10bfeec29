//! Files that are read whole and replaced whole.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

/// More than any settings; what is larger is not read into memory for the sake of one entry.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// How many backups there can be of one file.
const MAX_BACKUPS: u32 = 10_000;
/// For files that hold a token.
const PRIVATE: u32 = 0o600;
const OWNER_MAY_WRITE: u32 = 0o200;
const PERMISSIONS: u32 = 0o7777;

/// Why a file cannot be read or replaced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system said no.
    #[error("could not {doing} {}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// A folder, a pipe, a device.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// A link to nothing.
    #[error("{} is a link to a file that does not exist", .0.display())]
    Dangling(PathBuf),
    /// A link that leads out of the project.
    #[error("{} leads out of the project, to {}", path.display(), real.display())]
    Outside {
        /// The file.
        path: PathBuf,
        /// Where it really is.
        real: PathBuf,
    },
    /// Whoever took the permission away meant it.
    #[error("{} is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// Too large to be settings.
    #[error("{} is larger than {} MB", .0.display(), MAX_BYTES / 1024 / 1024)]
    TooLarge(PathBuf),
    /// Bytes that are no text.
    #[error("{} is not UTF-8 text", .0.display())]
    NotText(PathBuf),
    /// Somebody else wrote it in the meantime.
    #[error("{} was changed by another program in the meantime", .0.display())]
    Changed(PathBuf),
    /// Every number is taken.
    #[error("{} has too many backups beside it", .0.display())]
    Backups(PathBuf),
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Io { doing, path, source }
}

/// A file as it is now, or the lack of one.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Where it really is, behind all links.
    real: PathBuf,
    pub(crate) text: Option<String>,
    metadata: Option<Metadata>,
}

impl Stored {
    /// Reads the file; `within` is a folder that it must not lead out of.
    pub(crate) fn read(path: &Path, within: Option<&Path>) -> Result<Self, FileError> {
        let real = real_path(path)?;
        if let Some(folder) = within {
            let folder = folder.canonicalize().map_err(failed("find", folder))?;
            if !real.starts_with(folder) {
                return Err(FileError::Outside { path: path.to_owned(), real });
            }
        }
        match fs::symlink_metadata(&real) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { real, text: None, metadata: None })
            }
            Err(error) => Err(failed("look at", path)(error)),
            Ok(metadata) => {
                let text = Some(text_of(path, &real, &metadata)?);
                Ok(Self { real, text, metadata: Some(metadata) })
            }
        }
    }

    /// Whether anybody but its owner can read it.
    pub(crate) fn is_read_by_others(&self) -> bool {
        self.metadata.as_ref().is_some_and(|metadata| metadata.mode() & 0o044 != 0)
    }

    /// A copy beside it, under a number that is free; none where there is nothing to keep, or
    /// where the newest backup is the same.
    pub(crate) fn back_up(&self) -> Result<Option<PathBuf>, FileError> {
        let (Some(text), Some(metadata)) = (&self.text, &self.metadata) else { return Ok(None) };
        let newest = self.backups().into_iter().next();
        if newest.is_some_and(|newest| fs::read(newest).is_ok_and(|b| b == text.as_bytes())) {
            return Ok(None);
        }
        for number in self.numbers().max().unwrap_or(0) + 1..=MAX_BACKUPS {
            let path = self.backup(number);
            match create(&path, metadata.mode() & PERMISSIONS) {
                Ok(mut file) => {
                    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
                    return match written {
                        Ok(()) => Ok(Some(path)),
                        Err(error) => {
                            let _ = fs::remove_file(&path);
                            Err(failed("write the backup", &path)(error))
                        }
                    };
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed("make the backup", &path)(error)),
            }
        }
        Err(FileError::Backups(self.real.clone()))
    }

    fn backup(&self, number: u32) -> PathBuf {
        beside(&self.real, &format!(".dogu-backup-{number}"))
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        let prefix = beside(&self.real, ".dogu-backup-");
        let prefix = prefix.file_name().map(|n| n.to_string_lossy().into_owned());
        let folder = self.real.parent().and_then(|folder| fs::read_dir(folder).ok());
        let names = folder.into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.filter_map(move |name| {
            name.to_str()?.strip_prefix(prefix.as_deref()?)?.parse::<u32>().ok()
        })
    }

    /// The backups, newest first.
    pub(crate) fn backups(&self) -> Vec<PathBuf> {
        let mut numbers: Vec<u32> = self.numbers().collect();
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers.into_iter().map(|number| self.backup(number)).collect()
    }

    /// Replaces it as a whole: whoever reads sees the old or the new one.
    pub(crate) fn replace(&self, text: &str, is_private: bool) -> Result<(), FileError> {
        let folder = self.real.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).map_err(failed("make the folder", folder))?;
        let draft = beside(&self.real, &format!(".dogu-{}", std::process::id()));
        let written = self.write_draft(&draft, text, is_private).and_then(|()| {
            self.unchanged()?;
            fs::rename(&draft, &self.real).map_err(failed("replace", &self.real))
        });
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        } else if let Ok(folder) = File::open(folder) {
            // The change is made; that it outlives a power cut is worth a try.
            let _ = folder.sync_all();
        }
        written
    }

    fn write_draft(&self, draft: &Path, text: &str, is_private: bool) -> Result<(), FileError> {
        // One of a process that died is in nobody's way.
        let _ = fs::remove_file(draft);
        let is_private = is_private || self.metadata.is_some();
        let file = if is_private { create(draft, PRIVATE) } else { create_usual(draft) };
        let mut file = file.map_err(failed("write to", draft))?;
        let result = (|| {
            file.write_all(text.as_bytes())?;
            if let Some(metadata) = &self.metadata {
                let now = file.metadata()?;
                if (now.uid(), now.gid()) != (metadata.uid(), metadata.gid()) {
                    fchown(&file, Some(metadata.uid()), Some(metadata.gid()))?;
                }
                file.set_permissions(Permissions::from_mode(metadata.mode() & PERMISSIONS))?;
            }
            file.sync_all()
        })();
        result.map_err(failed("write", draft))
    }

    /// Takes the file away.
    pub(crate) fn remove(&self) -> Result<(), FileError> {
        self.unchanged()?;
        fs::remove_file(&self.real).map_err(failed("remove", &self.real))
    }

    fn unchanged(&self) -> Result<(), FileError> {
        let now = match fs::read(&self.real) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed("read", &self.real)(error)),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        Err(FileError::Changed(self.real.clone()))
    }
}

fn create(path: &Path, mode: u32) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    Ok(file)
}

/// A file with the permissions that new files of this user have.
fn create_usual(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// The path with something after its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(ending);
    path.with_file_name(name)
}

/// Behind all links, as far as there is anything.
fn real_path(path: &Path) -> Result<PathBuf, FileError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => match path.canonicalize() {
            Ok(real) => Ok(real),
            Err(error) if metadata.is_symlink() && error.kind() == io::ErrorKind::NotFound => {
                Err(FileError::Dangling(path.to_owned()))
            }
            Err(error) => Err(failed("find", path)(error)),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) if parent != Path::new("") => {
                    Ok(real_path(parent)?.join(name))
                }
                _ => Ok(path.to_owned()),
            }
        }
        Err(error) => Err(failed("look at", path)(error)),
    }
}

fn text_of(path: &Path, real: &Path, metadata: &Metadata) -> Result<String, FileError> {
    if !metadata.is_file() {
        return Err(FileError::NotAFile(path.to_owned()));
    }
    if metadata.len() > MAX_BYTES {
        return Err(FileError::TooLarge(path.to_owned()));
    }
    if metadata.mode() & OWNER_MAY_WRITE == 0 {
        return Err(FileError::ReadOnly(path.to_owned()));
    }
    let mut bytes = Vec::new();
    let file = File::open(real).map_err(failed("read", path))?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    String::from_utf8(bytes).map_err(|_| FileError::NotText(path.to_owned()))
}
