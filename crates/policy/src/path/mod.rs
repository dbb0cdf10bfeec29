//! What kind of place a path is, told by its name alone.
//!
//! Three questions that do not depend on each other: does it hold secrets, does the machine
//! live there, does it steer what tools and agents do. The answers come from the tables in
//! `tables/`, which are data with a reason each; `table` reads them, `names` folds what
//! some file system takes for the same name. `below` asks the first question about many names.

mod below;
mod names;
mod pattern;
mod table;

use std::path::{Path, PathBuf};

use dogu_tool::FileKind;

pub use self::below::{SecretsBelow, may_steer};
use self::names::Names;
use self::table::TABLES;
use crate::facts::PathFacts;

/// What is written to these goes where the output goes anyway, or nowhere.
const STREAMS: [&str; 7] = [
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/fd/0",
    "/dev/fd/1",
    "/dev/fd/2",
];
/// Why dogu's own folders are secret.
const PRIVATE: &str = "belongs to dogu itself: its token, grants and record";
/// Names in the path of a top folder such as `/var`, which is nobody's workspace or home.
const TOP_FOLDER: usize = 1;

/// Folders of this machine that have a meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The home folder, its real path.
    pub home: Option<PathBuf>,
    /// dogu's own state and settings folders, their real paths.
    pub private: Vec<PathBuf>,
    /// Folders inside of those that calls may read, such as that of long results.
    pub shown: Vec<PathBuf>,
}

/// What a path is, each with the reason, in words that go on after the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathClass {
    /// It may hold secrets: reading it asks, writing it is refused.
    pub sensitive: Option<&'static str>,
    /// The machine depends on it, or runs it by itself: writing it is refused.
    pub system: Option<&'static str>,
    /// It steers tools or agents: writing it asks, whatever is approved in general.
    pub protected: Option<&'static str>,
}

impl PathClass {
    /// It is nothing special.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Why nothing may write it, if so.
    pub fn write_refused(&self) -> Option<&'static str> {
        self.system.or(self.sensitive)
    }

    /// Why writing it asks even where writes are approved in general, if so.
    pub fn write_asks(&self) -> Option<&'static str> {
        self.protected
    }

    /// Why reading it asks, if so.
    pub fn read_asks(&self) -> Option<&'static str> {
        self.sensitive
    }
}

/// What a path is: by where it leads, and by the name that it was given.
pub fn classify(facts: &PathFacts, places: &Places) -> PathClass {
    if is_stream(&facts.declared) {
        return PathClass::default();
    }
    let home = places.home.as_deref().map(Names::of);
    let view = |path: &Path| Names::with_home(path, home.as_ref());
    let real = view(&facts.real);
    let declared = (facts.declared != facts.real).then(|| view(&facts.declared));
    let judged = Judged {
        root: facts.root.as_deref().map(Names::of),
        folder: facts.kind == Some(FileKind::Folder),
        home: home.as_ref(),
    };
    let either = |ask: &dyn Fn(&Names) -> Option<&'static str>| {
        ask(&real).or_else(|| declared.as_ref().and_then(ask))
    };
    let start_up = either(&|names| judged.start_up(names));
    let own = either(&|names| within(names, &places.private).then_some(PRIVATE));
    let shown = within(&real, &places.shown);
    PathClass {
        sensitive: either(&|names| secret(names, judged.folder)).or(own.filter(|_| !shown)),
        system: judged
            .system(&real)
            .or_else(|| either(&|names| judged.start_up_outside(names)))
            .or(own),
        protected: either(&|names| judged.protected(names)).or(start_up),
    }
}

/// Why a path may hold secrets, if so: [`classify`]'s first answer for one real path, for those
/// who look at many. Without a `home`, the usual places of home folders count.
pub fn sensitive(path: &Path, folder: bool, places: &Places) -> Option<&'static str> {
    let home = places.home.as_deref().map(Names::of);
    let inside = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    let own = inside(&places.private) && !inside(&places.shown);
    secret(&Names::with_home(path, home.as_ref()), folder).or(own.then_some(PRIVATE))
}

/// Whether a path below a workspace's root steers agents, or runs by itself while somebody works:
/// what no command changes, whatever it was granted.
pub fn steers(path: &Path, folder: bool, root: &Path) -> bool {
    steering_reason(path, folder, root).is_some()
}

/// What a path steers, if it does, in words that go on after it.
pub fn steering_reason(path: &Path, folder: bool, root: &Path) -> Option<&'static str> {
    let (names, above) = (Names::of(path), Names::of(root).len());
    TABLES.steering.find(&names, above, folder)
}

/// It is a name of a standard stream, or of nothing: reading and writing it harms no file.
pub fn is_stream(path: &Path) -> bool {
    STREAMS.iter().any(|stream| path == Path::new(stream))
}

fn secret(names: &Names, folder: bool) -> Option<&'static str> {
    TABLES.sensitive.find(names, 0, folder)
}

fn within(names: &Names, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| names.starts_with(&Names::of(folder)))
}

/// What does not change between the names of one path.
struct Judged<'a> {
    root: Option<Names>,
    folder: bool,
    home: Option<&'a Names>,
}

impl Judged<'_> {
    /// The machine's folders. Where a workspace lies inside of one that programs and servers
    /// are put into (`/opt/app`), its files are the workspace's; a workspace that is `/etc` or
    /// `/` does not make the machine's files ordinary.
    fn system(&self, real: &Names) -> Option<&'static str> {
        let hard = TABLES.system.find(real, 0, false);
        if hard.is_some() || self.chosen() || self.in_home(real) {
            return hard;
        }
        TABLES.installed.find(real, 0, false)
    }

    /// The workspace is a folder of its own, not a top folder of the machine.
    fn chosen(&self) -> bool {
        self.root.as_ref().is_some_and(|root| root.len() > TOP_FOLDER)
    }

    fn in_home(&self, real: &Names) -> bool {
        let own = |home: &&Names| home.len() > TOP_FOLDER || home.is("root");
        self.home.filter(own).is_some_and(|home| real.starts_with(home))
    }

    /// Files that run by themselves later, such as a shell's start-up files.
    fn start_up(&self, names: &Names) -> Option<&'static str> {
        TABLES.startup.find(names, 0, self.folder)
    }

    /// As [`Self::start_up`], unless the workspace is a folder inside the home folder, such as a
    /// collection of such files: then they are protected and no more.
    fn start_up_outside(&self, names: &Names) -> Option<&'static str> {
        let inside = |root: &Names| {
            names.starts_with(root) && names.homes().iter().all(|&home| root.len() > home)
        };
        let outside = !self.root.as_ref().is_some_and(inside);
        outside.then(|| self.start_up(names)).flatten()
    }

    /// Version control counts wherever the workspace starts; of the other names those above it
    /// are not looked at, or a workspace below `.claude` would be protected as a whole.
    fn protected(&self, names: &Names) -> Option<&'static str> {
        let above = self.root.as_ref().filter(|root| names.starts_with(root)).map_or(0, Names::len);
        TABLES
            .versions
            .find(names, 0, self.folder)
            .or_else(|| TABLES.steering.find(names, above, self.folder))
            .or_else(|| TABLES.protected.find(names, above, self.folder))
    }
}
