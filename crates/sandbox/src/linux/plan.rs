//! What of a confinement there is to do, worked out before the first process is made.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::placeholder::{Placeholders, guard};
use super::sockets;
use crate::{Confinement, Network, Reads, SpawnError};

/// Folders that each command has for itself.
pub(crate) const PRIVATE: [&str; 3] = ["/tmp", "/var/tmp", "/run"];

/// Things in `/run` that are part of the system on some systems.
const SYSTEM_IN_RUN: [&str; 3] =
    ["/run/current-system", "/run/booted-system", "/run/opengl-driver"];

/// What is mounted for a command.
#[derive(Debug, Default)]
pub(crate) struct MountPlan {
    /// Writable folders, the outer before the inner.
    pub(crate) writable: Vec<CString>,
    /// Folders between a writable folder and something fixed: they must not be renamed.
    pub(crate) anchored: Vec<CString>,
    /// What is read-only in them: files, folders, links, placeholders.
    pub(crate) fixed: Vec<CString>,
    /// The same without anything above it, as far as it is there.
    pub(crate) held: Vec<CString>,
    pub(crate) hidden: Vec<CString>,
    /// What Landlock keeps from being read where nothing can be mounted.
    pub(crate) unread: Vec<PathBuf>,
    pub(crate) home: Option<CString>,
    pub(crate) shown: Vec<CString>,
    pub(crate) sockets: Vec<CString>,
    pub(crate) scratch: CString,
}

/// Bytes of the private folders unless the limits say something else.
const SCRATCH: u64 = 2 << 30;

impl MountPlan {
    /// Looks at the file system; makes the placeholders that it needs, which `kept` holds.
    pub(crate) fn new(
        confinement: &Confinement,
        kept: &mut Placeholders,
    ) -> Result<Self, SpawnError> {
        let mut writable = confinement.writable.clone();
        writable.sort();
        writable.dedup();
        let mut plan = Self {
            writable: writable.iter().map(|path| writable_text(path)).collect::<Result<_, _>>()?,
            hidden: texts(&confinement.hidden)?,
            scratch: number(confinement.limits.scratch.unwrap_or(SCRATCH)),
            ..Self::default()
        };
        plan.show(confinement)?;
        let mut anchored = BTreeSet::new();
        for path in &confinement.fixed {
            plan.fix(path, &writable, &mut anchored, kept)?;
        }
        plan.anchored = texts(anchored)?;
        for path in &confinement.held {
            plan.hold(path, &writable)?;
        }
        Ok(plan)
    }

    /// Masks the sockets of others that there are now, where nobody looks at connections.
    pub(crate) fn mask_sockets(&mut self, writable: &[PathBuf]) {
        self.sockets = sockets::outside(writable);
    }

    /// Where nothing can be mounted: only what Landlock needs to know.
    pub(crate) fn without_mounts(confinement: &Confinement) -> Result<Self, SpawnError> {
        let writable = confinement.writable.iter().map(|path| writable_text(path));
        // In a folder that new files come into it would keep those from being read, too.
        let shared = confinement.writable.iter().map(PathBuf::as_path);
        let shared: Vec<_> = shared.chain(PRIVATE.iter().map(Path::new)).collect();
        let real = confinement.hidden.iter().filter_map(|path| path.canonicalize().ok());
        Ok(Self {
            writable: writable.collect::<Result<_, _>>()?,
            unread: real.filter(|path| !shared.iter().any(|at| path.starts_with(at))).collect(),
            ..Self::default()
        })
    }

    fn show(&mut self, confinement: &Confinement) -> Result<(), SpawnError> {
        let mut shown: Vec<PathBuf> = SYSTEM_IN_RUN.iter().map(PathBuf::from).collect();
        shown.extend(confinement.seen.iter().cloned());
        if confinement.network == Network::Host {
            shown.extend(resolver());
        }
        if let Reads::Without { home, shown: more } = &confinement.reads {
            self.home = Some(text(home)?);
            shown.extend(more.iter().cloned());
        }
        shown.sort();
        shown.retain(|path| path.symlink_metadata().is_ok());
        self.shown = texts(shown)?;
        Ok(())
    }

    fn fix(
        &mut self,
        path: &Path,
        writable: &[PathBuf],
        anchored: &mut BTreeSet<PathBuf>,
        kept: &mut Placeholders,
    ) -> Result<(), SpawnError> {
        text(path)?;
        // Below none of them it is read-only as it is; one of them itself is what was granted.
        let Some(root) = writable.iter().filter(|root| path.starts_with(root)).max() else {
            return Ok(());
        };
        if root == path {
            return Ok(());
        }
        let guarded = guard(path, root, kept)
            .map_err(|source| SpawnError::Placeholder { path: path.to_path_buf(), source })?;
        let Some(point) = guarded else { return Ok(()) };
        anchored.extend(
            point.ancestors().skip(1).take_while(|above| above != root).map(Path::to_path_buf),
        );
        if let Some(target) = target_of(path) {
            self.fix(&target, writable, anchored, kept)?;
        }
        self.fixed.push(text(&point)?);
        Ok(())
    }

    fn hold(&mut self, path: &Path, writable: &[PathBuf]) -> Result<(), SpawnError> {
        let below = |root: &PathBuf| path.starts_with(root) && path != root;
        if writable.iter().any(below) {
            self.held.push(text(path)?);
            if let Some(target) = target_of(path) {
                self.hold(&target, writable)?;
            }
        }
        Ok(())
    }
}

/// What a link leads to: that is what a program reads.
fn target_of(path: &Path) -> Option<PathBuf> {
    let target = path.is_symlink().then(|| path.canonicalize().ok())??;
    (target != path).then_some(target)
}

/// The file that names the name servers, where it is in a folder that is private.
fn resolver() -> Option<PathBuf> {
    let real = Path::new("/etc/resolv.conf").canonicalize().ok()?;
    real.starts_with("/run").then_some(real)
}

fn writable_text(path: &Path) -> Result<CString, SpawnError> {
    let taken = ["/proc", "/sys"].iter().any(|taken| path.starts_with(taken));
    if taken || path == Path::new("/") || path == Path::new("/dev") {
        let message = format!("{} cannot be a writable folder", path.display());
        return Err(SpawnError::Invalid(message));
    }
    text(path)
}

fn texts(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Vec<CString>, SpawnError> {
    paths.into_iter().map(|path| text(path.as_ref())).collect()
}

/// A path as the kernel takes it.
fn text(path: &Path) -> Result<CString, SpawnError> {
    let invalid = |why| SpawnError::Invalid(format!("{} {why}", path.display()));
    let plain = path.components().all(|part| {
        matches!(part, std::path::Component::RootDir | std::path::Component::Normal(_))
    });
    if !path.is_absolute() || !plain {
        return Err(invalid("is not an absolute, plain path"));
    }
    CString::new(path.as_os_str().as_bytes()).map_err(|_| invalid("has a NUL in it"))
}

fn number(number: u64) -> CString {
    CString::new(number.to_string()).unwrap_or_default()
}
