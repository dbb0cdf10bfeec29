//! What `.gitignore`, `.ignore` and git's exclude files say of a path, as ripgrep reads them.
//!
//! A folder with such files is a level; others add none. `.ignore` decides over `.gitignore`,
//! that over `.git/info/exclude`, and that over the user's global excludes; of one kind the
//! deeper decides. git's files count only in a repository, up to its top.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use super::git_line::translate;

/// How much of an ignore file is read; more than any person wrote.
pub(super) const MAX_SIZE: u64 = 1_000_000;

/// The user's own excludes, the same for all repositories; read once.
static GLOBAL: LazyLock<Option<Gitignore>> = LazyLock::new(global);

/// What is said of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Nothing,
    Ignored,
    /// A line with a `!` takes it back.
    Shown,
}

/// The rules of one folder's files.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) dot_ignore: Option<Gitignore>,
    pub(super) gitignore: Option<Gitignore>,
    pub(super) exclude: Option<Gitignore>,
    /// The folder is the top of a repository.
    pub(super) top: bool,
}

impl Files {
    fn is_empty(&self) -> bool {
        self.dot_ignore.is_none() && self.gitignore.is_none() && self.exclude.is_none() && !self.top
    }
}

/// A folder whose files say something, with those above it.
#[derive(Debug)]
pub(super) struct Level {
    above: Option<Arc<Level>>,
    files: Files,
    /// Where, in a path from `/`, the part that the files speak of begins.
    base: usize,
    in_repository: bool,
    /// There are `.ignore` files here or above.
    dot_ignores: bool,
}

impl Level {
    /// The level of a folder: that above it where it has no files.
    pub(super) fn new(above: Option<&Arc<Level>>, files: Files, base: usize) -> Option<Arc<Self>> {
        if files.is_empty() {
            return above.cloned();
        }
        Some(Arc::new(Self {
            in_repository: files.top || above.is_some_and(|above| above.in_repository),
            dot_ignores: files.dot_ignore.is_some() || above.is_some_and(|above| above.dot_ignores),
            above: above.cloned(),
            files,
            base,
        }))
    }

    /// The folder is in a repository.
    pub(super) fn in_repository(&self) -> bool {
        self.in_repository
    }

    /// What is said of an entry, by its path from `/`.
    pub(super) fn said(&self, path: &[u8], folder: bool) -> Said {
        let mut by_git = Said::Nothing;
        if self.in_repository {
            by_git = self.said_by_git(path, folder);
        }
        if !self.dot_ignores {
            return by_git;
        }
        match self.first(|level| level.ask(level.files.dot_ignore.as_ref(), path, folder)) {
            Said::Nothing => by_git,
            said => said,
        }
    }

    fn said_by_git(&self, path: &[u8], folder: bool) -> Said {
        let (mut exclude, mut global) = (Said::Nothing, Said::Nothing);
        let mut at = Some(self);
        while let Some(level) = at {
            let said = level.ask(level.files.gitignore.as_ref(), path, folder);
            if said != Said::Nothing {
                return said;
            }
            if level.files.top {
                exclude = level.ask(level.files.exclude.as_ref(), path, folder);
                global = level.ask(GLOBAL.as_ref(), path, folder);
                break;
            }
            at = level.above.as_deref();
        }
        if exclude == Said::Nothing { global } else { exclude }
    }

    /// The first answer, from here up.
    fn first(&self, ask: impl Fn(&Level) -> Said) -> Said {
        let mut at = Some(self);
        while let Some(level) = at {
            let said = ask(level);
            if said != Said::Nothing {
                return said;
            }
            at = level.above.as_deref();
        }
        Said::Nothing
    }

    fn ask(&self, rules: Option<&Gitignore>, path: &[u8], folder: bool) -> Said {
        let (Some(rules), Some(below)) = (rules, path.get(self.base..)) else {
            return Said::Nothing;
        };
        match rules.matched(Path::new(OsStr::from_bytes(below)), folder) {
            Match::None => Said::Nothing,
            Match::Ignore(_) => Said::Ignored,
            Match::Whitelist(_) => Said::Shown,
        }
    }
}

/// Without this a deep tree of ignore files would be dropped one stack frame a level.
impl Drop for Level {
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(mut level) = above.and_then(Arc::into_inner) {
            above = level.above.take();
        }
    }
}

/// The file that the user's git settings name, or git's own place for it.
fn global() -> Option<Gitignore> {
    let path = gitconfig_excludes_path().filter(|path| path.is_file())?;
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_SIZE).read_to_end(&mut text).ok()?;
    parse(&text)
}

/// Reads the text of an ignore file. A line that means nothing is skipped, as git does.
pub(super) fn parse(text: &[u8]) -> Option<Gitignore> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut builder = GitignoreBuilder::new("");
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(line) = std::str::from_utf8(line).ok().and_then(translate) {
            let _ = builder.add_line(None, &line);
        }
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
