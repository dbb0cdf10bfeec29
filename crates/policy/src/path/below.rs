//! Secrets among many names, for those who walk a tree from folder to folder.
//!
//! To judge a path, all of its names are folded and looked up. On a walk nearly every name is
//! plain, and its folder was judged before: what is left to ask is whether any pattern could
//! begin or end at this one name. Only where one could is the whole path judged.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::ends::Ends;
use super::index::{INDEX, Marked};
use super::name_pattern::NamePattern;
use super::names::Names;
use super::table::{Question, TABLES, Table};
use super::{Places, sensitive};

/// Longer names than this are judged as whole paths.
const MAX_NAME: usize = 128;

static FILTER: LazyLock<Filter> = LazyLock::new(|| Filter::of(&TABLES.sensitive));

/// What is known of the entries of a folder before their names are seen: gives the same answers
/// as [`sensitive`], at a small part of the price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretsBelow {
    /// So many levels down, a pattern that began above may still end.
    open: usize,
    /// A pattern takes in the whole tree, unless an exception says otherwise.
    inside: bool,
    /// dogu's own folders are above or below.
    near_private: bool,
}

impl SecretsBelow {
    /// Of a folder, by its real path.
    pub fn folder(path: &Path, places: &Places) -> Self {
        let names = path.as_os_str().as_encoded_bytes().split(|byte| *byte == b'/');
        let names = names.filter(|name| !name.is_empty());
        Self {
            open: names.fold(0, |open, name| step(open, FILTER.reach(name))),
            inside: in_tree(path, places),
            near_private: is_near(path, &places.private),
        }
    }

    /// Of a folder in this one, by its real path.
    pub fn child(&self, path: &Path, places: &Places) -> Self {
        let reach = FILTER.reach(last_name(path));
        // Only a pattern that goes on, or begins here, can end here.
        let may_end = self.open > 0 || reach > 0;
        Self {
            open: step(self.open, reach),
            inside: self.inside || (may_end && in_tree(path, places)),
            near_private: self.near_private && is_near(path, &places.private),
        }
    }

    /// Why an entry of the folder may hold secrets, if so; by its real path.
    pub fn sensitive(&self, path: &Path, folder: bool, places: &Places) -> Option<&'static str> {
        let judge = self.open > 0 || self.inside || self.near_private;
        (judge || FILTER.reach(last_name(path)) > 0)
            .then(|| sensitive(path, folder, places))
            .flatten()
    }
}

/// How many levels are open after a further name, at which patterns of so many names may begin.
fn step(open: usize, reach: usize) -> usize {
    open.max(reach).saturating_sub(1)
}

fn in_tree(path: &Path, places: &Places) -> bool {
    let home = places.home.as_deref().map(Names::of);
    Marked::new(Names::with_home(path, home.as_ref())).in_tree(Question::Sensitive)
}

fn is_near(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder) || folder.starts_with(path))
}

fn last_name(path: &Path) -> &[u8] {
    let path = path.as_os_str().as_encoded_bytes();
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    &path[start..]
}

/// Which names can be the first of a pattern, told by three bytes at first.
struct Filter {
    /// How many names the longest pattern has.
    longest: usize,
    ends: Ends,
}

impl Filter {
    fn of(table: &Table) -> Self {
        Self {
            longest: table.longest(),
            ends: Ends::of(table.first_names().map(NamePattern::as_written)),
        }
    }

    /// How many names the longest pattern has that may begin at this name of a path.
    fn reach(&self, name: &[u8]) -> usize {
        let mut room = [0; MAX_NAME];
        let Some(folded) = folded_plainly(name, &mut room) else { return self.longest };
        if !self.ends.may_have(folded) {
            return 0;
        }
        std::str::from_utf8(folded)
            .map_or(self.longest, |name| INDEX.reach(Question::Sensitive, name))
    }
}

/// Steering files among many names: whether a path that ends in this name may be one, at a small
/// part of the price of [`steers`](super::steers), which says whether it is. What lies below a
/// folder that is one is not asked about by this.
pub fn may_steer(name: &[u8]) -> bool {
    static LAST: LazyLock<LastNames> = LazyLock::new(|| LastNames::of(&TABLES.steering));
    let mut room = [0; MAX_NAME];
    let Some(folded) = folded_plainly(name, &mut room) else { return true };
    LAST.ends.may_have(folded) && std::str::from_utf8(folded).is_ok_and(|name| LAST.have(name))
}

/// The last names of a table's patterns.
struct LastNames {
    ends: Ends,
    exact: HashSet<&'static str>,
    /// Those with a `*`.
    open: Vec<NamePattern>,
}

impl LastNames {
    fn of(table: &Table) -> Self {
        let (open, exact): (Vec<_>, Vec<_>) = table.last_names().partition(|name| name.is_open());
        Self {
            ends: Ends::of(table.last_names().map(NamePattern::as_written)),
            exact: exact.into_iter().map(NamePattern::as_written).collect(),
            open: open.into_iter().cloned().collect(),
        }
    }

    fn have(&self, name: &str) -> bool {
        self.exact.contains(name) || self.open.iter().any(|pattern| pattern.matches(name))
    }
}

/// A name in lower case; none where folding would do more to it, or it is long.
fn folded_plainly<'r>(name: &[u8], room: &'r mut [u8; MAX_NAME]) -> Option<&'r [u8]> {
    let folded = room.get_mut(..name.len())?;
    let mut odd = false;
    for (to, from) in folded.iter_mut().zip(name) {
        *to = from.to_ascii_lowercase();
        odd |= !from.is_ascii() || matches!(from, b'\\' | b':');
    }
    let folded = &*folded;
    odd |= matches!(folded.last(), Some(b'.' | b' ')) || folded.starts_with(b"git~");
    (!odd).then_some(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_names_are_told_by_three_bytes() {
        for name in ["main.rs", "index.ts", "Makefile", "a.py", "README.md", "lib.c", "x.go"] {
            assert!(FILTER.reach(name.as_bytes()) == 0, "{name}");
        }
        for name in [".ssh", "a.pem", "ID_RSA", ".env.local", "a.pem.", "\u{ff0e}env", "GIT~1"] {
            assert!(FILTER.reach(name.as_bytes()) > 0, "{name}");
        }
    }

    #[test]
    fn names_of_sources_are_not_looked_up() {
        for name in
            ["main.rs", "a.ts", "a.tsx", "a.py", "a.go", "a.java", "a.c", "a.h", "src", "a.md"]
        {
            assert!(!FILTER.ends.may_have(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn whatever_steers_may_by_its_last_name() {
        use super::super::steers;
        let root = Path::new("/w");
        for name in [
            "CLAUDE.md",
            "agents.MD",
            ".mcp.json",
            ".claude",
            ".roorules-code",
            ".lintstagedrc.json",
            "\u{ff0e}envrc",
            ".envrc.",
            ".github/instructions",
            ".github/copilot-instructions.md",
        ] {
            let path = root.join("sub").join(name);
            assert!(
                steers(&path, !name.contains(".md"), root) || steers(&path, false, root),
                "{name}"
            );
            assert!(may_steer(last_name(&path)), "{name}");
        }
        for name in ["main.rs", "README.md", "package.json", "src", ".gitignore", "claude.txt"] {
            assert!(!may_steer(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn a_folder_is_as_far_open_as_its_patterns_reach() {
        let places = Places::default();
        let below = |path: &str| SecretsBelow::folder(Path::new(path), &places);
        let plain = SecretsBelow { open: 0, inside: false, near_private: false };
        // Files of one name are secret there, and nothing that is deeper.
        assert_eq!(below("/tmp"), SecretsBelow { open: 1, ..plain });
        assert_eq!(below("/tmp/work"), plain);
        assert_eq!(below("/srv/work/.ssh"), SecretsBelow { inside: true, ..plain });
        assert_eq!(
            below("/srv/.config/gcloud/x"),
            SecretsBelow { inside: true, open: below("/srv/.config/gcloud/x").open, ..plain }
        );
    }
}
