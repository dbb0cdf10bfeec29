//! From a profile, the places of this machine and what was granted to what a command may do.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use dogu_policy::facts::{CommandFacts, JudgedAction};
use dogu_policy::path::{Places, steers};
use dogu_process::sandbox::{AddressRange, Confinement, Limits, Network, Reads};
use dogu_tool::{Action, OUTSIDE_SANDBOX};

use super::caches;
use super::profiles::Profiles;
use crate::files::secrets_of;
use crate::settings::{Profile, SandboxLimits, SandboxSettings};

/// Names in the first folder of a workspace by which somebody else's programs are started or
/// permitted. They cannot be made by a command where they are not there.
const NEVER_MADE: [&str; 5] = [".git", ".dogu", "dogu.yaml", ".mcp.json", ".claude"];

/// Addresses that only this machine's neighbours have: those of a cloud's machines give out keys.
/// The last is the same for the clouds that have it elsewhere.
const LINK_LOCAL: [AddressRange; 4] = [
    AddressRange { address: IpAddr::V4(Ipv4Addr::new(169, 254, 0, 0)), prefix: 16 },
    AddressRange { address: IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0)), prefix: 10 },
    AddressRange {
        address: IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
        prefix: 128,
    },
    AddressRange { address: IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)), prefix: 32 },
];

/// How many names of a folder are looked at for those that stay as they are.
const MAX_NAMES: usize = 20_000;

/// What of the home folder is seen in the profile `strict`: where toolchains are.
const TOOLCHAINS: [&str; 22] = [
    ".cargo/bin",
    ".cargo/env",
    ".cargo/registry",
    ".cargo/git",
    ".rustup",
    ".nvm",
    ".fnm",
    ".volta",
    ".bun/bin",
    ".deno",
    ".pyenv",
    ".rbenv",
    ".sdkman",
    ".asdf",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".local/share/uv",
    ".local/share/pnpm",
    "go",
    ".gitconfig",
    ".config/git/config",
];

/// What a command is confined by.
pub(crate) struct Wanted<'a> {
    pub(crate) settings: &'a SandboxSettings,
    pub(crate) profiles: &'a Profiles,
    pub(crate) places: &'a Places,
    /// The real paths of the workspace's roots.
    pub(crate) roots: &'a [PathBuf],
    /// The folder that it starts in, its real path.
    pub(crate) cwd: &'a Path,
    /// What is known of the line.
    pub(crate) facts: Option<&'a CommandFacts>,
    /// All that the call was granted.
    pub(crate) granted: &'a [JudgedAction],
    /// dogu's own ports.
    pub(crate) ports: &'a [u16],
}

/// What holds a command, and what that is called.
pub(crate) struct Held {
    pub(crate) confinement: Option<Confinement>,
    pub(crate) profile: Profile,
    /// Its caches, where those of its user are out of reach.
    pub(crate) caches: Option<PathBuf>,
    /// What should be held and is not, in words.
    pub(crate) unguarded: Vec<String>,
}

impl Wanted<'_> {
    /// What holds the command.
    pub(crate) fn held(&self) -> Held {
        let profile = self.profile();
        let mut confinement = (profile != Profile::Off).then(|| self.confinement(profile));
        let workspace = confinement.as_mut().filter(|_| profile == Profile::Workspace);
        let caches = workspace.and_then(|confinement| {
            let folder = caches::folder(self.places, self.roots.first()?)?;
            confinement.writable.push(folder.clone());
            Some(folder)
        });
        Held { confinement, profile, caches, unguarded: Vec::new() }
    }

    /// A line that only looks needs to write nothing.
    fn profile(&self) -> Profile {
        if self.is_granted(is_outside) {
            return Profile::Off;
        }
        let looks = self.facts.is_some_and(|facts| facts.analysis.only_looks());
        let usual = self.settings.profile;
        let chosen =
            self.facts.map_or(usual, |facts| self.profiles.of_line(&facts.analysis, usual));
        if looks && chosen == Profile::Workspace { Profile::ReadOnly } else { chosen }
    }

    fn confinement(&self, profile: Profile) -> Confinement {
        let mut confinement = Confinement {
            hidden: self.hidden(),
            network: self.network(profile),
            closed_ports: self.ports.to_vec(),
            closed_ranges: LINK_LOCAL.to_vec(),
            name_servers: name_servers(),
            limits: limits(self.settings.limits),
            reads: self.reads(profile),
            ..Confinement::default()
        };
        if profile == Profile::ReadOnly {
            confinement.seen = self.roots.to_vec();
        } else {
            confinement.seen =
                self.roots.iter().filter(|root| self.holds_more(root)).cloned().collect();
            confinement.writable = self.writable();
            confinement.fixed = self.fixed(&confinement.writable);
            if self.may_write_repository() {
                let repositories = repositories_of(self.cwd);
                confinement.fixed.retain(|path| !repositories.contains(path));
                let outside = |path: &PathBuf| {
                    !confinement.writable.iter().any(|root| path.starts_with(root))
                };
                let more: Vec<PathBuf> = repositories.into_iter().filter(outside).collect();
                confinement.writable.extend(more);
            }
        }
        confinement
    }

    /// The roots, but none that holds what nobody meant to be a workspace: a home folder, dogu's
    /// own folders. Unless the user's settings name it.
    fn writable(&self) -> Vec<PathBuf> {
        let named = self.settings.writable.iter().filter_map(|path| self.real(path));
        let mut folders: Vec<PathBuf> =
            self.roots.iter().filter(|root| !self.holds_more(root)).cloned().collect();
        folders.extend(named.filter(|path| path.is_dir()));
        folders.sort();
        folders.dedup();
        // What lies in another of them is writable with it.
        let all = folders.clone();
        folders.retain(|path| !all.iter().any(|other| other != path && path.starts_with(other)));
        folders
    }

    /// A root that is no workspace.
    pub(crate) fn holds_more(&self, root: &Path) -> bool {
        let home = self.places.home.as_deref().is_some_and(|home| home.starts_with(root));
        home || self.places.private.iter().any(|own| own.starts_with(root))
    }

    fn fixed(&self, writable: &[PathBuf]) -> Vec<PathBuf> {
        let mut fixed = Vec::new();
        for root in self.folders_to_guard(writable) {
            fixed.extend(NEVER_MADE.iter().map(|name| root.join(name)));
            fixed.extend(steering_in(&root));
        }
        fixed.sort();
        fixed.dedup();
        // What a person granted by name is not held from the line that they saw.
        let named: Vec<&Path> = self.named().collect();
        fixed.retain(|path| !named.contains(&path.as_path()));
        fixed
    }

    /// The roots, and what lies between them and the folder that the command starts in.
    fn folders_to_guard(&self, writable: &[PathBuf]) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> =
            self.roots.iter().filter(|root| writable.contains(root)).cloned().collect();
        let between = self.cwd.ancestors().filter(|folder| {
            writable.iter().any(|root| folder.starts_with(root) && *folder != root.as_path())
        });
        folders.extend(between.filter(|folder| exists(&folder.join(".git"))).map(Path::to_owned));
        folders
    }

    fn hidden(&self) -> Vec<PathBuf> {
        let mut hidden = secrets_of(self.places);
        hidden.extend(self.settings.hidden.iter().filter_map(|path| self.real(path)));
        // What a person granted to read is not hidden from the line that they saw.
        let granted: Vec<&Path> = self.granted_files().collect();
        hidden.retain(|path| !granted.iter().any(|file| file.starts_with(path)));
        hidden
    }

    /// The files that the line names, which were judged with it.
    fn granted_files(&self) -> impl Iterator<Item = &Path> {
        let files = self.facts.into_iter().flat_map(|facts| &facts.files);
        let own =
            |path: &&Path| !self.places.private.iter().any(|private| path.starts_with(private));
        files.filter_map(|file| Some(file.path.as_ref().ok()?.real.as_path())).filter(own)
    }

    fn reads(&self, profile: Profile) -> Reads {
        match (&self.places.home, profile) {
            (Some(home), Profile::Strict) => {
                let mut shown: Vec<PathBuf> =
                    TOOLCHAINS.iter().map(|name| home.join(name)).collect();
                shown.extend(self.settings.shown.iter().filter_map(|path| self.real(path)));
                shown.retain(|path| exists(path));
                Reads::Without { home: home.clone(), shown }
            }
            _ => Reads::Everything,
        }
    }

    fn network(&self, profile: Profile) -> Network {
        let known = self.facts.is_some_and(|facts| !facts.analysis.addresses.is_empty());
        let granted = known || self.is_granted(|action| matches!(action, Action::Network { .. }));
        match profile {
            Profile::Strict => Network::NoSockets,
            _ if granted => Network::Host,
            _ => Network::None,
        }
    }

    /// Whether changing the repository was granted by itself.
    pub(super) fn is_granted_repository(&self) -> bool {
        self.is_granted(
            |action| matches!(action, Action::FileWrite { path } if path.ends_with(".git")),
        )
    }

    fn is_granted(&self, is_it: impl Fn(&Action) -> bool) -> bool {
        self.granted.iter().any(|judged| is_it(&judged.action))
    }

    /// A path of the settings: `~` expanded, links followed; nothing where it does not exist.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        let below_home = path.strip_prefix("~").ok().zip(self.places.home.as_deref());
        let path = below_home.map_or_else(|| path.to_owned(), |(rest, home)| home.join(rest));
        path.is_absolute().then(|| path.canonicalize().ok())?
    }
}

/// What steers agents, or runs by itself, in a folder and in the hidden folders of it.
fn steering_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (path, is_folder) in names_in(folder) {
        if steers(&path, is_folder, folder) {
            found.push(path);
        } else if is_folder
            && path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"."))
        {
            let inside =
                names_in(&path).filter(|(path, is_folder)| steers(path, *is_folder, folder));
            found.extend(inside.map(|(path, _)| path));
        }
    }
    found
}

fn names_in(folder: &Path) -> impl Iterator<Item = (PathBuf, bool)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_NAMES);
    entries.map(|entry| (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_dir())))
}

/// Running outside of the sandbox was granted.
fn is_outside(action: &Action) -> bool {
    matches!(action, Action::Custom { name, .. } if name == OUTSIDE_SANDBOX)
}

/// The folders of the repository that `cwd` is in: `.git`, or where a `.git` file leads to.
pub(crate) fn repositories_of(cwd: &Path) -> Vec<PathBuf> {
    let Some(found) = cwd.ancestors().map(|folder| folder.join(".git")).find(|git| exists(git))
    else {
        return vec![cwd.join(".git")];
    };
    if found.is_dir() {
        return vec![found];
    }
    let text = std::fs::read_to_string(&found).unwrap_or_default();
    let Some(folder) = text.strip_prefix("gitdir:").map(|path| found.with_file_name(path.trim()))
    else {
        return Vec::new();
    };
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let common = std::fs::read_to_string(folder.join("commondir")).unwrap_or_default();
    let common = folder.join(common.trim()).canonicalize().unwrap_or_else(|_| folder.clone());
    vec![found, folder, common]
}

/// Those that names are asked of, which may be neighbours.
fn name_servers() -> Vec<IpAddr> {
    let text = std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let servers = text.lines().filter_map(|line| line.trim().strip_prefix("nameserver"));
    servers.filter_map(|server| server.trim().split('%').next()?.parse().ok()).collect()
}

fn limits(set: SandboxLimits) -> Limits {
    let bytes = |megabytes: u64| megabytes.saturating_mul(1024 * 1024);
    Limits {
        processes: set.processes,
        memory: set.memory_mb.map(bytes).or_else(memory_of_machine),
        file_size: set.file_mb.map(bytes),
        cpu_seconds: set.cpu_seconds,
        open_files: None,
        scratch: set.scratch_mb.map(bytes),
    }
}

/// One process alone may not take more than there is.
fn memory_of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
