//! Facts about paths, for whoever judges an action.
//!
//! A path is a name until the disk was asked. [`judge_path`] resolves links, `.` and `..` as
//! the kernel would and says which workspace root holds the result. The answer is true for a
//! moment only, which is enough: [`GrantedFiles`](crate::files::GrantedFiles) later opens the
//! real path of these facts without following any link, so what was judged is what is opened.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use dogu_policy::facts::{JudgedAction, PathFacts};
use dogu_tool::{Action, FileKind, Scope, ToolError};
use rustix::fs::{CWD, Stat, lstat, readlinkat};
use rustix::io::Errno;

use crate::files::words::{self, shown};
use crate::files::{Roots, kind_of_stat};

/// As many links as Linux follows in one path.
const MAX_LINKS: usize = 40;

/// The facts of one path, judged against the roots of a scope. To judge more than once, keep a
/// [`Roots`], which opens the roots only once.
pub fn judge_path(path: &Path, scope: &Scope) -> Result<PathFacts, ToolError> {
    Roots::of(scope)?.judge(path)
}

/// Every action with its facts, judged against the roots of a scope.
pub fn judge_actions(actions: &[Action], scope: &Scope) -> Result<Vec<JudgedAction>, ToolError> {
    Roots::of(scope)?.judge_all(actions)
}

/// Refuses what cannot be judged at all.
pub(crate) fn check_declared(path: &Path) -> Result<(), ToolError> {
    if path.as_os_str().is_empty() {
        return Err(ToolError::invalid("the path is empty"));
    }
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(ToolError::invalid(format!("the path `{}` contains a NUL byte", shown(path))));
    }
    if !path.is_absolute() {
        return Err(ToolError::invalid(format!("the path `{}` is not absolute", shown(path))));
    }
    Ok(())
}

/// `start` with `rest` appended, if that has only plain names.
pub(crate) fn plain_join(start: &Path, rest: &Path) -> Option<PathBuf> {
    let mut joined = PathBuf::with_capacity(start.as_os_str().len() + rest.as_os_str().len() + 1);
    joined.push(start);
    for component in rest.components() {
        match component {
            Component::Normal(name) => joined.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(joined)
}

/// Where a walk ended.
pub(crate) struct Found {
    pub(crate) real: PathBuf,
    pub(crate) kind: Option<FileKind>,
    /// It is a file that other names lead to.
    pub(crate) other_names: bool,
}

impl Found {
    pub(crate) fn of(real: PathBuf, stat: Option<&Stat>) -> Self {
        let kind = stat.map(kind_of_stat);
        let linked = kind == Some(FileKind::File) && stat.is_some_and(|stat| stat.st_nlink > 1);
        Self { real, kind, other_names: linked }
    }
}

/// Follows `rest` from `start`, a real path. `declared` is for messages.
pub(crate) fn walk(declared: &Path, start: &Path, rest: &Path) -> Result<Found, ToolError> {
    let mut walk =
        Walk { declared, real: start.to_path_buf(), pending: Vec::new(), links: 0, missing: false };
    walk.queue(rest);
    while let Some(step) = walk.pending.pop() {
        match step {
            Step::Up => walk.up()?,
            Step::Down(name) => walk.down(&name)?,
        }
    }
    let seen = if walk.missing { None } else { walk.stat()? };
    Ok(Found::of(walk.real, seen.as_ref()))
}

enum Step {
    Up,
    Down(OsString),
}

struct Walk<'a> {
    declared: &'a Path,
    /// Resolved so far: no component of it is a link.
    real: PathBuf,
    /// What is still to be followed, the next one last.
    pending: Vec<Step>,
    links: usize,
    /// `real` does not exist any more, nor can anything below it.
    missing: bool,
}

impl Walk<'_> {
    fn queue(&mut self, path: &Path) {
        for component in path.components().rev() {
            match component {
                Component::Normal(name) => self.pending.push(Step::Down(name.to_owned())),
                Component::ParentDir => self.pending.push(Step::Up),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
    }

    /// `..`: `real` has no links, so its parent is the one that the kernel means.
    fn up(&mut self) -> Result<(), ToolError> {
        if self.missing {
            let shown = shown(self.declared);
            return Err(ToolError::invalid(format!(
                "the path `{shown}` has a `..` after a folder that does not exist"
            ))
            .suggest("Send the path without `..`."));
        }
        if self.stat()?.as_ref().map(kind_of_stat) != Some(FileKind::Folder) {
            return Err(words::not_a_folder(self.declared));
        }
        self.real.pop();
        Ok(())
    }

    fn down(&mut self, name: &OsString) -> Result<(), ToolError> {
        self.real.push(name);
        if self.missing {
            return Ok(());
        }
        match readlinkat(CWD, &self.real, Vec::new()) {
            Ok(target) => self.follow(Path::new(OsStr::from_bytes(target.to_bytes()))),
            Err(Errno::INVAL) => Ok(()), // Not a link.
            Err(Errno::NOENT) => {
                self.missing = true;
                Ok(())
            }
            Err(Errno::NOTDIR) => Err(words::not_a_folder(self.declared)),
            Err(errno) => Err(words::io("look at", self.declared, errno)),
        }
    }

    fn follow(&mut self, target: &Path) -> Result<(), ToolError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            let shown = shown(self.declared);
            return Err(ToolError::invalid(format!(
                "the path `{shown}` goes through a loop of symbolic links, or too many of them"
            )));
        }
        self.real.pop();
        self.refuse_magic()?;
        if target.is_absolute() {
            self.real = PathBuf::from("/");
        }
        self.queue(target);
        Ok(())
    }

    /// The text of a link in `/proc` need not be where the kernel goes (`/proc/9/root` reads
    /// `/` and may lead into a container), so that no path through one can be judged.
    #[cfg(target_os = "linux")]
    fn refuse_magic(&self) -> Result<(), ToolError> {
        let system = rustix::fs::statfs(&self.real)
            .map_err(|errno| words::io("look at", self.declared, errno))?;
        if system.f_type == rustix::fs::PROC_SUPER_MAGIC {
            let shown = shown(self.declared);
            return Err(ToolError::denied(format!(
                "{shown} goes through a link in /proc, which is not followed"
            ))
            .suggest("Send the path of the file itself."));
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unnecessary_wraps, reason = "as on Linux")]
    fn refuse_magic(&self) -> Result<(), ToolError> {
        Ok(())
    }

    fn stat(&self) -> Result<Option<Stat>, ToolError> {
        match lstat(&self.real) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(words::io("look at", self.declared, errno)),
        }
    }
}
