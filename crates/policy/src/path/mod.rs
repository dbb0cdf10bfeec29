//! What kind of place a path is, told by its name alone.
//!
//! Three questions that do not depend on each other: does it hold secrets, does the machine
//! live there, does it steer what tools and agents do. The answers come from the tables in
//! `tables/`, which are data with a reason each; `table` reads them, `index` finds the patterns
//! that match, `names` folds what some file system takes for the same name. `below` asks the
//! first question about many names.

mod below;
mod ends;
mod index;
mod name_pattern;
mod names;
mod pattern;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod same_answers;
mod streams;
mod table;

use std::path::{Path, PathBuf};

use dogu_tool::FileKind;

pub use self::below::{SecretsBelow, may_steer};
use self::index::Marked;
use self::names::Names;
pub use self::streams::is_stream;
pub(crate) use self::streams::may_be_device;
use self::table::Question;
use crate::facts::PathFacts;

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
    let view = |path: &Path| Marked::new(Names::with_home(path, home.as_ref()));
    let real = view(&facts.real);
    let declared = is_called_otherwise(facts).then(|| view(&facts.declared));
    let judged = Judged {
        root: facts.root.as_deref().map(Names::of),
        folder: facts.kind == Some(FileKind::Folder),
        home: home.as_ref(),
    };
    let either = |ask: &dyn Fn(&Marked) -> Option<&'static str>| {
        ask(&real).or_else(|| declared.as_ref().and_then(ask))
    };
    let start_up = either(&|path| judged.start_up(path));
    let private: Vec<Names> = places.private.iter().map(|folder| Names::of(folder)).collect();
    let own = either(&|path| within(path.names(), &private).then_some(PRIVATE));
    let secret = either(&|path| path.find(Question::Sensitive, 0, judged.folder));
    PathClass {
        sensitive: secret.or_else(|| own.filter(|_| !is_shown(real.names(), places))),
        system: judged
            .system(&real)
            .or_else(|| either(&|path| judged.start_up_outside(path)))
            .or(own),
        protected: either(&|path| judged.protected(path)).or(start_up),
    }
}

/// The name that it was given is not where it leads. Spellings that mean the same path may count
/// as others: they have the same names, and so the same answers.
fn is_called_otherwise(facts: &PathFacts) -> bool {
    facts.declared.as_os_str() != facts.real.as_os_str()
}

/// Why a path may hold secrets, if so: [`classify`]'s first answer for one real path, for those
/// who look at many. Without a `home`, the usual places of home folders count.
pub fn sensitive(path: &Path, folder: bool, places: &Places) -> Option<&'static str> {
    let home = places.home.as_deref().map(Names::of);
    let inside = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    let own = inside(&places.private) && !inside(&places.shown);
    let path = Marked::new(Names::with_home(path, home.as_ref()));
    path.find(Question::Sensitive, 0, folder).or(own.then_some(PRIVATE))
}

/// Whether a path below a workspace's root steers agents, or runs by itself while somebody works:
/// what no command changes, whatever it was granted.
pub fn steers(path: &Path, folder: bool, root: &Path) -> bool {
    steering_reason(path, folder, root).is_some()
}

/// What a path steers, if it does, in words that go on after it.
pub fn steering_reason(path: &Path, folder: bool, root: &Path) -> Option<&'static str> {
    let (path, above) = (Marked::new(Names::of(path)), Names::of(root).len());
    path.find(Question::Steering, above, folder)
}

fn within(names: &Names, folders: &[Names]) -> bool {
    folders.iter().any(|folder| names.starts_with(folder))
}

fn is_shown(names: &Names, places: &Places) -> bool {
    places.shown.iter().any(|folder| names.starts_with(&Names::of(folder)))
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
    fn system(&self, real: &Marked) -> Option<&'static str> {
        let hard = real.find(Question::System, 0, false);
        hard.or_else(|| {
            let installed = real.find(Question::Installed, 0, false)?;
            let own = self.chosen() || self.in_home(real.names());
            (!own).then_some(installed)
        })
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
    fn start_up(&self, path: &Marked) -> Option<&'static str> {
        path.find(Question::Startup, 0, self.folder)
    }

    /// As [`Self::start_up`], unless the workspace is a folder inside the home folder, such as a
    /// collection of such files: then they are protected and no more.
    fn start_up_outside(&self, path: &Marked) -> Option<&'static str> {
        let reason = self.start_up(path)?;
        let names = path.names();
        let inside =
            |root: &Names| names.starts_with(root) && names.homes().all(|home| root.len() > home);
        (!self.root.as_ref().is_some_and(inside)).then_some(reason)
    }

    /// Version control counts wherever the workspace starts; of the other names those above it
    /// are not looked at, or a workspace below `.claude` would be protected as a whole.
    fn protected(&self, path: &Marked) -> Option<&'static str> {
        let is_inside = |root: &&Names| path.names().starts_with(root);
        let above = self.root.as_ref().filter(is_inside).map_or(0, Names::len);
        path.find(Question::Versions, 0, self.folder)
            .or_else(|| path.find(Question::Steering, above, self.folder))
            .or_else(|| path.find(Question::Protected, above, self.folder))
    }
}
