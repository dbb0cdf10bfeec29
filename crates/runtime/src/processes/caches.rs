//! Where commands keep what makes the next one faster.
//!
//! They cannot write to the caches of their user: what one command puts there would be run by the
//! user's own tools. So each workspace has caches of its own, which only its commands use.
//!
//! What cargo and go have downloaded for their user is too much to be fetched again for each
//! workspace, so there the user's folders are seen with a layer of the workspace over them. Where
//! nothing can be laid over them, the workspace has folders of its own for these, too.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use dogu_policy::path::Places;
use dogu_process::sandbox::{Confinement, Instead, Machine, Network, Overlay};
use rustix::fs::{FlockOperation, FsWord, flock, statfs};

/// Variables that name a cache, and the folder that they get. Only of tools that fail where they
/// cannot write it, and that need nothing of what their user's own has.
const CACHES: [(&str, &str); 5] = [
    ("npm_config_cache", "npm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("GOCACHE", "go-build"),
];
/// What cargo downloads to, in its home. Settings and programs beside them stay read-only.
const CARGO_DOWNLOADS: [&str; 2] = ["registry", "git"];
/// What cargo locks while it does, and where it notes what it has used. Locks of a layer hold in
/// one command alone, so these are files of the workspace that all of its commands see.
const CARGO_LOCKS: [&str; 3] = [".package-cache", ".package-cache-mutate", ".global-cache"];
/// What of the user's cargo is seen where they have another home.
const CARGO_SETTINGS: [&str; 2] = ["config.toml", "config"];
/// File systems that the kernel takes no layers from: overlay, NFS, FUSE, 9P, FAT.
const NO_LAYERS: [FsWord; 5] = [0x794c_7630, 0x6969, 0x6573_5546, 0x0102_1997, 0x4d44];
/// Commands that have a layer at once; one more sees the user's folders as they are.
const MOST_AT_ONCE: usize = 64;
/// Characters of a workspace's name.
const NAME: usize = 16;

/// The caches of a workspace, for one command.
pub(crate) struct Caches {
    folder: PathBuf,
    variables: Vec<(&'static str, PathBuf)>,
    in_use: InUse,
}

/// Folders that the kernel works in for a command; nobody else gets them as long as this lives.
#[derive(Debug, Default)]
pub(super) struct InUse(Vec<File>);

impl InUse {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What is to be known to give a command its caches.
pub(super) struct Giving<'a> {
    pub(super) places: &'a Places,
    /// The first root of the workspace.
    pub(super) root: &'a Path,
    /// What the command will find in its environment.
    pub(super) environment: &'a [(OsString, OsString)],
    pub(super) machine: &'a Machine,
}

impl Giving<'_> {
    /// Gives a command its caches: adds what it may write, and what is laid over what.
    pub(super) fn give(&self, confinement: &mut Confinement) -> Option<Caches> {
        let folder = folder(self.places, self.root)?;
        let (variables, in_use) = (Vec::new(), InUse::default());
        let mut caches = Caches { folder: folder.clone(), variables, in_use };
        let layers = self.machine.overlays && takes_layers(&folder);
        self.give_cargo(confinement, &mut caches, layers);
        self.give_go(confinement, &mut caches, layers);
        confinement.writable.push(folder);
        Some(caches)
    }

    fn give_cargo(&self, confinement: &mut Confinement, caches: &mut Caches, layers: bool) {
        let Some(home) = self.value("CARGO_HOME").or_else(|| self.below_home(".cargo")) else {
            return;
        };
        let Some(real) = outside(&home, confinement) else { return };
        if !layers || !real.is_dir() {
            return give_own_cargo(&real, confinement, caches);
        }
        let before = confinement.overlays.len();
        for name in CARGO_DOWNLOADS {
            // cargo makes it itself where it may; over nothing there can be no layer. Without a
            // network nothing comes into it, and the user's home stays as it is.
            if confinement.network == Network::Host {
                let _ = make(&real.join(name));
            }
            lay(&real.join(name), &format!("cargo-{name}"), confinement, caches);
        }
        if confinement.overlays.len() > before {
            for name in CARGO_LOCKS {
                let (at, own) = (real.join(name), caches.layers().join(format!("cargo{name}")));
                if touch(&own).is_ok() && (at.exists() || touch(&at).is_ok()) {
                    confinement.instead.push(Instead { at, own });
                }
            }
        }
    }

    fn give_go(&self, confinement: &mut Confinement, caches: &mut Caches, layers: bool) {
        if self.value("GOMODCACHE").is_some() {
            return;
        }
        let first = |paths: PathBuf| std::env::split_paths(&paths).next();
        let path = self.value("GOPATH").and_then(first).or_else(|| self.below_home("go"));
        let Some(path) = path.and_then(|path| outside(&path, confinement)) else { return };
        let downloads = path.join("pkg");
        if layers && downloads.is_dir() {
            return lay(&downloads, "go-pkg", confinement, caches);
        }
        let own = caches.folder.join("go");
        if is_wanted(&own, confinement) && make(&own).is_ok() {
            caches.variables.push(("GOPATH", own));
            // What is installed is not a cache: that it cannot be is to be noticed.
            if self.value("GOBIN").is_none() {
                caches.variables.push(("GOBIN", path.join("bin")));
            }
        }
    }

    fn value(&self, name: &str) -> Option<PathBuf> {
        let mut set = self.environment.iter().rev().filter(|(set, _)| set == name);
        let value = PathBuf::from(&set.next()?.1);
        value.is_absolute().then_some(value)
    }

    fn below_home(&self, name: &str) -> Option<PathBuf> {
        Some(self.value("HOME").or_else(|| self.places.home.clone())?.join(name))
    }
}

impl Caches {
    /// What must be held until the command has ended.
    pub(super) fn in_use(&mut self) -> InUse {
        std::mem::take(&mut self.in_use)
    }

    fn layers(&self) -> PathBuf {
        self.folder.join("layers")
    }

    /// Names the caches to a command, but for those that its user has named.
    pub(super) fn name_to(&self, environment: &mut Vec<(OsString, OsString)>) {
        for (variable, name) in CACHES {
            if !environment.iter().any(|(set, _)| set == variable) {
                environment.push((variable.into(), self.folder.join(name).into()));
            }
        }
        for (variable, path) in &self.variables {
            environment.retain(|(set, _)| set != variable);
            environment.push((variable.into(), path.into()));
        }
    }
}

/// A home of its own for cargo, with the user's settings.
fn give_own_cargo(home: &Path, confinement: &Confinement, caches: &mut Caches) {
    let own = caches.folder.join("cargo");
    if !is_wanted(&own, confinement) || make(&own).is_err() {
        return;
    }
    for name in CARGO_SETTINGS.iter().filter(|name| home.join(name).exists()) {
        let _ = symlink(home.join(name), own.join(name));
    }
    caches.variables.push(("CARGO_HOME", own));
}

/// Lays the workspace's layer over a folder of the user's.
fn lay(at: &Path, name: &str, confinement: &mut Confinement, caches: &mut Caches) {
    let layer = caches.layers().join(name);
    let upper = layer.join("upper");
    if at.is_dir()
        && is_wanted(&upper, confinement)
        && make(&upper).is_ok()
        && let Some((work, lock)) = free_work(&layer)
    {
        caches.in_use.0.push(lock);
        confinement.overlays.push(Overlay { at: at.to_path_buf(), upper, work });
    }
}

/// A folder for the kernel to work in that no other command has: it is emptied by each mount,
/// under whoever else works in it. The layer itself they share.
fn free_work(layer: &Path) -> Option<(PathBuf, File)> {
    (0..MOST_AT_ONCE).find_map(|number| {
        let path = layer.join(format!("work-{number}"));
        make(&path).ok()?;
        let folder = File::open(&path).ok()?;
        flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
        Some((path, folder))
    })
}

/// Something is in it, or may come into it: a command without a network downloads nothing.
fn is_wanted(folder: &Path, confinement: &Confinement) -> bool {
    let used = || std::fs::read_dir(folder).is_ok_and(|mut names| names.next().is_some());
    confinement.network == Network::Host || used()
}

/// The real path, unless the command may write there anyway.
fn outside(path: &Path, confinement: &Confinement) -> Option<PathBuf> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    (!confinement.writable.iter().any(|own| real.starts_with(own))).then_some(real)
}

fn make(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn touch(file: &Path) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(file).map(|_| ())
}

fn takes_layers(folder: &Path) -> bool {
    statfs(folder).is_ok_and(|facts| !NO_LAYERS.contains(&facts.f_type))
}

/// The folder of a workspace's caches, made if it is not there.
fn folder(places: &Places, root: &Path) -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let base = set.filter(|path| path.is_absolute()).or_else(|| {
        let home = places.home.as_ref()?;
        Some(home.join(".cache"))
    })?;
    let name = blake3::hash(OsStr::as_bytes(root.as_os_str())).to_hex();
    let folder = base.join("dogu").join("caches").join(name.get(..NAME)?);
    make(&folder).ok()?;
    folder.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        folder: tempfile::TempDir,
        places: Places,
        machine: Machine,
    }

    impl World {
        fn new(machine: Machine) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let home = folder.path().canonicalize().unwrap();
            make(&home.join("ws")).unwrap();
            Self { folder, places: Places { home: Some(home), ..Places::default() }, machine }
        }

        fn at(&self, name: &str) -> PathBuf {
            self.folder.path().canonicalize().unwrap().join(name)
        }

        fn given(&self, network: Network) -> (Confinement, Vec<(OsString, OsString)>) {
            let mut confinement =
                Confinement { writable: vec![self.at("ws")], network, ..Confinement::default() };
            let root = self.at("ws");
            let environment = [(OsString::from("HOME"), OsString::from(self.at("")))];
            let giving = Giving {
                places: &self.places,
                root: &root,
                environment: &environment,
                machine: &self.machine,
            };
            let mut named = Vec::new();
            giving.give(&mut confinement).unwrap().name_to(&mut named);
            (confinement, named)
        }
    }

    fn over(confinement: &Confinement) -> Vec<&Path> {
        confinement.overlays.iter().map(|layer| layer.at.as_path()).collect()
    }

    fn named<'a>(all: &'a [(OsString, OsString)], name: &str) -> Option<&'a Path> {
        all.iter().find(|(set, _)| set == name).map(|(_, value)| Path::new(value))
    }

    #[test]
    fn a_layer_is_there_as_soon_as_something_can_be_in_it() {
        let world = World::new(Machine { overlays: true, ..Machine::default() });
        make(&world.at(".cargo/bin")).unwrap();
        make(&world.at("go/pkg/mod")).unwrap();
        let (without, variables) = world.given(Network::None);
        assert!(over(&without).is_empty() && without.instead.is_empty());
        assert!(!world.at(".cargo/registry").exists(), "the home stays as it is");
        assert_eq!(named(&variables, "CARGO_HOME"), None);
        let (with, variables) = world.given(Network::Host);
        let all = [world.at(".cargo/registry"), world.at(".cargo/git"), world.at("go/pkg")];
        assert_eq!(over(&with), all);
        assert_eq!(with.instead.len(), CARGO_LOCKS.len());
        assert_eq!(named(&variables, "CARGO_HOME"), None);
        // What is given to write is the workspace's own.
        let own = world.at(".cache/dogu/caches");
        assert!(with.overlays.iter().all(|layer| layer.upper.starts_with(&own)));
        assert!(with.instead.iter().all(|lock| lock.own.starts_with(&own)));
        std::fs::write(with.overlays[0].upper.join("index"), "").unwrap();
        assert_eq!(over(&world.given(Network::None).0), &all[..1]);
    }

    #[test]
    fn no_two_commands_have_the_same_folder_to_work_in() {
        let folder = tempfile::tempdir().unwrap();
        let (one, held) = free_work(folder.path()).unwrap();
        let (two, _held) = free_work(folder.path()).unwrap();
        assert_ne!(one, two);
        drop(held);
        assert_eq!(free_work(folder.path()).unwrap().0, one);
    }

    #[test]
    fn without_layers_there_are_folders_of_its_own() {
        let world = World::new(Machine::default());
        make(&world.at(".cargo")).unwrap();
        std::fs::write(world.at(".cargo/config.toml"), "[net]\n").unwrap();
        let (none, variables) = world.given(Network::None);
        assert!(over(&none).is_empty() && named(&variables, "CARGO_HOME").is_none());
        let (with, variables) = world.given(Network::Host);
        assert!(over(&with).is_empty());
        let own = named(&variables, "CARGO_HOME").unwrap();
        assert!(own.starts_with(world.at(".cache/dogu/caches")));
        assert_eq!(std::fs::read_to_string(own.join("config.toml")).unwrap(), "[net]\n");
        assert!(named(&variables, "GOPATH").unwrap().starts_with(world.at(".cache/dogu/caches")));
        assert_eq!(named(&variables, "GOBIN"), Some(world.at("go/bin").as_path()));
        // From then on it is cargo's home, with a network and without.
        assert!(named(&world.given(Network::None).1, "CARGO_HOME").is_some());
    }

    #[test]
    fn what_the_user_opened_is_left_as_it_is() {
        let world = World::new(Machine { overlays: true, ..Machine::default() });
        make(&world.at("ws/.cargo")).unwrap();
        let root = world.at("ws");
        let environment = [("CARGO_HOME", "ws/.cargo"), ("GOMODCACHE", "ws/mod")]
            .map(|(name, path)| (OsString::from(name), OsString::from(world.at(path))));
        let (places, machine) = (&world.places, &world.machine);
        let giving = Giving { places, root: &root, environment: &environment, machine };
        let mut confinement = Confinement {
            writable: vec![world.at("ws")],
            network: Network::Host,
            ..Confinement::default()
        };
        giving.give(&mut confinement).unwrap();
        assert!(confinement.overlays.is_empty() && confinement.instead.is_empty());
    }
}
