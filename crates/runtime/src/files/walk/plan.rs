//! What is the same for a whole walk, and what is left out of it.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dogu_policy::path::SecretsBelow;
use dogu_tool::{CancelFlag, LeftOut, WalkOptions};
use rustix::fd::BorrowedFd;
use rustix::fs::Stat;

use super::super::grant::Spot;
use super::super::known_secrets::SecretIds;
use super::super::roots::Roots;
use super::entry::Opening;
use super::folder::{Held, Rules};
use super::found::{self, Found, base_of};
use super::levels::Said;
use super::queue::Queue;
use crate::ignored::ShutOut;

/// What is the same for a whole walk.
pub(super) struct Plan<'a> {
    pub(super) roots: &'a Roots,
    pub(super) spot: &'a Spot<'a>,
    pub(super) options: &'a WalkOptions,
    pub(super) cancel: &'a CancelFlag,
    pub(super) held: Held,
    pub(super) queue: Queue,
    /// The start's path from `/`, with a `/` after it.
    pub(super) base: Vec<u8>,
    /// Nothing in a folder may be opened.
    names_only: bool,
    secrets: Arc<SecretIds>,
    secrets_met: AtomicU64,
    /// dogu's own folder, where it is below the start.
    private: Option<PathBuf>,
    /// Workspace roots below a start that is in none.
    roots_below: Vec<PathBuf>,
}

/// What becomes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Shown,
    /// It is not spoken of.
    Hidden,
    LeftOut(LeftOut),
}

/// An entry to judge.
pub(super) struct Candidate<'a> {
    pub(super) name: &'a CStr,
    /// From `/`.
    pub(super) path: &'a [u8],
    pub(super) folder: bool,
}

impl Candidate<'_> {
    fn real(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.path))
    }

    /// A repository's own store. git takes a file of the name for one, too.
    fn is_store(&self) -> bool {
        match self.name.to_bytes() {
            b".git" => true,
            b".hg" | b".svn" | b".jj" => self.folder,
            _ => false,
        }
    }
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        roots: &'a Roots,
        spot: &'a Spot<'a>,
        tree: bool,
        options: &'a WalkOptions,
        cancel: &'a CancelFlag,
    ) -> Self {
        let start = spot.real.as_path();
        let mut base = start.as_os_str().as_bytes().to_vec();
        if base.last() != Some(&b'/') {
            base.push(b'/');
        }
        let in_a_root = roots.outermost(start).is_some();
        let roots_below = roots.real_paths().filter(|root| !in_a_root && root.starts_with(start));
        Self {
            roots,
            spot,
            options,
            cancel,
            held: Held::default(),
            queue: Queue::default(),
            base,
            names_only: !tree,
            secrets: roots.known_secrets(),
            secrets_met: AtomicU64::new(0),
            private: roots.private().filter(|own| own.starts_with(start)).map(Path::to_path_buf),
            roots_below: roots_below.map(Path::to_path_buf).collect(),
        }
    }

    /// What entries are opened with.
    pub(super) fn opening(&self) -> Opening<'_> {
        Opening {
            secrets: &self.secrets,
            places: self.roots.places(),
            met: &self.secrets_met,
            names_only: self.names_only,
        }
    }

    /// How many secrets were met only by opening or entering them.
    pub(super) fn secrets_met(&self) -> u64 {
        self.secrets_met.load(Ordering::Relaxed)
    }

    /// The walk must end.
    pub(super) fn is_over(&self) -> bool {
        self.queue.is_over() || self.cancel.is_canceled()
    }

    /// The folder is a place of secrets under another name.
    pub(super) fn is_known_secret(&self, folder: &Stat) -> bool {
        let known = self.secrets.folder(folder).is_some();
        if known {
            self.secrets_met.fetch_add(1, Ordering::Relaxed);
        }
        known
    }

    /// What holds in the start.
    pub(super) fn rules_of_start(&self, found: Found, fd: BorrowedFd<'_>) -> Rules {
        let start = &self.spot.real;
        let view = self.roots.ignored_in(start);
        let mut rules = Rules {
            ignores: None,
            shut_out: view.map(|view| Arc::new(view.into_shut_out())),
            secrets: SecretsBelow::folder(start, self.roots.places()),
        };
        if self.options.git_ignores {
            let above = found::above(self.roots, start);
            rules.ignores = found.level(above.as_ref(), fd, base_of(start));
        }
        rules
    }

    /// What holds in a folder below one.
    pub(super) fn rules_below(
        &self,
        above: &Rules,
        found: Found,
        fd: BorrowedFd<'_>,
        path: &Path,
    ) -> Rules {
        let ignores = if self.options.git_ignores {
            found.level(above.ignores.as_ref(), fd, base_of(path))
        } else {
            None
        };
        Rules {
            ignores,
            shut_out: self.shut_out_below(above.shut_out.as_ref(), found, fd, path),
            secrets: above.secrets.child(path, self.roots.places()),
        }
    }

    fn shut_out_below(
        &self,
        above: Option<&Arc<ShutOut>>,
        found: Found,
        fd: BorrowedFd<'_>,
        path: &Path,
    ) -> Option<Arc<ShutOut>> {
        match above {
            Some(above) if found.shuts_out() => Some(Arc::new(above.child(fd, path))),
            Some(above) => Some(Arc::clone(above)),
            None if self.roots_below.iter().any(|root| root == path) => {
                self.roots.ignored_in(path).map(|view| Arc::new(view.into_shut_out()))
            }
            None => None,
        }
    }

    /// What becomes of an entry of a folder with these rules.
    pub(super) fn judge(&self, rules: &Rules, entry: &Candidate<'_>) -> Verdict {
        let dot = entry.name.to_bytes().first() == Some(&b'.');
        if dot && entry.is_store() {
            return if self.options.hidden {
                Verdict::LeftOut(LeftOut::VersionControl)
            } else {
                Verdict::Hidden
            };
        }
        let ignores = rules.ignores.as_ref();
        let said = ignores.map_or(Said::Nothing, |level| level.said(entry.path, entry.folder));
        if dot && !self.options.hidden && said != Said::Shown {
            return Verdict::Hidden;
        }
        let left_out = self.closed(rules, entry);
        match left_out.or((said == Said::Ignored).then_some(LeftOut::GitIgnored)) {
            Some(why) => Verdict::LeftOut(why),
            None => Verdict::Shown,
        }
    }

    /// Why an entry is closed whatever the options.
    fn closed(&self, rules: &Rules, entry: &Candidate<'_>) -> Option<LeftOut> {
        let shut_out = rules.shut_out.as_ref().filter(|shut_out| !shut_out.is_silent());
        let name = OsStr::from_bytes(entry.name.to_bytes());
        if shut_out.is_some_and(|by| by.ignored(entry.real(), name, entry.folder).is_some()) {
            return Some(LeftOut::ShutOut);
        }
        let places = self.roots.places();
        let secret = rules.secrets.sensitive(entry.real(), entry.folder, places).is_some();
        (secret || self.is_private(entry)).then_some(LeftOut::Secret)
    }

    fn is_private(&self, entry: &Candidate<'_>) -> bool {
        self.private.as_ref().is_some_and(|own| own.as_os_str().as_bytes() == entry.path)
    }
}
